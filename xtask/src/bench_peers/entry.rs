//! One line of the result: ours against one build of a peer on one workload.

use super::measure::Measured;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Goodputs that differ by more than this make an entry void: the two would not be doing the same.
const MOST_GOODPUT_DIFFERENCE: f64 = 0.02;

/// Ours against a peer; field names are those of the JSON output.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    /// The peer and its version.
    pub(super) peer: String,
    /// How the peer was set up; of ns-3, which TCP is ours.
    pub(super) build: String,
    pub(super) workload: String,
    pub(super) runs: usize,
    /// Our delivered packets per CPU second, median over runs.
    pub(super) ours_pkts_per_cpu_s: f64,
    /// The peer's.
    pub(super) peer_pkts_per_cpu_s: f64,
    /// Our peak memory in bytes, median over runs.
    pub(super) ours_peak_bytes: f64,
    /// The peer's.
    pub(super) peer_peak_bytes: f64,
    /// Median over the pairs of ours / peer.
    pub(super) ratio_median: f64,
    /// 95 % interval of the ratio: Student's, over the logarithms of the pairs.
    pub(super) ratio_ci95: [f64; 2],
    /// (ours - peer) / peer, of packets delivered over all runs.
    pub(super) goodput_difference: f64,
    /// Whether the goodputs differ too much for the comparison to mean anything.
    pub(super) void: bool,
}

impl Entry {
    /// From pairs of runs, ours first.
    pub(super) fn new(peer: &str, build: String, workload: &str, pairs: &[(Measured, Measured)]) -> Entry {
        let ratios: Vec<f64> = pairs.iter().map(|(ours, peer)| ours.rate() / peer.rate()).collect();
        let delivered = |side: fn(&(Measured, Measured)) -> f64| pairs.iter().map(side).sum::<f64>();
        let (ours, theirs) = (delivered(|pair| pair.0.packets), delivered(|pair| pair.1.packets));
        let goodput_difference = (ours - theirs) / theirs;
        Entry {
            peer: peer.to_owned(),
            build,
            workload: workload.to_owned(),
            runs: pairs.len(),
            ours_pkts_per_cpu_s: median(pairs.iter().map(|pair| pair.0.rate()).collect()),
            peer_pkts_per_cpu_s: median(pairs.iter().map(|pair| pair.1.rate()).collect()),
            ours_peak_bytes: median(pairs.iter().map(|pair| pair.0.peak_bytes).collect()),
            peer_peak_bytes: median(pairs.iter().map(|pair| pair.1.peak_bytes).collect()),
            ratio_median: median(ratios.clone()),
            ratio_ci95: interval_of_logarithms(&ratios),
            goodput_difference,
            void: goodput_difference.is_nan() || goodput_difference.abs() > MOST_GOODPUT_DIFFERENCE,
        }
    }
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

fn interval_of_logarithms(ratios: &[f64]) -> [f64; 2] {
    let count = ratios.len() as f64;
    let logarithms: Vec<f64> = ratios.iter().map(|ratio| libm::log(*ratio)).collect();
    let mean = logarithms.iter().sum::<f64>() / count;
    let variance = logarithms.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, count - 1.0).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975));
    let half_width = quantile * (variance / count).sqrt();
    [libm::exp(mean - half_width), libm::exp(mean + half_width)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(ours: f64, ours_cpu: f64, peer: f64, peer_cpu: f64) -> (Measured, Measured) {
        let side = |packets, cpu_seconds| Measured { packets, cpu_seconds, peak_bytes: packets * 2.0 };
        (side(ours, ours_cpu), side(peer, peer_cpu))
    }

    #[test]
    fn ratios_are_paired_and_goodput_is_checked() {
        let pairs =
            [pair(100.0, 1.0, 100.0, 2.0), pair(100.0, 2.0, 100.0, 8.0), pair(101.0, 1.0, 100.0, 3.0)];
        let entry = Entry::new("peer", "plain".to_owned(), "test", &pairs);
        assert!((entry.ratio_median - 3.03).abs() < 1e-9, "{entry:?}");
        assert!(entry.ratio_ci95[0] < 2.9 && entry.ratio_ci95[1] > 3.0, "{entry:?}");
        assert_eq!((entry.ours_peak_bytes, entry.peer_peak_bytes), (200.0, 200.0));
        assert!((entry.goodput_difference - 1.0 / 300.0).abs() < 1e-12 && !entry.void);
        assert!(Entry::new("peer", "plain".to_owned(), "test", &[pair(103.0, 1.0, 100.0, 1.0)]).void);
        assert!(Entry::new("peer", "plain".to_owned(), "test", &[pair(0.0, 1.0, 0.0, 1.0)]).void);
    }
}
