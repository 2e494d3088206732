//! Statistics of claims against numbers worked by hand: values, differences, crossings, stalls.

use crate::support::run;
use seamline_experiment::record::{FlowRecord, HandoverRecord, IntervalRecord};
use seamline_paper::claims::Claims;
use seamline_paper::evaluate::{ClaimResult, evaluate};
use seamline_paper::figures::Figures;
use seamline_paper::quantity::Quantity;
use seamline_paper::records::CellRecords;
use seamline_paper::{Verdict, records::Number};

/// A cell whose runs take these times for a transfer.
fn transfers(figure: &str, values: &[(&str, &str)], seconds: &[f64]) -> CellRecords {
    let runs = seconds.iter().enumerate().map(|(seed, seconds)| {
        let mut run = run(seed as u64, &[("file", 1000.0)]);
        run.flows[0].completion_s = Some(*seconds);
        run
    });
    let values = values.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    CellRecords { figure: figure.to_owned(), values, runs: runs.collect() }
}

/// A claim of these lines, judged on the records.
fn judge(lines: &str, records: &[CellRecords]) -> ClaimResult {
    let text = format!(
        "paper = \"T\"\ntitle = \"A test\"\ncite = \"nobody\"\n[[claim]]\nid = \"T1\"\nstatement = \"so\"\nwhere = \"here\"\n\
         aggregate = \"all\"\npaper = 1.0\nfigures = [\"curve\"]\n{lines}"
    );
    let claims = toml::from_str::<Claims>(&text).unwrap_or_else(|error| panic!("{error}"));
    evaluate(&claims, &Figures::default(), records, &|_| String::new()).remove(0)
}

/// Curves of two seeds over an axis whose values are not in the order of numbers as words, and a level of 80.
fn curves() -> Vec<CellRecords> {
    let mut records = vec![transfers("level", &[], &[79.0, 81.0])];
    for (at, old, new) in [
        ("10", [100.0, 104.0], [90.0, 92.0]),
        ("2", [60.0, 56.0], [40.0, 40.0]),
        ("6", [80.0, 88.0], [70.0, 68.0]),
    ] {
        records.push(transfers("curve", &[("stack", "old"), ("x", at)], &old));
        records.push(transfers("curve", &[("stack", "new"), ("x", at)], &new));
    }
    records
}

const CROSSING: &str =
    "statistic = \"crossing\"\nquantity = \"transfer-time\"\nline = \"level\"\naxis = \"x\"\n";

/// The old curve, 58 at 2 and 84 at 6, crosses 80 at 2 + 4 x 22/26 = 5.3846; the new one, 69 at 6 and 91 at 10, at 8.
#[test]
fn curves_cross_a_level_where_they_are_interpolated_to() {
    let old = judge(&format!("{CROSSING}of = {{ stack = \"old\" }}\naccept = [5.0, 6.0]"), &curves());
    assert!((old.measured.unwrap() - 5.384_615).abs() < 1e-6, "{old:?}");
    assert_eq!((old.unit, old.cells.len()), ("", 3));
    assert_eq!((old.cells[0].measured, old.cells[0].unit), (Some(58.0), "s"));
    let new = judge(&format!("{CROSSING}of = {{ stack = \"new\" }}\naccept = [7.0, 7.5]"), &curves());
    assert_eq!(
        (new.measured, new.verdict),
        (Some(8.0), Verdict::Inconclusive),
        "the line is known to some 13 only"
    );
    let differs = CROSSING.replace("crossing", "crossing-difference");
    let differs =
        format!("{differs}of = {{ stack = \"new\" }}\nover = {{ stack = \"old\" }}\naccept = [-inf, 0.0]");
    let differs = judge(&differs, &curves()).measured.unwrap();
    assert!((differs + 2.615_385).abs() < 1e-6, "{differs}");
}

