//! Runs compared with closed forms, and reproducibility.

use crate::support::{flow, link, plan};
use seamline_experiment::record::RunRecord;
use seamline_experiment::report::{ResultDocument, provenance_of};
use seamline_experiment::{RunOptions, pages, run, run_seed, summarise};
use seamline_scenario::Plan;
use std::sync::atomic::AtomicBool;

/// 10 Mbit/s and 20 ms each way, with the given additions.
fn one_link(general: &str, link_keys: &str, flow_keys: &str) -> Plan {
    let ends = ["server", "phone"];
    let link_keys = format!("rate = \"10 Mbit/s\"\none_way_delay = \"20 ms\"\n{link_keys}");
    let text = format!("duration = \"10 s\"\nnodes = [\"server\", \"phone\"]\n{general}")
        + &link("radio", ends, &link_keys)
        + &flow("main", ends, flow_keys);
    plan(&text, &[])
}

fn first_run(plan: &Plan) -> RunRecord {
    run(plan, &RunOptions::default(), &|| ()).unwrap()[0].runs[0].clone()
}

fn json(plan: &Plan) -> String {
    let results = run(plan, &RunOptions::default(), &|| ()).unwrap();
    let summary = summarise(plan, &results, None);
    let report = pages::report(plan, results, &summary, provenance_of(plan, String::new()));
    ResultDocument::new(plan, &report).to_json().unwrap()
}

/// A window of 42 segments fills the pipe (1500 bytes take 1.2 ms; the empty round trip of 41.24 ms is 34.4 of them)
/// and part of the queue: the goodput is the rate times the share of payload, 1448 of 1500 bytes with timestamps.
#[test]
fn a_full_pipe_delivers_the_rate_times_the_share_of_payload() {
    let plan = one_link("warm_up = \"2 s\"", "", "variant = \"newreno\"\ntcp = { window_limit = 42 }");
    let flow = &first_run(&plan).flows[0];
    let expected = 10e6 * 1448.0 / 1500.0;
    assert!(
        (flow.goodput_bits_per_second / expected - 1.0).abs() < 0.002,
        "{}",
        flow.goodput_bits_per_second
    );
    assert_eq!((flow.retransmissions, flow.timeouts, flow.fast_recoveries), (0, 0, 0));
    assert_eq!((flow.measured_from_s, flow.measured_to_s), (2.0, 10.0));
}

