//! Statistics against published tables and worked examples.

use seamline_report::statistics::{
    Median, estimate, estimate_at, jackknife, mean, paired_factor, samples_needed, student_t_95,
};

/// Two-sided 95 % quantiles from the NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.
#[test]
fn quantiles_are_those_of_the_published_table() {
    for (degrees, t) in
        [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (10, 2.228), (29, 2.045), (60, 2.000), (100, 1.984)]
    {
        let computed = student_t_95(degrees).unwrap();
        assert!((computed - t).abs() < 6e-4, "{degrees}: {computed} against {t}");
    }
    assert_eq!(student_t_95(0), None);
}

/// By hand: mean 5, squared deviations 9+1+1+9 = 20, s^2 = 20/3, s/sqrt(4) = 1.29099, t(3) = 3.182.
#[test]
fn interval_of_a_mean_computed_by_hand() {
    let four = estimate(&[2.0, 4.0, 6.0, 8.0]).unwrap();
    assert_eq!(four.mean, 5.0);
    let half = four.half_width().unwrap();
    assert!((half - 4.108).abs() < 1e-3, "{half}");
    assert!((four.low.unwrap() - 0.892).abs() < 1e-3);
    assert!((four.relative_half_width().unwrap() - 0.8216).abs() < 1e-3);
}

#[test]
fn one_sample_has_no_interval_and_none_has_no_mean() {
    let one = estimate(&[3.0]).unwrap();
    assert_eq!((one.mean, one.low, one.high), (3.0, None, None));
    assert_eq!(estimate(&[]), None);
}

/// Ratios 2, 2 and 2 whatever the pairs' own spread: the factor is exactly 2 with no width. Unpaired, the
/// interval would be as wide as the spread.
#[test]
fn pairing_takes_out_what_the_pairs_have_in_common() {
    let factor = paired_factor(&[2.0, 20.0, 200.0], &[1.0, 10.0, 100.0]).unwrap();
    assert!((factor.mean - 2.0).abs() < 1e-12);
    assert!((factor.high.unwrap() - factor.low.unwrap()).abs() < 1e-9);
}

/// By hand: ratios 1 and 4; logs 0 and ln 4, mean ln 2; deviations ln 2 each, s = sqrt(2) ln 2,
/// s/sqrt(2) = ln 2, t(1) = 12.706: from 2/2^12.706 to 2*2^12.706.
#[test]
fn interval_of_a_factor_computed_by_hand() {
    let factor = paired_factor(&[1.0, 4.0], &[1.0, 1.0]).unwrap();
    assert!((factor.mean - 2.0).abs() < 1e-12);
    assert!((factor.high.unwrap().log2() - 13.706).abs() < 1e-3);
    assert!((factor.low.unwrap().log2() + 11.706).abs() < 1e-3);
}

#[test]
fn no_factor_over_nothing() {
    assert_eq!(paired_factor(&[1.0], &[0.0]), None);
    assert_eq!(paired_factor(&[], &[]), None);
}

/// By hand: s = 2.582 on a mean of 5, a spread of 0.5164. For half a width of 0.41: t(7) = 2.365 gives
/// 2.365 * 0.5164 / sqrt(8) = 0.4318, t(8) = 2.306 gives 2.306 * 0.5164 / 3 = 0.3969.
#[test]
fn samples_needed_account_for_the_tails_of_few_samples() {
    let four = estimate(&[2.0, 4.0, 6.0, 8.0]).unwrap();
    assert_eq!(samples_needed(&four, 0.41, 100), Some(9));
    assert_eq!(samples_needed(&four, 0.41, 8), None);
    assert_eq!(samples_needed(&estimate(&[1.0]).unwrap(), 0.1, 100), None);
}

/// The same four samples at 99 %: t(3) = 5.841 (NIST/SEMATECH e-Handbook 1.3.6.7.2), times 1.29099.
#[test]
fn other_levels_have_other_quantiles() {
    let four = estimate_at(&[2.0, 4.0, 6.0, 8.0], 0.01).unwrap();
    assert!((four.half_width().unwrap() - 7.541).abs() < 1e-3, "{four:?}");
    assert_eq!(estimate_at(&[2.0, 4.0], 0.05), estimate(&[2.0, 4.0]));
}

/// The mean of all seeds but one.
fn without(samples: &[f64], seed: Option<usize>) -> Option<f64> {
    let rest = samples.iter().enumerate().filter(|(place, _)| Some(*place) != seed);
    mean(&rest.map(|(_, sample)| *sample).collect::<Vec<_>>())
}

/// Of a mean the jackknife is Student's t; of a square, by hand: means of 1, 2 and 3 with one left out are 2.5, 2 and 1.5, their
/// squares 6.25, 4 and 2.25, pseudo-values 12 - 2 x = -0.5, 4 and 7.5 with mean 11/3 and s = 4.0104, s/sqrt(3) = 2.3154, t(2) = 4.303.
#[test]
fn the_jackknife_is_worked_by_hand() {
    let samples = [2.0, 4.0, 6.0, 8.0];
    let (of_mean, plain) =
        (jackknife(4, |seed| without(&samples, seed)).unwrap(), estimate(&samples).unwrap());
    assert!((of_mean.low.unwrap() - plain.low.unwrap()).abs() < 1e-9, "{of_mean:?}");
    let square = jackknife(3, |seed| without(&[1.0, 2.0, 3.0], seed).map(|mean| mean * mean)).unwrap();
    assert_eq!(square.mean, 4.0);
    assert!((square.half_width().unwrap() - 9.963).abs() < 2e-3, "{square:?}");
    let one = jackknife(1, |seed| without(&[3.0], seed)).unwrap();
    assert_eq!((one.mean, one.low, one.high), (3.0, None, None));
    assert_eq!(jackknife(3, |_| None), None);
}

#[test]
fn medians_have_the_intervals_of_the_sign_test() {
    let of = |n: u32| Median::of((1..=n).map(f64::from).collect()).map(|it| (it.low, it.median, it.high));
    // Conover, Practical Nonparametric Statistics: the orders of the interval at 95 %.
    assert_eq!(of(0), None);
    assert_eq!(of(1), Some((1.0, 1.0, 1.0)));
    assert_eq!(of(6), Some((1.0, 3.5, 6.0)));
    assert_eq!(of(8), Some((1.0, 4.5, 8.0)));
    assert_eq!(of(9), Some((2.0, 5.0, 8.0)));
    assert_eq!(of(12), Some((3.0, 6.5, 10.0)));
    assert_eq!(of(20), Some((6.0, 10.5, 15.0)));
    let never = Median::of(vec![1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]).unwrap();
    assert_eq!((never.low, never.median, never.high), (1.0, f64::INFINITY, f64::INFINITY));
}
