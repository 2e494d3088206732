//! Acknowledgments that adapt to what arrives, as Linux's do; the functions named are those of Linux 6.12's net/ipv4.

use crate::script::*;
use seamline_tcp::State;
use seamline_tcp::parameters::{
    AcknowledgmentCompression, AdaptiveAcknowledgment, DelayedAcknowledgment, Parameters,
};
use seamline_wire::{Duration, Instant};

fn adapting(quick: u32, compression: Option<AcknowledgmentCompression>) -> Parameters {
    let adaptive = AdaptiveAcknowledgment {
        longest: Duration::from_millis(200),
        quick,
        tick: Duration::ZERO,
        compression,
    };
    let delayed =
        DelayedAcknowledgment { timeout: Duration::from_millis(40), segments: 2, adaptive: Some(adaptive) };
    plain(|p| p.receiver.delayed_acknowledgment = Some(delayed))
}
/// An application that reads at once, over a path of 100 ms.
fn reading(quick: u32) -> Script {
    let mut script = Script::established(adapting(quick, None), "newreno");
    script.read_at_once();
    script
}
fn segment(n: u32) -> Seg {
    data(n * 1000 + 1..n * 1000 + 1001)
}

/// tcp_incr_quickack: the first segments are acknowledged one by one, then more than a full one at once, and one alone after 40 ms.
#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let mut script = reading(16);
    for n in 0..16 {
        script.inject(segment(n)).expect(ack((n + 1) * 1000 + 1));
    }
    script.inject(segment(16)).expect_nothing().inject(segment(17)).expect(ack(18_001));
    script.at(200).inject(segment(18)).at(239).expect_nothing().at(240).expect(ack(19_001));
}

/// tcp_incr_quickack: not more of them than half of what fits into the window.
#[test]
fn quick_acknowledgments_are_bounded_by_the_window() {
    let mut parameters = adapting(16, None);
    parameters.receiver.buffer = 8000;
    let mut script = Script::established(parameters, "newreno");
    script.read_at_once();
    for n in 0..4 {
        script.inject(segment(n)).expect(ack((n + 1) * 1000 + 1));
    }
    script.inject(segment(4)).expect_nothing().inject(segment(5)).expect(ack(6001));
}

/// tcp_measure_rcv_mss: a segment that is not full ends a write, whether it says so or not. The second of the same size shows that full
/// segments have become smaller.
#[test]
fn full_segments_can_become_smaller() {
    let mut script = reading(0);
    script.inject(segment(0)).at(140).expect(ack(1001)).inject(data(1001..1201)).expect(ack(1201));
    script.inject(data(1201..1401)).expect_nothing().inject(data(1401..1601)).expect(ack(1601));
    script.inject(data(1601..1801)).expect_nothing().inject(data(1801..2001)).expect(ack(2001));
}

/// tcp_cleanup_rbuf: who has read the end of a write acknowledges it; who has not read waits.
#[test]
fn the_end_of_a_write_is_acknowledged_by_reading() {
    let mut script = reading(0);
    script.inject(segment(0).with_push()).expect(ack(1001)).inject(segment(1)).at(140).expect(ack(2001));
    let mut idle = Script::established(adapting(0, None), "newreno");
    idle.inject(segment(0).with_push()).at(120).expect_nothing().read(400).expect_nothing();
    idle.read(600).expect(ack(1001));
}

/// tcp_event_data_sent: an end that answers lets acknowledgments ride on its data, and leaves that when one had to be sent alone
/// (tcp_delack_timer_handler).
#[test]
fn who_answers_acknowledges_with_data() {
    let mut script = reading(16);
    script
        .inject(segment(0).with_push())
        .expect(ack(1001))
        .at(110)
        .supply(100)
        .expect(data(1..101).ack(1001));
    script.at(200).inject(segment(1).ack(101).with_push()).at(230).supply(100);
    script.expect(data(101..201).ack(2001)).at(300).inject(segment(2).ack(201).with_push()).expect_nothing();
    script.at(340).expect(ack(3001).seq(201)).inject(segment(3).ack(201)).expect(ack(4001).seq(201));
}

/// tcp_event_data_recv: after a pause longer than the retransmission timeout segments are acknowledged one by one again.
#[test]
fn after_a_pause_acknowledgments_are_quick() {
    let mut script = reading(1);
    script.inject(segment(0)).expect(ack(1001)).inject(segment(1)).expect_nothing().at(140).expect(ack(2001));
    script.at(1000).inject(segment(2)).at(1080).expect(ack(3001));
    script.at(2081).inject(segment(3)).expect(ack(4001));
}

/// tcp_enter_quickack_mode: so are they after a duplicate, whose own acknowledgment is one of them (tcp_data_queue).
#[test]
fn after_a_duplicate_acknowledgments_are_quick() {
    let mut script = reading(2);
    script.inject(segment(0)).expect(ack(1001)).inject(segment(1)).expect(ack(2001));
    script.inject(segment(2)).inject(segment(3)).expect(ack(4001)).inject(segment(3)).expect(ack(4001));
    script.inject(segment(4)).expect(ack(5001)).inject(segment(5)).expect_nothing().inject(segment(6));
    script.expect(ack(7001));
}

