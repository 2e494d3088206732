//! A sample of a recording: a schedule written down in the form of LeoEM's path logs.

use seamline_net::Schedule;
use seamline_wire::{Duration, Instant};
use std::fmt::Write;

/// The one-way delay of a schedule, second by second, as a path log in the form of LeoEM (Cao and Zhang,
/// INFOCOM 2023): one satellite between two ground stations, another one after each handover. What such a
/// log cannot hold (capacity, the length of interruptions, times within a second) is left out.
///
/// Reading it with [`super::leoem`] gives the same delays and a handover in each second that has one.
pub fn path_log(schedule: &Schedule, length: Duration) -> String {
    const FIRST_SATELLITE: usize = 1000;
    let handovers = schedule.handovers.as_slice();
    let mut text = String::new();
    for second in 0..length.as_nanos().div_ceil(Duration::from_secs(1).as_nanos()) {
        let end = Instant::from_secs(second + 1);
        let satellite = FIRST_SATELLITE + handovers.iter().filter(|handover| handover.at < end).count();
        let at = Instant::from_secs(second);
        let delay = schedule.one_way_delay.as_ref().map_or(Duration::ZERO, |delay| delay.at(at));
        let (hop, total) = (delay.as_secs_f64() / 2.0, delay.as_secs_f64());
        let _ = writeln!(text, "{}$[-1, {satellite}, -2]$3$[{hop}, {hop}]${total}", second + 1);
    }
    text
}
