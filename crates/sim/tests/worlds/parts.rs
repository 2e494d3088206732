//! A world on several threads gives the same bytes as on one: every event in the same order, and the same state of each element.

use crate::common::trace::Trace;
use crate::common::{Built, Dumbbell, Flows, PORT, bytes_delivered, chain, dumbbell, hop};
use seamline_net::error::Bernoulli;
use seamline_net::{Link, LinkConfig};
use seamline_sim::{ElementId, Observer, World};
use seamline_tcp::Host;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, Input, Instant, Machine, Outbox};
use std::collections::BTreeSet;

/// Every event, of queues too if it wants them, but no packets.
#[derive(Debug, Default)]
struct Events {
    trace: Trace,
    ignores_queues: bool,
}

impl Observer for Events {
    fn hears_queues(&self) -> bool {
        !self.ignores_queues
    }
    fn sees_packets(&self) -> bool {
        false
    }
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.trace.event(now, at, event);
    }
}

type Listened = World<Host, Events>;

/// Many flows that start at one time over equal links, so that much happens at once.
fn many(world: &mut Listened) -> Built {
    let shape = Dumbbell {
        flows: 12,
        bottleneck_megabits: 100,
        bottleneck_queue: 100,
        access_megabits: 30,
        start_spacing: Duration::ZERO,
    };
    dumbbell(world, &Flows::endless("newreno"), shape)
}

/// Losses at both ends of links, and a router between each two.
fn lossy(world: &mut Listened) -> Built {
    let ms = Duration::from_millis;
    let loss = |name| Some(Bernoulli::new(0.01, Stream::new(5, name)).into());
    let air = LinkConfig { end_error: loss("down"), ..hop(20, ms(3), 20) };
    let up = LinkConfig { head_error: loss("up"), ..hop(20, ms(3), 20) };
    let there = vec![hop(100, ms(2), 50), hop(20, ms(2), 50), air];
    chain(world, &Flows::endless("sack"), there, vec![up, hop(20, ms(2), 50), hop(100, ms(2), 50)])
}

struct Case {
    build: fn(&mut Listened) -> Built,
    end: Instant,
}

const MANY: Case = Case { build: many, end: Instant::from_secs(5) };
const LOSSY: Case = Case { build: lossy, end: Instant::from_secs(80) };

struct Ended {
    events: String,
    steps: u64,
    elements: Vec<String>,
    delivered: u64,
}

/// Run on so many threads, in steps of this length.
fn ended(world_of: &Case, threads: usize, step: Duration, ignores_queues: bool) -> Ended {
    let mut world = World::with_observer(Events { ignores_queues, ..Events::default() });
    let built = (world_of.build)(&mut world);
    let end = world_of.end;
    while world.now() < end {
        let next = (world.now() + step).min(end);
        assert!(world.run_on(threads, next, &mut |_| true));
        assert_eq!(world.now(), next);
    }
    let element = |place| {
        let id = ElementId(place as u32);
        format!("{:?} {:?}", world.machine(id), world.link(id))
    };
    let elements = (0..world.len()).map(element).collect();
    let delivered = bytes_delivered(&world, &built).into_iter().sum();
    Ended { steps: world.steps(), elements, delivered, events: world.into_observer().trace.text }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for (name, case) in [("many", MANY), ("lossy", LOSSY)] {
        for ignores_queues in [false, true] {
            let one = ended(&case, 1, Duration::MAX, ignores_queues);
            assert!(one.steps > 130_000 && one.delivered > 10_000_000, "{name}: {} steps", one.steps);
            for threads in [2, 3, 8] {
                let several = ended(&case, threads, Duration::MAX, ignores_queues);
                assert!(one.events == several.events, "{name}, {threads} threads: other events");
                assert_eq!(one.elements, several.elements, "{name}, {threads} threads");
                assert_eq!(one.steps, several.steps, "{name}, {threads} threads");
            }
        }
    }
}

