//! Freeze-TCP with timestamps (da Costa and Sirisena 2002): losses after a disconnection do not wait for a timeout that has grown by it.

use super::*;

/// The radio link is down for 2 s, and delivers afterwards what has waited. 200 ms after it is back, the wired link loses everything for
/// 300 ms, which the sender's timer has to find out: its timeout is 200 ms in the end, and more than a second where samples of the round
/// trip count the disconnection, doubled by a second loss.
#[test]
fn losses_after_a_disconnection_do_not_wait_for_it() {
    let radio = "notice = { to = \"phone\" }\nhandover = { at = \"10 s\", interruption = \"2 s\" }";
    let keys = "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = { window_limit = 40, minimum_rto = \"200 ms\" }\n\
        [grid]\nflow.download.handover = [\"none\", \"freeze\", \"freeze-timestamps\"]";
    let losses = "link.wired.handover={ at = \"12.2 s\", interruption = \"300 ms\", queued = \"drop\", in_service = \"drop\", \
        in_flight = \"drop\", arriving = \"drop\" }";
    let flows = download(radio, keys, &[losses]);
    let waited: Vec<f64> = flows.iter().map(|flow| flow.handovers[1].first_data_ms.unwrap()).collect();
    assert!((3000.0..8000.0).contains(&waited[1]), "{waited:?}");
    assert!((300.0..1000.0).contains(&waited[2]), "{waited:?}");
    // Freeze-TCP itself needs a prediction, which this host does not get.
    assert_eq!(waited[0], waited[1]);
}
