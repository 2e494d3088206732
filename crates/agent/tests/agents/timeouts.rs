//! What agents do after their timers, packet by packet. Packet n carries 1000 bytes from n * 1000 + 1 on.

use crate::support::{Script, Sent, ack, data};
use seamline_agent::{ObtcpParameters, Parameters, Role, SnoopParameters, find};
use seamline_wire::Duration;

fn snoop(snoop: SnoopParameters) -> Script {
    Script::new(find("snoop").unwrap().build(&Parameters { snoop, ..Parameters::default() }))
}

fn base_station_that_goes_on(goes_on_after_timeouts: bool) -> Script {
    let obtcp = ObtcpParameters {
        role: Role::BaseStation,
        goes_on_after_timeouts,
        minimum_timeout: Duration::from_millis(100),
        timer_granularity: Duration::ZERO,
        ..ObtcpParameters::default()
    };
    Script::new(find("obtcp").unwrap().build(&Parameters { obtcp, ..Parameters::default() }))
}

fn packet(n: u32) -> Sent {
    data(n * 1000 + 1, 1000)
}

/// The acknowledgment that asks for packet n.
fn wants(n: u32) -> Sent {
    ack(n * 1000 + 1)
}

const ROUND_TRIP: u64 = 40;

/// Packets up to 11 are through after a round trip; 12 to 19 are under way when the timer goes off and 12 is sent again. Returns when that was.
fn timed_out(mut script: Script) -> (Script, u64) {
    for n in 0..12 {
        script.wired(packet(n)).onwards();
    }
    script.at(ROUND_TRIP);
    for n in 1..13 {
        script.wireless(wants(n)).onwards();
    }
    for n in 12..20 {
        script.at(50).wired(packet(n)).onwards();
    }
    let (at, sent) = script.next_sent();
    assert_eq!(sent, [12_001]);
    (script, at.as_millis() + 1)
}

fn both() -> [Script; 2] {
    [snoop(SnoopParameters::default()), base_station_that_goes_on(true)]
}

/// All of it was lost: two go out for each that has come, and none that came later or was sent again since by its sender.
#[test]
fn what_was_under_way_goes_out_again() {
    for script in both() {
        let (mut script, at) = timed_out(script);
        script.at(at + 10).wired(packet(20)).onwards().wired(packet(15)).onwards();
        script.at(at + ROUND_TRIP).wireless(wants(13)).sends_again(13_001).sends_again(14_001).onwards();
        let at = at + 2 * ROUND_TRIP;
        script.at(at).wireless(wants(14)).sends_again(16_001).sends_again(17_001).onwards();
        script.wireless(wants(16)).sends_again(18_001).sends_again(19_001).onwards();
        script.at(at + ROUND_TRIP).wireless(wants(18)).onwards().wireless(wants(21)).onwards();
        script.at(60_000).is_quiet();
        assert_eq!(script.counters().local_retransmissions, 7);
    }
}

/// What the mobile host lists has not been lost.
#[test]
fn what_has_come_stays() {
    for script in both() {
        let (mut script, at) = timed_out(script);
        script.at(at + ROUND_TRIP).wireless(wants(13).sack(&[(14_001, 17_001), (18_001, 19_001)]));
        script.sends_again(13_001).sends_again(17_001).onwards();
        script.at(at + 2 * ROUND_TRIP).wireless(wants(17).sack(&[(18_001, 19_001)]));
        script.sends_again(19_001).onwards().wireless(wants(20)).onwards();
        script.at(60_000).is_quiet();
        assert_eq!(script.counters().local_retransmissions, 4);
    }
}

