use super::{Comparison, Mark, Samples, compare};

fn samples(values: &[f64]) -> Samples {
    (1..).zip(values.iter().copied().map(Some)).collect()
}

fn mark(first: &[f64], second: &[f64]) -> Mark {
    compare(&samples(first), &samples(second), false).mark
}

#[test]
fn five_percent_either_way_is_no_difference_and_more_is() {
    let first = [10.0, 10.0, 10.0];
    assert_eq!(mark(&first, &[10.4, 10.5, 10.45]), Mark::Within);
    assert_eq!(mark(&first, &[9.6, 9.5, 9.55]), Mark::Within);
    assert_eq!(mark(&first, &[10.8, 10.81, 10.79]), Mark::Beyond);
    assert_eq!(mark(&first, &[9.2, 9.21, 9.19]), Mark::Beyond);
}

#[test]
fn a_difference_smaller_than_the_spread_is_undecided() {
    assert_eq!(mark(&[10.0, 10.0, 10.0], &[8.0, 14.0, 11.0]), Mark::Undecided);
    // The pairs vary together: the spread of each side is no spread of the ratio.
    assert_eq!(mark(&[5.0, 10.0, 20.0], &[6.0, 12.0, 24.0]), Mark::Beyond);
}

#[test]
fn counts_may_differ_by_half_an_event() {
    let count = |first: &[f64], second: &[f64]| compare(&samples(first), &samples(second), true).mark;
    assert_eq!(count(&[0.0, 0.0], &[0.0, 1.0]), Mark::Within);
    assert_eq!(count(&[0.0, 0.0], &[1.0, 1.0]), Mark::Beyond);
    assert_eq!(count(&[0.0, 0.0], &[0.0, 0.0]), Mark::Within);
    assert_eq!(count(&[20.0, 20.0], &[21.0, 21.0]), Mark::Within);
}

#[test]
fn what_only_one_place_reaches_is_a_difference() {
    let never: Samples = vec![(1, None), (2, None)];
    let always = samples(&[1.0, 2.0]);
    assert_eq!(compare(&never, &never, false).mark, Mark::Absent);
    let Comparison { mark, more, ratio } = compare(&never, &always, false);
    assert_eq!((mark, more, ratio), (Mark::Beyond, true, None));
    assert!(!compare(&always, &never, false).more);
    let sometimes: Samples = vec![(1, Some(1.0)), (2, None)];
    assert_eq!(compare(&always, &sometimes, false).mark, Mark::Beyond);
}

#[test]
fn only_seeds_that_both_have_count() {
    let without_second: Samples = vec![(1, Some(10.0)), (3, Some(10.0))];
    let comparison = compare(&samples(&[10.0, 99.0, 10.0]), &without_second, false);
    assert_eq!(comparison.mark, Mark::Within);
    assert_eq!(comparison.ratio.map(|ratio| (ratio.mean, ratio.samples)), Some((1.0, 2)));
}
