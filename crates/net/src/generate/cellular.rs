//! A phone in a moving car: handovers from cell to cell, each with a short interruption and a rate that
//! dips around it.

use super::{Quantiles, Variation};
use crate::schedule::{Fates, Handover, Handovers, Schedule, ScheduleError, Steps};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Rate};

const SECOND: Duration = Duration::from_secs(1);
/// The least time between the end of one handover and the next.
const PAUSE: Duration = SECOND;

/// The rate around a handover, relative to the mean of the run, for the second of the handover and those
/// after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery(pub Vec<f64>);

/// Parameters of [`cellular`].
#[derive(Clone, Debug, PartialEq)]
pub struct CellularParameters {
    /// How much of the schedule to make; the last conditions hold after that.
    pub duration: Duration,
    /// Speed in metres per second.
    pub speed: f64,
    /// Mean distance between handovers in metres, at least one; the distances are exponential.
    pub handover_distance: f64,
    /// Interruption in milliseconds at a handover.
    pub interruption: Quantiles,
    /// What becomes of packets at a handover.
    pub fates: Fates,
    /// Mean rate of the run.
    pub mean_rate: Rate,
    /// How the rate varies from second to second.
    pub variation: Variation,
    /// The rate around a handover.
    pub recovery: Recovery,
    /// One-way delay, always the same.
    pub one_way_delay: Duration,
}

impl CellularParameters {
    /// LTE, on a road at 60 km/h. The measurements behind it, and behind the other presets:
    ///
    /// - Interruption: median, 90th and 99th percentile over those of this kind among 43,856 handovers (Hassan et al.,
    ///   "Vivisecting Mobility Management in 5G Cellular Networks", SIGCOMM 2022, figure 9: execution with
    ///   random access): 32, 43 and 84 ms for LTE in a low band. The least value, the 10th percentile and the
    ///   99.9th, which stands for the greatest, are from the same data.
    /// - Distance between handovers: 559 m on the average for LTE (same data, figure 10). That distances are
    ///   exponential is close to its figure 11 (mean 707 m, median 532, 90th percentile 1460 in the low band).
    /// - Rate: 16.7 Mbit/s is the mean of the recording TMobile-LTE-short, and the variation (0.64, with a
    ///   correlation of 0.7 from second to second) the median of the three LTE downlinks that ship with
    ///   mahimahi (Winstein et al., NSDI 2013; Netravali et al., USENIX ATC 2015).
    /// - Recovery: 0.67 of the mean of the run in the second of a cell change and 0.8 two seconds later, over
    ///   728 changes in the Irish drives of Raca et al. (MMSys 2018 and 2020); that it is linear from there on
    ///   is an assumption.
    /// - The one-way delay and the fates of packets are assumptions: lossless handover as 3GPP TS 36.300
    ///   section 10.1.2 provides for.
    pub fn lte(duration: Duration) -> Self {
        CellularParameters {
            duration,
            speed: 60.0 / 3.6,
            handover_distance: 559.0,
            interruption: Quantiles::table(&[
                (0.0, 21.0),
                (0.1, 27.0),
                (0.5, 32.0),
                (0.9, 43.0),
                (0.99, 84.0),
                (1.0, 233.0),
            ]),
            fates: Fates::SEAMLESS,
            mean_rate: Rate::from_bits_per_second(16_700_000),
            variation: Variation { coefficient: 0.64, correlation: 0.7 },
            recovery: Recovery(vec![0.67, 0.735, 0.8, 0.865, 0.93]),
            one_way_delay: Duration::from_millis(25),
        }
    }

    /// 5G non-standalone in a low band: as [`CellularParameters::lte`], with interruptions of 50, 64 and 78 ms
    /// and 415 m between handovers from the same data, and a mean rate of 67 Mbit/s: one-second UDP throughput
    /// of AT&T on the road (37,430 seconds; data of Hu et al., CoNEXT Companion 2023).
    pub fn nsa_low_band(duration: Duration) -> Self {
        const INTERRUPTION: &[(f64, f64)] =
            &[(0.0, 18.0), (0.1, 29.0), (0.5, 50.0), (0.9, 64.0), (0.99, 78.0), (1.0, 199.0)];
        CellularParameters {
            handover_distance: 415.0,
            interruption: Quantiles::table(INTERRUPTION),
            mean_rate: Rate::from_megabits_per_second(67),
            one_way_delay: Duration::from_millis(20),
            ..CellularParameters::lte(duration)
        }
    }

