//! A genuine connection with all that happens to one, and what somebody forges who does not see it.

use Side::{Wired, Wireless};
use seamline_agent::Side;
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::{
    Duration, Flags, Instant, Loss, LossCause, Mark, SackBlock, Segment, SequenceNumber, Timestamps,
    TransportPort,
};

/// Of the wired host and the wireless one.
pub(crate) const PORTS: [TransportPort; 2] = [TransportPort(80), TransportPort(5000)];
/// Where their numbers begin.
const BEGIN: [u32; 2] = [1000, u32::MAX - 2500];

/// Something comes to the agent.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Segment(Side, Segment),
    /// It passes without the agent seeing it.
    Overheard(Side, Segment),
    Message(Side, RecoveryMessage),
    /// Of another connection to this port, of another mobile host: its SYN, its handshake, or that and its end.
    Other {
        host: u32,
        port: u16,
        segments: usize,
    },
    /// Its time has come.
    Wake,
}

impl Event {
    /// From where it comes.
    pub(crate) fn from(&self) -> Option<Side> {
        match self {
            Event::Segment(from, _) | Event::Overheard(from, _) | Event::Message(from, _) => Some(*from),
            Event::Other { .. } | Event::Wake => None,
        }
    }
}

/// The first segments of another connection, which ends at once.
pub(crate) fn other_segments(count: usize) -> impl Iterator<Item = (Side, Segment)> {
    let reset = Segment { flags: Flags::RST, ..segment(Wired, 0, 0, 0) };
    let all = [
        (Wired, syn(Wired, Flags::SYN)),
        (Wireless, syn(Wireless, Flags::SYN | Flags::ACK)),
        (Wired, segment(Wired, 0, 0, 0)),
        (Wired, reset),
    ];
    all.into_iter().take(count)
}

/// What has come so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// By side: the end of what it has sent.
    ends: [Option<SequenceNumber>; 2],
    /// An acknowledgment has confirmed the other side.
    is_confirmed: bool,
    /// By side: it has ended the connection.
    has_ended: [bool; 2],
    heard: Instant,
    now: Instant,
}

impl Known {
    pub(crate) fn note(&mut self, now: Instant, event: &Event) {
        self.now = now;
        let (Event::Segment(from, segment) | Event::Overheard(from, segment)) = event else { return };
        let end = &mut self.ends[from.index()];
        *end = Some(end.map_or(segment.end(), |known| known.max(segment.end())));
        let answers = segment.flags.contains(Flags::ACK) && !segment.flags.contains(Flags::SYN);
        self.is_confirmed |= answers;
        self.has_ended[from.index()] |= segment.flags.contains(Flags::FIN);
        self.heard = now;
    }
    pub(crate) fn is_open(&self) -> bool {
        self.is_confirmed && self.has_ended != [true; 2] && self.ends.iter().all(Option::is_some)
    }
    fn end(&self, side: Side) -> SequenceNumber {
        self.ends[side.index()].unwrap_or(SequenceNumber(BEGIN[side.index()]))
    }
}

/// As many bytes behind the first of a side.
fn at(side: Side, offset: u32) -> SequenceNumber {
    SequenceNumber(BEGIN[side.index()].wrapping_add(1 + offset))
}

fn segment(from: Side, offset: u32, length: u32, acknowledged: u32) -> Segment {
    Segment {
        sequence: at(from, offset),
        acknowledgment: at(from.other(), acknowledged),
        length,
        flags: Flags::ACK,
        window: 1000,
        timestamps: Some(Timestamps { value: 100 + offset, echo: 50 + acknowledged }),
        ..Segment::default()
    }
}

fn syn(from: Side, flags: Flags) -> Segment {
    let numbers = Segment { sequence: SequenceNumber(BEGIN[from.index()]), ..segment(from, 0, 0, 0) };
    Segment { flags, window_scale: Some(3), maximum_segment_size: Some(1000), ..numbers }
}

fn sack(mut it: Segment, from: u32, to: u32) -> Segment {
    it.sack = [SackBlock { left: at(Wired, from), right: at(Wired, to) }].into_iter().collect();
    it
}

