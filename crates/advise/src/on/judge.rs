//! Gains over today's hosts, relative and paired by seed.

use crate::significance::INDIFFERENCE;
use seamline_report::statistics::{ERROR_95, Estimate, estimate_at, mean};

/// Reductions of the round-trip time below this share are negligible.
pub(super) const DELAY_INDIFFERENCE: f64 = 0.1;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    /// Goodput.
    More,
    /// Times.
    Less,
}

/// The gain of the mean over that of the baseline, as a share of the latter, in pieces, one for each seed: their mean is the
/// gain, and their spread that of the ratio of two means (the ratio estimator, linearized; Cochran, Sampling Techniques, chapter
/// 6). `None` without a baseline.
pub(super) fn pieces(treated: &[f64], baseline: &[f64], better: Better) -> Option<Vec<f64>> {
    let base = mean(baseline).filter(|base| *base > 0.0)?;
    let ratio = mean(treated)? / base;
    let sign = if better == Better::More { 1.0 } else { -1.0 };
    let piece =
        |(treated, baseline): (&f64, &f64)| sign * (ratio - 1.0 + (treated - ratio * baseline) / base);
    Some(treated.iter().zip(baseline).map(piece).collect())
}

/// What the pieces say when `comparisons` were made at once (Bonferroni).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    /// The gain with its own 95 % interval.
    pub(super) gain: Estimate,
    /// Whether it is significantly above what is negligible.
    pub(super) is_gain: bool,
    /// Whether the loss is.
    pub(super) is_loss: bool,
}

pub(super) fn judge(pieces: &[f64], comparisons: usize, negligible: f64) -> Option<Judged> {
    let gain = estimate_at(pieces, ERROR_95)?;
    let strict = estimate_at(pieces, ERROR_95 / comparisons.max(1) as f64)?;
    Some(Judged {
        gain,
        is_gain: strict.low.is_some_and(|low| low > negligible),
        is_loss: strict.high.is_some_and(|high| high < -negligible),
    })
}

/// Whether the first is significantly better than the second, by more than what is negligible, when so many were compared.
pub(super) fn is_better(first: &[f64], second: &[f64], comparisons: usize) -> bool {
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    judge(&differences, comparisons, INDIFFERENCE).is_some_and(|judged| judged.is_gain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::random::Stream;

    #[test]
    fn the_gain_is_that_of_the_means() {
        let (treated, baseline) = ([12.0, 30.0, 3.0], [10.0, 20.0, 0.0]);
        let pieces = pieces(&treated, &baseline, Better::More).unwrap();
        let gain = judge(&pieces, 1, 0.01).unwrap().gain;
        assert!((gain.mean - 0.5).abs() < 1e-12, "45 instead of 30: {gain:?}");
        let less = super::pieces(&treated, &baseline, Better::Less).unwrap();
        assert!((mean(&less).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(super::pieces(&treated, &[0.0; 3], Better::More), None);
    }

    /// A treatment that is always 10 % better has no spread, however the places differ.
    #[test]
    fn a_constant_factor_has_no_spread() {
        let baseline = [1.0, 7.0, 20.0, 3.0];
        let treated = baseline.map(|it| it * 1.1);
        let judged = judge(&pieces(&treated, &baseline, Better::More).unwrap(), 40, 0.01).unwrap();
        assert!((judged.gain.mean - 0.1).abs() < 1e-9 && judged.is_gain && !judged.is_loss);
        assert!(judged.gain.half_width().unwrap() < 1e-9);
        let judged = judge(&pieces(&baseline, &treated, Better::More).unwrap(), 40, 0.01).unwrap();
        assert!(judged.is_loss && !judged.is_gain);
    }

    /// Where nothing differs but by chance, one in forty comparisons looks like a gain: the upper half of 5 %. The places differ ten
    /// times as much as the treatments.
    #[test]
    fn chance_makes_as_many_gains_as_it_may() {
        let mut stream = Stream::new(1, "judge");
        let mut normal = || (0..12).map(|_| stream.uniform()).sum::<f64>() - 6.0;
        let mut gains = 0;
        for _ in 0..4000 {
            let places: Vec<f64> = (0..10).map(|_| 30.0 + 3.0 * normal()).collect();
            let baseline: Vec<f64> = places.iter().map(|place| place + 0.3 * normal()).collect();
            let treated: Vec<f64> = places.iter().map(|place| place + 0.3 * normal()).collect();
            let pieces = pieces(&treated, &baseline, Better::More).unwrap();
            gains += usize::from(judge(&pieces, 1, 0.0).unwrap().is_gain);
        }
        assert!((60..140).contains(&gains), "{gains} of 4000, where 100 are expected");
    }

    /// Means of 1.05 and deviations of ± 0.1: t = 0.05 / (0.105 / sqrt(10)) = 1.5; ten times less spread, t = 15.
    #[test]
    fn noise_is_no_gain() {
        let noisy: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.15 } else { -0.05 }).collect();
        let judged = judge(&noisy, 1, 0.01).unwrap();
        assert!(!judged.is_gain && !judged.is_loss, "{judged:?}");
        let clear: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.06 } else { 0.04 }).collect();
        assert!(judge(&clear, 50, 0.01).unwrap().is_gain);
        let negligible: Vec<f64> = clear.iter().map(|it| it / 10.0).collect();
        assert!(!judge(&negligible, 1, 0.01).unwrap().is_gain, "half a percent");
        assert!(!judge(&[0.5], 1, 0.01).unwrap().is_gain, "one seed");
        assert!(is_better(&clear, &[0.0; 10], 1) && !is_better(&clear, &clear, 1));
    }
}
