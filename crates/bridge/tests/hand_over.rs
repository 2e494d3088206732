//! Connections between the agents of two base stations: what was under way reaches the mobile host by the new one, once; what is forged, damaged or
//! too much changes nothing.

mod support;

use proptest::prelude::*;
use seamline_agent::{Limits, Parameters, Side, SnoopParameters};
use seamline_bridge::engine::OVERHEAD;
use seamline_bridge::{ANSWER, Engine, Handed, Outgoing, Settings, TakenIn};
use seamline_wire::{Flags, Instant};
use std::net::IpAddr;
use support::*;

const FIXED: End = (1, 80);
const MOBILE: End = (2, 5000);
const DOWN: [End; 2] = [FIXED, MOBILE];
const UP: [End; 2] = [MOBILE, FIXED];
const T: Instant = Instant::ZERO;
/// Those that have something to hand over.
const KEEPING: [&str; 2] = ["snoop", "obtcp-bs"];
const LENGTH: u32 = 1000;

fn data(version: u8, vlan: Option<u16>, sequence: u32) -> Vec<u8> {
    let payload = [sequence as u8; LENGTH as usize];
    ethernet(Side::Wired, vlan, &packet(version, DOWN, segment(Flags::ACK, sequence, 7), &payload))
}

fn data_between(ends: [End; 2], sequence: u32) -> Vec<u8> {
    ethernet(Side::Wired, None, &packet(4, ends, segment(Flags::ACK, sequence, 7), &[1; LENGTH as usize]))
}

fn acknowledgment(version: u8, vlan: Option<u16>, of: u32) -> Vec<u8> {
    ethernet(Side::Wireless, vlan, &packet(version, UP, segment(Flags::ACK, 7, of), &[]))
}

/// Where the payload of packet `number` begins; the handshake took the first number.
fn at(number: u32) -> u32 {
    1 + number * LENGTH
}

fn mobile(version: u8) -> IpAddr {
    ip(version, MOBILE, FIXED).source()
}

/// An agent that has seen so many packets of a connection, of which as many are acknowledged.
fn with_packets(mut engine: Engine, version: u8, vlan: Option<u16>, packets: u32, done: u32) -> Engine {
    for (from, ends, segment) in [
        (Side::Wired, DOWN, segment(Flags::SYN, 0, 0)),
        (Side::Wireless, UP, segment(Flags::SYN | Flags::ACK, 6, 1)),
        (Side::Wired, DOWN, segment(Flags::ACK, 1, 7)),
    ] {
        drop(pass(&mut engine, T, from, &ethernet(from, vlan, &packet(version, ends, segment, &[]))));
    }
    (0..packets).for_each(|number| {
        drop(pass(&mut engine, T, Side::Wired, &data(version, vlan, at(number))));
    });
    drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(version, vlan, at(done))));
    assert_eq!(engine.known_flows(), 1);
    engine
}

/// Over the wire between two agents.
fn sent(handed: &Handed) -> Handed {
    let mut record = Vec::new();
    handed.encode(&mut record);
    let (length, rest) = record.split_first_chunk().unwrap();
    assert_eq!(u32::from_be_bytes(*length) as usize, rest.len());
    let read = Handed::decode(rest).unwrap();
    assert_eq!(read, *handed);
    read
}

fn hand_out(engine: &mut Engine, version: u8) -> Handed {
    let mut all = engine.hand_out(&[mobile(version)]);
    assert_eq!(all.len(), 1);
    sent(&all.remove(0))
}

fn take_in(engine: &mut Engine, handed: &Handed) -> (TakenIn, Vec<(Side, Vec<u8>)>) {
    let mut out = Outgoing::new();
    let taken = engine.take_in(T, handed, &mut out);
    (taken, out.iter().map(|(towards, bytes)| (towards, bytes.to_vec())).collect())
}

fn taken(packets: u32) -> TakenIn {
    TakenIn { connections: 1, packets }
}

#[test]
fn what_was_under_way_leaves_by_the_new_base_station_once_and_an_acknowledgment_releases_it() {
    for kind in KEEPING {
        for version in [4, 6] {
            for vlan in [None, Some(7)] {
                let mut old = with_packets(engine(kind), version, vlan, 6, 2);
                let handed = hand_out(&mut old, version);
                assert_eq!((old.flows(), old.wake_at()), (0, None), "it is forgotten there");
                assert!(old.hand_out(&[mobile(version)]).is_empty());
                let mut new = engine(kind);
                let (answer, out) = take_in(&mut new, &handed);
                let expected: Vec<_> =
                    (2..6).map(|number| (Side::Wireless, data(version, vlan, at(number)))).collect();
                assert_eq!((answer, out), (taken(4), expected), "{kind}");
                assert_eq!(new.known_flows(), 1);
                let done = acknowledgment(version, vlan, at(6));
                assert_eq!(pass(&mut new, T, Side::Wireless, &done), [(Side::Wired, done)]);
                assert!(new.hand_out(&[mobile(version)]).is_empty(), "nothing is kept any more");
                let counters = [old, new].map(|engine| engine.hand_over_counters());
                assert_eq!((counters[0].connections_out, counters[0].packets_out), (1, 4));
                assert_eq!((counters[1].connections_in, counters[1].packets_in), (1, 4));
                assert_eq!((counters[1].connections_refused, counters[1].packets_refused), (0, 0));
            }
        }
    }
}

