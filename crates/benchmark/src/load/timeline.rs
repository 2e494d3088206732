//! What a client has seen, and when.

use seamline_wire::Duration;
use serde::{Deserialize, Serialize};

/// What has arrived by one instant, since the connection began.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the time zero of the timeline.
    pub at_s: f64,
    /// Bytes that the application has read.
    pub bytes: u64,
    /// Segments with data that the kernel has received, including duplicates and those out of order. The kernel does not report
    /// it for MPTCP.
    pub segments: Option<u64>,
}

/// One request, in seconds since the time zero of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// When it was written.
    pub asked_s: f64,
    /// When all of the answer was read; `None` if it never was.
    pub answered_s: Option<f64>,
}

impl Request {
    /// How long its answer took to be complete, in milliseconds; `None` if it never was.
    pub fn answered_ms(&self) -> Option<f64> {
        Some((self.answered_s? - self.asked_s) * 1e3)
    }
}

/// The observations of a client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Whenever something had changed, looked at every millisecond and whenever there was something to read.
    pub samples: Vec<Sample>,
    /// Requests, where there were some.
    pub requests: Vec<Request>,
    /// When the client stopped looking, in seconds since the time zero of the timeline.
    pub end_s: f64,
}

/// A time in which the application read nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stall {
    /// When it began, in seconds since the time zero of the timeline.
    pub from_s: f64,
    /// How long it lasted, in milliseconds.
    pub length_ms: f64,
}

impl Timeline {
    /// Times of at least so long between one read of the application and the next, or the end.
    pub fn stalls(&self, least: Duration) -> Vec<Stall> {
        let mut stalls = Vec::new();
        let Some(mut last) = self.samples.first().copied() else { return stalls };
        for sample in self.samples.iter().filter(|sample| sample.bytes > 0) {
            if sample.bytes > last.bytes {
                let gap = sample.at_s - last.at_s;
                if gap >= least.as_secs_f64() {
                    stalls.push(Stall { from_s: last.at_s, length_ms: gap * 1e3 });
                }
                last = *sample;
            }
        }
        let open = self.end_s - last.at_s;
        if open >= least.as_secs_f64() {
            stalls.push(Stall { from_s: last.at_s, length_ms: open * 1e3 });
        }
        stalls
    }

    /// The bytes that the application had read by then.
    pub fn bytes_by(&self, at_s: f64) -> u64 {
        self.last_by(at_s).map_or(0, |sample| sample.bytes)
    }

    /// The newest sample that is not later.
    pub fn last_by(&self, at_s: f64) -> Option<&Sample> {
        self.samples[..self.samples.partition_point(|sample| sample.at_s <= at_s)].last()
    }

    /// Mean rate at which the application read between two instants, in bytes per second.
    pub fn bytes_per_second(&self, from_s: f64, to_s: f64) -> f64 {
        (self.bytes_by(to_s) - self.bytes_by(from_s)) as f64 / (to_s - from_s)
    }
}
