//! Frames through an agent that has seen handshakes.

use crate::frames::{CONNECTIONS, Ends, Input, KINDS, check_payload, ip, kinds, segment};
use seamline_agent::{Bits, ElnAckParameters, Limits, Parameters, Side};
use seamline_bridge::{Engine, Handed, Outgoing, Settings};
use seamline_wire::{
    Duration, Flags, Instant, Loss, LossCause, Losses, Mark, SackBlock, Segment, SequenceNumber, Timestamps,
};

/// So few that both are reached.
const LIMITS: Limits = Limits { connections: 6, bytes: 16 << 10, idle: Duration::from_secs(60) };
const STEPS: usize = 300;

/// The bytes choose the kind of agent, then what happens, step after step. Throughout: the agent does not fail, holds its limits, and no
/// payload leaves that was not sent.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let choice = input.byte();
    let kind = KINDS[usize::from(choice) % KINDS.len()];
    let mut parameters = Parameters { limits: LIMITS, ..Parameters::default() };
    if choice & 0x20 != 0 {
        parameters.eln_ack =
            ElnAckParameters { bits: Bits::One, lists_losses: true, ..ElnAckParameters::default() };
    }
    let settings = kinds::settings(kind, parameters);
    let settings = Settings { is_dry: choice & 0x80 != 0, ..settings };
    let mut rig = Rig {
        engine: Engine::new(settings),
        now: Instant::from_secs(1),
        sides: [[Numbers::default(); 2]; 3],
    };
    for number in 0..CONNECTIONS.len() {
        rig.handshake(number, choice & 0x40 != 0);
    }
    for _ in 0..STEPS {
        if input.is_empty() {
            break;
        }
        rig.step(&mut input);
        rig.check();
    }
    rig.engine.release();
    rig.check();
}

/// Up to seven; a segment takes fewer.
fn losses(input: &mut Input<'_>) -> Losses {
    let count = input.byte() % 8;
    let loss = |_| {
        let offset = u32::from(input.byte()) * 50;
        let cause = if input.byte() & 1 == 0 { LossCause::Congestion } else { LossCause::Air };
        Loss { offset, cause }
    };
    (0..count).map(loss).collect()
}

/// What one end of a connection has sent.
#[derive(Clone, Copy, Default)]
struct Numbers {
    next: SequenceNumber,
}

struct Rig {
    engine: Engine,
    now: Instant,
    /// Of each connection, by side.
    sides: [[Numbers; 2]; 3],
}

impl Rig {
    fn handshake(&mut self, number: usize, has_options: bool) {
        let begin = [SequenceNumber(u32::MAX - 3000), SequenceNumber(7)];
        let syn = |segment: Segment| Segment {
            maximum_segment_size: Some(1000),
            sack_permitted: has_options,
            window_scale: has_options.then_some(7),
            ..segment
        };
        let plain = |flags, side: Side, acknowledgment| segment(flags, begin[side.index()].0, acknowledgment);
        let wired = syn(plain(Flags::SYN, Side::Wired, 0));
        let wireless = syn(plain(Flags::SYN | Flags::ACK, Side::Wireless, begin[0].0.wrapping_add(1)));
        self.pass(Side::Wired, &CONNECTIONS[number].frame(Side::Wired, wired));
        self.pass(Side::Wireless, &CONNECTIONS[number].frame(Side::Wireless, wireless));
        for side in Side::BOTH {
            self.sides[number][side.index()].next = begin[side.index()] + 1;
        }
        let done = self.acknowledgment(number, Side::Wired);
        self.pass(Side::Wired, &CONNECTIONS[number].frame(Side::Wired, done));
    }

    /// Everything that the other side has sent has come.
    fn acknowledgment(&self, number: usize, side: Side) -> Segment {
        let [own, other] = [side, side.other()].map(|side| self.sides[number][side.index()].next);
        segment(Flags::ACK, own.0, other.0)
    }

    fn step(&mut self, input: &mut Input<'_>) {
        let choice = input.byte();
        let number = usize::from(choice >> 4) % CONNECTIONS.len();
        let ends = CONNECTIONS[number];
        match choice & 0xf {
            0..=2 => self.send(number, Side::Wired, input),
            3 => self.send(number, Side::Wireless, input),
            4..=6 => self.acknowledge(number, input),
            7 => self.anything(number, input),
            8 => self.wait(Duration::from_millis(u64::from(input.short()))),
            9 => {
                let frame = self.damaged(ends, number, input);
                self.pass(Side::Wired, &frame);
            }
            10 => {
                let side = if input.byte() & 1 == 0 { Side::Wired } else { Side::Wireless };
                let length = usize::from(input.byte());
                self.pass(side, input.take(length));
            }
            11 => {
                let mut sent = Outgoing::new();
                let frame = ends
                    .frame(Side::Wired, Segment { length: 100, ..self.acknowledgment(number, Side::Wired) });
                self.engine.pass_by(self.now, Side::Wired, &frame, &mut sent);
                assert_eq!(sent.iter().collect::<Vec<_>>(), [(Side::Wireless, &frame[..])]);
            }
            12 => {
                let side = if input.byte() & 1 == 0 { Side::Wired } else { Side::Wireless };
                self.engine.set_mtu(side, 68 + usize::from(input.short() % 1600));
            }
            13 => self.hand_over(ends),
            14 => {
                let flags = [Flags::FIN | Flags::ACK, Flags::RST, Flags::RST | Flags::ACK, Flags::SYN];
                let side = if input.byte() & 1 == 0 { Side::Wired } else { Side::Wireless };
                let flags = flags[usize::from(input.byte()) % flags.len()];
                let end = Segment { flags, ..self.acknowledgment(number, side) };
                self.pass(side, &ends.frame(side, end));
            }
            _ => match input.byte() {
                0 => self.engine.release(),
                u8::MAX => drop(self.engine.set_paused(!self.engine.is_paused())),
                host => self.stranger(host, input.byte()),
            },
        }
    }

