//! Hosts behind a mobile router: groups of nodes, and agents that repair two wireless hops through the NEMO tunnel.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{AgentRecord, RunRecord};
use seamline_experiment::{RunOptions, run};
use seamline_scenario::Plan;

const TRAIN: &str = include_str!("../../../../scenarios/train.toml");

/// A tenth of the train: 20 hosts with a tenth of the rate, and a new base station every 5 s. By the label of the
/// agents.
fn short(overrides: &[&str]) -> Vec<(String, Vec<RunRecord>)> {
    let cells = (1..=4).map(|cell| format!("cell.cell{cell}.rate=\"10 Mbit/s\""));
    let mut all: Vec<String> = cells.collect();
    let few =
        ["group.host.count=20", "duration=30 s", "warm_up=2 s", "seeds=2", "mobile.train.movement.every=5 s"];
    all.extend(few.iter().chain(overrides).map(|it| (*it).to_owned()));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let plan = plan(TRAIN, &all);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let labels = plan.cells.iter().map(|cell| cell.values[0].1.to_string());
    labels.zip(results.into_iter().map(|cell| cell.runs)).collect()
}

fn of<'a>(all: &'a [(String, Vec<RunRecord>)], label: &str) -> &'a [RunRecord] {
    &all.iter().find(|(found, _)| found == label).unwrap_or_else(|| panic!("{label}")).1
}

fn mean(runs: &[RunRecord], of: impl Fn(&RunRecord) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len() as f64
}

fn goodput(runs: &[RunRecord]) -> f64 {
    mean(runs, |run| run.flows[0].goodput_bits_per_second)
}

/// The capacity of the air of a radio cell: full segments with timestamps, in the tunnel, with 3 % loss.
const MOST: f64 = 10e6 * 1448.0 / 1540.0 * 0.97;

/// Behind the NEMO tunnel obTCP repairs both hops; its agents at base stations and in the train exchange messages.
/// Snoop at the base stations repairs one hop, and two of them take longer than one message. No scheme exceeds the
/// capacity of the air.
#[test]
fn obtcp_repairs_two_hops_behind_a_mobile_router() {
    let all = short(&["seeds=12", "flow.download.profile=rfc"]);
    let [none, snoop, stays, follows] =
        ["none", "snoop", "obtcp", "obtcp, caches follow"].map(|label| of(&all, label));
    println!("{:?}", [none, snoop, stays, follows].map(goodput));
    assert!(goodput(snoop) > 1.5 * goodput(none) && goodput(stays) > goodput(snoop));
    assert!(goodput(follows) > goodput(stays) && goodput(follows) < MOST, "{}", goodput(follows));
    let timeouts = |runs: &[RunRecord]| mean(runs, |run| run.flows[0].timeouts as f64);
    assert!(timeouts(follows) < timeouts(stays) && timeouts(stays) < timeouts(none));
    for run in stays.iter().chain(follows) {
        let [base_stations @ .., train] = &run.agents[..] else { panic!("agents") };
        assert_eq!((base_stations.len(), train.name.as_str()), (4, "train"));
        assert!(base_stations.iter().all(|agent| agent.local_retransmissions > 50 && agent.messages > 3));
        // Requests are answered; more answers than requests mean repeated requests or lost answers.
        let answers: u64 = base_stations.iter().map(|agent| agent.messages).sum();
        assert!(
            train.messages > 300 && (train.messages / 2..3 * train.messages).contains(&answers),
            "{answers}"
        );
        assert!(train.local_retransmissions > 1000 && train.suppressed_acknowledgments > 3000);
    }
}

/// Twenty hosts that run Linux nearly fill the air without help, so agents bring them nothing. Two hosts leave it idle, and agents
/// multiply what they get.
#[test]
fn agents_help_linux_hosts_until_the_air_is_full() {
    let few = short(&["seeds=4", "group.host.count=2"]);
    let none = goodput(of(&few, "none"));
    for (label, gain) in [("snoop", 2.0..8.0), ("obtcp, caches follow", 3.0..15.0)] {
        let ratio = goodput(of(&few, label)) / none;
        assert!(gain.contains(&ratio), "{label}: {ratio}");
    }
    let all = short(&["seeds=12"]);
    let none = goodput(of(&all, "none"));
    assert!((0.8 * MOST..MOST).contains(&none), "{none}");
    for label in ["snoop", "obtcp", "obtcp, caches follow"] {
        let ratio = goodput(of(&all, label)) / none;
        assert!((0.75..1.03).contains(&ratio), "{label}: {ratio}");
    }
}

