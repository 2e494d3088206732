//! Snoop, packet by packet: what it sends again, what it hides, what it lets pass.

use crate::support::{Script, ack, data, syn};
use seamline_agent::{Limits, Parameters, SnoopParameters, find};
use seamline_wire::{Duration, Flags, LossCause};

fn snoop() -> Script {
    with(SnoopParameters::default())
}
fn with(snoop: SnoopParameters) -> Script {
    Script::new(find("snoop").unwrap().build(&Parameters { snoop, ..Parameters::default() }))
}

/// Ten packets of 1000 bytes have passed at 0 ms, and the first two are acknowledged at 20 ms.
fn under_way(mut script: Script) -> Script {
    for n in 0..10 {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(2001)).onwards();
    script
}

/// The third packet is lost: one duplicate passes, the second makes the agent send it again, the rest is hidden; what is
/// acknowledged then passes.
#[test]
fn a_loss_on_the_air_is_repaired_here() {
    let mut script = under_way(snoop());
    script.at(21).wireless(ack(2001)).onwards();
    script.at(22).wireless(ack(2001)).sends_again(2001).ends_here();
    for at in 23..28 {
        script.at(at).wireless(ack(2001)).ends_here();
    }
    script.at(42).wireless(ack(10_001)).onwards();
    let counters = script.counters();
    assert_eq!((counters.local_retransmissions, counters.suppressed_acknowledgments), (1, 6));
}

/// The third packet never came here: the sender has to know.
#[test]
fn a_loss_before_the_agent_is_the_senders() {
    let mut script = snoop();
    for n in [0, 1, 3, 4, 5, 6] {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(2001)).onwards();
    for at in 21..25 {
        script.at(at).wireless(ack(2001)).onwards();
    }
    script.at(200).wired(data(2001, 1000)).onwards();
    script.at(220).wireless(ack(7001)).onwards().at(60_000).is_quiet();
}

/// When the sender sends a packet again by itself, its duplicates pass.
#[test]
fn what_the_sender_repeats_is_not_hidden() {
    let mut script = under_way(snoop());
    script.at(21).wired(data(2001, 1000)).onwards();
    for at in 22..26 {
        script.at(at).wireless(ack(2001)).onwards();
    }
    assert_eq!(script.counters().local_retransmissions, 0);
}

/// Without acknowledgments the agent sends the first packet again after its timeout, at most ten times.
#[test]
fn the_timer_sends_the_first_packet_again() {
    let mut script = under_way(snoop());
    let times = script.wakes_until(60_000);
    assert_eq!(times.len(), 10);
    assert!(times.iter().all(|(_, sequences)| *sequences == [2001]), "{times:?}");
    // srtt = 7/8 100 ms + 1/8 20 ms = 90 ms; variation 7/8 250 ms + 1/8 70 ms = 227.5 ms; 90 + 4 * 227.5 = 1000 ms.
    assert_eq!(times[0].0, Duration::from_millis(1020));
}

/// An acknowledgment that a repair lets go says how long the repair took, and nothing of what had come before it: the tenth packet was
/// sent once, and its acknowledgment 400 ms later is no round trip. The timer for the next packet stays as it was.
#[test]
fn what_waited_for_a_repair_is_no_sample() {
    let mut script = under_way(snoop());
    script.at(21).wireless(ack(2001)).onwards();
    script.at(22).wireless(ack(2001)).sends_again(2001).ends_here();
    script.at(400).wireless(ack(10_001)).onwards();
    script.at(500).wired(data(10_001, 1000)).onwards();
    let times = script.wakes_until(1600);
    assert_eq!(times.first().map(|(at, _)| *at), Some(Duration::from_millis(1500)));
}

/// Nor of what waited for a packet that came late from the wired side.
#[test]
fn what_waited_for_the_sender_is_no_sample() {
    let mut script = snoop();
    for n in [0, 1, 3, 4] {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(2001)).onwards();
    script.at(440).wired(data(2001, 1000)).onwards();
    script.at(460).wireless(ack(5001)).onwards();
    script.at(500).wired(data(5001, 1000)).onwards();
    let times = script.wakes_until(1600);
    assert_eq!(times.first().map(|(at, _)| *at), Some(Duration::from_millis(1500)));
}

