//! obTCP packet by packet. Packet n carries 1000 bytes from n * 1000 + 1 on.

use crate::support::{Script, Sent, ack, data};
use seamline_agent::Side::{Wired, Wireless};
use seamline_agent::{ObtcpParameters, Parameters, Role, find};
use seamline_wire::control::MissingBytes::{LostByCongestion, Request};
use seamline_wire::{Duration, Instant};

/// Its timers are those of Snoop, longer than all delays here.
fn agent(obtcp: ObtcpParameters) -> Script {
    let obtcp = ObtcpParameters {
        minimum_timeout: Duration::from_millis(100),
        timer_granularity: Duration::ZERO,
        ..obtcp
    };
    Script::new(find("obtcp").unwrap().build(&Parameters { obtcp, ..Parameters::default() }))
}

fn base_station() -> Script {
    agent(ObtcpParameters { role: Role::BaseStation, ..ObtcpParameters::default() })
}

fn mobile_router() -> Script {
    agent(ObtcpParameters::default())
}

fn packet(n: u32) -> Sent {
    data(n * 1000 + 1, 1000)
}

/// The acknowledgment that asks for packet n.
fn wants(n: u32) -> Sent {
    ack(n * 1000 + 1)
}

fn bytes(packets: std::ops::RangeInclusive<u32>) -> (u32, u32) {
    (packets.start() * 1000 + 1, (packets.end() + 1) * 1000 + 1)
}

/// Packets up to 11 are through and acknowledged, 40 ms after they were sent on.
fn up_to_11(mut script: Script) -> Script {
    for n in 0..12 {
        script.wired(packet(n)).onwards();
    }
    script.at(40);
    for n in 1..13 {
        script.wireless(wants(n)).onwards();
    }
    script
}

/// Figure 6: 12 to 15 are lost between base station and mobile router. One SNACK names all of them.
#[test]
fn the_mobile_router_asks_once_for_all_that_is_missing() {
    let mut script = up_to_11(mobile_router());
    script.at(50).wired(packet(16)).tells(Wired, Request, &[bytes(12..=15)]).onwards();
    // What comes behind it changes nothing, and duplicates go no further.
    for n in 17..20 {
        script.at(34 + u64::from(n)).wired(packet(n)).onwards();
    }
    for at in 90..94 {
        script.at(at).wireless(wants(12)).ends_here();
    }
    for n in 12..16 {
        script.at(94).wired(packet(n)).onwards();
    }
    script.at(134).wireless(wants(20)).onwards().at(60_000).is_quiet();
    assert_eq!((script.counters().messages, script.counters().suppressed_acknowledgments), (1, 4));
    assert_eq!(script.counters().local_retransmissions, 0);
}

#[test]
fn the_base_station_sends_all_that_is_asked_for_at_once() {
    let mut script = up_to_11(base_station());
    for n in 12..18 {
        script.at(50).wired(packet(n)).onwards();
    }
    script.at(90).hears(Wireless, Request, &[bytes(12..=13), bytes(15..=15)]);
    script.tells(Wireless, LostByCongestion, &[(12_001, 12_001)]);
    script.sends_again(12_001).sends_again(13_001).sends_again(15_001).ends_here();
    script.at(130).wireless(wants(18)).onwards().at(60_000).is_quiet();
}

/// A host that forges requests, or repeats one, has each packet sent as often as a mobile router would ask for it, and no more; it counts again when it comes again.
#[test]
fn nobody_has_a_packet_sent_again_without_end() {
    let mut script = up_to_11(base_station());
    script.at(50).wired(packet(12)).onwards();
    for again in 1..=2 {
        for asked in 0..100 {
            script.hears(Wireless, Request, &[bytes(12..=12)]);
            script.tells(Wireless, LostByCongestion, &[(12_001, 12_001)]);
            if asked < 10 {
                script.sends_again(12_001);
            }
            script.ends_here();
        }
        assert_eq!(script.counters().local_retransmissions, 10 * again);
        script.wired(packet(12)).onwards();
    }
}

