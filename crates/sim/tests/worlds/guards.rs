//! What would keep a world busy for ever, or turn its clock back, is refused or put right.

use seamline_net::{Link, LinkConfig};
use seamline_sim::{ElementId, Router, World};
use seamline_wire::{Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Rate};

const FIRST: Port = Port(0);
const SECOND: Port = Port(1);

/// Sends a packet to node 9 at 1 ms and keeps what arrives.
#[derive(Debug, Default)]
struct Sender {
    done: bool,
    received: u32,
}

impl Machine for Sender {
    fn step(&mut self, _: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Wake => {
                self.done = true;
                let mut packet = out.packet();
                *packet = Packet { destination: NodeId(9), wire_bytes: 1000, ..Packet::default() };
                out.send(FIRST, packet);
            }
            Input::Packet(..) => self.received += 1,
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        (!self.done).then(|| Instant::from_millis(1))
    }
}

/// A sender before a row of routers, each leading to the next by its second port.
fn row(routers: usize, mut leads: impl FnMut(&mut Router)) -> (World<Sender>, Vec<ElementId>) {
    let mut world = World::new();
    let sender = world.add(Sender::default());
    let row: Vec<ElementId> = (0..routers)
        .map(|_| {
            let mut router = Router::new();
            leads(&mut router);
            world.add_router(router)
        })
        .collect();
    world.connect(sender, FIRST, row[0], FIRST);
    for pair in row.windows(2) {
        world.connect(pair[0], SECOND, pair[1], FIRST);
    }
    (world, row)
}

#[test]
#[should_panic(expected = "packets to a node (NodeId(9)) go round for ever: \
                           router 2 -> router 3 -> router 2 lead them in a circle without a link")]
fn routers_in_a_circle_are_refused() {
    let (mut world, row) = row(3, |router| router.set_route(NodeId(9), SECOND));
    world.connect(row[2], SECOND, row[1], FIRST);
    world.run_until(Instant::ZERO);
}

#[test]
#[should_panic(expected = "packets to any other node (NodeId(0)) go round for ever: router 1 -> router 1 ")]
fn a_router_whose_default_leads_to_itself_is_refused() {
    let (mut world, row) = row(1, |router| router.set_default(SECOND));
    world.connect(row[0], SECOND, row[0], FIRST);
    world.run_until(Instant::ZERO);
}

#[test]
#[should_panic(expected = "router 1 -> router 2 -> router 1")]
fn a_circle_that_is_closed_between_runs_is_refused() {
    let (mut world, row) = row(2, |router| router.set_default(SECOND));
    world.connect(row[1], FIRST, row[0], FIRST);
    world.run_until(Instant::ZERO);
    world.router_mut(row[1]).expect("it is a router").set_default(FIRST);
    world.run_until(Instant::from_millis(2));
}

/// Wires both ways between two routers are no circle where the routes are none: both kinds of nodes, those on
/// this side and those on the other, are reached.
#[test]
fn routers_that_are_wired_both_ways_forward() {
    let (mut world, row) = row(2, |_| ());
    let near = world.add(Sender { done: true, received: 0 });
    let far = world.add(Sender { done: true, received: 0 });
    world.connect(row[1], SECOND, far, FIRST);
    world.connect(row[1], FIRST, row[0], SECOND);
    world.connect(row[0], FIRST, near, FIRST);
    world.router_mut(row[0]).expect("it is a router").set_route(NodeId(9), SECOND);
    world.router_mut(row[0]).expect("it is a router").set_default(FIRST);
    world.router_mut(row[1]).expect("it is a router").set_route(NodeId(9), SECOND);
    world.router_mut(row[1]).expect("it is a router").set_default(FIRST);
    world.run_until(Instant::from_secs(1));
    assert_eq!(world.machine(far).map(|far| far.received), Some(1));
    assert_eq!(world.machine(near).map(|near| near.received), Some(0));
}

/// With a link in it a circle takes time: the packet is on its 100th round after 100 times the link's delay.
#[test]
fn a_circle_over_a_link_takes_its_time() {
    let (mut world, row) = row(2, |router| router.set_default(SECOND));
    let slow = LinkConfig::new(Rate::from_bits_per_second(u64::MAX), Duration::from_millis(10));
    let link = world.add_link(Link::new(slow));
    world.connect(row[1], SECOND, link, FIRST);
    world.connect(link, FIRST, row[0], FIRST);
    world.run_until(Instant::from_millis(1001));
    assert_eq!(world.link(link).map(|link| link.counters().delivered.packets), Some(100));
}

/// When it is woken it asks, so many times, for a time that lies `back` before, and then for nothing.
#[derive(Debug)]
#[expect(dead_code, reason = "the name is for messages")]
struct Waker {
    name: &'static str,
    next: Option<Instant>,
    back: Duration,
    left: u32,
    /// The first ten times.
    woken_at: Vec<Instant>,
}

const LOOKS_BACK: Duration = Duration::from_millis(40);
const AGAIN: Duration = Duration::ZERO;

fn waker(name: &'static str, at: u64, back: Duration, left: u32) -> Waker {
    Waker { name, next: Some(Instant::from_millis(at)), back, left, woken_at: Vec::new() }
}

impl Machine for Waker {
    fn step(&mut self, now: Instant, _: Input, _: &mut Outbox) {
        if self.woken_at.len() < 10 {
            self.woken_at.push(now);
        }
        self.next = (self.left > 0).then(|| now - self.back);
        self.left = self.left.saturating_sub(1);
    }
    fn wake_at(&self) -> Option<Instant> {
        self.next
    }
}

#[test]
fn a_time_in_the_past_means_now() {
    let mut world: World<Waker> = World::new();
    let machine = world.add(waker("historian", 50, LOOKS_BACK, 3));
    // Others due meanwhile keep their places.
    let other = world.add(waker("other", 49, AGAIN, 0));
    world.run_until(Instant::from_millis(50));
    assert_eq!(world.now(), Instant::from_millis(50));
    let at = Instant::from_millis;
    assert_eq!(world.machine(machine).map(|machine| machine.woken_at.clone()), Some(vec![at(50); 4]));
    assert_eq!(world.machine(other).map(|machine| machine.woken_at.clone()), Some(vec![at(49)]));
    assert_eq!(world.steps(), 5);
}

#[test]
#[should_panic(expected = "times at 0.050000000 s and asks for that time again: its wake_at has to move on \
                           when it is woken. It is Waker { name: \"insatiable\"")]
fn a_machine_that_never_has_enough_is_named() {
    let mut world: World<Waker> = World::new();
    world.add(waker("content", 50, AGAIN, 10));
    world.add(waker("insatiable", 50, AGAIN, u32::MAX));
    world.run_until(Instant::from_secs(1));
}

#[test]
#[should_panic(expected = "It is Waker { name: \"historian\"")]
fn a_machine_that_looks_back_for_ever_is_named() {
    let mut world: World<Waker> = World::new();
    world.add(waker("historian", 50, LOOKS_BACK, u32::MAX));
    world.run_until(Instant::from_secs(1));
}

/// A million timers that expire together, one per wake-up, of two machines each, are honest; and the count
/// begins again at the next instant.
#[test]
fn many_wakes_at_one_instant_are_honest() {
    let mut world: World<Waker> = World::new();
    for name in ["one", "two"] {
        for at in [50, 51, 52] {
            world.add(waker(name, at, AGAIN, 1_000_000));
        }
    }
    world.run_until(Instant::from_secs(1));
    assert_eq!(world.steps(), 6 * 1_000_001);
}
