//! The machine of every agent: it finds the connection of each packet, and keeps time for all of them.

use crate::Agent;
use crate::connection::Connection;
use crate::exit::{Counters, Exit};
use crate::key::{ConnectionKey, Side};
use crate::moved::Moved;
use crate::passed::{PassedSyn, PassedSyns};
use crate::ways::Ways;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{
    Control, Duration, Flags, Input, Instant, Machine, NodeId, Outbox, Packet, Segment, TransportPort,
};
use std::collections::BTreeMap;

/// What an agent may hold, all connections together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most so many connections; the segments of others are forwarded untouched.
    pub connections: u32,
    /// At most so many bytes of packets are kept, headers included; what split connections have offered to take counts as kept.
    pub bytes: u64,
    /// A connection of which so long nothing was heard is forgotten.
    pub idle: Duration,
}

impl Default for Limits {
    /// Room for tens of thousands of flows, or for some thousand split connections: each sets aside what may come, which is the
    /// less the more there are. RFC 5382 (REQ-5) lets middleboxes forget an established connection after two hours and four
    /// minutes, not before.
    fn default() -> Self {
        Limits { connections: 65_536, bytes: 64 << 20, idle: Duration::from_secs(7440) }
    }
}

#[derive(Debug)]
struct Slot {
    /// `None` in a place that is free.
    held: Option<(ConnectionKey, Box<dyn Connection>)>,
    last_heard: Instant,
    /// It has come from another agent, and has not been told so.
    is_new_here: bool,
    /// By which tunnels its packets go.
    ways: Ways,
}

/// The connections of an agent.
///
/// A connection is known from its first segment that passes, whichever it is; a SYN without acknowledgment begins it anew,
/// and a reset ends it, unless it judges both by itself.
#[derive(Debug)]
pub struct Connections {
    limits: Limits,
    inside_tunnels: bool,
    make: ConnectionMaker,
    by_key: BTreeMap<ConnectionKey, usize>,
    slots: Vec<Slot>,
    free: Vec<usize>,
    last_found: Option<(ConnectionKey, usize)>,
    timers: Timers,
    counters: Counters,
    kept_bytes: u64,
    /// From another agent, and there is no room for them; they end when the machine is woken.
    refused: Vec<(ConnectionKey, Box<dyn Connection>)>,
    /// If it has to see connections begin: those that passed and that it does not know.
    passed: Option<PassedSyns>,
}

/// Makes what an agent keeps of a connection.
struct ConnectionMaker(Box<dyn Fn() -> Box<dyn Connection> + Send>);

impl std::fmt::Debug for ConnectionMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConnectionMaker")
    }
}