/// tcp_send_dupack: the acknowledgment of a duplicate that ends before what was last acknowledged is not one of the quick ones.
#[test]
fn the_answer_to_an_old_duplicate_is_not_counted() {
    let mut script = reading(2);
    script.inject(segment(0)).expect(ack(1001)).inject(segment(1)).expect(ack(2001));
    script.inject(segment(2)).inject(segment(3)).expect(ack(4001)).inject(segment(2)).expect(ack(4001));
    script.inject(segment(4)).expect(ack(5001)).inject(segment(5)).expect(ack(6001));
    script.inject(segment(6)).expect_nothing();
}

/// tcp_event_data_recv, tcp_send_delayed_ack: the wait follows the interval between segments, up to the round-trip time of 100 ms.
#[test]
fn the_wait_follows_the_interval() {
    let mut script = reading(0);
    script.at(1000).inject(segment(0)).at(1030).inject(segment(1)).expect(ack(2001));
    // 40 / 2 + 30, then half of it and 30 more.
    script.at(1060).inject(segment(2)).at(1115).expect(ack(3001));
    // Nothing carried it: 110, but no more than the round-trip time.
    script.at(1400).inject(segment(3)).at(1499).expect_nothing().at(1500).expect(ack(4001));
}

/// tcp_ack_snd_check: a gap that is filled is acknowledged at once, one that remains by the rules for data beyond it.
#[test]
fn gaps_are_acknowledged_at_once() {
    let mut script = reading(0);
    script.inject(segment(1)).expect(ack(1)).inject(segment(3)).expect(ack(1));
    script.inject(segment(0)).expect(ack(2001)).inject(segment(2)).expect(ack(4001));
}

/// tcp_fin: the application will close, and its FIN will acknowledge the peer's. Where it has closed before, nothing else will.
#[test]
fn a_fin_waits_for_ours() {
    let mut script = reading(16);
    script.inject(segment(0)).expect(ack(1001)).inject(fin(1001, 1)).expect_nothing();
    script.is(State::CloseWait).close().expect(fin(1, 1002));
    let mut lazy = reading(16);
    lazy.inject(segment(0)).expect(ack(1001)).inject(fin(1001, 1)).at(140).expect(ack(1002));
    for acknowledges in [1, 2] {
        let mut first = reading(16);
        first.close().expect(fin(1, 1)).inject(fin(1, acknowledges)).expect(ack(2).seq(2));
    }
}

/// The clock of the delayed acknowledgment's timer ticks 1000 times in a second, and the timer expires with the tick after the wait.
#[test]
fn waits_end_with_a_tick() {
    let mut parameters = adapting(0, None);
    if let Some(adaptive) =
        parameters.receiver.delayed_acknowledgment.as_mut().and_then(|it| it.adaptive.as_mut())
    {
        adaptive.tick = Duration::from_millis(1);
    }
    let mut script = Script::established(parameters, "newreno");
    let middle = |millis| Instant::from_millis(millis) + Duration::from_micros(500);
    script
        .read_at_once()
        .at_time(middle(199))
        .inject(segment(0))
        .at(239)
        .expect_nothing()
        .at(240)
        .expect(ack(1001));
    // Half of 80, which the timer has made of 40, and the 41 since the tick before: so long a timer has a slot of 8 ms.
    script.at_time(middle(240)).inject(segment(1)).at(327).expect_nothing().at(328).expect(ack(2001));
}

fn compressing() -> Script {
    let compression = AcknowledgmentCompression {
        spared: 3,
        delay: Duration::from_millis(1),
        percent_of_round_trip: 5,
        keeps_clock: true,
        slack: Duration::from_micros(100),
        most: 4,
    };
    let parameters = adapting(0, Some(compression));
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    script.read_at_once();
    script
}

/// __tcp_ack_snd_check: three acknowledgments of data beyond a gap are sent at once, then one stands for several; after progress three
/// are again.
#[test]
fn acknowledgments_beyond_a_gap_are_held_back() {
    let mut script = compressing();
    for n in 1..=3 {
        script.inject(segment(n)).expect(ack(1).sack(&[1001..(n + 1) * 1000 + 1]));
    }
    script.inject(segment(4)).inject(segment(5)).expect_nothing();
    let due = Instant::from_millis(101) + Duration::from_micros(100);
    script.at_time(due - Duration::from_nanos(1)).expect_nothing();
    script.at_time(due).expect(ack(1).sack(&[1001..6001]));
    script.inject(segment(0)).expect(ack(6001));
    for n in 7..=9 {
        script.inject(segment(n)).expect(ack(6001).sack(&[7001..(n + 1) * 1000 + 1]));
    }
    script.inject(segment(10)).expect_nothing().inject(segment(6)).expect(ack(11_001)).at(200);
}

