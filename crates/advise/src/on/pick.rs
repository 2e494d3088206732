//! Which candidates are the best of their groups: those that promise a gain. Whether they keep the promise is judged by other seeds.

use super::answer::CandidateAdvice;
use super::candidates::{Candidate, Group};
use super::judge::{DELAY_INDIFFERENCE, is_better, judge};
use crate::significance::INDIFFERENCE;
use seamline_report::statistics::mean;

/// A candidate with what it gains, seed by seed.
pub(super) struct Entry<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) advice: &'a CandidateAdvice,
    /// Shares of today's mean outcome, by seed.
    pub(super) gains: &'a [f64],
    /// Shares by which round trips get shorter.
    pub(super) cuts: &'a [f64],
}

impl Entry<'_> {
    fn gain(&self) -> f64 {
        mean(self.gains).unwrap_or(f64::NEG_INFINITY)
    }
    fn promises_gain(&self) -> bool {
        is_promising(self.gains, INDIFFERENCE)
    }
    fn cut(&self) -> f64 {
        mean(self.cuts).unwrap_or(f64::NEG_INFINITY)
    }
}

/// Whether the mean is not negligible and the 95 % interval, not corrected for what else was compared, is above zero.
fn is_promising(shares: &[f64], negligible: f64) -> bool {
    let judged = judge(shares, 1, negligible);
    judged.is_some_and(|it| it.gain.mean > negligible && it.gain.low.is_some_and(|low| low > 0.0))
}

/// Those of a group that promise a gain, do not double round trips, and fit.
pub(super) fn promising<'a, 'b>(
    entries: &'b [Entry<'a>],
    group: Group,
    fits: impl Fn(&&'b Entry<'a>) -> bool,
) -> Vec<&'b Entry<'a>> {
    let of_group = entries.iter().filter(|it| it.candidate.group == group);
    of_group.filter(|it| it.promises_gain() && !it.advice.doubles_round_trip).filter(fits).collect()
}

/// The best of several: of those that are not significantly worse than the greatest, the one that takes least to install, and then
/// the greatest.
pub(super) fn best_of<'a, 'b>(entries: &[&'b Entry<'a>]) -> Option<&'b Entry<'a>> {
    let best = entries.iter().copied().max_by(|one, other| one.gain().total_cmp(&other.gain()))?;
    let comparisons = entries.len();
    let as_good = entries.iter().copied().filter(|it| !is_better(best.gains, it.gains, comparisons));
    as_good.min_by(|one, other| {
        let demands = one.candidate.demand.cmp(&other.candidate.demand);
        demands.then(other.gain().total_cmp(&one.gain()))
    })
}

/// The candidate that shortens round trips most and costs no goodput: its mean loss is at most this share of today's.
pub(super) fn shortest_round_trips<'a, 'b>(
    entries: &'b [Entry<'a>],
    most_loss: f64,
) -> Option<&'b Entry<'a>> {
    let fitting =
        entries.iter().filter(|it| is_promising(it.cuts, DELAY_INDIFFERENCE) && it.gain() >= -most_loss);
    fitting.max_by(|one, other| one.cut().total_cmp(&other.cut()))
}

/// The candidate that gains most of those that more than double round trips.
pub(super) fn at_the_price_of_delay<'a, 'b>(entries: &'b [Entry<'a>]) -> Option<&'b Entry<'a>> {
    let gaining = entries.iter().filter(|it| it.promises_gain() && it.advice.doubles_round_trip);
    gaining.max_by(|one, other| one.gain().total_cmp(&other.gain()))
}

/// All ways to take several of the best of each group together, as far as they work together: one that needs today's congestion
/// control is not taken with another one.
pub(super) fn sets<'a>(best: &[&'a Candidate]) -> Vec<Vec<&'a Candidate>> {
    let chosen = |set: u32| {
        let is_in = |(place, _): &(usize, &&'a Candidate)| set & (1 << place) != 0;
        best.iter().enumerate().filter(is_in).map(|(_, it)| *it).collect::<Vec<_>>()
    };
    let works = |parts: &Vec<&Candidate>| {
        let another_tcp = parts.iter().any(|it| it.change.variant.is_some());
        parts.len() > 1 && !(another_tcp && parts.iter().any(|it| it.only_today))
    };
    (0..1_u32 << best.len()).map(chosen).filter(works).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on::candidates::{Change, today};

    fn candidate(name: &str, variant: Option<&'static str>, only_today: bool) -> Candidate {
        let change = Change { variant, ..Change::default() };
        Candidate { name: name.to_owned(), only_today, change, ..today() }
    }

    #[test]
    fn all_sets_of_what_works_together() {
        let (tcp, setting, help) = (
            candidate("bbr", Some("bbr"), false),
            candidate("pacing", None, false),
            candidate("ehn", None, true),
        );
        let names = |best: &[&Candidate]| {
            let joined =
                |set: &Vec<&Candidate>| set.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join("+");
            sets(best).iter().map(joined).collect::<Vec<_>>()
        };
        assert_eq!(names(&[&tcp, &setting, &help]), ["bbr+pacing", "pacing+ehn"]);
        assert_eq!(names(&[&tcp]), Vec::<String>::new());
        let any = candidate("snoop", None, false);
        assert_eq!(names(&[&tcp, &setting, &any]).len(), 4);
    }
}
