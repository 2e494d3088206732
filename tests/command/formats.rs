//! Results in the formats of others: iperf3, xplot, CSV.

use crate::support::{assert_contains, folder, refuses, scenario, succeeds, table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SHORT: [&str; 5] = ["--seeds", "2", "--quiet", "--set", "duration=6 s"];

fn run(more: &[&str], folder: &Path) -> String {
    succeeds(&[&["run", &scenario("quickstart.toml")][..], &SHORT, more].concat(), folder)
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// All keys of a JSON value as paths; arrays stand for their first element.
fn keys(path: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| keys(&format!("{path}.{key}"), value, found))
        }
        Value::Array(values) => values.first().into_iter().for_each(|value| keys(path, value, found)),
        _ => found.push(path.to_owned()),
    }
}

/// Keys of `iperf3 --json --client HOST` (iperf 3.12) that say something about sockets of a host.
const OF_SOCKETS: [&str; 6] = [
    ".start.cookie",
    ".start.sock_bufsize",
    ".start.sndbuf_actual",
    ".start.rcvbuf_actual",
    ".intervals.streams.snd_wnd",
    ".end.streams.sender.max_snd_wnd",
];

/// All its other keys.
const OF_IPERF3: &str = include_str!("../support/iperf3-keys.txt");

#[test]
fn every_run_has_a_result_with_the_keys_of_iperf3() {
    let folder = folder();
    let document = run(&["--iperf3", "out", "--format", "json"], folder.path());
    let document: Value = serde_json::from_str(&document).unwrap();
    let names = ["1-newreno-seed1", "1-newreno-seed2", "5-cubic-seed2"];
    for name in names {
        let mut found = Vec::new();
        keys("", &read(&folder.path().join(format!("out/{name}-main.json"))), &mut found);
        let wanted: Vec<&str> = OF_IPERF3.lines().filter(|key| !OF_SOCKETS.contains(key)).collect();
        let missing: Vec<_> = wanted.iter().filter(|key| !found.iter().any(|it| it == *key)).collect();
        assert!(missing.is_empty() && wanted.len() > 60, "{name} lacks {missing:?}");
        let more: Vec<_> = found.iter().filter(|key| !wanted.contains(&key.as_str())).collect();
        assert_eq!(more, [".extra_data", ".title"], "what iperf3 writes with --title and --extra-data");
    }
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 5 * 2);
    for (cell, name) in ["1-newreno", "2-sack", "3-westwood+", "4-vegas", "5-cubic"].iter().enumerate() {
        for seed in 0..2 {
            let result = read(&folder.path().join(format!("out/{name}-seed{}-main.json", seed + 1)));
            assert_agrees(&result, &document["cells"][cell]["runs"][seed]["flows"][0]);
        }
    }
}

