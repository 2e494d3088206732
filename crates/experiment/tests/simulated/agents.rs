//! Agents in scenarios: where they are placed, what they improve, and what moves with a mobile node.

use crate::support::{flow, link, plan};
use seamline_experiment::record::FlowRecord;
use seamline_experiment::{RunOptions, run};

/// A long wired link and a lossy wireless one.
fn lossy(loss: &str, more: &str) -> String {
    let queue = "queue = { discipline = \"drop-tail\", limit = \"50 packets\" }\n";
    let wire = format!("rate = \"10 Mbit/s\"\none_way_delay = \"50 ms\"\n{queue}");
    let air = format!("rate = \"2 Mbit/s\"\none_way_delay = \"5 ms\"\n{queue}");
    let error = format!("[link.down]\nloss = {{ model = \"bernoulli\", probability = \"{loss}\" }}\n");
    let head = "duration = \"60 s\"\nseeds = 3\nnodes = [\"fixed\", \"bs\", \"mobile\"]\n";
    let links = link("wire", ["fixed", "bs"], &wire) + &link("air", ["bs", "mobile"], &(air + &error));
    let keys = "variant = \"newreno\"\ntcp = { segment_size = \"960 bytes\", window_limit = 35 }";
    format!("{head}{links}{}{more}", flow("download", ["fixed", "mobile"], keys))
}

fn agent(kind: &str, at: &str) -> String {
    format!("\n[[agent]]\nname = \"{kind}\"\nkind = \"{kind}\"\n{at}\n")
}

fn flows(text: &str, overrides: &[&str]) -> Vec<FlowRecord> {
    let results = run(&plan(text, overrides), &RunOptions::default(), &|| ()).unwrap();
    results.into_iter().flat_map(|cell| cell.runs).flat_map(|run| run.flows).collect()
}

fn goodput(flows: &[FlowRecord]) -> f64 {
    flows.iter().map(|flow| flow.goodput_bits_per_second).sum::<f64>() / flows.len() as f64
}

/// With 1 % loss on the air NewReno reaches a third of the link; with Snoop it nearly fills it. Without any loss, in
/// queues either, Snoop changes nothing at all.
#[test]
fn snoop_repairs_wireless_losses() {
    let at = "link = \"air\"";
    let [plain, helped] = ["", &agent("snoop", at)].map(|agent| flows(&lossy("1 %", agent), &[]));
    let (plain, helped) = (goodput(&plain), goodput(&helped));
    assert!((0.3e6..1.0e6).contains(&plain), "{plain}");
    assert!((1.6e6..1.9e6).contains(&helped), "{helped}");
    let [plain, helped] = ["", &agent("snoop", at)].map(|agent| flows(&lossy("0 %", agent), &[]));
    assert!(plain == helped);
}

/// With 5 % loss Reno gets at most 1.22 / sqrt(0.05) = 5.5 segments through in a round trip (Mathis et al. 1997): end to end, over
/// 115 ms, 0.36 Mbit/s, and less with its timeouts; over the air alone, 15 ms, more than the air carries. So the timeouts, of 100 ms
/// here, are what keeps the split connection below that.
#[test]
fn a_split_connection_is_faster_than_an_end_to_end_connection() {
    let split = agent("split", "link = \"air\"\nsplit = { variant = \"reno\", minimum_rto = \"100 ms\" }");
    let [whole, halves] =
        ["", &split].map(|agent| flows(&lossy("5 %", agent), &["flow.download.variant=reno"]));
    let (whole, halves) = (goodput(&whole), goodput(&halves));
    assert!((0.05e6..0.36e6).contains(&whole), "{whole}");
    assert!((3.0 * whole..1.8e6).contains(&halves), "{halves}");
}

/// An agent of kind "none" has no effect.
#[test]
fn kind_none_adds_no_agent() {
    let [plain, none] = ["", &agent("none", "link = \"air\"")].map(|agent| flows(&lossy("1 %", agent), &[]));
    assert!(plain == none);
}

/// Two agents at one link are placed in series, and connections pass both.
#[test]
fn agents_at_one_link_are_in_series() {
    let two =
        agent("snoop", "link = \"air\"") + &agent("snoop", "link = \"air\"").replacen("snoop", "second", 1);
    let both = goodput(&flows(&lossy("1 %", &two), &[]));
    assert!((1.5e6..1.9e6).contains(&both), "{both}");
}