/// Agents that do not look inside tunnels do not change them: such a train equals one without agents.
#[test]
fn agents_that_do_not_look_inside_tunnels_change_nothing() {
    let outside = (1..=4).map(|agent| format!("agent.bs{agent}.inside_tunnels=false"));
    let outside: Vec<String> = outside.chain(["agent.train.kind=none".to_owned()]).collect();
    let outside: Vec<&str> = outside.iter().map(String::as_str).collect();
    let all = short(&[&outside[..], &["duration=12 s", "seeds=1"]].concat());
    let plain = of(&all, "none");
    for (label, runs) in &all {
        assert!(runs[0].flows == plain[0].flows && runs[0].links == plain[0].links, "{label}");
        let did = |agent: &AgentRecord| {
            agent.local_retransmissions + agent.messages + agent.suppressed_acknowledgments
        };
        assert!(runs[0].agents.iter().all(|agent| did(agent) == 0), "{label}: {:?}", runs[0].agents);
        let passed: u64 = runs[0].agents.iter().map(|agent| agent.packets).sum();
        assert_eq!(passed > 1000, label != "none", "{label}: {passed}");
    }
}

/// The router moves every second and a half. Whether caches follow or not, every host gets every byte once and in
/// order. The longest timeout, a minute, is not a multiple of the move interval: otherwise a sender that starts to
/// wait at a move would only send at moves, until it gives up.
#[test]
fn every_host_gets_its_file() {
    let all = short(&[
        "mobile.train.movement.every=1470 ms",
        "flow.download.size=1 MB",
        "duration=600 s",
        "group.host.count=10",
        "warm_up=0 s",
    ]);
    // Without agents some hosts still wait for their timers when the run ends.
    for (label, runs) in all.iter().filter(|(label, _)| label != "none") {
        for run in runs {
            let flow = &run.flows[0];
            assert_eq!(flow.delivered_bytes, 10 * 1_000_000, "{label}");
            assert!(
                flow.completion_s.is_some_and(|it| (10.0..500.0).contains(&it)),
                "{label}: {:?}",
                flow.completion_s
            );
            assert!(flow.handovers.len() > 300);
        }
    }
}

/// Two groups, and a single node addressed by name as a member of one: links and connections between each.
fn groups(more: &str) -> String {
    let group = |name: &str, count: u32| format!("\n[[group]]\nname = \"{name}\"\ncount = {count}\n");
    let keys = "rate = \"1 Mbit/s\"\none_way_delay = \"5 ms\"";
    let head = "duration = \"5 s\"\nnodes = [\"hub\"]\n";
    let links = link("out", ["hub", "left"], keys) + &link("across", ["left", "right"], keys);
    let flows = flow("pairs", ["left", "right"], "variant = \"reno\"\nsize = \"10 kB\"\ncount = 2")
        + &flow("one", ["hub", "right-3"], "variant = \"reno\"\nsize = \"10 kB\"");
    format!("{head}{}{}{links}{flows}{more}", group("left", 3), group("right", 3))
}

#[test]
fn groups_are_linked_in_pairs() {
    let plan = plan(&groups(""), &[]);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    let run = &results[0].runs[0];
    let names: Vec<&str> = run.links.iter().map(|link| link.name.as_str()).collect();
    let expected = ["out-1", "out-2", "out-3", "across-1", "across-2", "across-3"];
    let expected: Vec<String> =
        expected.iter().flat_map(|it| [format!("{it}/down"), format!("{it}/up")]).collect();
    assert_eq!(names, expected);
    assert_eq!((run.flows[0].delivered_bytes, run.flows[0].copies_bits_per_second.len()), (60_000, 6));
    assert_eq!(run.flows[1].delivered_bytes, 10_000);
    // Seven full segments are 10 kB, two copies fourteen; the third link also carries the flow to its named member.
    let packets = |name: &str| run.links.iter().find(|link| link.name == name).unwrap().delivered_packets;
    let [first, second, third] = ["across-1/down", "across-2/down", "across-3/down"].map(packets);
    assert!(first == second && (14..30).contains(&first) && third > first + 6, "{first} {second} {third}");
    assert_eq!((packets("out-1/down"), packets("out-2/up")), (0, 0));
}

#[test]
fn ends_that_cannot_be_paired_are_rejected() {
    let two = "\n[[group]]\nname = \"other\"\ncount = 2\n";
    let keys = "rate = \"1 Mbit/s\"\none_way_delay = \"5 ms\"";
    for (more, says) in [
        (two.to_owned() + &link("bad", ["left", "other"], keys), "3 nodes cannot be paired with 2"),
        (link("bad", ["left", "left-2"], keys), "a link needs two different ends"),
        (flow("bad", ["right", "right"], "variant = \"reno\""), "a flow needs two different ends"),
        (link("bad", ["left", "rihgt"], keys), "a similar node exists: `right`"),
        ("[[group]]\nname = \"hub\"\ncount = 2\n".to_owned(), "a node is called \"hub\""),
        ("[[group]]\nname = \"left\"\ncount = 2\n".to_owned(), "another group is named \"left\""),
        ("[[group]]\nname = \"many\"\ncount = 10001\n".to_owned(), "must be between 1 and 10000"),
    ] {
        let read = Plan::new("test.toml".as_ref(), groups(&more), &[]);
        let message = read.expect_err(says).render(false);
        assert!(message.contains(says), "{says}: {message}");
    }
}