/// Figure 5: Snoop gets to know of one lost packet in a round trip of the whole way, from the duplicate for it.
#[test]
fn snoop_repairs_one_packet_a_round_trip() {
    let mut snoop = Parameters::default();
    snoop.snoop.passed_duplicates = 0;
    let mut script = up_to_11(Script::new(find("snoop").unwrap().build(&snoop)));
    for n in 12..20 {
        script.at(50).wired(packet(n)).onwards();
    }
    script.at(90).wireless(wants(12)).sends_again(12_001).ends_here();
    // Those of 17, 18 and 19 say nothing new; the next packet that is lost is known when this one has come.
    for _ in 0..3 {
        script.wireless(wants(12)).ends_here();
    }
    script.at(130).wireless(wants(13)).onwards();
    script.wired(packet(20)).onwards().at(170).wireless(wants(13)).sends_again(13_001).ends_here();
}

/// The base station says first what it has not got, so that nobody is asked for it; duplicates for it go on.
#[test]
fn losses_by_congestion_are_left_to_the_sender() {
    let mut script = up_to_11(base_station());
    script.at(50).wired(packet(14)).tells(Wireless, LostByCongestion, &[bytes(12..=13)]).onwards();
    script.wired(packet(15)).onwards();
    let mut script = up_to_11(mobile_router());
    script.at(50).hears(Wired, LostByCongestion, &[bytes(12..=13)]).ends_here();
    // 15 is lost on the air.
    script.wired(packet(14)).onwards().wired(packet(16)).tells(Wired, Request, &[bytes(15..=15)]).onwards();
    for at in 90..93 {
        script.at(at).wireless(wants(12)).onwards();
    }
    script
        .wired(packet(12))
        .onwards()
        .at(132)
        .wireless(wants(13))
        .onwards()
        .at(133)
        .wireless(wants(13))
        .onwards();
    script.wired(packet(13)).onwards().at(134).wired(packet(15)).onwards();
    script.at(174).wireless(wants(17)).onwards().at(60_000).is_quiet();
    assert_eq!(script.counters().messages, 1);
}

/// Whatever the base station cannot send again only the sender can: it answers so.
#[test]
fn the_base_station_answers_what_it_has_not_got() {
    let mut script = up_to_11(base_station());
    script.at(50).wired(packet(12)).onwards();
    script.wired(packet(14)).tells(Wireless, LostByCongestion, &[bytes(13..=13)]).onwards();
    // That message was lost on the air, and so was 12.
    script.at(90).hears(Wireless, Request, &[bytes(11..=13)]);
    script.tells(Wireless, LostByCongestion, &[bytes(13..=13)]).sends_again(12_001).ends_here();
    // What it has never seen, or is acknowledged, it does not speak of; what nobody asks is not for it.
    script.hears(Wireless, Request, &[bytes(3..=5), bytes(20..=30)]);
    script.tells(Wireless, LostByCongestion, &[(3001, 3001)]).ends_here();
    for strange in [&[(9000, 8000)][..], &[], &[(200_001, 201_001)], &[bytes(13..=13), (200_001, 201_001)]] {
        script.hears(Wireless, Request, strange).onwards().is_quiet();
    }
    assert_eq!(script.counters().implausible, 4);
}

