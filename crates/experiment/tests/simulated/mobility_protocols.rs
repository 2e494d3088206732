//! All mobility protocols in scenarios: how long they take, that they recover, and what captures show.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{HandoverRecord, LinkRecord, RunRecord};
use seamline_experiment::{RunOptions, run};
use seamline_mobility::protocol::{self, Participation, Scheme};

const EXAMPLE: &str = include_str!("../../../../scenarios/mobility-protocols.toml");

/// The example without its grid.
fn text() -> String {
    EXAMPLE.split("[[grid.zip]]").next().unwrap().to_owned()
}

/// The setting that makes the mobile node of the example use a protocol.
fn using(scheme: &Scheme) -> String {
    let mut table = format!("mobile.mobile.protocol={{ kind = \"{}\"", scheme.name);
    if scheme.traits.home_agent != Participation::None {
        table += ", home_agent = \"home\"";
    }
    if scheme.traits.mobility_anchor_point == Participation::Needed {
        table += ", mobility_anchor_point = \"anchor\"";
    }
    table + " }"
}

fn runs(text: &str, overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

fn handovers(run: &RunRecord) -> &[HandoverRecord] {
    &run.flows[0].handovers
}

/// From the first advertisement in the new radio cell until the binding changes: one message of known length over an
/// idle network.
#[test]
fn the_binding_changes_one_way_after_the_move_is_detected() {
    let ms = |bytes: f64, rate: f64| bytes * 8.0 / rate / 1e3;
    let to_anchor = |bytes| ms(bytes, 5.0) + 5.0 + ms(bytes, 10.0) + 3.0;
    let to_home = |bytes| to_anchor(bytes) + ms(bytes, 100.0) + 5.0 + ms(bytes, 100.0) + 100.0;
    for (name, expected) in [
        ("mobile-ipv4", to_home(52.0)),
        ("mobile-ipv6", to_home(96.0)),
        ("nemo", to_home(96.0)),
        ("hmipv6", to_anchor(80.0)),
    ] {
        let protocol = using(protocol::find(name).unwrap());
        let overrides = [&protocol, "duration=40 s", "flow.download.start=39 s", "seeds=5"];
        for run in runs(&text(), &overrides) {
            assert_eq!(handovers(&run).len(), 4);
            for handover in handovers(&run) {
                let detected = handover.movement_detected_ms.unwrap();
                let took = handover.interruption_ms.unwrap() - detected;
                assert!((took - expected).abs() < 0.001, "{name}: {took} {expected}");
                assert!((0.0..108.3).contains(&detected), "{name}: {detected}");
                // The answer takes as long, apart from its size.
                let answered = handover.registered_ms.unwrap() - handover.interruption_ms.unwrap();
                assert!((answered - expected).abs() < 0.1, "{name}: {answered} {expected}");
            }
        }
    }
}

/// The previous access router receives the update one way between the two routers later; the home agent as in Mobile
/// IPv6. Without fast handovers, packets that are sent or wait meanwhile are lost; with them, packets until the
/// update; with a buffer as well, only packets in the air.
#[test]
fn fast_handovers_complete_one_way_to_the_previous_router_after_detection() {
    let ms = |bytes: f64, rate: f64| bytes * 8.0 / rate / 1e3;
    let expected = ms(80.0, 5.0) + 5.0 + 2.0 * (ms(80.0, 10.0) + 3.0);
    let of = |name: &str, more: &[&str]| {
        let protocol = using(protocol::find(name).unwrap());
        runs(&text(), &[&[&*protocol, "seeds=5", "duration=40 s"], more].concat())
    };
    for run in of("fmipv6", &["flow.download.start=39 s"]) {
        assert_eq!(handovers(&run).len(), 4);
        for handover in handovers(&run) {
            let took = handover.interruption_ms.unwrap() - handover.movement_detected_ms.unwrap();
            assert!((took - expected).abs() < 0.15, "{took} {expected}");
            let registered = handover.registered_ms.unwrap() - handover.movement_detected_ms.unwrap();
            assert!((226.0..227.5).contains(&registered), "{registered}");
        }
    }
    let lost = |runs: Vec<RunRecord>| -> u64 {
        runs.iter().flat_map(handovers).map(|handover| handover.lost_packets).sum()
    };
    let window = "flow.download.tcp.window_limit=40";
    let plain = lost(of("mobile-ipv6", &[window]));
    let notified = lost(of("fmipv6", &[window]));
    let keeping: Vec<String> = (1..=2).map(|n| format!("cell.cell{n}.forward_departed=50 packets")).collect();
    let kept = lost(of("fmipv6", &[window, &keeping[0], &keeping[1]]));
    // 20 moves; 40 packets in each round trip of 270 ms are one in 7 ms, which is in the air, and in service, for 7.4 ms.
    assert!(notified < plain / 2 && kept < notified, "{plain} {notified} {kept}");
    assert!((5..=40).contains(&kept), "{kept}");
}

/// Whatever is lost on the air, a fifth in each direction, a node at rest becomes reachable again, and every byte of
/// a connection arrives; and the record is reproducible.
#[test]
fn every_protocol_makes_the_node_reachable_again() {
    let steps: Vec<String> = (1..=10)
        .map(|n| format!("{{ at = \"{} s\", cell = \"cell{}\" }}", f64::from(n) * 3.1, 1 + n % 2))
        .collect();
    let movement = format!("mobile.mobile.movement={{ timetable = [{}] }}", steps.join(", "));
    let loss = "loss={ model = \"bernoulli\", probability = \"20 %\" }";
    for scheme in protocol::ALL {
        let protocol = using(scheme);
        let (one, other) = (format!("cell.cell1.{loss}"), format!("cell.cell2.{loss}"));
        let overrides = [
            &*protocol,
            &movement,
            &one,
            &other,
            "duration=4000 s",
            "seeds=3",
            "flow.download.size=30 kB",
            // A connection that starts while the node moves would be aborted (user timeout, RFC 9293 section 3.10.8).
            "flow.download.start=300 s",
            "mobile.mobile.protocol.registered_at_start=false",
        ];
        let first = runs(&text(), &overrides);
        for run in &first {
            let name = scheme.name;
            let last = handovers(run).last().unwrap_or_else(|| panic!("{name}: ten moves"));
            assert!(last.interruption_ms.is_some(), "{name}, seed {}: {last:?}", run.seed);
            assert!(last.registered_ms.is_some(), "{name}, seed {}: {last:?}", run.seed);
            assert_eq!(run.flows[0].delivered_bytes, 30_000, "{name}, seed {}", run.seed);
        }
        assert_eq!(first, runs(&text(), &overrides), "{}", scheme.name);
    }
}

fn of<'a>(run: &'a RunRecord, name: &str) -> &'a LinkRecord {
    run.links.iter().find(|link| link.name == name).unwrap()
}

