use super::*;
use seamline_wire::{SackBlock, SequenceNumber};

const LENGTH: u32 = 1000;

/// A connection whose data comes from the wired side, and what was measured. Times are in milliseconds.
struct Rig {
    flow: Flow,
    all: Measurements,
}

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// The first byte of a segment.
fn byte(number: u32) -> SequenceNumber {
    SequenceNumber((u32::MAX - 2 * LENGTH).wrapping_add(number * LENGTH))
}

impl Rig {
    /// One segment has passed, and was acknowledged.
    fn new() -> Self {
        let mut rig = Rig { flow: Flow::default(), all: Measurements::default() };
        rig.data(0, 0);
        rig.acknowledge(0, 1, &[]);
        assert_eq!((rig.round_trips(), rig.stalls()), (vec![], vec![]));
        rig
    }
    fn data(&mut self, ms: u64, number: u32) {
        let segment = Segment {
            sequence: byte(number),
            length: LENGTH,
            flags: Flags::ACK,
            window: 500,
            ..Segment::default()
        };
        self.flow.on_segment(at(ms), Side::Wired, &segment, &mut self.all);
    }
    /// All before this segment has come, and these.
    fn acknowledge(&mut self, ms: u64, next: u32, listed: &[(u32, u32)]) {
        let blocks = listed.iter().map(|(first, end)| SackBlock { left: byte(*first), right: byte(*end) });
        let segment = Segment {
            acknowledgment: byte(next),
            flags: Flags::ACK,
            window: 500,
            sack: blocks.collect(),
            ..Segment::default()
        };
        self.flow.on_segment(at(ms), Side::Wireless, &segment, &mut self.all);
    }
    fn round_trips(&self) -> Vec<u64> {
        seen(&self.all.round_trips[Side::Wireless.index()])
    }
    fn stalls(&self) -> Vec<u64> {
        seen(&self.all.stalls[Side::Wired.index()])
    }
    fn repairs(&self) -> [Vec<u64>; 2] {
        [&self.all.repairs_by_agent, &self.all.repairs_by_sender[Side::Wired.index()]].map(seen)
    }
    fn losses(&self) -> Losses {
        self.all.directions[Side::Wired.index()]
    }
}

/// The count and the sum in milliseconds, if there is anything.
fn seen(histogram: &Histogram) -> Vec<u64> {
    if histogram.count() == 0 { vec![] } else { vec![histogram.count(), histogram.sum().as_millis()] }
}

#[test]
fn a_round_trip_is_that_of_one_segment_at_a_time() {
    let mut rig = Rig::new();
    rig.data(10, 1);
    rig.data(12, 2);
    rig.acknowledge(30, 2, &[]);
    rig.acknowledge(31, 3, &[]);
    rig.data(40, 3);
    rig.acknowledge(70, 4, &[]);
    assert_eq!(rig.round_trips(), [2, 50]);
    assert_eq!(rig.all.round_trips[Side::Wired.index()].count(), 0);
    assert_eq!(rig.losses(), Losses { segments: 4, missing: 0, seen_twice: 0 });
}

#[test]
fn what_is_sent_twice_and_what_waits_for_a_gap_gives_no_round_trip() {
    let mut rig = Rig::new();
    rig.data(10, 1);
    rig.data(15, 1);
    rig.acknowledge(30, 2, &[]);
    rig.data(40, 2);
    rig.data(41, 4);
    rig.acknowledge(60, 3, &[(4, 5)]);
    rig.data(61, 5);
    rig.data(62, 3);
    rig.acknowledge(90, 6, &[]);
    rig.data(100, 6);
    rig.flow.on_local_retransmission(at(110));
    rig.acknowledge(140, 7, &[]);
    assert!(rig.round_trips().is_empty());
    assert_eq!(rig.losses(), Losses { segments: 8, missing: 1, seen_twice: 1 });
}