/// One segment of 1500 bytes takes 1.2 ms and 20 ms, its acknowledgment of 52 bytes 0.0416 ms and 20 ms.
/// With a window of one segment and no delayed acknowledgments every round trip is that long.
#[test]
fn an_empty_path_has_the_round_trip_time_of_its_parts() {
    let flow = "variant = \"newreno\"\nhandshake = false
        tcp = { window_limit = 1, initial_window = 1, delayed_ack = \"0 s\" }";
    let flow = &first_run(&one_link("", "", flow)).flows[0];
    assert!((flow.round_trip_min_ms.unwrap() - 41.2416).abs() < 1e-3, "{:?}", flow.round_trip_min_ms);
    assert!((flow.round_trip_mean_ms.unwrap() - 41.2416).abs() < 1e-2, "{:?}", flow.round_trip_mean_ms);
    assert!((flow.goodput_bits_per_second / (1448.0 * 8.0 / 0.0412416) - 1.0).abs() < 0.01);
}

/// With a window of one segment no duplicate comes, so each lost packet waits for the timer, 1 s (RFC 6298), and a round trip of 41 ms. The
/// packet whose retransmission is lost, too, waits for twice that after it: 3 s in all.
#[test]
fn a_repair_takes_until_the_acknowledgment() {
    let flow = "variant = \"newreno\"\nprofile = \"rfc\"\nhandshake = false
        tcp = { window_limit = 1, initial_window = 1, delayed_ack = \"0 s\" }";
    let over = |link: &str| first_run(&one_link("", link, flow)).flows[0].loss_repair_mean_ms;
    let repair = |lost: &str| {
        over(&format!("down.loss = {{ model = \"list\", indices = [{lost}], applies_to = \"payload\" }}"))
    };
    let within = |found: Option<f64>, millis: f64| (found.unwrap() - millis).abs() < 25.0;
    assert_eq!(over(""), None);
    assert!(within(repair("100"), 1041.0), "{:?}", repair("100"));
    assert!(within(repair("100, 101"), 3041.0), "{:?}", repair("100, 101"));
    assert!(within(repair("100, 101, 120"), 2041.0), "{:?}", repair("100, 101, 120"));
}

/// 100 segments of 1448 bytes, ten in the first round trip: the whole transfer takes a handshake and a few
/// round trips, and every byte arrives.
#[test]
fn a_transfer_ends_with_its_last_byte() {
    let flow = &first_run(&one_link("", "", "variant = \"newreno\"\nsize = \"144800 bytes\"")).flows[0];
    assert_eq!(flow.delivered_bytes, 144_800);
    let completion = flow.completion_s.unwrap();
    // The rate alone takes 0.12 s; ten, twenty and forty segments per round trip take four round trips.
    assert!((0.2..0.35).contains(&completion), "{completion}");
    assert_eq!(flow.measured_to_s, completion);
}

/// A hard handover of half a second. The timer of 1 s runs from the last acknowledgment, at most 2.4 ms before the
/// handover, so the retransmission arrives at 6.0 s + 21.2 ms; if that acknowledgment was lost before, one round trip
/// later. The threshold is 21 segments, half the window, and 31 of the 34.4 segments that fill the pipe are 90 %:
/// after about five round trips of slow start the window grows by half a segment (delayed acknowledgments) in each of
/// twenty round trips of 41 ms: about 2.1 s in all.
#[test]
fn a_hard_handover_is_measured_from_its_start() {
    let handover = r#"handover = { at = "5 s", interruption = "500 ms", queued = "drop", in_service = "drop",
        in_flight = "drop", arriving = "drop" }"#;
    let flow = &first_run(&one_link(
        "",
        handover,
        "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = { window_limit = 42 }",
    ))
    .flows[0];
    let [handover] = flow.handovers.as_slice() else { panic!("{:?}", flow.handovers) };
    assert_eq!((handover.start_s, handover.interruption_ms), (5.0, Some(500.0)));
    let first = handover.first_data_ms.unwrap();
    assert!((1018.0..1064.0).contains(&first), "{first}");
    let recovery = handover.recovery_ms.unwrap();
    assert!((1800.0..2400.0).contains(&recovery), "{recovery}");
    assert_eq!(flow.timeouts, 1);
}

/// Packets lost at a handover are counted with it: here nothing else is ever lost, and nothing arrives meanwhile.
#[test]
fn packets_lost_at_a_handover_are_counted() {
    let handover = "handover = { at = \"5 s\", interruption = \"500 ms\", queued = \"drop\", in_service = \"drop\", \
         in_flight = \"drop\", arriving = \"drop\" }";
    let record = first_run(&one_link("", handover, "variant = \"newreno\"\ntcp = { window_limit = 42 }"));
    let [handover] = record.flows[0].handovers.as_slice() else { panic!("{:?}", record.flows[0].handovers) };
    assert_eq!(handover.lost_packets, record.links[0].lost_to_link_down);
    // A full window, except packets whose acknowledgments were in flight.
    assert!((20..=42).contains(&handover.lost_packets), "{}", handover.lost_packets);
    assert_eq!(handover.stalled_bytes, 0);
}

/// Every run keeps its intervals if requested, and their sum is the delivered data.
#[test]
fn the_intervals_of_every_run_can_be_kept() {
    let text = |output: &str| one_link(&format!("seeds = 3\n{output}"), "", "variant = \"newreno\"");
    let lengths = |plan: &Plan| -> Vec<(usize, bool)> {
        let done = run(plan, &RunOptions::default(), &|| {}).expect("runs");
        let flows = done[0].runs.iter().map(|run| &run.flows[0]);
        flows
            .map(|flow| {
                let sum: u64 = flow.intervals.iter().map(|row| row.bytes).sum();
                (flow.intervals.len(), sum == flow.delivered_bytes)
            })
            .collect()
    };
    let first = lengths(&text(""));
    assert_eq!((first.len(), first[0].1, first[1].0, first[2].0), (3, true, 0, 0));
    let every = lengths(&text("output = { intervals_of = \"every run\" }"));
    assert_eq!(every, vec![first[0]; 3]);
    // Sweeps run single seeds, and keep the same.
    let plan = text("output = { intervals_of = \"every run\" }");
    let alone = run_seed(&plan.cells[0].scenario, 2, &AtomicBool::new(false)).expect("not stopped");
    assert_eq!(alone, run(&plan, &RunOptions::default(), &|| ()).expect("runs")[0].runs[1]);
}

/// A handover without loss: data arrives again one delay and one transmission after the link is up.
#[test]
fn a_seamless_handover_costs_its_interruption() {
    let handover = "handover = { at = \"5 s\", interruption = \"100 ms\" }";
    let flow =
        &first_run(&one_link("", handover, "variant = \"newreno\"\ntcp = { window_limit = 42 }")).flows[0];
    let first = flow.handovers[0].first_data_ms.unwrap();
    // Packets in flight arrive within 20 ms of the start; the restarted transmission needs 1.2 ms and 20 ms.
    assert!((121.1..121.3).contains(&first), "{first}");
    assert_eq!(flow.timeouts, 0);
    let second = flow.handovers[0].following_second_bytes as f64 * 8.0;
    assert!((0.95..1.0).contains(&(second / (10e6 * 1448.0 / 1500.0))), "{second}");
}

/// Only the n-th packet is lost: one retransmission.
#[test]
fn a_listed_loss_is_one_loss() {
    let loss = "down = { loss = { model = \"list\", indices = [200] } }";
    let record = first_run(&one_link("", loss, "variant = \"sack\"\ntcp = { window_limit = 42 }"));
    assert_eq!(record.links[0].lost_to_errors, 1);
    assert_eq!((record.flows[0].retransmissions, record.flows[0].fast_recoveries), (1, 1));
}

/// The result of ns-2.35's own Vegas over this chain with `window_` 1000, packets of 1040 bytes (its Vegas does not
/// count headers) and `syn_` false: slow start overshoots, a timeout follows, then one more segment each round trip
/// until 65.2263 fill the path.
#[test]
fn vegas_with_a_large_window_is_that_of_ns2() {
    let keys = |rate: u32, delay: u32| {
        // ns-2's limit of 10 counts the packet in service.
        let limit = "queue = { discipline = \"drop-tail\", limit = \"9 packets\" }";
        format!("rate = \"{rate} Mbit/s\"\none_way_delay = \"{delay} ms\"\n{limit}")
    };
    let text =
        "duration = \"5 s\"\nnodes = [\"a\", \"b\", \"c\", \"d\"]\noutput = { interval = \"100 ms\" }\n"
            .to_owned()
            + &link("ab", ["a", "b"], &keys(20, 22))
            + &link("bc", ["b", "c"], &keys(20, 2))
            + &link("cd", ["c", "d"], &keys(10, 1))
            + &flow(
                "main",
                ["a", "d"],
                "variant = \"vegas\"\nprofile = \"ns2-2010\"\nhandshake = false\ntcp = { window_limit = 1000 }",
            );
    let plan = plan(&text, &[]);
    let record = first_run(&plan);
    let windows: Vec<f64> =
        record.flows[0].intervals.iter().map(|row| row.congestion_window_segments).collect();
    assert!((windows[49] - 65.2263).abs() < 0.0001, "{windows:?}");
}

/// The value for "unlimited" does not allocate memory for such a window.
#[test]
fn an_unlimited_window_allocates_no_memory_of_that_size() {
    let keys = "variant = \"vegas\"\nprofile = \"ns2-2010\"\nsize = \"100 packets\"\ntcp = { window_limit = 4294967295 }";
    assert!(first_run(&one_link("", "", keys)).flows[0].completion_s.is_some());
}

/// Two paths lead from a to c: direct, and through b. Of two equal links the first is used.
#[test]
fn packets_take_the_fewest_hops_and_the_first_link() {
    let links =
        [("ab", ["a", "b"]), ("bc", ["b", "c"]), ("ca", ["c", "a"]), ("ac", ["a", "c"]), ("cd", ["c", "d"])];
    let keys = "rate = \"10 Mbit/s\"\none_way_delay = \"1 ms\"";
    let links: String = links.into_iter().map(|(name, ends)| link(name, ends, keys)).collect();
    let text = format!("duration = \"1 s\"\nnodes = [\"a\", \"b\", \"c\", \"d\"]\n{links}")
        + &flow("main", ["a", "d"], "variant = \"reno\"\nsize = \"50 packets\"");
    let record = first_run(&plan(&text, &[]));
    let carried: Vec<bool> = record.links.iter().map(|link| link.delivered_packets > 0).collect();
    let names: Vec<&str> = record.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names[..4], ["ab/down", "ab/up", "bc/down", "bc/up"]);
    assert_eq!(carried, [false, false, false, false, true, true, false, false, true, true]);
    assert_eq!(record.flows[0].delivered_bytes, 50 * 1460);
}

