//! The connections that an agent knows, in one table: the ends of each, the agent's part in it, and when it is forgotten.
//!
//! In a simulated network the ends are nodes, and the table is the agent's machine. On real interfaces they are IP addresses in a VLAN: then
//! [`Connections::admit`] finds or begins the connection of a segment, and [`Connections::show`] lets the agent act on it.

mod acting;
mod admission;
mod adopted;
mod handed_over;
mod machine;
mod measuring;
mod room;
mod shares;

pub use admission::Admission;
pub use handed_over::Moved;
pub use shares::{Amounts, Numbers, Owner, Shares};

use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Counters;
use crate::flow::Measurements;
use crate::guard::Guard;
use crate::key::{ConnectionKey, End, Side};
use crate::passed::PassedSyns;
use crate::ways::Ways;
use admission::Handshake;
use measuring::Measuring;
use room::Shortage;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{Duration, Instant, NodeId, Outbox};
use std::collections::{BTreeMap, BTreeSet};

/// What an agent may hold, all connections together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections; the segments of others are forwarded untouched.
    pub connections: u32,
    /// The most bytes of packets that are kept, headers included; what split connections have offered to take counts as kept.
    pub bytes: u64,
    /// A connection is forgotten after this much silence.
    pub idle: Duration,
}

impl Default for Limits {
    /// Room for tens of thousands of flows, or for some thousand split connections: each reserves what may come, which is the
    /// less the more there are. RFC 5382 (REQ-5) lets middleboxes forget an established connection after two hours and four
    /// minutes, not before.
    fn default() -> Self {
        Limits { connections: 65_536, bytes: 64 << 20, idle: Duration::from_secs(7440) }
    }
}

/// RFC 5382 (REQ-5): when middleboxes may forget a connection that begins or has ended.
const TRANSITORY: Duration = Duration::from_secs(240);

/// A connection's place in the table. It names that connection only: the next one at the same place has another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    index: u32,
    generation: u32,
}

impl Place {
    /// More places cannot be numbered.
    pub const MOST: u32 = 1 << 24;

    /// A number for the end on that side, by which an agent can know it where it has no node of its own. No other connection at that time has it.
    pub fn node(self, side: Side) -> NodeId {
        match side {
            Side::Wireless => NodeId(2 * self.index),
            Side::Wired => NodeId(2 * self.index + 1),
        }
    }
    fn index(self) -> usize {
        self.index as usize
    }
}

#[derive(Debug)]
struct Slot<A, L> {
    /// `None` in a free place.
    held: Option<(ConnectionKey<A>, Box<dyn Connection>)>,
    generation: u32,
    /// By side: when something was heard of it last.
    heard: [Instant; 2],
    /// It has come from another agent, and its part has not acted on that.
    is_new_here: bool,
    /// Neither end has acknowledged what the other has sent: the agent is not shown it.
    is_unconfirmed: bool,
    /// The tunnels of its newest packets.
    ways: Ways,
    /// By side: the link header of the newest packet that leaves there.
    links: [Option<L>; 2],
    /// Bytes of packets kept of it.
    kept: u64,
    /// Who has it.
    owners: Numbers,
    /// What its numbers can be; `None` if its part judges that.
    guard: Option<Box<Guard>>,
}

impl<A, L> Slot<A, L> {
    const FREE: Self = Slot {
        held: None,
        generation: 0,
        heard: [Instant::ZERO; 2],
        is_new_here: false,
        is_unconfirmed: false,
        ways: Ways::UNKNOWN,
        links: [None, None],
        kept: 0,
        owners: [0; 2],
        guard: None,
    };

    fn last_heard(&self) -> Instant {
        self.heard[0].max(self.heard[1])
    }
}

/// The connections of an agent.
///
/// A connection is known from its first segment that passes, whichever it is. What cannot be a segment of it (`guard.rs`) passes, and changes
/// nothing; a reset ends it, and a SYN without acknowledgment once both sides have ended it. A kind that ends connections judges all that itself.
#[derive(Debug)]
pub struct Connections<A = NodeId, L = ()> {
    limits: Limits,
    is_confirming: bool,
    only_from_beginning: bool,
    measuring: Option<Measuring>,
    inside_tunnels: bool,
    make: ConnectionMaker,
    by_key: BTreeMap<ConnectionKey<A>, usize>,
    slots: Vec<Slot<A, L>>,
    free: Vec<usize>,
    /// Those that the agent is not shown, the oldest first.
    unconfirmed: BTreeSet<(Instant, usize)>,
    handshakes: BTreeMap<usize, Handshake<L>>,
    last_found: Option<(ConnectionKey<A>, usize)>,
    timers: Timers,
    counters: Counters,
    kept_bytes: u64,
    shares: Shares<A>,
    short_of_places: Shortage,
    short_of_memory: Shortage,
    /// Until then no host is silent of which something is kept.
    nobody_is_silent_until: Instant,
    /// There is no room for them; they end when the machine is woken.
    refused: Vec<Moved<A>>,
    /// If it has to see connections begin: those that passed and that it does not know.
    passed: Option<PassedSyns<A>>,
}

