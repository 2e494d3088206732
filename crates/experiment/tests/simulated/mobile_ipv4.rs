//! Mobile IPv4 whose home agent is the base station of the home cell: the network of Mobility-Vegas (Ho and Chiu 2020,
//! section 5).

use crate::support::{flow, link, plan};
use seamline_experiment::record::{HandoverRecord, RunRecord};
use seamline_experiment::report::provenance_of;
use seamline_experiment::{RunOptions, pages, run, summarise};
use seamline_report::messages::{Message, MessageKind};
use seamline_report::{Report, files};

/// CN --22 ms-- router --2 ms-- OAR, NAR1, NAR2 --1 ms-- MN; abroad from 10 s, at home again from 30 s.
fn text() -> String {
    let mut text = String::from(
        "duration = \"40 s\"\nseeds = [1]\nnodes = [\"cn\", \"router\", \"oar\", \"nar1\", \"nar2\", \"mn\"]\n",
    );
    text += &link("wired", ["cn", "router"], "rate = \"20 Mbit/s\"\none_way_delay = \"22 ms\"");
    for (cell, base_station) in [("home", "oar"), ("abroad1", "nar1"), ("abroad2", "nar2")] {
        let name = format!("to-{base_station}");
        text += &link(&name, ["router", base_station], "rate = \"20 Mbit/s\"\none_way_delay = \"2 ms\"");
        text += &format!("\n[[cell]]\nname = \"{cell}\"\nbase_station = \"{base_station}\"\n");
        text += "rate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"\n";
    }
    text += r#"
[[mobile]]
name = "mn"
cells = ["home", "abroad1", "abroad2"]
movement = { timetable = [{ at = "10 s", cell = "abroad1" }, { at = "20 s", cell = "abroad2" }, { at = "30 s", cell = "home" }] }
notice = {}
[mobile.protocol]
kind = "mobile-ipv4"
home_agent = "oar"
"#;
    text + &flow(
        "download",
        ["cn", "mn"],
        "variant = \"newreno\"\ntcp = { window_limit = 1, delayed_ack = \"0 s\", segment_size = \"960 bytes\", timestamps = false }",
    )
}

