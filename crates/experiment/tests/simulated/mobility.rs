//! Mobile nodes in scenarios: losses, the time until they are reachable again, and the path of packets.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{HandoverRecord, RunRecord};
use seamline_experiment::{RunOptions, run};

const EXAMPLE: &str = include_str!("../../../../scenarios/mobile-ip.toml");
const IDEAL: &str = "mobile.mobile.protocol={ kind = \"none\" }";
const ONE_VARIANT: &str = "grid.flow.download.variant=[\"newreno\"]";
const NO_LOSS: [&str; 2] = ["cell.cell1.loss.probability=\"0 %\"", "cell.cell2.loss.probability=\"0 %\""];

fn runs(text: &str, overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

fn example(overrides: &[&str]) -> Vec<RunRecord> {
    let mut all = vec![ONE_VARIANT, "seeds=[1]", "duration=60 s"];
    all.extend(overrides);
    runs(EXAMPLE, &all)
}

fn handovers(run: &RunRecord) -> &[HandoverRecord] {
    &run.flows[0].handovers
}

fn lost_to_departure(run: &RunRecord, name: &str) -> u64 {
    let record = run.links.iter().find(|link| link.name == name).unwrap();
    record.lost_to_departure.unwrap()
}

/// The move is at 5 s. The phase of advertisements is uniform in 100 ms, and so is the time from the move to the next
/// one that arrives. On an idle air the request of 52 bytes takes 0.208 ms and 5 ms, and then 0.0416 ms and 3 ms to
/// the home agent; the reply of 48 bytes takes as long, less the time of four bytes.
#[test]
fn a_move_is_detected_after_a_uniform_time_and_bound_one_way_later() {
    let mut overrides = vec!["duration=11 s", "seeds=400", "flow.download.start=10 s"];
    overrides.extend(NO_LOSS);
    overrides.push(ONE_VARIANT);
    let mut found = Vec::new();
    for run in runs(EXAMPLE, &overrides) {
        let [first, _] = handovers(&run) else { panic!("{:?}", handovers(&run)) };
        assert_eq!((first.link.as_str(), first.start_s), ("mobile", 5.0));
        let detected = first.movement_detected_ms.unwrap();
        let bound = first.interruption_ms.unwrap();
        assert!((8.0..8.5).contains(&(bound - detected)), "{bound} {detected}");
        let registered = first.registered_ms.unwrap();
        assert!((8.0..8.6).contains(&(registered - bound)), "{registered} {bound}");
        assert!((0.0..100.0).contains(&detected), "{detected}");
        found.push(detected);
    }
    // Four standard errors: 28.9 ms / sqrt(400).
    let mean = found.iter().sum::<f64>() / 400.0;
    assert!((44.2..55.8).contains(&mean), "{mean}");
    assert!(found.iter().any(|it| *it < 20.0) && found.iter().any(|it| *it > 90.0));
}

/// A move loses the packets on their way to the old radio cell, and those that follow until the binding changes.
#[test]
fn packets_to_the_old_radio_cell_are_lost() {
    let mut overrides = NO_LOSS.to_vec();
    overrides.push("duration=8 s");
    let with_mobile_ip = &example(&overrides)[0];
    overrides.push(IDEAL);
    let ideal = &example(&overrides)[0];
    let lost = |run| lost_to_departure(run, "cell1/down");
    assert!(lost(ideal) > 0, "the queue of the old base station is lost");
    assert!(lost(with_mobile_ip) > lost(ideal), "{} {}", lost(with_mobile_ip), lost(ideal));
    assert!(lost(with_mobile_ip) < 90, "{}", lost(with_mobile_ip));
    assert_eq!(handovers(ideal)[0].interruption_ms, Some(0.0), "routes follow at once");
    assert_eq!(handovers(ideal)[0].movement_detected_ms, None);
    assert_eq!(lost_to_departure(ideal, "cell2/down"), 0);
}

/// Data to the mobile node passes the home agent, which is the router; acknowledgments take the direct path.
#[test]
fn the_route_is_a_triangle() {
    // A path from the sender to the base station that bypasses the home agent.
    let text = EXAMPLE.replace("\"bs2\", \"mobile\"]", "\"bs2\", \"mobile\", \"home\"]");
    let text = text.replace("home_agent = \"router\"", "home_agent = \"home\"");
    let text = text + &link("to-home", ["router", "home"], "rate = \"10 Mbit/s\"\none_way_delay = \"30 ms\"");
    let run = &runs(&text, &[ONE_VARIANT, "seeds=1", "duration=20 s"])[0];
    let packets = |name: &str| {
        run.links.iter().find(|link| link.name == name).map(|link| link.delivered_packets).unwrap()
    };
    let data = packets("wired/down");
    let there_and_back = [packets("to-home/down"), packets("to-home/up")];
    let registrations = 4;
    assert!(
        there_and_back.iter().all(|n| (data - 5..=data + registrations).contains(n)),
        "{there_and_back:?}"
    );
    assert!(packets("wired/up") > data / 3, "acknowledgments bypass the home agent");
    // 2 (50 + 3 + 5) ms, plus twice 30 ms in one direction only.
    let round_trip = run.flows[0].round_trip_min_ms.unwrap();
    assert!((176.0..190.0).contains(&round_trip), "{round_trip}");
}

/// Tunnels add twenty bytes per packet between the home agent and the base station, and nowhere else.
#[test]
fn tunnels_cost_twenty_bytes_a_packet() {
    let mut overrides = NO_LOSS.to_vec();
    overrides.extend(["duration=4 s", "flow.download.tcp.window_limit=8", "flow.download.profile=rfc"]);
    let run = &example(&overrides)[0];
    let link = |name: &str| run.links.iter().find(|link| link.name == name).unwrap();
    let (wired, tunnel) = (link("wired/down"), link("to-bs1/down"));
    let syn = 20 + 20 + 20 + 8;
    let on_the_way = wired.delivered_packets - tunnel.delivered_packets;
    assert!(on_the_way <= 8);
    assert_eq!(tunnel.delivered_bytes, 1020 * (tunnel.delivered_packets - 1) + syn, "{tunnel:?}");
}

/// Every byte arrives once and in order (a receiver with a wrong byte would not complete), for every variant, while
/// the node moves at random and a twentieth of all packets on the air is lost; and the record is reproducible. Moves
/// at whole seconds would stay in phase with timeouts that double from one second, and starve a connection.
#[test]
fn every_variant_completes_while_the_node_moves() {
    let variants: Vec<String> =
        seamline_tcp::variant::all().map(|variant| format!("{:?}", variant.name)).collect();
    let grid = format!("grid.flow.download.variant=[{}]", variants.join(","));
    for protocol in ["", IDEAL] {
        let mut overrides = vec![
            grid.as_str(),
            "seeds=[1, 2]",
            "duration=900 s",
            "mobile.mobile.movement.every=3.7 s",
            "mobile.mobile.movement.order=random",
            "mobile.mobile.movement.interruption=50 ms",
            "cell.cell1.loss.probability=5 %",
            "cell.cell2.loss.probability=5 %",
            "flow.download.size=500 kB",
        ];
        if !protocol.is_empty() {
            overrides.push(protocol);
        }
        let first = runs(EXAMPLE, &overrides);
        for run in &first {
            let flow = &run.flows[0];
            assert_eq!(flow.delivered_bytes, 500_000, "{} seed {}", flow.variant, run.seed);
            assert!(flow.completion_s.is_some(), "{} seed {}", flow.variant, run.seed);
        }
        assert_eq!(first, runs(EXAMPLE, &overrides), "the same scenario gives the same record");
    }
}

/// Random streams are named after components, so every variant has the same moves and advertisements.
#[test]
fn all_variants_have_the_same_moves() {
    let overrides = ["seeds=[3]", "duration=60 s", "mobile.mobile.movement.order=random"];
    let all = runs(EXAMPLE, &overrides);
    let moves =
        |run: &RunRecord| -> Vec<u64> { handovers(run).iter().map(|it| it.start_s.to_bits()).collect() };
    assert!(all.len() > 2 && all.iter().all(|run| moves(run) == moves(&all[0])));
}

#[test]
fn a_longer_interval_means_a_longer_interruption() {
    let mean = |interval: &str| {
        let interval = format!("mobile.mobile.protocol.advertisement_interval={interval}");
        let mut overrides = vec![interval.as_str(), ONE_VARIANT, "seeds=20", "duration=30 s"];
        overrides.extend(NO_LOSS);
        let runs = runs(EXAMPLE, &overrides);
        let all: Vec<f64> =
            runs.iter().flat_map(handovers).filter_map(|handover| handover.interruption_ms).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    // Half an interval, plus about 13 ms for messages and their queueing.
    let (short, long) = (mean("100 ms"), mean("1 s"));
    assert!((45.0..100.0).contains(&short), "{short}");
    assert!((380.0..640.0).contains(&long), "{long}");
}

/// A node at home is reached without a tunnel; in a foreign network through one, after its registration.
#[test]
fn a_node_can_return_home() {
    let overrides = ["mobile.mobile.protocol.home_agent=bs1", "duration=20 s", NO_LOSS[0], NO_LOSS[1]];
    let run = &example(&overrides)[0];
    let interruptions: Vec<f64> = handovers(run).iter().filter_map(|it| it.interruption_ms).collect();
    assert_eq!(interruptions.len(), 3, "{:?}", handovers(run));
    let flow = &run.flows[0];
    assert!(flow.goodput_bits_per_second > 500_000.0, "{}", flow.goodput_bits_per_second);
    // Direct path: 2 (50 + 3 + 5) ms.
    assert!((116.0..130.0).contains(&flow.round_trip_min_ms.unwrap()), "{:?}", flow.round_trip_min_ms);
}

/// Fixed nodes share the air with mobile ones.
#[test]
fn fixed_nodes_share_the_radio_cell() {
    let text = EXAMPLE.replace("\"bs2\", \"mobile\"]", "\"bs2\", \"mobile\", \"fixed\"]");
    let text = text.replace("base_station = \"bs1\"", "base_station = \"bs1\"\nfixed = [\"fixed\"]");
    let text = text + "flow.fixed.variant = [\"newreno\"]" + &flow("fixed", ["sender", "fixed"], "");
    let mut overrides = vec![ONE_VARIANT, "seeds=1", "duration=60 s"];
    overrides.extend(NO_LOSS);
    let run = &runs(&text, &overrides)[0];
    let [mobile, fixed] = [0, 1].map(|n| run.flows[n].goodput_bits_per_second);
    assert_eq!(run.flows[1].handovers, []);
    // Half of the time alone, half of the time with the mobile node.
    assert!((1.2e6..1.95e6).contains(&fixed), "{fixed}");
    assert!(mobile > 3e5 && mobile + fixed < 3e6, "{mobile}");
}

/// Wireshark decodes the capture of a move: request and reply at the radio and at the home agent, tunnels from the
/// home agent, nothing malformed.
#[test]
fn a_capture_shows_the_messages() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { pcapng: Some(folder.path().to_owned()), ..RunOptions::default() };
    let plan = plan(EXAMPLE, &[ONE_VARIANT, "seeds=1", "duration=8 s", NO_LOSS[0], NO_LOSS[1]]);
    let results = run(&plan, &options, &|| ()).unwrap();
    let show = |filter: &str| {
        let fields = ["-e", "frame.interface_name", "-e", "mip.type", "-e", "ip.dst"];
        let arguments = [&["-Y", filter, "-T", "fields"], &fields[..]].concat();
        seamline_testing::tshark(&results[0].files[0], &arguments)
    };
    let Some(messages) = show("mip") else { return };
    let expected = [
        "mobile/radio\t1\t10.0.0.4",
        "router/home-agent\t1\t10.0.0.2",
        "router/home-agent\t3\t10.0.0.4",
        "mobile/radio\t3\t10.0.0.5",
    ];
    assert_eq!(messages, expected);
    let tunnels = show("ip.proto == 4").unwrap();
    assert!(tunnels.len() > 100);
    for (bs, name) in [("10.0.0.3", "before the move"), ("10.0.0.4", "after it")] {
        let line = format!("router/home-agent\t\t{bs},10.0.0.5");
        assert!(tunnels.contains(&line), "{name}: {:?}", tunnels[0]);
    }
    assert!(show("icmp.type == 9").unwrap().len() > 70);
    assert_eq!(show("_ws.malformed").unwrap(), [""; 0]);
}

/// While the old link lasts until the new one is in use, nothing is lost, and no scheme assumes a loss: with or
/// without a mobility protocol no scheme retransmits noticeably more, or delivers less, than a connection without a
/// scheme. `cross-layer` still restarts from one segment, because the link is a different one.
#[test]
fn with_two_links_no_scheme_retransmits() {
    let overlap = "mobile.mobile.movement.overlap=\"1 s\"";
    let known =
        ["cell.cell1.known_round_trip_time=\"126 ms\"", "cell.cell2.known_round_trip_time=\"126 ms\""];
    let notice = "mobile.mobile.notice={ lead = \"200 ms\" }";
    for protocol in ["mobile.mobile.protocol.layer_2_triggers=true", IDEAL] {
        let of = |scheme: &str| {
            let scheme = format!("flow.download.handover=\"{scheme}\"");
            let mut given = vec![overlap, notice, protocol, scheme.as_str()];
            given.extend(NO_LOSS);
            given.extend(known);
            let flow = example(&given).swap_remove(0).flows.swap_remove(0);
            (flow.retransmissions, flow.timeouts, flow.goodput_bits_per_second)
        };
        let (again, timeouts, goodput) = of("none");
        for scheme in seamline_tcp::handover::ALL {
            let seen = of(scheme.name);
            let least = if scheme.name == "cross-layer" { 0.9 } else { 0.99 };
            assert!(
                seen.0 * 10 <= again * 11 && seen.1 <= timeouts && seen.2 >= least * goodput,
                "{protocol} {}: {seen:?}, none {:?}",
                scheme.name,
                (again, timeouts, goodput)
            );
            assert!(seen.2 <= 1.01 * goodput, "{protocol} {}: {seen:?}", scheme.name);
        }
    }
}
