//! The provenance of a result.

use serde::Serialize;
use std::fmt;

/// What produced a result, and how to produce it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// What computes the results: changes when the code that they depend on does.
    pub engine: String,
    /// Commit it was built from, with `-dirty` when the tree had changes then; `unknown` outside of a
    /// repository.
    pub revision: String,
    /// The scenario as it was named.
    pub scenario: String,
    /// BLAKE3 of the scenario's text.
    pub scenario_blake3: String,
    /// `--set` arguments.
    pub overrides: Vec<String>,
    /// Master seeds.
    pub seeds: Vec<u64>,
    /// The command that produces the result again.
    pub reproduce: String,
    /// The text of the scenario.
    pub scenario_text: String,
}

impl Provenance {
    /// Name and value of everything but the scenario's text, in a fixed order.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("seamline_version", self.version.clone()),
            ("engine", self.engine.clone()),
            ("revision", self.revision.clone()),
            ("scenario", self.scenario.clone()),
            ("scenario_blake3", self.scenario_blake3.clone()),
            ("seeds", format_seeds(&self.seeds)),
            ("reproduce", self.reproduce.clone()),
        ];
        fields.extend(self.overrides.iter().map(|text| ("override", text.clone())));
        fields
    }
}

/// For the first comment of a capture.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seamline {} (revision {})", self.version, self.revision)?;
        writeln!(f, "scenario {} (blake3 {})", self.scenario, self.scenario_blake3)?;
        write!(f, "{}", self.reproduce)
    }
}

/// `1, 2, ..., 30` for a long list that counts up, everything otherwise.
pub fn format_seeds(seeds: &[u64]) -> String {
    let counts_up = seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match seeds {
        [first, .., last] if counts_up && seeds.len() > 4 => {
            format!("{first}, {}, ..., {last}", first + 1)
        }
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}
