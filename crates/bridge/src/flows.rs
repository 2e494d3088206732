//! The connections that the agent may know of: a bounded table between addresses and the numbers that an agent has for them.
//!
//! An agent has room for so many connections and cannot tell a flood of SYNs from them. So a connection is shown to it only once one end has
//! acknowledged what the other has sent after the handshake began: who forges addresses cannot do that. Until then a place in the table is
//! lent, and the next newcomer takes the oldest such place when there is no other.

use crate::frame::LinkHeader;
use seamline_agent::Side;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{Duration, Flags, Instant, NodeId, Segment, SequenceNumber, TransportPort};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

/// What tells connections apart, the same for both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FlowKey {
    /// The end on the wireless side.
    pub(crate) wireless: (IpAddr, TransportPort),
    /// The end on the wired side.
    pub(crate) wired: (IpAddr, TransportPort),
    /// [`LinkHeader::vlans`]: the same addresses may be in use in several.
    pub(crate) vlans: u32,
}

impl FlowKey {
    /// Of a packet that came from this side.
    pub(crate) fn new(
        from: Side,
        source: (IpAddr, TransportPort),
        destination: (IpAddr, TransportPort),
        vlans: u32,
    ) -> Self {
        match from {
            Side::Wired => FlowKey { wireless: destination, wired: source, vlans },
            Side::Wireless => FlowKey { wireless: source, wired: destination, vlans },
        }
    }
}

/// A place in the table, which is what an agent knows a connection by: both of its ends have numbers of their own, whatever other connections
/// they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u32);

impl Place {
    /// More places cannot be numbered.
    pub(crate) const MOST: u32 = 1 << 24;

    /// The number of the end on that side.
    pub(crate) fn node(self, side: Side) -> NodeId {
        match side {
            Side::Wireless => NodeId(2 * self.0),
            Side::Wired => NodeId(2 * self.0 + 1),
        }
    }
    /// The place of a connection of which this is an end.
    pub(crate) fn of(node: NodeId) -> Self {
        Place(node.0 / 2)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What one side has shown: the first number, and the one behind the last.
type Seen = Option<(SequenceNumber, SequenceNumber)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Since then; nobody has acknowledged anything.
    Begun(Instant),
    /// The agent is shown it.
    Known,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    key: FlowKey,
    stage: Stage,
    last_heard: Instant,
    seen: [Seen; 2],
    /// By side: it has sent its FIN.
    has_ended: [bool; 2],
    /// By side: what stands before the IP header of packets that leave there.
    headers: [LinkHeader; 2],
}

/// What is to be done with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// It passes the agent by.
    Passes,
    /// The agent is shown it, as one of this connection.
    Show(Place),
}

/// A segment that has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    /// When.
    pub(crate) now: Instant,
    /// From which side.
    pub(crate) from: Side,
    /// What it says.
    pub(crate) segment: &'a Segment,
    /// What stands before its IP header.
    pub(crate) header: LinkHeader,
}

/// What has become of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounters {
    /// Connections that were shown to the agent.
    pub known: u64,
    /// Those forgotten because nothing was heard of them for long.
    pub expired: u64,
    /// Those of which nothing was acknowledged, and whose place another took.
    pub displaced: u64,
    /// Segments that passed by because all places are those of connections that the agent knows.
    pub no_room: u64,
}

/// The table.
#[derive(Debug)]
pub(crate) struct Flows {
    most: u32,
    idle: Duration,
    by_key: BTreeMap<FlowKey, Place>,
    flows: Vec<Option<Flow>>,
    free: Vec<Place>,
    /// Those of which nothing is acknowledged, the oldest first.
    begun: BTreeSet<(Instant, Place)>,
    timers: Timers,
    counters: FlowCounters,
}

/// RFC 5382 (REQ-5): what middleboxes may forget a connection after whose handshake or end is under way.
const TRANSITORY: Duration = Duration::from_secs(240);

