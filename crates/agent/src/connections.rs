//! The machine of every agent: it finds the connection of each packet, and keeps time for all of them.

mod handed_over;

use crate::connection::Connection;
use crate::exit::{Counters, Exit};
use crate::guard::{Guard, Verdict};
use crate::key::{ConnectionKey, Side};
use crate::moved::Moved;
use crate::passed::{PassedSyn, PassedSyns};
use crate::ways::Ways;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{Control, Duration, Flags, Input, Instant, Machine, Outbox, Packet, Segment};
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
    /// What its numbers can be; `None` if it judges that by itself.
    guard: Option<Box<Guard>>,
}

/// The connections of an agent.
///
/// A connection is known from its first segment that passes, whichever it is. What cannot be a segment of it (`guard.rs`) passes, and changes
/// nothing; a reset ends it, and a SYN without acknowledgment once both sides have ended it. One that ends connections judges all that by itself.
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
        let connection = (self.make.0)();
        let guard = (!connection.judges()).then(Box::default);
        let held = Some((key, connection));
        let place = match self.free.pop() {
            Some(place) => {
                (self.slots[place].held, self.slots[place].guard) = (held, guard);
                place
            }
            None => {
                self.slots.push(Slot {
                    held,
                    last_heard: Instant::ZERO,
                    is_new_here: false,
                    ways: Ways::UNKNOWN,
                    guard,
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
        let guard = slot.guard.take();
        slot.is_new_here = false;
        self.by_key.remove(&key);
        self.last_found = None;
        self.timers.set(place, NEVER);
        self.free.push(place);
        Some(Moved { key, connection, ways, guard })
    }

    fn exit<'a>(&'a mut self, out: &'a mut Outbox) -> Exit<'a> {
        Exit::new(out, &mut self.counters, &mut self.kept_bytes, self.limits.bytes, &Ways::UNKNOWN)
    }

    /// The connection that this SYN or reset ends.
    fn ended_by(&self, key: ConnectionKey, from: Side, segment: &Segment) -> Option<usize> {
        let place = *self.by_key.get(&key)?;
        let answers = segment.flags.contains(Flags::ACK) && !segment.flags.contains(Flags::RST);
        let Slot { held, guard, .. } = &self.slots[place];
        let (_, connection) = held.as_ref()?;
        let ends = match guard {
            None => connection.is_ended_by(from, segment),
            Some(guard) => guard.is_ended_by(from, segment),
        };
        (ends && !answers).then_some(place)
    }

    /// Whether this segment can be one of the connection at that place; if it is the first of one that takes its place, that begins.
    fn believes(
        &mut self,
        now: Instant,
        place: usize,
        from: Side,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        let Some(guard) = &mut self.slots[place].guard else { return true };
        match guard.judge(from, segment) {
            Verdict::Credible => true,
            Verdict::Strange => {
                self.counters.strange += 1;
                false
            }
            Verdict::Anew => {
                let Some((_, connection)) = &mut self.slots[place].held else {
                    unreachable!("what is found is held")
                };
                let begun = (self.make.0)();
                let mut ended = std::mem::replace(connection, begun);
                ended.end(now, &mut self.exit(out));
                true
            }
        }
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
        if !self.believes(now, place, from, &packet.segment, out) {
            return out.send(from.onwards(), packet);
        }
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
        if slot
            .guard
            .as_ref()
            .is_some_and(|guard| !guard.admits_ranges(Side::Wired, message.ranges.as_slice()))
        {
            counters.strange += 1;
            return out.send(from.onwards(), packet);
        }
        slot.ways.note(from.other(), packet.tunnels);
        let Some((_, connection)) = &mut slot.held else { unreachable!("what is found is held") };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, &slot.ways);
        connection.on_message(now, from, message, packet, exit);
        timers.bring_forward(place, connection.wake_at());
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
