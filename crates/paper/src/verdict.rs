//! The one function that judges a claim.
//!
//! A claim is about an average or about a range, by its own words ("when more than 0.3 % of packets are lost", "regardless of the
//! error model"). Its file says which: the keys in `each` make it one about a range. The number of a claim about an average decides
//! alone. A claim about a range is reproduced only if it holds at every value of these keys, too, each judged by the same bounds.

use seamline_experiment::statistics::Estimate;
pub use seamline_report::paper::Verdict;

/// Judge a measured number by the bounds fixed for it, and by the verdicts on all else that has to hold: the parts of the range that
/// the claim is about, and its further conditions.
///
/// - An ordering (one bound infinite) holds when the whole interval lies beyond the bound, fails when it lies on the
///   other side, and is inconclusive when the bound lies within.
/// - Otherwise a mean inside the bounds reproduces the claim, unless the interval reaches beyond both of them.
///   Outside, the direction is right when both bounds and the whole interval are on the same side of zero; for an
///   equality, bounds that the interval still overlaps leave it open.
/// - Where one of the others fails, a claim that its number reproduces has the right direction only; where none fails and one is
///   inconclusive, so is the claim.
/// - Without an interval (a single seed), or without a finite number (a gain over zero), the claim is inconclusive.
pub fn verdict(measured: &Estimate, accept: [f64; 2], also: &[Verdict]) -> Verdict {
    let fails = |other: &Verdict| !matches!(other, Verdict::Reproduced | Verdict::Inconclusive);
    match alone(measured, accept) {
        Verdict::Reproduced if also.iter().any(fails) => Verdict::DirectionOnly,
        Verdict::Reproduced if also.contains(&Verdict::Inconclusive) => Verdict::Inconclusive,
        own => own,
    }
}

fn alone(measured: &Estimate, [low, high]: [f64; 2]) -> Verdict {
    let (Some(least), Some(most)) = (measured.low, measured.high) else { return Verdict::Inconclusive };
    // A gain over zero has no number.
    if !(measured.mean.is_finite() && least.is_finite() && most.is_finite()) {
        return Verdict::Inconclusive;
    }
    if low.is_infinite() || high.is_infinite() {
        return match () {
            () if least > low && most < high => Verdict::Reproduced,
            () if most < low || least > high => Verdict::NotReproduced,
            () => Verdict::Inconclusive,
        };
    }
    if least < low && most > high {
        return Verdict::Inconclusive;
    }
    if (low..=high).contains(&measured.mean) {
        return Verdict::Reproduced;
    }
    let is_equality = low <= 0.0 && high >= 0.0;
    if is_equality {
        let overlaps = least <= high && most >= low;
        return if overlaps { Verdict::Inconclusive } else { Verdict::NotReproduced };
    }
    let same_side = (low > 0.0 && least > 0.0) || (high < 0.0 && most < 0.0);
    if same_side { Verdict::DirectionOnly } else { Verdict::NotReproduced }
}
