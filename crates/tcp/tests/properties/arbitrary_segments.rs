//! Segments of all kinds thrown at an endpoint in all states.

use crate::check;
use crate::run::least_window;
use crate::sample::profiles_and_pairs;
use proptest::prelude::*;
use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening};
use seamline_wire::{
    Duration, Flags, Instant, NodeId, Outbox, Packet, SackBlock, Segment, SequenceNumber, Timestamps,
    TransportPort,
};
use std::sync::Arc;

/// Where a number lies: near one that the endpoint knows, or anywhere.
#[derive(Clone, Copy, Debug)]
enum Place {
    Near(i32),
    AtWindow(i32),
    Anywhere(u32),
}

/// One thing that happens.
#[derive(Clone, Debug)]
enum Deed {
    Segment { flags: u8, sequence: Place, acknowledgment: Place, length: u32, window: u16, more: Options },
    Wait(u64),
    Wake,
    Supply(u64),
    Read(u64),
    Close,
    Abort,
    CutSupply,
}

#[derive(Clone, Copy, Debug)]
struct Options {
    mss: Option<u16>,
    scale: Option<u8>,
    sack_permitted: bool,
    times: Option<(i32, i32)>,
    block: Option<(i32, u32)>,
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (-3i32..4).prop_map(Place::Near),
        3 => (-5000i32..5000).prop_map(Place::Near),
        2 => (-3i32..4).prop_map(Place::AtWindow),
        1 => any::<u32>().prop_map(Place::Anywhere),
    ]
}
fn options() -> impl Strategy<Value = Options> {
    let times = prop::option::of((-100i32..100, -100i32..100));
    let block = prop::option::of((-2000i32..20_000, 0u32..3000));
    (prop::option::of(any::<u16>()), prop::option::of(any::<u8>()), any::<bool>(), times, block).prop_map(
        |(mss, scale, sack_permitted, times, block)| Options { mss, scale, sack_permitted, times, block },
    )
}
fn deed() -> impl Strategy<Value = Deed> {
    let flags = prop_oneof![6 => Just(0x10u8), 2 => Just(0x11), 1 => Just(0x12), 1 => Just(0x02),
        1 => Just(0x04), 1 => Just(0x14), 1 => any::<u8>()];
    let length = prop_oneof![3 => Just(0u32), 3 => 1u32..3000, 1 => Just(65_000)];
    let window = prop_oneof![Just(0u16), 1u16..3000, any::<u16>()];
    let segment = (flags, place(), place(), length, window, options()).prop_map(
        |(flags, sequence, acknowledgment, length, window, more)| Deed::Segment {
            flags,
            sequence,
            acknowledgment,
            length,
            window,
            more,
        },
    );
    prop_oneof![
        20 => segment,
        4 => (0u64..3000).prop_map(Deed::Wait),
        4 => Just(Deed::Wake),
        3 => (1u64..20_000).prop_map(Deed::Supply),
        2 => (1u64..9000).prop_map(Deed::Read),
        1 => Just(Deed::CutSupply),
        1 => Just(Deed::Close),
        1 => prop_oneof![9 => Just(Deed::CutSupply), 1 => Just(Deed::Abort)],
    ]
}

#[derive(Debug)]
struct Target {
    endpoint: Endpoint,
    out: Outbox,
    now: Instant,
    initial: SequenceNumber,
    payload_sent: u64,
    least_window: f64,
}