/// A request or its repair is lost: it is asked again after a timeout, which doubles; then the sender is let know.
#[test]
fn requests_are_repeated_and_given_up() {
    let mut script =
        agent(ObtcpParameters { requests: 3, role: Role::MobileRouter, ..ObtcpParameters::default() });
    script.wired(packet(0)).onwards().at(10).wireless(wants(1)).onwards();
    script.at(20).wired(packet(2)).tells(Wired, Request, &[bytes(1..=1)]).onwards();
    script.hears(Wired, LostByCongestion, &[(1001, 1001)]).ends_here();
    script.at(30).wireless(wants(1)).ends_here();
    for (expected, is_last) in [(120, false), (320, false), (720, true)] {
        let at = loop {
            let at = script.next_wake();
            if at >= Instant::from_millis(expected) {
                break at;
            }
            script.is_quiet();
        };
        assert_eq!(at, Instant::from_millis(expected));
        if !is_last {
            script.tells(Wired, Request, &[bytes(1..=1)]).is_quiet();
        }
    }
    script.wireless(wants(1)).onwards();
    // Nobody answers any more: the next gap is asked for, but its duplicates go on at once.
    script.wired(packet(4)).tells(Wired, Request, &[bytes(3..=3)]).onwards();
    script.wired(packet(1)).onwards().wireless(wants(3)).onwards().wireless(wants(3)).onwards();
}

/// On the link to the host: everything from what is missing on goes out again, once for all the duplicates of it.
#[test]
fn the_mobile_router_goes_back_to_what_its_host_misses() {
    let mut script = up_to_11(mobile_router());
    for n in 12..16 {
        script.at(50).wired(packet(n)).onwards();
    }
    script.at(90).wireless(wants(12)).sends_again(12_001).sends_again(13_001).sends_again(14_001);
    script.sends_again(15_001).ends_here();
    script.wireless(wants(12)).ends_here().wireless(wants(12)).ends_here();
    // It has 13 to 15 twice then, and says so; the sender need not know.
    script.at(130).wireless(wants(16)).onwards();
    for _ in 0..3 {
        script.wireless(wants(16)).ends_here();
    }
    script.at(60_000).is_quiet();
    assert_eq!(script.counters().messages, 0);
}

/// A packet that was lost twice is sent again by a duplicate that can tell of it, or by the timer.
#[test]
fn what_was_sent_again_in_vain_is_sent_once_more() {
    let mut script = up_to_11(mobile_router());
    script.at(50).wired(packet(12)).onwards().wired(packet(13)).onwards();
    script.at(90).wireless(wants(12)).sends_again(12_001).sends_again(13_001).ends_here();
    script.at(129).wireless(wants(12)).ends_here();
    script.at(130).wireless(wants(12)).sends_again(12_001).sends_again(13_001).ends_here();
    let again = script.wakes_until(1000);
    assert_eq!(again[0].1, [12_001, 13_001]);
    assert!(again[0].0.as_secs_f64() >= 0.23 && again.len() <= 4, "{again:?}");
}

/// Where the rate is low, what was sent again waits behind itself, longer than a round trip took before. Its duplicates are counted, not timed:
/// four packets behind the missing one cause four before its copy arrives, and the four copies behind that cause four more. The fifth says that a
/// copy was lost.
#[test]
fn duplicates_of_what_was_sent_again_are_no_losses() {
    let mut script = up_to_11(mobile_router());
    for n in 12..17 {
        script.at(50).wired(packet(n)).onwards();
    }
    script.at(90).wireless(wants(12));
    for n in 12..17 {
        script.sends_again(n * 1000 + 1);
    }
    script.ends_here();
    for at in [110, 130, 150] {
        script.at(at).wireless(wants(12)).ends_here();
    }
    script.at(170).wireless(wants(17)).onwards();
    script.wired(packet(17)).onwards();
    for at in [180, 190, 200, 210] {
        script.at(at).wireless(wants(17)).ends_here();
    }
    assert_eq!(script.counters().local_retransmissions, 5);
    script.at(211).wireless(wants(17)).sends_again(17_001).ends_here();
}

/// Packets 12 to 20 have come, and 12 is lost on the link to the host: everything goes out again.
fn gone_back_to_12() -> Script {
    let mut script = up_to_11(mobile_router());
    for n in 12..=20 {
        script.at(50).wired(packet(n)).onwards();
    }
    // That 11 came twice says nothing of 12 (RFC 2883).
    for at in 95..97 {
        script.at(at).wireless(wants(12).sack(&[bytes(11..=11)])).onwards();
    }
    script.wireless(wants(12).sack(&[bytes(13..=13)]));
    for n in 12..=20 {
        script.sends_again(n * 1000 + 1);
    }
    // The rest of what was under way before; the window grows with it.
    for n in 14..=20 {
        script.at(97).wireless(wants(12).window(1000 + n as u16).sack(&[bytes(13..=n)])).ends_here();
    }
    script
}

