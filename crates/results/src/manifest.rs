//! What a folder of results holds: the scenario, how it was given, and the program. One file next to the
//! lines, `sweep.json`.

use crate::error::Error;
use seamline_config::source::SourceId;
use seamline_experiment::atomic;
use seamline_experiment::report::{Provenance, engine};
use seamline_scenario::Parts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// Its name.
pub(crate) const NAME: &str = "sweep.json";

/// Everything a folder holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// In the order in which they were begun; one, unless others were added on purpose.
    pub sweeps: Vec<Sweep>,
}

/// One sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The identity of its plan: all cells, but no seeds.
    pub identity: String,
    /// The program ([`engine()`]).
    pub engine: String,
    /// Commit that the program was built from.
    pub revision: String,
    /// The scenario's title.
    pub title: Option<String>,
    /// The scenario as it was named.
    pub file: String,
    /// BLAKE3 of its text.
    pub blake3: String,
    /// Its text.
    pub text: String,
    /// `--set` arguments.
    pub overrides: Vec<String>,
    /// What the cells have in common: the scenario without its grid.
    pub scenario: Value,
    /// The command that continues it.
    pub command: String,
}

impl Sweep {
    pub(crate) fn new(parts: &Parts<'_>, provenance: &Provenance) -> Self {
        let plan = parts.first();
        let first = plan.cells.first().map(|cell| &cell.scenario);
        Sweep {
            identity: parts.totals().identity().to_string(),
            engine: engine().to_owned(),
            revision: provenance.revision.to_owned(),
            title: first.and_then(|scenario| scenario.title.clone()),
            file: provenance.scenario.clone(),
            blake3: provenance.scenario_blake3.clone(),
            text: plan.sources.get(SourceId::FILE).text.clone(),
            overrides: provenance.overrides.clone(),
            scenario: plan.base.clone(),
            command: provenance.reproduce.clone(),
        }
    }

    /// Whether lines of both may be in one file: the same cells by the same program.
    fn continues(&self, other: &Sweep) -> bool {
        (&self.identity, &self.engine) == (&other.identity, &other.engine)
    }
}

impl Manifest {
    /// The manifest of a folder; empty when there is none.
    ///
    /// # Errors
    /// When it is there but cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = path(folder);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Manifest::default()),
            Err(error) => return Err(Error::read(&path, error)),
        };
        serde_json::from_slice(&text).map_err(|error| Error::read(&path, io::Error::other(error)))
    }

    /// Note that a sweep is about to be run into a folder.
    ///
    /// # Errors
    /// When the folder holds something else, unless it is to be `added`; when it cannot be written.
    pub(crate) fn register(folder: &Path, sweep: &Sweep, added: bool) -> Result<(), Error> {
        let mut manifest = Manifest::read(folder)?;
        if let Some(known) = manifest.sweeps.iter_mut().find(|known| known.continues(sweep)) {
            if known == sweep {
                return Ok(());
            }
            *known = sweep.clone();
        } else if manifest.sweeps.is_empty() || added {
            manifest.sweeps.push(sweep.clone());
        } else {
            return Err(refusal(folder, &manifest.sweeps, sweep));
        }
        manifest.write(folder)
    }

    fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = path(folder);
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|cause| Error::write(&path, io::Error::other(cause)))?;
        atomic::write(&path, (text + "\n").as_bytes())?;
        Ok(())
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

fn refusal(folder: &Path, known: &[Sweep], new: &Sweep) -> Error {
    let folder = folder.display();
    let tip = "name another directory with --out, or keep both in this one with --add";
    if let Some(old) = known.iter().find(|old| old.identity == new.identity) {
        let reason = format!(
            "{folder} holds results of another version of the program: {}, and this is {}",
            old.engine, new.engine
        );
        return Error::refused(reason, tip);
    }
    let names: Vec<String> = known.iter().map(describe).collect();
    Error::refused(format!("{folder} holds results of another scenario: {}", names.join("; ")), tip)
}

fn describe(sweep: &Sweep) -> String {
    let set: String = sweep.overrides.iter().map(|text| format!(" --set {text}")).collect();
    format!("{}{set}", sweep.file)
}
