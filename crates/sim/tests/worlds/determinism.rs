//! The same world gives the same bytes: twice in one process, in steps of any size, and as stored here.

use crate::common::trace::Trace;
use crate::common::{Built, Flows, bytes_delivered, chain, hop};
use seamline_net::error::{AppliesTo, Arrival, Bernoulli, ErrorModel, ErrorStage};
use seamline_net::schedule::{Fates, Handovers};
use seamline_net::{LinkConfig, Schedule, Scheduled};
use seamline_sim::{ElementId, Observer, World};
use seamline_tcp::{Application, Host, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, Instant, Packet};
use std::sync::{Arc, Mutex};

const END: Instant = Instant::from_secs(30);

/// Three hops; the last one loses packets and hands over at 10 and 20 seconds.
fn lossy_chain_with_handovers<O: Observer>(
    world: &mut World<Host, O>,
    variant: &'static str,
    seed: u64,
) -> Built {
    let ms = Duration::from_millis;
    let times = [10, 20].map(Instant::from_secs);
    let handovers = Handovers::at(times, ms(300), Fates::HARD).expect("they are in order");
    let air = |name| LinkConfig {
        scheduled: Some(Scheduled {
            schedule: Schedule { handovers: handovers.clone(), ..Schedule::default() },
            loss_stream: Stream::new(seed, name),
        }),
        ..hop(5, ms(5), 20)
    };
    let loss = |name| Some(Bernoulli::new(0.01, Stream::new(seed, name)).into());
    let down = LinkConfig { end_error: loss("air/down/error"), ..air("air/down/loss") };
    let up = LinkConfig { head_error: loss("air/up/error"), ..air("air/up/loss") };
    let there = vec![hop(100, ms(20), 50), hop(10, ms(3), 50), down];
    chain(world, &Flows::endless(variant), there, vec![up, hop(10, ms(3), 50), hop(100, ms(20), 50)])
}

fn trace(variant: &'static str, seed: u64, step: Duration) -> String {
    let mut world = World::with_observer(Trace::default());
    let built = lossy_chain_with_handovers(&mut world, variant, seed);
    while world.now() < END {
        let next = world.now() + step;
        world.run_until(next.min(END));
    }
    let delivered = bytes_delivered(&world, &built)[0];
    assert!((500_000..20_000_000).contains(&delivered), "{variant}: {delivered} bytes delivered");
    let text = world.into_observer().text;
    for kind in ["ErrorModel", "LinkDown", "Handover(Started)", "RecoveryStarted", "RetransmissionTimeout"] {
        assert!(text.contains(kind), "{variant}: nothing of {kind} in the trace");
    }
    text
}

/// The first half of BLAKE3 of the whole trace. A change that moves one of these moves results: name it in the changelog.
const DIGESTS: [(&str, &str); 8] = [
    ("tahoe", "14f2a7a965d800fcb34c59be2999c974"),
    ("reno", "8004dfb36ee7f450afadeda6f65d79a5"),
    ("newreno", "1b934c297af9693935b64f319b32e0bc"),
    ("sack", "db780cf21b9f689b0162d853273f2101"),
    ("cubic", "0cdacea1be0674ee3fd031ad44b0e850"),
    ("vegas", "ceee31c0b446b1ae5974574a2a503dc4"),
    ("westwood", "fbcd488b4b9e2d77aee1ce064b39c457"),
    ("westwood+", "025def6c1c831ba2cb6449cb16fade4b"),
];

#[test]
fn the_same_world_gives_the_same_bytes_as_before() {
    let mut moved = Vec::new();
    for (variant, stored) in DIGESTS {
        let (once, again) = (trace(variant, 1, END - Instant::ZERO), trace(variant, 1, END - Instant::ZERO));
        assert!(once == again, "{variant}: two runs in one process differ");
        let digest = blake3::hash(once.as_bytes()).to_hex();
        if &digest.as_str()[..32] != stored {
            moved.push(format!("    (\"{variant}\", \"{}\"),", &digest.as_str()[..32]));
        }
    }
    assert!(moved.is_empty(), "these results have moved:\n{}", moved.join("\n"));
}

#[test]
fn another_seed_gives_other_bytes() {
    assert_ne!(trace("newreno", 1, Duration::MAX), trace("newreno", 2, Duration::MAX));
}

#[test]
fn small_steps_give_the_same_as_one_large_step() {
    for variant in ["newreno", "cubic"] {
        let whole = trace(variant, 3, Duration::MAX);
        for step in [Duration::from_millis(1), Duration::from_nanos(777_777_777)] {
            assert!(whole == trace(variant, 3, step), "{variant} in steps of {step}");
        }
    }
}

/// Listening changes nothing: the silent run takes its shortcuts to the same end.
#[test]
fn a_silent_run_ends_like_one_that_is_listened_to() {
    for variant in ["newreno", "sack", "vegas"] {
        let mut heard = World::with_observer(Trace::default());
        let built = lossy_chain_with_handovers(&mut heard, variant, 4);
        let mut silent: World<Host> = World::new();
        let same = lossy_chain_with_handovers(&mut silent, variant, 4);
        heard.run_until(END);
        silent.run_until(END);
        assert_eq!(heard.steps(), silent.steps(), "{variant}");
        assert_eq!(bytes_delivered(&heard, &built), bytes_delivered(&silent, &same), "{variant}");
        for link in &built.links {
            let counters = heard.link(*link).expect("it is a link").counters();
            assert_eq!(Some(counters), silent.link(*link).map(|link| link.counters()), "{variant}");
        }
    }
}

