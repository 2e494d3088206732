//! Whether help helps on a path of one's own: periods with help and without it, in turn, and what a client observes in each.
//!
//! Two periods that follow each other are a pair, so that both see the same hour of the day. Which of them comes first changes from pair to
//! pair: what grows or shrinks all the time, such as the distance to a mast, is then for neither.

mod period;
mod report;

pub use period::Switch;
pub use report::{Comparison, QUANTITIES, Quantity, compare, markdown, picture, text, to_table};

use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// What is tried, and how long.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The server of the load ([`crate::load::Serve`]).
    pub server: SocketAddr,
    /// What switches help on and off.
    pub switch: Switch,
    /// What periods are made of.
    pub shape: Shape,
}

/// What a period is made of. Periods of different shapes are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// How long a period is, in milliseconds.
    pub period_ms: u64,
    /// How much of its beginning does not count, for what the switch itself disturbs, in milliseconds.
    pub settle_ms: u64,
    /// How long one download, and one series of requests, lasts; they alternate. In milliseconds.
    pub slot_ms: u64,
    /// The bytes of an answer.
    pub request_bytes: u64,
    /// The shortest stall, in milliseconds.
    pub stall_ms: u64,
}

/// A period that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// Its number, from 0.
    pub number: u32,
    /// Whether help was on.
    pub has_help: bool,
    /// When it began, in seconds of Unix time.
    pub began_unix_s: u64,
    /// What it was made of.
    #[serde(flatten)]
    pub shape: Shape,
    /// What the downloads came to.
    pub downloads: Downloads,
    /// How long each answer took to be complete, in milliseconds.
    pub answers_ms: Vec<f64>,
    /// Requests that were not answered within their slot.
    pub unanswered: u32,
}

/// What the downloads of a period came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Downloads {
    /// Bytes that the application has read.
    pub bytes: u64,
    /// How long they lasted, in seconds, with the time in which there was no connection.
    pub duration_s: f64,
    /// How long stalls lasted in sum, in seconds, with the time in which there was no connection.
    pub stalled_s: f64,
    /// The longest stall, in seconds.
    pub longest_stall_s: f64,
    /// Attempts to connect that failed.
    pub failed: u32,
}

/// Whether help is on in a period.
pub fn has_help(number: u32) -> bool {
    // On, off; off, on; and so on.
    matches!(number % 4, 0 | 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_both_and_either_comes_first_as_often() {
        let periods: Vec<bool> = (0..400).map(has_help).collect();
        let (pairs, _) = periods.as_chunks::<2>();
        assert!(pairs.iter().all(|[first, second]| first != second));
        assert_eq!(pairs.iter().filter(|pair| pair[0]).count(), pairs.len() / 2);
    }
}
