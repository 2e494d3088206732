//! What a report tells, as plain data. Times are in seconds since the start of a run unless a name says
//! otherwise.

use crate::series::RunSeries;
use serde::Serialize;

/// A mean and the 95 % interval of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean (for a factor: the geometric mean).
    pub mean: f64,
    /// Lower end of the interval; `None` with fewer than two samples.
    pub low: Option<f64>,
    /// Upper end of the interval; `None` with fewer than two samples.
    pub high: Option<f64>,
    /// Number of samples.
    pub samples: usize,
}

impl Estimate {
    /// A value without an interval.
    pub fn single(mean: f64) -> Self {
        Estimate { mean, low: None, high: None, samples: 1 }
    }
    /// Half the width of the interval.
    pub fn half_width(&self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }
    /// The interval, or the mean alone twice.
    pub fn ends(&self) -> (f64, f64) {
        (self.low.unwrap_or(self.mean), self.high.unwrap_or(self.mean))
    }
}

/// What produced a result, and how to produce it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// What computes the results: changes when the code that they depend on does.
    pub engine: String,
    /// The commit it was built from.
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
            ("seeds", seeds_in_words(&self.seeds)),
            ("reproduce", self.reproduce.clone()),
        ];
        fields.extend(self.overrides.iter().map(|text| ("override", text.clone())));
        fields
    }
}

/// `1, 2, ..., 30` for a long list that counts up, everything otherwise.
pub fn seeds_in_words(seeds: &[u64]) -> String {
    let counts_up = seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match seeds {
        [first, .., last] if counts_up && seeds.len() > 4 => {
            format!("{first}, {}, ..., {last}", first + 1)
        }
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}

impl Report {
    /// What a cell is called.
    pub fn cell_name(&self, cell: usize) -> &str {
        self.cells.get(cell).map_or("", |cell| &cell.name)
    }
}

/// The whole report of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// What a person calls the experiment.
    pub title: String,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The verdict in words, a sentence each, the most important first.
    pub verdict: Vec<String>,
    /// What a reader should know before believing it, each with its cure.
    pub warnings: Vec<String>,
    /// Length of a run.
    pub duration_s: f64,
    /// What is left out of all means, from the start.
    pub warm_up_s: f64,
    /// The cells of the grid.
    pub cells: Vec<Cell>,
    /// Each flow of each cell over all seeds.
    pub outcomes: Vec<Outcome>,
    /// Each flow of each run.
    pub runs: Vec<RunRow>,
    /// Each handover that a flow met.
    pub handovers: Vec<HandoverRow>,
    /// Each direction of each link of each run.
    pub links: Vec<LinkRow>,
    /// One run of each cell over time, in their order; may be fewer than there are cells.
    #[serde(skip)]
    pub series: Vec<RunSeries>,
}

/// One cell of the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// What it is called.
    pub name: String,
    /// What the grid set: dotted keys and values.
    pub values: Vec<(String, String)>,
}

/// One flow of one cell over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// What tells this outcome from the others.
    pub name: String,
    /// The flow.
    pub flow: String,
    /// What the variant is called.
    pub variant: String,
    /// Goodput in bits per second.
    pub goodput_bits_per_second: Estimate,
    /// Its factor relative to the baseline, seed by seed; `None` for the baseline itself, and when no
    /// factor exists.
    pub factor: Option<Estimate>,
    /// What it is compared with; `None` for a baseline.
    pub against: Option<String>,
    /// What the factor means: `faster`, `slower`, `no clear difference`, or nothing.
    pub judgement: String,
    /// Segments sent again in a run.
    pub retransmissions_mean: f64,
    /// Expiries of the retransmission timer in a run.
    pub timeouts_mean: f64,
    /// Duration of the transfer, over the runs that completed it.
    pub completion_s: Option<Estimate>,
    /// The median time to recover from a handover; `None` when it was mostly not recovered from.
    pub recovery_median_ms: Option<f64>,
    /// Handovers met in all runs.
    pub handovers: usize,
    /// What somebody else published for the same thing, in bits per second.
    pub published_bits_per_second: Option<f64>,
}

/// One flow of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRow {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// The master seed.
    pub seed: u64,
    /// The flow.
    pub flow: String,
    /// What the variant is called.
    pub variant: String,
    /// Payload delivered in order in the whole run.
    pub delivered_bytes: u64,
    /// Payload delivered per second between the next two.
    pub goodput_bits_per_second: f64,
    /// Where the means begin.
    pub measured_from_s: f64,
    /// Where they end.
    pub measured_to_s: f64,
    /// Segments sent again, in the whole run.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer, in the whole run.
    pub timeouts: u64,
    /// Times that recovery began without a timeout, in the whole run.
    pub fast_recoveries: u64,
    /// Mean round-trip time of segments sent once, after the warm-up.
    pub round_trip_mean_ms: Option<f64>,
    /// The smallest of them.
    pub round_trip_min_ms: Option<f64>,
    /// Duration of the transfer, if it has an end and came to it.
    pub completion_s: Option<f64>,
}

/// A handover as a flow met it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoverRow {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// The master seed.
    pub seed: u64,
    /// The flow.
    pub flow: String,
    /// The link.
    pub link: String,
    /// When it began.
    pub start_s: f64,
    /// For how long nothing passed; `None` when the run ended first.
    pub interruption_ms: Option<f64>,
    /// From its start until the mobile node found out that it had moved; `None` without a mobile node.
    pub movement_detected_ms: Option<f64>,
    /// From its start until the mobile node knew that its registration was in force.
    pub registered_ms: Option<f64>,
    /// From its start until data arrived again.
    pub first_data_ms: Option<f64>,
    /// From its start until the flow was back at its pace; `None` when that did not happen.
    pub recovery_ms: Option<f64>,
    /// Payload delivered in the second after the link worked again.
    pub following_second_bytes: u64,
}

/// What one direction of a link did in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkRow {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// The master seed.
    pub seed: u64,
    /// The link and the direction.
    pub link: String,
    /// Packets handed over at the far end.
    pub delivered_packets: u64,
    /// Their bytes, headers included.
    pub delivered_bytes: u64,
    /// Packets that found the queue full.
    pub dropped_by_full_queue: u64,
    /// Packets dropped by active queue management.
    pub dropped_by_queue_management: u64,
    /// Packets that an error model took.
    pub lost_to_errors: u64,
    /// Packets lost because the link was down.
    pub lost_to_link_down: u64,
}