/// As slow start does: a window at once overflows a queue that is as long as the old base station's.
#[test]
fn ten_packets_go_at_once_and_two_for_each_that_is_acknowledged() {
    for kind in KEEPING {
        let handed = hand_out(&mut with_packets(engine(kind), 4, None, 60, 0), 4);
        let mut new = engine(kind);
        let (answer, out) = take_in(&mut new, &handed);
        assert_eq!((answer, out.len()), (taken(60), 10));
        let mut next = 10;
        for (acknowledged, more) in [(4, 8), (4, 0), (18, 28), (30, 14), (60, 0)] {
            let frame = acknowledgment(4, None, at(acknowledged));
            let mut out = pass(&mut new, T, Side::Wireless, &frame);
            out.retain(|(towards, _)| *towards == Side::Wireless);
            let expected = (next..next + more).map(|number| (Side::Wireless, data(4, None, at(number))));
            assert_eq!(out, expected.collect::<Vec<_>>(), "{kind}, {acknowledged}");
            next += more;
        }
        assert_eq!(next, 60);
        assert!(new.hand_out(&[mobile(4)]).is_empty(), "nothing is kept any more");
    }
}

#[test]
fn what_waits_is_bounded_and_forgotten_with_its_connection() {
    let handed = hand_out(&mut with_packets(engine("snoop"), 4, None, 60, 0), 4);
    // Of 24 packets that may be kept there is room for both connections' first; a quarter of that may wait.
    let each = data(4, None, 1).len() as u64 - 14 + u64::from(OVERHEAD);
    let mut new = Engine::new(settings("snoop", Limits { bytes: 24 * each, ..Limits::default() }));
    assert_eq!(take_in(&mut new, &handed).0, taken(16));
    assert_eq!(new.hand_over_counters().packets_refused, 44);
    // Of two connections the one that came last.
    let others = [(1, 81), MOBILE];
    let others: Vec<_> = (0..30).map(|number| data_between(others, at(number))).collect();
    let others = Handed::decode(&record(None, &others)).unwrap();
    assert_eq!(take_in(&mut new, &others).0.connections, 1);
    let out = pass(&mut new, T, Side::Wireless, &acknowledgment(4, None, at(10)));
    assert_eq!(out.len(), 1, "what waited for the first is gone");
    // Reset, and begun again between the same ends.
    let mut new = engine("snoop");
    assert_eq!(take_in(&mut new, &handed).0, taken(60));
    let reset = ethernet(Side::Wireless, None, &packet(4, UP, segment(Flags::RST, 7, 0), &[]));
    assert_eq!(pass(&mut new, T, Side::Wireless, &reset).len(), 1);
    let mut new = with_packets(new, 4, None, 1, 0);
    assert_eq!(pass(&mut new, T, Side::Wireless, &acknowledgment(4, None, at(1))).len(), 1);
}

/// The third base station gets from the second what that has from the first, and what came there.
#[test]
fn it_is_handed_on_and_helped_on_the_way() {
    let mut first = with_packets(engine("snoop"), 4, None, 4, 1);
    let mut second = engine("snoop");
    assert_eq!(take_in(&mut second, &hand_out(&mut first, 4)).0, taken(3));
    drop(pass(&mut second, T, Side::Wired, &data(4, None, at(4))));
    let mut third = engine("snoop");
    assert_eq!(take_in(&mut third, &hand_out(&mut second, 4)).0, taken(4));
    // What is lost there a second time is sent again by its timer, though no duplicate has come.
    let mut out = Outgoing::new();
    third.wake(Instant::from_secs(5), &mut out);
    assert_eq!(out.iter().collect::<Vec<_>>(), [(Side::Wireless, data(4, None, at(1)).as_slice())]);
}

#[test]
fn kinds_that_keep_nothing_for_mobile_hosts_hand_out_nothing() {
    for kind in KINDS.into_iter().filter(|kind| !KEEPING.contains(kind)) {
        let mut engine = with_packets(engine(kind), 4, None, 6, 2);
        assert!(engine.hand_out(&[mobile(4)]).is_empty(), "{kind}");
        assert_eq!(engine.flows(), 0);
    }
}