/// Copies that the host did not need are reported as having come twice. These reports are used up by them, whatever their windows, so that what comes
/// after them is heard again.
#[test]
fn reports_of_what_came_twice_are_echoes() {
    let mut script = gone_back_to_12();
    let twice = |n: u32| wants(21).window(2000 + n as u16).sack(&[bytes(n..=n)]);
    script.at(136).wireless(wants(21)).onwards();
    // The sender has not got that.
    script.wired(packet(11)).onwards().wireless(twice(11)).onwards();
    for n in 13..=20 {
        script.wireless(twice(n)).ends_here();
    }
    script.wireless(twice(20)).onwards();
    script.at(140).wired(packet(21)).onwards().wired(packet(22)).onwards();
    script.at(185).wireless(wants(21).sack(&[bytes(22..=22)])).sends_again(21_001).sends_again(22_001);
    script.ends_here();
}

/// The copy of what is missing is lost, too: those behind it are reported before there is progress, and the timer goes back once more.
#[test]
fn copies_behind_a_lost_one_are_echoes() {
    let mut script = gone_back_to_12();
    for n in 13..=20 {
        script.at(137).wireless(wants(12).sack(&[bytes(n..=n), bytes(13..=20)])).ends_here();
    }
    script.wireless(wants(12).sack(&[bytes(20..=20), bytes(13..=20)])).onwards();
    let all: Vec<u32> = (12..=20).map(|n| n * 1000 + 1).collect();
    assert_eq!(script.wakes_until(300), [(Duration::from_millis(196), all)]);
}

/// Duplicates for what it does not hold are the sender's, but for as many as what it sent again may have caused.
#[test]
fn what_is_not_held_is_not_hidden() {
    let mut script = agent(ObtcpParameters { cache: 2, ..ObtcpParameters::default() });
    for n in 0..6 {
        script.wired(packet(n)).onwards();
    }
    script.at(40).wireless(wants(0)).onwards();
    script.wireless(wants(0)).sends_again(1).sends_again(1001).ends_here();
    // The copies fill up to what it has not kept; that is lost, too, and one copy may be what is heard next.
    script.at(80).wireless(wants(2)).onwards().wireless(wants(2)).ends_here();
    for _ in 0..3 {
        script.wireless(wants(2)).onwards();
    }
    assert_eq!(script.counters().not_cached, 4);
}

/// A packet that is late, on either side of the base station, costs at most one more of it, and no storm.
#[test]
fn late_packets_cause_no_storm() {
    let mut script = up_to_11(base_station());
    script.at(50).wired(packet(13)).tells(Wireless, LostByCongestion, &[bytes(12..=12)]).onwards();
    script.wired(packet(12)).onwards().at(90).wireless(wants(14)).onwards().at(60_000).is_quiet();

    let mut script = up_to_11(mobile_router());
    script.at(50).wired(packet(13)).tells(Wired, Request, &[bytes(12..=12)]).onwards();
    script.at(51).wired(packet(12)).onwards();
    script.at(90).wireless(wants(12)).ends_here().at(91).wireless(wants(14)).onwards();
    // The repair was not needed; the host says so once more.
    script.wired(packet(12)).onwards().at(130).wireless(wants(14)).onwards().at(60_000).is_quiet();
    assert_eq!((script.counters().messages, script.counters().local_retransmissions), (1, 0));
}