const MOBILE: &str = include_str!("../../../../scenarios/mobile-ip.toml");

/// A download by a node that changes its radio cell every five seconds, with agents of this kind at both.
fn download_on_the_move(kind: &str, keys: &str) -> FlowRecord {
    download_on_the_move_with(kind, keys, &[])
}

fn download_on_the_move_with(kind: &str, keys: &str, more: &[&str]) -> FlowRecord {
    let at = |cell: &str| agent(kind, &format!("cell = \"{cell}\"\n{keys}")).replacen(kind, cell, 1);
    let text = MOBILE.replacen("[[flow]]", &format!("{}{}\n[[flow]]", at("cell1"), at("cell2")), 1);
    let mut overrides = vec![
        "grid.flow.download.variant=[\"newreno\"]",
        // The TCP of Linux finds by time what these moves lose, and has no timeouts to save.
        "flow.download.profile=rfc",
        "mobile.mobile.protocol={ kind = \"none\" }",
        "mobile.mobile.movement.interruption=\"100 ms\"",
        "cell.cell1.loss.probability=\"0 %\"",
        "cell.cell2.loss.probability=\"0 %\"",
        "seeds=1",
        "duration=100 s",
    ];
    overrides.extend(more);
    flows(&text, &overrides).swap_remove(0)
}

/// Such a node loses the packets on the air. Caches that move with it save the sender the timeouts; caches that stay
/// do not.
#[test]
fn caches_that_move_save_timeouts() {
    let of = |keys: &str| download_on_the_move("snoop", keys);
    let (stays, moves) = (of(""), of("hand_over = \"10 ms\""));
    assert!(stays.timeouts > 10 && moves.timeouts < 5, "{} and {}", stays.timeouts, moves.timeouts);
    let gain = moves.goodput_bits_per_second / stays.goodput_bits_per_second;
    assert!((2.0..5.0).contains(&gain), "{gain}");
}

/// A split connection needs the agent that split it. In the other radio cell no agent can continue it, and the sender
/// waits for the node to return. When the state moves along, the transfer continues, and the sender hardly notices.
#[test]
fn split_connections_need_their_state() {
    let of = |keys: &str| download_on_the_move("split", keys);
    let (stays, moves) = (of(""), of("hand_over = \"10 ms\""));
    assert!(stays.timeouts > 10 && moves.timeouts < 3, "{} and {}", stays.timeouts, moves.timeouts);
    let (stays, moves) = (stays.goodput_bits_per_second, moves.goodput_bits_per_second);
    assert!((1.2e6..1.9e6).contains(&moves) && stays < moves / 3.0, "{stays} and {moves}");
}

/// A node that moves every second, with an interruption of a tenth. Each move loses the packets on the air. The
/// agent's timer is at least a second, which is after the next move, but where its state arrives it continues at
/// once.
#[test]
fn a_split_connection_continues_wherever_its_state_arrives() {
    let every = ["mobile.mobile.movement.every=\"1 s\""];
    let moves = download_on_the_move_with("split", "hand_over = \"10 ms\"", &every);
    let goodput = moves.goodput_bits_per_second;
    assert!((0.5e6..1.8e6).contains(&goodput), "{goodput}");
    assert!(moves.timeouts < 3, "{}", moves.timeouts);
}

