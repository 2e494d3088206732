//! From pings back to the network that they crossed: pings over two simulated links whose conditions are known.

use seamline_net::error::Bernoulli;
use seamline_net::schedule::{Fates, Handover, Handovers, Steps};
use seamline_net::{Link, LinkConfig, Schedule, Scheduled};
use seamline_recordings::measured::Direction;
use seamline_recordings::replay::outages::Fate;
use seamline_recordings::replay::{DelayChoice, Findings, Replay, ReplayOptions, replay};
use seamline_recordings::{Recording, native, recognise};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Port, Rate, SequenceNumber};
use std::fmt::Write;

const SLOT: Duration = Duration::from_secs(15);
const OTHER_TRAFFIC: u32 = u32::MAX;

/// A network, and how it is pinged.
struct Network {
    length: Duration,
    /// Between probes.
    distance: Duration,
    /// The one-way delay of each slot of 15 s.
    delays: Vec<Duration>,
    outages: Vec<Handover>,
    /// Loss in each direction.
    loss: f64,
    /// Share of the down link's rate that others use.
    load: f64,
    seed: u64,
}

impl Network {
    fn schedule(&self) -> Schedule {
        let slot = |(n, delay): (usize, &Duration)| (Instant::ZERO + SLOT * n as u64, *delay);
        Schedule {
            one_way_delay: Some(Steps::new(self.delays.iter().enumerate().map(slot).collect()).unwrap()),
            handovers: Handovers::new(self.outages.clone()).unwrap(),
            ..Schedule::default()
        }
    }

    fn link(&self, name: &str) -> Link {
        let stream = |what: &str| Stream::new(self.seed, &format!("{name}/{what}"));
        let scheduled = Scheduled { schedule: self.schedule(), loss_stream: stream("scheduled") };
        Link::new(LinkConfig {
            end_error: Some(Bernoulli::new(self.loss, stream("loss")).into()),
            scheduled: Some(scheduled),
            ..LinkConfig::new(Rate::from_megabits_per_second(20), Duration::ZERO)
        })
    }

    /// Packets of others on the way down, in bursts.
    fn others(&self) -> Vec<(Instant, u32, u32)> {
        let mut stream = Stream::new(self.seed, "others");
        let mut offers = Vec::new();
        let mut at = Instant::ZERO;
        while self.load > 0.0 && at < Instant::ZERO + self.length {
            // Ten packets of 1500 bytes take 6 ms.
            offers.extend((0..10).map(|_| (at, OTHER_TRAFFIC, 1500)));
            at += Duration::from_secs_f64(stream.exponential(0.006 / self.load));
        }
        offers
    }

    /// What `ping -D -O` would print.
    fn ping(&self) -> String {
        let probes = self.length.as_nanos() / self.distance.as_nanos();
        let sent = |id: u32| Instant::ZERO + self.distance * u64::from(id);
        let offers = (0..probes as u32).map(|id| (sent(id), id, 84)).collect();
        let mut down = self.others();
        down.extend(carry(self.link("up"), offers).into_iter().map(|(at, id)| (at, id, 84)));
        let mut text = "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n".to_owned();
        for (at, id) in carry(self.link("down"), down).into_iter().filter(|it| it.1 != OTHER_TRAFFIC) {
            let round_trip = at.saturating_since(sent(id)).as_millis_f64();
            let at = 1_700_000_000.0 + at.as_secs_f64();
            let _ = writeln!(
                text,
                "[{at:.6}] 64 bytes from 192.0.2.1: icmp_seq={} ttl=57 time={round_trip:.3} ms",
                (id + 1) & 0xffff
            );
        }
        let _ = writeln!(
            text,
            "\n--- 192.0.2.1 ping statistics ---\n{probes} packets transmitted, 1 received, 1% packet loss, time 1ms"
        );
        text
    }

    fn replayed(&self) -> Replay {
        self.replayed_with(ReplayOptions::default())
    }

    fn replayed_with(&self, options: ReplayOptions) -> Replay {
        let recording = Recording::from_bytes("ping.txt", self.ping().as_bytes()).unwrap();
        replay(&recognise(&recording).unwrap().measured, options).unwrap()
    }
}

/// When each packet leaves a link that was offered them.
fn carry(mut link: Link, mut offers: Vec<(Instant, u32, u32)>) -> Vec<(Instant, u32)> {
    offers.sort();
    let mut out = Outbox::new();
    let mut arrived = Vec::new();
    let mut offers = offers.into_iter().peekable();
    loop {
        let next = offers.peek().map(|offer| offer.0);
        let now = match (link.wake_at(), next) {
            (None, None) => return arrived,
            (Some(wake), next) if next.is_none_or(|next| wake <= next) => {
                link.step(wake, Input::Wake, &mut out);
                wake
            }
            _ => {
                let Some((at, id, size)) = offers.next() else { return arrived };
                let mut packet = out.packet();
                packet.wire_bytes = size;
                packet.segment.sequence = SequenceNumber(id);
                link.step(at, Input::Packet(Port(0), packet), &mut out);
                at
            }
        };
        arrived.extend(out.packets.drain(..).map(|(_, packet)| (now, packet.segment.sequence.0)));
    }
}