#[test]
fn a_repair_lasts_from_the_first_duplicate_to_its_acknowledgment_and_counts_for_the_first_repairer() {
    let mut rig = Rig::new();
    (1..6).for_each(|number| rig.data(10, number));
    rig.acknowledge(20, 1, &[(2, 3)]);
    rig.flow.on_local_retransmission(at(20));
    rig.acknowledge(22, 1, &[(2, 4)]);
    rig.data(35, 1);
    rig.acknowledge(45, 6, &[]);
    assert_eq!(rig.repairs(), [vec![1, 25], vec![]], "the agent was first");
    (6..9).for_each(|number| rig.data(50, number));
    rig.acknowledge(60, 6, &[(7, 9)]);
    rig.data(90, 6);
    rig.acknowledge(100, 9, &[]);
    assert_eq!(rig.repairs(), [vec![1, 25], vec![1, 40]]);
    (9..12).for_each(|number| rig.data(110, number));
    rig.acknowledge(120, 9, &[(10, 12)]);
    rig.acknowledge(121, 12, &[]);
    assert_eq!(rig.repairs(), [vec![1, 25], vec![1, 40]], "it was only overtaken");
}

#[test]
fn without_duplicates_the_retransmission_is_the_first_sign() {
    let mut rig = Rig::new();
    rig.data(10, 1);
    rig.flow.on_local_retransmission(at(50));
    rig.acknowledge(80, 2, &[]);
    rig.data(100, 2);
    rig.data(400, 2);
    rig.acknowledge(450, 3, &[]);
    assert_eq!(rig.repairs(), [vec![1, 30], vec![1, 50]]);
    // Its acknowledgment was lost, not the data.
    rig.data(500, 2);
    rig.data(501, 3);
    rig.acknowledge(520, 4, &[]);
    assert_eq!(rig.repairs(), [vec![1, 30], vec![1, 50]]);
    assert_eq!(rig.losses(), Losses { segments: 6, missing: 0, seen_twice: 2 });
}

#[test]
fn a_stall_is_longer_than_the_timeout_and_only_with_data_under_way() {
    let mut rig = Rig::new();
    rig.data(100_000, 1);
    rig.acknowledge(100_999, 2, &[]);
    assert!(rig.stalls().is_empty(), "the sender was idle, and a first answer may take a second");
    for number in 2..40 {
        let ms = 200_000 + u64::from(number) * 40;
        rig.data(ms, number);
        rig.acknowledge(ms + 20, number + 1, &[]);
    }
    rig.data(300_000, 40);
    rig.acknowledge(300_100, 41, &[]);
    assert!(rig.stalls().is_empty());
    rig.data(400_000, 41);
    rig.acknowledge(403_000, 41, &[]);
    rig.data(404_000, 41);
    rig.acknowledge(404_020, 42, &[]);
    assert_eq!(rig.stalls(), [1, 4020]);
}

/// After segments that were not shown, neither the time until the next one nor the bytes before it count.
#[test]
fn nothing_is_said_of_what_was_not_seen() {
    let mut rig = Rig::new();
    rig.data(10, 1);
    rig.data(10, 2);
    rig.acknowledge(20, 1, &[(2, 3)]);
    rig.flow.lose_track();
    rig.acknowledge(9000, 5, &[]);
    rig.data(9001, 8);
    rig.data(9001, 9);
    rig.acknowledge(9021, 10, &[]);
    assert_eq!((rig.stalls(), rig.repairs()), (vec![], [vec![], vec![]]));
    assert_eq!(rig.round_trips(), [1, 20]);
    assert_eq!(rig.losses(), Losses { segments: 5, missing: 0, seen_twice: 0 });
}

#[test]
fn each_direction_is_measured_on_its_own() {
    let mut rig = Rig::new();
    let up = Segment {
        sequence: SequenceNumber(7),
        acknowledgment: byte(1),
        length: 10,
        flags: Flags::ACK,
        ..Segment::default()
    };
    let answer = |acknowledgment| Segment {
        sequence: byte(1),
        acknowledgment: SequenceNumber(acknowledgment),
        flags: Flags::ACK,
        ..Segment::default()
    };
    for (ms, from, segment) in [
        (10, Side::Wireless, up),
        (15, Side::Wired, answer(17)),
        (20, Side::Wireless, Segment { sequence: SequenceNumber(17), ..up }),
        (25, Side::Wired, answer(27)),
    ] {
        rig.flow.on_segment(at(ms), from, &segment, &mut rig.all);
    }
    rig.flow.on_round_trip(Side::Wireless, Duration::from_millis(3), &mut rig.all);
    assert_eq!(seen(&rig.all.round_trips[Side::Wired.index()]), [1, 5]);
    assert_eq!(rig.round_trips(), [1, 3]);
    assert_eq!(rig.all.directions[Side::Wireless.index()].segments, 2);
    assert!(size_of::<Flow>() <= 512, "{} bytes for each connection", size_of::<Flow>());
}
