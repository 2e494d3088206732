//! An attacker next to an end: passes on what comes, and does its deeds. Port 0 is the end's, port 1 the network's.

use crate::path::{RECEIVER_PORT, Victim, addressed_to};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Flags, Input, Instant, LossCause, Machine, Mark, Outbox, Packet, Port, Segment, SequenceNumber,
    Timestamps,
};
use std::collections::VecDeque;

/// What it does.
#[derive(Clone, Debug)]
pub(crate) enum Deeds {
    /// It knows addresses and ports, sees nothing, and sends segments with numbers and one of these marks by chance.
    Guess { marks: Vec<Mark>, per_second: u64 },
    /// It sees everything, and sends segments as right as the peer's.
    Forge { what: Forgery, per_second: u64 },
    /// It sees everything, and sends each marked segment again after each of these times.
    Replay { after: Vec<Duration> },
    /// It is the receiver.
    Lie(Lie),
}

/// What a segment carries that is right in all else.
#[derive(Clone, Debug)]
pub(crate) enum Forgery {
    /// One of these marks by chance.
    Marks(Vec<Mark>),
    /// Nothing that any TCP does not know: the last acknowledgment again.
    DuplicateAcknowledgments,
    /// The same, and that the window is closed.
    ZeroWindows,
}

/// What a receiver may say against better knowledge.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lie {
    /// This mark on every acknowledgment.
    MarkAll(Mark),
    /// This mark on each first duplicate: wherever something is missing.
    MarkGaps(Mark),
    /// Every acknowledgment three times.
    ThreeTimes,
    /// A closed window in every second acknowledgment.
    ZeroWindows,
    /// Everything that is missing was lost over the air.
    LostOverTheAir,
    /// What has come was sent earlier than it was: so everything that was sent again was needless.
    OldEchoes,
    /// Nothing is missing: what any receiver can say to any TCP, if it can do without what was lost.
    NothingIsMissing,
}

#[derive(Debug)]
pub(crate) struct Attacker {
    deeds: Option<Deeds>,
    victim: Victim,
    random: Stream,
    injected: u64,
    next_at: Option<Instant>,
    /// What was last seen from the victim's peer, and how far it has sent.
    from_peer: Option<Packet>,
    peers_end: SequenceNumber,
    /// The acknowledgment last seen from the victim.
    acknowledged: SequenceNumber,
    again: VecDeque<(Instant, Packet)>,
    acknowledgments: u64,
    last_marked: Option<SequenceNumber>,
}

/// When those who send by themselves begin: the connection is open, and has been left alone for a while.
pub(crate) const BEGIN: Instant = Instant::from_millis(3000);

impl Attacker {
    pub(crate) fn new(deeds: Option<Deeds>, victim: Victim, seed: u64) -> Self {
        let sends = matches!(deeds, Some(Deeds::Guess { .. } | Deeds::Forge { .. }));
        Attacker {
            deeds,
            victim,
            random: Stream::new(seed, "attacks/attacker"),
            injected: 0,
            next_at: sends.then_some(BEGIN),
            from_peer: None,
            peers_end: SequenceNumber(0),
            acknowledged: SequenceNumber(0),
            again: VecDeque::new(),
            acknowledgments: 0,
            last_marked: None,
        }
    }
    /// How many packets it has sent.
    pub(crate) fn injected(&self) -> u64 {
        self.injected
    }

    fn inject(&mut self, packet: Packet, port: u16, out: &mut Outbox) {
        self.injected += 1;
        let mut boxed = out.packet();
        *boxed = packet;
        out.send(Port(port), boxed);
    }

    fn look_at(&mut self, now: Instant, port: Port, packet: &Packet) {
        let is_of_flow = [packet.source_port, packet.destination_port].contains(&RECEIVER_PORT);
        if !is_of_flow {
            return;
        }
        let segment = &packet.segment;
        if port == Port(0) {
            self.acknowledged = segment.acknowledgment;
            return;
        }
        if self.from_peer.is_none() || segment.end().is_after(self.peers_end) {
            self.peers_end = segment.end();
        }
        self.from_peer = Some(copy(packet));
        if let Some(Deeds::Replay { after }) = &self.deeds
            && segment.mark.is_some()
        {
            self.again.extend(after.iter().map(|after| (now + *after, copy(packet))));
            self.again.make_contiguous().sort_by_key(|(at, _)| *at);
        }
    }

    /// Everything by chance but addresses and ports.
    fn guess(&mut self, marks: &[Mark]) -> Packet {
        let number = |random: &mut Stream| random.bits() as u32;
        let random = &mut self.random;
        let flags = [
            Flags::ACK,
            Flags::ACK,
            Flags::ACK,
            Flags::ACK | Flags::PSH,
            Flags::SYN,
            Flags::ACK | Flags::FIN,
        ];
        let segment = Segment {
            sequence: SequenceNumber(number(random)),
            acknowledgment: SequenceNumber(number(random)),
            length: [0, 0, 1, 1000][random.below(4) as usize],
            window: number(random) as u16,
            flags: flags[random.below(flags.len() as u64) as usize],
            mark: Some(marks[random.below(marks.len() as u64) as usize]),
            timestamps: random
                .chance(0.8)
                .then(|| Timestamps { value: number(random), echo: number(random) }),
            ..Segment::default()
        };
        Packet { segment, ..addressed_to(self.victim) }
    }