fn slots(count: u64, seed: u64) -> Vec<Duration> {
    let mut stream = Stream::new(seed, "slots");
    (0..count).map(|_| Duration::from_micros(15_000 + stream.below(12_000))).collect()
}

fn outage(at_millis: u64, millis: u64, fates: Fates) -> Handover {
    let at = Instant::from_millis(at_millis);
    Handover { at, interruption: Duration::from_millis(millis), fates }
}

/// Ten minutes of Starlink, pinged every 10 ms.
fn starlink(fates: Fates) -> Network {
    let edge = |slot: u64| outage(slot * 15_000, 60 + slot * 7 % 90, fates);
    Network {
        length: Duration::from_secs(600),
        distance: Duration::from_millis(10),
        delays: slots(40, 3),
        outages: (1..40).map(edge).collect(),
        loss: 0.002,
        load: 0.0,
        seed: 5,
    }
}

fn apart(one: Duration, other: Duration) -> Duration {
    one.max(other) - one.min(other)
}

#[test]
fn outages_are_found_with_their_lengths_and_fates() {
    for (fates, fate) in [(Fates::SEAMLESS, Fate::Held), (Fates::HARD, Fate::Lost)] {
        let network = starlink(fates);
        let found = network.replayed().findings.outages;
        assert_eq!(found.len(), network.outages.len(), "{fate:?}: {found:?}");
        for (found, truth) in found.iter().zip(&network.outages) {
            assert_eq!(found.fate, fate);
            // Where the delay changes with the outage, the wait is known to half of the change.
            let step = network.distance + Duration::from_millis(13);
            assert!(
                apart(found.at - Instant::ZERO, truth.at - Instant::ZERO) <= step * 2,
                "{found:?} {truth:?}"
            );
            assert!(apart(found.length, truth.interruption) <= step, "{fate:?}: {found:?} {truth:?}");
            let (least, most) = found.bounds;
            let slack = Duration::from_millis(1);
            assert!(
                least <= truth.interruption + slack && truth.interruption <= most + slack,
                "{found:?} {truth:?}"
            );
            assert!(most - least <= Duration::from_millis(80), "{found:?}");
        }
    }
}

#[test]
fn loss_and_delay_are_those_of_the_links() {
    let network = starlink(Fates::SEAMLESS);
    let Replay { conditions, findings, .. } =
        network.replayed_with(ReplayOptions { delay: DelayChoice::Path, ..ReplayOptions::default() });
    let loss = findings.loss.unwrap();
    let truth = 1.0 - (1.0 - network.loss) * (1.0 - network.loss);
    assert!(loss.interval.0 <= truth && truth <= loss.interval.1, "{loss:?} {truth}");
    assert!(loss.interval.1 - loss.interval.0 < 0.0012, "{loss:?}");
    let delay = conditions.of(Direction::Down).one_way_delay.clone().unwrap();
    for (slot, truth) in network.delays.iter().enumerate() {
        let middle = Instant::ZERO + SLOT * slot as u64 + SLOT.mul_f64(0.5);
        // 84 bytes take 34 us at 20 Mbit/s, in each direction.
        assert!(
            apart(delay.at(middle), *truth) <= Duration::from_micros(40),
            "slot {slot}: {} {truth}",
            delay.at(middle)
        );
    }
    let period = findings.period.unwrap();
    let from_edge = period.phase.min(SLOT - period.phase);
    assert!(period.length == SLOT && from_edge <= Duration::from_millis(20), "{period:?}");
}

/// Others make probes wait: that is queueing, and neither an outage nor the path.
#[test]
fn queueing_is_told_from_outages_and_from_the_path() {
    let network = Network {
        load: 0.7,
        outages: vec![outage(200_000, 400, Fates::SEAMLESS)],
        ..starlink(Fates::SEAMLESS)
    };
    let Findings { outages, base, queueing, .. } = network.replayed().findings;
    let (base, queueing) = (base.unwrap(), queueing.unwrap());
    assert!(queueing.median >= Duration::from_millis(2), "{queueing:?}");
    let error = apart(base.round_trip(Instant::from_secs(307)), network.delays[20] * 2);
    assert!(error < Duration::from_millis(1), "{error}");
    let real = outages
        .iter()
        .filter(|it| it.at >= Instant::from_millis(199_900) && it.at < Instant::from_millis(200_100));
    let [found] = real.collect::<Vec<_>>()[..] else { panic!("{outages:?}") };
    // What piles up behind the outage blurs what the path's delay is.
    let (least, most) = found.bounds;
    assert!(least <= Duration::from_millis(400) && Duration::from_millis(400) <= most, "{found:?}");
    assert!(most - least <= Duration::from_millis(200), "{found:?}");
    assert!(apart(found.length, Duration::from_millis(400)) <= Duration::from_millis(80), "{found:?}");
    assert!(outages.len() <= 2, "queueing was taken for outages: {outages:?}");
}

