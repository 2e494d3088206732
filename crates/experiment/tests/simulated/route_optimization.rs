//! Route optimization of Mobile IPv6 in scenarios: the way of packets, what it costs, and how long a handover takes.

use crate::support::plan;
use seamline_experiment::record::{HandoverRecord, LinkRecord, RunRecord};
use seamline_experiment::{RunOptions, run};

const EXAMPLE: &str = include_str!("../../../../scenarios/mobility-protocols.toml");
const DIRECT: &str =
    "mobile.mobile.protocol={ kind = \"mobile-ipv6-route-optimization\", home_agent = \"home\" }";
const THROUGH_HOME: &str = "mobile.mobile.protocol={ kind = \"mobile-ipv6\", home_agent = \"home\" }";

/// The example without its grid.
fn text() -> String {
    EXAMPLE.split("[[grid.zip]]").next().unwrap().to_owned()
}

fn runs(text: &str, overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

fn link<'a>(run: &'a RunRecord, name: &str) -> &'a LinkRecord {
    run.links.iter().find(|link| link.name == name).unwrap()
}

fn handovers(run: &RunRecord) -> &[HandoverRecord] {
    &run.flows[0].handovers
}

/// The detour to the home network is 200 ms in each direction, so the round trip is 400 ms shorter. Data and
/// acknowledgments are 24 bytes longer all the way, and the home network sees only the beginning.
#[test]
fn packets_take_the_direct_way() {
    let small = ["seeds=1", "duration=9 s", "flow.download.tcp.window_limit=2"];
    let with = |protocol| runs(&text(), &[&[protocol], &small[..]].concat()).remove(0);
    let (direct, through_home) = (with(DIRECT), with(THROUGH_HOME));
    let least = |run: &RunRecord| run.flows[0].round_trip_min_ms.unwrap();
    let shorter = least(&through_home) - least(&direct);
    // The shortest one through the home network is that of the first segment, which is alone. On the direct way segments
    // come in pairs, and the second waits 2.4 ms at the air for the first. The links to the home network take 0.24 ms.
    assert!((397.5..398.2).contains(&shorter), "{shorter}");
    assert!((50.0..53.0).contains(&least(&direct)), "{}", least(&direct));
    let home = |run: &RunRecord| ["to-home/down", "to-home/up"].map(|name| link(run, name).delivered_packets);
    assert!(home(&direct).iter().all(|n| *n <= 16), "{:?}", home(&direct));
    assert!(home(&through_home).iter().all(|n| *n > 50), "{:?}", home(&through_home));
    let mean = |run: &RunRecord, name: &str| {
        let link = link(run, name);
        link.delivered_bytes as f64 / link.delivered_packets as f64
    };
    let means = ["wired/down", "wired/up"].map(|side| mean(&direct, side));
    // Segments of 1500 bytes and acknowledgments of 52, and few other packets.
    assert!((1500.0..1524.0).contains(&means[0]) && (74.0..76.0).contains(&means[1]), "{means:?}");
}

/// From the first advertisement in the new radio cell: the home agent is asked and answers; then the correspondent is
/// sent the update. Its care-of test ends earlier.
#[test]
fn a_handover_takes_the_answer_of_the_home_agent_and_one_way_more() {
    let ms = |bytes: f64, rate: f64| bytes * 8.0 / rate / 1e3;
    let to_anchor = |bytes| ms(bytes, 5.0) + 5.0 + ms(bytes, 10.0) + 3.0 + ms(bytes, 100.0) + 5.0;
    let there = to_anchor(96.0) + ms(96.0, 100.0) + 100.0;
    let back = to_anchor(80.0) + ms(80.0, 100.0) + 100.0;
    let to_sender = to_anchor(96.0) + ms(96.0, 100.0) + 10.0;
    let expected = there + back + to_sender;
    let overrides = [DIRECT, "seeds=5", "duration=40 s", "flow.download.tcp.window_limit=2"];
    for run in runs(&text(), &overrides) {
        assert_eq!(handovers(&run).len(), 4);
        for handover in handovers(&run) {
            let took = handover.interruption_ms.unwrap() - handover.movement_detected_ms.unwrap();
            // Acknowledgments of the host may be before it on the air: 0.2 ms each.
            assert!((expected - 0.01..expected + 1.0).contains(&took), "{took} {expected}");
            let known = handover.registered_ms.unwrap() - handover.interruption_ms.unwrap();
            assert!((to_sender - 0.1..to_sender + 3.5).contains(&known), "{known} {to_sender}");
        }
    }
}

/// A third of all packets on the air is lost, in both directions: messages are sent again, and every byte arrives.
#[test]
fn lost_messages_delay_it_only() {
    let loss = "loss={ model = \"bernoulli\", probability = \"33 %\" }";
    let (one, other) = (format!("cell.cell1.{loss}"), format!("cell.cell2.{loss}"));
    let still = "mobile.mobile.movement={ timetable = [{ at = \"300 s\", cell = \"cell2\" }] }";
    let overrides = [DIRECT, &*one, &*other, still, "seeds=3", "duration=3000 s", "flow.download.size=20 kB"];
    for run in runs(&text(), &overrides) {
        assert_eq!(run.flows[0].delivered_bytes, 20_000, "seed {}", run.seed);
        let [handover] = handovers(&run) else { panic!("{:?}", handovers(&run)) };
        assert!(handover.interruption_ms.is_some() && handover.registered_ms.is_some(), "{handover:?}");
    }
}

/// Wireshark decodes the procedure, and data with home addresses.
#[test]
fn captures_show_the_procedure() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
    let plan = plan(&text(), &[DIRECT, "seeds=1", "duration=9 s", "flow.download.tcp.window_limit=4"]);
    let results = run(&plan, &options, &|| ()).unwrap();
    let show = |filter: &str, fields: &[&str]| {
        let fields = fields.iter().flat_map(|field| ["-e", field]);
        let format = ["-Y", filter, "-T", "fields", "-E", "separator=|"];
        let arguments: Vec<&str> = format.into_iter().chain(fields).collect();
        seamline_testing::tshark(&results[0].files[0], &arguments)
    };
    let at_sender = "mip6.mhtype && frame.interface_name == \"sender/correspondent\"";
    let Some(seen) = show(at_sender, &["mip6.mhtype"]) else { return };
    // The care-of test takes the short way.
    assert_eq!(seen, ["2", "4", "1", "3", "5", "6"]);
    assert_eq!(show("_ws.malformed", &["frame.number"]).unwrap(), [""; 0]);
    let addresses = ["ipv6.opt.mipv6.home_address", "ipv6.routing.mipv6.home_address"];
    let direct = show("tcp && frame.interface_name == \"sender/correspondent\"", &addresses).unwrap();
    let [up, down] = ["fd00::7|", "|fd00::7"].map(|kind| direct.iter().filter(|it| *it == kind).count());
    assert!(up > 50 && down > 50 && up + down == direct.len(), "{up} {down} {}", direct.len());
}
