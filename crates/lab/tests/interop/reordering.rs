//! A network that lets segments overtake each other, and doubles them.

use crate::host::{Fate, Rule, Setup};
use crate::pair::{BOTH, Pair, exchange};
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;

const BYTES: u64 = 2_000_000;

fn exchanged_over(test: &str, rule: fn() -> Rule) {
    let Some(_) = Pair::or_skip(test) else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        pair.ours.network(Duration::from_millis(5), rule());
        let (ours, stream) = pair.connected(opener, Setup::default());
        exchange(&ours, stream, BYTES, BYTES);
        let touched = pair.ours.record().iter().filter(|seen| seen.fate != Fate::Pass).count();
        assert!(touched > 100, "{touched}");
        let statistics = ours.look(|endpoint| endpoint.statistics()).sender;
        // Overtaken segments look lost to a sender of RFC 6675; none is sent a third time without need.
        assert!(statistics.retransmissions < statistics.segments_sent / 3, "{statistics:?}");
    }
}

#[test]
fn segments_are_overtaken() {
    exchanged_over("segments_are_overtaken", || {
        let mut number = 0;
        Box::new(move |_, _| {
            number += 1;
            if number % 9 == 0 { Fate::Late(Duration::from_millis(3)) } else { Fate::Pass }
        })
    });
}

#[test]
fn segments_come_twice() {
    exchanged_over("segments_come_twice", || {
        let mut number = 0;
        Box::new(move |_, _| {
            number += 1;
            if number % 5 == 0 { Fate::Twice } else { Fate::Pass }
        })
    });
}

#[test]
fn segments_come_late_twice_and_never() {
    exchanged_over("segments_come_late_twice_and_never", || {
        let mut random = seamline_wire::random::Stream::new(3, "interop/reordering");
        Box::new(move |_, _| match random.uniform() {
            draw if draw < 0.03 => Fate::Twice,
            draw if draw < 0.08 => Fate::Late(Duration::from_nanos((draw * 1e8) as u64)),
            draw if draw < 0.09 => Fate::Lost,
            _ => Fate::Pass,
        })
    });
}
