//! Ticks and numbers.

use proptest::prelude::*;
use seamline_report::quantity::{bit_rate, digits};
use seamline_report::scale::{Linear, Ticks, top, with_zero};

#[test]
fn ticks_stand_at_round_numbers() {
    assert_eq!(Ticks::new(0.0, 10.0, 5).at, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(Ticks::new(0.3, 1.7, 3).at, [0.5, 1.0, 1.5]);
    assert_eq!(Ticks::new(-20.0, 20.0, 4).at, [-20.0, -10.0, 0.0, 10.0, 20.0]);
}

#[test]
fn labels_have_as_many_decimals_as_tell_them_apart() {
    let labels = |low, high, wanted| {
        let ticks = Ticks::new(low, high, wanted);
        ticks.at.iter().map(|at| ticks.label(*at)).collect::<Vec<_>>()
    };
    assert_eq!(labels(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert_eq!(labels(26.99, 27.02, 3), ["26.99", "27.00", "27.01", "27.02"]);
    assert_eq!(labels(0.0, 3000.0, 3), ["0", "1000", "2000", "3000"]);
    assert_eq!(labels(-0.3, 0.3, 6)[3], "0.0", "no minus before zero");
}

#[test]
fn there_are_no_ticks_where_there_is_no_room() {
    for (low, high, wanted) in
        [(1.0, 1.0, 5), (2.0, 1.0, 5), (0.0, f64::NAN, 5), (0.0, f64::INFINITY, 5), (0.0, 1.0, 0)]
    {
        assert!(Ticks::new(low, high, wanted).at.is_empty(), "{low} {high} {wanted}");
    }
}

#[test]
fn scales_run_in_both_directions() {
    let down = Linear { low: 0.0, high: 10.0, first: 300.0, last: 100.0 };
    assert_eq!(down.place(0.0), 300.0);
    assert_eq!(down.place(5.0), 200.0);
    assert_eq!(
        Linear { low: 1.0, high: 1.0, first: 3.0, last: 9.0 }.place(7.0),
        3.0,
        "no division by nothing"
    );
    assert_eq!(top(0.0), 1.0);
    assert!(top(100.0) > 100.0 && top(100.0) < 120.0);
}

#[test]
fn axes_of_bars_hold_zero_and_everything() {
    assert_eq!(with_zero([]), (0.0, 1.0));
    assert_eq!(with_zero([2.0, 100.0]), (0.0, top(100.0)));
    assert_eq!(with_zero([-50.0, f64::NEG_INFINITY, 100.0]), (-top(50.0), top(100.0)));
    assert_eq!(with_zero([-50.0]), (-top(50.0), 0.0));
}

#[test]
fn numbers_have_three_digits() {
    assert_eq!(bit_rate(17_040_000.0), "17.0 Mbit/s");
    assert_eq!([digits(0.0), digits(0.1234), digits(99.96), digits(1234.5)], ["0", "0.123", "100", "1234"]);
}

proptest! {
    #[test]
    fn ticks_are_within_their_range_and_neither_few_nor_many(low in -1e6..1e6, span in 1e-6..1e6, wanted in 1usize..20) {
        let ticks = Ticks::new(low, low + span, wanted);
        prop_assert!(ticks.at.iter().all(|at| *at >= low - span * 1e-6 && *at <= low + span * (1.0 + 1e-6)));
        prop_assert!(ticks.at.len() <= wanted + 2, "{} for {wanted}", ticks.at.len());
        prop_assert!(ticks.at.len() * 3 + 3 >= wanted, "{} for {wanted}", ticks.at.len());
        let labels: Vec<String> = ticks.at.iter().map(|at| ticks.label(*at)).collect();
        prop_assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }
}