impl Connections {
    /// An agent that has seen nothing, and makes a connection by `make`.
    pub fn new(limits: Limits, make: impl Fn() -> Box<dyn Connection> + Send + 'static) -> Self {
        Connections {
            limits,
            inside_tunnels: false,
            make: ConnectionMaker(Box::new(make)),
            by_key: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            last_found: None,
            timers: Timers::default(),
            counters: Counters::default(),
            kept_bytes: 0,
            refused: Vec::new(),
            passed: None,
        }
    }
    /// It ends connections: one whose SYN has passed it must not take in when that SYN comes again.
    #[must_use]
    pub(crate) fn ending_connections(mut self) -> Self {
        self.passed = Some(PassedSyns::default());
        self
    }
    /// Whether it helps segments inside of plain tunnels (IP in IP), too; otherwise they pass untouched.
    ///
    /// Connections are those of the innermost headers, whatever tunnels they are in. What the agent sends by itself is in the tunnels of
    /// the connection's newest packet in that direction.
    #[must_use]
    pub fn inside_tunnels(mut self, inside_tunnels: bool) -> Self {
        self.inside_tunnels = inside_tunnels;
        self
    }
    /// Bytes of packets kept now.
    pub fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }
    /// How many connections are known.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }
    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    fn find(&mut self, key: ConnectionKey) -> Option<usize> {
        if let Some((_, place)) = self.last_found.filter(|(found, _)| *found == key) {
            return Some(place);
        }
        let place = match self.by_key.get(&key) {
            Some(place) => *place,
            None => self.begin(key)?,
        };
        self.last_found = Some((key, place));
        Some(place)
    }

    fn begin(&mut self, key: ConnectionKey) -> Option<usize> {
        if self.by_key.len() >= self.limits.connections as usize {
            return None;
        }
        let held = Some((key, (self.make.0)()));
        let place = match self.free.pop() {
            Some(place) => {
                self.slots[place].held = held;
                place
            }
            None => {
                self.slots.push(Slot {
                    held,
                    last_heard: Instant::ZERO,
                    is_new_here: false,
                    ways: Ways::UNKNOWN,
                });
                self.timers.add(NEVER);
                self.slots.len() - 1
            }
        };
        self.by_key.insert(key, place);
        Some(place)
    }

    fn end(&mut self, now: Instant, place: usize, out: &mut Outbox) {
        if let Some(Moved { mut connection, .. }) = self.take(place) {
            connection.end(now, &mut self.exit(out));
        }
    }

    /// Take a connection out of its place.
    fn take(&mut self, place: usize) -> Option<Moved> {
        let slot = &mut self.slots[place];
        let (key, connection) = slot.held.take()?;
        let ways = std::mem::replace(&mut slot.ways, Ways::UNKNOWN);
        slot.is_new_here = false;
        self.by_key.remove(&key);
        self.last_found = None;
        self.timers.set(place, NEVER);
        self.free.push(place);
        Some(Moved { key, connection, ways })
    }

    fn exit<'a>(&'a mut self, out: &'a mut Outbox) -> Exit<'a> {
        Exit::new(out, &mut self.counters, &mut self.kept_bytes, self.limits.bytes, &Ways::UNKNOWN)
    }

    /// The connection that this SYN or reset ends.
    fn ended_by(&self, key: ConnectionKey, from: Side, segment: &Segment) -> Option<usize> {
        let place = *self.by_key.get(&key)?;
        let (_, connection) = self.slots[place].held.as_ref()?;
        let ends = match segment.flags.contains(Flags::RST) {
            true => !connection.judges_resets(),
            false => !segment.flags.contains(Flags::ACK) && connection.is_replaced_by(from, segment),
        };
        ends.then_some(place)
    }

    fn on_packet(&mut self, now: Instant, from: Side, packet: Box<Packet>, out: &mut Outbox) {
        self.counters.packets += 1;
        let is_segment = packet.is_bare_segment() || (self.inside_tunnels && packet.is_segment());
        if !is_segment {
            return self.on_other(now, from, packet, out);
        }
        let key = ConnectionKey::of(&packet, from);
        let flags = packet.segment.flags;
        let mut passed = None;
        if flags.intersects(Flags::SYN | Flags::RST) {
            if let Some(place) = self.ended_by(key, from, &packet.segment) {
                self.end(now, place, out);
            }
            if flags.contains(Flags::RST) && !self.by_key.contains_key(&key) {
                return out.send(from.onwards(), packet);
            }
            passed = self.passed_before(now, key, &packet.segment);
        }
        let Some(place) = self.find(key) else {
            self.counters.unknown += 1;
            self.note_passed(now, key, PassedSyn::shown_by(&packet.segment));
            return out.send(from.onwards(), packet);
        };
        let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
        let slot = &mut slots[place];
        slot.last_heard = now;
        slot.ways.note(from.other(), packet.tunnels);
        let Some((_, connection)) = &mut slot.held else { unreachable!("what is found is held") };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, &slot.ways);
        if let Some(passed) = passed {
            connection.leave_alone(now, passed, exit);
        }
        connection.on_segment(now, from, packet, exit);
        timers.bring_forward(place, connection.wake_at().min(now + limits.idle));
        if connection.is_over() {
            self.end(now, place, out);
        }
    }

    /// What of a connection that is not known has passed and is to pass again, if this segment begins it.
    fn passed_before(&mut self, now: Instant, key: ConnectionKey, segment: &Segment) -> Option<PassedSyn> {
        let is_known = self.by_key.contains_key(&key);
        self.passed.as_mut().filter(|_| !is_known)?.of(now, key, segment)
    }

    fn note_passed(&mut self, now: Instant, key: ConnectionKey, syn: PassedSyn) {
        if let Some(passed) = &mut self.passed {
            passed.note(now, key, syn);
        }
    }

    /// A message about a connection that is known, or something else that goes on.
    #[cold]
    fn on_other(&mut self, now: Instant, from: Side, packet: Box<Packet>, out: &mut Outbox) {
        let Some(&Control::Recovery(message)) =
            packet.control().filter(|_| self.inside_tunnels || packet.tunnels.is_empty())
        else {
            return out.send(from.onwards(), packet);
        };
        let Some(&place) = self.by_key.get(&ConnectionKey::of_message(&packet, from, &message)) else {
            return out.send(from.onwards(), packet);
        };
        let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
        let slot = &mut slots[place];
        slot.ways.note(from.other(), packet.tunnels);
        let Some((_, connection)) = &mut slot.held else { unreachable!("what is found is held") };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, &slot.ways);
        connection.on_message(now, from, message, packet, exit);
        timers.bring_forward(place, connection.wake_at());
    }

    /// What passed for lack of room passes at the next base station, too.
    fn hand_out_passed(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let Some(passed) = &mut self.passed else { return Vec::new() };
        let taken = passed.take(|key| addresses.contains(&key.wireless.0));
        let moved = taken.into_iter().map(|(key, syn)| {
            let mut connection = (self.make.0)();
            let mut nothing = Outbox::new();
            connection.leave_alone(Instant::ZERO, syn, &mut self.exit(&mut nothing));
            Moved { key, connection, ways: Ways::UNKNOWN }
        });
        moved.collect()
    }

    /// Whether it is known, and is more than left alone.
    fn has_split(&self, key: ConnectionKey) -> bool {
        let place = self.by_key.get(&key);
        let held = place.and_then(|place| self.slots[*place].held.as_ref());
        held.is_some_and(|(_, connection)| !connection.is_left_alone())
    }

    /// End what there is no room for; until then it counts as kept.
    fn end_refused(&mut self, now: Instant, out: &mut Outbox) {
        for (key, mut connection) in std::mem::take(&mut self.refused) {
            self.note_passed(now, key, PassedSyn::Any);
            self.kept_bytes += connection.kept_bytes();
            connection.end(now, &mut self.exit(out));
        }
    }

    fn on_wake(&mut self, now: Instant, out: &mut Outbox) {
        self.end_refused(now, out);
        while let Some((_, place)) = self.timers.first().filter(|(at, _)| *at <= now) {
            if self.slots[place].is_new_here {
                self.slots[place].last_heard = now;
            }
            let expires = self.slots[place].last_heard + self.limits.idle;
            if expires <= now {
                self.counters.expired += 1;
                self.end(now, place, out);
                continue;
            }
            let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
            let Slot { held, is_new_here, ways, .. } = &mut slots[place];
            let Some((_, connection)) = held else {
                timers.set(place, NEVER);
                continue;
            };
            let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, ways);
            if std::mem::take(is_new_here) {
                connection.on_arrival(now, exit);
            }
            if connection.wake_at() <= now {
                connection.on_wake(now, exit);
            }
            timers.set(place, connection.wake_at().min(expires));
            if connection.is_over() {
                self.end(now, place, out);
            }
        }
    }
}