fn runs(overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(&text(), overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

fn handovers(run: &RunRecord) -> &[HandoverRecord] {
    &run.flows[0].handovers
}

/// Packets to the home network take the direct path, and so do packets from the foreign network; only packets to the
/// foreign network take the detour over the home agent: twice 2 ms, and 1020 bytes at 20 Mbit/s each.
#[test]
fn the_detour_to_the_foreign_network_is_four_milliseconds_one_way() {
    let least = |warm_up: &str, duration: &str| {
        let [warm_up, duration] = [format!("warm_up={warm_up}"), format!("duration={duration}")];
        runs(&[&warm_up, &duration])[0].flows[0].round_trip_min_ms.unwrap()
    };
    // 1000 bytes over three links, and 40 bytes back.
    let home = 50.0 + 0.4 + 0.4 + 0.8 + (0.016 + 0.016 + 0.032);
    let detour = 4.0 + 2.0 * 0.408;
    for (what, measured, expected) in [
        ("at home", least("1 s", "10 s"), home),
        ("abroad", least("12 s", "20 s"), home + detour),
        ("home again", least("32 s", "40 s"), home),
    ] {
        assert!((measured - expected).abs() < 0.001, "{what}: {measured} {expected}");
    }
}

/// Packets from the home agent to the node at home are not tunnelled, and the message to it there is a
/// deregistration.
#[test]
fn at_home_it_deregisters_and_leaves_no_tunnel() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
    let results = run(&plan(&text(), &[]), &options, &|| ()).unwrap();
    let show = |filter: &str, fields: &[&str]| {
        let fields = fields.iter().flat_map(|field| ["-e", field]);
        let arguments: Vec<&str> = ["-Y", filter, "-T", "fields"].into_iter().chain(fields).collect();
        seamline_testing::tshark(&results[0].files[0], &arguments)
    };
    let at_home_agent = "frame.interface_name == \"oar/home-agent\"";
    let filter = format!("{at_home_agent} && mip.type == 1");
    let Some(requests) = show(&filter, &["mip.life", "mip.coa"]) else { return };
    assert_eq!(requests, ["1800\t10.0.0.4", "1800\t10.0.0.5", "0\t10.0.0.6"]);
    let tunnelled = |when: &str| {
        let filter = format!("{at_home_agent} && tcp && {when}");
        show(&filter, &["ip.proto"]).unwrap()
    };
    let is_tunnel = |line: &String| line == "4,6";
    for (when, expected) in [
        ("frame.time_epoch < 10", false),
        ("frame.time_epoch > 11 && frame.time_epoch < 30", true),
        ("frame.time_epoch > 31", false),
    ] {
        let all = tunnelled(when);
        assert!(all.len() > 100 && all.iter().all(|line| is_tunnel(line) == expected), "{when}");
    }
    assert_eq!(show("_ws.malformed", &["frame.number"]).unwrap(), [""; 0]);
}

/// Advertisements every 10 s are too rare to help. A solicitation takes 28 bytes up and its answer 48 bytes down, 1
/// ms each.
#[test]
fn a_link_up_is_followed_by_a_solicitation_at_once() {
    let slow = "mobile.mn.protocol.advertisement_interval=10 s";
    let run = &runs(&[slow, "mobile.mn.protocol.layer_2_triggers=true"])[0];
    let detected: Vec<f64> = handovers(run).iter().filter_map(|it| it.movement_detected_ms).collect();
    assert_eq!(detected.len(), 3, "{:?}", handovers(run));
    // An acknowledgment may be sent first upwards, and a segment downwards.
    assert!(detected.iter().all(|it| (2.05..3.0).contains(it)), "{detected:?}");
    let without = &runs(&[slow])[0];
    let detected: Vec<f64> = handovers(without).iter().filter_map(|it| it.movement_detected_ms).collect();
    assert!(detected.iter().all(|it| *it > 10.0), "{detected:?}");
}

/// The last advertisement of the old foreign agent, received up to 100 ms before the move, must expire first.
#[test]
fn lazy_detection_takes_the_lifetime_of_an_advertisement() {
    for lifetime_s in [1, 4] {
        let lifetime = format!("mobile.mn.protocol.advertisement_lifetime={lifetime_s} s");
        let run = &runs(&[&lifetime, "mobile.mn.protocol.movement_detection=lazy"])[0];
        for handover in handovers(run) {
            let detected = handover.movement_detected_ms.unwrap();
            let whole = 1e3 * f64::from(lifetime_s);
            assert!((whole - 101.0..whole + 102.0).contains(&detected), "{lifetime_s}: {detected}");
        }
    }
}

/// A lost request is retransmitted after a second, so three tenths of the moves to a radio cell that loses three
/// tenths upwards take longer than a second (four standard errors over 400 runs).
#[test]
fn lost_requests_are_retransmitted() {
    let overrides = [
        "seeds=400",
        "duration=19 s",
        "flow.download.start=18 s",
        "cell.abroad1.up={ loss = { model = \"bernoulli\", probability = \"30 %\" } }",
    ];
    // If the requests at 0, 1, 3 and 7 s are all lost, the handover does not complete within the run.
    let all: Vec<f64> =
        runs(&overrides).iter().map(|run| handovers(run)[0].interruption_ms.unwrap_or(f64::MAX)).collect();
    let (later, at_once): (Vec<f64>, Vec<f64>) = all.iter().partition(|it| **it > 1000.0);
    let part = later.len() as f64 / all.len() as f64;
    assert!((0.208..0.392).contains(&part), "{part}");
    assert!(at_once.iter().all(|it| *it < 110.0), "{at_once:?}");
}

fn report(overrides: &[&str]) -> Report {
    let plan = plan(&text(), overrides);
    let options = RunOptions { cells_over_time: 1, ..RunOptions::default() };
    let results = run(&plan, &options, &|| ()).unwrap();
    let summary = summarise(&plan, &results, None);
    pages::report(&plan, results, &summary, provenance_of(&plan, String::new()))
}

/// The chart of the first handover shows how the registration travels and how data follows it through the tunnel, each hop with
/// the delay of the links that it takes.
#[test]
fn the_message_chart_follows_registration_and_tunnel() {
    let report = report(&["duration=15 s"]);
    let chart = report.series[0].messages.as_ref().expect("a handover");
    assert_eq!((chart.link.as_deref(), chart.flow.as_str(), chart.start_s), (Some("mn"), "download", 10.0));
    assert_eq!(chart.nodes, ["cn", "oar", "nar1", "mn"], "the router only passes packets on");
    let hop = |message: &Message| [message.from, message.to].map(|node| chart.nodes[node].as_str());
    let hops = |wanted: &dyn Fn(&&Message) -> bool| -> Vec<[&str; 2]> {
        chart.messages.iter().filter(wanted).map(hop).collect()
    };
    assert_eq!(hops(&|it| it.text == "Registration Request"), [["mn", "nar1"], ["nar1", "oar"]]);
    assert_eq!(hops(&|it| it.text == "Registration Reply"), [["oar", "nar1"], ["nar1", "mn"]]);
    let is_data = |it: &&Message| matches!(it.kind, MessageKind::Data | MessageKind::Retransmission);
    let tunnelled: Vec<&Message> = chart.messages.iter().filter(|it| is_data(it) && it.tunnelled).collect();
    assert!(!tunnelled.is_empty());
    // 1020 bytes over two links of 20 Mbit/s and 2 ms; 1000 bytes over the air.
    for message in tunnelled {
        assert_eq!(hop(message), ["oar", "nar1"]);
        let took_ms = (message.arrived_s.expect("wires lose nothing") - message.sent_s) * 1e3;
        assert!((took_ms - 4.816).abs() < 1e-3, "{took_ms}");
    }
    let air: Vec<&Message> =
        chart.messages.iter().filter(|it| is_data(it) && hop(it) == ["nar1", "mn"]).collect();
    for message in &air {
        let took_ms = (message.arrived_s.expect("the node is there") - message.sent_s) * 1e3;
        assert!((took_ms - 1.8).abs() < 1e-3, "{took_ms}");
    }
    let is_again = |it: &&Message| it.kind == MessageKind::Retransmission;
    assert_eq!(
        chart.messages.iter().filter(is_again).count(),
        0,
        "the segment came after the binding had changed"
    );
    assert!(chart.messages.iter().all(|message| message.arrived_s.is_some()));
    let before = chart.messages.iter().filter(|it| is_data(it) && it.sent_s < 10.0);
    assert!(before.map(hop).all(|ends| ends == ["cn", "mn"]), "at home nothing changes a packet");
    assert!(chart.notes.iter().any(|note| note.text == "binding changed: tunnel to nar1"));
    assert!(chart.messages.windows(2).all(|pair| pair[0].sent_s <= pair[1].sent_s));
}

/// A segment that the home network sends into the empty cell is lost. A probe behind it shows that, and its repetition is one on
/// every hop of the new way.
#[test]
fn the_message_chart_shows_what_is_lost_and_sent_again() {
    let movement = "mobile.mn.movement={ timetable = [{ at = \"10.04 s\", cell = \"abroad1\" }] }";
    let report = report(&["duration=15 s", movement]);
    let chart = report.series[0].messages.as_ref().expect("a handover");
    let hops = |wanted: &dyn Fn(&&Message) -> bool| -> Vec<([&str; 2], Option<u64>)> {
        let found = chart.messages.iter().filter(wanted);
        found.map(|it| ([it.from, it.to].map(|node| chart.nodes[node].as_str()), it.number)).collect()
    };
    let lost = hops(&|it| it.arrived_s.is_none());
    assert_eq!(lost.len(), 1, "one segment is in flight: {lost:?}");
    assert_eq!(lost[0].0, ["cn", "mn"]);
    let again = hops(&|it| it.kind == MessageKind::Retransmission);
    let number = lost[0].1;
    assert_eq!(again, [(["cn", "oar"], number), (["oar", "nar1"], number), (["nar1", "mn"], number)]);
    assert!(chart.notes.iter().any(|note| note.text == "fast recovery" && chart.nodes[note.node] == "cn"));
}

/// With EHN the sender repeats segments whose first copies are still on their way: no copy is taken for another.
#[test]
fn the_message_chart_tells_copies_apart() {
    let report =
        report(&["duration=15 s", "flow.download.tcp.window_limit=20", "flow.download.handover=\"ehn\""]);
    let chart = report.series[0].messages.as_ref().expect("a handover");
    let ways = [["cn", "mn"], ["cn", "oar"], ["oar", "nar1"], ["nar1", "mn"]];
    let mut repeated = 0;
    for message in &chart.messages {
        let hop = [message.from, message.to].map(|node| chart.nodes[node].as_str());
        if matches!(message.kind, MessageKind::Data | MessageKind::Retransmission) {
            assert!(ways.contains(&hop), "{message:?}");
            repeated += usize::from(message.kind == MessageKind::Retransmission);
        }
        // 40 bytes over the air at least; a queue of a window at most.
        let took_s = message.arrived_s.map(|at| at - message.sent_s);
        assert!(took_s.is_none_or(|took_s| (1e-3..0.1).contains(&took_s)), "{message:?}");
    }
    assert!(repeated > 3, "{repeated}");
}

#[test]
fn the_report_draws_the_network_with_what_the_grid_changes() {
    let report = report(&["duration=15 s", "grid.link.wired.one_way_delay=[\"22 ms\", \"5 ms\"]"]);
    let network = &report.network;
    assert_eq!(network.ways.len(), 7, "four wires, and three cells");
    assert_eq!(network.ways[0].label, ["20 Mbit/s, 22 ms, or", "20 Mbit/s, 5 ms"]);
    assert_eq!(network.ways[4].label, ["10 Mbit/s, 1 ms"]);
    let roles = |name: &str| {
        let node = network.nodes.iter().find(|node| node.name == name).unwrap();
        (node.roles.join(", "), node.is_mobile)
    };
    assert_eq!(roles("oar"), ("base station of home, home agent".to_owned(), false));
    assert_eq!(roles("mn"), ("receiver, mobility protocol: mobile-ipv4".to_owned(), true));
    let flows: Vec<[usize; 2]> = network.flows.iter().map(|flow| flow.ends).collect();
    assert_eq!(flows, [[0, 5]]);
    let files = files::of_report(&report, false).unwrap();
    let page = files.last().map(|page| String::from_utf8_lossy(&page.bytes).into_owned()).unwrap();
    assert!(files.iter().any(|file| file.name == "network.svg"));
    assert!(page.contains("id=\"network\"") && page.contains("id=\"messages\""));
}
