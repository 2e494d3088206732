//! `seamline paper`

use crate::support::{assert_contains, folder, refuses, succeeds, table};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SHORT: [&str; 9] =
    ["paper", "e", "--seeds", "2", "--duration", "20 s", "--no-readings", "--out", "out"];
const VERDICTS: [&str; 4] = ["reproduced", "direction_only", "not_reproduced", "inconclusive"];

/// One entry for each claim, whatever the verdicts; the same again without running anything, and the rest of a run
/// that was begun.
#[test]
fn claims_are_judged_and_runs_kept() {
    let folder = folder();
    let text = succeeds(&SHORT, folder.path());
    let path = folder.path().join("out/claims.json");
    let first = fs::read_to_string(&path).unwrap();
    let claims: Vec<Value> = serde_json::from_str(&first).unwrap();
    let ids: Vec<&str> = claims.iter().filter_map(|claim| claim["id"].as_str()).collect();
    assert_eq!(ids, ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10"]);
    for claim in &claims {
        for key in ["statement", "paper", "accept", "measured", "ci95", "cells", "verdict", "note"] {
            assert!(claim.get(key).is_some(), "{key} of {claim}");
        }
        assert!(VERDICTS.contains(&claim["verdict"].as_str().unwrap()), "{claim}");
        assert_contains(&text, &[claim["statement"].as_str().unwrap()]);
    }
    let cells = claims[0]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 8 + 2, "four TCPs under two error models, and the two models");
    assert_page(&folder.path().join("out"), &claims);
    let stored = folder.path().join("out/fig3/runs.jsonl");
    let runs = fs::read_to_string(&stored).unwrap();
    assert_eq!(runs.lines().count(), 48);
    let kept: Vec<&str> = runs.lines().take(40).collect();
    fs::write(&stored, kept.join("\n") + "\n").unwrap();
    assert_eq!(succeeds(&SHORT, folder.path()), text);
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    let again = fs::read_to_string(&stored).unwrap();
    assert_eq!(again.lines().count(), 48);
    assert!(again.starts_with(&kept.join("\n")), "what was there is kept");
}

/// Papers with lines over a parameter, curves over time, a closed form and an ablation: all of them on the page and next to it,
/// each with its unit, and a claim for each that was fixed.
#[test]
fn other_papers_have_their_pictures() {
    /// What its picture is called, and words in it.
    type Drawn<'a> = (&'a str, &'a [&'a str]);
    let papers: [(&str, &str, usize, &[Drawn<'_>]); 4] = [
        (
            "V",
            "70 s",
            6,
            &[
                ("fig4", &["throughput (kb/s)", "mobility-vegas"]),
                ("fig5", &["throughput (kb/s)", "time (s)", "handover, until reachable"]),
                ("table1", &["lost at a handover (packets)"]),
                ("stall", &["stall at a handover (s)"]),
                ("detour", &["closed form: alpha - 1/2, as ns-2 rounds", "abroad (ms)"]),
            ],
        ),
        (
            "L",
            "60 s",
            6,
            &[
                (
                    "fig4",
                    &["throughput (kb/s)", "share of packets lost on the wireless link", "0.001", "eln-ack"],
                ),
                ("fig6", &["snoop", "split"]),
                ("fig2-air", &["bs", "(air: 0)", "until all that was lost has arrived"]),
                ("fig2-congestion", &["(congestion: 1)"]),
            ],
        ),
        (
            "O",
            "60 s",
            9,
            &[
                ("fig5", &["data 12–15, lost (4 packets)"]),
                ("fig6", &["SNACK 12–15"]),
                ("fig24-time-7-window", &["window"]),
                ("fig8", &["R_gain, recovery time saved (ms)", "closed form, no simulation", "p2 = 0.05"]),
                ("fig16", &["gain in throughput (%)", "p1 = 0.1", "p1 = 0.2"]),
                ("fig24", &["equation 16: Snoop", "equation 20: all of a window repaired by one"]),
                ("fig26", &["fairness index", "flows of each kind"]),
                ("model-snoop", &["simulation over closed form (%)", "d1 = 50 ms, d2 = 5 ms"]),
            ],
        ),
        (
            "X",
            "130 s",
            4,
            &[
                ("fig2", &["time (s)", "smoothed round-trip time (ms)", "handover, until reachable"]),
                ("fig3", &["round-trip time forgotten", "frozen"]),
                ("fig5", &["time (s)", "modified"]),
                ("fig6", &["handover time t* (s)", "data transfer time (s)", "satellite alone"]),
                ("fig7", &["stay in the WLAN, T_WLAN (s)"]),
                ("ablation", &["all but freeze", "ECLAIR: restore"]),
            ],
        ),
    ];
    for (paper, duration, claims, pictures) in papers {
        let folder = folder();
        let arguments =
            ["paper", paper, "--seeds", "1", "--duration", duration, "--no-readings", "--out", "out"];
        succeeds(&arguments, folder.path());
        let out = folder.path().join("out");
        let judged: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(out.join("claims.json")).unwrap()).unwrap();
        assert_eq!(judged.len(), claims, "{paper}");
        if paper == "V" {
            let other = &judged[0]["other_programs"][0];
            assert!(other["program"].as_str().unwrap().contains("ns-2 2.35"), "{other}");
            assert_contains(&fs::read_to_string(out.join("report.html")).unwrap(), &["2.81 to 3.23 Mb/s"]);
        }
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        for (name, wanted) in pictures {
            let svg = fs::read_to_string(out.join(name).with_extension("svg")).unwrap();
            assert_contains(&svg, wanted);
            // Those over time are one figure of the page each, with a title of their own.
            if name.contains("-time-") {
                continue;
            }
            let title = svg.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
            assert_contains(&page, &[title, "Runs over time"]);
        }
    }
}

