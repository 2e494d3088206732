//! Fewer points, the same picture.

use proptest::prelude::*;
use seamline_report::decimate::{Sample, Thinner};

const BUCKET_S: f64 = 1.0;

fn thin(values: &[f64], spacing_s: f64) -> Vec<Sample<1>> {
    let mut thinner = Thinner::new(BUCKET_S);
    for (place, value) in values.iter().enumerate() {
        thinner.push(Sample { time_s: place as f64 * spacing_s, values: [*value] });
    }
    thinner.finish()
}

#[test]
fn a_single_peak_among_ten_thousand_stays() {
    let mut values = vec![1.0; 10_000];
    values[6_543] = 99.0;
    let kept = thin(&values, 0.001);
    assert!(kept.contains(&Sample { time_s: 6.543, values: [99.0] }), "{kept:?}");
    assert!(kept.len() < 20, "what does not change needs few points: {}", kept.len());
}

#[test]
fn each_column_keeps_its_own_extremes() {
    let mut thinner = Thinner::new(BUCKET_S);
    for n in 0..1000 {
        let values = [if n == 300 { -5.0 } else { 0.0 }, if n == 700 { 5.0 } else { 0.0 }];
        thinner.push(Sample { time_s: f64::from(n) * 1e-3, values });
    }
    let kept = thinner.finish();
    assert!(kept.iter().any(|sample| sample.values == [-5.0, 0.0]));
    assert!(kept.iter().any(|sample| sample.values == [0.0, 5.0]));
}

#[test]
fn of_samples_at_one_time_the_last_stays_last() {
    let mut thinner = Thinner::new(BUCKET_S);
    for value in [3.0, 9.0, 1.0, 4.0] {
        thinner.push(Sample { time_s: 0.5, values: [value] });
    }
    let values: Vec<f64> = thinner.finish().iter().map(|sample| sample.values[0]).collect();
    assert_eq!(values, [3.0, 9.0, 1.0, 4.0], "the line ends where it did");
}

proptest! {
    #[test]
    fn every_bucket_keeps_its_range_and_its_end(
        values in proptest::collection::vec(-100i32..100, 1..2000),
        spacing in 1u32..300,
    ) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let spacing_s = f64::from(spacing) * 1e-3;
        let kept = thin(&values, spacing_s);
        prop_assert!(kept.windows(2).all(|pair| pair[0].time_s <= pair[1].time_s));
        let bucket = |time_s: f64| (time_s / BUCKET_S) as u64;
        for wanted in 0..=bucket((values.len() - 1) as f64 * spacing_s) {
            let all: Vec<f64> = values
                .iter()
                .enumerate()
                .filter(|(place, _)| bucket(*place as f64 * spacing_s) == wanted)
                .map(|(_, value)| *value)
                .collect();
            // What held at the beginning of the bucket belongs to its picture, too.
            let before = kept.iter().rfind(|sample| bucket(sample.time_s) < wanted);
            let own = kept.iter().filter(|sample| bucket(sample.time_s) == wanted);
            let seen: Vec<f64> = before.into_iter().chain(own).map(|sample| sample.values[0]).collect();
            for value in [all.iter().copied().fold(f64::INFINITY, f64::min),
                          all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                          all.last().copied().unwrap_or(0.0)] {
                prop_assert!(all.is_empty() || seen.contains(&value), "bucket {wanted}: {value} of {all:?} in {seen:?}");
            }
            prop_assert!(kept.iter().filter(|sample| bucket(sample.time_s) == wanted).count() <= 4);
        }
    }
}
