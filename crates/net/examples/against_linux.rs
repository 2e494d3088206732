//! The same datagrams through a discipline here and in a Linux kernel: `docs/measurements/queues/queues.md` says how.
//!
//! `against_linux CASE arrivals` prints the arrivals, `against_linux CASE tc` the discipline for Linux, and `against_linux CASE compare FILE`
//! a row of the table, with what `guest.py` printed in FILE.

use seamline_net::{
    CakeConfig, CoDelConfig, FqCoDelConfig, FqConfig, Link, LinkConfig, PieConfig, QueueConfig,
};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Ecn, Input, Instant, Machine, NodeId, Outbox, Port, Rate, SequenceNumber, TransportPort,
};

/// Microseconds, flow, bytes with the Ethernet header, ECN field.
type Arrival = (u64, u16, u32, Ecn);
/// When a datagram was sent, in microseconds, and its ECN field; `None` for one that was dropped.
type Fate = Option<(u64, Ecn)>;

/// A packet after each gap (in microseconds), for so many milliseconds.
fn stream(flow: u16, size: u32, gap: u64, millis: u64, ecn: Ecn) -> Vec<Arrival> {
    (0..millis * 1000).step_by(gap as usize).map(|at| (at, flow, size, ecn)).collect()
}

fn case(name: &str) -> Option<(QueueConfig, &'static str, Vec<Arrival>)> {
    let bulk = |ecn| stream(1, 1000, 800, 10_000, ecn);
    let mut two = [stream(1, 1500, 1500, 3000, Ecn::NotEct), stream(2, 300, 300, 3000, Ecn::NotEct)].concat();
    two.extend(stream(3, 100, 50_000, 3000, Ecn::NotEct));
    let two_with_ecn =
        [stream(1, 1000, 1000, 10_000, Ecn::Ect0), stream(2, 1000, 1500, 10_000, Ecn::NotEct)].concat();
    let codel = CoDelConfig { maximum_packet: 1514, ..CoDelConfig::default() };
    let pie = |ecn| PieConfig { ecn, ..PieConfig::default() };
    let fq = FqConfig { flow_limit: 5000, ..FqConfig::default() };
    Some(match name {
        "codel" => (QueueConfig::CoDel(codel), "codel limit 10000", bulk(Ecn::NotEct)),
        "codel-ecn" => {
            (QueueConfig::CoDel(CoDelConfig { ecn: true, ..codel }), "codel limit 10000 ecn", bulk(Ecn::Ect0))
        }
        "fq-codel" => (QueueConfig::FqCoDel(FqCoDelConfig::default()), "fq_codel", two),
        "fq-codel-ecn" => (QueueConfig::FqCoDel(FqCoDelConfig::default()), "fq_codel", two_with_ecn),
        "fq" => (QueueConfig::Fq(fq), "fq flow_limit 5000", two),
        "cake" => (QueueConfig::Cake(CakeConfig::default()), "cake unlimited besteffort", two),
        "cake-ecn" => (QueueConfig::Cake(CakeConfig::default()), "cake unlimited besteffort", two_with_ecn),
        "pie" => (QueueConfig::Pie(pie(false)), "pie", stream(1, 1000, 800, 60_000, Ecn::NotEct)),
        "pie-ecn" => (QueueConfig::Pie(pie(true)), "pie ecn", stream(1, 1000, 950, 60_000, Ecn::Ect0)),
        _ => return None,
    })
}

/// What becomes of each here. A link without propagation delay.
fn ours(queue: QueueConfig, arrivals: &[Arrival]) -> Vec<Fate> {
    let queue_stream = Stream::new(1, "link/air/down/queue");
    let config = LinkConfig {
        queue,
        queue_stream,
        ..LinkConfig::new(Rate::from_megabits_per_second(8), Duration::ZERO)
    };
    let (mut link, mut out) = (Link::new(config), Outbox::new());
    let mut fates = vec![None; arrivals.len()];
    let mut wake_until = |link: &mut Link, out: &mut Outbox, until: Instant| {
        while let Some(at) = link.wake_at().filter(|at| *at <= until) {
            link.step(at, Input::Wake, out);
            for (_, packet) in out.packets.drain(..) {
                fates[packet.segment.sequence.0 as usize] = Some((at.as_nanos() / 1000, packet.ecn));
            }
        }
    };
    for (id, (micros, flow, size, ecn)) in arrivals.iter().enumerate() {
        let now = Instant::ZERO + Duration::from_micros(*micros);
        wake_until(&mut link, &mut out, now);
        let mut packet = out.packet();
        packet.source = NodeId(1);
        packet.source_port = TransportPort(*flow);
        packet.wire_bytes = *size;
        packet.ecn = *ecn;
        packet.segment.sequence = SequenceNumber(id as u32);
        link.step(now, Input::Packet(Port(0), packet), &mut out);
    }
    wake_until(&mut link, &mut out, Instant::MAX);
    fates
}

fn theirs(text: &str, count: usize) -> Vec<Fate> {
    let mut fates = vec![None; count];
    for line in text.lines() {
        let fields: Vec<u64> = line.split(',').map(|field| field.parse().expect("numbers")).collect();
        fates[fields[0] as usize] = Some((fields[1], Ecn::from_bits(fields[2] as u8)));
    }
    fates
}

/// Dropped, marked, and delays at the median, 90 % and 99 % in milliseconds.
fn summary(arrivals: &[Arrival], fates: &[Fate]) -> String {
    let dropped = fates.iter().filter(|fate| fate.is_none()).count();
    let marked = fates.iter().flatten().filter(|(_, ecn)| *ecn == Ecn::Ce).count();
    let delay = |(arrival, fate): (&Arrival, &Fate)| fate.map(|(at, _)| at.saturating_sub(arrival.0));
    let mut delays: Vec<u64> = arrivals.iter().zip(fates).filter_map(delay).collect();
    delays.sort_unstable();
    let quantile =
        |share: usize| delays.get(delays.len() * share / 100).map_or(0.0, |micros| *micros as f64 / 1e3);
    format!("{dropped} | {marked} | {:.2} | {:.2} | {:.2}", quantile(50), quantile(90), quantile(99))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(name), Some(what)) = (arguments.first(), arguments.get(1)) else {
        return eprintln!("CASE and one of: arrivals, tc, compare FILE");
    };
    let Some((queue, tc, mut arrivals)) = case(name) else { return eprintln!("no such case") };
    arrivals.sort_by_key(|(at, ..)| *at);
    match (what.as_str(), arguments.get(2)) {
        ("tc", _) => println!("{tc}"),
        ("compare", Some(file)) => {
            let text = std::fs::read_to_string(file).expect("what guest.py printed");
            let (ours, theirs) = (ours(queue, &arrivals), theirs(&text, arrivals.len()));
            let fate = |fate: &Fate| fate.map(|(_, ecn)| ecn);
            let same = ours.iter().zip(&theirs).filter(|(one, other)| fate(one) == fate(other)).count();
            println!("| {name} | Linux | {} | |", summary(&arrivals, &theirs));
            println!("| | here | {} | {same} of {} |", summary(&arrivals, &ours), arrivals.len());
        }
        _ => arrivals.iter().for_each(|(at, flow, size, ecn)| println!("{at},{flow},{size},{}", ecn.bits())),
    }
}