/// The page has every claim with its verdict, and everything lies next to it; the tables say what claims.json says.
fn assert_page(out: &Path, claims: &[Value]) {
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for claim in claims {
        let id = claim["id"].as_str().unwrap();
        let from = page.find(&format!("<tr id=\"claim-{id}\"")).unwrap();
        let row = &page[from..from + page[from..].find("</tr>").unwrap()];
        let verdict = claim["verdict"].as_str().unwrap().replace('_', " ");
        assert_contains(row, &[&format!("&nbsp;{verdict}</span>"), claim["where"].as_str().unwrap()]);
    }
    for figure in ["fig3", "fig4", "table2", "fig6"] {
        let svg = fs::read_to_string(out.join(figure).with_extension("svg")).unwrap();
        assert_contains(&svg, &["<svg", "kb/s"]);
        let (drawn, from) = svg.split_once("<metadata>").expect("where it comes from");
        // Its style in the dark is that of the page there.
        let (before, style) = drawn.split_once("<style>").expect("a style for the dark");
        let (_, after) = style.split_once("</style>\n").unwrap();
        assert!(page.contains(&format!("{before}{after}</svg>")), "{figure} is in the page as well");
        assert_contains(from, &["reproduce: seamline paper E", "scenario_blake3: "]);
    }
    // NewReno with EHN, and without a scheme: cells 12 and 7 of the grid.
    for picture in
        ["fig3-time-12-sequence", "fig3-time-7-window", "table2-time-4-round-trip", "fig6-time-2-queues"]
    {
        let svg = fs::read_to_string(out.join(picture).with_extension("svg")).unwrap();
        assert_contains(&svg, &["<svg", "seed 1", "reproduce: seamline paper E"]);
    }
    assert_contains(&page, &["id=\"stage\"", "newreno, original", "id=\"run-11\""]);
    assert!((300_000..6_000_000).contains(&page.len()), "{} bytes", page.len());
    for table in ["cells", "claims", "claim_cells"] {
        for ending in ["csv", "parquet"] {
            assert!(out.join(table).with_extension(ending).exists(), "{table}.{ending}");
        }
    }
    let (comments, rows) = table(&out.join("claims.csv"));
    assert!(comments.iter().any(|line| line.starts_with("# reproduce: seamline paper E ")), "{comments:?}");
    assert_eq!(rows.len(), 1 + claims.len());
    let rows = rows.join("\n");
    for claim in claims {
        let measured = claim["measured"].as_f64().unwrap().to_string();
        assert_contains(&rows, &[&format!(",{measured},"), claim["verdict"].as_str().unwrap()]);
    }
    let (_, cells) = table(&out.join("cells.csv"));
    assert_eq!(cells.len(), 1 + 24 + 24 + 12 * 7 + 3 * 7, "a row for each flow of each cell");
}

/// The reading taken is shown over the seeds of the others, too. What a reading measures in another way has a mark.
#[test]
fn readings_have_seeds_and_measures_of_their_own() {
    let folder = folder();
    let arguments = ["paper", "O", "--seeds", "4", "--duration", "5 s", "--out", "out"];
    let text = succeeds(&arguments, folder.path());
    let lines = [
        "as taken (4 seeds)",
        "as taken (3 seeds, like the others)",
        "wired-delay: 500 ms (text, 4 seeds)",
        "the gain is the gain in time until a loss is repaired (text, 3 seeds)",
        " ms † ",
    ];
    assert_contains(&text, &lines);
}