/// The last packets show no gap: the timers of both agents look after them, and not for ever.
#[test]
fn the_last_packets_are_looked_after() {
    for mut script in [up_to_11(base_station()), up_to_11(mobile_router())] {
        script.at(50).wired(packet(12)).onwards();
        let again = script.wakes_until(600_000);
        assert_eq!(again[0].1, [12_001]);
        assert_eq!(again.len(), 10, "{again:?}");
        let gaps: Vec<_> = again.windows(2).map(|pair| pair[1].0.as_nanos() - pair[0].0.as_nanos()).collect();
        assert!(gaps.windows(2).all(|pair| pair[1] >= pair[0]), "{gaps:?}");
    }
    let parameters =
        ObtcpParameters { role: Role::BaseStation, base_station_timer: false, ..ObtcpParameters::default() };
    let mut script = up_to_11(agent(parameters));
    script.at(50).wired(packet(12)).onwards().at(600_000).is_quiet();
}

/// Messages for the other role, or about connections that are not known, go on.
#[test]
fn strange_messages_go_on() {
    let mut script = base_station();
    script.hears(Wireless, Request, &[bytes(1..=1)]).onwards().is_quiet();
    let mut script = up_to_11(base_station());
    script.hears(Wired, LostByCongestion, &[bytes(1..=1)]).onwards().is_quiet();
    let mut script = up_to_11(mobile_router());
    script.hears(Wireless, Request, &[bytes(1..=1)]).onwards().is_quiet();
}

/// Sequence numbers wrap.
#[test]
fn numbers_wrap() {
    let start = u32::MAX - 1499;
    let at = |n: u32| start.wrapping_add(n * 1000);
    let mut script = mobile_router();
    script.wired(data(at(0), 1000)).onwards();
    script.wired(data(at(3), 1000)).tells(Wired, Request, &[(at(1), at(3))]).onwards();
    script.wired(data(at(1), 1000)).onwards().wired(data(at(2), 1000)).onwards();
    script.at(40).wireless(ack(at(1))).onwards().wireless(ack(at(1)));
    script.sends_again(at(1)).sends_again(at(2)).sends_again(at(3)).ends_here();
    script.at(80).wireless(ack(at(4))).onwards().at(60_000).is_quiet();
}

/// A gap that nobody could keep track of, and a cache without room, leave things to the sender.
#[test]
fn without_room_the_sender_is_let_know() {
    let mut script = agent(ObtcpParameters { cache: 0, ..ObtcpParameters::default() });
    script.wired(packet(0)).onwards().wired(packet(1)).onwards().at(40).wireless(wants(1)).onwards();
    script.wireless(wants(1)).onwards().wireless(wants(1)).onwards().at(60_000).is_quiet();
    assert_eq!(script.counters().not_cached, 2);
}

/// A host that sends again what is acknowledged has not received the acknowledgment: the next one passes, whatever else it could mean.
#[test]
fn a_lost_acknowledgment_is_repeated() {
    let mut script = up_to_11(mobile_router());
    script.wired(packet(13)).tells(Wired, Request, &[bytes(12..=12)]).onwards();
    script
        .at(50)
        .wired(packet(11))
        .onwards()
        .at(90)
        .wireless(wants(12))
        .onwards()
        .wireless(wants(12))
        .ends_here();
    script.wired(packet(12)).onwards().at(100).wired(packet(11)).onwards();
    script.at(130).wireless(wants(14)).onwards().at(60_000).is_quiet();
}

/// Without an agent at the base station the sender hears of losses after the first timeout, and from then on at once. What it sends
/// again is no answer.
#[test]
fn where_nobody_answers_duplicates_go_on() {
    let mut script = up_to_11(mobile_router());
    script.wired(packet(13)).tells(Wired, Request, &[bytes(12..=12)]).onwards();
    script.at(80).wireless(wants(12)).ends_here();
    script.at(139).next_wake();
    script.tells(Wired, Request, &[bytes(12..=12)]).wireless(wants(12)).onwards();
    script.wired(packet(12)).onwards().at(180).wireless(wants(14)).onwards();
    script.wired(packet(15)).tells(Wired, Request, &[bytes(14..=14)]).onwards();
    script.at(220).wireless(wants(14)).onwards().wireless(wants(14)).onwards();
    script
        .wired(packet(14))
        .onwards()
        .at(221)
        .wired(packet(17))
        .tells(Wired, Request, &[bytes(16..=16)])
        .onwards();
    script.at(260).wireless(wants(16)).onwards().wireless(wants(16)).onwards();
}