/// The numbers are those of the record of the run, and of the sums over intervals.
fn assert_agrees(result: &Value, record: &Value) {
    let end = &result["end"];
    assert_eq!(end["sum_received"]["bits_per_second"], record["goodput_bits_per_second"]);
    assert_eq!(end["sum_received"]["bytes"], record["delivered_bytes"]);
    assert_eq!(end["sum_sent"]["retransmits"], record["retransmissions"]);
    let intervals = result["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 6);
    for key in ["bytes", "retransmits"] {
        let sum: u64 = intervals.iter().map(|interval| interval["sum"][key].as_u64().unwrap()).sum();
        assert_eq!(end["sum_sent"][key], sum, "{key}");
    }
    let [sent, received] = ["sum_sent", "sum_received"].map(|sum| end[sum]["bytes"].as_u64().unwrap());
    assert!(received <= sent && sent < received + 200_000, "{received} of {sent} bytes");
    for interval in intervals {
        let stream = &interval["streams"][0];
        // The link has a round-trip time of 40 ms and a queue of 50 packets at 10 Mbit/s.
        let round_trip = stream["rtt"].as_u64().unwrap();
        assert!((40_000..110_000).contains(&round_trip), "{round_trip} us");
        let window = stream["snd_cwnd"].as_u64().unwrap();
        assert!((1000..200_000).contains(&window), "{window} bytes");
    }
}

/// As after `iperf3 --omit`: intervals of the warm-up come first, and times begin again.
#[test]
fn a_warm_up_is_omitted_and_copies_are_streams() {
    let folder = folder();
    let set = [
        "--set",
        "warm_up=2500 ms",
        "--set",
        "flow.main.count=3",
        "--set",
        "grid.flow.main.variant=[\"cubic\"]",
    ];
    let document = run(&[&set[..], &["--iperf3", "out", "--json"]].concat(), folder.path());
    let document: Value = serde_json::from_str(&document).unwrap();
    let result = read(&folder.path().join("out/cubic-seed1-main.json"));
    let sums: Vec<(f64, f64, bool)> = result["intervals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interval| {
            let sum = &interval["sum"];
            (sum["start"].as_f64().unwrap(), sum["end"].as_f64().unwrap(), sum["omitted"].as_bool().unwrap())
        })
        .collect();
    let omitted = [(0.0, 1.0, true), (1.0, 2.0, true), (2.0, 2.5, true)];
    let measured = [(0.0, 1.0, false), (1.0, 2.0, false), (2.0, 3.0, false), (3.0, 3.5, false)];
    assert_eq!(sums, [&omitted[..], &measured].concat());
    assert_eq!(result["start"]["test_start"]["omit"], 2.5);
    assert_eq!(result["start"]["test_start"]["num_streams"], 3);
    let record = &document["cells"][0]["runs"][0]["flows"][0];
    assert_eq!(result["end"]["sum_received"]["bits_per_second"], record["goodput_bits_per_second"]);
    for (stream, rate) in result["end"]["streams"]
        .as_array()
        .unwrap()
        .iter()
        .zip(record["copies_bits_per_second"].as_array().unwrap())
    {
        assert_eq!(&stream["receiver"]["bits_per_second"], rate);
    }
}

/// One drawing command of xplot: its name, coordinates and the colour that it is drawn in.
type Drawn = (String, Vec<f64>, String);

/// Read an xplot file as xplot does: the header, then commands, of which those for text have a line of their own.
fn xplot(text: &str) -> Vec<Drawn> {
    const COLOURS: [&str; 10] =
        ["white", "green", "red", "blue", "yellow", "purple", "orange", "magenta", "pink", "window"];
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timeval double"));
    let (mut colour, mut drawn) = (String::new(), Vec::new());
    while let Some(line) = lines.next() {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap_or_else(|_| panic!("{line}"))).collect();
        match (name, numbers.len()) {
            ("title" | "xlabel" | "ylabel", 0) => assert!(!lines.next().unwrap().is_empty()),
            (name, 0) if COLOURS.contains(&name) => name.clone_into(&mut colour),
            ("go", 0) => return drawn,
            ("atext", 2) => drawn.push((lines.next().unwrap().to_owned(), numbers, colour.clone())),
            ("line", 4) | ("darrow" | "uarrow" | "dtick" | "utick" | "htick", 2) => {
                drawn.push((name.to_owned(), numbers, colour.clone()));
            }
            _ => panic!("xplot knows no {line:?}"),
        }
    }
    panic!("the file does not end with `go`");
}

#[test]
fn the_first_run_of_each_cell_has_a_time_sequence_graph() {
    let folder = folder();
    let document = run(&["--xplot", "graphs", "--events", "events", "--json"], folder.path());
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(fs::read_dir(folder.path().join("graphs")).unwrap().count(), 5, "one flow of five cells");
    let graph = fs::read_to_string(folder.path().join("graphs/2-sack-seed1-main.xpl")).unwrap();
    assert_contains(&graph, &["title\nmain (time sequence graph)\nxlabel\ntime\nylabel\nsequence number\n"]);
    let drawn = xplot(&graph);
    let of = |name: &'static str, colour: &'static str| {
        drawn.iter().filter(move |it| it.0 == name && it.2 == colour)
    };
    let events = fs::read_to_string(folder.path().join("events/2-sack-seed1.csv")).unwrap();
    let is_sent = |row: &&str| row.split(",").nth(1) == Some("server");
    let rows: Vec<&str> = events.lines().filter(is_sent).collect();
    let count = |event: &str| rows.iter().filter(|row| row.split(",").nth(2) == Some(event)).count();
    assert_eq!(of("uarrow", "white").count(), count("segment sent"));
    assert_eq!(of("uarrow", "red").count(), count("segment sent again"));
    let retransmissions = document["cells"][1]["runs"][0]["flows"][0]["retransmissions"].as_u64().unwrap();
    assert!(retransmissions > 10);
    assert_eq!(of("R", "red").count() as u64, retransmissions);
    assert!(of("S", "purple").count() > 20 && of("dtick", "green").count() > 20);
    // Acknowledgments never go back, and the window is above them.
    let ends = |colour| of("line", colour).map(|it| (it.1[2], it.1[3])).collect::<Vec<_>>();
    let acknowledged = ends("green");
    assert!(acknowledged.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
    let delivered = document["cells"][1]["runs"][0]["flows"][0]["delivered_bytes"].as_f64().unwrap();
    assert!((acknowledged.last().unwrap().1 - delivered).abs() < 100_000.0);
    let window: BTreeMap<u64, f64> =
        ends("yellow").iter().map(|(time, edge)| ((time * 1e6) as u64, *edge)).collect();
    assert!(acknowledged.iter().all(|(time, position)| window[&((time * 1e6) as u64)] >= *position));
}

/// The header and the rows of CSV (RFC 4180).
fn csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    for letter in text.chars() {
        let row = rows.last_mut().unwrap();
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            letter => row.last_mut().unwrap().push(letter),
        }
    }
    assert_eq!(rows.pop().unwrap(), [""], "the last line has an end");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{text}");
    rows
}

