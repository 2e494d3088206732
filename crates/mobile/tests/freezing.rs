//! Freezing and thawing, on a host that is made up.

#[path = "freezing/arriving.rs"]
mod arriving;
#[path = "freezing/rig.rs"]
mod rig;

use rig::{Rig, WINDOW, WWAN, by_the_clock, freezing, link, outages, packet};
use seamline_mobile::links::Described;
use seamline_mobile::settings::Settings;
use seamline_wire::{Duration, Instant, Mark};

#[test]
fn the_window_is_closed_a_round_trip_and_a_margin_before_the_loss_and_opened_when_the_link_is_back() {
    let mut rig = Rig::freezing("");
    rig.tell(1000, "going-down wwan0 in 400 ms");
    // 100 ms and a margin of 50 ms.
    assert_eq!((rig.advertised(), rig.next()), (vec![], Some(1250)));
    rig.at(1249);
    assert!(rig.advertised().is_empty());
    rig.at(1250);
    assert_eq!((rig.advertised(), rig.host.closed), (vec![0], Some(Instant::from_millis(1450))));
    rig.tell(1400, "down wwan0");
    assert_eq!(rig.host.closed, Some(Instant::from_millis(1400 + 30_000)), "as long as the timeout");
    assert_eq!((rig.advertised(), rig.agent.status().to_string().contains("freezing=1 ")), (vec![], true));
    rig.tell(3900, "up wwan0");
    assert_eq!((rig.advertised(), rig.host.closed, rig.next()), (vec![WINDOW; 3], None, None));
    let counters = rig.agent.counters();
    assert_eq!((counters.frozen, counters.thawed, counters.freezes_refused), (1, 1, 0));
}

#[test]
fn what_is_repeated_is_the_true_window_though_packets_were_seen_with_a_closed_one() {
    for (wanted, window) in [(None, WINDOW), (Some(77), 77)] {
        let mut rig = Rig::frozen("");
        rig.sent(1260, WWAN, &packet(8000, 0));
        rig.host.wanted = wanted;
        // One that had left before the window was open again is seen only after that.
        rig.command(1300, "up");
        assert!(!rig.agent.freeze(Instant::from_millis(1300), &mut rig.host));
        rig.sent(1300, WWAN, &packet(8000, 0));
        rig.at(1300);
        assert_eq!(rig.advertised(), [window; 3]);
        // From then on packets are believed, also that the window is closed.
        rig.sent(1400, WWAN, &packet(8000, 600));
        rig.sent(1400, WWAN, &packet(8000, 0));
        rig.tell(1500, "up");
        assert_eq!(rig.advertised(), [0; 3]);
    }
}

#[test]
fn a_lead_that_is_too_short_or_unknown_does_nothing_but_say_so() {
    for (words, reason) in [
        ("going-down wwan0 in 150 ms", "too late"),
        ("going-down wwan0 in 30 ms", "too late"),
        ("going-down", "lead unknown"),
    ] {
        let mut rig = Rig::freezing("");
        rig.tell(1000, words);
        for millis in 1000..1500 {
            rig.at(millis);
        }
        assert_eq!((rig.advertised(), rig.host.closed, rig.next()), (vec![], None, None), "{words}");
        assert_eq!(rig.agent.counters().freezes_refused, 1);
        assert!(
            rig.has_logged(&format!(
                "event=freeze-refused local=192.0.2.1:40001 remote=198.51.100.7:443 reason=\"{reason}\""
            )),
            "{:?}",
            rig.agent.log
        );
    }
}

#[test]
fn without_the_policy_nothing_is_frozen() {
    let mut rig = Rig::new(Settings::default(), false);
    rig.tell(1000, "going-down wwan0 in 400 ms");
    rig.at(1250);
    assert_eq!((rig.advertised(), rig.next(), rig.agent.counters().frozen), (vec![], None, 0));
    assert!(rig.has_logged("freeze=\"would help\""), "{:?}", rig.agent.log);
}

#[test]
fn a_queue_that_has_grown_meanwhile_is_noticed() {
    let mut rig = Rig::freezing("");
    rig.tell(1000, "going-down in 400 ms");
    rig.host.round_trip = Duration::from_millis(160);
    rig.at(1250);
    assert_eq!((rig.advertised(), rig.host.closed, rig.agent.counters().freezes_refused), (vec![], None, 1));
}

#[test]
fn a_link_that_is_lost_before_its_time_is_not_frozen_any_more() {
    let mut rig = Rig::freezing("");
    rig.tell(1000, "going-down in 400 ms");
    rig.tell(1050, "down");
    rig.at(1250);
    assert_eq!((rig.advertised(), rig.next(), rig.host.closed), (vec![], None, None));
    rig.tell(3000, "up");
    assert_eq!(rig.advertised(), [WINDOW; 3], "as without a freeze");
}