    /// Data: new, or some of what was sent before, or with a gap before it.
    fn send(&mut self, number: usize, side: Side, input: &mut Input<'_>) {
        let (shift, length) = (i32::from(input.byte() as i8) * 50, u32::from(input.byte()) * 4);
        let next = self.sides[number][side.index()].next;
        let sequence = SequenceNumber(next.0.wrapping_add_signed(shift));
        let data =
            Segment { sequence, length, flags: Flags::ACK | Flags::PSH, ..self.acknowledgment(number, side) };
        self.pass(side, &CONNECTIONS[number].frame(side, data));
        if shift >= 0 {
            self.sides[number][side.index()].next = sequence + length;
        }
    }

    /// The mobile host has some of it, and lists more, or lists what is lost.
    fn acknowledge(&mut self, number: usize, input: &mut Input<'_>) {
        let behind = u32::from(input.byte()) * 50;
        let mut it = self.acknowledgment(number, Side::Wireless);
        it.acknowledgment = it.acknowledgment - behind;
        it.window = input.short();
        let blocks = input.byte();
        for _ in 0..blocks % 4 {
            let left = it.acknowledgment + u32::from(input.byte()) * 50;
            it.sack.push(SackBlock { left, right: left + u32::from(input.byte()) * 50 });
        }
        if blocks & 0x40 != 0 {
            it.mark = Some(Mark::Losses(losses(input)));
        }
        if blocks & 0x80 != 0 {
            it.timestamps = Some(Timestamps { value: input.word(), echo: input.word() });
        }
        self.pass(Side::Wireless, &CONNECTIONS[number].frame(Side::Wireless, it));
    }

    /// Numbers and bits as they come.
    fn anything(&mut self, number: usize, input: &mut Input<'_>) {
        let side = if input.byte() & 1 == 0 { Side::Wired } else { Side::Wireless };
        let it = Segment {
            length: u32::from(input.byte()),
            window: input.short(),
            ..segment(Flags(input.byte().into()), input.word(), input.word())
        };
        self.pass(side, &CONNECTIONS[number].frame(side, it));
    }

    /// New data with one byte that is another one: its checksums, where they cover it, are wrong.
    fn damaged(&self, ends: Ends, number: usize, input: &mut Input<'_>) -> Vec<u8> {
        let data = Segment { length: 100, ..self.acknowledgment(number, Side::Wired) };
        let mut frame = ends.frame(Side::Wired, data);
        let at = usize::from(input.byte()) % frame.len();
        frame[at] ^= input.byte().max(1);
        frame
    }

    /// Another host begins a connection, and sends so much at once if it knows what was answered.
    fn stranger(&mut self, host: u8, packets: u8) {
        let ends = Ends { mobile: (100 + u32::from(host), 6000 + u16::from(host)), ..CONNECTIONS[0] };
        self.pass(Side::Wired, &ends.frame(Side::Wired, segment(Flags::SYN, 0, 0)));
        if packets == 0 {
            return;
        }
        self.pass(Side::Wireless, &ends.frame(Side::Wireless, segment(Flags::SYN | Flags::ACK, 6, 1)));
        for number in 0..u32::from(packets % 32) {
            let data = Segment { length: 500, ..segment(Flags::ACK, 1 + 500 * number, 7) };
            self.pass(Side::Wired, &ends.frame(Side::Wired, data));
        }
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        let mut sent = Outgoing::new();
        self.engine.wake(self.now, &mut sent);
        sent.iter().for_each(|(_, frame)| check_payload(frame));
    }

    /// A frame leaves as it came, or another one does that was sent before, or none.
    fn pass(&mut self, from: Side, frame: &[u8]) {
        self.now += Duration::from_micros(100);
        let mut sent = Outgoing::new();
        self.engine.pass(self.now, from, frame, &mut sent);
        sent.iter().filter(|(_, leaving)| *leaving != frame).for_each(|(_, leaving)| check_payload(leaving));
    }

    /// The mobile host leaves, and comes back.
    fn hand_over(&mut self, ends: Ends) {
        let host = ip(ends.version, ends.mobile, ends.fixed).source();
        for handed in self.engine.hand_out(&[host]) {
            let mut record = Vec::new();
            handed.encode(&mut record);
            assert_eq!(Handed::decode(&record[4..]).as_ref(), Ok(&handed));
            let mut sent = Outgoing::new();
            self.engine.take_in(self.now, &handed, &mut sent);
            sent.iter().for_each(|(_, frame)| check_payload(frame));
        }
    }

    fn check(&self) {
        let counters = self.engine.counters();
        assert_eq!((counters.failures, counters.unsendable), (0, 0), "{counters:?}");
        assert!(self.engine.flows() <= LIMITS.connections as usize, "{} connections", self.engine.flows());
        assert!(self.engine.known_flows() <= self.engine.flows());
        assert!(self.engine.kept_bytes() <= LIMITS.bytes, "{} bytes", self.engine.kept_bytes());
    }
}