/// Features that an agent with a split connection would not pass on or process are rejected on its path.
#[test]
fn features_that_end_at_a_split_are_rejected() {
    let refused = |agent: &str, key: &str| {
        let text = lossy("1 %", agent).replacen("variant =", &format!("{key}\nvariant ="), 1);
        let read = seamline_scenario::Plan::new("test.toml".as_ref(), text, &[]);
        read.err().map(|errors| errors.render(false))
    };
    let [split, elsewhere, snoop] = [("split", "air"), ("split", "side"), ("snoop", "air")]
        .map(|(kind, at)| agent(kind, &format!("link = \"{at}\"")));
    let side = link("side", ["bs", "other"], "rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n");
    for (key, fix) in [
        ("handshake = false", "take `handshake = false` out, or agent \"split\""),
        ("handover = \"ehn\"", "take `handover` out, use `freeze` or `tr-acks`"),
        ("loss_notification = { scheme = \"eln\" }", "take `loss_notification` out, or agent \"split\""),
    ] {
        let message = refused(&split, key).expect("it is refused");
        let place = |message: &str| message.contains("test.toml:") && message.contains(key);
        assert!(place(&message) && message.contains(fix), "{message}");
        assert_eq!(refused(&snoop, key), None, "{key}");
        let text = lossy("1 %", &(side.clone() + &elsewhere))
            .replacen("\"mobile\"]", "\"mobile\", \"other\"]", 1)
            .replacen("variant =", &format!("{key}\nvariant ="), 1);
        let read = seamline_scenario::Plan::new("test.toml".as_ref(), text, &[]);
        assert!(read.is_ok(), "{key}: {}", read.expect_err("no").render(false));
    }
    for key in ["handover = \"freeze\"", "handover = \"tr-acks\"", "handshake = true", "handover = \"none\""]
    {
        assert_eq!(refused(&split, key), None, "{key}");
    }
}

/// The same at a radio cell that a mobile node enters, unless the traffic there is in a tunnel.
#[test]
fn features_that_end_at_a_split_of_a_radio_cell_are_rejected() {
    let at_cell = agent("split", "cell = \"cell2\"");
    let text = MOBILE.replacen("[[flow]]", &format!("{at_cell}\n[[flow]]\nhandshake = false"), 1);
    let of = |protocol: &str| {
        let protocol = format!("mobile.mobile.protocol={protocol}");
        seamline_scenario::Plan::new("test.toml".as_ref(), text.clone(), &[protocol])
            .map(|_| ())
            .map_err(|it| it.count())
    };
    assert!(of("{ kind = \"none\" }").is_err());
    assert!(of("{ kind = \"mobile-ipv4\", home_agent = \"router\" }").is_err());
    assert_eq!(of("{ kind = \"mobile-ipv6\", home_agent = \"router\" }"), Ok(()));
}

/// A split with the same sequence numbers on both sides cannot wait for its state.
#[test]
fn late_state_is_rejected_where_bytes_would_pass_the_agent() {
    let of = |handshake: &str, hand_over: &str| {
        let keys = format!(
            "cell = \"cell2\"\nhand_over = \"{hand_over}\"\nsplit = {{ handshake = \"{handshake}\" }}"
        );
        let text = MOBILE.replacen("[[flow]]", &format!("{}\n[[flow]]", agent("split", &keys)), 1);
        seamline_scenario::Plan::new("test.toml".as_ref(), text, &[]).err().map(|it| it.render(false))
    };
    let message = of("far side first", "10 ms").expect("it is refused");
    assert!(
        message.contains("hand_over = \"10 ms\"") && message.contains("use `hand_over = \"0 s\"`"),
        "{message}"
    );
    for (handshake, hand_over) in
        [("far side first", "0 s"), ("near side alone", "10 ms"), ("far side first", "none")]
    {
        assert_eq!(of(handshake, hand_over), None, "{handshake}, {hand_over}");
    }
}

/// ELN-ACK does not reduce the window for losses on the air, and nothing else limits it: it keeps the link busy where
/// Reno gets at most 1.22 / sqrt(0.03) = 7 segments through in a round trip of 115 ms (Mathis et al. 1997), 0.47
/// Mbit/s. Queue drops still reduce the window. Neither end alone helps, nor an agent without a scheme that uses it.
#[test]
fn explicit_notification_keeps_the_window() {
    let eln_ack = agent("eln-ack", "link = \"air\"");
    let of = |agent: &str, scheme: &str| {
        let scheme = format!("flow.download.loss_notification.scheme={scheme}");
        let unlimited = "flow.download.tcp.window_limit=1000";
        flows(&lossy("3 %", agent), &["flow.download.variant=reno", unlimited, &scheme])
    };
    let plain = goodput(&of("", "none"));
    let helped = of(&eln_ack, "eln-ack");
    let notified = goodput(&helped);
    assert!((0.05e6..0.47e6).contains(&plain), "{plain}");
    assert!((1.5e6..1.9e6).contains(&notified), "{notified}");
    assert!(helped.iter().all(|flow| flow.timeouts < 10 && flow.retransmissions > 300));
    for (agent, scheme) in [("", "eln-ack"), (eln_ack.as_str(), "none"), (eln_ack.as_str(), "eln")] {
        let alone = goodput(&of(agent, scheme));
        assert!((alone / plain - 1.0).abs() < 0.03, "{scheme}: {alone}, plain {plain}");
    }
}

