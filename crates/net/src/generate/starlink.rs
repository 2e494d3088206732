//! A Starlink terminal: every 15 seconds the whole network is reconfigured, and the terminal may find
//! itself on another satellite with another capacity and another delay, after a short interruption.

use super::{Quantiles, Variation};
use crate::schedule::{Fates, Handover, Handovers, Schedule, ScheduleError, Steps};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Rate};

/// Time between reconfigurations.
const INTERVAL: Duration = Duration::from_secs(15);
/// Second of the minute of the first one: they come at :12, :27, :42 and :57.
const FIRST_SECOND: Duration = Duration::from_secs(12);

/// Parameters of [`starlink`].
#[derive(Clone, Debug, PartialEq)]
pub struct StarlinkParameters {
    /// How much of the schedule to make; the last conditions hold after that.
    pub duration: Duration,
    /// Second of the minute at time zero.
    pub second_of_minute: Duration,
    /// Capacity of an interval in Mbit/s.
    pub capacity: Quantiles,
    /// How the capacity varies within an interval.
    pub variation: Variation,
    /// One-way delay in milliseconds from the terminal by the satellite to the gateway, in an interval.
    pub space_one_way_delay: Quantiles,
    /// One-way delay of the rest of the path, scheduling and processing included.
    pub ground_one_way_delay: Duration,
    /// Interruption in milliseconds at a reconfiguration.
    pub interruption: Quantiles,
    /// What becomes of packets at a reconfiguration.
    pub fates: Fates,
}

impl StarlinkParameters {
    /// A downlink, after these measurements:
    ///
    /// - Reconfigurations every 15 s at :12, :27, :42, :57 of each minute, everywhere at once: Tanveer et
    ///   al., "Making Sense of Constellations", CoNEXT Companion 2023; Mohan et al., "A Multifaceted Look
    ///   at Starlink Performance", WWW 2024.
    /// - Capacity: quartiles 51, 134, 197 Mbit/s, 90th percentile 243, 99th 339, most 484 of one-second UDP
    ///   throughput to a terminal with the Mobility plan on the road (29,556 seconds; data of Hu et al.,
    ///   "LEO Satellite vs. Cellular Networks", CoNEXT Companion 2023). Seconds without service there are
    ///   obstructions on the road; the low end here is the 10 Mbit/s of Lai et al. (LeoCC, SIGCOMM 2025).
    /// - Variation within an interval: 5 % from second to second, the median of the first eight intervals of
    ///   the example recording published with LeoCC (3 to 13 %); its correlation is an assumption.
    /// - Delay in space: from 3.7 ms (satellite at 550 km overhead) to 7.5 ms (25 degrees above the horizon,
    ///   the least elevation used): Huston, "A transport protocol's view of Starlink", APNIC 2024. That it is
    ///   uniform between them is an assumption.
    /// - The rest of the path: 10.9 ms each way, which brings the median round trip to the 33 ms that SpaceX
    ///   reported for the United States in March 2024 ("Improving Starlink's latency").
    /// - Interruption: the times without a chance to send at the eight reconfigurations in LeoCC's example
    ///   recording are 59, 59, 68, 69, 82, 93, 95, 135 ms.
    /// - Queued packets are kept, as the bursts after those interruptions suggest: an assumption.
    pub fn downlink(duration: Duration) -> Self {
        StarlinkParameters {
            duration,
            second_of_minute: Duration::ZERO,
            capacity: Quantiles::table(&[
                (0.0, 10.0),
                (0.25, 51.0),
                (0.5, 134.0),
                (0.75, 197.0),
                (0.9, 243.0),
                (0.99, 339.0),
                (1.0, 484.0),
            ]),
            variation: Variation { coefficient: 0.05, correlation: 0.5 },
            space_one_way_delay: Quantiles::table(&[(0.0, 3.7), (1.0, 7.5)]),
            ground_one_way_delay: Duration::from_micros(10_900),
            interruption: Quantiles::table(&[(0.0, 59.0), (0.5, 75.5), (0.75, 94.0), (1.0, 135.0)]),
            fates: Fates::SEAMLESS,
        }
    }

    /// An uplink: as [`StarlinkParameters::downlink`], with the quantiles of UDP throughput from the same
    /// data: 7, 9, 18, 28 and 47 Mbit/s at 10, 25, 50, 75 and 90 per cent (5,279 seconds). The least, 5
    /// Mbit/s, and the most, 60, are assumptions.
    pub fn uplink(duration: Duration) -> Self {
        const CAPACITY: &[(f64, f64)] =
            &[(0.0, 5.0), (0.1, 7.0), (0.25, 9.0), (0.5, 18.0), (0.75, 28.0), (0.9, 47.0), (1.0, 60.0)];
        StarlinkParameters { capacity: Quantiles::table(CAPACITY), ..StarlinkParameters::downlink(duration) }
    }
}

/// Make a schedule: capacity, one-way delay and interruption are drawn again at each reconfiguration.
///
/// # Errors
/// When the interruptions are longer than the time between reconfigurations.
pub fn starlink(parameters: &StarlinkParameters, mut stream: Stream) -> Result<Schedule, ScheduleError> {
    let end = Instant::ZERO + parameters.duration;
    let mut rates = Vec::new();
    let mut delays = Vec::new();
    let mut handovers = Vec::new();
    let mut varying = parameters.variation.start(&mut stream);
    let mut start = Instant::ZERO;
    let mut next = Instant::ZERO + until_reconfiguration(parameters.second_of_minute);
    let mut is_reconfiguration = false;
    loop {
        let capacity = parameters.capacity.draw(&mut stream);
        let space = millis(parameters.space_one_way_delay.draw(&mut stream));
        let interruption = millis(parameters.interruption.draw(&mut stream));
        delays.push((start, space + parameters.ground_one_way_delay));
        if is_reconfiguration {
            handovers.push(Handover { at: start, interruption, fates: parameters.fates });
        }
        let mut second = start;
        while second < next {
            rates.push((second, megabits(capacity * varying.factor())));
            varying.next_second(&mut stream);
            second += Duration::from_secs(1);
        }
        if next >= end {
            break;
        }
        (start, next, is_reconfiguration) = (next, next + INTERVAL, true);
    }
    Ok(Schedule {
        capacity: Some(Steps::new(rates)?.into()),
        one_way_delay: Some(Steps::new(delays)?),
        handovers: Handovers::new(handovers)?,
        ..Schedule::default()
    })
}

/// Time to the next reconfiguration, never zero: one at time zero is not seen as a change.
fn until_reconfiguration(second_of_minute: Duration) -> Duration {
    let since_last = (second_of_minute + INTERVAL - FIRST_SECOND).as_nanos() % INTERVAL.as_nanos();
    INTERVAL - Duration::from_nanos(since_last)
}

fn millis(millis: f64) -> Duration {
    Duration::from_secs_f64(millis * 1e-3)
}

fn megabits(megabits: f64) -> Rate {
    Rate::from_bits_per_second((megabits * 1e6) as u64)
}
