//! `papers/ID/deviations.toml`: where a paper is silent, how that was read, and how else it can be read.
//!
//! A reading has a ground. One that was found by trying values is shown next to the others, and can neither be taken nor make a
//! combination look better founded than it is.

use crate::claims::{Claim, Claims, Measured};
use seamline_report::paper::Ground;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The silent points of a paper, and readings that have a name of their own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviations {
    /// With how many seeds other readings are tried, unless fewer are asked for.
    #[serde(default = "few")]
    pub seeds: u32,
    /// The silent points.
    pub deviation: Vec<Deviation>,
    /// Readings of several points at once, and combinations of readings.
    #[serde(default)]
    pub reading: Vec<Named>,
}

/// As many as show how much depends on a reading.
fn few() -> u32 {
    3
}

/// One silent point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Its name.
    pub id: String,
    /// What the paper leaves open.
    pub silent: String,
    /// How it is read.
    pub reading: String,
    /// What supports that.
    #[serde(default)]
    pub ground: Ground,
    /// The parameter in the scenarios; `*` stands for every name.
    pub key: String,
    /// Why it is read so.
    pub reason: String,
    /// The scenarios that other readings are tried on.
    #[serde(default)]
    pub figures: Vec<String>,
    /// With how many seeds they are tried, where one has to be known better than the others.
    pub seeds: Option<u32>,
    /// Other readings.
    #[serde(default)]
    pub r#try: Vec<Alternative>,
}

/// Another reading of one silent point. Its name is that of the point and its own words: `tcp: NewReno`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The reading.
    pub reading: String,
    /// The overrides that select it, as `--set` takes them.
    pub set: Vec<String>,
    /// What supports it.
    #[serde(default)]
    pub ground: Ground,
    /// Symbols that it changes in closed forms.
    #[serde(default)]
    pub symbols: BTreeMap<String, f64>,
}

/// A reading with a name of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The overrides that select it.
    #[serde(default)]
    pub set: Vec<String>,
    /// The readings that it combines.
    #[serde(default)]
    pub combines: Vec<String>,
    /// What supports it; a combination has the weakest ground of all that it combines.
    #[serde(default)]
    pub ground: Ground,
    /// The words, tool or calculation that it is based on.
    pub source: String,
    /// The scenarios it is tried on.
    pub figures: Vec<String>,
    /// Claims that it measures in another way, by their names.
    #[serde(default)]
    pub measures: BTreeMap<String, Measured>,
}

/// A reading that was not taken, with all that it sets.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The silent point that it belongs to; `None` for one with a name of its own.
    pub about: Option<String>,
    /// The reading in words, without the silent point.
    pub words: String,
    /// The overrides that select it.
    pub set: Vec<String>,
    /// Symbols that it changes in closed forms.
    pub symbols: BTreeMap<String, f64>,
    /// With how many seeds it is tried; `None` for as many as most.
    pub seeds: Option<u32>,
    /// What supports it.
    pub ground: Ground,
    /// The words, tool or calculation that it is based on; empty where that is the silent point itself.
    pub source: String,
    /// The scenarios it is tried on.
    pub figures: Vec<String>,
    /// Claims that it measures in another way, by their names.
    pub measures: BTreeMap<String, Measured>,
}

impl Reading {
    /// Whether it leaves the runs and the closed forms as they are.
    pub(crate) fn only_measures(&self) -> bool {
        self.set.is_empty() && self.symbols.is_empty()
    }

    /// The claims as it measures them.
    pub(crate) fn claims(&self, claims: &Claims) -> Claims {
        let read = |claim: &Claim| match self.measures.get(&claim.id) {
            Some(measured) => measured.of(claim.clone()),
            None => claim.clone(),
        };
        Claims { claim: claims.claim.iter().map(read).collect(), ..claims.clone() }
    }

    /// Its name: `tcp: NewReno`, or its own words.
    pub fn name(&self) -> String {
        self.about.as_ref().map_or_else(|| self.words.clone(), |about| format!("{about}: {}", self.words))
    }
}

impl Deviations {
    /// All readings that were not taken.
    ///
    /// # Errors
    /// When a reading found by search was taken, a combination names a reading that is not there before it, or two of its readings set
    /// the same key.
    pub fn readings(&self) -> Result<Vec<Reading>, String> {
        if let Some(taken) = self.deviation.iter().find(|it| it.ground == Ground::Search) {
            return Err(format!("{}: a reading found by search cannot be the one taken", taken.id));
        }
        let mut all: Vec<Reading> = self.deviation.iter().flat_map(Deviation::others).collect();
        for named in &self.reading {
            let reading = named.resolve(&all)?;
            if all.iter().any(|other| other.name() == named.name) {
                return Err(format!("there are two readings {:?}", named.name));
            }
            all.push(reading);
        }
        Ok(all)
    }
}

impl Deviation {
    fn others(&self) -> impl Iterator<Item = Reading> {
        self.r#try.iter().map(|other| Reading {
            about: Some(self.id.clone()),
            words: other.reading.clone(),
            set: other.set.clone(),
            symbols: other.symbols.clone(),
            seeds: self.seeds,
            ground: other.ground,
            source: String::new(),
            figures: self.figures.clone(),
            measures: BTreeMap::new(),
        })
    }
}

impl Named {
    /// Itself and what it combines.
    fn resolve(&self, known: &[Reading]) -> Result<Reading, String> {
        let (mut set, mut ground, mut symbols) = (self.set.clone(), self.ground, BTreeMap::new());
        let mut seeds = None;
        for name in &self.combines {
            let Some(part) = known.iter().find(|known| known.name() == *name) else {
                return Err(format!("{}: there is no reading {name:?} before it", self.name));
            };
            if let Some(twice) = part.set.iter().find(|new| set.iter().any(|old| key(old) == key(new))) {
                return Err(format!("{}: two of its readings set {}", self.name, key(twice)));
            }
            set.extend(part.set.iter().cloned());
            symbols.extend(part.symbols.clone());
            ground = ground.max(part.ground);
            seeds = seeds.max(part.seeds);
        }
        Ok(Reading {
            about: None,
            words: self.name.clone(),
            set,
            symbols,
            seeds,
            ground,
            source: self.source.clone(),
            figures: self.figures.clone(),
            measures: self.measures.clone(),
        })
    }
}

/// The key of an override.
fn key(set: &str) -> &str {
    set.split('=').next().unwrap_or(set).trim()
}
