//! The event loop's own rules: signals, wires that lead nowhere, links without delay, order.

use crate::common::trace::Trace;
use crate::common::{Flows, PORT, bytes_delivered, chain, hop};
use seamline_net::{Link, LinkConfig};
use seamline_sim::{Router, World};
use seamline_tcp::{Application, Host};
use seamline_wire::{Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Rate, Signal};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Acts as scripted at the scripted times, and writes down what it hears.
#[derive(Debug)]
struct Scripted {
    name: &'static str,
    script: VecDeque<(Instant, Act)>,
    /// How many packets it sends straight back.
    answers: u32,
    heard: Diary,
}

#[derive(Debug)]
enum Act {
    Send(Port, NodeId),
    Signal(Signal),
    Note,
}

type Diary = Arc<Mutex<Vec<String>>>;

impl Scripted {
    fn new(name: &'static str, heard: &Diary, script: impl IntoIterator<Item = (u64, Act)>) -> Scripted {
        let script = script.into_iter().map(|(at, act)| (Instant::from_millis(at), act)).collect();
        Scripted { name, script, answers: 0, heard: heard.clone() }
    }
    fn note(&self, now: Instant, what: &str) {
        let line = format!("{} {} {what}", now.as_nanos() / 1_000_000, self.name);
        self.heard.lock().expect("nobody panicked").push(line);
    }
}

impl Machine for Scripted {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => {
                self.note(now, &format!("packet on {}", port.0));
                if self.answers > 0 {
                    self.answers -= 1;
                    out.send(port, packet);
                } else {
                    out.recycle(packet);
                }
            }
            Input::Signal(signal) => self.note(now, &format!("{signal:?}")),
            Input::Wake => {
                while self.script.front().is_some_and(|(at, _)| *at <= now)
                    && let Some((_, act)) = self.script.pop_front()
                {
                    match act {
                        Act::Send(port, destination) => {
                            let mut packet = out.packet();
                            *packet = Packet { destination, wire_bytes: 1000, ..Packet::default() };
                            out.send(port, packet);
                        }
                        Act::Signal(signal) => out.signal(signal),
                        Act::Note => self.note(now, "woke"),
                    }
                }
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.script.front().map(|(at, _)| *at)
    }
}

fn diary() -> Diary {
    Arc::default()
}
fn entries(diary: &Diary) -> Vec<String> {
    diary.lock().expect("nobody panicked").clone()
}
/// 1000 bytes take one millisecond.
fn link(one_way_delay: Duration) -> Link {
    Link::new(LinkConfig::new(Rate::from_megabits_per_second(8), one_way_delay))
}

#[test]
fn signals_reach_those_who_subscribed_and_nobody_else() {
    let heard = diary();
    let mut world: World<Box<dyn Machine>> = World::new();
    let within = Duration::from_millis(2);
    let script = [(5, Act::Signal(Signal::LinkGoingDown { within })), (7, Act::Signal(Signal::LinkDown))];
    let radio = world.add(Box::new(Scripted::new("radio", &heard, script)));
    let transport = world.add(Box::new(Scripted::new("transport", &heard, [])));
    let agent = world.add(Box::new(Scripted::new("agent", &heard, [])));
    let stranger = world.add(Box::new(Scripted::new("stranger", &heard, [])));
    world.subscribe(radio, agent);
    world.subscribe(radio, transport);
    world.subscribe(transport, stranger);
    world.run_until(Instant::from_secs(1));
    let expected = [
        "5 agent LinkGoingDown { within: 2 ms }",
        "5 transport LinkGoingDown { within: 2 ms }",
        "7 agent LinkDown",
        "7 transport LinkDown",
    ];
    assert_eq!(entries(&heard), expected);
}

