//! Gigabytes, and sequence numbers that wrap.

use crate::host::{Fate, Setup, Way};
use crate::pair::{BOTH, Opener, Pair, exchange, kernel_reads, kernel_sends};
use seamline_lab::system::netlink::{Dropped, dropped};
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use seamline_wire::random::Stream;

/// Each way: two gigabytes where the code is fast, a tenth of that in ordinary test runs.
const BYTES: u64 = if cfg!(debug_assertions) { 200 << 20 } else { 2 << 30 };

#[test]
fn our_sender_at_full_speed() {
    let Some(pair) = Pair::or_skip("our_sender_at_full_speed") else { return };
    let (ours, mut stream) = pair.connected(Opener::We, Setup::default());
    ours.supply(BYTES);
    kernel_reads(&mut stream, 0, BYTES);
    assert_eq!(dropped(&pair.namespace, "world").unwrap(), Dropped::default());
}

#[test]
fn our_receiver_at_full_speed() {
    let Some(pair) = Pair::or_skip("our_receiver_at_full_speed") else { return };
    let (ours, mut stream) = pair.connected(Opener::Kernel, Setup::default());
    kernel_sends(&mut stream, 0, BYTES);
    ours.wait_delivered(BYTES);
    assert_eq!(dropped(&pair.namespace, "world").unwrap(), Dropped::default());
}

/// Both ends begin shortly before the end of sequence numbers, and segments around it are lost.
#[test]
fn sequence_numbers_wrap_at_both_ends() {
    let Some(_) = Pair::or_skip("sequence_numbers_wrap_at_both_ends") else { return };
    const BEFORE_THE_END: u32 = 0u32.wrapping_sub(300_000);
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        pair.ours.show_initial_sequence_of_kernel(BEFORE_THE_END);
        let mut random = Stream::new(2, "interop/wrap");
        pair.ours.network(Duration::from_millis(4), move |_, segment| {
            let near = segment.sequence.0.wrapping_add(100_000) < 200_000;
            if near && random.uniform() < 0.1 { Fate::Lost } else { Fate::Pass }
        });
        let setup = Setup { initial_sequence: BEFORE_THE_END, ..Setup::default() };
        let (ours, stream) = pair.connected(opener, setup);
        exchange(&ours, stream, 1_000_000, 1_000_000);
        for way in [Way::ToKernel, Way::ToOurs] {
            let holes = pair.ours.seen(way, |it| it.sequence.0 > BEFORE_THE_END && it.length > 0);
            assert!(holes.iter().any(|seen| seen.fate == Fate::Lost), "{way:?}");
            assert!(
                !pair.ours.seen(way, |it| it.sequence.0 < 100_000 && it.length > 0).is_empty(),
                "{way:?}"
            );
        }
    }
}