/// The world is cut and joined again at each end.
#[test]
fn steps_of_any_length_give_the_same_bytes() {
    let one = ended(&MANY, 1, Duration::MAX, true);
    let several = ended(&MANY, 2, Duration::from_nanos(333_333_333), true);
    assert!(one.events == several.events && one.elements == several.elements);
}

/// Sends each packet back at once, and remembers on which threads it did.
#[derive(Debug, Default)]
struct Mirror {
    starts_with: u32,
    falls_silent: Option<Instant>,
    /// It asks to be woken at once, for ever.
    is_restless: bool,
    threads: BTreeSet<String>,
}

impl Machine for Mirror {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.threads.insert(format!("{:?}", std::thread::current().id()));
        if let Input::Packet(port, packet) = input
            && self.falls_silent.is_none_or(|silent| now < silent)
        {
            out.send(port, packet);
        }
        for _ in 0..std::mem::take(&mut self.starts_with) {
            let mut packet = out.packet();
            packet.wire_bytes = 1000;
            out.send(PORT, packet);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        (self.starts_with > 0 || self.is_restless).then_some(Instant::ZERO)
    }
}

/// Apart by a link in each direction.
fn mirrors(world: &mut World<Mirror>) -> [ElementId; 2] {
    let ends = [world.add(Mirror { starts_with: 1000, ..Mirror::default() }), world.add(Mirror::default())];
    for [from, to] in [ends, [ends[1], ends[0]]] {
        let link = world.add_link(Link::new(hop(1000, Duration::from_millis(5), 2000)));
        world.connect(from, PORT, link, PORT);
        world.connect(link, PORT, to, PORT);
    }
    ends
}

/// Each mirror has half of the work.
#[test]
fn each_part_has_a_thread_of_its_own() {
    let mut world: World<Mirror> = World::new();
    let ends = mirrors(&mut world);
    assert!(world.run_on(2, Instant::from_secs(10), &mut |_| true));
    let threads = ends.map(|end| world.machine(end).expect("a mirror").threads.clone());
    assert!(threads[0].symmetric_difference(&threads[1]).next().is_some(), "{threads:?}");
}

/// Where one part panics, the run does, and no thread waits for ever.
#[test]
#[should_panic(expected = "element 1 was woken")]
fn a_panic_of_any_part_ends_the_run() {
    let mut world: World<Mirror> = World::new();
    let ends = mirrors(&mut world);
    assert!(world.run_on(2, Instant::from_secs(2), &mut |_| true));
    for end in ends {
        world.machine_mut(end).expect("a mirror").is_restless = end == ends[1];
    }
    world.rearm(ends[1]);
    world.run_on(2, Instant::from_secs(4), &mut |_| true);
}

/// Likewise where the one who asks does.
#[test]
#[should_panic(expected = "no more")]
fn a_panic_of_the_caller_ends_the_run() {
    let mut world: World<Mirror> = World::new();
    mirrors(&mut world);
    let mut asked = 0;
    world.run_on(2, Instant::MAX, &mut |world| {
        asked += 1;
        assert!(world.windows() < 100, "no more");
        asked < 10_000
    });
}

#[test]
fn where_nothing_happens_any_more_the_clock_goes_to_the_end() {
    let mut world: World<Mirror> = World::new();
    for end in mirrors(&mut world) {
        world.machine_mut(end).expect("a mirror").falls_silent = Some(Instant::from_secs(3));
    }
    assert!(world.run_on(2, Instant::MAX, &mut |_| true));
    assert!(world.windows() > 100 && world.now() == Instant::MAX, "{world:?}");
}

#[test]
fn a_run_that_is_given_up_can_go_on() {
    let mut world = World::with_observer(Events { ignores_queues: true, ..Events::default() });
    many(&mut world);
    let mut asked = 0;
    while !world.run_on(2, MANY.end, &mut |_| {
        asked += 1;
        asked % 3 != 0
    }) {}
    let one = ended(&MANY, 1, Duration::MAX, true);
    assert!(asked > 10 && world.into_observer().trace.text == one.events, "asked {asked} times");
}
