//! Explicit link failure notification (Holland and Vaidya 1999): a sender that knows of the failure neither backs off nor cuts its
//! window.

use super::*;

/// The link is down from 10 s on for 3.5 s. Without a scheme; with probes every 400 ms; with probes every 2 s.
fn flows(failure_notices: bool) -> [FlowRecord; 3] {
    let with = |keys: &str| {
        let keys = format!("variant = \"newreno\"\nprofile = \"rfc\"\ntcp = {{ window_limit = 40 }}\n{keys}");
        let radio = outage("3.5") + &format!("failure_notices = {failure_notices}\n");
        download(&radio, &keys, &[]).swap_remove(0)
    };
    [
        with(""),
        with("handover = \"elfn\"\nelfn = { probe_interval = \"400 ms\" }"),
        with("handover = \"elfn\""),
    ]
}

/// The first segment for the link is reported at once, so that probes come at multiples of their interval after 10 s; without
/// notification the timer expires after 1, 3 and 7 s.
#[test]
fn a_notified_sender_finds_the_link_by_probes() {
    let flows = flows(true);
    let first = flows.each_ref().map(|flow| only(flow).first_data_ms.unwrap());
    for (first, expected) in first.into_iter().zip([7000.0, 3600.0, 4000.0]) {
        assert!((expected + 30.0..expected + 170.0).contains(&first), "{first}, expected {expected}");
    }
    assert_eq!(flows.each_ref().map(|flow| flow.timeouts), [3, 0, 0]);
    // What was under way when the link failed, and then eight probes, one, or two timeouts.
    let [none, often, seldom] = flows.each_ref().map(|flow| only(flow).lost_packets);
    assert_eq!((often - seldom, none - seldom), (7, 1));
}

/// The scheme needs the node at the link.
#[test]
fn nobody_notifies_a_sender_of_a_silent_failure() {
    let [none, often, seldom] = flows(false);
    assert_eq!((often.delivered_bytes, seldom.delivered_bytes), (none.delivered_bytes, none.delivered_bytes));
    assert_eq!((often.timeouts, only(&often).first_data_ms), (3, only(&none).first_data_ms));
}
