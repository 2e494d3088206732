//! Fleets: handovers of many mobile nodes in one flow, and how its connections share what it gets.

use seamline_experiment::text::{interval_table, verdicts};
use seamline_experiment::{RunOptions, run, summarise};
use seamline_scenario::Plan;
use std::path::Path;

/// Trains a kilometre apart, which enter their next cell after 6 s, all at once.
fn fleet(trains: u32) -> Plan {
    let text = format!(
        r#"
duration = "10 s"
warm_up = "1 s"
nodes = ["server", "hub"]
group = [{{ name = "bs", count = {cells} }}, {{ name = "train", count = {trains} }}]
link = [
    {{ name = "wired", from = "server", to = "hub", rate = "1 Gbit/s", one_way_delay = "5 ms" }},
    {{ name = "backhaul", from = "hub", to = "bs", rate = "1 Gbit/s", one_way_delay = "1 ms" }},
]
cell = [{{ name = "air", base_station = "bs", position = ["0 m", "0 m"], spacing = ["1 km", "0 m"], range = "600 m", rate = "4 Mbit/s", one_way_delay = "5 ms", queue = {{ discipline = "drop-tail", limit = "30 packets" }} }}]
flow = [{{ name = "main", from = "server", to = "train", count = 2, variant = "cubic" }}]

[[mobile]]
name = "train"
cells = "air"
protocol = {{ kind = "none" }}
movement = {{ start = ["0 m", "0 m"], spacing = ["1 km", "0 m"], waypoints = [{{ at = "1 s", to = ["600 m", "0 m"], speed = "100 m/s" }}], change = "nearest", interruption = "200 ms" }}
"#,
        cells = trains + 1
    );
    Plan::new(Path::new("fleet.toml"), text, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// All trains hand over at the same time. The connections of each meet its own handover only: data of the others is no sign that its
/// link is back.
#[test]
fn a_handover_is_measured_on_the_connections_that_meet_it() {
    let plan = fleet(10);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let flow = &results[0].runs[0].flows[0];
    let mut links: Vec<&str> = flow.handovers.iter().map(|it| it.link.as_str()).collect();
    links.sort_unstable();
    assert_eq!((links.len(), links[0], links[1]), (10, "train-1", "train-10"));
    for handover in &flow.handovers {
        assert!((5.9..6.1).contains(&handover.start_s), "{handover:?}");
        let interruption = handover.interruption_ms.unwrap();
        assert!((interruption - 200.0).abs() < 1.0, "{handover:?}");
        // One way from the server is 11 ms, and what was sent meanwhile is lost.
        let first = handover.first_data_ms.unwrap();
        assert!((205.0..2000.0).contains(&first), "{handover:?}");
        // Of the connections of one train, not of all: what was in the queue and on its way.
        assert!((1..=80).contains(&handover.lost_packets), "{handover:?}");
    }
    let table = interval_table(flow, false, usize::MAX);
    assert!(table.contains("~~ 10 handovers: interrupted for 200 ms, data after "), "{table}");
    assert!(!table.contains("train-1"), "ten lines would hide the table: {table}");
}

#[test]
fn many_connections_are_summed_up() {
    let plan = fleet(10);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let summary = summarise(&plan, &results, None);
    let shares = summary[0].shares.as_ref().unwrap();
    assert_eq!(shares.connections, 20);
    assert!((0.5..=1.0).contains(&shares.fairness_mean), "{shares:?}");
    let [tenth, median, most] =
        [shares.tenth_bits_per_second, shares.median_bits_per_second, shares.nine_tenths_bits_per_second];
    assert!(0.0 < tenth && tenth <= median && median <= most && most < 4e6, "{shares:?}");
    let text = verdicts(&plan, &summary);
    assert!(text.contains("Goodput per connection (10th, 50th and 90th percentile)"), "{text}");
    assert!(text.contains("20 connections") && text.lines().count() < 8, "{text}");

    let few = fleet(4);
    let results = run(&few, &RunOptions::default(), &|| ()).unwrap();
    assert_eq!(summarise(&few, &results, None)[0].shares, None, "eight can be looked at one by one");
}

/// A train's results do not depend on how many other trains there are where they share nothing but links that are not full: its
/// random streams and its way have its name.
#[test]
fn a_train_does_not_notice_how_large_the_fleet_is() {
    let first = |trains| {
        let plan = fleet(trains);
        let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
        let flow = &results[0].runs[0].flows[0];
        let goodput = flow.copies_bits_per_second[0] + flow.copies_bits_per_second[trains as usize];
        (goodput, flow.handovers.iter().find(|it| it.link == "train-1").unwrap().start_s)
    };
    let (few, many) = (first(2), first(12));
    assert_eq!(few.1, many.1);
    assert!((few.0 / many.0 - 1.0).abs() < 0.05, "{few:?} {many:?}");
}
