//! Message charts: around a loss, on the direct way to a mobile node, and at high rates.

use crate::support::{flow, link, plan};
use seamline_experiment::{RunOptions, run};
use seamline_report::messages::{HandoverMessages, Message, MessageKind, Occasion};

fn chart(text: &str, overrides: &[&str], messages_around: Occasion) -> HandoverMessages {
    let options = RunOptions { cells_over_time: 1, messages_around, ..RunOptions::default() };
    let mut results = run(&plan(text, overrides), &options, &|| ()).unwrap();
    results.swap_remove(0).series.unwrap().messages.expect("a chart")
}

fn hop<'a>(chart: &'a HandoverMessages, message: &Message) -> [&'a str; 2] {
    [message.from, message.to].map(|node| chart.nodes[node].as_str())
}

fn is_data(message: &&Message) -> bool {
    matches!(message.kind, MessageKind::Data | MessageKind::Retransmission)
}

/// A wire, and an air that loses the packets with these indices.
fn lossy(indices: &str, agent: &str) -> String {
    let wire = link("wire", ["fixed", "bs"], "rate = \"10 Mbit/s\"\none_way_delay = \"20 ms\"");
    let loss = format!("loss = {{ model = \"list\", indices = {indices}, applies_to = \"payload\" }}");
    let air = format!("rate = \"10 Mbit/s\"\none_way_delay = \"5 ms\"\n[link.down]\n{loss}");
    let air = link("air", ["bs", "mobile"], &air);
    let keys = "variant = \"reno\"\ntcp = { segment_size = \"1000 bytes\", window_limit = 16 }";
    let flow = flow("ftp", ["fixed", "mobile"], keys);
    format!(
        "duration = \"4 s\"\nseeds = 1\nnodes = [\"fixed\", \"bs\", \"mobile\"]\n{wire}{air}{flow}\n{agent}"
    )
}

/// The chart begins with the first of four lost packets, names all of them, and ends the time of repair when the last arrives.
#[test]
fn a_chart_of_a_loss_shows_what_is_lost_and_its_repair() {
    let agent = "[[agent]]\nname = \"snoop\"\nkind = \"snoop\"\nlink = \"air\"\n";
    let chart = chart(&lossy("[12, 13, 14, 15]", agent), &[], Occasion::Loss);
    assert_eq!((chart.link.as_deref(), chart.flow.as_str()), (None, "ftp"));
    let lost: Vec<&Message> = chart.messages.iter().filter(|it| it.arrived_s.is_none()).collect();
    let numbers: Vec<Option<u64>> = lost.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [12, 13, 14, 15].map(Some));
    assert_eq!(lost[0].sent_s, chart.start_s);
    let bs = chart.nodes.iter().position(|node| node == "bs");
    assert!(
        bs.is_some() && lost.iter().all(|it| it.lost_behind == bs),
        "the base station has seen them: {lost:?}"
    );
    let repairs = |from: &str| {
        let own = chart.messages.iter().filter(|it| it.kind == MessageKind::Retransmission);
        own.filter(|it| hop(&chart, it) == [from, "mobile"]).collect::<Vec<&Message>>()
    };
    let repaired = |from: &str| repairs(from).iter().map(|it| it.number).collect::<Vec<_>>();
    // One in each round trip of the air. The sender's timer expires meanwhile, and the sender comes first with the last one.
    assert_eq!(repaired("bs"), [12, 13, 14].map(Some));
    assert_eq!(repaired("fixed"), [13, 14, 15].map(Some));
    assert_eq!(chart.end_s, repairs("fixed")[2].arrived_s);
}

/// A packet that the queue before the base station drops has not passed it.
#[test]
fn a_loss_before_the_agent_is_told_from_one_behind_it() {
    let agent = "[[agent]]\nname = \"snoop\"\nkind = \"snoop\"\nlink = \"air\"\n";
    let set = "link.wire.queue={ discipline = \"drop-tail\", limit = \"3 packets\" }";
    let chart = chart(&lossy("[100000]", agent), &[set, "link.wire.rate=1 Mbit/s"], Occasion::Loss);
    let lost: Vec<&Message> = chart.messages.iter().filter(|it| it.arrived_s.is_none()).collect();
    assert!(!lost.is_empty() && lost.iter().all(|it| it.lost_behind.is_none()), "{lost:?}");
}

