//! Which setting: of a Linux host, or of the queue in front of the bottleneck.
//!
//! Left out, with reasons: timestamps (Linux needs them to take back needless cuts), slow start after idle times (neither a file nor
//! a flow without end is ever idle), Nagle (only for small writes), SACK and reordering (Linux' defaults adapt).

use super::{Candidate, Change, Demand, Group};
use crate::on::question::PathQuestion;

/// Bytes in flight that Linux' receive buffer of 6 MB has room for (`tcp_rmem`), half of what a flow may need while its window
/// grows.
const ROOM_OF_DEFAULT_BUFFER: u64 = 1_500_000;

/// All settings that may matter on this path.
pub(super) fn all(question: &PathQuestion) -> Vec<Candidate> {
    let mut all = of_hosts(question);
    all.extend(of_the_queue(question));
    all
}

fn of_hosts(question: &PathQuestion) -> Vec<Candidate> {
    let (sender, receiver) = (question.sender(), question.receiver());
    let one = |name: &str, end: &str, how: &str, key: &'static str, value: &str| Candidate {
        name: name.to_owned(),
        group: Group::Setting,
        installed: end.to_owned(),
        how: how.to_owned(),
        demand: Demand::OneEnd,
        // HyStart is CUBIC's, and BBR paces anyway.
        only_today: ["slow_start", "pacing"].contains(&key),
        change: Change { tcp: vec![(key, value.to_owned())], ..Change::default() },
    };
    let quoted = |text: &str| format!("\"{text}\"");
    let mut all = vec![
        // More data in the first round trip: for files of a few hundred kilobytes.
        one("initial window 32", sender, "ip route change default ... initcwnd 32", "initial_window", "32"),
        // Paced packets do not overflow short queues.
        one("pacing", sender, "tc qdisc replace dev eth0 root fq", "pacing", "true"),
        // HyStart takes a delay that varies for a queue that grows, and leaves slow start too early.
        one(
            "no HyStart",
            sender,
            "echo 0 > /sys/module/tcp_cubic/parameters/hystart",
            "slow_start",
            &quoted("standard"),
        ),
        // After an outage the flow waits for this timer.
        one(
            "minimum RTO 50 ms",
            sender,
            "ip route change default ... rto_min 50ms",
            "minimum_rto",
            &quoted("50 ms"),
        ),
        // In an outage the timer doubles up to this.
        one(
            "maximum RTO 1 s",
            sender,
            "sysctl net.ipv4.tcp_rto_max_ms=1000 (Linux 6.15)",
            "maximum_rto",
            &quoted("1 s"),
        ),
        // The window grows by acknowledgments.
        one(
            "no delayed ACKs",
            receiver,
            "ip route change default ... quickack 1",
            "delayed_ack",
            &quoted("0 s"),
        ),
    ];
    let path = &question.path;
    let product = path.rate.value.bandwidth_delay_product(path.round_trip.value);
    if product > ROOM_OF_DEFAULT_BUFFER {
        let how = "sysctl net.ipv4.tcp_rmem='4096 131072 33554432'";
        all.push(one("receive buffer 32 MB", receiver, how, "receive_buffer", &quoted("20 MB")));
    }
    all
}

fn of_the_queue(question: &PathQuestion) -> Vec<Candidate> {
    let packets = question.path.product_packets;
    let one = |name: &str, how: &str, queue: String| Candidate {
        name: name.to_owned(),
        group: Group::Setting,
        installed: "bottleneck".to_owned(),
        how: how.to_owned(),
        demand: Demand::Bottleneck,
        only_today: false,
        change: Change { queue: Some(format!("queue = {{ {queue} }}\n")), ..Change::default() },
    };
    let drop_tail = |packets: u64| format!("discipline = \"drop-tail\", limit = \"{packets} packets\"");
    let with_ecn = {
        let ecn = "tc qdisc replace dev wan0 root fq_codel at the bottleneck, sysctl net.ipv4.tcp_ecn=1 at the end that opens connections";
        let plain = one("fq-codel with ECN", ecn, "discipline = \"fq-codel\"".to_owned());
        let change = Change { tcp: vec![("ecn", "\"on\"".to_owned())], ..plain.change.clone() };
        Candidate { installed: "bottleneck, an end".to_owned(), demand: Demand::TwoPlaces, change, ..plain }
    };
    let (short, long) = ((packets / 4).max(2), packets * 4);
    vec![
        one("fq-codel", "tc qdisc replace dev wan0 root fq_codel", "discipline = \"fq-codel\"".to_owned()),
        with_ecn,
        one("cake", "tc qdisc replace dev wan0 root cake", "discipline = \"cake\"".to_owned()),
        one(
            &format!("queue of {short} packets"),
            &format!("ip link set wan0 txqueuelen {short}, or the modem's setting"),
            drop_tail(short),
        ),
        one(
            &format!("queue of {long} packets"),
            &format!("ip link set wan0 txqueuelen {long}, or the modem's setting"),
            drop_tail(long),
        ),
    ]
}
