//! M-TCP, packet by packet: the byte that it holds back, and what happens while the mobile host is out of reach.

use crate::support::{Script, Sent, ack, data, syn};
use seamline_agent::{MTcpParameters, Parameters, find};
use seamline_wire::{Duration, Flags, Segment};

fn with(m_tcp: MTcpParameters) -> Script {
    Script::new(find("m-tcp").unwrap().build(&Parameters { m_tcp, ..Parameters::default() }))
}

/// Three packets of 1000 bytes have passed at 0 ms, and the first is acknowledged at 20 ms: the timeout is 100 ms.
fn under_way() -> Script {
    let mut script = with(MTcpParameters::default());
    for n in 0..3 {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(1001)).onwards_as(ack(1000));
    script
}

fn numbers(segments: &[Segment]) -> Vec<(u32, u16)> {
    segments.iter().map(|segment| (segment.acknowledgment.0, segment.window)).collect()
}

#[test]
fn the_last_byte_is_held_back_while_more_is_under_way() {
    let mut script = under_way();
    script.at(21).wireless(ack(2001)).onwards_as(ack(2000));
    // Nothing else is under way: the source has no other byte that could be held back.
    script.at(22).wireless(ack(3001)).onwards_as(ack(3001));
    script.at(60_000).is_quiet();
}

/// Never less than was acknowledged before.
#[test]
fn what_was_acknowledged_to_the_source_stays_acknowledged() {
    let mut script = under_way();
    script.at(22).wireless(ack(3001)).onwards_as(ack(3001));
    script.at(30).wired(data(3001, 1000)).onwards();
    script.at(31).wireless(ack(3001).window(900)).onwards();
}

#[test]
fn a_silent_mobile_host_freezes_the_source_with_that_byte() {
    let mut script = under_way();
    script.pass(119).is_quiet();
    let [to_source, over_the_air] = script.pass(120).sent_by_side();
    assert_eq!(numbers(&to_source), [(1001, 0)]);
    assert_eq!(to_source[0].length, 0);
    assert_eq!(over_the_air.iter().map(|it| it.sequence.0).collect::<Vec<_>>(), [1001]);
    // From then on the agent alone asks for the mobile host.
    let probes = script.wakes_until(1000);
    let expected: Vec<_> = (1..5).map(|n| (Duration::from_millis(120 + 200 * n), vec![1001])).collect();
    assert_eq!(probes, expected);
}

#[test]
fn a_probe_of_the_frozen_source_is_answered_by_the_agent() {
    let mut script = under_way();
    script.pass(120).sent_by_side();
    let [to_source, over_the_air] = script.wired(data(3001, 1)).sent_by_side();
    assert_eq!((numbers(&to_source), over_the_air.len()), (vec![(1001, 0)], 1));
    // Data that was on its way when the source was frozen is kept, and not answered.
    let [to_source, over_the_air] = script.wired(data(4001, 1000)).sent_by_side();
    assert_eq!((to_source.len(), over_the_air.len()), (0, 1));
}

#[test]
fn a_mobile_host_that_is_back_gets_what_it_missed_and_opens_the_window() {
    let mut script = under_way();
    script.pass(5000).sent_by_side();
    script.at(5000).wireless(ack(2001)).sends_again(2001).onwards_as(ack(2000));
    script.at(5020).wireless(ack(3001)).onwards_as(ack(3001));
    script.at(60_000).is_quiet();
}

/// The source has to see three equal numbers, which an acknowledgment of the byte would otherwise be the first of.
#[test]
fn a_duplicate_releases_the_byte_and_passes() {
    let mut script = under_way();
    let [to_source, _] = script.at(21).wireless(ack(1001)).sent_by_side();
    assert_eq!(numbers(&to_source), [(1001, 1000), (1001, 1000)]);
    script.at(22).wireless(ack(1001)).onwards();
    assert_eq!(script.counters().local_retransmissions, 0);
}

/// A packet that was lost before the agent is the source's to send: the mobile host is not out of reach because it waits for that.
#[test]
fn a_loss_before_the_agent_freezes_nobody() {
    let mut script = with(MTcpParameters::default());
    for n in [0, 2, 3] {
        script.wired(data(1 + n * 1000, 1000)).onwards();
    }
    script.at(20).wireless(ack(1001)).onwards_as(ack(1000));
    script.at(60_000).is_quiet();
}

/// A bandwidth is allocated by the window, in the units of the mobile host's window field.
#[test]
fn the_window_is_the_allocation() {
    let mut script = with(MTcpParameters { window: Some(8000), ..MTcpParameters::default() });
    let scaled = |mut sent: Sent| {
        sent.0.window_scale = Some(2);
        sent
    };
    script.wired(scaled(syn(0))).onwards();
    let answer = scaled(syn(0).flags(Flags::SYN | Flags::ACK).acknowledging(1).window(60_000));
    script.at(10).wireless(answer.clone()).onwards_as(answer.window(8000));
    script.at(20).wired(data(1, 1000)).onwards().at(30);
    script.wireless(ack(1001).window(60_000)).onwards_as(ack(1001).window(2000));
    script.wireless(ack(1001).window(1500)).onwards();
}