fn mark(mut it: Segment, offsets: &[u32]) -> Segment {
    let losses = offsets.iter().map(|offset| Loss { offset: *offset, cause: LossCause::Congestion });
    it.mark = Some(Mark::Losses(losses.collect()));
    it
}

fn message(about: MissingBytes, first: SequenceNumber, bytes: u32) -> RecoveryMessage {
    let range = SequenceRange { first, end: first + bytes };
    RecoveryMessage {
        about,
        mobile_port: PORTS[1],
        fixed_port: PORTS[0],
        ranges: SequenceRanges::of(&[range]),
    }
}

/// From the handshake to the end.
pub(crate) fn story() -> Vec<(Instant, Event)> {
    let mut now = Instant::from_secs(100);
    let mut all = Vec::new();
    let mut next = |millis: u64, event: Event| {
        now += Duration::from_millis(millis);
        all.push((now, event));
    };
    let down =
        |offset, length, acknowledged| Event::Segment(Wired, segment(Wired, offset, length, acknowledged));
    let up = |offset, length, acknowledged| {
        Event::Segment(Wireless, segment(Wireless, offset, length, acknowledged))
    };
    let listed = |acknowledged, from, to| {
        Event::Segment(Wireless, sack(segment(Wireless, 0, 0, acknowledged), from, to))
    };
    next(0, Event::Segment(Wired, syn(Wired, Flags::SYN)));
    next(10, Event::Segment(Wireless, syn(Wireless, Flags::SYN | Flags::ACK)));
    next(10, down(0, 0, 0));
    for packet in 0..8 {
        next(1, down(1000 * packet, 1000, 0));
    }
    next(5, up(0, 0, 1000));
    // The second is lost on the air, or before it.
    for packet in 3..8 {
        let it = sack(segment(Wireless, 0, 0, 1000), 2000, 1000 * packet);
        next(2, Event::Segment(Wireless, mark(it, &[0])));
    }
    next(5, Event::Message(Wireless, message(MissingBytes::Request, at(Wired, 1000), 1000)));
    next(5, Event::Message(Wired, message(MissingBytes::LostByCongestion, at(Wired, 1000), 1000)));
    next(5, up(0, 0, 8000));
    // A packet that never comes to the agent, and is sent again.
    next(5, down(9000, 1000, 0));
    next(1, down(10_000, 1000, 0));
    next(5, listed(8000, 9000, 11_000));
    next(5, listed(8000, 9000, 11_000));
    for _ in 0..2 {
        next(300, Event::Wake);
    }
    next(20, down(8000, 1000, 0));
    next(5, up(0, 0, 11_000));
    // Its sender sends again what has come.
    next(5, down(10_000, 1000, 0));
    next(5, up(0, 0, 11_000));
    // Of what the mobile host sends the second is lost on the air.
    next(5, up(0, 1000, 11_000));
    next(5, up(2000, 1000, 11_000));
    next(5, up(3000, 1000, 11_000));
    for _ in 0..3 {
        next(5, down(11_000, 0, 1000));
    }
    next(5, up(1000, 1000, 11_000));
    next(5, down(11_000, 0, 4000));
    // One comes late. Then nothing is heard for long.
    for packet in [12, 13, 11] {
        next(1, down(1000 * packet, 1000, 4000));
    }
    next(0, up(4000, 0, 11_000));
    for _ in 0..8 {
        next(400, Event::Wake);
    }
    next(5, up(4000, 0, 12_000));
    next(5, up(4000, 0, 14_000));
    // More than there is memory for, and nothing is heard for longer still.
    for packet in 14..26 {
        next(1, down(1000 * packet, 1000, 4000));
    }
    for millis in [500, 500, 61_000] {
        next(millis, Event::Wake);
    }
    next(5, up(4000, 0, 26_000));
    // Others come, until there are more than there are places for.
    for port in 0..8 {
        next(1, Event::Other { host: 3, port, segments: 1 });
    }
    for port in 10..18 {
        next(1, Event::Other { host: 3, port, segments: 3 });
    }
    for port in 20..22 {
        next(1, Event::Other { host: 4, port, segments: 3 });
    }
    next(1, Event::Other { host: 4, port: 20, segments: 4 });
    next(1, Event::Wake);
    next(5, up(4000, 0, 26_000));
    next(5, Event::Overheard(Wireless, segment(Wireless, 4000, 100, 26_000)));
    next(5, down(26_000, 0, 4100));
    next(5, Event::Segment(Wired, fin(segment(Wired, 26_000, 0, 4100))));
    next(5, Event::Segment(Wireless, fin(segment(Wireless, 4100, 0, 26_001))));
    next(5, down(26_001, 0, 4101));
    next(8_000_000, Event::Wake);
    all
}

