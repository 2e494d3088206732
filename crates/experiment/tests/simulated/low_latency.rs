//! Low latency and marks: DCTCP with a step, Prague next to CUBIC in DualPI2.

use crate::support::{flow, link, plan};
use seamline_experiment::record::FlowRecord;
use seamline_experiment::{RunOptions, run};

fn flows(text: &str) -> Vec<FlowRecord> {
    let results = run(&plan(text, &[]), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).flat_map(|run| run.flows).collect()
}
fn head(seconds: u32, warm_up: u32) -> String {
    format!(
        "duration = \"{seconds} s\"\nwarm_up = \"{warm_up} s\"\nseeds = 3\nnodes = [\"server\", \"home\"]\n"
    )
}
/// How long packets wait, on the average of a flow.
fn queueing_ms(flow: &FlowRecord) -> f64 {
    flow.round_trip_mean_ms.unwrap() - flow.round_trip_min_ms.unwrap()
}
fn line(rate: &str, queue: &str) -> String {
    let keys = format!("rate = \"{rate}\"\none_way_delay = \"5 ms\"\nqueue = {queue}\n");
    link("line", ["server", "home"], &keys)
}
fn sender(name: &str, variant: &str, more: &str) -> String {
    let keys = format!("variant = \"{variant}\"\nprofile = \"linux-6.12\"\n{more}");
    flow(name, ["server", "home"], &keys)
}

/// RFC 9332 section 1: both kinds share the link within a factor of two, and the scalable flow waits about a millisecond, where the classic
/// one waits for the target of 15 ms.
#[test]
fn prague_waits_a_millisecond_next_to_cubic() {
    let text = head(40, 10)
        + &line("40 Mbit/s", "{ discipline = \"dualpi2\" }")
        + &sender("prague", "prague", "")
        + &sender("cubic", "cubic", "");
    for pair in flows(&text).chunks(2) {
        let [prague, cubic] = pair else { unreachable!("two flows a run") };
        let ratio = prague.goodput_bits_per_second / cubic.goodput_bits_per_second;
        let total = prague.goodput_bits_per_second + cubic.goodput_bits_per_second;
        assert!((0.5..=2.0).contains(&ratio), "prague / cubic = {ratio}");
        assert!((30e6..40e6).contains(&total), "{total}");
        assert!((0.05..=2.0).contains(&queueing_ms(prague)), "{}", queueing_ms(prague));
        assert!((8.0..=30.0).contains(&queueing_ms(cubic)), "{}", queueing_ms(cubic));
        assert_eq!(prague.retransmissions, 0);
    }
}

/// The same without L4S: a classic queue, which drops. Prague falls back to halving and keeps the link full.
#[test]
fn prague_halves_where_nothing_marks() {
    let queue = "{ discipline = \"drop-tail\", limit = \"40 packets\" }";
    let text = head(20, 5) + &line("40 Mbit/s", queue) + &sender("prague", "prague", "");
    for prague in flows(&text) {
        let goodput = prague.goodput_bits_per_second;
        assert!((28e6..40e6).contains(&goodput), "{goodput}");
        assert!(prague.retransmissions > 0);
    }
}

/// RFC 8257 section 1 and Alizadeh et al. 2010: a threshold far below what a classic flow needs keeps the queue short and the link full.
#[test]
fn dctcp_keeps_a_step_short_and_the_link_full() {
    let queue = "{ discipline = \"step\", threshold = \"20 packets\", limit = \"200 packets\" }";
    let line = link(
        "line",
        ["server", "home"],
        &format!("rate = \"100 Mbit/s\"\none_way_delay = \"500 us\"\nqueue = {queue}\n"),
    );
    for dctcp in flows(&(head(5, 1) + &line + &sender("main", "dctcp", ""))) {
        assert!((90e6..100e6).contains(&dctcp.goodput_bits_per_second), "{}", dctcp.goodput_bits_per_second);
        // Twenty packets wait 2.4 ms.
        assert!((0.5..=4.0).contains(&queueing_ms(&dctcp)), "{}", queueing_ms(&dctcp));
        assert_eq!(dctcp.retransmissions, 0);
    }
}
