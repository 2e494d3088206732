//! FxRTO (Mohamed, Fisal and Mohd 2002) and fixed-RTO (Dyer and Boppana 2001): the timeout does not grow during an outage.

use super::*;

/// The last acknowledgment comes as the outage of 3.5 s begins, and the timeout is one second. Timeouts follow it after 1, 3 and 7 s;
/// after 1, 2, 3 and 4 s; or after 1, 3 and 5 s. "The sender's connection is resumed faster when handoff is completed", and "many segments"
/// are sent during the handoff (paper mobility-vegas-2020, section 3).
#[test]
fn a_fixed_timeout_finds_the_link_sooner() {
    let grid =
        "\n[grid]\nflow.download.tcp.rto_backoff = [\"exponential\", \"fixed\", \"fixed-after-first\"]";
    let keys = "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = { rto_backoff = \"exponential\", window_limit = 40 }";
    let flows = download(&outage("3.5"), &(keys.to_owned() + grid), &[]);
    let first: Vec<f64> = flows.iter().map(|flow| only(flow).first_data_ms.unwrap()).collect();
    for (first, expected) in first.iter().zip([7000.0, 4000.0, 5000.0]) {
        assert!((expected..expected + 150.0).contains(first), "{first} ms, expected {expected}");
    }
    let timeouts: Vec<u64> = flows.iter().map(|flow| flow.timeouts).collect();
    assert_eq!(timeouts, [3, 4, 3]);
    let lost: Vec<u64> = flows.iter().map(|flow| only(flow).lost_packets).collect();
    assert!(lost[1] == lost[0] + 1 && lost[2] == lost[0], "{lost:?}");
}

/// Where the first timeout finds the link, the rule makes no difference.
#[test]
fn a_short_outage_is_the_same_under_each_rule() {
    let grid =
        "\n[grid]\nflow.download.tcp.rto_backoff = [\"exponential\", \"fixed\", \"fixed-after-first\"]";
    let keys = "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = { rto_backoff = \"exponential\", window_limit = 40 }";
    let flows = download(&outage("0.5"), &(keys.to_owned() + grid), &[]);
    assert_eq!(flows[0].timeouts, 1);
    assert!(flows.iter().all(|flow| flow.delivered_bytes == flows[0].delivered_bytes));
}
