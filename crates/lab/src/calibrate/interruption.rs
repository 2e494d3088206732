//! How exact the interruption of a handover is.

use super::Effort;
use super::datagrams::{Stream, travel_over};
use super::path::delay_only;
use crate::run::LabError;
use crate::system::StateDirectory;
use serde::Serialize;
use std::time::Duration;

const CONFIGURED_MS: u32 = 150;
const PERIOD_MS: u32 = 500;
/// The resolution of the measured gaps.
const EVERY: Duration = Duration::from_micros(200);

/// Handovers of a link, as the longest times in which nothing arrived.
#[derive(Clone, Debug, Serialize)]
pub struct Interruptions {
    /// As configured, in milliseconds.
    pub configured_ms: u32,
    /// From one datagram to the next, in milliseconds: gaps may be longer by as much.
    pub resolution_ms: f64,
    /// One gap for each handover, in milliseconds.
    pub gaps_ms: Vec<f64>,
}

pub(super) fn measure(effort: Effort, state: &StateDirectory) -> Result<Interruptions, LabError> {
    let handovers = effort.choose(2, 8);
    // The first one comes after half a second, whenever within it the datagrams begin.
    let at: Vec<String> = (1..=handovers).map(|n| format!("\"{} ms\"", n * PERIOD_MS)).collect();
    let link = format!(
        "{}\nhandover = {{ at = [{}], interruption = \"{CONFIGURED_MS} ms\" }}",
        delay_only(1),
        at.join(", ")
    );
    let time = Duration::from_millis(u64::from((handovers + 1) * PERIOD_MS));
    let count = (time.as_nanos() / EVERY.as_nanos()) as u32;
    let delay = Duration::from_millis(CONFIGURED_MS.into());
    let stream = Stream { count, packet_bytes: 60, every: EVERY, delay };
    let trip = travel_over(link, stream, state)?;
    let mut gaps: Vec<f64> =
        trip.arrived.windows(2).map(|pair| (pair[1].1 - pair[0].1) as f64 / 1e6).collect();
    gaps.sort_by(|a, b| b.total_cmp(a));
    gaps.truncate(handovers as usize);
    let resolution_ms = EVERY.as_secs_f64() * 1e3;
    Ok(Interruptions { configured_ms: CONFIGURED_MS, resolution_ms, gaps_ms: gaps })
}
