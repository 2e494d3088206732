//! The receiving side of the `linux` profile gets what a receiver of Linux got, and must answer as that did.

use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening, profile, variant};
use seamline_wire::{
    Flags, Instant, NodeId, Outbox, Packet, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort,
};
use std::sync::Arc;

const RECORDING: &str = include_str!("linux/receiver.tsv");
/// Times in the recording are known to some microseconds; a deviating decision shifts an acknowledgment by more than this.
const TOLERANCE_MICROSECONDS: u64 = 200;

/// An acknowledgment, with its time in microseconds.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    acknowledgment: u32,
    window: u16,
    blocks: Vec<SackBlock>,
}

struct Receiver {
    endpoint: Endpoint,
    out: Outbox,
    answers: Vec<(u64, Answer)>,
}

fn address(node: u32) -> Address {
    Address { node: NodeId(node), port: TransportPort(5000) }
}

impl Receiver {
    fn new() -> Self {
        let parameters = Arc::new((profile::LINUX.parameters)());
        let variant = variant::find("cubic", &parameters).expect("a registered variant");
        let mut endpoint = Endpoint::new(EndpointConfig {
            local: address(1),
            remote: address(2),
            parameters,
            variant,
            handover: None,
            initial_sequence: SequenceNumber(0),
        });
        let mut out = Outbox::new();
        endpoint.read_at_once();
        endpoint.open(Instant::ZERO, Opening::Passive, &mut out);
        Receiver { endpoint, out, answers: Vec::new() }
    }
    fn run_to(&mut self, now: Instant) {
        while let Some(due) = self.endpoint.wake_at().filter(|due| *due <= now) {
            self.endpoint.on_wake(due, &mut self.out);
            self.collect(due);
        }
    }
    fn take(&mut self, now: Instant, segment: Segment) {
        let (local, remote) = (address(1), address(2));
        let packet = Packet {
            source: remote.node,
            destination: local.node,
            source_port: remote.port,
            destination_port: local.port,
            segment,
            ..Packet::default()
        };
        self.endpoint.on_packet(now, &packet, &mut self.out);
        self.collect(now);
    }
    fn collect(&mut self, now: Instant) {
        for (_, packet) in self.out.packets.drain(..) {
            let segment = &packet.segment;
            let answer = Answer {
                acknowledgment: segment.acknowledgment.0,
                window: segment.window,
                blocks: segment.sack.iter().copied().collect(),
            };
            self.answers.push((now.as_nanos() / 1000, answer));
        }
    }
}

fn number(field: &str) -> u32 {
    field.parse().unwrap_or_else(|_| panic!("`{field}` is a number"))
}

fn segment(fields: &[&str]) -> Segment {
    let has = |letter, flag| if fields[0].contains(letter) { flag } else { Flags(0) };
    let opens = fields[0].contains('S');
    Segment {
        flags: has('S', Flags::SYN) | has('A', Flags::ACK) | has('P', Flags::PSH),
        sequence: SequenceNumber(number(fields[1])),
        length: number(fields[2]),
        acknowledgment: SequenceNumber(number(fields[3])),
        timestamps: Some(Timestamps { value: number(fields[4]), echo: number(fields[5]) }),
        window: 502,
        maximum_segment_size: opens.then_some(1460),
        window_scale: opens.then_some(7),
        sack_permitted: opens,
        ..Segment::default()
    }
}

fn answer(fields: &[&str]) -> Answer {
    let block = |text: &str| {
        let (left, right) = text.split_once('-').expect("left-right");
        SackBlock { left: SequenceNumber(number(left)), right: SequenceNumber(number(right)) }
    };
    Answer {
        acknowledgment: number(fields[0]),
        window: fields[1].parse().expect("a window field"),
        blocks: fields[2].split(',').filter(|text| !text.is_empty()).map(block).collect(),
    }
}

/// Each acknowledgment leaves when the kernel's did, with its number, window and SACK blocks: from the handshake on, through slow start,
/// the growth of the window, six losses and their repair with acknowledgments held back, and on.
#[test]
fn acknowledgments_are_those_of_the_kernel() {
    let mut ours = Receiver::new();
    let mut theirs = Vec::new();
    for line in RECORDING.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let microseconds = fields[1].parse().expect("microseconds");
        if fields[0] == "<" {
            let now = Instant::from_nanos(1000 * microseconds);
            ours.run_to(now);
            ours.take(now, segment(&fields[2..]));
        } else {
            theirs.push((microseconds, answer(&fields[2..])));
        }
    }
    assert!(theirs.len() > 800, "{} acknowledgments", theirs.len());
    for (place, (ours, theirs)) in ours.answers.iter().zip(&theirs).enumerate() {
        let is_same = ours.0.abs_diff(theirs.0) < TOLERANCE_MICROSECONDS && ours.1 == theirs.1;
        assert!(is_same, "acknowledgment {place}:\n  ours   {ours:?}\n  kernel {theirs:?}");
    }
    assert!(ours.answers.len().abs_diff(theirs.len()) <= 1, "{} of {}", ours.answers.len(), theirs.len());
}
