//! Options of the handshake: what both ends offer is used, and what one leaves out is not.

use crate::host::{Fate, Setup, Way};
use crate::pair::{BOTH, Opener, Pair, exchange};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_tcp::Parameters;
use seamline_wire::codec::IpVersion;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Flags, Segment};

const BYTES: u64 = 1_500_000;

/// An exchange over a network that loses one segment in a hundred, and what passed.
fn lossy_exchange(pair: &Pair, opener: Opener, setup: Setup) -> Vec<(Way, Segment)> {
    let mut random = Stream::new(5, "interop/options");
    pair.ours.network(Duration::from_millis(2), move |_, segment| {
        let may_be_lost = segment.length > 0;
        if may_be_lost && random.uniform() < 0.01 { Fate::Lost } else { Fate::Pass }
    });
    let (ours, stream) = pair.connected(opener, setup);
    exchange(&ours, stream, BYTES, BYTES);
    pair.ours.record().iter().map(|seen| (seen.way, seen.segment)).collect()
}

fn is_syn(segment: &Segment) -> bool {
    segment.flags.contains(Flags::SYN)
}

#[test]
fn what_both_offer_is_used() {
    let Some(_) = Pair::or_skip("what_both_offer_is_used") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let passed = lossy_exchange(&pair, opener, Setup::default());
        for way in [Way::ToKernel, Way::ToOurs] {
            let segments = || passed.iter().filter(|seen| seen.0 == way).map(|seen| &seen.1);
            let syn = segments().find(|segment| is_syn(segment)).unwrap();
            assert_eq!(syn.maximum_segment_size, Some(1460), "{way:?}");
            assert!(syn.window_scale.is_some() && syn.sack_permitted && syn.timestamps.is_some(), "{syn:?}");
            let plain = |segment: &&Segment| !segment.flags.contains(Flags::RST);
            assert!(segments().filter(plain).all(|segment| segment.timestamps.is_some()), "{way:?}");
            assert!(segments().any(|segment| !segment.sack.is_empty()), "{way:?}: losses are reported");
            assert!(segments().any(|segment| segment.length == 1448), "{way:?}: full segments");
        }
    }
}

/// Without an option nothing of it is seen, either way, and all bytes arrive nevertheless.
fn without(test: &str, option: Off) {
    let Some(_) = Pair::or_skip(test) else { return };
    for opener in BOTH {
        for at_the_kernel in [true, false] {
            let pair = Pair::new(IpVersion::V4);
            let mut setup = Setup::default();
            if at_the_kernel {
                pair.set(option.setting(), "0");
            } else {
                option.take_from(&mut setup.parameters);
            }
            let passed = lossy_exchange(&pair, opener, setup);
            let (who_lacks_it, who_answers) =
                if at_the_kernel { (Way::ToOurs, Way::ToKernel) } else { (Way::ToKernel, Way::ToOurs) };
            for (way, segment) in &passed {
                let is_offer = is_syn(segment) && *way == who_answers && !segment.flags.contains(Flags::ACK);
                assert!(is_offer || !option.is_in(segment), "{opener:?} {way:?}: {segment:?}");
            }
            assert!(passed.iter().any(|(way, segment)| *way == who_lacks_it && is_syn(segment)));
        }
    }
}

/// What one end does without.
#[derive(Clone, Copy)]
enum Off {
    Sack,
    Timestamps,
    WindowScaling,
}

impl Off {
    fn setting(self) -> &'static str {
        match self {
            Off::Sack => "ipv4/tcp_sack",
            Off::Timestamps => "ipv4/tcp_timestamps",
            Off::WindowScaling => "ipv4/tcp_window_scaling",
        }
    }
    fn take_from(self, parameters: &mut Parameters) {
        match self {
            Off::Sack => parameters.segments.selective_acknowledgments = false,
            Off::Timestamps => parameters.segments.timestamp_tick = None,
            Off::WindowScaling => parameters.segments.window_scale = None,
        }
    }
    fn is_in(self, segment: &Segment) -> bool {
        match self {
            Off::Sack => segment.sack_permitted || !segment.sack.is_empty(),
            Off::Timestamps => segment.timestamps.is_some(),
            Off::WindowScaling => segment.window_scale.is_some(),
        }
    }
}

#[test]
fn without_sack() {
    without("without_sack", Off::Sack);
}

#[test]
fn without_timestamps() {
    without("without_timestamps", Off::Timestamps);
}

#[test]
fn without_window_scaling() {
    without("without_window_scaling", Off::WindowScaling);
}

#[test]
fn no_segment_is_longer_than_the_other_end_takes() {
    let Some(pair) = Pair::or_skip("no_segment_is_longer_than_the_other_end_takes") else { return };
    let mut setup = Setup::default();
    setup.parameters.segments.maximum_segment_size = 700;
    pair.ours.listen(crate::pair::OUR_PORT, setup);
    let smaller = |socket: &std::os::fd::OwnedFd| setsockopt(socket, sockopt::TcpMaxSeg, &600).unwrap();
    let stream = pair.kernel_connects_from(33_000, smaller).unwrap();
    exchange(&pair.ours.accept(), stream, 200_000, 200_000);
    let longest = |way| pair.ours.seen(way, |_| true).iter().map(|seen| seen.segment.length).max();
    assert_eq!(longest(Way::ToKernel), Some(600 - 12), "timestamps take 12 bytes");
    assert_eq!(longest(Way::ToOurs), Some(600 - 12), "the kernel keeps to its own limit too");
}