#[test]
fn what_leads_nowhere_is_counted() {
    let heard = diary();
    let mut world: World<Scripted, Trace> = World::with_observer(Trace::default());
    let to = NodeId(7);
    let script = [
        (1, Act::Send(Port(0), NodeId(1))),
        (2, Act::Send(Port(0), to)),
        (3, Act::Send(Port(5), to)),
        (4, Act::Send(Port(1), to)),
    ];
    let source = world.add(Scripted::new("source", &heard, script));
    let sink = world.add(Scripted::new("sink", &heard, []));
    let open = world.add_link(link(Duration::ZERO));
    let router = world.add_router(Router::new());
    world.connect(source, Port(0), router, Port(0));
    world.connect(source, Port(1), open, PORT);
    world.connect(router, Port(3), sink, Port(9));
    world.router_mut(router).expect("it is a router").set_route(to, Port(3));
    world.run_until(Instant::from_secs(1));
    // The first packet has no route, the third no wire, and the link's end is open.
    assert_eq!(world.unwired_drops(), 3);
    assert_eq!(entries(&heard), ["2 sink packet on 9"]);
    assert_eq!(world.link(open).map(|link| link.counters().delivered.packets), Some(1));
    assert_eq!(world.observer().text.matches("NoRoute").count(), 3);
}

/// Also before the first run, and behind a router.
#[test]
fn packets_follow_wires_that_are_connected_between_runs() {
    let heard = diary();
    let mut world: World<Box<dyn Machine>> = World::new();
    let sends = |at| (at, Act::Send(PORT, NodeId(9)));
    let from = world.add(Box::new(Scripted::new("from", &heard, [sends(1), sends(11)])));
    let router = world.add_router(Router::with_routes([(NodeId(9), Port(1))]));
    let ends = ["near", "far"].map(|name| world.add(Box::new(Scripted::new(name, &heard, []))));
    world.connect(from, PORT, router, PORT);
    let take_in = |world: &mut World<Box<dyn Machine>>| {
        let packet = Packet { destination: NodeId(9), wire_bytes: 1000, ..Packet::default() };
        world.take_in(from, PORT, Box::new(packet));
    };
    for (end, until) in ends.into_iter().zip([10, 20]) {
        world.connect(router, Port(1), end, Port(2));
        take_in(&mut world);
        world.run_until(Instant::from_millis(until));
    }
    let expected = ["0 near packet on 2", "1 near packet on 2", "10 far packet on 2", "11 far packet on 2"];
    assert_eq!(entries(&heard), expected);
}

#[test]
fn things_happen_in_the_order_of_their_times_and_timers_before_arrivals() {
    let heard = diary();
    let mut world: World<Scripted> = World::new();
    let script = [(1, Act::Send(Port(0), NodeId(0))), (1, Act::Send(Port(1), NodeId(0)))];
    let source = world.add(Scripted::new("source", &heard, script));
    let (far, near) = (world.add_link(link(Duration::from_millis(5))), world.add_link(link(Duration::ZERO)));
    let sink = world.add(Scripted::new("sink", &heard, [(7, Act::Note), (8, Act::Note)]));
    world.connect(source, Port(0), far, PORT);
    world.connect(source, Port(1), near, PORT);
    world.connect(far, PORT, sink, Port(0));
    world.connect(near, PORT, sink, Port(1));
    world.run_until(Instant::from_millis(7));
    assert_eq!(world.now(), Instant::from_millis(7));
    assert_eq!(entries(&heard), ["2 sink packet on 1", "7 sink woke", "7 sink packet on 0"]);
    world.run_until(Instant::from_millis(3));
    assert_eq!(world.now(), Instant::from_millis(7), "the clock never runs backwards");
    world.run_until(Instant::from_secs(1));
    assert_eq!(entries(&heard).last().map(String::as_str), Some("8 sink woke"));
}

#[test]
fn answers_at_once_over_links_without_delay_end_when_the_answers_do() {
    let heard = diary();
    let mut world: World<Scripted> = World::new();
    let at_once = || Link::new(LinkConfig::new(Rate::from_bits_per_second(u64::MAX), Duration::ZERO));
    let left = world.add(Scripted::new("left", &heard, [(1, Act::Send(PORT, NodeId(1)))]));
    let right = world.add(Scripted::new("right", &heard, []));
    let (there, back) = (world.add_link(at_once()), world.add_link(at_once()));
    for (from, to) in [(left, there), (there, right), (right, back), (back, left)] {
        world.connect(from, PORT, to, PORT);
    }
    for end in [left, right] {
        world.machine_mut(end).expect("it is a machine").answers = 1000;
    }
    world.run_until(Instant::from_millis(1));
    assert_eq!(entries(&heard).len(), 2001);
    assert_eq!(world.steps(), 2002);
}