#[test]
fn tables_are_printed_as_csv() {
    let folder = folder();
    let printed = run(&["--format", "csv", "--report", "out"], folder.path());
    let (_, written) = table(&folder.path().join("out/outcomes.csv"));
    assert_eq!(printed.lines().collect::<Vec<_>>(), written, "what a report writes");
    let file = scenario("quickstart.toml");
    let swept = [&["sweep", &file, "--out", "sweep", "--format", "csv"][..], &SHORT].concat();
    assert_eq!(succeeds(&swept, folder.path()), printed, "a sweep of the same runs");
    for (arguments, columns, rows) in [
        (vec!["compare", "sweep", "sweep"], "cell,flow,measure,pairs,a_mean,b_mean,difference_mean", 5),
        (vec!["list", "variants"], "kind,name,about,source", 8),
        (vec!["list", "--historical"], "kind,name,about,source", 3),
        (vec!["paper"], "paper,summary", 5),
        (vec!["explain"], "code,title,meaning,place,rejected,instead", 20),
        (vec!["model", "obtcp", "--sweep", "p1=0:0.2:0.1"], "p1,", 3),
    ] {
        let text = succeeds(&[&arguments[..], &["--format", "csv"]].concat(), folder.path());
        let uncommented: String =
            text.lines().filter(|line| !line.starts_with('#')).map(|it| format!("{it}\n")).collect();
        let table = csv(&uncommented);
        assert!(table[0].join(",").starts_with(columns), "{arguments:?}: {:?}", table[0]);
        assert!(table.len() > rows, "{arguments:?}: {text}");
    }
    assert_contains(
        &succeeds(&["list", "keys", "--format", "csv"], folder.path()),
        &["keys,link.NAME.rate,"],
    );
}

#[test]
fn json_is_a_synonym_and_formats_exclude_each_other() {
    let folder = folder();
    for arguments in [&["list", "agents"][..], &["paper"], &["model", "obtcp"]] {
        let json = |option: &[&str]| succeeds(&[arguments, option].concat(), folder.path());
        let text = json(&["--json"]);
        assert_eq!(text, json(&["--format", "json"]));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        let refusal = refuses(&[arguments, &["--json", "--format", "csv"]].concat(), folder.path());
        assert_contains(&refusal, &["'--json' cannot be used with '--format <FORMAT>'"]);
        let refusal = refuses(&[arguments, &["--format", "xml"]].concat(), folder.path());
        assert_contains(&refusal, &["[possible values: table, csv, json]"]);
    }
}

#[test]
fn folders_that_cannot_be_written_are_refused_before_the_run() {
    let folder = folder();
    fs::write(folder.path().join("occupied"), "a file, not a folder").unwrap();
    for option in ["--xplot", "--iperf3"] {
        let refusal = refuses(&["run", &scenario("quickstart.toml"), option, "occupied"], folder.path());
        assert_contains(
            &refusal,
            &[option, "cannot write to `occupied`: it is a file, not a directory", "tip: "],
        );
    }
}