/// A path that loses a fifth of all packets at random has runs of losses, and no outages.
#[test]
fn heavy_loss_is_no_outage() {
    let mut false_alarms = 0;
    for seed in 0..20 {
        let network = Network {
            loss: 0.1,
            outages: Vec::new(),
            length: Duration::from_secs(60),
            seed,
            ..starlink(Fates::HARD)
        };
        let findings = network.replayed().findings;
        false_alarms += findings.outages.len();
        let loss = findings.loss.unwrap();
        assert!((0.14..0.24).contains(&loss.share), "{loss:?}");
    }
    assert!(false_alarms <= 4, "{false_alarms} outages of chance in 20 recordings");
}

/// A steady path has no period, whatever others send over it.
#[test]
fn what_does_not_jump_has_no_period() {
    for seed in 0..5 {
        let delays = vec![Duration::from_millis(20)];
        let steady = Network { delays, outages: Vec::new(), load: 0.3, seed, ..starlink(Fates::HARD) };
        assert_eq!(steady.replayed().findings.period, None, "seed {seed}");
    }
}

/// A second between probes hides what Starlink does; the findings say so.
#[test]
fn rare_probes_say_what_they_cannot_show() {
    let network = Network { distance: Duration::from_secs(1), ..starlink(Fates::HARD) };
    let findings = network.replayed().findings;
    let visible = findings.shortest_visible.unwrap();
    assert!((Duration::from_secs(3)..=Duration::from_secs(5)).contains(&visible), "{visible}");
    assert!(findings.outages.is_empty(), "{:?}", findings.outages);
}

/// Outages a little longer than the shortest that is said to be certain are all found, whatever becomes of packets in them.
#[test]
fn what_is_said_to_be_certain_to_be_seen_is_seen() {
    for (fates, load) in [(Fates::SEAMLESS, 0.0), (Fates::SEAMLESS, 0.5), (Fates::HARD, 0.0)] {
        let network = |millis: u64| Network {
            distance: Duration::from_millis(100),
            delays: vec![Duration::from_millis(20)],
            outages: (1..30).map(|n| outage(n * 20_000 + n * 37, millis, fates)).collect(),
            load,
            ..starlink(fates)
        };
        let visible = network(300).replayed().findings.shortest_visible.unwrap();
        assert!((Duration::from_millis(299)..Duration::from_millis(700)).contains(&visible), "{visible}");
        let findings = network(visible.as_millis() + 20).replayed().findings;
        assert!(findings.shortest_visible.unwrap() <= visible + Duration::from_millis(20));
        assert_eq!(findings.outages.len(), 29, "{fates:?} {load}: {visible}, {:?}", findings.outages);
    }
}

/// What a replay shows is what is written, and what a scenario then reads.
#[test]
fn a_replay_can_be_kept() {
    let made = starlink(Fates::HARD).replayed();
    let text = native::write(&made.conditions, made.length, &made.remarks());
    let kept = recognise(&Recording::from_bytes("kept.csv", text.as_bytes()).unwrap()).unwrap();
    let again = replay(&kept.measured, ReplayOptions::default()).unwrap();
    assert_eq!(again.conditions.up.handovers, made.conditions.up.handovers);
    let at = Instant::from_millis(77_770);
    let delay = |it: &Replay| it.conditions.down.one_way_delay.as_ref().unwrap().at(at);
    assert_eq!(delay(&again), delay(&made));
}

/// The measured downlink published with LeoCC: its eight reconfigurations are outages, at a distance of 15 s.
#[test]
fn a_measured_downlink_shows_its_reconfigurations() {
    let test = "a_measured_downlink_shows_its_reconfigurations";
    let Some(path) = seamline_testing::recording(test, "leocc/bw_example.txt.gz") else { return };
    let measured = recognise(&Recording::open(&path).unwrap()).unwrap().measured;
    let Findings { outages, period, .. } = replay(&measured, ReplayOptions::default()).unwrap().findings;
    let long: Vec<u64> = outages
        .iter()
        .filter(|it| it.length >= Duration::from_millis(59))
        .map(|it| it.length.as_millis())
        .collect();
    assert_eq!(long, [59, 69, 82, 68, 95, 135, 59, 93]);
    println!("{} outages, {period:?}", outages.len());
    let period = period.unwrap();
    assert_eq!(period.length, SLOT);
    assert!(apart(period.phase, Duration::from_millis(8_690)) < Duration::from_millis(100), "{period:?}");
}
