//! Nodes that move by waypoints through the ranges of cells.

mod support;

use seamline_scenario::record::RunRecord;
use seamline_scenario::{RunOptions, run};
use support::{flow, link, plan};

fn runs(text: &str, overrides: &[&str]) -> Vec<RunRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).collect()
}

/// The plane and the way of paper V (section 5.1): access routers 150 m apart with a range of 90 m.
fn paper_v(protocol: &str) -> String {
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
fn the_handovers_of_paper_v_begin_when_it_says() {
    for protocol in [NO_PROTOCOL, MOBILE_IP] {
        let run = &runs(&paper_v(protocol), &[])[0];
        let handovers = &run.flows[0].handovers;
        let begins: Vec<f64> = handovers.iter().map(|handover| handover.start_s).collect();
        // The paper gives 21.35, 41.35, 71.35 and 91.35 s.
        assert_eq!(begins.len(), 4, "{begins:?}");
        for (found, expected) in begins.iter().zip([21.35, 41.35, 71.35, 91.35]) {
            assert!((found - expected).abs() < 0.005, "{begins:?}");
        }
        for handover in handovers {
            // Then, with Mobile IP, the wait for an advertisement and a registration over at most 5 ms one way.
            let interruption = handover.interruption_ms.unwrap();
            let most = if protocol == MOBILE_IP { 310.0 } else { 180.000_001 };
            assert!((180.0..most).contains(&interruption), "{interruption}");
        }
    }
}

/// 200 m away from the last range the node is nobody's: what is sent to it is lost, until it is back.
#[test]
fn out_of_all_ranges_nothing_arrives() {
    let text = paper_v(NO_PROTOCOL).replace("to = [\"550 m\", \"275 m\"]", "to = [\"350 m\", \"475 m\"]");
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

/// The old range lasts 2.29 s longer, and layer 2 with a registration takes no 0.4 s: with two radios nothing is lost
/// to the move.
#[test]
fn an_old_link_that_lasts_saves_what_is_on_its_way() {
    for protocol in [NO_PROTOCOL, MOBILE_IP] {
        let text = paper_v(protocol);
        let lost = |overrides: &[&str]| {
            let run = &runs(&text, overrides)[0];
            let cells = &run.links[run.links.len() - 6..];
            let lost: u64 = cells.iter().map(|link| link.lost_to_departure.unwrap()).sum();
            (lost, run.flows[0].timeouts)
        };
        let (abrupt, timeouts) = lost(&[]);
        // Four windows, each no more than what 50 ms of 10 Mbit/s and a queue of 10 hold: 53 packets of 1500 bytes.
        assert!((8..=4 * 53).contains(&abrupt) && timeouts > 0, "{abrupt} {timeouts}");
        let (kept, timeouts) = lost(&["mobile.mn.movement.overlap=old link"]);
        assert_eq!((kept, timeouts), (0, 0), "{protocol}");
    }
}

/// Link_Down only when the old link is really gone: Freeze-TCP, whose sender stops on it, loses nothing by it.
#[test]
fn with_two_links_no_scheme_is_told_of_a_link_that_is_replaced() {
    let text = paper_v(MOBILE_IP);
    let notice = "mobile.mn.notice={ lead = \"100 ms\" }";
    let goodput = |overrides: &[&str]| runs(&text, overrides)[0].flows[0].goodput_bits_per_second;
    let overlap = "mobile.mn.movement.overlap=old link";
    let plain = goodput(&[overlap]);
    let freeze = goodput(&[overlap, notice, "flow.main.handover=freeze"]);
    assert!((0.98..1.02).contains(&(freeze / plain)), "{freeze} {plain}");
}

#[test]
fn the_same_way_gives_the_same_record() {
    let text = paper_v(MOBILE_IP);
    assert_eq!(runs(&text, &["seeds=2"]), runs(&text, &["seeds=2"]));
}