/// Copies share the link, and their goodputs add up.
#[test]
fn copies_are_counted_individually_and_in_total() {
    let flow =
        &first_run(&one_link("", "", "variant = \"newreno\"\ncount = 4\nstagger = \"10 ms\"")).flows[0];
    assert_eq!(flow.copies_bits_per_second.len(), 4);
    let sum: f64 = flow.copies_bits_per_second.iter().sum();
    assert!((sum / flow.goodput_bits_per_second - 1.0).abs() < 1e-9);
    assert!(flow.copies_bits_per_second.iter().all(|goodput| *goodput > 0.0));
}

/// All conditions of the link are random, and the same for three variants.
fn random() -> Plan {
    let keys = r#"
        queue = { discipline = "codel" }
        loss = { model = "gilbert-elliott", good_to_bad = "0.1 %", bad_to_good = "30 %" }
        schedule = { kind = "starlink", second_of_minute = "10 s" }
        notice = { lead = "1 s", error = "100 ms", lost = "10 %", false_per_minute = 10 }
    "#;
    let text = "duration = \"5 s\"\nseeds = 3\nnodes = [\"server\", \"terminal\"]".to_owned()
        + &link("space", ["server", "terminal"], keys)
        + &flow("main", ["terminal", "server"], "")
        + "[grid]\nflow.main.variant = [\"newreno\", \"vegas\", \"cubic\"]";
    plan(&text, &[])
}

#[test]
fn the_same_seeds_give_the_same_bytes_on_any_number_of_threads() {
    let plan = random();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| json(&plan))
    };
    let one = on(1);
    assert_eq!(one, on(1));
    assert_eq!(one, on(4));
}

#[test]
fn different_seeds_give_different_runs() {
    let plan = random();
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    for cell in &results {
        assert_ne!(cell.runs[0].flows, cell.runs[1].flows);
    }
}

/// Common random numbers: with every variant the link goes down at the same times for the same duration.
#[test]
fn all_variants_have_the_same_handovers() {
    let results = run(&random(), &RunOptions::default(), &|| ()).unwrap();
    let interruptions = |cell: usize| -> Vec<_> {
        let runs = results[cell].runs.iter();
        runs.flat_map(|run| run.flows[0].handovers.iter().map(|it| (it.start_s, it.interruption_ms)))
            .collect()
    };
    assert_eq!(interruptions(0).len(), 3);
    assert_eq!(interruptions(0), interruptions(1));
    assert_eq!(interruptions(0), interruptions(2));
}