impl Flows {
    /// Room for so many connections, each forgotten when nothing was heard of it for `idle`.
    pub(crate) fn new(most: u32, idle: Duration) -> Self {
        Flows {
            most: most.min(Place::MOST),
            idle,
            by_key: BTreeMap::new(),
            flows: Vec::new(),
            free: Vec::new(),
            begun: BTreeSet::new(),
            timers: Timers::default(),
            counters: FlowCounters::default(),
        }
    }
    /// Forget all, whatever state the table is in, but not what was counted.
    pub(crate) fn begin_anew(&mut self) {
        *self = Flows { counters: self.counters, ..Flows::new(self.most, self.idle) };
    }
    /// What has become of connections.
    pub(crate) fn counters(&self) -> FlowCounters {
        self.counters
    }
    /// How many places are taken.
    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }
    /// How many connections the agent is shown.
    pub(crate) fn known(&self) -> usize {
        self.by_key.len() - self.begun.len()
    }

    /// The connection with this key, if the agent is shown it.
    pub(crate) fn find(&self, key: &FlowKey) -> Option<Place> {
        let place = *self.by_key.get(key)?;
        let flow = self.flows[place.index()].as_ref()?;
        (flow.stage == Stage::Known).then_some(place)
    }
    /// Who it is between.
    pub(crate) fn key(&self, place: Place) -> Option<FlowKey> {
        Some(self.flows.get(place.index())?.as_ref()?.key)
    }
    /// Those of the host with this address on the wireless side, with whether the agent is shown them.
    pub(crate) fn of_host(&self, address: IpAddr) -> Vec<(Place, bool)> {
        let first = (address, TransportPort(0));
        let beginning =
            FlowKey { wireless: first, wired: (Ipv4Addr::UNSPECIFIED.into(), TransportPort(0)), vlans: 0 };
        let of_host = self.by_key.range(beginning..).take_while(|(key, _)| key.wireless.0 == address);
        of_host.map(|(_, place)| (*place, self.is_known(*place))).collect()
    }
    /// By side: whether it has sent its FIN.
    pub(crate) fn has_ended(&self, place: Place) -> Option<[bool; 2]> {
        Some(self.flows.get(place.index())?.as_ref()?.has_ended)
    }
    /// The agent at another base station knows it, and the mobile host is here now: from now on the agent is shown it, as if one end had
    /// acknowledged here what the other has sent. `None` when there is no room.
    pub(crate) fn adopt(
        &mut self,
        now: Instant,
        key: FlowKey,
        header: LinkHeader,
        has_ended: [bool; 2],
    ) -> Option<Place> {
        if let Some(place) = self.find(&key) {
            return Some(place);
        }
        if let Some(begun) = self.by_key.get(&key).copied() {
            self.remove(begun);
        }
        let place = self.make_room()?;
        let mut headers = [LinkHeader::default(); 2];
        headers[Side::Wireless.index()] = header;
        let flow = Flow { key, stage: Stage::Known, last_heard: now, seen: [None; 2], has_ended, headers };
        self.timers.set(place.index(), now + flow.limit(self.idle));
        self.flows[place.index()] = Some(flow);
        self.by_key.insert(key, place);
        self.counters.known += 1;
        Some(place)
    }
    /// What stood before the IP header of the last packet of it that left by this side, or was to.
    pub(crate) fn header(&self, place: Place, towards: Side) -> Option<LinkHeader> {
        Some(self.flows.get(place.index())?.as_ref()?.headers[towards.index()])
    }

    /// A segment of it has come. What can be a segment of a connection that the agent knows is the agent's to judge.
    pub(crate) fn meet(&mut self, key: FlowKey, it: Arrival<'_>) -> Met {
        let flags = it.segment.flags;
        match self.by_key.get(&key).copied() {
            Some(place) if begins(flags) && !self.is_known(place) => {
                self.remove(place);
                self.begin(key, it);
                Met::Passes
            }
            Some(place) => self.go_on(place, it),
            None => {
                if !flags.contains(Flags::RST) {
                    self.begin(key, it);
                }
                Met::Passes
            }
        }
    }

    /// A segment of it has passed that is not to be met. When it begins or ends a connection that the agent is not shown yet, what is known of that
    /// is no longer true.
    pub(crate) fn miss(&mut self, key: &FlowKey, flags: Flags) {
        let place = self.by_key.get(key).copied().filter(|place| !self.is_known(*place));
        if let Some(place) = place.filter(|_| begins(flags) || flags.contains(Flags::RST)) {
            self.remove(place);
        }
    }

    /// A segment of it has passed that the agent cannot take in. Returns its place, if the agent knows it.
    pub(crate) fn overhear(
        &mut self,
        now: Instant,
        from: Side,
        key: &FlowKey,
        segment: &Segment,
    ) -> Option<Place> {
        let place = self.find(key)?;
        let flow = self.flows[place.index()].as_mut()?;
        flow.last_heard = now;
        flow.note_end(from, segment.flags);
        let limit = flow.limit(self.idle);
        self.timers.bring_forward(place.index(), now + limit);
        Some(place)
    }

    fn is_known(&self, place: Place) -> bool {
        self.flows[place.index()].as_ref().is_some_and(|flow| flow.stage == Stage::Known)
    }

    fn begin(&mut self, key: FlowKey, it: Arrival<'_>) {
        let Some(place) = self.make_room() else {
            self.counters.no_room += 1;
            return;
        };
        let mut flow = Flow {
            key,
            stage: Stage::Begun(it.now),
            last_heard: it.now,
            seen: [None; 2],
            has_ended: [false; 2],
            headers: [LinkHeader::default(); 2],
        };
        flow.note(it);
        let limit = flow.limit(self.idle);
        self.flows[place.index()] = Some(flow);
        self.by_key.insert(key, place);
        self.begun.insert((it.now, place));
        self.timers.set(place.index(), it.now + limit);
    }

    /// A place that nobody has, or that of the oldest connection of which nothing is acknowledged.
    fn make_room(&mut self) -> Option<Place> {
        if let Some(place) = self.free.pop() {
            return Some(place);
        }
        if self.flows.len() < self.most as usize {
            self.flows.push(None);
            self.timers.add(NEVER);
            return Some(Place(self.flows.len() as u32 - 1));
        }
        let (_, oldest) = *self.begun.first()?;
        self.counters.displaced += 1;
        self.remove(oldest);
        self.free.pop()
    }

    fn go_on(&mut self, place: Place, it: Arrival<'_>) -> Met {
        let Some(flow) = &mut self.flows[place.index()] else { return Met::Passes };
        flow.last_heard = it.now;
        if let Stage::Begun(since) = flow.stage {
            if !flow.is_acknowledged_by(it) {
                flow.note(it);
                return Met::Passes;
            }
            flow.stage = Stage::Known;
            self.begun.remove(&(since, place));
            self.counters.known += 1;
        }
        flow.note(it);
        let limit = flow.limit(self.idle);
        self.timers.bring_forward(place.index(), it.now + limit);
        Met::Show(place)
    }

    /// It has come to its end; its place is free.
    pub(crate) fn remove(&mut self, place: Place) {
        let Some(flow) = self.flows[place.index()].take() else { return };
        if let Stage::Begun(since) = flow.stage {
            self.begun.remove(&(since, place));
        }
        self.by_key.remove(&flow.key);
        self.timers.set(place.index(), NEVER);
        self.free.push(place);
    }

    /// When to look for connections of which nothing was heard for long.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| at)
    }
    /// Forget them; `forgotten` gets those that the agent knows.
    pub(crate) fn expire(&mut self, now: Instant, forgotten: &mut Vec<Place>) {
        while let Some((_, number)) = self.timers.first().filter(|(at, _)| *at <= now) {
            let place = Place(number as u32);
            let Some(flow) = &self.flows[number] else {
                self.timers.set(number, NEVER);
                continue;
            };
            let at = flow.last_heard + flow.limit(self.idle);
            if at > now {
                self.timers.set(number, at);
                continue;
            }
            self.counters.expired += 1;
            if flow.stage == Stage::Known {
                forgotten.push(place);
            }
            self.remove(place);
        }
    }
    /// Forget all; returns those that the agent knows.
    pub(crate) fn clear(&mut self) -> Vec<Place> {
        let all: Vec<Place> = self.by_key.values().copied().collect();
        let known = all.iter().copied().filter(|place| self.is_known(*place)).collect();
        all.into_iter().for_each(|place| self.remove(place));
        known
    }
}