#[test]
fn hosts_that_stay_keep_what_is_kept_for_them() {
    let mut engine = with_packets(engine("snoop"), 4, None, 3, 1);
    let other: IpAddr = "10.0.0.3".parse().unwrap();
    assert!(engine.hand_out(&[other, mobile(6)]).is_empty());
    assert_eq!(engine.known_flows(), 1);
    assert_eq!(engine.hand_out(&[other, mobile(4)]).len(), 1);
}

#[test]
fn what_the_mobile_host_has_acknowledged_here_since_is_not_sent_again() {
    for kind in KEEPING {
        let handed = hand_out(&mut with_packets(engine(kind), 4, None, 6, 2), 4);
        let mut new = with_packets(engine(kind), 4, None, 6, 4);
        let expected: Vec<_> = (4..6).map(|number| (Side::Wireless, data(4, None, at(number)))).collect();
        assert_eq!(take_in(&mut new, &handed), (taken(2), expected), "{kind}");
        // All of it: then what is kept here stays.
        let mut new = with_packets(engine(kind), 4, None, 8, 6);
        assert_eq!(take_in(&mut new, &handed), (TakenIn::default(), vec![]), "{kind}");
        assert_eq!(hand_out(&mut new, 4).packets(), 2);
        assert_eq!(new.hand_over_counters().connections_refused, 1);
    }
}

#[test]
fn it_takes_the_place_of_what_is_kept_here() {
    let handed = hand_out(&mut with_packets(engine("snoop"), 4, None, 6, 2), 4);
    let mut new = with_packets(engine("snoop"), 4, None, 3, 2);
    assert_eq!(take_in(&mut new, &handed).0, taken(4));
    assert_eq!((new.known_flows(), hand_out(&mut new, 4).packets()), (1, 4));
}

#[test]
fn limits_hold() {
    let handed = hand_out(&mut with_packets(engine("snoop"), 4, None, 6, 2), 4);
    let limited = |limits| Engine::new(settings("snoop", limits));
    // Room for some, and for none.
    let mut full = limited(Limits { bytes: 3000, ..Limits::default() });
    let (answer, out) = take_in(&mut full, &handed);
    assert!((1..4).contains(&answer.packets) && out.len() == answer.packets as usize, "{answer:?}");
    let mut full = limited(Limits { bytes: 100, ..Limits::default() });
    assert_eq!(take_in(&mut full, &handed), (TakenIn::default(), vec![]));
    assert_eq!((full.flows(), full.wake_at()), (0, None));
    // The only place is that of another connection, which is known.
    let mut full = limited(Limits { connections: 1, ..Limits::default() });
    let other = [(9, 80), (8, 81)];
    for (from, ends, segment) in [
        (Side::Wired, other, segment(Flags::SYN, 0, 0)),
        (Side::Wireless, [other[1], other[0]], segment(Flags::SYN | Flags::ACK, 6, 1)),
        (Side::Wired, other, segment(Flags::ACK, 1, 7)),
    ] {
        drop(pass(&mut full, T, from, &ethernet(from, None, &packet(4, ends, segment, &[]))));
    }
    assert_eq!(take_in(&mut full, &handed), (TakenIn::default(), vec![]));
    assert_eq!((full.flows(), full.hand_over_counters().packets_refused), (1, 4));
    // As many as a connection may have.
    let snoop = SnoopParameters { cache: 3, ..SnoopParameters::default() };
    let parameters = Parameters { snoop, ..Parameters::default() };
    let kind = settings("snoop", Limits::default()).kind;
    let mut full = Engine::new(Settings::new(kind, parameters));
    assert_eq!(take_in(&mut full, &handed).0, taken(3));
    assert_eq!(full.hand_over_counters().packets_refused, 1);
}

#[test]
fn a_dry_run_counts_and_sends_nothing() {
    let dry = || Engine::new(Settings { is_dry: true, ..settings("snoop", Limits::default()) });
    let handed = hand_out(&mut with_packets(dry(), 4, None, 6, 2), 4);
    let mut new = dry();
    assert_eq!(take_in(&mut new, &handed), (taken(4), vec![]));
    assert_eq!(new.hand_over_counters().packets_in, 4);
}

/// Written as an agent writes them, but of frames that none keeps.
fn record(acknowledged: Option<u32>, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut record = vec![u8::from(acknowledged.is_some())];
    record.extend(acknowledged.unwrap_or(0).to_be_bytes());
    for frame in frames {
        record.extend((frame.len() as u16).to_be_bytes());
        record.extend(frame);
    }
    record
}

