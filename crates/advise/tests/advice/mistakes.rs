//! Invalid input is rejected with its place and the fix.

use crate::common::{self, words};
use seamline_advise::{AdviseError, Question, QuestionInput, Watch, advise};
use std::sync::atomic::AtomicBool;

#[track_caller]
fn refused(asked: &QuestionInput<'_>, parts: &[&str]) {
    let error = Question::read(asked).expect_err("this makes no sense").to_string();
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}

#[test]
fn links() {
    let table: &[(&str, &[&str])] = &[
        ("gee", &["--from: there is no link `gee`", "tip: a similar link exists: `geo`"]),
        ("marsnet", &["there is no link `marsnet`", "available links: 5g-nsa, geo", "rate=20 Mbit/s"]),
        ("rate=20 Mbit/s", &["--from: `round_trip` is missing", "tip: add round_trip=60 ms"]),
        ("round_trip=20 ms", &["--from: `rate` is missing", "tip: add rate=20 Mbit/s"]),
        ("geo, rate=20", &["--from, rate: `20`", "unit"]),
        ("geo, rate=-2 Mbit/s", &["--from, rate: `-2 Mbit/s`: must not be negative"]),
        ("geo, rate=2 Mbps", &["--from, rate", "did you mean Mbit/s or MB/s?"]),
        ("geo, loss=3", &["--from, loss: `3`", "%"]),
        ("geo, loss=100 %", &["--from, loss: the loss must be below 100 %"]),
        ("geo, queue=50", &["--from, queue: `50`"]),
        ("geo, queue=0 packets", &["--from, queue: the queue must hold at least one packet"]),
        ("geo, rtt=5 ms", &["--from: unknown key `rtt`", "round_trip"]),
        ("geo, lossy", &["`lossy` is neither `key=value` nor the name of a link"]),
        ("geo, recording=nowhere.gz", &["--from, recording", "nowhere.gz"]),
    ];
    for (link, parts) in table {
        refused(&words(link, "lte"), parts);
    }
    refused(&words("geo", "starlnk"), &["--to: there is no link `starlnk`", "`starlink`"]);
}

#[test]
fn the_handover() {
    let asked = || words("geo", "lte");
    refused(&QuestionInput { interruption: "2.5", ..asked() }, &["--interruption: `2.5`", "unit"]);
    refused(&QuestionInput { interruption: "-1 s", ..asked() }, &["--interruption", "must not be negative"]);
    refused(&QuestionInput { stay: "0 s", ..asked() }, &["--stay: `0 s`", "longer than zero"]);
    refused(&QuestionInput { stay: "ever", ..asked() }, &["--stay: `ever`", "--stay forever"]);
    refused(
        &QuestionInput { file: None, ..asked() },
        &["--file: missing: what does the flow send?", "--horizon \"60 s\""],
    );
    refused(&QuestionInput { file: Some("0 B"), ..asked() }, &["--file: the file must not be empty"]);
    refused(&QuestionInput { file: Some("10 Mb"), ..asked() }, &["--file: `10 Mb`", "MB"]);
    // A tenth of a year, 877 h, at 965 kbit/s is 381 GB.
    let endless = ["--file: 99999 TB takes", "h at 965 kbit/s", "tip: use a file smaller than 381 GB"];
    refused(&QuestionInput { file: Some("99999TB"), ..asked() }, &endless);
    refused(&QuestionInput { file: Some("382 GB"), ..asked() }, &["--file: 382 GB takes 879 h"]);
    for (file, stay) in [("380 GB", "forever"), ("1 MB", "8760 h")] {
        let asked = QuestionInput { file: Some(file), stay, interruption: "8000 h", ..asked() };
        assert!(Question::read(&asked).is_ok(), "{file}, {stay}");
    }
    refused(&QuestionInput { horizon: Some("9 s"), ..asked() }, &["give --file or --horizon"]);
    let early = QuestionInput { file: None, horizon: Some("2 s"), ..asked() };
    refused(&early, &["--horizon: `2 s`: the handover comes later, 5.5 s after the start"]);
    refused(&QuestionInput { forward: Some("50"), ..asked() }, &["--forward: `50`"]);
    refused(
        &QuestionInput { forward: Some("0 packets"), ..asked() },
        &["--forward: the buffer must not be empty"],
    );
    refused(&QuestionInput { variant: "cubik", ..asked() }, &["--variant: there is no `cubik`", "`cubic`"]);
    refused(&QuestionInput { profile: "linus", ..asked() }, &["--profile: there is no `linus`", "`linux`"]);
}

/// Tables are copied into the scenario, whose errors are passed on.
#[test]
fn a_table_with_an_error_is_rejected_by_the_scenario_reader() {
    let asked = words("geo, loss={ model = \"bernouli\", probability = \"1 %\" }", "lte");
    let question = Question::read(&asked).unwrap();
    let watch = Watch { stop: &AtomicBool::new(false), begins: &|_| {}, finished: &|| {} };
    let Err(AdviseError::Scenario(diagnostics)) = advise(&question, watch, None) else { panic!("it runs") };
    assert!(diagnostics.render(false).contains("a similar value exists: `bernoulli`"));
}

/// A link may have the maximum rate; the wired links before it are no faster then, and the whole is a valid scenario.
#[test]
fn the_fastest_possible_link_is_accepted() {
    let asked = QuestionInput {
        seeds: 1,
        at: Some("1 ms"),
        ..words("rate=100 Tbit/s, round_trip=1 ms, queue=100 packets", "wifi")
    };
    common::answer(&asked);
    refused(&words("geo, rate=1001 Tbit/s", "wifi"), &["--from, rate: `1001 Tbit/s`", "1000 Tbit/s"]);
}