/// A host with a handover scheme predicts no headers. One whose scheme hears of no handover therefore does the same by the slow path, whatever the
/// profile: with losses in both directions, and to the end of the connection.
#[test]
fn header_prediction_changes_nothing() {
    let mut compared = 0;
    for (profile, variant) in
        profile::ALL.iter().flat_map(|it| ["newreno", "sack", "vegas"].map(|name| (it, name)))
    {
        let parameters = Arc::new((profile.parameters)());
        if variant::find(variant, &parameters).is_err() {
            continue;
        }
        let trace = |handover| {
            let mut world = World::with_observer(WithoutQueues::default());
            let source = Application::transfer(Instant::ZERO, 3_000_000);
            let flows = Flows { parameters: parameters.clone(), source, handover, ..Flows::endless(variant) };
            let (ms, loss) =
                (Duration::from_millis, |name| Some(Bernoulli::new(0.01, Stream::new(5, name)).into()));
            let there = vec![LinkConfig { end_error: loss("there"), ..hop(10, ms(20), 20) }];
            chain(
                &mut world,
                &flows,
                there,
                vec![LinkConfig { end_error: loss("back"), ..hop(10, ms(20), 20) }],
            );
            world.run_until(END);
            world.into_observer().0.text
        };
        let (fast, slow) = (trace(None), trace(seamline_tcp::handover::find("freeze")));
        assert!(fast == slow, "{} of {}: header prediction makes a difference", variant, profile.name);
        compared += 1;
    }
    assert!(compared > 5, "only {compared} combinations were compared");
}

/// Does not want to know the states of queues.
#[derive(Debug, Default)]
struct WithoutQueues(Trace);

impl Observer for WithoutQueues {
    fn hears_queues(&self) -> bool {
        false
    }
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.0.event(now, at, event);
    }
    fn sent(&mut self, now: Instant, from: ElementId, packet: &Packet) {
        self.0.sent(now, from, packet);
    }
    fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        self.0.arrived(now, at, packet);
    }
}

/// Without the states of queues the rest of a trace is the same.
#[test]
fn who_ignores_queues_hears_all_else() {
    for variant in ["newreno", "sack", "vegas"] {
        let mut world = World::with_observer(WithoutQueues::default());
        lossy_chain_with_handovers(&mut world, variant, 4);
        world.run_until(END);
        let whole = trace(variant, 4, Duration::MAX);
        let rest: Vec<&str> = whole.lines().filter(|line| !line.contains(" Queue {")).collect();
        let heard = world.into_observer().0.text;
        assert!(heard.lines().eq(rest.iter().copied()), "{variant}");
        assert!(whole.lines().count() > 2 * rest.len(), "{variant}: there are hardly any queues");
    }
}

/// A model that writes down which arrivals the other one loses.
#[derive(Clone, Debug)]
struct Noted {
    model: Bernoulli,
    lost: Arc<Mutex<Vec<u64>>>,
}

impl ErrorModel for Noted {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        let lost = self.model.loses(arrival);
        if lost {
            self.lost.lock().expect("nobody panicked").push(arrival.index);
        }
        lost
    }
}

/// The indices of the data packets that a link lost.
fn losses(variant: &'static str, probability: f64) -> Vec<u64> {
    let lost = Arc::new(Mutex::new(Vec::new()));
    let model = Bernoulli::new(probability, Stream::new(1, "air/down/loss"));
    let model = Noted { model, lost: lost.clone() };
    let ms = Duration::from_millis;
    let air =
        LinkConfig { end_error: Some(ErrorStage::new(model, AppliesTo::Payload)), ..hop(5, ms(5), 100) };
    let mut world: World<Host> = World::new();
    chain(&mut world, &Flows::endless(variant), vec![hop(100, ms(20), 100), air], vec![hop(5, ms(25), 100)]);
    world.run_until(Instant::from_secs(60));
    lost.lock().expect("nobody panicked").clone()
}

#[test]
fn two_variants_meet_the_same_losses() {
    let newreno = losses("newreno", 0.01);
    for variant in ["tahoe", "sack", "cubic", "vegas", "westwood"] {
        let other = losses(variant, 0.01);
        let common = newreno.len().min(other.len());
        assert!(common > 20, "{variant}: {common} losses to compare");
        assert_eq!(newreno[..common], other[..common], "{variant}");
    }
    // The losses at a lower probability are among those at a higher one.
    let fewer = losses("newreno", 0.005);
    let reach = newreno.last().copied().unwrap_or(0);
    assert!(fewer.len() > 10 && fewer.len() < newreno.len());
    assert!(fewer.iter().take_while(|index| **index <= reach).all(|index| newreno.contains(index)));
}
