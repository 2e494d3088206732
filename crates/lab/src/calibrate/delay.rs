//! How exact the one-way delay of a link is.

use super::Effort;
use super::bulk::{Bulk, bulk};
use super::datagrams::{Stream, travel, travel_over};
use super::figures::Spread;
use super::path::{self, delay_only, pause};
use crate::pool::join;
use crate::run::LabError;
use crate::system::StateDirectory;
use serde::Serialize;
use std::thread;
use std::time::Duration;

/// Datagrams of 100 bytes, so many a second.
const EVERY: Duration = Duration::from_millis(1);
const PACKET_BYTES: usize = 100;
/// The delay at which jitter is measured.
const OF_JITTER_MS: u32 = 25;

/// Delays of links, as measured at the hosts' interfaces.
#[derive(Clone, Debug, Serialize)]
pub struct Delays {
    /// The delay of a link that has none, at no rate that limits: what the path itself costs.
    pub bare_path: Spread,
    /// Links with a delay.
    pub links: Vec<Delay>,
    /// The link of 25 ms once more, while a TCP flow goes over another link of the same emulator.
    pub with_tcp: Delay,
    /// The rate of that flow: what the other link lets through.
    pub with_tcp_mbit_per_s: f64,
}

/// The delay of one link.
#[derive(Clone, Debug, Serialize)]
pub struct Delay {
    /// As configured, in milliseconds.
    pub configured_ms: u32,
    /// Datagrams measured.
    pub datagrams: usize,
    /// By how much the delay was longer than configured.
    pub error: Spread,
    /// By how much the median was longer, less that of the bare path, in microseconds.
    pub error_less_bare_path_us: f64,
    /// By how much the delays of neighbours differed.
    pub jitter: Spread,
}

pub(super) fn measure(effort: Effort, state: &StateDirectory) -> Result<Delays, LabError> {
    let time = effort.choose(Duration::from_millis(500), Duration::from_secs(4));
    let delays = alone(0, time, state)?;
    let bare_path = Spread::of(delays);
    let mut links = Vec::new();
    for configured_ms in [1, 5, 25, 100] {
        links.push(Delay::new(configured_ms, &alone(configured_ms, time, state)?, bare_path));
    }
    let (delays, goodput) = with_tcp(time, state)?;
    let with_tcp = Delay::new(OF_JITTER_MS, &delays, bare_path);
    Ok(Delays { bare_path, links, with_tcp, with_tcp_mbit_per_s: goodput })
}

impl Delay {
    fn new(configured_ms: u32, delays: &[i64], bare_path: Spread) -> Self {
        let configured = i64::from(configured_ms) * 1_000_000;
        let error = Spread::of(delays.iter().map(|delay| delay - configured));
        let jitter = Spread::of(delays.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
        let error_less_bare_path_us = error.median_us - bare_path.median_us;
        Delay { configured_ms, datagrams: delays.len(), error, error_less_bare_path_us, jitter }
    }
}

fn stream(delay_ms: u32, time: Duration) -> Stream {
    Stream {
        count: (time.as_nanos() / EVERY.as_nanos()) as u32,
        packet_bytes: PACKET_BYTES,
        every: EVERY,
        delay: Duration::from_millis(delay_ms.into()),
    }
}

/// Delays over a link that nothing else uses, in nanoseconds.
fn alone(delay_ms: u32, time: Duration, state: &StateDirectory) -> Result<Vec<i64>, LabError> {
    Ok(travel_over(delay_only(delay_ms), stream(delay_ms, time), state)?.delays())
}

/// Delays over a link of 25 ms, and the goodput of the flow over the other one in Mbit/s.
fn with_tcp(time: Duration, state: &StateDirectory) -> Result<(Vec<i64>, f64), LabError> {
    let busy = "rate = \"50 Mbit/s\"\none_way_delay = \"5 ms\"\nqueue = { discipline = \"drop-tail\", limit = \"100 packets\" }";
    let plan = path::scenario(&[
        ("path", ["near", "far"], delay_only(OF_JITTER_MS)),
        ("busy", ["sender", "receiver"], busy.to_owned()),
    ])?;
    path::between(&plan, state, |hosts, emulator, _| {
        thread::scope(|scope| {
            let plan = Bulk { settle: Duration::from_millis(300), time: time + Duration::from_millis(100) };
            let flow = scope.spawn(move || bulk(&hosts[2], &hosts[3], plan, emulator));
            pause(plan.settle);
            let trip = travel(&hosts[0], &hosts[1], stream(OF_JITTER_MS, time));
            let flow = join(flow)?;
            Ok((trip?.delays(), flow.goodput_mbit_per_s))
        })
    })
}