/// Data from the mobile node, window updates and older acknowledgments are none of its business.
#[test]
fn what_says_more_than_a_duplicate_passes() {
    let mut script = under_way(snoop());
    for n in 0..5 {
        script.at(21 + n).wireless(data(5001, 100).acknowledging(2001)).onwards();
        script.wireless(ack(2001).window(100 + n as u16)).onwards();
        script.wireless(ack(1001)).onwards();
    }
    assert_eq!(script.counters().local_retransmissions, 0);
}

/// A receiver of Linux opens its window for what comes out of order, too. With SACK a duplicate is what lists something new, whatever its window
/// (RFC 6675 section 2); another window alone is none.
#[test]
fn a_duplicate_may_change_the_window() {
    let mut script = under_way(snoop());
    let duplicate = |n: u16| ack(2001).window(1000 + 100 * n).sack(&[(3001, 4001 + 1000 * u32::from(n))]);
    script.at(21).wireless(duplicate(1)).onwards();
    for at in 22..26 {
        script.at(at).wireless(duplicate(1).window(2000 + at as u16)).onwards();
    }
    script.at(26).wireless(duplicate(2)).sends_again(2001).ends_here();
    script.at(27).wireless(duplicate(3)).ends_here();
    script.wireless(duplicate(3).window(3000)).onwards();
    let counters = script.counters();
    assert_eq!((counters.local_retransmissions, counters.suppressed_acknowledgments), (1, 2));
}

/// A report that something has come twice (RFC 2883) is for the sender, and tells of no loss.
#[test]
fn what_came_twice_is_no_loss() {
    let mut script = under_way(snoop());
    for at in 21..25 {
        script.at(at).wireless(ack(2001).sack(&[(1001, 2001)])).onwards();
    }
    assert_eq!(script.counters().local_retransmissions, 0);
    // 2001 and 4001 are missing. What comes twice behind them brings its block to the front.
    let [third, fifth] = [(3001, 4001), (5001, 6001)];
    script.at(25).wireless(ack(2001).sack(&[third])).onwards();
    script.wireless(ack(2001).sack(&[third, third])).onwards();
    script.at(26).wireless(ack(2001).sack(&[fifth, third])).sends_again(2001).onwards();
    script.wireless(ack(2001).sack(&[third, third, fifth])).onwards();
    script.at(27).wireless(ack(2001).sack(&[(5001, 7001), third])).ends_here();
}

/// An acknowledgment has room for three blocks next to timestamps, so a gap that is not reported may never be reported again: what shows one passes, and tells
/// of all that was hidden since the last. What only makes the latest block longer is hidden.
#[test]
fn no_block_is_kept_from_the_sender() {
    let mut script = under_way(snoop());
    let dup = |blocks: &[(u32, u32)]| ack(2001).sack(blocks);
    script.at(21).wireless(dup(&[(3001, 4001)])).onwards();
    script.wireless(dup(&[(3001, 5001)])).sends_again(2001).ends_here();
    script.wireless(dup(&[(6001, 7001), (3001, 5001)])).onwards();
    script.wireless(dup(&[(6001, 8001), (3001, 5001)])).ends_here();
    // What was overtaken fills the first gap behind the missing packet.
    script.wireless(dup(&[(3001, 8001)])).ends_here();
    script.wireless(dup(&[(9001, 10_001), (3001, 8001)])).onwards();
    assert_eq!(script.counters().local_retransmissions, 1);
}

/// Where the acknowledgment was lost that would have reported it, a report of something else lists what is new: section 4.2 of RFC 2883.
#[test]
fn what_is_new_counts_beside_what_came_twice() {
    let mut script = under_way(snoop());
    script.at(21).wireless(ack(2001).sack(&[(1001, 2001), (3001, 4001)])).onwards();
    script.at(22).wireless(ack(2001).sack(&[(1001, 2001), (3001, 5001)])).sends_again(2001).ends_here();
}