/// A sender that cuts its segments otherwise leaves a short packet inside a long one: what follows it there is still at hand.
#[test]
fn what_a_longer_packet_holds_is_not_missing() {
    let mut script = base_station();
    script.wired(data(1, 1000)).onwards().wired(data(501, 100)).onwards();
    script.hears(Wireless, Request, &[(701, 1001)]).tells(Wireless, LostByCongestion, &[(701, 701)]);
    script.sends_again(1).is_quiet();
}

/// At the next base station everything goes out at once that is not acknowledged, in order; what the sender sends now finds what came before.
#[test]
fn a_new_base_station_sends_all_that_is_kept() {
    let mut old = base_station();
    for n in 0..4 {
        old.wired(packet(n)).onwards();
    }
    old.at(40).wireless(wants(1)).onwards();
    let mut new = old.moves_to(base_station(), 70);
    old.knows_nothing();
    let [wired, wireless] = new.sent_by_side();
    let sent: Vec<u32> = wireless.iter().map(|segment| segment.sequence.0).collect();
    assert_eq!((wired.len(), sent), (0, vec![1001, 2001, 3001]));
    // The wired gap is one for the new agent, too, and what it has not got it says.
    new.wired(packet(5)).tells(Wireless, LostByCongestion, &[bytes(4..=4)]).onwards();
    new.hears(Wireless, Request, &[bytes(3..=4)]).tells(Wireless, LostByCongestion, &[bytes(4..=4)]);
    new.sends_again(3001).is_quiet();
    // Acknowledged packets are gone, and nothing is left to wake it.
    new.wireless(wants(6)).onwards().pass(10_000).is_quiet();
}

/// When what was sent on arrival is lost as well, the timer repairs it, from the arrival on, backing off each time.
#[test]
fn a_new_base_station_does_not_wait_for_a_sign() {
    let mut old = base_station();
    for n in 0..2 {
        old.wired(packet(n)).onwards();
    }
    let mut new = old.moves_to(base_station(), 70);
    new.sends_again(1).sends_again(1001).is_quiet();
    // A second before the first sample, and then twice as long (RFC 6298 sections 2.1 and 5.5).
    let again = new.wakes_until(4000);
    assert_eq!(again, [(Duration::from_millis(1070), vec![1]), (Duration::from_millis(3070), vec![1])]);
}

/// Nothing is sent when nothing is kept, and a connection that is known at the new base station gives way to the one that moves.
#[test]
fn what_moves_takes_the_place_of_what_was_learned() {
    let mut old = base_station();
    old.wired(packet(0)).onwards().wireless(wants(1)).onwards();
    let mut here = base_station();
    here.wired(packet(7)).onwards();
    let mut new = old.moves_to(here, 70);
    new.pass(10_000).is_quiet();
    assert_eq!(new.counters().local_retransmissions, 0);
}

/// A host goes from one mobile router to another: what it has not acknowledged comes by the new one, whose requests go on.
#[test]
fn a_new_mobile_router_goes_back() {
    let mut old = up_to_11(mobile_router());
    old.at(50)
        .wired(packet(12))
        .onwards()
        .wired(packet(15))
        .tells(Wired, Request, &[bytes(13..=14)])
        .onwards();
    let mut new = old.moves_to(mobile_router(), 70);
    new.sends_again(12_001).sends_again(15_001);
    new.is_quiet();
    // The answer was lost with the old router: it asks again.
    assert_eq!(new.next_wake(), Instant::from_millis(150));
    new.tells(Wired, Request, &[bytes(13..=14)]);
}
