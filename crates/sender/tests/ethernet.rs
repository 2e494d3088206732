//! The first missing segment at once where packets come in frames of Ethernet, with a header before that of IP.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use seamline_sender::Counter;
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use support::wire::Device;
use support::{Rig, Setup};

const BYTES: u32 = 1_000_000;

/// Without messages to the kernel it is the window's second segment that comes first: its timer has sent the first one again.
#[test]
fn over_ethernet_a_mark_brings_the_first_segment_at_once() {
    for version in [IpVersion::V4, IpVersion::V6] {
        for resend in [true, false] {
            let setup = Setup { resend, device: Device::Ethernet, ..Setup::usual(version) };
            let Some(mut rig) = Rig::or_skip("over_ethernet_a_mark_brings_the_first_segment", setup) else {
                return;
            };
            rig.peer.acknowledge_until(BYTES);
            rig.blackout();
            let before = rig.info();
            rig.peer.send(rig.peer.marked());
            let came = rig.peer.watch(Duration::from_millis(60));
            let first = came.first().unwrap_or_else(|| panic!("{version:?}: {}", rig.counters()));
            assert_eq!(first.sequence == rig.peer.expected, resend, "{version:?}: {}", rig.counters());
            let counted = [Counter::Restored, Counter::Asked].map(|it| rig.count(it));
            assert_eq!(counted, [1, u64::from(resend)], "{version:?}: {}", rig.counters());
            // The kernel's own word: the messages took doublings of its timer back, and it has run out for them.
            let after = rig.info();
            assert_eq!(after.backoff < before.backoff, resend, "{before:?} {after:?}");
            let expired = after.total_timeouts.unwrap() - before.total_timeouts.unwrap();
            assert_eq!(expired, u16::from(resend), "{before:?} {after:?}");
        }
    }
}