    /// 5G non-standalone with millimetre waves: as [`CellularParameters::lte`], with interruptions of 60, 95
    /// and 113 ms and 118 m between handovers from the same data. The mean rate of 1 Gbit/s is an order of
    /// magnitude after Narayanan et al., "A First Look at Commercial 5G Performance on Smartphones", WWW 2020.
    pub fn nsa_millimetre_wave(duration: Duration) -> Self {
        const INTERRUPTION: &[(f64, f64)] =
            &[(0.0, 23.0), (0.1, 30.0), (0.5, 60.0), (0.9, 95.0), (0.99, 113.0), (1.0, 145.0)];
        CellularParameters {
            handover_distance: 118.0,
            interruption: Quantiles::table(INTERRUPTION),
            mean_rate: Rate::from_megabits_per_second(1_000),
            one_way_delay: Duration::from_millis(10),
            ..CellularParameters::lte(duration)
        }
    }

    /// As [`CellularParameters::nsa_millimetre_wave`] where each handover adds a secondary cell: 159, 255 and
    /// 453 ms, every 128 m.
    pub fn nsa_secondary_cell_addition(duration: Duration) -> Self {
        const INTERRUPTION: &[(f64, f64)] =
            &[(0.0, 60.0), (0.1, 75.0), (0.5, 159.0), (0.9, 255.0), (0.99, 453.0), (1.0, 767.0)];
        CellularParameters {
            handover_distance: 128.0,
            interruption: Quantiles::table(INTERRUPTION),
            ..CellularParameters::nsa_millimetre_wave(duration)
        }
    }
}

/// Make a schedule. Handovers come first from the stream, then the rates: the same stream gives the same
/// handovers whatever the rate.
///
/// # Errors
/// When a parameter leaves no time between handovers.
pub fn cellular(parameters: &CellularParameters, mut stream: Stream) -> Result<Schedule, ScheduleError> {
    let handovers = handovers(parameters, &mut stream);
    let seconds =
        usize::try_from(parameters.duration.as_nanos().div_ceil(SECOND.as_nanos())).unwrap_or(0).max(1);
    let levels = levels(&handovers, seconds, &parameters.recovery);
    let mut varying = parameters.variation.start(&mut stream);
    let mut rates = Vec::with_capacity(seconds);
    for (second, level) in levels.into_iter().enumerate() {
        let bits = parameters.mean_rate.bits_per_second() as f64 * level * varying.factor();
        rates.push((Instant::from_secs(second as u64), Rate::from_bits_per_second(bits as u64)));
        varying.next_second(&mut stream);
    }
    Ok(Schedule {
        capacity: Some(Steps::new(rates)?.into()),
        one_way_delay: Some(Steps::constant(parameters.one_way_delay)),
        handovers: Handovers::new(handovers)?,
        ..Schedule::default()
    })
}

fn handovers(parameters: &CellularParameters, stream: &mut Stream) -> Vec<Handover> {
    let mean = parameters.handover_distance.max(1.0) / parameters.speed;
    let end = Instant::ZERO + parameters.duration;
    let mut handovers = Vec::new();
    let mut earliest = Instant::ZERO;
    let mut at = Instant::ZERO;
    loop {
        at = (at + Duration::from_secs_f64(stream.exponential(mean))).max(earliest);
        let interruption = Duration::from_secs_f64(parameters.interruption.draw(stream) * 1e-3);
        if at >= end {
            return handovers;
        }
        let handover = Handover { at, interruption, fates: parameters.fates };
        earliest = handover.end() + PAUSE;
        handovers.push(handover);
    }
}

/// The rate of each second relative to the mean of the run: as `recovery` says around handovers, and
/// elsewhere so high that the mean is one, but not lower than one.
fn levels(handovers: &[Handover], seconds: usize, recovery: &Recovery) -> Vec<f64> {
    let mut levels: Vec<Option<f64>> = vec![None; seconds];
    for handover in handovers {
        let second = (handover.at.as_nanos() / SECOND.as_nanos()) as usize;
        for (level, relative) in levels.iter_mut().skip(second).zip(&recovery.0) {
            *level = Some(*relative);
        }
    }
    let in_recovery: f64 = levels.iter().flatten().sum();
    let elsewhere = levels.iter().filter(|level| level.is_none()).count();
    let rest = ((seconds as f64 - in_recovery) / elsewhere.max(1) as f64).max(1.0);
    levels.into_iter().map(|level| level.unwrap_or(rest)).collect()
}