/// Data from the mobile host: Snoop's marks let the sender repair losses on the air.
#[test]
fn marks_help_a_mobile_sender() {
    let snoop = agent("snoop", "link = \"air\"");
    let of = |scheme: &str| {
        let scheme = format!("flow.download.loss_notification.scheme={scheme}");
        let swapped =
            ["flow.download.from=mobile", "flow.download.to=fixed", "flow.download.variant=reno", &scheme];
        let text = lossy("0 %", &snoop) + "\n";
        let text = text.replace("[link.down]\nloss", "[link.up]\nloss").replace("\"0 %\"", "\"2 %\"");
        goodput(&flows(&text, &swapped))
    };
    let (plain, notified) = (of("none"), of("eln"));
    assert!((0.05e6..0.6e6).contains(&plain), "{plain}");
    assert!((2.5 * plain..1.9e6).contains(&notified), "{notified}, plain {plain}");
}

/// A short wired link, and two links with loss downstream: to a mobile router, and to its host.
fn over_a_mobile_router(agents: &str) -> String {
    let queue = "queue = { discipline = \"drop-tail\", limit = \"50 packets\" }\n";
    let wire = format!("rate = \"100 Mbit/s\"\none_way_delay = \"500 us\"\n{queue}");
    let air = format!("rate = \"11 Mbit/s\"\none_way_delay = \"20 ms\"\n{queue}");
    let lossy = |loss| format!("[link.down]\nloss = {{ model = \"bernoulli\", probability = \"{loss}\" }}\n");
    let head = "duration = \"200 s\"\nseeds = 2\nnodes = [\"fixed\", \"bs\", \"mr\", \"mobile\"]\n";
    let links = link("wire", ["fixed", "bs"], &wire)
        + &link("d1", ["bs", "mr"], &(air.clone() + &lossy("10 %")))
        + &link("d2", ["mr", "mobile"], &(air + &lossy("0.01 %")));
    let tcp = "segment_size = \"1000 bytes\", initial_window = 2, window_limit = 16, initial_threshold = 10";
    let keys = format!("variant = \"reno\"\nprofile = \"ns2-2.27\"\ntcp = {{ {tcp} }}");
    format!("{head}{links}{}{agents}", flow("download", ["fixed", "mobile"], &keys))
}

fn obtcp(role: &str, link: &str) -> String {
    let name = role.replace(' ', "-");
    format!(
        "\n[[agent]]\nname = \"{name}\"\nkind = \"obtcp\"\nlink = \"{link}\"\nobtcp = {{ role = \"{role}\" }}\n"
    )
}

/// Where the link to the mobile router loses 10 % and both have a delay of 20 ms, obTCP is clearly above Snoop at the
/// base station, and both are far above no agent. None can exceed a window of 16 packets every 81 ms, 1.58 Mbit/s.
#[test]
fn obtcp_repairs_two_links_in_series() {
    let pair = obtcp("base station", "d1") + &obtcp("mobile router", "d2");
    let both = goodput(&flows(&over_a_mobile_router(&pair), &[]));
    let snoop = goodput(&flows(&over_a_mobile_router(&agent("snoop", "link = \"d1\"")), &[]));
    let plain = goodput(&flows(&over_a_mobile_router(""), &[]));
    println!("obTCP {both}, Snoop {snoop}, no agent {plain} bit/s");
    assert!(both > 1.1 * snoop && snoop > 2.0 * plain, "obTCP {both}, Snoop {snoop}, no agent {plain}");
    assert!(both < 16.0 * 8000.0 / 0.081, "{both}");
    // Either agent alone does little harm.
    for alone in [obtcp("base station", "d1"), obtcp("mobile router", "d2")] {
        let alone = goodput(&flows(&over_a_mobile_router(&alone), &[]));
        println!("alone {alone} bit/s");
        assert!(alone > 0.8 * plain, "{alone}, no agent {plain}");
    }
}