/// The bit of a listed loss is 1 on the way to the agent and 0 behind it, for a packet that the agent has seen.
#[test]
fn a_chart_shows_what_an_acknowledgment_says_about_a_loss() {
    let agent = "[[agent]]\nname = \"eln\"\nkind = \"eln-ack\"\nlink = \"air\"\n";
    let set = "flow.ftp.loss_notification={ scheme = \"eln-ack\" }";
    let chart = chart(&lossy("[12]", agent), &[set], Occasion::Loss);
    let listing = |ends: [&str; 2]| {
        let found = chart.messages.iter().find(|it| it.text.contains("losses") && hop(&chart, it) == ends);
        found.map(|it| (it.number, it.text.to_string()))
    };
    assert_eq!(listing(["mobile", "bs"]), Some((Some(12), "ACK with losses 12 (congestion: 1)".to_owned())));
    assert_eq!(listing(["bs", "fixed"]), Some((Some(12), "ACK with losses 12 (air: 0)".to_owned())));
}

/// With route optimization the data does not pass the home network. It is in the chart all the same.
#[test]
fn data_on_the_direct_way_is_shown() {
    let text =
        include_str!("../../../../scenarios/mobility-protocols.toml").split("[[grid.zip]]").next().unwrap();
    let protocol =
        "mobile.mobile.protocol={ kind = \"mobile-ipv6-route-optimization\", home_agent = \"home\" }";
    let chart = chart(text, &[protocol, "seeds=1", "duration=20 s"], Occasion::Handover);
    let direct = |ends: [&str; 2]| {
        chart.messages.iter().filter(|it| hop(&chart, it) == ends && it.arrived_s.is_some()).count()
    };
    let data = chart.messages.iter().filter(is_data).filter(|it| hop(&chart, it) == ["sender", "mobile"]);
    assert!(data.filter(|it| it.arrived_s.is_some()).count() > 3, "{:?}", chart.messages);
    assert!(direct(["mobile", "sender"]) > 5, "and its acknowledgments");
}

/// More than 20,000 packets in the second before a handover do not hide it.
#[test]
fn a_handover_at_a_high_rate_is_shown() {
    let wire = |name, to| link(name, ["r", to], "rate = \"1 Gbit/s\"\none_way_delay = \"1 ms\"");
    let cell = |name: &str, at: &str| {
        format!(
            "\n[[cell]]\nname = \"{name}\"\nbase_station = \"{at}\"\nrate = \"500 Mbit/s\"\none_way_delay = \"1 ms\"\n"
        )
    };
    let mobile = "\n[[mobile]]\nname = \"m\"\ncells = [\"one\", \"two\"]\nmovement = { timetable = [{ at = \"0.7 s\", cell = \"two\" }] }\n\
        layer_2 = { associate = \"20 ms\" }\nprotocol = { kind = \"none\" }\n";
    let keys = "variant = \"newreno\"\ntcp = { segment_size = \"1000 bytes\", window_limit = 300 }";
    let head = "duration = \"1.2 s\"\nseeds = 1\nnodes = [\"a\", \"r\", \"bs1\", \"bs2\", \"m\"]\n";
    let links = link("core", ["a", "r"], "rate = \"1 Gbit/s\"\none_way_delay = \"1 ms\"");
    let text = [
        head,
        &links,
        &wire("w1", "bs1"),
        &wire("w2", "bs2"),
        &cell("one", "bs1"),
        &cell("two", "bs2"),
        mobile,
    ]
    .concat()
        + &flow("ftp", ["a", "m"], keys);
    let chart = chart(&text, &[], Occasion::Handover);
    assert_eq!(chart.start_s, 0.7);
    let before = chart.messages.iter().filter(|it| it.sent_s < 0.7);
    let after = chart.messages.iter().filter(|it| it.sent_s > 0.7 && it.arrived_s.is_some());
    let (before, after) = (before.count(), after.count());
    // 30 ms of some 25,000 data packets and acknowledgments a second.
    assert!((500..10_000).contains(&before) && (1..20_001).contains(&after), "{before} {after}");
}