/// Both directions of a host behind a mobile router pass the home agent, with 40 bytes more on the path from there.
#[test]
fn a_network_moves_with_its_router() {
    let text =
        text().replace("\"mobile\"]", "\"mobile\", \"host\"]").replace("to = \"mobile\"", "to = \"host\"");
    let text = text + &link("inside", ["mobile", "host"], "rate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"");
    let nemo = using(protocol::find("nemo").unwrap());
    let overrides = [&*nemo, "seeds=1", "duration=9 s", "flow.download.tcp.window_limit=8"];
    let run = &runs(&text, &overrides)[0];
    let (data, acks) = (of(run, "inside/down"), of(run, "inside/up"));
    assert!(data.delivered_packets > 100 && acks.delivered_packets > 50, "{data:?} {acks:?}");
    for (here, there) in [(data, "to-bs1/down"), (acks, "to-bs1/up")] {
        let tunnel = of(run, there);
        let on_the_way = tunnel.delivered_packets.abs_diff(here.delivered_packets);
        assert!(on_the_way <= 8, "{there}: {tunnel:?} {here:?}");
        let mean = |link: &LinkRecord| link.delivered_bytes as f64 / link.delivered_packets as f64;
        assert!((mean(tunnel) - mean(here) - 40.0).abs() < 8.0, "{tunnel:?} {here:?}");
    }
    // Round trip: 10 + 100 to the home agent, 100 + 5 + 3 + 5 from there, and 1 ms inside; 5.4 to 7.9 ms for the bits
    // of one or two segments.
    let least = run.flows[0].round_trip_min_ms.unwrap();
    assert!((453.0..458.0).contains(&least), "{least}");
    // It moves like any mobile node.
    let moved = &runs(&text, &[&*nemo, "seeds=1", "duration=60 s"])[0];
    let ended: Vec<f64> = handovers(moved).iter().filter_map(|it| it.interruption_ms).collect();
    assert_eq!(ended.len(), 6, "{:?}", handovers(moved));
}

/// A protocol without network mobility would leave hosts behind the node unreachable, so it is rejected.
#[test]
fn hosts_behind_a_node_need_network_mobility() {
    let text = text().replace("\"mobile\"]", "\"mobile\", \"host\"]");
    let text = text + &link("inside", ["mobile", "host"], "rate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"");
    for scheme in protocol::ALL {
        let overrides = [using(scheme)];
        let read = seamline_scenario::Plan::new("test.toml".as_ref(), text.clone(), &overrides);
        assert_eq!(read.is_ok(), scheme.traits.carries_networks, "{}", scheme.name);
    }
}

/// A buffer at the base station is rejected for protocols that do not notify it; an empty buffer changes nothing.
#[test]
fn base_stations_buffer_only_with_previous_router_forwarding() {
    let forwarding = |amount: &str| format!("cell.cell1.forward_departed={amount}");
    for scheme in protocol::ALL {
        let (protocol, overrides) = (using(scheme), ["seeds=1", "duration=12 s"]);
        let given = [forwarding("1 packets"), protocol.clone()];
        let read = seamline_scenario::Plan::new("test.toml".as_ref(), text(), &given);
        assert_eq!(read.is_ok(), scheme.traits.previous_router_forwards, "{}", scheme.name);
        let plain = runs(&text(), &[&overrides[..], &[&protocol]].concat());
        for nothing in ["0 packets", "0 bytes"] {
            let with = runs(&text(), &[&overrides[..], &[&protocol, &forwarding(nothing)]].concat());
            assert_eq!(with, plain, "{}: {nothing}", scheme.name);
        }
    }
}

/// Without a home agent the path is the shortest: the address that correspondents know belongs to the anchor.
#[test]
fn without_a_home_agent_the_anchor_is_the_only_detour() {
    let protocol = "mobile.mobile.protocol={ kind = \"hmipv6\", mobility_anchor_point = \"anchor\" }";
    let text = text() + &flow("back", ["mobile", "sender"], "variant = \"newreno\"\nsize = \"50 kB\"");
    let run = &runs(&text, &[protocol, "seeds=1", "duration=30 s", "flow.download.tcp.window_limit=8"])[0];
    let least = run.flows[0].round_trip_min_ms.unwrap();
    // 2 (10 + 5 + 3 + 5) ms.
    assert!((46.0..54.0).contains(&least), "{least}");
    assert_eq!(of(run, "to-home/down").delivered_packets + of(run, "to-home/up").delivered_packets, 0);
    assert_eq!(run.flows[1].delivered_bytes, 50_000);
}

/// Wireshark decodes the bindings of a move, and the data in their tunnels.
#[test]
fn captures_show_bindings() {
    for (name, expected) in [
        ("hmipv6", ["mobile/radio|5|fd00::9|fd00::4", "anchor/anchor-point|5|fd00::9|fd00::4"]),
        ("nemo", ["mobile/radio|5|fd00::9|fd00::3", "home/home-agent|5|fd00::9|fd00::3"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
        let protocol = using(protocol::find(name).unwrap());
        let plan =
            plan(&text(), &[&protocol, "seeds=1", "duration=12 s", "flow.download.tcp.window_limit=8"]);
        let results = run(&plan, &options, &|| ()).unwrap();
        let show = |filter: &str| {
            let fields = ["frame.interface_name", "mip6.mhtype", "ipv6.src", "ipv6.dst"];
            let fields = fields.into_iter().flat_map(|field| ["-e", field]);
            let format = ["-Y", filter, "-T", "fields", "-E", "separator=|"];
            let arguments: Vec<&str> = format.into_iter().chain(fields).collect();
            seamline_testing::tshark(&results[0].files[0], &arguments)
        };
        let Some(updates) = show("mip6.mhtype == 5") else { return };
        assert_eq!(updates, expected, "{name}");
        let answers = show("mip6.mhtype == 6 && mip6.ba.status == 0").unwrap();
        assert_eq!(answers.len(), 2, "{name}: {answers:?}");
        assert_eq!(show("_ws.malformed").unwrap(), [""; 0], "{name}");
        let nested = show("tcp && frame.interface_name == \"mobile/radio\"").unwrap();
        let tunnels = if name == "hmipv6" { 2 } else { 1 };
        let in_all = nested.iter().filter(|line| line.matches("fd00::").count() == 2 * tunnels).count();
        assert!(in_all > 50 && in_all == nested.len(), "{name}: {in_all} of {}", nested.len());
    }
}