#[test]
fn a_notice_that_was_false_thaws_a_margin_after_its_time() {
    let mut rig = Rig::frozen("[default]\nrepeat = \"none\"");
    for millis in 1251..1450 {
        rig.at(millis);
        assert!(rig.advertised().is_empty(), "{millis}");
    }
    assert_eq!(rig.next(), Some(1450));
    rig.at(1450);
    assert_eq!(
        (rig.advertised(), rig.host.closed),
        (vec![WINDOW; 3], None),
        "also where nothing else is repeated"
    );
    assert!(rig.has_logged("reason=\"not lost at the announced time\""), "{:?}", rig.agent.log);
}

#[test]
fn the_timeout_ends_a_freeze_without_news_of_the_link() {
    let mut rig = Rig::frozen("route_timeout = \"5 s\"");
    rig.tell(1400, "down");
    assert_eq!(rig.next(), Some(6400));
    rig.at(6400);
    assert_eq!((rig.host.closed, rig.advertised()), (None, vec![]), "into an outage nothing is sent");
    rig.tell(9000, "up");
    assert_eq!(rig.advertised(), [WINDOW; 3]);
}

#[test]
fn a_newer_notice_moves_the_time() {
    let mut rig = Rig::freezing("");
    rig.tell(1000, "going-down in 400 ms");
    rig.tell(1100, "going-down in 500 ms");
    assert_eq!(rig.next(), Some(1450));
    rig.at(1450);
    rig.tell(1500, "going-down in 140 ms");
    assert_eq!((rig.advertised(), rig.host.closed), (vec![0], Some(Instant::from_millis(1690))));
    rig.tell(1600, "up");
    rig.tell(1700, "going-down in 20 ms");
    assert_eq!((rig.advertised(), rig.next()), (vec![WINDOW; 3], None));
}

#[test]
fn a_notice_of_a_loss_far_off_thaws_until_it_is_near() {
    let mut rig = Rig::frozen("");
    rig.tell(1300, "going-down in 14 s");
    assert_eq!((rig.advertised(), rig.host.closed), (vec![WINDOW; 3], None));
    assert_eq!(rig.next(), Some(15_150));
    rig.at(15_150);
    assert_eq!((rig.advertised(), rig.host.closed), (vec![0], Some(Instant::from_millis(15_350))));
}

#[test]
fn a_notice_right_behind_the_return_does_not_keep_it_frozen() {
    for (words, next) in [("going-down wwan0 in 14 s", Some(15_250)), ("going-down wwan0 in 30 ms", None)] {
        let mut rig = Rig::frozen("");
        rig.tell(1400, "down wwan0");
        rig.command(1400, "up wwan0");
        rig.tell(1400, words);
        assert_eq!((rig.advertised(), rig.host.closed, rig.next()), (vec![WINDOW; 3], None, next), "{words}");
    }
}

#[test]
fn a_notice_in_the_outage_does_not_change_that_it_thaws_when_the_link_is_back() {
    let mut rig = Rig::frozen("");
    rig.tell(1400, "down wwan0");
    for words in ["going-down wwan0 in 14 s", "going-down wwan0 in 30 ms"] {
        rig.tell(1500, words);
        assert_eq!((rig.advertised(), rig.next()), (vec![], Some(31_400)), "{words}");
        assert!(rig.host.closed.is_some(), "{words}");
    }
    rig.tell(3900, "up wwan0");
    assert_eq!((rig.advertised(), rig.host.closed), (vec![WINDOW; 3], None));
}

#[test]
fn where_the_next_outage_is_announced_as_the_link_is_back_all_are_frozen_and_thawed() {
    let begin = Instant::from_secs(1_763_816_400 / 11 * 11);
    let (rig, mut changes) = by_the_clock(&outages("1100 ms", "0 s"), begin, Duration::from_millis(3450));
    changes.dedup();
    let frozen = changes.iter().filter(|(_, advertised)| *advertised == [0]).map(|(at, _)| *at);
    assert_eq!(frozen.collect::<Vec<_>>(), [950, 2050, 3150], "{changes:?} {:?}", rig.agent.log);
    let thawed = changes.iter().filter(|(_, advertised)| *advertised == [WINDOW; 3]).map(|(at, _)| *at);
    assert_eq!(thawed.collect::<Vec<_>>(), [150, 1250, 2350, 3450], "{changes:?} {:?}", rig.agent.log);
}

#[test]
fn where_the_host_cannot_close_windows_nothing_is_sent() {
    let mut rig = Rig::freezing("");
    rig.host.cannot_freeze = true;
    rig.tell(1000, "going-down in 400 ms");
    rig.at(1250);
    assert_eq!((rig.advertised(), rig.next(), rig.agent.counters().failures), (vec![], None, 1));
    assert!(rig.has_logged("event=freeze-failed") && rig.has_logged("no program"), "{:?}", rig.agent.log);
}

#[test]
fn dry_it_says_when_it_would_freeze() {
    let mut rig = Rig::new(freezing(""), true);
    rig.tell(1000, "going-down in 400 ms");
    rig.at(1250);
    rig.tell(1400, "down");
    rig.tell(2000, "up");
    assert_eq!((rig.advertised(), rig.host.closed, rig.agent.counters().frozen), (vec![], None, 0));
    assert!(
        rig.has_logged("event=would-freeze") && rig.has_logged("event=would-repeat"),
        "{:?}",
        rig.agent.log
    );
}

