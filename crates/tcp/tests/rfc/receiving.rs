//! Acknowledging, reporting, offering windows.

use crate::script::*;
use seamline_wire::Duration;

/// RFC 5681 section 4.2: every second full segment is acknowledged at once, a single one within 500 ms.
#[test]
fn delayed_acknowledgments() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(data(1..1001)).expect_nothing().inject(data(1001..2001)).expect(ack(2001));
    script.at(1100).inject(data(2001..3001)).at(1300).expect(ack(3001));
    script.at(1400).inject(data(3001..4001)).at(1500).inject(data(4001..5001)).expect(ack(5001));
    script.at(60_000).expect_nothing();
}

/// RFC 9293 section 3.8.6.3 (MUST-58): no profile delays by half a second or more.
#[test]
fn no_profile_delays_for_half_a_second() {
    for profile in seamline_tcp::profile::ALL {
        let delay = (profile.parameters)().receiver.delayed_acknowledgment;
        let allowed = |timeout: Duration| timeout < Duration::from_millis(500);
        assert!(delay.is_none_or(|d| allowed(d.timeout) && d.segments <= 2), "{}", profile.name);
    }
}

/// RFC 5681 section 4.2: out-of-order segments are acknowledged at once, and so are those that fill a gap
/// wholly or in part.
#[test]
fn disorder_is_acknowledged_at_once() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(2001..3001)).expect(ack(1)).inject(data(4001..5001)).expect(ack(1));
    script.inject(data(1..1001)).expect(ack(1001)).inject(data(1001..2001)).expect(ack(3001));
    script.inject(data(3001..4001)).expect(ack(5001)).inject(data(5001..6001)).expect_nothing();
    script.inject(data(6001..7001)).expect(ack(7001));
}

/// RFC 9293 section 3.10.7.4, first step: duplicates are acknowledged at once.
#[test]
fn duplicates_are_acknowledged_at_once() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(1..1001)).inject(data(1..1001)).expect(ack(1001)).delivered(1000);
    script.inject(data(2001..3001)).expect(ack(1001)).inject(data(2001..3001)).expect(ack(1001));
    assert_eq!(script.endpoint.statistics().duplicate_segments_received, 2);
}

/// RFC 9293 section 3.8.6.3: an acknowledgment rides on data instead of waiting.
#[test]
fn acknowledgments_ride_on_data() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(data(1..1001)).at(1050).supply(500).expect(data(1..501).ack(1001));
    script.at(1100).inject(ack(501).seq(1001)).at(60_000).expect_nothing();
}

/// RFC 2018 section 5, case 2: the first segment of eight is lost: one block that grows.
#[test]
fn one_growing_block() {
    let mut script = sacking();
    for right in (1001..=4001).step_by(500) {
        script.inject(data(right - 500..right)).expect(ack(1).sack(&[501..right]));
    }
}

/// A receiver whose peer permits SACK.
fn sacking() -> Script {
    Script::connected(plain(|_| {}), "sack", syn_ack().sack_permitted(true))
}

/// RFC 2018 sections 4 and 5, case 3: every second segment is lost: the most recent block first.
#[test]
fn most_recent_block_first() {
    let mut script = sacking();
    script.inject(data(1..501)).expect_nothing();
    script.inject(data(1001..1501)).expect(ack(501).sack(&[1001..1501]));
    script.inject(data(2001..2501)).expect(ack(501).sack(&[2001..2501, 1001..1501]));
    script.inject(data(3001..3501)).expect(ack(501).sack(&[3001..3501, 2001..2501, 1001..1501]));
    script.inject(data(1501..2001)).expect(ack(501).sack(&[1001..2501, 3001..3501]));
    script.inject(data(501..1001)).expect(ack(2501).sack(&[3001..3501]));
    script.inject(data(2501..3001)).expect(ack(3501));
}