    /// As right as the peer's own: bare, or what has come already, repeated.
    fn forge(&mut self, what: &Forgery) -> Option<Packet> {
        let seen = self.from_peer.as_ref()?.segment;
        let again = self.victim == Victim::Receiver && self.random.chance(0.5);
        let (sequence, length) = if again {
            (SequenceNumber(self.acknowledged.0.wrapping_sub(1000)), 1000)
        } else {
            (self.peers_end, 0)
        };
        let mut segment = Segment { sequence, length, flags: Flags::ACK, mark: None, ..seen };
        match what {
            Forgery::Marks(marks) => {
                segment.mark = Some(marks[self.random.below(marks.len() as u64) as usize])
            }
            Forgery::DuplicateAcknowledgments => {}
            Forgery::ZeroWindows => segment.window = 0,
        }
        Some(Packet { segment, ..addressed_to(self.victim) })
    }

    fn on_wake(&mut self, now: Instant, out: &mut Outbox) {
        while self.again.front().is_some_and(|(at, _)| *at <= now)
            && let Some((_, packet)) = self.again.pop_front()
        {
            self.inject(packet, 0, out);
        }
        if self.next_at.is_none_or(|at| at > now) {
            return;
        }
        let deeds = self.deeds.clone();
        let (packet, per_second) = match &deeds {
            Some(Deeds::Guess { marks, per_second }) => (Some(self.guess(marks)), *per_second),
            Some(Deeds::Forge { what, per_second }) => (self.forge(what), *per_second),
            _ => return,
        };
        self.next_at = Some(now + Duration::from_nanos(1_000_000_000 / per_second));
        if let Some(packet) = packet {
            self.inject(packet, 0, out);
        }
    }

    /// A receiver answers otherwise than it should.
    fn lie(&mut self, lie: Lie, port: Port, mut packet: Box<Packet>, out: &mut Outbox) {
        if port == Port(1) {
            let is_data = packet.destination_port == RECEIVER_PORT && packet.segment.length > 0;
            if let (Lie::NothingIsMissing, true) = (lie, is_data) {
                let answer = self.answer_as_if_complete(&packet.segment);
                self.inject(answer, 1, out);
                return out.recycle(packet);
            }
            return out.send(Port(0), packet);
        }
        if packet.source_port == RECEIVER_PORT && !packet.segment.flags.contains(Flags::SYN) {
            self.change(lie, &mut packet, out);
        }
        out.send(Port(1), packet);
    }
    fn answer_as_if_complete(&mut self, data: &Segment) -> Packet {
        if self.acknowledgments == 0 || data.end().is_after(self.peers_end) {
            self.peers_end = data.end();
        }
        self.acknowledgments += 1;
        let timestamps = data.timestamps.map(|it| Timestamps { value: it.value, echo: it.value });
        let segment = Segment {
            sequence: data.acknowledgment,
            acknowledgment: self.peers_end,
            window: u16::MAX,
            flags: Flags::ACK,
            timestamps,
            ..Segment::default()
        };
        Packet { segment, ..addressed_to(Victim::Sender) }
    }
    fn change(&mut self, lie: Lie, packet: &mut Packet, out: &mut Outbox) {
        self.acknowledgments += 1;
        let segment = &mut packet.segment;
        let acknowledgment = segment.acknowledgment;
        let is_duplicate = self.acknowledged == acknowledgment;
        self.acknowledged = acknowledgment;
        match lie {
            Lie::MarkAll(mark) => segment.mark = Some(mark),
            Lie::MarkGaps(mark) if is_duplicate && self.last_marked != Some(acknowledgment) => {
                self.last_marked = Some(acknowledgment);
                segment.mark = Some(mark);
            }
            Lie::ThreeTimes => {
                let again = copy(packet);
                (0..2).for_each(|_| self.inject(copy(&again), 1, out));
            }
            Lie::ZeroWindows if self.acknowledgments.is_multiple_of(2) => segment.window = 0,
            Lie::LostOverTheAir => {
                if let Some(Mark::Losses(losses)) = &mut segment.mark {
                    (0..losses.len()).for_each(|place| losses.set_cause(place, LossCause::Air));
                }
            }
            Lie::OldEchoes => {
                const EARLIER: u32 = 100;
                if let Some(times) = &mut segment.timestamps {
                    times.echo = times.echo.saturating_sub(EARLIER).max(1);
                }
            }
            Lie::MarkGaps(_) | Lie::ZeroWindows | Lie::NothingIsMissing => {}
        }
    }
}

fn copy(packet: &Packet) -> Packet {
    Packet {
        source: packet.source,
        destination: packet.destination,
        source_port: packet.source_port,
        destination_port: packet.destination_port,
        wire_bytes: packet.wire_bytes,
        segment: packet.segment,
        ..Packet::default()
    }
}

impl Machine for Attacker {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => match self.deeds {
                Some(Deeds::Lie(lie)) => self.lie(lie, port, packet, out),
                _ => {
                    self.look_at(now, port, &packet);
                    out.send(Port(1 - port.0), packet);
                }
            },
            Input::Wake => self.on_wake(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let again = self.again.front().map(|(at, _)| *at);
        self.next_at.into_iter().chain(again).min()
    }
}
