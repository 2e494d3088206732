//! Nodes that move along waypoints through the ranges of radio cells.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::{RunOptions, run};

fn runs(text: &str, overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

/// The map and the route of paper mobility-vegas-2020 (section 5.1): access routers 150 m apart with a range of 90 m.
fn mobility_vegas(protocol: &str) -> String {
    let nodes = "nodes = [\"cn\", \"router\", \"oar\", \"nar1\", \"nar2\", \"mn\"]\n";
    let mut text = format!("duration = \"100 s\"\n{nodes}");
    text += &link("wired", ["cn", "router"], "rate = \"20 Mbit/s\"\none_way_delay = \"22 ms\"");
    for (router, x) in [("oar", 200), ("nar1", 350), ("nar2", 500)] {
        let keys = "rate = \"20 Mbit/s\"\none_way_delay = \"2 ms\"";
        text += &link(&format!("to-{router}"), ["router", router], keys);
        text += &format!(
            "\n[[cell]]\nname = \"{router}\"\nbase_station = \"{router}\"\nrate = \"10 Mbit/s\"\n\
             one_way_delay = \"1 ms\"\n\
             queue = {{ discipline = \"drop-tail\", limit = \"10 packets\" }}\nposition = [\"{x} m\", \"300 m\"]\nrange = \"90 m\"\n"
        );
    }
    text += &format!(
        "\n[[mobile]]\nname = \"mn\"\ncells = [\"oar\", \"nar1\", \"nar2\"]\nprotocol = {{ {protocol} }}\n\
         [mobile.movement]\nstart = [\"150 m\", \"275 m\"]\nchange = \"entering\"\ninterruption = \"180 ms\"\n\
         waypoints = [\n\
         {{ at = \"10 s\", to = [\"350 m\", \"275 m\"], speed = \"10 m/s\" }},\n\
         {{ at = \"35 s\", to = [\"550 m\", \"275 m\"], speed = \"10 m/s\" }},\n\
         {{ at = \"60 s\", to = [\"350 m\", \"275 m\"], speed = \"10 m/s\" }},\n\
         {{ at = \"85 s\", to = [\"150 m\", \"275 m\"], speed = \"10 m/s\" }},\n]\n"
    );
    text + &flow("main", ["cn", "mn"], "variant = \"newreno\"")
}

const NO_PROTOCOL: &str = "kind = \"none\"";
const MOBILE_IP: &str = "kind = \"mobile-ipv4\", home_agent = \"oar\"";

#[test]
fn the_handovers_of_mobility_vegas_2020_begin_at_its_times() {
    for protocol in [NO_PROTOCOL, MOBILE_IP] {
        let run = &runs(&mobility_vegas(protocol), &[])[0];
        let handovers = &run.flows[0].handovers;
        let begins: Vec<f64> = handovers.iter().map(|handover| handover.start_s).collect();
        // The paper gives 21.35, 41.35, 71.35 and 91.35 s.
        assert_eq!(begins.len(), 4, "{begins:?}");
        for (found, expected) in begins.iter().zip([21.35, 41.35, 71.35, 91.35]) {
            assert!((found - expected).abs() < 0.005, "{begins:?}");
        }
        for handover in handovers {
            // With Mobile IP follow the wait for an advertisement and a registration over at most 5 ms one way.
            let interruption = handover.interruption_ms.unwrap();
            let most = if protocol == MOBILE_IP { 310.0 } else { 180.000_001 };
            assert!((180.0..most).contains(&interruption), "{interruption}");
        }
    }
}

/// Beyond the last range packets to the node are lost until it returns.
#[test]
fn outside_all_ranges_nothing_arrives() {
    let text =
        mobility_vegas(NO_PROTOCOL).replace("to = [\"550 m\", \"275 m\"]", "to = [\"350 m\", \"475 m\"]");
    let text = text.replace("mobile.movement]\n", "mobile.movement]\n# Up and away from 350 m.\n");
    let run = &runs(&text, &["cell.nar2.range=\"1 m\""])[0];
    let flow = &run.flows[0];
    // From 35 s to the north out of the circle around (350, 300): 115 m up; back at 60 s from (350, 475).
    let handovers: Vec<(f64, Option<f64>)> =
        flow.handovers.iter().map(|handover| (handover.start_s, handover.interruption_ms)).collect();
    let away = handovers[1];
    assert!((away.0 - 46.5).abs() < 1e-6, "{handovers:?}");
    assert!((away.1.unwrap() - (68.5 - 46.5 + 0.18) * 1000.0).abs() < 1e-3, "{handovers:?}");
    let silent = flow.intervals.iter().filter(|it| it.from_s >= 47.0 && it.to_s <= 68.0);
    assert_eq!(silent.map(|it| it.bytes).collect::<Vec<_>>(), vec![0; 21]);
    assert!(flow.intervals.iter().any(|it| it.from_s >= 68.0 && it.bytes > 0));
}

/// The old range lasts 2.29 s longer, and layer 2 plus registration take less than 0.4 s: with two radios a move
/// loses nothing.
#[test]
fn an_overlapping_old_link_loses_nothing() {
    for protocol in [NO_PROTOCOL, MOBILE_IP] {
        let text = mobility_vegas(protocol);
        let lost = |overrides: &[&str]| {
            let run = &runs(&text, overrides)[0];
            let cells = &run.links[run.links.len() - 6..];
            let lost: u64 = cells.iter().map(|link| link.lost_to_departure.unwrap()).sum();
            (lost, run.flows[0].timeouts)
        };
        let (abrupt, timeouts) = lost(&[]);
        // Four windows, each at most the capacity of 50 ms at 10 Mbit/s plus a queue of 10: 53 packets of 1500 bytes.
        assert!((8..=4 * 53).contains(&abrupt) && timeouts > 0, "{abrupt} {timeouts}");
        let (kept, timeouts) = lost(&["mobile.mn.movement.overlap=old link"]);
        assert_eq!((kept, timeouts), (0, 0), "{protocol}");
    }
}

/// Two radio cells at the same distance from an anchor.
fn upload(kind: &str, anchor: &str, window: u32) -> String {
    let nodes = "nodes = [\"cn\", \"map\", \"ha\", \"a\", \"b\", \"mn\"]\n";
    let mut text = format!("duration = \"14 s\"\n{nodes}");
    for (name, ends, millis) in [
        ("internet", ["cn", "map"], 10),
        ("to-home", ["ha", "map"], 100),
        ("to-a", ["map", "a"], 20),
        ("to-b", ["map", "b"], 20),
    ] {
        text += &link(name, ends, &format!("rate = \"20 Mbit/s\"\none_way_delay = \"{millis} ms\""));
    }
    for cell in ["a", "b"] {
        text += &format!("\n[[cell]]\nname = \"{cell}\"\nbase_station = \"{cell}\"\n");
        text += "rate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"\n";
    }
    text += "\n[[mobile]]\nname = \"mn\"\ncells = [\"a\", \"b\"]\n";
    text += &format!("protocol = {{ kind = \"{kind}\", {anchor} }}\n[mobile.movement]\n");
    text += "timetable = [{ at = \"10 s\", cell = \"b\" }]\ninterruption = \"10 ms\"\noverlap = \"3 s\"\n";
    let keys = format!("variant = \"newreno\"\ntcp = {{ window_limit = {window} }}");
    text + &flow("upload", ["mn", "cn"], &keys)
}

/// The answer to an update comes a round trip later, 242 ms from the home agent and 42 ms from the anchor point. Of
/// the upload meanwhile, most of 10 Mbit/s, the anchor only rejects the packet in the old air and one that waits.
#[test]
fn an_upload_continues_while_the_anchor_answers() {
    for (kind, anchor, window, round_trip_ms) in [
        ("mobile-ipv6", "home_agent = \"ha\"", 300, 242.0),
        ("nemo", "home_agent = \"ha\"", 300, 242.0),
        ("hmipv6", "mobility_anchor_point = \"map\"", 40, 42.0),
    ] {
        let run = &runs(&upload(kind, anchor, window), &[])[0];
        let [handover] = &run.flows[0].handovers[..] else { panic!("{:?}", run.flows) };
        let waited = handover.registered_ms.unwrap() - handover.movement_detected_ms.unwrap();
        assert!((round_trip_ms..round_trip_ms + 10.0).contains(&waited), "{kind}: {handover:?}");
        let lost = (run.flows[0].retransmissions, run.flows[0].timeouts);
        assert!(lost.0 <= 2 && lost.1 == 0, "{kind}: {lost:?} {handover:?}");
    }
}

/// Link_Down comes only when the old link is really gone: Freeze-TCP, whose sender pauses on it, must not lose
/// anything.
#[test]
fn with_two_links_a_replaced_link_causes_no_notification() {
    let text = mobility_vegas(MOBILE_IP);
    let notice = "mobile.mn.notice={ lead = \"100 ms\" }";
    let goodput = |overrides: &[&str]| runs(&text, overrides)[0].flows[0].goodput_bits_per_second;
    let overlap = "mobile.mn.movement.overlap=old link";
    let plain = goodput(&[overlap]);
    let freeze = goodput(&[overlap, notice, "flow.main.handover=freeze"]);
    assert!((0.98..1.02).contains(&(freeze / plain)), "{freeze} {plain}");
}

/// Paper cross-layer-handover: a satellite with 1 Mbit/s and a round-trip time of 550 ms, a hot spot with 11 Mbit/s and 25 ms; a handover takes
/// 2.5 s, into the hot spot at 5.5 s and back 5 s later.
fn cross_layer(cells: &str) -> String {
    let mut text =
        "duration = \"60 s\"\nnodes = [\"sender\", \"map\", \"ar1\", \"ar2\", \"mn\"]\n".to_owned();
    text += &link("internet", ["sender", "map"], "rate = \"100 Mbit/s\"\none_way_delay = \"5 ms\"");
    for (router, rate, air) in [("ar1", "1 Mbit/s", "269 ms"), ("ar2", "11 Mbit/s", "6.5 ms")] {
        text += &link(
            &format!("to-{router}"),
            ["map", router],
            "rate = \"100 Mbit/s\"\none_way_delay = \"1 ms\"",
        );
        text += &format!(
            "\n[[cell]]\nname = \"{router}\"\nbase_station = \"{router}\"\nrate = \"{rate}\"\n\
             one_way_delay = \"{air}\"\nqueue = {{ discipline = \"drop-tail\", limit = \"60 packets\" }}\n{cells}\n"
        );
    }
    text += "\n[[mobile]]\nname = \"mn\"\ncells = [\"ar1\", \"ar2\"]\nprotocol = { kind = \"none\" }\n\
             layer_2 = { scan = \"2 s\", associate = \"500 ms\" }\n\
             movement = { timetable = [{ at = \"5.5 s\", cell = \"ar2\" }, { at = \"10.5 s\", cell = \"ar1\" }] }\n";
    text + &flow("file", ["sender", "mn"], "variant = \"newreno\"\ntcp = { segment_size = \"1024 bytes\" }")
}

/// Packets in the air are lost in any case: downstream these are 269 ms of 1 Mbit/s in packets of 1076 bytes, and the
/// one in service.
#[test]
fn a_queue_for_a_departed_node_can_be_forwarded() {
    let lost = |cells: &str, duration: &str| {
        let run = &runs(&cross_layer(cells), &[duration])[0];
        let down = run.links.iter().find(|link| link.name == "ar1/down").unwrap();
        let in_all = down.lost_to_departure.unwrap() + down.dropped_by_full_queue;
        (down.lost_to_departure.unwrap(), in_all, run.flows[0].delivered_bytes)
    };
    let in_the_air = 269_000 / 8_608 + 2;
    let forwarding = "forward_departed = \"200 packets\"";
    let (dropped, _, bytes_after_drop) = lost("", "duration=10 s");
    let (forwarded, _, bytes_after_forwarding) = lost(forwarding, "duration=10 s");
    assert!(dropped > in_the_air + 5, "a queue was lost: {dropped}");
    assert!((20..=in_the_air).contains(&forwarded), "only the air: {forwarded}");
    assert!(bytes_after_forwarding > bytes_after_drop, "{bytes_after_forwarding} {bytes_after_drop}");
    // Until the node is reachable TCP behaves the same; buffered packets are not lost yet.
    let [most, less] = ["0 packets", "5 packets"]
        .map(|limit| lost(&format!("forward_departed = \"{limit}\""), "duration=7.9 s").1);
    assert_eq!(most - less, 5, "{most} {less}");
}

/// The node is reachable in the new radio cell exactly when its old link is gone: at once, or because the old link
/// lasts as long as the handover. The queue is forwarded all the same, and only packets in the air are lost.
#[test]
fn a_queue_is_forwarded_to_a_node_that_is_reachable_at_once() {
    for time in ["0 s", "50 ms"] {
        let [scan, overlap] =
            ["layer_2.scan", "movement.overlap"].map(|key| format!("mobile.mn.{key}={time}"));
        let given = ["duration=10 s", "mobile.mn.layer_2.associate=0 s", &*scan, &*overlap];
        let lost = |cells: &str| {
            let run = &runs(&cross_layer(cells), &given)[0];
            run.links.iter().find(|link| link.name == "ar1/down").unwrap().lost_to_departure.unwrap()
        };
        assert_queue_is_forwarded(lost);
    }
}

/// Packets for a host behind the node, with a link of its own, are forwarded like those for the node.
#[test]
fn a_queue_for_a_host_behind_a_departed_node_is_forwarded() {
    let lost = |cells: &str| {
        let text = cross_layer(cells).replacen("\"mn\"]", "\"mn\", \"host\"]", 1);
        let text = text.replace("to = \"mn\"", "to = \"host\"");
        let inside = link("inside", ["mn", "host"], "rate = \"100 Mbit/s\"\none_way_delay = \"1 ms\"");
        let run = &runs(&(text + &inside), &["duration=10 s"])[0];
        run.links.iter().find(|link| link.name == "ar1/down").unwrap().lost_to_departure.unwrap()
    };
    assert_queue_is_forwarded(lost);
}

/// `lost` is how many packets are lost to the departure, with these keys of the cells.
fn assert_queue_is_forwarded(lost: impl Fn(&str) -> u64) {
    let in_the_air = 269_000 / 8_608 + 2;
    let (dropped, forwarded) = (lost(""), lost("forward_departed = \"200 packets\""));
    assert!(dropped > in_the_air + 5, "a queue was lost: {dropped}");
    assert!((20..=in_the_air).contains(&forwarded), "only the air: {forwarded}");
}

/// The record is the same whether there is nothing to buffer or no buffer, but for the times at which packets count as lost.
#[test]
fn an_unused_buffer_changes_only_airtime() {
    let flows = |keys: &str| {
        let run = runs(&cross_layer(keys), &["duration=10 s"]).remove(0);
        run.flows.into_iter().map(|flow| FlowRecord { loss_repair_mean_ms: None, ..flow }).collect::<Vec<_>>()
    };
    assert_eq!(flows(""), flows("forward_departed = \"0 packets\""));
}

/// The acknowledgments that the sender received: time and cumulative number.
fn acknowledgments(text: &str, overrides: &[&str]) -> Vec<(f64, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { events: Some(folder.path().to_owned()), ..RunOptions::default() };
    let results = run(&plan(text, overrides), &options, &|| ()).unwrap();
    let events = std::fs::read_to_string(&results[0].files[0]).unwrap();
    let of_the_sender = events.lines().filter(|line| line.contains(",sender,acknowledgment,"));
    let read = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        (columns[0].parse().unwrap(), columns[4].parse().unwrap())
    };
    of_the_sender.map(read).collect()
}

