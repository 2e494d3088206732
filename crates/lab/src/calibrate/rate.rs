//! How exact the rate of a link is.

use super::Effort;
use super::datagrams::{Stream, Trip, travel_over};
use super::figures::Spread;
use crate::run::LabError;
use crate::system::StateDirectory;
use serde::Serialize;
use std::time::Duration;

const PACKET_BYTES: usize = 1500;
const DELAY: Duration = Duration::from_millis(1);

/// The rate of a link that is kept busy by packets of 1500 bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RateFigure {
    /// As configured, in Mbit/s.
    pub configured_mbit_per_s: u32,
    /// Packets that arrived.
    pub packets: usize,
    /// Packets that did not, where nothing should be lost.
    pub lost: usize,
    /// By how much the rate was higher than configured while there was something to transmit, in per cent.
    pub error_percent: f64,
    /// By how much the time from one arrival to the next differed from what a packet takes.
    pub spacing: Spread,
}

pub(super) fn measure(effort: Effort, state: &StateDirectory) -> Result<Vec<RateFigure>, LabError> {
    [1, 10, 100, 500].into_iter().map(|rate| measure_one(rate, effort, state)).collect()
}

fn measure_one(mbit_per_s: u32, effort: Effort, state: &StateDirectory) -> Result<RateFigure, LabError> {
    let bits = (PACKET_BYTES * 8) as u64;
    let time = effort.choose(Duration::from_millis(400), Duration::from_secs(3));
    let rate = u64::from(mbit_per_s) * 1_000_000;
    let count = (time.as_secs_f64() * rate as f64 / bits as f64) as u32;
    let queue = "queue = { discipline = \"unlimited\" }";
    let link = format!("rate = \"{mbit_per_s} Mbit/s\"\none_way_delay = \"1 ms\"\n{queue}");
    // Sent at five quarters of the rate, so that there is nearly always something to transmit.
    let every = Duration::from_nanos(bits * 1_000_000_000 * 4 / (5 * rate));
    let stream = Stream { count, packet_bytes: PACKET_BYTES, every, delay: time };
    let trip = travel_over(link, stream, state)?;
    let one = (bits * 1_000_000_000 / rate) as i64;
    let gaps: Vec<i64> = gaps_while_busy(&trip).collect();
    let measured = gaps.len() as f64 * bits as f64 / (gaps.iter().sum::<i64>() as f64 / 1e9);
    // What the receiver's socket had no room for has come through the link all the same.
    let packets = trip.arrived.len() + trip.lost_in_socket as usize;
    Ok(RateFigure {
        configured_mbit_per_s: mbit_per_s,
        packets,
        lost: (count as usize).saturating_sub(packets),
        error_percent: 100.0 * (measured / rate as f64 - 1.0),
        spacing: Spread::of(gaps.into_iter().map(|gap| (gap - one).abs())),
    })
}

/// The times between consecutive arrivals, where the second datagram left the sender in time to be transmitted right behind the
/// first: pauses of a delayed sender are not those of the link.
fn gaps_while_busy(trip: &Trip) -> impl Iterator<Item = i64> {
    let delay = DELAY.as_nanos() as i64;
    trip.arrived.windows(2).filter_map(move |pair| {
        let [(first, begin), (second, end)] = *pair else { return None };
        let left = (*trip.left.get(second as usize)?)?;
        (second == first + 1 && left + delay <= begin).then_some(end - begin)
    })
}