/// Each other reading of a silent point is a line next to the reading taken; the page and the tables have the same.
#[test]
fn other_readings_stand_next_to_the_reading_taken() {
    let folder = folder();
    let arguments = ["paper", "E", "--seeds", "4", "--duration", "10 s", "--out", "out"];
    let text = succeeds(&arguments, folder.path());
    let lines = [
        "as taken (4 seeds)",
        "minimum-rto: 200 ms (ns-2 since 2004) (history, 4 seeds)",
        "window-limit: 64 packets, what a window of 16 bits holds (history, 4 seeds)",
        "(4 seeds; other readings 4 seeds)",
        "of 10 reproduced by the readings taken or by another that was not found by search",
        "out/report.html",
    ];
    assert_contains(&text, &lines);
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert_contains(&page, &["all 4 seeds", "minimum-rto", "paper: 566.43", "duration=10 s"]);
    let (_, readings) = table(&folder.path().join("out/readings.csv"));
    assert_eq!(readings.len(), 1 + 7 * (1 + 9), "seven claims as taken, and nine times otherwise");
    let claims = fs::read_to_string(folder.path().join("out/claims.json")).unwrap();
    let claims: Vec<Value> = serde_json::from_str(&claims).unwrap();
    let tried = claims[0]["readings"].as_array().unwrap();
    assert_eq!(tried.len(), 9, "each with its verdict");
    for reading in tried {
        assert!(VERDICTS.contains(&reading["verdict"].as_str().unwrap()), "{reading}");
        assert!(["text", "history", "search"].contains(&reading["ground"].as_str().unwrap()), "{reading}");
    }
    assert_contains(&text, &["under other readings", "minimum-rto: 1.5 s (search)"]);
    seamline_testing::in_browser("paper.mjs", &folder.path().join("out/report.html"));
}

/// Networks of today: tables, maps and conclusions, in words and as data; resumed where it was left.
#[test]
fn beyond_the_paper() {
    let folder = folder();
    let arguments =
        ["paper", "E", "--seeds", "1", "--duration", "15 s", "--no-readings", "--beyond", "--out", "out"];
    let text = succeeds(&arguments, folder.path());
    assert_contains(&text, &["Beyond the paper", "What to conclude:", "inconclusive with so few seeds"]);
    let path = folder.path().join("out/beyond.json");
    let first = fs::read_to_string(&path).unwrap();
    let found: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(found["provenance"].as_array().unwrap().len(), 7);
    let comparisons = found["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 3);
    for comparison in comparisons {
        assert_contains(&text, &[comparison["title"].as_str().unwrap()]);
        let rows = comparison["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 16, "two TCPs, two fates of buffers, four schemes");
        for row in rows.iter().filter(|row| row["scheme"] == "none") {
            assert_eq!(row["factor"]["mean"], 1.0);
        }
    }
    let maps = found["maps"].as_array().unwrap();
    assert_eq!(maps.len(), 4);
    for map in maps {
        assert_eq!(map["x"], serde_json::json!(["none", "60 ms", "150 ms", "320 ms", "1 s"]));
        assert_eq!(map["y"].as_array().unwrap().len(), 4);
        let none = map["schemes"].as_array().unwrap().iter().find(|it| it["scheme"] == "none").unwrap();
        let fields = none["factor"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
        assert!(fields.clone().count() == 20 && fields.into_iter().all(|field| field["mean"] == 1.0));
        let name = format!("out/beyond-{}.svg", map["scenario"].as_str().unwrap());
        let svg = fs::read_to_string(folder.path().join(name)).unwrap();
        assert_contains(&svg, &["<svg", map["title"].as_str().unwrap(), ">freeze<"]);
    }
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert_contains(
        &page,
        &["id=\"beyond\"", "Beyond the paper", "False alarms", "another satellite every 15 s"],
    );
    let rows = |name: &str| table(&folder.path().join(name)).1.len();
    assert!(rows("out/beyond_comparisons.csv") > 48 && rows("out/beyond_maps.csv") > 4 * 40);
    for conclusion in found["conclusions"].as_array().unwrap() {
        assert_eq!(conclusion["standing"], "inconclusive", "{conclusion}");
        assert_contains(&text, &[conclusion["id"].as_str().unwrap()]);
    }
    let stored = folder.path().join("out/beyond/lte/runs.jsonl");
    let runs = fs::read_to_string(&stored).unwrap();
    assert_eq!(runs.lines().count(), 16);
    let kept: Vec<&str> = runs.lines().take(9).collect();
    fs::write(&stored, kept.join("\n") + "\n").unwrap();
    assert_eq!(succeeds(&arguments, folder.path()), text);
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    assert!(fs::read_to_string(&stored).unwrap().starts_with(&kept.join("\n")), "what was there is kept");
}

#[test]
fn what_is_missing_is_named() {
    let folder = folder();
    assert_contains(&succeeds(&["paper"], folder.path()), &["seamline paper E "]);
    assert_contains(&refuses(&["paper", "Z", "--out", "out"], folder.path()), &["there is no paper \"Z\""]);
    // Where results go without --out.
    fs::write(folder.path().join("paper-E"), "").unwrap();
    assert_contains(&refuses(&["paper", "E"], folder.path()), &["paper-E"]);
    let duration = ["paper", "E", "--duration", "5 parsecs", "--out", "out"];
    assert_contains(&refuses(&duration, folder.path()), &["duration"]);
}