/// Without the first seed the level is 81 and the new curve, 68 and 92, crosses it at 6 + 4 x 13/24; without the second it is 79, and
/// 70 and 90 cross it at 6 + 4 x 9/20: pseudo-values 7.8333 and 8.2, half of the difference times t(1) = 12.706. Each seed's curve
/// crosses 80 at 8.
#[test]
fn a_crossing_is_known_no_better_than_the_line() {
    let new = format!("{CROSSING}of = {{ stack = \"new\" }}\naccept = [7.0, 9.0]");
    let half = |found: &ClaimResult| found.ci95.map(|[low, high]| (high - low) / 2.0).unwrap();
    let found = judge(&new, &curves());
    assert!((half(&found) - 12.706 * 0.36667 / 2.0).abs() < 1e-3, "{found:?}");
    let mut exact = curves();
    exact[0] = transfers("level", &[], &[80.0, 80.0]);
    let known = judge(&new, &exact);
    assert!(half(&known) < 1e-9 && known.verdict == Verdict::Reproduced, "{known:?}");
    exact[0] = transfers("level", &[], &[80.0, 80.0, 80.0]);
    assert_eq!(judge(&new, &exact).ci95, None, "which runs belong together?");
}

/// 5.3846 less 8. With the first seed left out 5.125 less 8.1667, with the second 5.8 less 7.8: -3.0417 and -2, so that the
/// pseudo-values are 1.0417 apart.
#[test]
fn a_difference_of_crossings_too() {
    let differs = CROSSING.replace("crossing", "crossing-difference");
    let text =
        format!("{differs}of = {{ stack = \"new\" }}\nover = {{ stack = \"old\" }}\naccept = [-inf, 0.0]");
    let [low, high] = judge(&text, &curves()).ci95.unwrap();
    assert!(((high - low) / 2.0 - 12.706 * 1.041_67 / 2.0).abs() < 1e-2, "{low} {high}");
}

/// Seeds cross the line once, twice and never; their mean crosses it once.
#[test]
fn a_crossing_is_that_of_the_mean_curve() {
    let mut records = vec![transfers("level", &[], &[10.0, 10.0, 10.0])];
    for (at, seconds) in [("1", [8.0, 11.0, 5.0]), ("2", [9.0, 9.0, 6.0]), ("3", [16.0, 14.0, 9.0])] {
        records.push(transfers("curve", &[("stack", "old"), ("x", at)], &seconds));
    }
    let found = judge(&format!("{CROSSING}of = {{ stack = \"old\" }}\naccept = [1.0, 3.0]"), &records);
    assert!((found.measured.unwrap() - 2.4).abs() < 1e-9, "8 and 13 at 2 and 3: {found:?}");
    assert!(found.ci95.is_some(), "{found:?}");
}

/// What pays off up to a value, and what pays off from one on: of a curve that rises through the line, dips below it again and ends above
/// it the first crossing and the end of the axis; of one that lies below everywhere its end and its beginning.
#[test]
fn what_pays_off_lies_below_the_line() {
    let crossing = |curve: [f64; 4], pays_off: &str| {
        let mut records = vec![transfers("level", &[], &[10.0, 10.0])];
        for (at, seconds) in ["1", "2", "3", "4"].into_iter().zip(curve) {
            records.push(transfers("curve", &[("stack", "old"), ("x", at)], &[seconds; 2]));
        }
        let text =
            format!("{CROSSING}pays_off = \"{pays_off}\"\nof = {{ stack = \"old\" }}\naccept = [0.0, 9.0]");
        judge(&text, &records).measured
    };
    let there_and_back = [8.0, 12.0, 8.0, 12.0];
    assert_eq!(crossing(there_and_back, "up-to"), Some(1.5));
    assert_eq!(crossing(there_and_back, "from"), Some(4.0));
    let falling = [14.0, 12.0, 8.0, 7.0];
    assert_eq!(crossing(falling, "from"), Some(2.5));
    assert_eq!(crossing(falling, "up-to"), Some(1.0));
    assert_eq!((crossing([9.0; 4], "up-to"), crossing([9.0; 4], "from")), (Some(4.0), Some(1.0)));
}