#[test]
fn what_thaws_is_marked_once_and_its_end_is_notified_of_no_disruption() {
    let mut rig = Rig::frozen("[default]\nrepeat = \"marked\"\ndisruption = true");
    rig.tell(1400, "down");
    rig.host.marks.clear();
    rig.tell(3900, "up");
    assert_eq!(rig.host.marks, [Some(Mark::Handover), None, None]);
    assert_eq!(rig.agent.counters().disruptions, 0);
}

/// Announcing one port of a bridge freezes all that goes over the bridge.
#[test]
fn what_another_port_carries_thaws_when_the_announced_one_is_lost() {
    let mut rig = Rig::freezing("");
    let port = |index, name, is_running| Described { above: Some(WWAN), ..link(index, name, is_running) };
    rig.described(0, port(7, "eth0", true));
    rig.described(0, port(8, "eth1", true));
    rig.tell(1000, "going-down eth0 in 400 ms");
    rig.at(1250);
    assert_eq!(rig.advertised(), [0]);
    rig.described(1400, port(7, "eth0", false));
    rig.at(1400);
    assert_eq!((rig.advertised(), rig.host.closed), (vec![WINDOW; 3], None));
}

/// Its window is then the newest that any packet has carried, and never one from before.
#[test]
fn what_leaves_by_another_link_thaws_with_the_window_that_it_says_there() {
    const WLAN: u32 = 9;
    for (advertised, window) in [(300, 300), (0, 200)] {
        let mut rig = Rig::frozen("");
        rig.described(1250, link(WLAN, "wlan0", true));
        rig.sent(1260, WWAN, &packet(7500, 0));
        rig.host.wanted = Some(200);
        rig.sent(1300, WLAN, &packet(8000, advertised));
        assert_eq!(rig.next(), Some(0), "at once");
        rig.at(1300);
        assert_eq!((rig.advertised(), rig.host.closed, rig.next()), (vec![window; 3], None, None));
    }
}

#[test]
fn a_frozen_connection_is_neither_evicted_nor_forgotten() {
    let mut rig = Rig::frozen("connections = 2\nforget_after = \"20 s\"");
    rig.tell(1400, "down");
    for (number, millis) in [(1, 1500), (2, 1600), (3, 25_000)] {
        let mut other = packet(9000, WINDOW);
        other[21] = other[21].wrapping_add(number);
        rig.sent(millis, WWAN, &other);
    }
    rig.host.acknowledged.clear();
    rig.tell(26_000, "up");
    assert_eq!(rig.host.closed, None);
    assert_eq!(rig.host.acknowledged.iter().filter(|number| **number == 7000).count(), 3);
}

/// Those whose turn comes when the data under way would no longer arrive before the loss.
#[test]
fn of_many_connections_none_is_frozen_too_late() {
    let mut rig = Rig::freezing("");
    for number in 1..200 {
        let mut other = packet(9000, WINDOW);
        other[21] = other[21].wrapping_add(number);
        rig.sent(0, WWAN, &other);
    }
    rig.tell(1000, "going-down in 400 ms");
    let mut now = Instant::from_millis(1250);
    // A host on which every connection takes as long as a hundred should.
    while rig.agent.freeze(now, &mut rig.host) {
        now += Duration::from_millis(40);
    }
    let frozen = rig.agent.counters().frozen;
    assert_eq!((frozen, rig.agent.counters().freezes_refused), (128, 72), "{frozen}");
    assert!(rig.has_logged("reason=\"the round trip has grown\""));
}

#[test]
fn at_the_end_everything_thaws() {
    let mut rig = Rig::frozen("");
    let now = Instant::from_millis(1300);
    rig.agent.thaw_all(now, &mut rig.host);
    rig.agent.help(now, &mut rig.host);
    assert_eq!((rig.advertised(), rig.host.closed), (vec![WINDOW; 3], None));
}

#[test]
fn at_the_end_nothing_waits_for_room() {
    let mut rig = Rig::frozen("");
    rig.host.is_full = true;
    rig.tell(1300, "up");
    assert_eq!((rig.advertised(), rig.agent.counters().pauses), (vec![], 1));
    rig.host.is_full = false;
    let now = Instant::from_millis(1301);
    rig.agent.help(now, &mut rig.host);
    assert!(rig.advertised().is_empty(), "it waits");
    rig.agent.thaw_all(now, &mut rig.host);
    rig.agent.help(now, &mut rig.host);
    assert_eq!(rig.advertised(), [WINDOW; 3]);
}

#[test]
fn outages_of_the_schedule_are_known_beforehand() {
    // Until the first outage is over.
    let until = Duration::from_millis(12_150);
    let (rig, changes) = by_the_clock(&outages("15 s", "12 s"), Instant::from_secs(1_763_816_400), until);
    assert_eq!(changes, [(12_000 - 150, vec![0]), (12_150, vec![WINDOW; 3])]);
    assert!(rig.has_logged("lead_ms=1050") && rig.has_logged("by=schedule"), "{:?}", rig.agent.log);
}