#[test]
fn its_cache_is_bounded() {
    let mut script = with(SnoopParameters { cache: 4, ..SnoopParameters::default() });
    for n in 0..10 {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    assert_eq!((script.counters().cached, script.counters().not_cached), (4, 6));
    script.at(20).wireless(ack(10_001)).onwards();
    script.wired(data(10_001, 1000)).onwards();
    assert_eq!(script.counters().cached, 5);
}

/// Sequence numbers pass 2^32 in the middle of the loss.
#[test]
fn sequence_numbers_wrap() {
    let mut script = snoop();
    let first = u32::MAX - 2500;
    for n in 0..8 {
        script.wired(data(first.wrapping_add(n * 1000), 1000)).onwards();
    }
    let missing = first.wrapping_add(3000);
    script.at(20).wireless(ack(missing)).onwards().wireless(ack(missing)).onwards();
    script.wireless(ack(missing)).sends_again(missing).ends_here();
    script.at(40).wireless(ack(first.wrapping_add(8000))).onwards().at(60_000).is_quiet();
}

/// A reset ends what is known, and another connection once both ends have begun it.
#[test]
fn a_connection_that_begins_again_is_another_one() {
    let mut script = under_way(snoop());
    script.at(30).wired(data(10_001, 0).flags(Flags::RST)).onwards().at(60_000).is_quiet();
    let mut script = under_way(snoop());
    script.at(30).wired(syn(3_000_000_000)).onwards();
    let answer = data(7_000_000, 0).flags(Flags::SYN | Flags::ACK).acknowledging(3_000_000_001);
    script.wireless(answer).onwards();
    script.wired(data(3_000_000_001, 1000).acknowledging(7_000_001)).onwards();
    script.at(60).wireless(data(7_000_001, 0).acknowledging(3_000_001_001)).onwards().at(60_000).is_quiet();
    assert_eq!((script.counters().implausible, script.counters().cached), (1, 11));
}

/// A reset with another number, and a SYN that nobody answers, end nothing.
#[test]
fn who_guesses_ends_nothing() {
    for forged in [
        data(2002, 0).flags(Flags::RST),
        data(11_001, 0).flags(Flags::RST),
        data(10_001, 0).flags(Flags::RST | Flags::ACK).acknowledging(1 << 31),
        syn(500_000),
        syn(5000),
    ] {
        let mut script = under_way(snoop());
        script.at(20).wired(forged).onwards().at(21).wireless(ack(2001)).onwards();
        script.at(22).wireless(ack(2001)).sends_again(2001).ends_here();
    }
}

/// What was on the air when the mobile host left goes over the new air, once, and is repaired there as before.
#[test]
fn the_cache_moves_with_the_mobile_host() {
    let mut old = under_way(snoop());
    let mut new = old.moves_to(snoop(), 100);
    for n in 2..10 {
        new.sends_again(1 + n * 1000);
    }
    new.is_quiet().at(120).wireless(ack(5001)).onwards();
    new.at(121).wireless(ack(5001)).onwards();
    // It was sent again already: this one is the sender's.
    new.at(122).wireless(ack(5001)).onwards();
    new.at(140).wireless(ack(10_001)).onwards().at(60_000).is_quiet();
    old.at(60_000).is_quiet().knows_nothing();
}

/// Room is counted where it is taken.
#[test]
fn what_moves_takes_its_room_along() {
    let limits = Limits { bytes: 5 * 1040, ..Limits::default() };
    let tight = || {
        let parameters = Parameters { limits, ..Parameters::default() };
        Script::new(find("snoop").unwrap().build(&parameters))
    };
    let mut old = tight();
    for n in 0..8 {
        old.wired(data(1 + n * 1000, 1000)).onwards();
    }
    assert_eq!((old.counters().cached, old.counters().not_cached), (5, 3));
    let mut new = old.moves_to(tight(), 100);
    for n in 0..5 {
        new.sends_again(1 + n * 1000);
    }
    new.at(110).wired(data(8001, 1000)).onwards();
    assert_eq!((new.counters().cached, new.counters().not_cached), (0, 1));
    new.at(120).wireless(ack(8001)).onwards().wired(data(9001, 1000)).onwards();
    assert_eq!(new.counters().cached, 1);
    old.at(130).wired(data(9001, 1000)).onwards();
    assert_eq!(old.counters().cached, 6);
}

/// Data from the mobile host, two packets of which the air has lost.
fn gaps_in_the_uplink(mut script: Script) -> Script {
    script.wireless(data(501, 500)).onwards();
    for n in [1, 3, 4, 6] {
        script.wireless(data(1 + n * 1000, 1000)).onwards();
    }
    script
}

/// Balakrishnan and Katz 1998: acknowledgments that ask for what the air has lost say so; a retransmission on its way does not
/// end that, because duplicates for the loss come until the far end has it.
#[test]
fn losses_of_the_uplink_are_reported_to_the_mobile_host() {
    let air = &[(0, LossCause::Air)];
    let both = &[(0, LossCause::Air), (3000, LossCause::Air)];
    let mut script = gaps_in_the_uplink(snoop());
    script.wired(ack(2001)).onwards_as(ack(2001).losses(both));
    script.wired(ack(2001)).onwards_as(ack(2001).losses(both));
    script.wireless(data(2001, 1000)).onwards();
    script.wired(ack(2001)).onwards_as(ack(2001).losses(both));
    script.wired(ack(5001)).onwards_as(ack(5001).losses(air));
    script.wired(data(1, 100).acknowledging(5001)).onwards();
    script.wireless(data(5001, 1000)).onwards();
    script.wired(ack(7001)).onwards();
    assert_eq!(script.counters().marked_acknowledgments, 4);
}

/// In ns-2 a retransmission right before later data fills its gap: duplicates for it that are still to come are not marked. But those
/// that ask for what has never come are, if they come twice.
#[test]
fn ns2_remembers_the_uplink_otherwise() {
    let air = &[(0, LossCause::Air)];
    let mut script = gaps_in_the_uplink(with(SnoopParameters::ns2()));
    script.wired(ack(2001)).onwards_as(ack(2001).losses(air));
    script.wireless(data(2001, 1000)).onwards();
    script.wired(ack(2001)).onwards();
    script.wired(ack(5001)).onwards_as(ack(5001).losses(air));
    script.wired(ack(7001)).onwards();
    script.wired(ack(7001)).onwards_as(ack(7001).losses(air));
    // A copy of what was acknowledged last explains a duplicate.
    script.wireless(data(5001, 1000)).onwards();
    script.wired(ack(7001)).onwards_as(ack(7001).losses(air));
    script.wireless(data(6001, 1000)).onwards();
    script.wired(ack(7001)).onwards();
    assert_eq!(script.counters().marked_acknowledgments, 4);
    let mut ours = gaps_in_the_uplink(snoop());
    ours.wired(ack(7001)).onwards().wired(ack(7001)).onwards();
}

/// What the agent has never seen, what it has, and what another agent has already reported, it leaves alone.
#[test]
fn other_losses_of_the_uplink_are_not() {
    let mut script = gaps_in_the_uplink(snoop());
    script.wired(ack(101)).onwards().wired(ack(101)).onwards();
    script.wired(ack(4001)).onwards().wired(ack(4001)).onwards().wired(ack(6501)).onwards();
    let listed = ack(5001).losses(&[(0, LossCause::Congestion)]);
    script.wired(listed).onwards().wired(ack(5001).flags(Flags::FIN | Flags::ACK)).onwards();
    let mut script = gaps_in_the_uplink(with(SnoopParameters {
        explicit_loss_notification: false,
        ..SnoopParameters::default()
    }));
    script.wired(ack(2001)).onwards().wired(ack(2001)).onwards();
}

/// Timestamps stay, the mark comes next, and as many SACK blocks as still fit.
#[test]
fn a_mark_takes_its_place_from_sack_blocks() {
    let blocks = [(3001, 4001), (6001, 7001), (9001, 9501)];
    let given = ack(2001).timestamps(7, 8).sack(&blocks);
    let first = (0, LossCause::Air);
    let marked = given.clone().sack(&blocks[..1]).losses(&[first, (3000, LossCause::Air)]);
    gaps_in_the_uplink(snoop()).wired(given.clone()).onwards_as(marked);
    let alone = SnoopParameters { lists_further_losses: false, ..SnoopParameters::default() };
    let marked = given.clone().sack(&blocks[..2]).losses(&[first]);
    gaps_in_the_uplink(with(alone)).wired(given).onwards_as(marked);
}

/// With more gaps than are remembered, what came by and is not remembered is not reported as lost over the air.
#[test]
fn more_gaps_than_are_remembered_are_not_reported() {
    let mut script = snoop();
    for n in 0..70 {
        script.wireless(data(1 + n * 2000, 1000)).onwards();
    }
    script.wireless(data(140_001, 1000)).onwards();
    for missing in [1001, 64 * 2000 + 1] {
        script.wired(ack(missing)).onwards();
    }
    assert_eq!(script.counters().marked_acknowledgments, 0);
}
