//! The world of one run, advanced by the program that holds it: in steps of its own, or in time with what happens outside.

use crate::build::{Ends, Part, Places, build};
use crate::follow::Runner;
use crate::schema::Scenario;
use seamline_sim::{ElementId, HostPort, Observer, World};
use seamline_tcp::Host;
use seamline_wire::{Event, Instant, Packet, Port, Signal};
use std::borrow::Borrow;

/// The port of a host's endpoint.
const TO_NETWORK: Port = Port(0);

/// The world of one run. Times count from the start of the run and never decrease. The scenario and the places of its elements are
/// references, or shared.
#[derive(Debug)]
pub struct Running<S, P, O> {
    scenario: S,
    places: P,
    world: World<Part, O>,
    runner: Runner<S, P>,
}

impl<S, P, O> Running<S, P, O>
where
    S: Borrow<Scenario> + Clone,
    P: Borrow<Places> + Clone,
    O: Observer,
{
    /// The world of a scenario with a seed, at time zero. The hosts that `ends` leaves out are host ports: what reaches them is fetched.
    pub fn new(scenario: S, seed: u64, ends: Ends, places: P, observer: O) -> Self {
        let mut world = World::with_observer(observer);
        let runner = build(scenario.clone(), seed, ends, &mut world, places.clone());
        Running { scenario, places, world, runner }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        self.scenario.borrow()
    }
    /// The places of its elements.
    pub fn places(&self) -> &Places {
        self.places.borrow()
    }
    /// The world.
    pub fn world(&self) -> &World<Part, O> {
        &self.world
    }
    /// The world, to change its elements between events.
    pub fn world_mut(&mut self) -> &mut World<Part, O> {
        &mut self.world
    }
    /// The world after its run.
    pub fn into_world(self) -> World<Part, O> {
        self.world
    }

    /// The time up to which all due events have happened.
    pub fn now(&self) -> Instant {
        self.world.now()
    }
    /// The time of the next event if nothing comes from outside. It may be too early, but never too late.
    pub fn wake_at(&self) -> Option<Instant> {
        self.world.wake_at().into_iter().chain(self.next_change()).min()
    }
    /// The time of the next change of routes.
    pub fn next_change(&self) -> Option<Instant> {
        self.runner.next_change()
    }
    /// Process all events up to and including `end`.
    pub fn run_until(&mut self, end: Instant) {
        self.runner.run_until(&mut self.world, end);
    }

    /// The host at a node, where flows start or end and the host is in this world.
    pub fn host(&self, node: usize) -> Option<&Host> {
        match self.world.machine(self.element(node)?)? {
            Part::Host(host) => Some(host),
            _ => None,
        }
    }
    /// Whether the host at a node is outside of this world.
    pub fn is_outside(&self, node: usize) -> bool {
        let host = self.element(node).and_then(|host| self.world.machine(host));
        matches!(host, Some(Part::HostPort(_)))
    }

    /// An empty packet to fill in.
    pub fn packet(&mut self) -> Box<Packet> {
        self.world.packet()
    }
    /// Return a packet for reuse.
    pub fn recycle(&mut self, packet: Box<Packet>) {
        self.world.recycle(packet);
    }
    /// Take in a packet that the host at a node sends now.
    pub fn take_in(&mut self, node: usize, packet: Box<Packet>) {
        match self.element(node) {
            Some(host) => self.world.take_in(host, TO_NETWORK, packet),
            None => self.world.recycle(packet),
        }
    }
    /// Report an event at the host of a node.
    pub fn report(&mut self, node: usize, event: &Event) {
        if let Some(host) = self.element(node) {
            self.world.report_from(host, event);
        }
    }
    /// Move the packets that have arrived at a node's host to the end of `packets`, each with its arrival time.
    pub fn fetch(&mut self, node: usize, packets: &mut Vec<(Instant, Box<Packet>)>) {
        if let Some(host) = self.host_port(node) {
            packets.append(&mut host.packets);
        }
    }
    /// Likewise the notifications of the node's link layer.
    pub fn fetch_signals(&mut self, node: usize, signals: &mut Vec<(Instant, Signal)>) {
        if let Some(host) = self.host_port(node) {
            signals.append(&mut host.signals);
        }
    }
    /// Whether no packet or notification waits for a node's host.
    pub fn is_fetched(&mut self, node: usize) -> bool {
        self.host_port(node).is_none_or(|host| host.packets.is_empty() && host.signals.is_empty())
    }

    fn element(&self, node: usize) -> Option<ElementId> {
        self.places().hosts.get(node).copied().flatten()
    }
    fn host_port(&mut self, node: usize) -> Option<&mut HostPort> {
        match self.world.machine_mut(self.element(node)?)? {
            Part::HostPort(host) => Some(host),
            _ => None,
        }
    }
}
