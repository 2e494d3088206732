//! Simulations compared with the closed forms of paper obtcp, against numbers worked by hand.

use crate::support::run;
use seamline_paper::claims::Claims;
use seamline_paper::evaluate::{ClaimResult, evaluate};
use seamline_paper::figures::Figures;
use seamline_paper::records::CellRecords;

const FIGURES: &str = r#"
[[lines]]
scenario = "validation"
title = "t"
caption = "c"
axis = "p1"
axis_title = "p1"
series = "scheme"
flow = "ftp"
closed_form = { kind = "two-wireless-links", segment_size = 1000, window = 10, path = { p1 = 0.5, p2 = 0, d0 = 10, d1 = 20, d2 = 20 } }
"#;

fn cell(scheme: &str, p1: &str, goodputs: &[f64]) -> CellRecords {
    let runs = goodputs.iter().enumerate().map(|(seed, goodput)| run(seed as u64, &[("ftp", *goodput)]));
    let values = [("scheme", scheme), ("p1", p1)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    CellRecords { figure: "validation".to_owned(), values: values.into(), runs: runs.collect() }
}

fn judge(scheme: &str, records: &[CellRecords]) -> ClaimResult {
    judge_with(FIGURES, scheme, records)
}

fn judge_with(figures: &str, scheme: &str, records: &[CellRecords]) -> ClaimResult {
    let claims = format!(
        "paper = \"T\"\ntitle = \"A test\"\ncite = \"nobody\"\n[[claim]]\nid = \"T1\"\nstatement = \"so\"\nwhere = \"here\"\n\
         aggregate = \"all\"\npaper = 0.0\nfigures = [\"validation\"]\nstatistic = \"model-error\"\naxis = \"p1\"\n\
         of = {{ scheme = \"{scheme}\" }}\naccept = [-10.0, 10.0]"
    );
    let claims = toml::from_str::<Claims>(&claims).unwrap_or_else(|error| panic!("{error}"));
    let figures = toml::from_str::<Figures>(figures).unwrap_or_else(|error| panic!("{error}"));
    evaluate(&claims, &figures, records, &|_| String::new()).remove(0)
}

/// Ten packets of 8 kbit in a round trip of 100 ms are 800 kb/s. With p1 = 0.2 two of them are lost, and each costs obTCP
/// 40 ms / 0.8 = 50 ms more, so 10 packets take 200 ms: 400 kb/s. Simulated 820 and 840, 300 and 280: 3.75 % more, 27.5 % less.
#[test]
fn the_largest_error_is_the_one_farthest_from_zero() {
    let records = [cell("obtcp", "0", &[820.0, 840.0]), cell("obtcp", "0.2", &[300.0, 280.0])];
    let found = judge("obtcp", &records);
    assert!((found.measured.unwrap() + 27.5).abs() < 1e-9, "{found:?}");
    assert_eq!((found.unit, found.cells.len()), ("%", 2));
    let [first, second] = [0, 1].map(|n| found.cells[n].measured.unwrap());
    assert!((first - 3.75).abs() < 1e-9 && (second + 27.5).abs() < 1e-9, "{found:?}");
    // Two seeds 5 points apart, at 97.5 % each: t(1) is 25.45, and half of that times 5 is the lower end.
    assert!((found.ci95.unwrap()[0] - (-27.5 - 25.452 * 2.5)).abs() < 0.1, "{found:?}");
}

/// Of the windows with 0.8^10 no packet is lost; in the others, 89.26 %, one request repairs all: 50 ms each, 144.6 ms a window and
/// 553.1 kb/s. With at most two packets to a request it is as fast as the two losses of a window make it: 150 ms.
#[test]
fn a_request_repairs_several_packets() {
    let records = [cell("obtcp", "0.2", &[800.0, 800.0])];
    let with = |most: &str| {
        let form =
            FIGURES.replace("window = 10", &format!("window = 10, repaired_per_request = [{most}, {most}]"));
        judge_with(&form, "obtcp", &records).measured.unwrap()
    };
    assert!((with("1") - 100.0).abs() < 1e-9, "{}", with("1"));
    assert!((with("2") - 50.0).abs() < 1e-9, "{}", with("2"));
    assert!((with("inf") - 44.631).abs() < 1e-3, "{}", with("inf"));
}

/// Snoop waits 80 ms / 0.8 for each of the two: 300 ms, 266.7 kb/s.
#[test]
fn snoop_has_an_equation_of_its_own() {
    let found = judge("snoop", &[cell("snoop", "0.2", &[200.0, 200.0])]);
    assert!((found.measured.unwrap() + 25.0).abs() < 1e-9, "{found:?}");
}

/// Of what the equations do not hold for there is no error.
#[test]
fn where_the_closed_form_says_nothing_there_is_no_number() {
    assert_eq!(judge("obtcp", &[cell("obtcp", "1", &[200.0, 200.0])]).measured, None);
    assert_eq!(judge("obtcp", &[cell("obtcp", "much", &[200.0, 200.0])]).measured, None);
    let elsewhere = CellRecords { figure: "another".to_owned(), ..cell("obtcp", "0", &[800.0, 800.0]) };
    assert_eq!(judge("obtcp", &[elsewhere]).measured, None);
}