/// The air has held all up, for instance in a handover, and an acknowledgment comes sooner than one of what was sent again could: nothing was lost.
#[test]
fn what_was_held_up_goes_out_once() {
    for script in both() {
        let (mut script, at) = timed_out(script);
        for n in 13..20 {
            script.at(at + u64::from(n)).wireless(wants(n)).onwards();
        }
        assert_eq!(script.counters().local_retransmissions, 1);
    }
    // Two are acknowledged, one of them was sent once, and the host would have listed it before if it had waited for the other.
    for script in both() {
        let (mut script, at) = timed_out(script);
        script.at(at + 1).wireless(wants(12).sack(&[(18_001, 19_001)])).onwards();
        script.at(at + ROUND_TRIP).wireless(wants(14)).onwards();
        script.at(at + 2 * ROUND_TRIP).wireless(wants(16)).onwards();
        assert_eq!(script.counters().local_retransmissions, 1);
    }
    // Of a host that lists nothing that has to come twice in a row.
    for script in both() {
        let (mut script, at) = timed_out(script);
        script.at(at + ROUND_TRIP).wireless(wants(14)).sends_again(14_001).sends_again(15_001).onwards();
        script.at(at + 2 * ROUND_TRIP).wireless(wants(17)).onwards();
        script.at(at + 3 * ROUND_TRIP).wireless(wants(18)).onwards();
        assert_eq!(script.counters().local_retransmissions, 3);
    }
    // It shows by what is sent then.
    for script in both() {
        let (mut script, at) = timed_out(script);
        script.at(at + ROUND_TRIP).wireless(wants(13)).sends_again(13_001).sends_again(14_001).onwards();
        for n in 14..20 {
            script.at(at + ROUND_TRIP + u64::from(n)).wireless(wants(n)).onwards();
        }
        assert_eq!(script.counters().local_retransmissions, 3);
    }
}

/// A repair that is lost, too, is sent by the next timeout, and everything behind it goes on from there. Snoop and obTCP wait no longer for that than they
/// would have at first, once repairs arrive again.
#[test]
fn a_repair_may_be_lost() {
    for script in both() {
        let (mut script, at) = timed_out(script);
        let at = at + 500;
        let first = script.wakes_until(at);
        assert!(!first.is_empty() && first.iter().all(|(_, sent)| sent == &[12_001]), "{first:?}");
        script.at(at).wireless(wants(13)).sends_again(13_001).sends_again(14_001).onwards();
        let at = at + ROUND_TRIP;
        script.at(at).wireless(wants(14)).sends_again(15_001).sends_again(16_001).onwards();
        // 14 is lost once more, and 15 has come.
        let at = at + ROUND_TRIP;
        script.at(at).wireless(wants(14).sack(&[(15_001, 16_001)])).onwards();
        let (again, sent) = script.next_sent();
        assert_eq!(sent, [14_001]);
        assert!((at..at + 400).contains(&again.as_millis()), "{again:?} after {at} ms");
        let after = again.as_millis() + ROUND_TRIP;
        script.at(after).wireless(wants(16)).sends_again(16_001).sends_again(17_001).onwards();
    }
}

/// At another base station nothing is known of the link: repairs may arrive sooner than they ever did before.
#[test]
fn another_cell_may_be_faster() {
    for (script, other) in both().into_iter().zip(both()) {
        let (mut script, at) = timed_out(script);
        let mut script = script.moves_to(other, at + 10);
        for n in 12..20 {
            script.sends_again(n * 1000 + 1);
        }
        let (at, sent) = script.next_sent();
        assert_eq!(sent, [12_001]);
        let at = at.as_millis() + 5;
        script.at(at).wireless(wants(13)).sends_again(13_001).sends_again(14_001).onwards();
        script.at(at + 5).wireless(wants(14)).sends_again(15_001).sends_again(16_001).onwards();
    }
}

/// From ns-2's Snoop, and where it is not wanted, one packet goes out at each timeout.
#[test]
fn each_packet_may_wait_for_a_timeout() {
    for script in [snoop(SnoopParameters::ns2()), base_station_that_goes_on(false)] {
        let (mut script, at) = timed_out(script);
        script.at(at + ROUND_TRIP).wireless(wants(13)).onwards().is_quiet();
        let sent: Vec<_> = script.wakes_until(at + 10_000).into_iter().map(|(_, sent)| sent).collect();
        assert!(!sent.is_empty() && sent.iter().all(|sent| sent == &[13_001]), "{sent:?}");
    }
}
