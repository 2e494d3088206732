//! Handovers in reports and records when several overlap, or one begins before the previous one is over.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{HandoverRecord, RunRecord};
use seamline_experiment::{CellResult, RunOptions, run};
use seamline_report::series::{HandoverBand, RunSeries};

const TRAIN: &str = include_str!("../../../../scenarios/train-wifi.toml");
const MOBILE: &str = include_str!("../../../../scenarios/mobile-ip.toml");
const ONE_TRAIN: [&str; 2] =
    ["grid.flow.download.variant=[\"cubic\"]", "grid.flow.download.tcp.minimum_rto=[\"1 s\"]"];
const ONE_MOBILE: [&str; 3] = [
    "grid.flow.download.variant=[\"newreno\"]",
    "cell.cell1.loss.probability=\"0 %\"",
    "cell.cell2.loss.probability=\"0 %\"",
];

fn first_cell(text: &str, given: [&[&str]; 2], options: &RunOptions) -> CellResult {
    run(&plan(text, &given.concat()), options, &|| ()).unwrap().swap_remove(0)
}

fn over_time(text: &str, given: [&[&str]; 2]) -> (RunRecord, RunSeries) {
    let options = RunOptions { cells_over_time: 1, ..RunOptions::default() };
    let mut result = first_cell(text, given, &options);
    (result.runs.swap_remove(0), result.series.unwrap())
}

/// Without error every announcement has the exact lead time.
#[test]
fn a_report_has_the_time_of_announcements() {
    let train = ["seeds=[1]", "duration=30 s", "link.wifi.notice={ to = \"train\", lead = \"200 ms\" }"];
    let mobile = ["seeds=[1]", "duration=20 s", "mobile.mobile.notice={ lead = \"200 ms\" }"];
    let both = [(TRAIN, [&ONE_TRAIN[..], &train]), (MOBILE, [&ONE_MOBILE[..], &mobile])];
    for (text, given) in both {
        let (_, series) = over_time(text, given);
        assert_eq!(series.handovers.len(), 3, "{:?}", series.handovers);
        for band in &series.handovers {
            let lead = band.start_s - band.predicted_s.expect("an announcement");
            assert!((lead - 0.2).abs() < 1e-9, "{band:?}");
        }
    }
}

/// Half of the announcements are lost, so a run has both kinds of handovers.
#[test]
fn a_handover_without_an_announcement_shows_none() {
    let given = ["seeds=[1]", "duration=100 s", "link.wifi.notice.lost=50 %"];
    let (_, series) = over_time(TRAIN, [&ONE_TRAIN, &given]);
    let leads: Vec<Option<f64>> =
        series.handovers.iter().map(|band| Some(band.start_s - band.predicted_s?)).collect();
    assert_eq!(leads.len(), 12);
    assert!(leads.contains(&None), "{leads:?}");
    // 200 ms ± 100 ms.
    let announced: Vec<f64> = leads.into_iter().flatten().collect();
    assert!(announced.len() > 2 && announced.iter().all(|lead| (0.1..0.3).contains(lead)), "{announced:?}");
}

#[test]
fn a_capture_shows_an_expected_handover() {
    let train = ["seeds=[1]", "duration=10 s", "link.wifi.notice.lost=0 %"];
    let mobile = ["seeds=[1]", "duration=6 s", "mobile.mobile.notice={ lead = \"200 ms\" }"];
    let both = [
        (TRAIN, [&ONE_TRAIN[..], &train], "handover of link wifi"),
        (MOBILE, [&ONE_MOBILE[..], &mobile], "handover of node mobile"),
    ];
    for (text, given, what) in both {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
        let bytes = std::fs::read(&first_cell(text, given, &options).files[0]).unwrap();
        let found = |words: &str| {
            let words = format!("{what} {words}");
            bytes.windows(words.len()).filter(|window| *window == words.as_bytes()).count()
        };
        assert_eq!((found("is expected"), found("begins")), (1, 1), "{what}");
    }
}

/// A link has a handover of its own while the mobile node detects its movement.
#[test]
fn mobility_events_belong_to_the_nodes_own_handover() {
    let given =
        ["seeds=[1]", "duration=12 s", "link.wired.handover={ at = \"5.001 s\", interruption = \"5 ms\" }"];
    let (record, series) = over_time(MOBILE, [&ONE_MOBILE, &given]);
    let of = |link: &str| -> Vec<&HandoverBand> {
        series.handovers.iter().filter(|band| band.link == link).collect()
    };
    let [wired] = of("wired")[..] else { panic!("{:?}", series.handovers) };
    assert_eq!((wired.movement_detected_s, wired.registered_s), (None, None));
    let met: Vec<&HandoverRecord> =
        record.flows[0].handovers.iter().filter(|met| met.link == "mobile").collect();
    assert_eq!((met.len(), of("mobile").len()), (2, 2));
    for (band, met) in of("mobile").iter().zip(met) {
        let after = |millis: Option<f64>| millis.map(|millis| met.start_s + millis / 1e3);
        let near = |one: Option<f64>, other: Option<f64>| (one.unwrap() - other.unwrap()).abs() < 1e-9;
        assert!(near(band.movement_detected_s, after(met.movement_detected_ms)), "{band:?} {met:?}");
        assert!(near(band.registered_s, after(met.registered_ms)), "{band:?} {met:?}");
    }
}