/// Whether it asks for a new connection.
fn begins(flags: Flags) -> bool {
    flags.contains(Flags::SYN) && !flags.contains(Flags::ACK)
}

impl Flow {
    fn note(&mut self, Arrival { from, segment, header, .. }: Arrival<'_>) {
        let side = from.index();
        self.note_end(from, segment.flags);
        self.headers[from.other().index()] = header;
        if self.stage == Stage::Known {
            return;
        }
        let (first, end) = self.seen[side].unwrap_or((segment.sequence, segment.end()));
        self.seen[side] = Some((first, end.max(segment.end())));
    }
    fn note_end(&mut self, from: Side, flags: Flags) {
        let has_ended = &mut self.has_ended[from.index()];
        *has_ended = flags.contains(Flags::FIN) || (*has_ended && !flags.contains(Flags::SYN));
    }
    /// Whether this segment acknowledges what came the other way. One with SYN or RST does not count: a host sends those to whoever asks.
    fn is_acknowledged_by(&self, Arrival { from, segment, .. }: Arrival<'_>) -> bool {
        let answers =
            segment.flags.contains(Flags::ACK) && !segment.flags.intersects(Flags::SYN | Flags::RST);
        let seen = self.seen[from.other().index()];
        answers
            && seen.is_some_and(|(first, end)| {
                segment.acknowledgment.is_after(first) && segment.acknowledgment.is_at_or_before(end)
            })
    }
    fn limit(&self, idle: Duration) -> Duration {
        let is_transitory = self.stage != Stage::Known || self.has_ended == [true; 2];
        if is_transitory { idle.min(TRANSITORY) } else { idle }
    }
}