/// Old less new: 20 and 16 at 2, 10 and 20 at 6, 10 and 12 at 10; their means by seed are 40/3 and 16, and 15 and 18
/// without the last.
#[test]
fn differences_are_taken_seed_by_seed_and_only_where_they_count() {
    let lines = "statistic = \"difference\"\nquantity = \"transfer-time\"\nof = { stack = \"new\" }\nover = { stack = \"old\" }\n";
    let all = judge(&format!("{lines}accept = [10.0, 20.0]"), &curves());
    assert!((all.measured.unwrap() - (40.0 / 3.0 + 16.0) / 2.0).abs() < 1e-12);
    assert_eq!((all.unit, all.verdict), ("s", Verdict::Inconclusive), "two seeds are too few");
    let some = judge(&format!("{lines}only = {{ x = [\"2\", \"6\"] }}\naccept = [10.0, 20.0]"), &curves());
    assert_eq!((some.measured, some.cells.len()), (Some(16.5), 2));
}

#[test]
fn values_are_means_of_what_is_named() {
    let value = "statistic = \"value\"\nquantity = \"transfer-time\"\nof = { stack = \"old\", x = \"2\" }\naccept = [57.0, 59.0]";
    let found = judge(value, &curves());
    assert_eq!((found.measured, found.unit, found.cells.len()), (Some(58.0), "s", 1));
    let mut unfinished = curves();
    unfinished[3].runs[1].flows[0].completion_s = None;
    assert_eq!(judge(value, &unfinished).measured, None, "a transfer that did not end has no time");
}

/// A flow of 100 s with handovers at 10, 40 and 70 s, and one after its end.
fn stalled() -> FlowRecord {
    let met = |start_s, first_data_ms, lost_packets, stalled_bytes| HandoverRecord {
        link: "air".to_owned(),
        start_s,
        interruption_ms: None,
        first_data_ms,
        recovery_ms: None,
        following_second_bytes: 0,
        stalled_bytes,
        lost_packets,
        movement_detected_ms: None,
        registered_ms: None,
    };
    let mut flow = run(1, &[("file", 1000.0)]).flows.remove(0);
    flow.measured_to_s = 100.0;
    flow.handovers = vec![
        met(10.0, Some(4000.0), 9, 2000),
        met(40.0, None, 12, 0),
        met(70.0, Some(2000.0), 3, 500),
        met(120.0, Some(9e9), 99, 0),
    ];
    flow.intervals = (0..100)
        .map(|second| IntervalRecord {
            from_s: f64::from(second),
            to_s: f64::from(second + 1),
            bytes: 1000 * u64::from(second < 50),
            retransmissions: 0,
            timeouts: 0,
            congestion_window_segments: 1.0,
            smoothed_round_trip_ms: 1.0,
        })
        .collect();
    flow
}

/// 4 s, then 30 s until the next handover because nothing arrived, then 2 s: 12 s on average, with 2500 bytes in 36 s.
#[test]
fn stalls_last_until_data_arrives_or_the_next_move() {
    let flow = stalled();
    assert_eq!(Quantity::Stall.of(&flow, None), Some(12.0));
    assert_eq!(Quantity::LostAtHandovers.of(&flow, None), Some(8.0));
    assert_eq!(Quantity::GoodputInStalls.of(&flow, None), Some(2500.0 * 8.0 / 36.0 / 1000.0));
    let still = run(1, &[("file", 1000.0)]).flows.remove(0);
    assert_eq!(Quantity::Stall.of(&still, None), None, "without a handover there is no stall");
}

/// From 48.5 to 51.5 s lie one and a half of the rows that hold 8 kbit each.
#[test]
fn goodput_between_two_times_counts_parts_of_rows() {
    let flow = stalled();
    assert_eq!(Quantity::Goodput.of(&flow, Some([48.5, 51.5])), Some(4.0));
    assert_eq!(Quantity::Goodput.of(&flow, Some([48.5, 101.0])), None, "there are no rows so late");
    assert_eq!(Quantity::Goodput.of(&flow, None), Some(1000.0));
    let mut cell = transfers("curve", &[], &[1.0]);
    let number = Number { between: Some([0.0, 1.0]), ..Number::default() };
    assert_eq!(cell.numbers(number), None, "a run without rows");
    cell.runs[0].flows[0] = flow;
    assert_eq!(cell.numbers(number), Some(vec![8.0]));
}