/// A registration takes 58 ms to the home agent; the node stays in a radio cell for 110 ms and is in none for the
/// next 200 ms. Whatever the home agent learns then, the node is unreachable.
#[test]
fn a_node_outside_all_radio_cells_is_unreachable() {
    let given = [
        "seeds=3",
        "duration=20 s",
        "mobile.mobile.protocol.home_agent=sender",
        "mobile.mobile.movement={ first = \"3 s\", every = \"310 ms\", interruption = \"200 ms\" }",
    ];
    let result = first_cell(MOBILE, [&ONE_MOBILE, &given], &RunOptions::default());
    let handovers = result.runs.iter().flat_map(|run| &run.flows[0].handovers);
    let interruptions: Vec<Option<f64>> = handovers.map(|handover| handover.interruption_ms).collect();
    let reached: Vec<f64> = interruptions.iter().copied().flatten().collect();
    assert!(reached.iter().all(|millis| (258.0..310.0).contains(millis)), "{reached:?}");
    let share = reached.len() as f64 / interruptions.len() as f64;
    // The next advertisement comes uniformly within 100 ms; in the first 52 ms it is early enough.
    assert!(interruptions.len() > 150 && (0.3..0.7).contains(&share), "{share} {interruptions:?}");
}

/// An unused link is down for three seconds; data must still count as arrived after a handover of the used link.
#[test]
fn an_ongoing_handover_elsewhere_does_not_hide_the_first_data() {
    let given = [
        "seeds=[1]",
        "duration=5 s",
        "link.to-bs2.handover={ at = \"1 s\", interruption = \"3 s\" }",
        "link.to-bs1.handover={ at = \"2 s\", interruption = \"50 ms\" }",
    ];
    let result = first_cell(MOBILE, [&ONE_MOBILE, &given], &RunOptions::default());
    let [other, used] = &result.runs[0].flows[0].handovers[..] else { panic!("{:?}", result.runs[0].flows) };
    assert_eq!((other.link.as_str(), used.link.as_str()), ("to-bs2", "to-bs1"));
    let (first, first_of_other) = (used.first_data_ms.unwrap(), other.first_data_ms.unwrap());
    // Nothing is lost: held packets arrive at once, otherwise the next segments after a round trip of 116 ms plus
    // queueing.
    assert!((50.0..300.0).contains(&first), "{first}");
    assert!((3000.0..3100.0).contains(&first_of_other), "{first_of_other}");
}

/// Each node can use two base stations, and a separate link connects each pair: the last one carries the flow only
/// after both nodes have moved.
#[test]
fn a_link_between_two_later_radio_cells_is_on_the_path_of_a_flow() {
    let mut text =
        "duration = \"4 s\"\nnodes = [\"a\", \"b\", \"c\", \"d\", \"one\", \"other\"]\n".to_owned();
    let keys = "rate = \"10 Mbit/s\"\none_way_delay = \"5 ms\"";
    for ends in [["a", "c"], ["b", "c"], ["a", "d"], ["b", "d"]] {
        text += &link(&ends.concat(), ends, keys);
    }
    for cell in ["a", "b", "c", "d"] {
        text += &format!("[[cell]]\nname = \"at-{cell}\"\nbase_station = \"{cell}\"\n{keys}\n");
    }
    for (node, cells) in [("one", "\"at-a\", \"at-b\""), ("other", "\"at-c\", \"at-d\"")] {
        text += &format!("[[mobile]]\nname = \"{node}\"\ncells = [{cells}]\n");
        text += "movement = { every = \"2 s\" }\nprotocol = { kind = \"none\" }\n";
    }
    text += &flow("main", ["one", "other"], "variant = \"newreno\"");
    let handover = "link.bd.handover={ at = \"3 s\", interruption = \"100 ms\" }";
    let record = first_cell(&text, [&[handover], &[]], &RunOptions::default()).runs.swap_remove(0);
    let met: Vec<(&str, f64)> =
        record.flows[0].handovers.iter().map(|met| (met.link.as_str(), met.start_s)).collect();
    assert_eq!(met, [("one", 2.0), ("other", 2.0), ("bd", 3.0)]);
    let carried = record.links.iter().find(|link| link.name == "bd/down").unwrap().delivered_packets;
    assert!(carried > 100, "{carried}");
}
