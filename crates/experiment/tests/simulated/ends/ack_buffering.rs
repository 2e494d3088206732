//! The mobile node that buffers acknowledgments (Omae et al. 2002): with the right pre-buffer time nothing is lost, and only with it.

use super::*;

/// A round trip takes 50 ms, and the sender's timeout one second. Without the extension and with it.
fn with_and_without(pre_buffer: &str, interruption: &str) -> [FlowRecord; 2] {
    let keys = format!(
        "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = {{ window_limit = 40 }}\nack_buffering = {{ pre_buffer = \"{pre_buffer}\" }}\n\
         [grid]\nflow.download.handover = [\"none\", \"ack-buffering\"]"
    );
    let notice = "notice = { to = \"phone\", lead = \"200 ms\" }\n";
    download(&(notice.to_owned() + &outage(interruption)), &keys, &[]).try_into().unwrap()
}

/// "The pre-buffer time should be longer than RTT and the total of the pre-buffer time, L2 and L3 handoffs should be shorter than sender's
/// retransmission timer": nothing is under way when the link goes, and the sender resumes at once with its window.
#[test]
fn the_window_runs_empty_before_the_link_goes() {
    let [none, buffering] = with_and_without("100 ms", "0.3");
    assert!((30..=45).contains(&only(&none).lost_packets), "{:?}", only(&none));
    assert_eq!(none.timeouts, 1);
    assert_eq!((only(&buffering).lost_packets, buffering.timeouts, buffering.retransmissions), (0, 0, 0));
    let first = only(&buffering).first_data_ms.unwrap();
    assert!((340.0..380.0).contains(&first), "{first}");
}

/// A pre-buffer time of less than a round trip leaves packets under way, which are lost.
#[test]
fn a_short_pre_buffer_time_loses_packets() {
    let [none, buffering] = with_and_without("20 ms", "0.3");
    let [none, buffering] = [none, buffering].map(|flow| only(&flow).lost_packets);
    assert!(buffering > 5 && buffering < none, "{buffering} {none}");
}

/// A handoff of more than the timeout makes the sender start over as without the extension.
#[test]
fn a_long_handoff_times_out() {
    let [none, buffering] = with_and_without("100 ms", "1.2");
    assert!(buffering.timeouts >= 1 && none.timeouts >= 1, "{} {}", buffering.timeouts, none.timeouts);
}