/// RFC 2018 section 4: a segment that arrives twice brings its block to the front again.
#[test]
fn repeated_segment_names_its_block_first() {
    let mut script = sacking();
    script.inject(data(1001..1501)).expect(ack(1).sack(&[1001..1501]));
    script.inject(data(2001..2501)).expect(ack(1).sack(&[2001..2501, 1001..1501]));
    script.inject(data(1001..1501)).expect(ack(1).sack(&[1001..1501, 2001..2501]));
}

/// RFC 2018 section 3: four blocks fit into the option space, next to timestamps three.
#[test]
fn as_many_blocks_as_fit() {
    let mut script = sacking();
    (1..=5).for_each(|n| {
        script.inject(data(n * 1000..n * 1000 + 500));
    });
    let last = script.take().pop().expect("an acknowledgment");
    assert_eq!(last.sack, [5000..5500, 4000..4500, 3000..3500, 2000..2500]);

    let parameters = plain(|p| p.segments.timestamp_tick = Some(Duration::from_millis(1)));
    let mut script = Script::new(parameters, "sack");
    script
        .connect()
        .expect(syn())
        .at(100)
        .inject(syn_ack().sack_permitted(true).times(5000, 1))
        .expect(ack(1));
    (1..=5).for_each(|n| {
        script.inject(data(n * 1000..n * 1000 + 500).times(5000, 101));
    });
    let last = script.take().pop().expect("an acknowledgment");
    assert_eq!(last.sack, [5000..5500, 4000..4500, 3000..3500]);
}

/// RFC 2018 section 4: as many distinct blocks as possible, also when recent ones have been filled.
#[test]
fn older_blocks_are_reported_again() {
    let mut script = sacking();
    (1..=6).for_each(|n| {
        script.inject(data(n * 1000..n * 1000 + 500));
    });
    script.take();
    script.inject(data(3500..6000)).expect(ack(1).sack(&[3000..6500, 2000..2500, 1000..1500]));
}

/// RFC 2018 section 4: the first block holds the segment that caused the acknowledgment, also where that is nothing but a FIN. What
/// came before is no duplicate.
#[test]
fn a_fin_beyond_a_gap_is_in_the_first_block() {
    for reports_duplicates in [false, true] {
        let parameters = plain(|p| p.receiver.reports_duplicates = reports_duplicates);
        let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
        script.inject(data(1001..2001)).expect(ack(1).sack(&[1001..2001]));
        script.inject(data(3001..4001)).expect(ack(1).sack(&[3001..4001, 1001..2001]));
        script.inject(fin(4001, 1)).expect(ack(1).sack(&[3001..4002, 1001..2001]));
        script.inject(data(1..1001)).expect(ack(2001).sack(&[3001..4002]));
        script.inject(data(2001..3001)).expect(ack(4002)).delivered(4000);
    }
    let mut alone = sacking();
    alone.inject(data(1001..2001)).expect(ack(1).sack(&[1001..2001]));
    alone.inject(fin(5001, 1)).expect(ack(1).sack(&[5001..5002, 1001..2001]));
}

/// RFC 9293 section 3.8.6.2.2: the right edge moves by a segment or half the buffer, not by crumbs; and the
/// window's opening is reported when it is worth it.
#[test]
fn silly_window_is_avoided_by_the_receiver() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 8000), "newreno");
    for right in [2001, 4001, 6001, 8001u32] {
        script.inject(data(right - 2000..right - 1000)).inject(data(right - 1000..right));
        script.expect(ack(right).window((8001 - right) as u16));
    }
    script.read(999).expect_nothing().inject(data(8001..8002)).expect(ack(8001).window(0));
    script.read(1).expect_nothing().inject(data(8001..8002)).expect(ack(8001).window(1000));
    script.read(1000).expect_nothing().read(1000).expect(ack(8001).window(3000));
}

/// RFC 9293 section 3.8.6 (SHLD-14): the window is never taken back: what is unread makes it smaller from the
/// left only.
#[test]
fn right_edge_never_moves_left() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 8000), "newreno");
    let mut edge = 8001;
    for n in 0..8u32 {
        script
            .at(1000 + u64::from(n) * 10)
            .inject(data(n * 1000 + 1..n * 1000 + 501))
            .inject(data(n * 1000 + 501..n * 1000 + 1001));
        script.read(u64::from(n) * 150);
        for segment in script.take() {
            let seen = segment.acknowledgment + u32::from(segment.window.unwrap_or(0));
            assert!(seen >= edge, "{segment}: the edge was {edge}");
            edge = seen;
        }
    }
}

