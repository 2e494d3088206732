//! What a [`Timeline`] comes to.

use super::timeline::{Request, Stall, Timeline};
use seamline_report::statistics::nearest_rank;
use seamline_wire::Duration;
use serde::Serialize;

/// A few numbers about a client's observations, however many these are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Bytes that the application has read.
    pub bytes: u64,
    /// Seconds from the first observation to the end.
    pub duration_s: f64,
    /// Mean rate at which the application read, in megabits per second.
    pub rate_mbit_per_s: f64,
    /// Bytes read in each second from the first observation on; the last second may be shorter.
    pub bytes_by_second: Vec<u64>,
    /// Times between one read of the application and the next, in milliseconds; `None` if there are not two.
    pub gaps_ms: Option<Distribution>,
    /// Requests that were answered.
    pub answered: usize,
    /// How long their answers took to be complete, in milliseconds; `None` if there are none.
    pub answers_ms: Option<Distribution>,
    /// The shortest gap that is a stall, in milliseconds.
    pub least_stall_ms: f64,
    /// The stalls, in order of time.
    pub stalls: Vec<Stall>,
}

/// Values that occurred: for each share, the least that so many do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// How many there are.
    pub count: usize,
    /// Half of them.
    pub p50: f64,
    /// Nine in ten.
    pub p90: f64,
    /// 99 in a hundred.
    pub p99: f64,
    /// 999 in a thousand.
    pub p99_9: f64,
    /// All of them.
    pub max: f64,
}

impl Distribution {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |share| nearest_rank(&values, share);
        Some(Distribution {
            count: values.len(),
            p50: at(500)?,
            p90: at(900)?,
            p99: at(990)?,
            p99_9: at(999)?,
            max: at(1000)?,
        })
    }
}

impl Summary {
    /// `least` is the shortest gap that is a stall.
    pub fn of(timeline: &Timeline, least: Duration) -> Self {
        let begin_s = timeline.samples.first().map_or(timeline.end_s, |first| first.at_s);
        let bytes = timeline.samples.last().map_or(0, |last| last.bytes);
        let duration_s = timeline.end_s - begin_s;
        let seconds = (0..duration_s.ceil() as u64).map(|second| begin_s + second as f64);
        let read_in = |from_s: f64| timeline.bytes_by(from_s + 1.0) - timeline.bytes_by(from_s);
        let answers = || timeline.requests.iter().filter_map(Request::answered_ms);
        Summary {
            bytes,
            duration_s,
            rate_mbit_per_s: bytes as f64 * 8e-6 / duration_s.max(1e-3),
            bytes_by_second: seconds.map(read_in).collect(),
            gaps_ms: Distribution::of(gaps_ms(timeline)),
            answered: answers().count(),
            answers_ms: Distribution::of(answers()),
            least_stall_ms: least.as_secs_f64() * 1e3,
            stalls: timeline.stalls(least),
        }
    }
}

/// Between the reads of the application.
fn gaps_ms(timeline: &Timeline) -> impl Iterator<Item = f64> {
    let reads = timeline.samples.windows(2).filter(|pair| pair[1].bytes > pair[0].bytes);
    let mut last_s = None;
    reads
        .filter_map(move |pair| last_s.replace(pair[1].at_s).map(|last_s: f64| (pair[1].at_s - last_s) * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Sample;

    #[test]
    fn a_timeline_comes_to_its_rate_gaps_answers_and_stalls() {
        let at = |(at_s, bytes)| Sample { at_s, bytes, segments: None };
        // The third one has news of segments only.
        let samples = [(0.5, 0), (0.6, 1000), (0.65, 1000), (0.7, 2000), (1.9, 5000), (2.0, 6000)].map(at);
        let requests = [(0.5, Some(0.6)), (0.6, Some(2.0)), (2.0, None)]
            .map(|(asked_s, answered_s)| Request { asked_s, answered_s });
        let timeline = Timeline { samples: samples.to_vec(), requests: requests.to_vec(), end_s: 2.7 };
        let it = Summary::of(&timeline, Duration::from_millis(500));
        assert_eq!((it.bytes, it.answered, it.bytes_by_second), (6000, 2, vec![2000, 4000, 0]));
        assert!((it.duration_s - 2.2).abs() < 1e-9 && (it.rate_mbit_per_s - 0.048 / 2.2).abs() < 1e-9);
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
        let gaps = it.gaps_ms.unwrap();
        assert_eq!(gaps.count, 3);
        close(gaps.p50, 100.0);
        close(gaps.p90, 1200.0);
        close(it.answers_ms.unwrap().p50, 100.0);
        close(it.answers_ms.unwrap().max, 1400.0);
        assert_eq!(it.stalls.len(), 2, "{:?}", it.stalls);
        let nothing = Summary::of(&Timeline::default(), Duration::ZERO);
        assert_eq!((nothing.bytes, nothing.gaps_ms, nothing.answers_ms), (0, None, None));
    }

    #[test]
    fn a_share_is_the_least_value_that_so_many_do_not_exceed() {
        let of = |count: u32| Distribution::of((1..=count).rev().map(f64::from)).unwrap();
        let it = of(1000);
        assert_eq!([it.p50, it.p90, it.p99, it.p99_9, it.max], [500.0, 900.0, 990.0, 999.0, 1000.0]);
        let it = of(1);
        assert_eq!((it.count, it.p50, it.p99_9, it.max), (1, 1.0, 1.0, 1.0));
    }
}
