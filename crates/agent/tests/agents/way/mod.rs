//! Two hosts with agents in a row between them, and hops that lose, double, delay and overtake.

use proptest::prelude::*;
use seamline_agent::{Agent, Moved, WIRED, WIRELESS};
use seamline_tcp::loss_notification::LossNotification;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Flags, Input, Instant, Machine, NodeId, Outbox, Packet, Port, SequenceNumber, TransportPort,
};
use std::collections::{BTreeMap, VecDeque};

pub(crate) const VARIANTS: [&str; 4] = ["reno", "newreno", "sack", "cubic"];
/// Long after anything that a case can hold.
const END: Instant = Instant::from_secs(4000);

/// One hop, both ways alike; shares in percent. All trouble ends when the hops are good.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    pub(crate) loss: u64,
    pub(crate) duplication: u64,
    pub(crate) reordering: u64,
    pub(crate) one_way_delay: u64,
}

/// A hop whose delay is below this, in milliseconds.
pub(crate) fn hop(delay_below: u64) -> impl Strategy<Value = Hop> {
    let percentage = || prop_oneof![Just(0u64), 1u64..25];
    (percentage(), percentage(), percentage(), 1u64..delay_below).prop_map(
        |(loss, duplication, reordering, one_way_delay)| Hop { loss, duplication, reordering, one_way_delay },
    )
}

/// The connection: what differs between its ends is that of the fixed host first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) bytes: [u64; 2],
    pub(crate) initial_sequence: [u32; 2],
    /// One of [`VARIANTS`].
    pub(crate) variant: usize,
    /// Both ends list losses and act on what is reported of them.
    pub(crate) notifies: bool,
    pub(crate) offers: [Offers; 2],
}

/// Options that an end offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offers {
    pub(crate) timestamps: bool,
    pub(crate) sack: bool,
    pub(crate) window_scale: bool,
}

impl Offers {
    pub(crate) const ALL: Offers = Offers { timestamps: true, sack: true, window_scale: true };
}

impl Ends {
    fn host(&self, side: usize) -> Host {
        let mut parameters = (profile::find("rfc").expect("it is there").parameters)();
        if self.notifies {
            parameters.loss_notification.scheme = LossNotification::ListAndActOn;
        }
        let Offers { timestamps, sack, window_scale } = self.offers[side];
        let segments = &mut parameters.segments;
        segments.timestamp_tick = segments.timestamp_tick.filter(|_| timestamps);
        segments.window_scale = segments.window_scale.filter(|_| window_scale);
        segments.selective_acknowledgments = sack;
        let address =
            |side: usize| Address { node: NodeId(1 + side as u32), port: TransportPort(5000 + side as u16) };
        let application = match self.bytes[side] {
            0 => Application::sink(),
            bytes => Application::transfer(Instant::ZERO, bytes),
        };
        let config = EndpointConfig {
            local: address(side),
            remote: address(1 - side),
            variant: variant::find(VARIANTS[self.variant], &parameters).expect("it is there"),
            parameters: parameters.into(),
            handover: None,
            initial_sequence: SequenceNumber(self.initial_sequence[side]),
        };
        let mut host = Host::new(NodeId(1 + side as u32));
        host.add(config, if side == 0 { Opening::Active } else { Opening::Passive }, application);
        host
    }
}

/// Elements are numbered from the fixed host, 0, to the mobile host, behind the last agent.
pub(crate) struct Way {
    pub(crate) hosts: [Host; 2],
    pub(crate) agents: Vec<Box<dyn Agent>>,
    hops: Vec<Hop>,
    good_from: Instant,
    /// When, in which order, to which element and port.
    pub(crate) on_the_way: BTreeMap<(Instant, u64), (usize, Port, Box<Packet>)>,
    pub(crate) sent: u64,
    random: Stream,
    pub(crate) now: Instant,
    out: Outbox,
    /// What has left the agents, as text.
    pub(crate) trace: Vec<String>,
    /// Until then everything bypasses the agents; `None` when they are there.
    agents_from: Option<Instant>,
    /// When the mobile host goes from the last agent to the one next to it, or back, with what is known of its connections.
    moves: VecDeque<Instant>,
    standby: Option<Box<dyn Agent>>,
    /// How long after a move what is known arrives, and what is on its way.
    hand_over: Duration,
    handed_over: Option<(Instant, Vec<Moved>)>,
}

impl Way {
    /// With a hop more than agents; the hops are good from so many milliseconds on.
    pub(crate) fn new(
        ends: &Ends,
        agents: Vec<Box<dyn Agent>>,
        hops: &[Hop],
        good_from: u64,
        seed: u64,
    ) -> Self {
        assert_eq!(hops.len(), agents.len() + 1);
        Way {
            hosts: [ends.host(0), ends.host(1)],
            agents,
            hops: hops.to_vec(),
            good_from: Instant::from_millis(good_from),
            on_the_way: BTreeMap::new(),
            sent: 0,
            random: Stream::new(seed, "hops"),
            now: Instant::ZERO,
            out: Outbox::new(),
            trace: Vec::new(),
            agents_from: None,
            moves: VecDeque::new(),
            standby: None,
            hand_over: Duration::ZERO,
            handed_over: None,
        }
    }

    /// The agents come in the middle of the connection, after so many milliseconds or when it is open.
    pub(crate) fn with_late_agents(mut self, from: Option<u64>) -> Self {
        self.agents_from = from.map(Instant::from_millis);
        self
    }

    /// The mobile host moves between the last agent and another at these times, in milliseconds and in order.
    pub(crate) fn with_moves(mut self, other: Box<dyn Agent>, at: &[u64], hand_over: u64) -> Self {
        self.hand_over = Duration::from_millis(hand_over);
        self.standby = Some(other);
        self.moves = at.iter().map(|at| Instant::from_millis(*at)).collect();
        self
    }