/// HRTIMER_SOFTIRQ comes before NET_RX_SOFTIRQ: what is held back leaves before the segment counts that arrives as the wait ends.
#[test]
fn what_is_held_back_leaves_before_what_arrives_as_the_wait_ends() {
    let mut script = compressing();
    for n in 1..=3 {
        script.inject(segment(n)).expect(ack(1).sack(&[1001..(n + 1) * 1000 + 1]));
    }
    script.inject(segment(4)).expect_nothing();
    let due = Instant::from_millis(101) + Duration::from_micros(100);
    script.at_time(due).inject(segment(5)).expect(ack(1).sack(&[1001..5001])).expect_nothing();
    let due = due + Duration::from_micros(1100);
    script.at_time(due).expect(ack(1).sack(&[1001..6001]));
}

/// tcp_compressed_ack_kick: what is held back has the timestamp of the last arrival, or that of the time at which it leaves.
#[test]
fn what_is_held_back_may_read_the_clock() {
    for (keeps_clock, value) in [(true, 101), (false, 102)] {
        let mut parameters = compressing_parameters();
        parameters.segments.timestamp_tick = Some(Duration::from_millis(1));
        let adaptive =
            parameters.receiver.delayed_acknowledgment.as_mut().and_then(|it| it.adaptive.as_mut());
        if let Some(compression) = adaptive.and_then(|adaptive| adaptive.compression.as_mut()) {
            compression.keeps_clock = keeps_clock;
        }
        let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true).times(7, 1));
        script.read_at_once();
        let segment = |n: u32| data(n * 988 + 1..n * 988 + 989).times(7, 101);
        let report = |n: u32| ack(1).sack(&[989..(n + 1) * 988 + 1]);
        for n in 1..=3 {
            script.inject(segment(n)).expect(report(n).times(101, 7));
        }
        script.inject(segment(4)).expect_nothing();
        script
            .at_time(Instant::from_millis(101) + Duration::from_micros(100))
            .expect(report(4).times(value, 7));
    }
}

/// tcp_comp_sack_nr: one stands for so many only.
#[test]
fn not_too_many_acknowledgments_are_held_back() {
    let mut script = compressing();
    for n in 1..=3 {
        script.inject(segment(n)).expect(ack(1).sack(&[1001..(n + 1) * 1000 + 1]));
    }
    for n in 4..=7 {
        script.inject(segment(n)).expect_nothing();
    }
    script.inject(segment(8)).expect(ack(1).sack(&[1001..9001]));
}

/// tcp_sack_new_ofo_skb: what is held back leaves before a third block, and nothing more is owed for the segment that began the block; data
/// carry what is held back, too.
#[test]
fn what_is_held_back_leaves_before_blocks_are_many() {
    let mut script = compressing();
    script.inject(segment(1)).expect(ack(1).sack(&[1001..2001]));
    script.inject(segment(3)).expect(ack(1).sack(&[3001..4001, 1001..2001]));
    script.inject(segment(4)).expect(ack(1).sack(&[3001..5001, 1001..2001]));
    script.inject(segment(5)).expect_nothing().inject(segment(7));
    script.expect(ack(1).sack(&[3001..6001, 1001..2001])).expect_nothing();
    script.at_time(Instant::from_millis(101) + Duration::from_micros(100));
    script.expect_nothing().inject(segment(8)).expect_nothing().supply(100);
    script.expect(data(1..101).sack(&[7001..9001, 3001..6001, 1001..2001])).at(110).expect_nothing();
    script.endpoint.cut_supply();
}

/// Without SACK each is sent: the peer counts them.
#[test]
fn a_peer_without_sack_gets_every_acknowledgment() {
    let mut script = Script::established(compressing_parameters(), "newreno");
    for n in 1..=9 {
        script.inject(segment(n)).expect(ack(1));
    }
}
fn compressing_parameters() -> Parameters {
    (seamline_tcp::profile::LINUX.parameters)().receiver.delayed_acknowledgment.map_or_else(
        || unreachable!("Linux delays acknowledgments"),
        |delayed| plain(|p| p.receiver.delayed_acknowledgment = Some(delayed)),
    )
}

/// tcp_sack_new_ofo_skb: only the last four blocks are known, and a fifth that is forgotten does not come back.
#[test]
fn forgotten_blocks_stay_forgotten() {
    let parameters = plain(|p| p.receiver.forgets_older_blocks = true);
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    (1..=6).for_each(|n| {
        script.inject(data(n * 1000..n * 1000 + 500));
    });
    let last = script.take().pop().expect("an acknowledgment");
    assert_eq!(last.sack, [6000..6500, 5000..5500, 4000..4500, 3000..3500]);
    script.inject(data(3500..6000)).expect(ack(1).sack(&[3000..6500]));
    script.inject(data(1500..2000)).expect(ack(1).sack(&[1500..2000, 3000..6500]));
}