/// The longer the link to the host, the slower: a timer whose shortest time is near a multiple of the round trip over that link must not
/// make a longer link the faster one. A window of 16 packets every round trip bounds each run from above.
#[test]
fn obtcp_slows_down_with_the_delay_of_the_link_to_the_host() {
    let pair = (obtcp("base station", "d1") + &obtcp("mobile router", "d2")).replacen(
        "\"base station\" }",
        "\"base station\", continues_after_timeouts = false }",
        1,
    );
    let mut shorter = f64::INFINITY;
    for d2 in [5, 10, 15, 20, 25, 45, 50] {
        let delay = format!("link.d2.one_way_delay=\"{d2} ms\"");
        let losses = ["link.d1.down.loss.probability=\"0 %\"", "link.d2.down.loss.probability=\"10 %\""];
        let overrides = [&delay, losses[0], losses[1], "seeds=3", "duration=\"60 s\""];
        let ours = goodput(&flows(&over_a_mobile_router(&pair), &overrides));
        let most = 16.0 * 8000.0 / (2.0 * (0.0205 + f64::from(d2) * 1e-3));
        println!("{d2} ms: {ours} of {most} bit/s");
        assert!(ours < 0.98 * shorter, "{d2} ms: {ours}, with less delay {shorter}");
        assert!((0.5 * most..most).contains(&ours), "{d2} ms: {ours} of {most}");
        shorter = ours;
    }
}

/// Through three radio cells with Mobile IP. Late packets make the old agents create the connection again; the state
/// must come from the radio cell that the node was in last, and nothing may stall.
#[test]
fn state_follows_through_three_radio_cells() {
    let third = "[[link]]\nname = \"to-bs3\"\nfrom = \"router\"\nto = \"bs3\"\nrate = \"10 Mbit/s\"\none_way_delay = \"3 ms\"\n\n\
                 [[cell]]\nname = \"cell3\"\nbase_station = \"bs3\"\nrate = \"2 Mbit/s\"\none_way_delay = \"5 ms\"\n";
    for kind in ["split", "snoop"] {
        let at = |cell: &str| {
            agent(kind, &format!("cell = \"{cell}\"\nhand_over = \"10 ms\"")).replacen(kind, cell, 1)
        };
        let all: String = ["cell1", "cell2", "cell3"].map(at).concat();
        let text = MOBILE
            .replacen("\"bs2\", \"mobile\"]", "\"bs2\", \"bs3\", \"mobile\"]", 1)
            .replacen("cells = [\"cell1\", \"cell2\"]", "cells = [\"cell1\", \"cell2\", \"cell3\"]", 1)
            .replacen("[[flow]]", &format!("{third}{all}\n[[flow]]"), 1);
        let overrides = [
            "grid.flow.download.variant=[\"newreno\"]",
            "cell.cell1.loss.probability=\"0 %\"",
            "cell.cell2.loss.probability=\"0 %\"",
            "seeds=2",
            "duration=60 s",
        ];
        for flow in flows(&text, &overrides) {
            let quiet = flow.intervals.iter().filter(|row| row.from_s >= 5.0 && row.bytes == 0).count();
            assert!(quiet < 10, "{kind}: nothing arrives in {quiet} s");
            assert!(flow.goodput_bits_per_second > 0.5e6, "{kind}: {}", flow.goodput_bits_per_second);
        }
    }
}

/// With the keys that kinds of agents require.
const IN_TUNNELS: &str = "link = \"air\"\ninside_tunnels = true\nobtcp = { role = \"base station\" }\nfairness = { rate = \"2 Mbit/s\" }";

/// An agent that cannot work inside tunnels is rejected there.
#[test]
fn split_connections_are_rejected_inside_tunnels() {
    for kind in seamline_agent::ALL {
        let text = lossy("1 %", &agent(kind.name, IN_TUNNELS));
        let read = seamline_scenario::Plan::new("test.toml".as_ref(), text, &[]);
        assert_eq!(read.is_ok(), !kind.ends_connections, "{}", kind.name);
        if let Err(errors) = read {
            let message = errors.render(false);
            assert!(
                message.contains(&format!("{} cannot act inside tunnels", kind.name))
                    && message.contains("inside_tunnels = true"),
                "{message}"
            );
        }
    }
}