impl<A: End, L: Copy> Connections<A, L> {
    /// An agent that has seen nothing, and makes its part in a connection by `make`.
    pub fn new(limits: Limits, make: ConnectionMaker) -> Self {
        Connections {
            limits: Limits { connections: limits.connections.min(Place::MOST), ..limits },
            is_confirming: false,
            only_from_beginning: false,
            measuring: None,
            inside_tunnels: false,
            make,
            by_key: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            unconfirmed: BTreeSet::new(),
            handshakes: BTreeMap::new(),
            last_found: None,
            timers: Timers::default(),
            counters: Counters::default(),
            kept_bytes: 0,
            shares: Shares::new(),
            short_of_places: Shortage::default(),
            short_of_memory: Shortage::default(),
            nobody_is_silent_until: Instant::ZERO,
            refused: Vec::new(),
            passed: None,
        }
    }
    /// For real networks: the agent is shown a connection once one end has acknowledged what the other has sent, which a host with forged
    /// addresses cannot do. Until then its place is lent: the next newcomer takes the oldest such place when no other is left. And a connection that
    /// begins, or that both ends have ended, is forgotten after 240 s (RFC 5382). Where room is short, hosts that are silent and the one that has
    /// most give way.
    #[must_use]
    pub fn confirming(mut self) -> Self {
        self.is_confirming = true;
        self
    }

    /// For real networks: leave connections alone whose beginning has not been seen.
    #[must_use]
    pub fn only_from_beginning(mut self) -> Self {
        self.only_from_beginning = true;
        self
    }

    /// Measure what the segments of connections show of the paths, with [`Connections::measure`]. `acts` is whether what the agent sends leaves:
    /// otherwise it repairs nothing.
    #[must_use]
    pub fn measuring(mut self, acts: bool) -> Self {
        self.measuring = Some(Measuring::new(acts));
        self
    }

    /// What was measured, of all connections since the beginning.
    pub fn measurements(&self) -> Measurements {
        self.measuring.as_ref().map_or_else(Measurements::default, Measuring::all)
    }
    /// What it has done.
    pub fn counters(&self) -> Counters {
        self.counters
    }
    /// How many connections the table holds.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }
    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
    /// The bytes of packets that are kept, as they count against [`Limits::bytes`].
    pub fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }
    /// How many connections the agent is shown.
    pub fn shown(&self) -> usize {
        self.by_key.len() - self.unconfirmed.len()
    }

    fn place(&self, index: usize) -> Place {
        Place { index: index as u32, generation: self.slots[index].generation }
    }

    fn find(&mut self, key: ConnectionKey<A>) -> Option<usize> {
        if let Some((_, index)) = self.last_found.filter(|(found, _)| *found == key) {
            return Some(index);
        }
        let index = *self.by_key.get(&key)?;
        self.last_found = Some((key, index));
        Some(index)
    }

    fn find_or_begin(&mut self, now: Instant, key: ConnectionKey<A>) -> Option<usize> {
        self.find(key).or_else(|| {
            let index = self.begin(now, key)?;
            self.last_found = Some((key, index));
            Some(index)
        })
    }

    /// A place for a connection, if there is room.
    fn begin(&mut self, now: Instant, key: ConnectionKey<A>) -> Option<usize> {
        let index = self.free_place(now, &key)?;
        let connection = self.make.make();
        let slot = &mut self.slots[index];
        slot.guard = (!connection.judges()).then(Box::default);
        slot.held = Some((key, connection));
        slot.owners = self.shares.enter(key.wireless.0);
        self.by_key.insert(key, index);
        if self.is_confirming {
            slot.is_unconfirmed = true;
            slot.heard = [now; 2];
            self.timers.set(index, now + self.limits.idle.min(TRANSITORY));
            self.unconfirmed.insert((now, index));
            self.handshakes.insert(index, Handshake::begun(now));
        }
        Some(index)
    }

    fn end(&mut self, now: Instant, index: usize, out: &mut Outbox) {
        if let Some(Moved { mut connection, .. }) = self.take(index) {
            connection.end(now, &mut self.exit(out));
        }
    }

    /// Free a place. Returns what the agent had there, with all that is kept, which no longer counts.
    fn take_away(&mut self, index: usize) -> Option<Moved<A>> {
        let moved = self.take(index)?;
        self.kept_bytes -= moved.kept;
        Some(moved)
    }

    /// Free a place. Returns what the agent had there. What is kept of it counts until it is released.
    fn take(&mut self, index: usize) -> Option<Moved<A>> {
        let slot = &mut self.slots[index];
        let generation = slot.generation.wrapping_add(1);
        let Slot { held, ways, guard, kept, owners, .. } =
            std::mem::replace(slot, Slot { generation, ..Slot::FREE });
        let (key, connection) = held?;
        self.end_flow(index);
        self.shares.leave(owners, kept);
        self.by_key.remove(&key);
        self.last_found = None;
        self.timers.set(index, NEVER);
        self.free.push(index);
        if let Some(handshake) = self.handshakes.remove(&index) {
            self.unconfirmed.remove(&(handshake.since, index));
        }
        Some(Moved { key, connection, ways, guard, kept })
    }

    /// How long a connection may be silent.
    fn limit(&self, index: usize) -> Duration {
        let slot = &self.slots[index];
        let has_ended = || slot.guard.as_ref().is_some_and(|guard| guard.has_ended() == [true; 2]);
        let is_transitory = self.is_confirming && (slot.is_unconfirmed || has_ended());
        if is_transitory { self.limits.idle.min(TRANSITORY) } else { self.limits.idle }
    }
}