impl Target {
    fn apply_all(&mut self, deed: &Deed) {
        let Target { endpoint, out, now, .. } = self;
        match deed {
            Deed::Segment { .. } => self.throw(deed),
            Deed::Wait(millis) => *now += Duration::from_millis(*millis),
            Deed::Wake => *now = (*now).max(endpoint.wake_at().unwrap_or(*now)),
            Deed::Supply(bytes) => endpoint.supply(*now, *bytes, out),
            Deed::Read(bytes) => endpoint.consume(*now, *bytes, out),
            Deed::Close => endpoint.close(*now, out),
            Deed::Abort => endpoint.abort(*now, out),
            Deed::CutSupply => endpoint.cut_supply(),
        }
        self.wake_up();
        self.examine();
    }
    fn wake_up(&mut self) {
        for _ in 0..50 {
            match self.endpoint.wake_at() {
                Some(due) if due <= self.now => self.endpoint.on_wake(self.now, &mut self.out),
                _ => return,
            }
        }
        panic!("busy loop at {}: {:?}", self.now, self.endpoint);
    }
    fn throw(&mut self, deed: &Deed) {
        let Deed::Segment { flags, sequence, acknowledgment, length, window, more } = deed else { return };
        let expected = self.endpoint.next_expected();
        let ours = self.our_next();
        let at = |place: &Place, near: SequenceNumber| match *place {
            Place::Near(distance) => SequenceNumber(near.0.wrapping_add_signed(distance)),
            Place::AtWindow(distance) => SequenceNumber(near.0.wrapping_add_signed(distance + 8000)),
            Place::Anywhere(number) => SequenceNumber(number),
        };
        let tick = (self.now.as_nanos() / 1_000_000) as u32;
        let near = |distance: i32| tick.wrapping_add_signed(distance);
        let block = |(left, length): (i32, u32)| {
            let left = SequenceNumber(ours.0.wrapping_add_signed(left));
            SackBlock { left, right: left + length }
        };
        let segment = Segment {
            sequence: at(sequence, expected),
            acknowledgment: at(acknowledgment, ours),
            length: *length,
            window: *window,
            flags: Flags((*flags).into()),
            window_scale: more.scale,
            maximum_segment_size: more.mss,
            sack_permitted: more.sack_permitted,
            mark: None,
            timestamps: more.times.map(|(value, echo)| Timestamps { value: near(value), echo: near(echo) }),
            sack: more.block.map(block).into_iter().collect(),
        };
        self.payload_sent += u64::from(*length);
        let packet = Packet {
            source: NodeId(2),
            destination: NodeId(1),
            source_port: TransportPort(2),
            destination_port: TransportPort(1),
            wire_bytes: 40 + length,
            segment,
            ..Packet::default()
        };
        self.endpoint.on_packet(self.now, &packet, &mut self.out);
    }
    fn our_next(&self) -> SequenceNumber {
        let acknowledged = self.endpoint.statistics().bytes_acknowledged as u32;
        let synchronized = self.endpoint.state().is_synchronized();
        let in_flight = if synchronized { self.endpoint.sample().bytes_in_flight } else { 0 };
        self.initial + 1 + acknowledged + in_flight
    }
    fn examine(&mut self) {
        self.out.packets.clear();
        let statistics = self.endpoint.statistics();
        assert!(statistics.bytes_delivered <= self.payload_sent, "more delivered than was sent");
        assert!(self.endpoint.readable() <= statistics.bytes_delivered);
        let window = self.endpoint.sample().congestion_window;
        assert!(window.is_finite() && window >= self.least_window, "a window of {window}");
    }
}

/// No segment, however mad, makes an endpoint panic, spin, or deliver what was never sent.
#[test]
fn arbitrary_segments_do_no_harm() {
    let beginnings = prop_oneof![Just(Opening::Active), Just(Opening::Passive)];
    let initial = prop_oneof![any::<u32>(), Just(u32::MAX), Just(u32::MAX - 2000)];
    let script = (beginnings, initial, prop::bool::weighted(0.8), prop::collection::vec(deed(), 1..80));
    for (profile, name, variant) in profiles_and_pairs() {
        check(100, &format!("{} {name}", profile.name), &script, |(opening, initial, polite, deeds)| {
            let mut parameters = (profile.parameters)();
            parameters.receiver.buffer = 8000;
            let least_window = least_window(&variant, parameters.clone());
            let initial = SequenceNumber(initial);
            let address = |n: u16| Address { node: NodeId(u32::from(n)), port: TransportPort(n) };
            let endpoint = Endpoint::new(EndpointConfig {
                local: address(1),
                remote: address(2),
                parameters: Arc::new(parameters),
                variant,
                handover: None,
                initial_sequence: initial,
            });
            let mut target = Target {
                endpoint,
                out: Outbox::new(),
                now: Instant::from_millis(5),
                initial,
                payload_sent: 0,
                least_window,
            };
            target.endpoint.open(target.now, opening.clone(), &mut target.out);
            if polite {
                target.shake_hands(matches!(opening, Opening::Active));
            }
            deeds.iter().for_each(|deed| target.apply_all(deed));
        });
    }
}

impl Target {
    /// Let the connection open, as a peer without options would.
    fn shake_hands(&mut self, active: bool) {
        let none = Options { mss: None, scale: None, sack_permitted: true, times: None, block: None };
        let segment = |flags: u8| Deed::Segment {
            flags,
            sequence: Place::Near(0),
            acknowledgment: Place::Near(0),
            length: 0,
            window: 60_000,
            more: none,
        };
        if active {
            self.apply_all(&segment(0x12));
        } else {
            self.apply_all(&segment(0x02));
            self.apply_all(&segment(0x10));
        }
    }
}
