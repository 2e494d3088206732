//! Attacks by marks on a sender with the kernel's TCP, and what the kernel itself says of it (`TCP_INFO`): a stranger who sees
//! nothing, one on the path, a receiver that misbehaves. SECURITY.md has the threats.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

#[path = "attacks/blind.rs"]
mod blind;
#[path = "attacks/on_path.rs"]
mod on_path;
#[path = "attacks/receiver.rs"]
mod receiver;
mod support;

use seamline_lab::system::TcpInfo;
use seamline_sender::{Counter, What};
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Segment};
use support::{Rig, Setup};

/// Enough for the window to be as large as the receiver's.
const BYTES: u32 = 1_000_000;
/// What the receiver offers, in units of 256 bytes: some 64 segments, so that no connection has much more under way than another.
const OFFERED: u16 = 352;
const BOTH: [IpVersion; 2] = [IpVersion::V4, IpVersion::V6];
const MILLISECOND: Duration = Duration::from_millis(1);

/// A connection that has been sending for a while, whose receiver has acknowledged all it has seen.
fn sending_or_skip(test: &str, version: IpVersion) -> Option<Rig> {
    let mut rig = Rig::or_skip(test, Setup::usual(version))?;
    rig.with_plain_recovery();
    rig.peer.window = OFFERED;
    rig.peer.acknowledge_until(BYTES);
    Some(rig)
}

/// So many segments, some in each millisecond: thousands a second. The receiver is silent.
fn storm(rig: &mut Rig, segments: impl IntoIterator<Item = Segment>) {
    for (number, segment) in segments.into_iter().enumerate() {
        rig.peer.send(segment);
        if number % 5 == 0 {
            rig.peer.watch(MILLISECOND);
        }
    }
}

/// Everything that was missing is acknowledged, and more, until no timer is doubled any more.
fn recover(rig: &mut Rig) {
    for _ in 0..20 {
        rig.peer.acknowledge_until(BYTES / 10);
        let info = rig.info();
        if info.recovery_state_name() == "open" && info.backoff == 0 {
            return;
        }
    }
    panic!("{:?}", rig.info());
}

fn is_after_timeout(info: &TcpInfo) -> bool {
    info.recovery_state_name() == "loss"
}

/// Since then nothing was sent again but by the timer, none of its doublings was taken back, and no window has come back.
#[track_caller]
fn assert_only_the_timer(rig: &Rig, since: &TcpInfo) {
    let now = rig.info();
    assert!(is_after_timeout(since) && is_after_timeout(&now), "{now:?}");
    assert!(now.congestion_window <= since.congestion_window, "{since:?} {now:?}");
    assert_eq!(now.slow_start_threshold, since.slow_start_threshold, "{now:?}");
    let [again, expired] = [sent_again(since, &now), u32::from(now.retransmits - since.retransmits)];
    assert_eq!(again, expired, "{now:?} {}", rig.counters());
    assert_eq!(now.backoff - since.backoff, now.retransmits - since.retransmits, "{now:?}");
}

fn sent_again(since: &TcpInfo, now: &TcpInfo) -> u32 {
    now.total_retransmissions - since.total_retransmissions
}

/// Marks in a storm are counted. Where the kernel has joined acknowledgments that waited for its socket, they count as one.
#[track_caller]
fn assert_heard(rig: &Rig, counter: Counter, sent: u64) {
    let heard = rig.count(counter);
    assert!((sent / 2..=sent).contains(&heard), "{heard} of {sent}: {}", rig.counters());
}

/// What the window was before the last timeout that was reported, as the programs remember it.
#[track_caller]
fn remembered(rig: &Rig) -> u32 {
    let mut windows = rig.events().into_iter().filter_map(|what| match what {
        What::Timeout { window, .. } => Some(window),
        _ => None,
    });
    windows.next_back().unwrap_or_else(|| panic!("no timeout: {}", rig.counters()))
}

fn accepted(rig: &Rig) -> [u64; 2] {
    [Counter::Restored, Counter::Asked].map(|it| rig.count(it))
}
