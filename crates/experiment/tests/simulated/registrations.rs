//! Which registration completes which handover: not a renewal, not one of two bindings, not a late answer.

use crate::support::{flow, link, plan};
use seamline_experiment::record::HandoverRecord;
use seamline_experiment::{RunOptions, run};

/// Two radio cells 12 ms from the sender. The home agent is 200 ms behind the router between them, so an answer from
/// it takes 406 ms plus transmission times.
fn handovers(protocol: &str, movement: &str) -> Vec<HandoverRecord> {
    let mut text = "duration = \"20 s\"\nnodes = [\"s\", \"r\", \"a\", \"b\", \"ha\", \"m\"]\n".to_owned();
    for (name, ends, one_way_delay) in [
        ("w", ["s", "r"], "10 ms"),
        ("h", ["r", "ha"], "200 ms"),
        ("a", ["r", "a"], "2 ms"),
        ("b", ["r", "b"], "2 ms"),
    ] {
        let keys = format!("rate = \"20 Mbit/s\"\none_way_delay = \"{one_way_delay}\"");
        text += &link(&format!("to-{name}"), ends, &keys);
    }
    for name in ["a", "b"] {
        text += &format!(
            "\n[[cell]]\nname = \"{name}\"\nbase_station = \"{name}\"\nrate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"\n"
        );
    }
    text += &format!(
        "\n[[mobile]]\nname = \"m\"\ncells = [\"a\", \"b\"]\nnotice = {{}}\nmovement = {{ {movement} }}\n\
         protocol = {{ home_agent = \"ha\", layer_2_triggers = true, {protocol} }}\n"
    );
    text += &flow("f", ["s", "m"], "variant = \"newreno\"\ntcp = { window_limit = 300 }");
    let mut results = run(&plan(&text, &[]), &RunOptions::default(), &|| ()).unwrap();
    results.remove(0).runs.remove(0).flows.remove(0).handovers
}

/// The node renews at 2 s, and moves at 2.2 s; the answer comes at 2.4 s over the old link, which still works.
#[test]
fn a_renewal_answered_during_a_handover_does_not_complete_it() {
    let movement =
        "timetable = [{ at = \"2.2 s\", cell = \"b\" }], interruption = \"1500 ms\", overlap = \"5 s\"";
    let all = handovers("kind = \"mobile-ipv4\", registration_lifetime = \"4 s\"", movement);
    let [handover] = &all[..] else { panic!("{all:?}") };
    // The new link is up after 1.5 s; solicitation and answer take 2 ms.
    let registered = handover.registered_ms.unwrap();
    assert!((1908.0..1912.0).contains(&registered), "{handover:?}");
    let reached = handover.interruption_ms.unwrap();
    assert!((registered - reached - 203.0).abs() < 1.0, "{handover:?}");
}

/// The anchor point answers 8 ms after the move, but correspondents use the home address: the node is only registered
/// when the home agent has answered, too.
#[test]
fn one_of_two_bindings_does_not_complete_a_handover() {
    let protocol = "kind = \"hmipv6\", mobility_anchor_point = \"r\", registered_at_start = false";
    let movement = "timetable = [{ at = \"0.15 s\", cell = \"b\" }]";
    let all = handovers(protocol, movement);
    let [handover] = &all[..] else { panic!("{all:?}") };
    let (registered, reached) = (handover.registered_ms.unwrap(), handover.interruption_ms.unwrap());
    assert!((registered - reached - 203.0).abs() < 1.0, "{handover:?}");
}

/// The node arrives at 2.7 s and sends a request. It moves again at 2.9 s, before the answer, which comes at 3.1 s
/// over the old link and belongs to the first of two moves.
#[test]
fn the_answer_to_an_earlier_move_does_not_complete_the_next() {
    let movement = "timetable = [{ at = \"2.2 s\", cell = \"b\" }, { at = \"2.9 s\", cell = \"a\" }], \
                    interruption = \"500 ms\", overlap = \"5 s\"";
    for kind in ["mobile-ipv4", "mobile-ipv6"] {
        let all = handovers(&format!("kind = \"{kind}\""), movement);
        let [first, second] = &all[..] else { panic!("{all:?}") };
        assert_eq!(first.registered_ms, None, "{kind}");
        // Link up after 500 ms, solicitation and answer in 2 ms, registered 406 ms later.
        let registered = second.registered_ms.unwrap();
        assert!((908.0..912.0).contains(&registered), "{kind}: {second:?}");
    }
}