fn fin(it: Segment) -> Segment {
    Segment { flags: Flags::FIN | Flags::ACK, ..it }
}

/// By who knows addresses and ports: everything has a number that is far from the right one, and where he has guessed one, the other one is.
pub(crate) fn forged(known: &Known, has_guessed_one: bool) -> Vec<Event> {
    let mut all = Vec::new();
    for from in Side::BOTH {
        let right = [known.end(from), known.end(from.other())];
        // Nothing from one side agrees with anything from the other: see `forged_by_both`.
        for far in [1 << 30, 1 << 31, 3 << 30].map(|far| far + 3_000_000 * from.index() as u32) {
            let wrong = right.map(|number| number + far);
            let numbers = [[wrong[0], wrong[1]], [wrong[0], right[1]], [right[0], wrong[1]]];
            for numbers in numbers.into_iter().take(if has_guessed_one { 3 } else { 1 }) {
                all.extend(segments(from, numbers, numbers[0] == wrong[0]));
            }
            all.push(Event::Message(from, message(about(from), wrong[0], 1000)));
        }
    }
    all
}

fn about(from: Side) -> MissingBytes {
    match from {
        Wired => MissingBytes::LostByCongestion,
        Wireless => MissingBytes::Request,
    }
}

fn segments(
    from: Side,
    [sequence, acknowledgment]: [SequenceNumber; 2],
    misses_the_first: bool,
) -> Vec<Event> {
    let plain = Segment { sequence, acknowledgment, flags: Flags::ACK, window: 77, ..Segment::default() };
    let block = SackBlock { left: acknowledgment + 1000, right: acknowledgment + 2000 };
    let mut of_all_kinds = vec![
        plain,
        Segment { length: 1000, timestamps: Some(Timestamps { value: 1 << 30, echo: 1 << 30 }), ..plain },
        Segment { sack: [block].into_iter().collect(), ..mark(plain, &[0]) },
        Segment { flags: Flags::FIN | Flags::ACK, ..plain },
        Segment { flags: Flags::SYN | Flags::ACK, window_scale: Some(14), ..plain },
    ];
    // They have one number only.
    if misses_the_first {
        of_all_kinds.push(Segment { flags: Flags::RST, ..plain });
        of_all_kinds.push(Segment { flags: Flags::SYN, window_scale: Some(14), ..plain });
    }
    let both = |it: Segment| [Event::Segment(from, it), Event::Overheard(from, it)];
    of_all_kinds.into_iter().flat_map(both).collect()
}

/// Two who forge the same connection, one on each side, and confirm each other, as long as the genuine one is alive.
pub(crate) fn forged_by_both(known: &Known) -> Vec<Event> {
    if known.now.saturating_since(known.heard) >= Duration::from_secs(1) {
        return Vec::new();
    }
    let [one, other] = Side::BOTH.map(|side| known.end(side) + (5 << 28));
    let claim = Segment {
        sequence: one,
        acknowledgment: other,
        length: 1000,
        flags: Flags::ACK,
        ..Segment::default()
    };
    let confirmation =
        Segment { sequence: other, acknowledgment: one + 1000, flags: Flags::ACK, ..Segment::default() };
    vec![Event::Segment(Wired, claim), Event::Segment(Wireless, confirmation)]
}
