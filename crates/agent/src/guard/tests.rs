use super::*;
use Side::{Wired, Wireless};

/// From where the fixed host's numbers begin, shortly before they wrap, and the mobile host's.
const BEGIN: u32 = u32::MAX - 3_000_000;
const ANSWER: u32 = 77;

fn segment(sequence: u32, length: u32, acknowledgment: u32) -> Segment {
    let number = SequenceNumber;
    Segment {
        sequence: number(sequence),
        acknowledgment: number(acknowledgment),
        length,
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    }
}

/// The fixed host's packet with this number, of 1000 bytes.
fn data(n: u32) -> Segment {
    segment(BEGIN.wrapping_add(n * 1000), 1000, ANSWER)
}
/// The mobile host waits for that packet.
fn wants(n: u32) -> Segment {
    segment(ANSWER, 0, BEGIN.wrapping_add(n * 1000))
}

fn judge_all(guard: &mut Guard, from: Side, segments: impl Iterator<Item = Segment>) -> Vec<Verdict> {
    segments.map(|segment| guard.judge(from, &segment)).collect()
}

fn are_credible(verdicts: &[Verdict]) -> bool {
    verdicts.iter().all(|verdict| *verdict == Verdict::Credible)
}

/// Four megabytes are under way, of which the agent has seen nothing; what it sees first is old or new, and the window is not scaled as far as it
/// knows.
#[test]
fn a_connection_is_taken_up_in_the_middle() {
    for data_comes_first in [true, false] {
        let mut guard = Guard::default();
        let mut verdicts = Vec::new();
        for n in 0..3000 {
            let from = [Wired, Wireless];
            let sent = [data(4000 + n), wants(n)];
            for end in if data_comes_first { [0, 1] } else { [1, 0] } {
                verdicts.push(guard.judge(from[end], &sent[end]));
            }
        }
        assert!(are_credible(&verdicts), "data first: {data_comes_first}");
    }
}

/// The first thing that is seen is a retransmission, so that the rest is further off than it seems: a round trip later both sides say so.
#[test]
fn what_is_far_off_is_believed_once_the_other_side_acknowledges_it() {
    let mut guard = Guard::default();
    assert_eq!(guard.judge(Wired, &data(0)), Verdict::Credible);
    assert_eq!(guard.judge(Wireless, &wants(1)), Verdict::Credible);
    let mut strange = 0;
    for n in 0..5000 {
        let verdicts = [guard.judge(Wired, &data(4000 + n)), guard.judge(Wireless, &wants(1 + n))];
        strange += verdicts.iter().filter(|verdict| **verdict == Verdict::Implausible).count();
        assert!(!verdicts.contains(&Verdict::Replaced), "{n}");
    }
    assert!((3000..4002).contains(&strange), "{strange}");
    assert!(are_credible(&judge_all(&mut guard, Wired, (9000..9100).map(data))));
}

/// The connection has gone another way for a gigabyte.
#[test]
fn a_connection_that_was_elsewhere_begins_again() {
    let mut guard = Guard::default();
    assert!(are_credible(&judge_all(&mut guard, Wired, (0..10).map(data))));
    assert_eq!(guard.judge(Wireless, &wants(10)), Verdict::Credible);
    let later = 1_000_000;
    let verdicts = judge_all(&mut guard, Wired, (later..later + 10).map(data));
    assert_eq!(verdicts, [Verdict::Implausible; 10]);
    assert_eq!(guard.judge(Wireless, &wants(later + 4)), Verdict::Replaced);
    assert!(are_credible(&judge_all(&mut guard, Wired, (later + 10..later + 20).map(data))));
    assert_eq!(guard.judge(Wireless, &wants(later + 20)), Verdict::Credible);
    assert_eq!(guard.judge(Wired, &data(20)), Verdict::Implausible);
}

/// Nobody can claim something, and have an honest side confirm it: neither far away, nor right ahead, where that will be soon.
#[test]
fn who_claims_is_not_confirmed_by_what_comes_anyway() {
    for ahead in [12, 500, 5000, 1_000_000] {
        let mut guard = Guard::default();
        for n in 0..8000 {
            if n == 10 {
                // Up to a gigabyte, in steps of what is believed to belong together.
                let forged = |n: u32| segment(data(ahead + n).sequence.0, 1000, 0x4000_0000);
                let claimed = judge_all(&mut guard, Wired, (0..1000).map(|n| forged(900 * n)));
                assert_eq!(claimed, [Verdict::Implausible; 1000]);
            }
            let verdicts = [guard.judge(Wired, &data(n)), guard.judge(Wireless, &wants(n + 1))];
            assert_eq!(verdicts, [Verdict::Credible; 2], "{ahead}, {n}");
        }
        let room = guard.directions[Wired.index()].room;
        assert!(room <= UNKNOWN_SCALE, "{ahead}: {room}");
    }
}

/// RFC 5961 section 3.2, and a SYN ends nothing before both ends have.
#[test]
fn the_connection_ends_by_exact_numbers() {
    let mut guard = Guard::default();
    judge_all(&mut guard, Wired, (0..10).map(data));
    guard.judge(Wireless, &wants(4));
    let with = |segment: Segment, flags| Segment { flags, ..segment };
    let ends = |guard: &Guard, from, segment, flags| guard.is_ended_by(from, &with(segment, flags));
    for n in 0..12 {
        assert_eq!(ends(&guard, Wired, data(n), Flags::RST), n == 4 || n == 10, "{n}");
    }
    assert!(ends(&guard, Wireless, wants(10), Flags::RST | Flags::ACK));
    assert!(!ends(&guard, Wireless, wants(1_000_000), Flags::RST | Flags::ACK));
    assert!(!ends(&guard, Wireless, segment(ANSWER + 1, 0, 0), Flags::RST));
    assert!(!ends(&guard, Wired, data(10), Flags::SYN));
    let last = Segment { length: 0, ..data(10) };
    assert_eq!(guard.judge(Wired, &with(last, Flags::FIN | Flags::ACK)), Verdict::Credible);
    let end = segment(ANSWER, 0, last.sequence.0.wrapping_add(1));
    assert_eq!(guard.judge(Wireless, &with(end, Flags::FIN | Flags::ACK)), Verdict::Credible);
    assert!(!ends(&guard, Wired, data(5000), Flags::SYN), "the last FIN is not acknowledged");
    assert_eq!(
        guard.judge(Wired, &segment(last.sequence.0.wrapping_add(1), 0, ANSWER + 1)),
        Verdict::Credible
    );
    assert!(ends(&guard, Wired, data(5000), Flags::SYN));
}

/// Where acknowledgments take another way, or data does, the numbers of the other follow.
#[test]
fn one_way_alone_goes_on() {
    let mut guard = Guard::default();
    assert!(are_credible(&judge_all(&mut guard, Wired, (0..6000).map(|n| data(n * 500)))));
    let mut guard = Guard::default();
    assert!(are_credible(&judge_all(&mut guard, Wireless, (0..6000).map(|n| wants(n * 500)))));
    let mut guard = Guard::default();
    judge_all(&mut guard, Wired, (0..10).map(data));
    judge_all(&mut guard, Wireless, (0..10).map(wants));
    assert!(are_credible(&judge_all(&mut guard, Wired, (1..6000).map(|n| data(n * 500)))));
}