#[test]
fn a_machine_changed_between_runs_is_woken_after_rearming() {
    let heard = diary();
    let mut world: World<Scripted> = World::new();
    let machine = world.add(Scripted::new("late", &heard, []));
    world.run_until(Instant::from_millis(10));
    let script = &mut world.machine_mut(machine).expect("it is a machine").script;
    script.extend([(Instant::from_millis(3), Act::Note), (Instant::from_millis(20), Act::Note)]);
    world.rearm(machine);
    world.run_until(Instant::from_millis(30));
    assert_eq!(entries(&heard), ["10 late woke", "20 late woke"]);
}

/// The run stops at the time from which a machine has moved its wake-up: that time is over, too.
#[test]
fn after_a_run_that_stopped_where_nothing_was_due_all_comes_in_order() {
    let heard = diary();
    let mut world: World<Scripted> = World::new();
    world.add(Scripted::new("first", &heard, [(100, Act::Note)]));
    let moved = world.add(Scripted::new("moved", &heard, [(101, Act::Note)]));
    let late = world.add(Scripted::new("late", &heard, []));
    world.machine_mut(moved).expect("it is a machine").script[0].0 = Instant::from_millis(200);
    assert!(!world.run_some(Instant::from_secs(1), 2));
    assert_eq!((world.now(), world.steps()), (Instant::from_millis(101), 1));
    let script = [10, 150].map(|at| (Instant::from_millis(at), Act::Note));
    world.machine_mut(late).expect("it is a machine").script.extend(script);
    world.rearm(late);
    world.run_until(Instant::from_secs(1));
    assert_eq!(entries(&heard), ["100 first woke", "101 late woke", "150 late woke", "200 moved woke"]);
}

fn transfer(bytes: u64) -> Flows {
    Flows { source: Application::transfer(Instant::ZERO, bytes), ..Flows::endless("sack") }
}

#[test]
fn a_transfer_over_links_without_delay_takes_no_time() {
    const BYTES: u64 = 50_000_000;
    let mut world: World<Host> = World::new();
    let at_once = || LinkConfig::new(Rate::from_bits_per_second(u64::MAX), Duration::ZERO);
    let built = chain(&mut world, &transfer(BYTES), vec![at_once(), at_once()], vec![at_once()]);
    world.run_until(Instant::from_nanos(1));
    assert_eq!(bytes_delivered(&world, &built), [BYTES]);
    // A link hands over a whole window in one step; a window is at most 10 segments at first, doubles, and
    // is bounded by the receiver's buffer.
    assert!((20..BYTES / 1448).contains(&world.steps()), "{} steps", world.steps());
}

/// Hosts that are wired to each other answer each other within one step, however long that goes on.
#[test]
fn a_transfer_between_hosts_without_a_link_does_not_exhaust_the_stack() {
    const BYTES: u64 = 50_000_000;
    let mut world: World<Host> = World::new();
    let built = chain(&mut world, &transfer(BYTES), Vec::new(), Vec::new());
    world.run_until(Instant::from_secs(1));
    assert_eq!(bytes_delivered(&world, &built), [BYTES]);
}

/// One packet crosses hops with known rates and delays: its time of arrival is their sum.
#[test]
fn a_packet_takes_the_time_that_rates_and_delays_add_up_to() {
    let heard = diary();
    let mut world: World<Scripted> = World::new();
    let source = world.add(Scripted::new("source", &heard, [(0, Act::Send(PORT, NodeId(1)))]));
    let sink = world.add(Scripted::new("sink", &heard, []));
    let mut last = source;
    for (megabits, millis) in [(8, 10), (4, 20), (2, 30)] {
        let hop = world.add_link(Link::new(hop(megabits, Duration::from_millis(millis), 1)));
        world.connect(last, PORT, hop, PORT);
        last = hop;
    }
    world.connect(last, PORT, sink, PORT);
    world.run_until(Instant::from_secs(1));
    assert_eq!(entries(&heard), [format!("{} sink packet on 0", 60 + 1 + 2 + 4)]);
}