/// Gains of 50 and 100 % in the first case, of 25 and 30 % in the second: 25 and 70 percentage points more.
#[test]
fn a_gain_is_compared_with_another() {
    let cell = |case: &str, stack: &str, seconds: [f64; 2]| {
        transfers("curve", &[("case", case), ("stack", stack)], &seconds)
    };
    let records = [
        cell("a", "new", [150.0, 200.0]),
        cell("a", "old", [100.0, 100.0]),
        cell("b", "new", [125.0, 130.0]),
        cell("b", "old", [100.0, 100.0]),
    ];
    let text = "statistic = \"gain-difference\"\nquantity = \"transfer-time\"\nof = { stack = \"new\" }\n\
                over = { stack = \"old\" }\namong = { case = [\"a\", \"b\"] }\naccept = [40.0, 50.0]";
    let found = judge(text, &records);
    assert_eq!((found.measured.map(f64::round), found.unit), (Some(48.0), "points"));
    let half = found.ci95.map(|[low, high]| (high - low) / 2.0).unwrap();
    assert!((half - 12.706 * 22.5).abs() < 0.1, "{found:?}");
    assert_eq!(found.cells.len(), 4 - 2);
    let turned = text.replace("[\"a\", \"b\"]", "[\"b\", \"a\"]");
    assert_eq!(judge(&turned, &records).measured.map(f64::round), Some(-48.0));
}

/// Gains of 0, 10 and 40 % at 0, 1 and 2 with both seeds: the line between the ends is at 20 in the middle, 10 above the curve, which
/// rises by 40. The largest gain is 40 points above the smallest.
#[test]
fn a_curve_of_gains_sags_and_spreads() {
    let cell = |at: &str, stack: &str, seconds: f64| {
        transfers("curve", &[("x", at), ("stack", stack)], &[seconds, seconds])
    };
    let curve = |gains: [f64; 3]| {
        let points = ["0", "1", "2"].into_iter().zip(gains);
        points
            .flat_map(|(at, gain)| [cell(at, "new", 100.0 + gain), cell(at, "old", 100.0)])
            .collect::<Vec<_>>()
    };
    let text = |statistic: &str| {
        format!(
            "statistic = \"{statistic}\"\nquantity = \"transfer-time\"\naxis = \"x\"\nof = {{ stack = \"new\" }}\n\
             over = {{ stack = \"old\" }}\naccept = [0.0, inf]"
        )
    };
    let of = |statistic: &str, gains: [f64; 3]| {
        let found = judge(&text(statistic), &curve(gains));
        (found.measured.map(|value| (value * 1000.0).round() / 1000.0), found.unit)
    };
    assert_eq!(of("gain-sag", [0.0, 10.0, 40.0]), (Some(25.0), "%"));
    assert_eq!(of("gain-sag", [0.0, 20.0, 40.0]), (Some(0.0), "%"));
    assert_eq!(of("gain-sag", [0.0, 30.0, 40.0]), (Some(-25.0), "%"));
    assert_eq!(of("gain-sag", [40.0, 10.0, 0.0]), (Some(-25.0), "%"), "it falls");
    assert_eq!(of("gain-spread", [5.0, -10.0, 30.0]), (Some(40.0), "points"));
    // In the unit of the quantity, a gain is what is saved: 100 s less 105, 90 and 130.
    assert_eq!(of("gain-spread\"\ngain = \"less", [5.0, -10.0, 30.0]), (Some(40.0), "s"));
    assert_eq!(of("gain-sag\"\ngain = \"less", [0.0, -10.0, -40.0]), (Some(25.0), "%"));
    assert_eq!(of("gain-sag\"\ngain = \"less", [0.0, 10.0, 40.0]), (Some(25.0), "%"), "it falls");
}