impl Agent for Connections {
    fn counters(&self) -> Counters {
        self.counters
    }
    fn on_opaque(&mut self, now: Instant, key: ConnectionKey, out: &mut Outbox) {
        if self.passed.is_none() {
            return;
        }
        let Some(place) = self.find(key) else { return self.note_passed(now, key, PassedSyn::Any) };
        let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
        let slot = &mut slots[place];
        slot.last_heard = now;
        let Some((_, connection)) = &mut slot.held else { unreachable!("what is found is held") };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, &slot.ways);
        connection.leave_alone(now, PassedSyn::Any, exit);
        timers.bring_forward(place, connection.wake_at().min(now + limits.idle));
        if !connection.is_left_alone() {
            self.note_passed(now, key, PassedSyn::Any);
        }
    }
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let mut addresses = addresses.to_vec();
        addresses.sort_unstable();
        addresses.dedup();
        let of = |address: NodeId| {
            let beginning =
                ConnectionKey { wireless: (address, TransportPort(0)), wired: Default::default() };
            self.by_key.range(beginning..).take_while(move |(key, _)| key.wireless.0 == address)
        };
        let places: Vec<usize> = addresses.iter().copied().flat_map(of).map(|(_, place)| *place).collect();
        let held: Vec<_> = places.into_iter().filter_map(|place| self.take(place)).collect();
        let moved = held.into_iter().inspect(|moved| self.kept_bytes -= moved.connection.kept_bytes());
        let mut moved: Vec<_> = moved.filter(|moved| moved.connection.moves()).collect();
        moved.extend(self.hand_out_passed(&addresses));
        moved
    }
    fn take_in(&mut self, moved: Vec<Moved>) {
        for Moved { key, connection, ways } in moved {
            if connection.is_left_alone() && self.has_split(key) {
                continue;
            }
            if let Some(&place) = self.by_key.get(&key)
                && let Some(known) = self.take(place)
            {
                self.kept_bytes -= known.connection.kept_bytes();
            }
            let kept_bytes = self.kept_bytes + connection.kept_bytes();
            let fits = kept_bytes <= self.limits.bytes;
            let Some(place) = fits.then(|| self.begin(key)).flatten() else {
                self.refused.push((key, connection));
                continue;
            };
            self.kept_bytes = kept_bytes;
            let slot = &mut self.slots[place];
            slot.held = Some((key, connection));
            slot.is_new_here = true;
            slot.ways = ways;
            self.timers.set(place, Instant::ZERO);
        }
    }
}

impl Machine for Connections {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => self.on_packet(now, Side::of(port), packet, out),
            Input::Wake => self.on_wake(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let refuses = (!self.refused.is_empty()).then_some(Instant::ZERO);
        refuses.or_else(|| self.timers.first().map(|(at, _)| at))
    }
}
