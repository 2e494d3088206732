//! Values at times, as spans of time.

use crate::measured::{Measured, Probe, Sample};
use seamline_wire::{Duration, Instant, Rate};

/// The span of a value that has no neighbour.
const LONELY: Duration = Duration::from_secs(1);

/// Let each value hold until the next one, but at most twice as long as is usual (the median) between them: a longer gap is one in the
/// recording. The last value holds as long as is usual. Times increase.
pub(crate) fn hold<T: Copy>(points: &[(Instant, T)]) -> Vec<Sample<T>> {
    let mut steps: Vec<Duration> =
        points.windows(2).map(|pair| pair[1].0.saturating_since(pair[0].0)).collect();
    let half = steps.len() / 2;
    let usual = if steps.is_empty() { LONELY } else { *steps.select_nth_unstable(half).1 };
    let ends = points.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let spans = points.iter().zip(ends).map(|((from, value), next)| {
        let until = next.map_or(*from + usual, |next| next.min(*from + usual * 2));
        Sample { from: *from, until, value: *value }
    });
    spans.filter(|span| span.until > span.from).collect()
}

/// The end of the last of these spans.
pub(crate) fn end<T>(samples: &[Sample<T>]) -> Duration {
    samples.last().map_or(Duration::ZERO, |it| it.until.saturating_since(Instant::ZERO))
}

/// To the end of the last span or the last answer.
pub(crate) fn length(measured: &Measured) -> Duration {
    let rates = measured.rates.iter().map(|it| end(&it.samples));
    let delays = measured.delays.iter().map(|it| end(&it.samples));
    let losses = measured.losses.iter().map(|it| end(&it.samples));
    let answer = |it: &Probe| it.sent + it.round_trip().unwrap_or(Duration::ZERO);
    let probes = measured.probes.iter().map(|it| answer(it).saturating_since(Instant::ZERO));
    rates.chain(delays).chain(losses).chain(probes).fold(Duration::ZERO, Duration::max)
}

/// The rate at which bytes passed.
pub(crate) fn rate(bytes: f64, span: Duration) -> Rate {
    Rate::from_bits_per_second((bytes * 8.0 / span.as_secs_f64()) as u64)
}

#[cfg(test)]
mod tests {
    use super::hold;
    use seamline_wire::Instant;

    fn spans(times: &[u64]) -> Vec<(u64, u64)> {
        let points: Vec<_> = times.iter().map(|at| (Instant::from_millis(*at), ())).collect();
        let millis = |at: Instant| at.as_nanos() / 1_000_000;
        hold(&points).iter().map(|it| (millis(it.from), millis(it.until))).collect()
    }

    #[test]
    fn values_hold_until_the_next_but_not_across_gaps() {
        assert_eq!(spans(&[]), []);
        assert_eq!(spans(&[5]), [(5, 1005)]);
        assert_eq!(
            spans(&[0, 100, 200, 250, 900, 1000]),
            [(0, 100), (100, 200), (200, 250), (250, 450), (900, 1000), (1000, 1100)]
        );
    }
}