/// RFC 9293 section 3.10.5 (RECEIVE): what is read at once never closes the window.
#[test]
fn reading_at_once_keeps_the_window_open() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 4000), "newreno");
    script.read_at_once();
    for n in 0..10 {
        script.inject(data(n * 2000 + 1..n * 2000 + 1001)).inject(data(n * 2000 + 1001..n * 2000 + 2001));
        script.expect(ack(n * 2000 + 2001).window(4000));
    }
}

fn reporting() -> Script {
    let parameters = plain(|p| p.receiver.reports_duplicates = true);
    Script::connected(parameters, "sack", syn_ack().sack_permitted(true))
}

/// RFC 2883 section 4: what has come before is reported in the first block, once; also what is missing nothing of any more.
#[test]
fn what_comes_twice_is_reported_once() {
    let mut script = reporting();
    script.inject(data(1..501)).inject(data(501..1001)).expect(ack(1001));
    script.inject(data(1..501)).expect(ack(1001).sack(&[1..501]));
    script.inject(data(501..1001)).expect(ack(1001).sack(&[501..1001]));
    script.inject(data(1001..1501)).inject(data(1501..2001)).expect(ack(2001));
    let mut silent = sacking();
    silent.inject(data(1..501)).inject(data(501..1001)).expect(ack(1001));
    silent.inject(data(1..501)).expect(ack(1001));
}

/// RFC 2883 section 4.1: the block that holds what has come twice follows; blocks of other data after it.
#[test]
fn a_duplicate_within_a_block_comes_before_it() {
    let mut script = reporting();
    script.inject(data(1001..1501)).expect(ack(1).sack(&[1001..1501]));
    script.inject(data(2001..2501)).expect(ack(1).sack(&[2001..2501, 1001..1501]));
    script.inject(data(2501..3001)).expect(ack(1).sack(&[2001..3001, 1001..1501]));
    script.inject(data(2501..3001)).expect(ack(1).sack(&[2501..3001, 2001..3001, 1001..1501]));
    script.inject(data(1..501)).expect(ack(501).sack(&[2001..3001, 1001..1501]));
    script.inject(data(1..501)).expect(ack(501).sack(&[1..501, 2001..3001, 1001..1501]));
}

/// RFC 2883 section 4.2: of a segment that has come in part, that part.
#[test]
fn a_partial_duplicate_is_reported_in_part() {
    let mut script = reporting();
    script.inject(data(1..501)).inject(data(501..1001)).expect(ack(1001));
    script.inject(data(2001..2501)).expect(ack(1001).sack(&[2001..2501]));
    script.inject(data(501..1501)).expect(ack(1501).sack(&[501..1001, 2001..2501]));
    script.inject(data(1501..3001)).expect(ack(3001).sack(&[2001..2501]));
}

/// What a stranger makes up is not reported: it stands outside the window, or acknowledges what was not sent.
#[test]
fn only_what_the_peer_may_have_sent_is_reported() {
    let mut script = reporting();
    script.inject(data(1..501)).inject(data(501..1001)).expect(ack(1001));
    script.inject(data(1..501).ack(50_000)).expect(ack(1001));
}

/// A report for which there is no room next to data is not lost: it follows.
#[test]
fn a_report_without_room_follows_data() {
    let mut script = reporting();
    script.supply(20_000).expect_run(1..10_001, 1000);
    script.inject(data(1001..1501)).expect(ack(1).seq(10_001).sack(&[1001..1501]));
    script.inject(data(1001..1501).ack(1001)).expect(data(10_001..11_001)).expect(data(11_001..12_001));
    script.expect(ack(1).seq(12_001).sack(&[1001..1501, 1001..1501])).expect_nothing();
}
