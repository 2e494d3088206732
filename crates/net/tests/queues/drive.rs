//! Offers packets of flows to a link and notes what becomes of each.

use seamline_net::{Link, LinkConfig, QueueConfig};
use seamline_wire::random::Stream;
use seamline_wire::{
    DropCause, Duration, Ecn, Event, Input, Instant, Machine, NodeId, Outbox, Port, Rate, SequenceNumber,
    TransportPort,
};

/// 1000 bytes take one millisecond.
const RATE: Rate = Rate::from_megabits_per_second(8);
pub(crate) const PROPAGATION: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) at: Instant,
    /// Port and host of the sender, `host * 100 + port`; each host sends to another one.
    pub(crate) flow: u16,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
}

pub(crate) fn ms(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// So many packets of 1000 bytes at once.
pub(crate) fn burst(at: Instant, flow: u16, count: usize) -> Vec<Offer> {
    vec![Offer { at, flow, size: 1000, ecn: Ecn::NotEct }; count]
}

/// Packets of one size for a while, one after each gap.
pub(crate) fn stream(flow: u16, size: u32, gap: Duration, until: Instant) -> Vec<Offer> {
    let times = std::iter::successors(Some(Instant::ZERO), |at| Some(*at + gap));
    times.take_while(|at| *at < until).map(|at| Offer { at, flow, size, ecn: Ecn::NotEct }).collect()
}

pub(crate) fn with_ecn(ecn: Ecn, mut offers: Vec<Offer>) -> Vec<Offer> {
    offers.iter_mut().for_each(|offer| offer.ecn = ecn);
    offers
}

/// In order of time; of one time, in order of the lists.
pub(crate) fn together(lists: impl IntoIterator<Item = Vec<Offer>>) -> Vec<Offer> {
    let mut all: Vec<Offer> = lists.into_iter().flatten().collect();
    all.sort_by_key(|offer| offer.at);
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// When it reached the far end, without propagation.
    pub(crate) at: Instant,
    /// Its place among the offers.
    pub(crate) id: usize,
    pub(crate) ecn: Ecn,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Log {
    pub(crate) delivered: Vec<Delivered>,
    pub(crate) dropped: Vec<(Instant, usize, DropCause)>,
    pub(crate) marked: Vec<(Instant, usize)>,
    /// The most that waited or was in service.
    pub(crate) most: u32,
}

impl Log {
    pub(crate) fn dropped_ids(&self) -> Vec<usize> {
        self.dropped.iter().map(|(_, id, _)| *id).collect()
    }
    /// How long each delivered packet of a flow took from its arrival to the end of its transmission.
    pub(crate) fn delays(&self, offers: &[Offer], flow: u16) -> Vec<Duration> {
        let of_flow = self.delivered.iter().filter(|it| offers[it.id].flow == flow);
        of_flow.map(|it| it.at.saturating_since(offers[it.id].at)).collect()
    }
    /// Bytes of a flow that were sent before a time.
    pub(crate) fn bytes(&self, offers: &[Offer], flow: u16, until: Instant) -> u64 {
        let sent = self.delivered.iter().filter(|it| offers[it.id].flow == flow && it.at <= until);
        sent.map(|it| u64::from(offers[it.id].size)).sum()
    }

    fn take(&mut self, now: Instant, out: &mut Outbox) {
        for (_, packet) in out.packets.drain(..) {
            let id = packet.segment.sequence.0 as usize;
            self.delivered.push(Delivered { at: now - PROPAGATION, id, ecn: packet.ecn });
        }
        for event in out.events.drain(..) {
            match event {
                Event::Dropped { cause, sequence, .. } => {
                    self.dropped.push((now, sequence.0 as usize, cause));
                }
                Event::Marked { sequence, .. } => self.marked.push((now, sequence.0 as usize)),
                Event::Queue { packets, .. } => self.most = self.most.max(packets),
                _ => {}
            }
        }
    }
}

pub(crate) fn config(queue: QueueConfig) -> LinkConfig {
    let queue_stream = Stream::new(1, "air/down/queue");
    LinkConfig { queue, queue_stream, ..LinkConfig::new(RATE, PROPAGATION) }
}

pub(crate) fn run(queue: QueueConfig, offers: &[Offer]) -> Log {
    run_link(config(queue), offers)
}

/// Until nothing is left to happen. What the link says about deliveries to come has to be true.
pub(crate) fn run_link(config: LinkConfig, offers: &[Offer]) -> Log {
    let mut link = Link::new(config);
    let (mut out, mut log) = (Outbox::new(), Log::default());
    out.set_listening(true);
    let (mut waiting, mut certain) = (offers.iter().enumerate().peekable(), Vec::new());
    loop {
        let earliest = link.earliest_delivery(|_| false);
        let delivered = log.delivered.len();
        let wake = link.wake_at();
        let now = match (wake, waiting.peek()) {
            (None, None) => break,
            (wake, offer) => wake.unwrap_or(Instant::MAX).min(offer.map_or(Instant::MAX, |(_, it)| it.at)),
        };
        if wake == Some(now) {
            link.step(now, Input::Wake, &mut out);
        } else if let Some((id, offer)) = waiting.next() {
            let mut packet = out.packet();
            packet.source = NodeId(u32::from(offer.flow / 100));
            packet.destination = NodeId(1000 + u32::from(offer.flow / 100));
            packet.source_port = TransportPort(offer.flow % 100);
            packet.wire_bytes = offer.size;
            packet.segment.sequence = SequenceNumber(id as u32);
            packet.ecn = offer.ecn;
            link.step(now, Input::Packet(Port(0), packet), &mut out);
        }
        log.take(now, &mut out);
        assert!(log.delivered.len() == delivered || earliest.is_some_and(|earliest| earliest <= now));
        certain.extend(link.certain(now).map(|(at, packet)| (at, packet.segment.sequence.0 as usize)));
    }
    check(&link, &log, &certain, offers.len());
    log
}

fn check(link: &Link, log: &Log, certain: &[(Instant, usize)], offered: usize) {
    let counters = link.counters();
    assert_eq!(counters.arrived.packets as usize, offered);
    assert_eq!(counters.delivered.packets as usize, log.delivered.len());
    assert_eq!(counters.dropped.total().packets as usize, log.dropped.len());
    assert_eq!(counters.marked.packets as usize, log.marked.len());
    assert_eq!(link.packets_inside(), 0, "nothing waits for ever");
    let mut arrivals = vec![None; offered];
    log.delivered.iter().for_each(|it| arrivals[it.id] = Some(it.at + PROPAGATION));
    assert!(certain.iter().all(|(at, id)| arrivals[*id] == Some(*at)), "what is certain happens");
}
