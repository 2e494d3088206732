//! Fairness control at a mobile router, packet by packet: the windows that it lets hosts offer.

use crate::support::{Script, Sent, ack, data, syn};
use seamline_agent::{FairnessParameters, Parameters, find};
use seamline_wire::{Duration, Flags, Rate};

/// Of 8 Mbit/s, which is 1000 bytes in a millisecond.
fn router(target: f64) -> Script {
    let fairness = FairnessParameters {
        rate: Rate::from_megabits_per_second(8),
        interval: Duration::from_secs(1),
        target,
    };
    Script::new(find("fairness").unwrap().build(&Parameters { fairness, ..Parameters::default() }))
}

/// Windows in units of 4 bytes.
fn scaled(mut sent: Sent) -> Sent {
    sent.0.window_scale = Some(2);
    sent
}

/// A connection begins: 30 ms to the source and back, by the handshake, and 10 ms to the host on board and back.
fn begin(script: &mut Script, begin: u64) {
    script.at(begin).wired(scaled(syn(0))).onwards();
    let answer = scaled(syn(0).flags(Flags::SYN | Flags::ACK).acknowledging(1).window(1000));
    script.at(begin + 10).wireless(answer).onwards();
    script.at(begin + 40).wired(ack(1)).onwards().wired(data(1, 1000)).onwards();
    script.at(begin + 50).wireless(ack(1001).window(1000)).onwards();
}

#[test]
fn one_connection_may_fill_the_link() {
    let mut script = router(0.95);
    begin(&mut script, 0);
    // 40 ms of 1000 bytes each: 40000 bytes, in units of 4.
    script.at(60).wireless(ack(1001).window(20_000)).onwards_as(ack(1001).window(10_000));
    // A smaller window of the host passes as it is.
    script.at(61).wireless(ack(1001).window(5000)).onwards();
}

#[test]
fn two_connections_get_half_each() {
    let mut script = router(0.95);
    begin(&mut script, 0);
    script.fixed_port(81);
    begin(&mut script, 100);
    script.at(160).wireless(ack(1001).window(20_000)).onwards_as(ack(1001).window(5000));
    script.fixed_port(80);
    script.at(161).wireless(ack(1001).window(20_000)).onwards_as(ack(1001).window(5000));
}

/// A connection counts for the interval in which it was sent something, and for the next.
#[test]
fn a_silent_connection_leaves_its_share() {
    let mut script = router(0.0);
    begin(&mut script, 0);
    script.fixed_port(81);
    begin(&mut script, 100);
    script.at(1500).wired(data(1001, 1000)).onwards();
    script.at(1510).wireless(ack(2001).window(20_000)).onwards_as(ack(2001).window(5000));
    script.at(2600).wired(data(2001, 1000)).onwards();
    script.at(2610).wireless(ack(3001).window(20_000)).onwards_as(ack(3001).window(10_000));
}

/// Round-trip times are those of the start as long as the connections are sent alike, and estimated anew when they are not. The
/// connection on port 80 has a longer way by then: the echo of its timestamp takes 60 ms.
#[test]
fn an_unfair_share_has_round_trips_estimated_anew() {
    for (target, expected) in [(0.0, 5000), (0.95, 8750)] {
        let mut script = router(target);
        begin(&mut script, 0);
        script.fixed_port(81);
        begin(&mut script, 100);
        script.fixed_port(80);
        script.at(200).wireless(ack(1001).window(1000).timestamps(7, 0)).onwards();
        for n in 0..10 {
            script.at(260).wired(data(1001 + n * 1000, 1000).timestamps(9, 7)).onwards();
        }
        script.at(270).wireless(ack(2001).window(1000).timestamps(8, 9)).onwards();
        script.at(1300).wired(data(11_001, 1000).timestamps(10, 7)).onwards();
        let newest = ack(12_001).timestamps(8, 10).window(20_000);
        script.at(1310).wireless(newest.clone()).onwards_as(newest.window(expected));
    }
}

/// A window whose scale is not known is left alone.
#[test]
fn a_connection_whose_beginning_was_not_seen_passes() {
    let mut script = router(0.95);
    for n in 0..100 {
        script.at(100 * n).wired(data(1 + n as u32 * 1000, 1000)).onwards();
        script.at(100 * n + 10).wireless(ack(1001 + n as u32 * 1000).window(60_000)).onwards();
    }
}
