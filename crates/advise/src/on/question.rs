//! The question: a recorded path and the traffic over it.

use super::path::RecordedPath;
use crate::error::InputError;
use crate::question::Traffic;
use seamline_scenario::schema::extent::Extent;
use seamline_wire::Duration;
use serde::Serialize;

/// How long a flow without end is watched unless something else is asked for.
const USUAL_HORIZON: Duration = Duration::from_secs(30);
/// A flow needs at least this to show more than how it begins.
const LEAST_HORIZON: Duration = Duration::from_secs(2);

/// A question as given on the command line; `None` means the default.
#[derive(Clone, Debug, Default)]
pub struct PathInput<'a> {
    /// The recordings; several complete each other, for example capacity and delay.
    pub files: Vec<&'a str>,
    /// The format of the recordings, instead of that which they look like.
    pub format: Option<&'a str>,
    /// The rate of the bottleneck, where the recordings have none.
    pub rate: Option<&'a str>,
    /// The round-trip time without queueing, where they have none.
    pub round_trip: Option<&'a str>,
    /// The share of packets lost at random, where they have none.
    pub loss: Option<&'a str>,
    /// What the queue of the bottleneck holds.
    pub queue: Option<&'a str>,
    /// The size of the file that is transferred.
    pub file: Option<&'a str>,
    /// Instead of a file: how long a flow without end is watched.
    pub horizon: Option<&'a str>,
    /// Whether the host sends; otherwise it receives.
    pub upload: bool,
    /// Number of seeds; by default as many as take less than about a minute.
    pub seeds: Option<u32>,
}

/// A validated question.
#[derive(Clone, Debug, Serialize)]
pub struct PathQuestion {
    /// The recorded path.
    pub path: RecordedPath,
    /// What is sent over it.
    pub traffic: Traffic,
    /// Whether the host sends; otherwise it receives.
    pub upload: bool,
    /// Number of seeds, if it was given.
    #[serde(skip)]
    pub(super) given_seeds: Option<u32>,
}

impl PathQuestion {
    /// Read the recordings and everything else.
    ///
    /// # Errors
    /// The error names the option and the fix.
    pub fn read(input: &PathInput<'_>) -> Result<Self, InputError> {
        let path = RecordedPath::read(input)?;
        let traffic = Traffic::read(input.file, input.horizon)?;
        let traffic = traffic.unwrap_or_else(|| Traffic::Horizon(usual_horizon(&path)));
        Ok(PathQuestion { path, traffic, upload: input.upload, given_seeds: input.seeds })
    }

    /// The end that sends.
    pub fn sender(&self) -> &'static str {
        if self.upload { "host" } else { "server" }
    }

    /// The end that receives.
    pub fn receiver(&self) -> &'static str {
        if self.upload { "server" } else { "host" }
    }

    /// Bytes that a run moves at the most, at the mean rate.
    pub(super) fn bytes(&self) -> f64 {
        match self.traffic {
            Traffic::File(bytes) => bytes as f64,
            Traffic::Horizon(span) => self.path.rate.value.bytes_in(span) as f64,
        }
    }
}

/// Of a recording that ends, at most half, so that seeds can begin at different places.
fn usual_horizon(path: &RecordedPath) -> Duration {
    match path.extent() {
        Extent::Ends(end) => USUAL_HORIZON.min(end.mul_f64(0.5)).max(LEAST_HORIZON),
        Extent::Repeats(_) => USUAL_HORIZON,
    }
}
