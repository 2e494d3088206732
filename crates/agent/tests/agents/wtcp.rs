//! WTCP, packet by packet: its window over the air, and the timestamps.

use crate::support::{Script, ack, data};
use seamline_agent::{Parameters, WtcpParameters, find};
use seamline_wire::{Duration, Segment};

fn with(wtcp: WtcpParameters) -> Script {
    Script::new(find("wtcp").unwrap().build(&Parameters { wtcp, ..Parameters::default() }))
}

/// Four packets of 1000 bytes have passed at 0 ms, and the first is acknowledged at 20 ms: the timeout is 100 ms.
fn under_way() -> Script {
    let mut script = with(WtcpParameters::default());
    for n in 0..4 {
        script.wired(data(1 + n * 1000, 1000).timestamps(700 + n, 0)).onwards();
    }
    script.at(20).wireless(ack(1001)).onwards();
    script
}

fn times(segments: &[Segment]) -> Vec<(u32, u32)> {
    segments.iter().map(|it| (it.sequence.0, it.timestamps.expect("it has them").value)).collect()
}

/// A duplicate shows a loss on a good air: one retransmission, at once, and the source hears nothing of it.
#[test]
fn a_duplicate_has_the_packet_sent_again_and_leaves_the_window() {
    let mut script = under_way();
    let [to_source, over_the_air] = script.at(25).wireless(ack(1001)).sent_by_side();
    assert_eq!((to_source.len(), times(&over_the_air)), (0, vec![(1001, 701 + 25)]));
    script.at(26).wireless(ack(1001)).ends_here();
    script.wired(data(4001, 1000).timestamps(720, 0)).onwards();
    script.at(45).wireless(ack(4001)).onwards();
    assert_eq!(script.counters().suppressed_acknowledgments, 2);
}

/// A timeout shows a burst: one packet is under way, and what comes waits.
#[test]
fn a_timeout_leaves_one_packet_under_way() {
    let mut script = under_way();
    assert_eq!(script.next_sent(), (Duration::from_millis(120), vec![1001]));
    script.at(130).wired(data(4001, 1000).timestamps(730, 0)).ends_here();
    script.at(140).wired(data(5001, 1000).timestamps(740, 0)).ends_here();
    // The air is good again: what waited goes out at once, with what it waited in its timestamps, and what was lost as
    // acknowledgments come.
    let [to_source, over_the_air] = script.at(150).wireless(ack(2001)).sent_by_side();
    assert_eq!(to_source.len(), 1);
    let waited = [(4001, 730 + 20), (5001, 740 + 10)];
    let lost = [(2001, 702 + 150), (3001, 703 + 150)];
    assert_eq!(times(&over_the_air), [waited, lost].concat());
}

/// Each timeout doubles the next, as long as nothing is heard.
#[test]
fn timeouts_back_off() {
    let mut script = under_way();
    let at: Vec<Duration> = (0..4).map(|_| script.next_sent().0).collect();
    assert_eq!(at, [120, 320, 720, 1520].map(Duration::from_millis));
}

/// The time is counted from when the packet came here, however often it is sent.
#[test]
fn each_retransmission_is_later_by_the_time_here() {
    let mut script = under_way();
    let mut values = Vec::new();
    for at in [120, 320, 720] {
        let [_, over_the_air] = script.pass(at).sent_by_side();
        values.extend(times(&over_the_air));
    }
    assert_eq!(values, [(1001, 701 + 120), (1001, 701 + 320), (1001, 701 + 720)]);
}

#[test]
fn a_tick_of_zero_leaves_timestamps_as_they_are() {
    let mut script = with(WtcpParameters { timestamp_tick: Duration::ZERO, ..WtcpParameters::default() });
    script.wired(data(1, 1000).timestamps(700, 0)).onwards();
    let [_, over_the_air] = script.pass(1000).sent_by_side();
    assert_eq!(times(&over_the_air), [(1, 700)]);
}

/// What never came here is the source's to send, and it hears of that.
#[test]
fn a_loss_before_the_agent_is_the_sources() {
    let mut script = with(WtcpParameters::default());
    for n in [0, 2, 3, 4] {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(1001)).onwards();
    for at in 21..24 {
        script.at(at).wireless(ack(1001)).onwards();
    }
}