/// The last acknowledgments over the satellite, 275 ms on their way, arrive until 5.8 s when they are not lost. With a
/// quick layer 2 the same number comes over the hot spot first.
#[test]
fn acknowledgments_over_the_new_link_overtake_those_over_the_old() {
    let text = cross_layer("in_flight_upwards = \"deliver\"");
    let slow = acknowledgments(&text, &["duration=8 s"]);
    let (last_at, last) = *slow.iter().rfind(|(at, _)| *at < 6.0).unwrap();
    assert!((5.72..5.78).contains(&last_at), "{last_at}");
    let quick = ["duration=8 s", "mobile.mn.layer_2.scan=20 ms", "mobile.mn.layer_2.associate=30 ms"];
    let quick = acknowledgments(&text, &quick);
    let (first_at, _) = quick.iter().find(|(_, number)| number.wrapping_sub(last) as i32 >= 0).unwrap();
    assert!((5.55..5.65).contains(first_at), "{first_at} {last_at}");
    let lost = acknowledgments(&cross_layer("in_flight_upwards = \"drop\""), &["duration=8 s"]);
    assert!(!lost.iter().any(|(at, _)| (5.51..5.8).contains(at)), "none of them arrives");
}

/// A ramp of losses drops packets at the edge only, and counts them.
#[test]
fn an_edge_drops_packets_before_the_node_leaves() {
    let run =
        &runs(&cross_layer("edge_loss = { rises_to = \"50 %\", within = \"1 s\" }"), &["duration=10 s"])[0];
    let at = |name: &str| run.links.iter().find(|link| link.name == name).unwrap().lost_to_errors;
    // A second of 1 Mbit/s is 116 packets; a quarter of them at full rate.
    assert!((5..60).contains(&at("ar1/down")), "{}", at("ar1/down"));
    assert_eq!(at("internet/down"), 0);
}

#[test]
fn the_same_route_gives_the_same_record() {
    let text = mobility_vegas(MOBILE_IP);
    assert_eq!(runs(&text, &["seeds=2"]), runs(&text, &["seeds=2"]));
}