    /// What is on the air is lost.
    fn change_agents(&mut self) {
        let last = self.mobile_host() - 1;
        self.on_the_way.retain(|_, (to, port, _)| {
            let is_on_the_air = *to == last + 1 || (*to == last && *port == WIRELESS);
            !is_on_the_air
        });
        let Some(standby) = &mut self.standby else { return };
        std::mem::swap(standby, &mut self.agents[last - 1]);
        let mut moved = standby.hand_out(&[NodeId(2)]);
        if let Some((_, before)) = self.handed_over.take() {
            // It arrives where the mobile host was, and follows.
            moved = before;
        }
        self.handed_over = Some((self.now + self.hand_over, moved));
    }

    fn take_in(&mut self) {
        let last = self.mobile_host() - 1;
        if let Some((_, moved)) = self.handed_over.take() {
            self.agents[last - 1].take_in(moved);
            self.step(last, Input::Wake);
        }
    }

    fn passes_beside(&self, element: usize) -> bool {
        let is_agent = element != 0 && element != self.mobile_host();
        is_agent && self.agents_from.is_some()
    }

    /// Agents come, when it is time. One that came between two copies of a SYN could not know that the first is answered.
    fn let_agents_come(&mut self) {
        let mut endpoints = self.hosts.iter().flat_map(Host::endpoints);
        let is_open = endpoints.all(|endpoint| endpoint.state().is_synchronized());
        let begins = |packet: &Packet| packet.segment.flags.contains(Flags::SYN);
        let nothing_begins = self.on_the_way.values().all(|(.., packet)| !begins(packet));
        self.agents_from = self.agents_from.filter(|from| self.now < *from || !is_open || !nothing_begins);
    }

    fn mobile_host(&self) -> usize {
        self.agents.len() + 1
    }

    fn machine(&mut self, element: usize) -> &mut dyn Machine {
        match element {
            0 => &mut self.hosts[0],
            _ if element == self.mobile_host() => &mut self.hosts[1],
            _ => &mut self.agents[element - 1],
        }
    }

    pub(crate) fn step(&mut self, element: usize, input: Input) {
        let mobile_host = self.mobile_host();
        let (now, mut out) = (self.now, std::mem::take(&mut self.out));
        match input {
            Input::Packet(port, packet) if self.passes_beside(element) => {
                out.send(if port == WIRED { WIRELESS } else { WIRED }, packet);
            }
            input => self.machine(element).step(now, input, &mut out),
        }
        for (port, packet) in std::mem::take(&mut out.packets) {
            let is_agent = element != 0 && element != mobile_host;
            if is_agent {
                self.trace.push(format!("{now:?} {element} {port:?} {:?}", packet.segment));
            }
            let is_down = element == 0 || (is_agent && port == WIRELESS);
            let to = if is_down { element + 1 } else { element - 1 };
            let port = match to {
                _ if to == 0 || to == mobile_host => Port(0),
                _ if is_down => WIRED,
                _ => WIRELESS,
            };
            self.carry(element.min(to), to, port, &packet);
        }
        self.out = out;
    }

    fn carry(&mut self, hop: usize, to: usize, port: Port, packet: &Packet) {
        let hop = self.hops[hop].clone();
        let is_good = self.now >= self.good_from;
        let mut happens = |percent: u64| !is_good && self.random.below(100) < percent;
        if happens(hop.loss) {
            return;
        }
        let copies = if happens(hop.duplication) { 2 } else { 1 };
        for _ in 0..copies {
            let is_late = !is_good && self.random.below(100) < hop.reordering;
            let late = if is_late { self.random.below(300) } else { 0 };
            self.sent += 1;
            let at = self.now + Duration::from_millis(hop.one_way_delay + late);
            self.on_the_way.insert((at, self.sent), (to, port, Box::new(packet.clone())));
        }
    }

    /// Go on to what comes next: a packet that arrives, which is for the caller to hand over, or machines that wake, which are woken.
    /// `None` when nothing comes any more.
    pub(crate) fn advance(&mut self) -> Option<Option<(usize, Port, Box<Packet>)>> {
        let arrival = self.on_the_way.keys().next().map(|(at, _)| *at);
        let wakes: Vec<_> = (0..=self.mobile_host()).map(|element| self.machine(element).wake_at()).collect();
        if self.agents_from.is_some() {
            self.let_agents_come();
        }
        let change = self.moves.front().copied();
        let arrives = self.handed_over.as_ref().map(|(at, _)| *at);
        let next = wakes
            .iter()
            .copied()
            .chain([arrival, change, arrives])
            .flatten()
            .min()
            .filter(|at| *at <= END)?;
        self.now = self.now.max(next);
        if arrives.is_some_and(|at| at <= self.now) {
            self.take_in();
            return Some(None);
        }
        if change.is_some_and(|at| at <= self.now) {
            self.moves.pop_front();
            self.change_agents();
            return Some(None);
        }
        if arrival.is_some_and(|at| at <= self.now) {
            return Some(self.on_the_way.pop_first().map(|(_, arrived)| arrived));
        }
        for (element, at) in wakes.iter().enumerate() {
            if at.is_some_and(|at| at <= self.now) {
                self.step(element, Input::Wake);
            }
        }
        Some(None)
    }

    pub(crate) fn run_out(&mut self) {
        while let Some(arrived) = self.advance() {
            if let Some((to, port, packet)) = arrived {
                self.step(to, Input::Packet(port, packet));
            }
        }
    }
}