#[test]
fn frames_that_are_no_data_of_one_connection_are_refused() {
    let good = data(4, None, at(2));
    let mut damaged = good.clone();
    damaged[80] ^= 1;
    let backwards = ethernet(Side::Wireless, None, &packet(4, UP, segment(Flags::ACK, 7, 1), &[]));
    let reset = ethernet(Side::Wired, None, &packet(4, DOWN, segment(Flags::RST, at(3), 7), &[1]));
    let syn = ethernet(Side::Wired, None, &packet(4, DOWN, segment(Flags::SYN, at(3), 0), &[1]));
    let strange = with_unknown_option(&packet(4, DOWN, segment(Flags::ACK, at(3), 7), &[1])).unwrap();
    let strange = ethernet(Side::Wired, None, &strange);
    let others = ethernet(Side::Wired, None, &packet(4, [FIXED, (3, 1)], segment(Flags::ACK, 9, 9), &[1]));
    let tagged = data(4, Some(7), at(3));
    for bad in [damaged, backwards, reset, syn, strange, others, tagged, good[..30].to_vec(), vec![7]] {
        let mut new = engine("snoop");
        let handed = Handed::decode(&record(Some(1), &[good.clone(), bad.clone()])).unwrap();
        let expected = (taken(1), vec![(Side::Wireless, good.clone())]);
        assert_eq!(take_in(&mut new, &handed), expected, "{bad:?}");
        assert_eq!(new.hand_over_counters().packets_refused, 1);
    }
    // An acknowledgment of what is still to come leaves nothing to send.
    let mut new = engine("snoop");
    let handed = Handed::decode(&record(Some(at(9)), &[good])).unwrap();
    assert_eq!(take_in(&mut new, &handed), (TakenIn::default(), vec![]));
    assert_eq!(new.flows(), 0);
}

#[test]
fn records_that_make_no_sense_are_not_read() {
    let whole = record(Some(1), &[data(4, None, 1)]);
    assert!(Handed::decode(&whole).is_ok());
    for length in (0..whole.len()).filter(|length| *length != 5) {
        assert!(Handed::decode(&whole[..length]).is_err(), "{length}");
    }
    let unknown = [&[8][..], &whole[1..]].concat();
    assert!(Handed::decode(&unknown).is_err());
    assert!(Handed::decode(&[&whole[..], &[0, 0]].concat()).is_err(), "an empty frame");
    assert!(Handed::decode(&vec![0; seamline_bridge::MOST_BYTES + 1]).is_err());
}

#[test]
fn an_answer_is_read_as_it_was_written() {
    let answer = TakenIn { connections: 3, packets: 70_000 };
    assert_eq!(TakenIn::decode(&answer.encode()), Ok(answer));
    assert!(TakenIn::decode(&[0; ANSWER]).is_err());
}

/// What a stranger could send: noise, or a record that was good until some of its bytes were not.
fn strange_record() -> impl Strategy<Value = Vec<u8>> {
    let frames = prop::collection::vec((0_u32..8, any::<bool>()), 0..6);
    let spoiled = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let nearly = (any::<Option<u32>>(), frames, spoiled).prop_map(|(acknowledged, frames, spoiled)| {
        let frames: Vec<Vec<u8>> = frames
            .into_iter()
            .map(|(number, is_six)| data(if is_six { 6 } else { 4 }, None, at(number)))
            .collect();
        let mut record = record(acknowledged, &frames);
        spoiled.into_iter().for_each(|(place, byte)| {
            let place = place.index(record.len());
            record[place] = byte;
        });
        record
    });
    prop_oneof![prop::collection::vec(any::<u8>(), 0..200), nearly]
}

proptest! {
    /// Nothing fails, what comes out is what was in it and towards the wireless side only, and a connection that was there is helped on.
    #[test]
    fn whatever_strangers_hand_over_does_no_harm(record in strange_record(), kind in 0_usize..2) {
        let Ok(handed) = Handed::decode(&record) else { return Ok(()) };
        prop_assert!(handed.packets() <= record.len() / 3);
        let mut engine = with_packets(engine(KEEPING[kind]), 4, None, 4, 2);
        let (answer, out) = take_in(&mut engine, &handed);
        prop_assert_eq!(engine.counters().failures, 0);
        prop_assert_eq!(out.len(), answer.packets as usize);
        prop_assert!(answer.packets as usize <= handed.packets());
        for (towards, frame) in &out {
            prop_assert_eq!(*towards, Side::Wireless);
            // Behind the addresses that frames of the connection had here last.
            let packet = &frame[14..];
            prop_assert!(record.windows(packet.len()).any(|window| window == packet));
        }
        // Whatever was taken in, what the hosts send passes, and nothing of the memory is lost.
        let next = data(4, None, at(4));
        // An agent of obTCP may say first what it has not seen.
        prop_assert_eq!(pass(&mut engine, T, Side::Wired, &next).pop(), Some((Side::Wireless, next)));
        engine.release();
        prop_assert_eq!((engine.flows(), engine.wake_at()), (0, None));
    }
}
