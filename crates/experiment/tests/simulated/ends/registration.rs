//! TCP-R and TCP-MD (Kwon, Park and Cho 2002): no timeouts in a row while Mobile IP detects a movement and registers.

use super::*;

const SCHEMES: [&str; 3] = ["none", "tcp-r", "tcp-md"];

/// The correspondent node is 10 ms from the router, and the home agent 200 ms, so that it takes 408 ms to register; the mobile node
/// moves at 10 s. The flows of all seeds under each scheme.
fn roaming(protocol: &str) -> [Vec<FlowRecord>; 3] {
    let queue = "queue = { discipline = \"drop-tail\", limit = \"100 packets\" }";
    let of = |delay: &str| format!("rate = \"100 Mbit/s\"\none_way_delay = \"{delay} ms\"\n{queue}");
    let mut text = "duration = \"30 s\"\nseeds = [1, 2, 3, 4, 5]\n\
        nodes = [\"cn\", \"router\", \"home\", \"bs1\", \"bs2\", \"mn\"]\n"
        .to_owned();
    for (ends, delay) in [
        (["cn", "router"], "10"),
        (["home", "router"], "200"),
        (["router", "bs1"], "2"),
        (["router", "bs2"], "2"),
    ] {
        text += &link(&ends.concat(), ends, &of(delay));
    }
    for station in ["bs1", "bs2"] {
        text += &format!("\n[[cell]]\nname = \"at-{station}\"\nbase_station = \"{station}\"\n");
        text += "rate = \"10 Mbit/s\"\none_way_delay = \"2 ms\"\n";
    }
    text += "\n[[mobile]]\nname = \"mn\"\ncells = [\"at-bs1\", \"at-bs2\"]\n\
        movement = { timetable = [{ at = \"10 s\", cell = \"at-bs2\" }] }\nnotice = {}\n";
    text += &format!("protocol = {{ kind = \"mobile-ipv4\", home_agent = \"home\", {protocol} }}\n");
    text += &flow(
        "download",
        ["cn", "mn"],
        "variant = \"newreno\"\nprofile = \"rfc\"\ntcp = { window_limit = 40, minimum_rto = \"200 ms\" }",
    );
    text += &format!("\n[grid]\nflow.download.handover = {SCHEMES:?}\n");
    let results = run(&plan(&text, &[]), &RunOptions::default(), &|| ()).unwrap();
    let flows = |cell: CellResult| cell.runs.into_iter().map(|mut run| run.flows.swap_remove(0)).collect();
    let [none, registration, detection] = results.try_into().map_err(|_| "three cells").unwrap();
    [none, registration, detection].map(flows)
}

fn timeouts(flows: &[FlowRecord]) -> Vec<u64> {
    flows.iter().map(|flow| flow.timeouts).collect()
}
/// What each flow has delivered, as a share of the flow without a scheme.
fn shares(flows: &[FlowRecord], none: &[FlowRecord]) -> Vec<f64> {
    flows
        .iter()
        .zip(none)
        .map(|(flow, none)| flow.delivered_bytes as f64 / none.delivered_bytes as f64)
        .collect()
}

/// The movement is detected within 100 ms, before the timeout. Without a scheme the timer expires while the node registers, and the
/// flow starts over from one segment; frozen in time it continues with its window, which the detour over the home agent needs.
#[test]
fn freezing_during_registration_keeps_the_window() {
    let [none, registration, detection] =
        roaming("advertisement_interval = \"100 ms\", movement_detection = \"eager\"");
    assert_eq!(timeouts(&none), [1; 5]);
    for flows in [registration, detection] {
        assert_eq!(timeouts(&flows), [0; 5]);
        let shares = shares(&flows, &none);
        assert!(shares.iter().all(|share| (1.2..1.6).contains(share)), "{shares:?}");
    }
}

/// Mobile IP waits for three advertisements that do not come, about 3 s. TCP-R comes too late for the timer, which has expired twice or
/// more; TCP-MD has heard of the new link.
#[test]
fn only_early_detection_helps_where_mobile_ip_is_slow() {
    let [none, registration, detection] =
        roaming("advertisement_interval = \"1 s\", movement_detection = \"lazy\"");
    assert!(timeouts(&none).iter().chain(&timeouts(&registration)).all(|count| *count >= 2));
    assert_eq!(timeouts(&detection), [0; 5]);
    let [late, early] = [registration, detection].map(|flows| shares(&flows, &none));
    assert!(late.iter().all(|share| (0.9..1.15).contains(share)), "{late:?}");
    assert!(early.iter().all(|share| (1.2..2.2).contains(share)), "{early:?}");
}
