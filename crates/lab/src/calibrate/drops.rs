//! Whether exactly those packets are lost that the model loses.

use super::Effort;
use super::datagrams::{Stream, Trip, travel};
use super::path;
use crate::run::LabError;
use crate::system::StateDirectory;
use seamline_net::{Link, LinkConfig};
use seamline_scenario::schema::Scenario;
use seamline_wire::{Input, Instant, Machine, Outbox, Port};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

/// How often a measurement is tried until it can be judged.
const ATTEMPTS: usize = 5;
const DATAGRAMS: u32 = 20_000;
const BURST: u32 = 200;
const QUEUE: u32 = 50;

/// Which of many numbered datagrams were lost, compared with what the link's own model loses when it runs alone.
#[derive(Clone, Debug, Serialize)]
pub struct Drops {
    /// What loses them.
    pub model: String,
    /// Datagrams sent.
    pub sent: u32,
    /// Datagrams that the model loses.
    pub expected: usize,
    /// Of those, how many were lost.
    pub lost_as_expected: usize,
    /// Others that were lost.
    pub lost_otherwise: usize,
    /// Whether it can be judged: not when the receiver's own socket lost some, nor when a burst was interrupted so that which of its packets
    /// find room depends on who was faster.
    pub is_known: bool,
}

pub(super) fn measure(effort: Effort, state: &StateDirectory) -> Result<Vec<Drops>, LabError> {
    let every = effort.choose(Duration::from_micros(50), Duration::from_micros(200));
    let loss =
        |model: &str| format!("rate = \"{}\"\none_way_delay = \"1 ms\"\nloss = {model}", path::UNLIMITED);
    let listed: Vec<String> = listed().iter().map(u32::to_string).collect();
    let listed = format!("{{ model = \"list\", indices = [{}] }}", listed.join(", "));
    let slow = format!(
        "rate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\nqueue = {{ discipline = \"drop-tail\", limit = \"{QUEUE} packets\" }}"
    );
    let many = Stream { count: DATAGRAMS, packet_bytes: 60, every, delay: Duration::from_millis(1) };
    let burst =
        Stream { count: BURST, packet_bytes: 1500, every: Duration::ZERO, delay: Duration::from_secs(1) };
    Ok(vec![
        compare("a list of packets", &loss(&listed), many, state)?,
        compare("Bernoulli, 1 %", &loss("{ model = \"bernoulli\", probability = \"1 %\" }"), many, state)?,
        compare("a burst into a queue of 50", &slow, burst, state)?,
    ])
}

/// The first and the last, a burst, and every 131st.
fn listed() -> BTreeSet<u32> {
    let scattered = (0..DATAGRAMS).filter(|number| number % 131 == 17);
    [0, 1, DATAGRAMS - 1].into_iter().chain(1000..1050).chain(scattered).collect()
}

fn compare(name: &str, link: &str, stream: Stream, state: &StateDirectory) -> Result<Drops, LabError> {
    let plan = path::one_link(link.to_owned())?;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let drops = path::between(&plan, state, |hosts, _, scenario| {
            let trip = travel(&hosts[0], &hosts[1], stream)?;
            judge(name, stream, &trip, scenario)
        })?;
        if drops.is_known || attempts == ATTEMPTS {
            return Ok(drops);
        }
    }
}

fn judge(name: &str, stream: Stream, trip: &Trip, scenario: &Scenario) -> io::Result<Drops> {
    let expected = lost_by_model(scenario, stream, trip)?;
    let arrived: BTreeSet<u32> = trip.arrived.iter().map(|&(number, _)| number).collect();
    let lost: BTreeSet<u32> = (0..stream.count).filter(|number| !arrived.contains(number)).collect();
    Ok(Drops {
        model: name.to_owned(),
        sent: stream.count,
        expected: expected.len(),
        lost_as_expected: lost.intersection(&expected).count(),
        lost_otherwise: lost.difference(&expected).count(),
        is_known: trip.lost_in_socket == 0
            && !(stream.every.is_zero() && was_interrupted(stream, trip, scenario)),
    })
}

/// Whether a burst took so long to send that packets of it may have been transmitted meanwhile.
fn was_interrupted(stream: Stream, trip: &Trip, scenario: &Scenario) -> bool {
    let times = || trip.left.iter().flatten();
    let took = times().max().zip(times().min()).map_or(0, |(last, first)| last - first);
    let one = scenario.links[0].down.rate.time_for(stream.packet_bytes as u64);
    u64::try_from(took).is_ok_and(|took| took > one.as_nanos() / 2)
}

/// What the link of the scenario loses of these datagrams in the order in which, and at the times at which, the sender's
/// interface got them.
fn lost_by_model(scenario: &Scenario, stream: Stream, trip: &Trip) -> io::Result<BTreeSet<u32>> {
    let (link, seed) = (&scenario.links[0], scenario.seeds[0]);
    let mut config = LinkConfig::new(link.down.rate, link.down.one_way_delay);
    config.queue = link.down.queue;
    config.end_error =
        link.down.loss.first().map(|loss| loss.build(seed, &format!("link/{}/down/loss", link.name)));
    let mut link = Link::new(config);
    let mut out = Outbox::new();
    let mut arrived = BTreeSet::new();
    let mut take = |out: &mut Outbox| {
        for (_, packet) in out.packets.drain(..) {
            arrived.insert(packet.segment.sequence.0);
        }
    };
    let mut now = 0;
    for (number, left) in (0..).zip(&trip.left) {
        let left =
            left.ok_or_else(|| io::Error::other(format!("the kernel noted no time for datagram {number}")))?;
        // The clock is the one that people set; it must not go back here.
        now = now.max(u64::try_from(left).unwrap_or(0));
        let now = Instant::from_nanos(now);
        drain(&mut link, now, &mut out, &mut take);
        let mut packet = out.packet();
        packet.wire_bytes = stream.packet_bytes as u32;
        packet.segment.sequence.0 = number;
        packet.segment.length = 1;
        link.step(now, Input::Packet(Port(0), packet), &mut out);
        take(&mut out);
    }
    drain(&mut link, Instant::from_nanos(u64::MAX), &mut out, &mut take);
    Ok((0..stream.count).filter(|number| !arrived.contains(number)).collect())
}

/// Let everything happen that is due.
fn drain(link: &mut Link, now: Instant, out: &mut Outbox, take: &mut impl FnMut(&mut Outbox)) {
    while let Some(at) = link.wake_at().filter(|at| *at <= now) {
        link.step(at, Input::Wake, out);
        take(out);
    }
}
