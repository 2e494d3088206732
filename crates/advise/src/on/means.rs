//! What a recording says of a link on average.

use crate::runs::scenario_in;
use seamline_net::Schedule;
use seamline_net::schedule::{Capacity, Steps};
use seamline_scenario::Diagnostics;
use seamline_scenario::schema::extent::Extent;
use seamline_scenario::schema::schedule::ScheduleSpec;
use seamline_wire::{Duration, Rate};

/// The averages over a recording, and what else of it matters. What it does not contain is `None`.
#[derive(Clone, Debug)]
pub(crate) struct Means {
    /// Of the capacity towards the receiver.
    pub(crate) rate: Option<Rate>,
    /// Of the delays of both directions together.
    pub(crate) round_trip: Option<Duration>,
    /// Of the share of packets lost towards the receiver.
    pub(crate) loss: Option<f64>,
    /// Handovers and outages.
    pub(crate) handovers: usize,
    /// How far it reaches.
    pub(crate) extent: Extent,
    /// Whether it begins at a place that was given.
    pub(crate) has_start: bool,
    /// The conditions themselves, down and up.
    pub(crate) schedules: [ScheduleSpec; 2],
}

/// Read the conditions that a line of a scenario names. `None` when they are generated and not recorded.
///
/// # Errors
/// When the scenario refuses the line.
pub(crate) fn means_of(schedule: &str, upload: bool) -> Result<Option<Means>, Box<Diagnostics>> {
    // Rate and delay hold where the recording has none, and are not looked at.
    let text = format!(
        "duration = \"1 s\"\nnodes = [\"there\", \"here\"]\n\n[[link]]\nname = \"path\"\nfrom = \"there\"\nto = \"here\"\n\
         rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n{schedule}\n\n\
         [[flow]]\nname = \"flow\"\nfrom = \"there\"\nto = \"here\"\nvariant = \"cubic\"\n"
    );
    let link = scenario_in(text)?.links.remove(0);
    let (Some(down), Some(up)) = (link.down.schedule, link.up.schedule) else { return Ok(None) };
    let Some(extent) = down.extent().or(up.extent()) else { return Ok(None) };
    let [down_conditions, up_conditions] = [&down, &up].map(|spec| spec.build(1, "path", Duration::ZERO));
    let round_trip = delay(&down_conditions).zip(delay(&up_conditions)).map(|(down, up)| down + up);
    let data = if upload { &up_conditions } else { &down_conditions };
    Ok(Some(Means {
        rate: data.capacity.as_ref().map(rate),
        round_trip,
        loss: data.loss.as_ref().map(|loss| mean(loss, |share| share)),
        handovers: data.handovers.as_slice().len(),
        extent,
        has_start: down.has_start() || up.has_start(),
        schedules: [down, up],
    }))
}

fn rate(capacity: &Capacity) -> Rate {
    match capacity {
        Capacity::Opportunities(chances) => chances.mean_rate(),
        Capacity::Rate(rate) => {
            let bits = mean(rate.steps(), |rate| rate.bits_per_second() as f64);
            Rate::from_bits_per_second(bits as u64)
        }
    }
}

fn delay(schedule: &Schedule) -> Option<Duration> {
    let delay = schedule.one_way_delay.as_ref()?;
    Some(Duration::from_nanos(mean(delay, |delay| delay.as_nanos() as f64) as u64))
}

/// Over time. A last step without an end counts for a second, as in the summary of a recording.
fn mean<T: Copy>(steps: &Steps<T>, value: impl Fn(T) -> f64) -> f64 {
    let points = steps.points();
    let last = points.last().map_or(Duration::ZERO, |(since, _)| *since);
    let end = steps.period().unwrap_or(last + Duration::from_secs(1));
    let ends = points.iter().skip(1).map(|(since, _)| *since).chain([end]);
    let weighted =
        points.iter().zip(ends).map(|((since, step), end)| value(*step) * (end - *since).as_secs_f64());
    weighted.sum::<f64>() / end.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::Instant;

    #[test]
    fn means_are_over_time() {
        let at = |seconds, value| (Instant::from_secs(seconds), value);
        let steps = Steps::new(vec![at(0, 10.0), at(9, 30.0)]).unwrap();
        assert!((mean(&steps, |it| it) - 12.0).abs() < 1e-12, "nine seconds, and one for the last");
        let repeating = steps.repeating(Duration::from_secs(12)).unwrap();
        assert!((mean(&repeating, |it| it) - 15.0).abs() < 1e-12);
    }

    #[test]
    fn a_generator_has_no_means() {
        assert!(means_of("schedule = { kind = \"starlink\" }", false).unwrap().is_none());
        assert!(means_of("", false).unwrap().is_none());
        assert!(means_of("schedule = { kind = \"mahimahi\", file = \"nowhere\" }", false).is_err());
    }
}
