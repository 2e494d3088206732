//! Attacks on `seamline-host sender`, as it runs at a server: what they cost the download that is attacked, and another one at the same
//! bottleneck. Server and clients have the kernel's TCP; the attackers are at the bottleneck. SECURITY.md has the tables that this prints
//! with `SEAMLINE_ATTACK_ROUNDS=9` and `-- --ignored`: the runs are too long for the checks of every change.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

#[path = "../support/mod.rs"]
mod support;
#[path = "../../../sender/tests/support/wire.rs"]
#[expect(dead_code, reason = "everything here is a TUN device")]
mod wire;

mod attackers;
mod bottleneck;
mod command;
mod compared;
mod downloads;

use attackers::Attack;
use bottleneck::Bottleneck;
use compared::{pairs, print, rounds};
use downloads::Downloads;
use seamline_wire::Duration;

/// At most, in a run: two handovers, or four silences.
const TIMEOUTS: u64 = 4;

#[test]
#[ignore = "takes two minutes for each round"]
fn attacks_on_a_download() {
    let Some(rounds) = rounds("attacks_on_a_download", &Attack::ALL, 1) else { return };
    print(&rounds, &Attack::ALL);
    for it in rounds.iter().flatten() {
        let accepted = ["windows_restored", "retransmissions_asked"].map(|name| it.counted.of(name));
        assert!(accepted.iter().all(|accepted| *accepted <= TIMEOUTS), "{it:?}");
        // A flood of marks is a line a second, and reading it takes next to no time.
        assert!(it.counted.lines < 60 && it.counted.processor < 1.0, "{it:?}");
        match it.attack {
            Attack::None | Attack::SilentReceiver | Attack::DuplicatesOnPath => {
                assert_eq!((accepted, it.marks), ([0; 2], 0), "{it:?}");
            }
            Attack::ForgedOffPath => assert!(it.marks > 3000 && accepted == [0; 2], "{it:?}"),
            // The genuine ones of its two handovers, and the replayed ones never.
            Attack::ReplayedOffPath => assert!(it.marks > 2000 && accepted[0] <= 2, "{it:?}"),
            Attack::Genuine => assert_eq!(it.marks, 2, "{it:?}"),
            Attack::DelayedHalfSecond => assert_eq!(it.marks, 2, "{it:?}"),
            // They come too late for any timeout.
            Attack::DelayedFiveSeconds | Attack::DelayedPastNext => {
                assert_eq!((accepted, it.marks), ([0; 2], 1), "{it:?}");
            }
            Attack::ForgedOnPath | Attack::LyingReceiver => {
                assert!(it.marks > 100 && accepted[0] >= 1, "an attack that has no effect is none: {it:?}");
            }
            Attack::RecordedOnPath => assert!(it.marks > 3000, "{it:?}"),
        }
    }
    // What changes nothing costs nothing. In 28 pairs it was 0.93 to 1.02, and 0.86 to 1.13 on a busy host.
    for attack in
        [Attack::DelayedFiveSeconds, Attack::DelayedPastNext, Attack::ReplayedOffPath, Attack::ForgedOffPath]
    {
        for [it, without] in pairs(&rounds, attack) {
            let ratio = it.goodput_mbit[0] / without.goodput_mbit[0];
            assert!((0.7..1.3).contains(&ratio), "{attack}: {ratio}");
        }
    }
}

/// What an attack on one download costs another.
#[test]
#[ignore = "takes a minute for each round"]
fn attacks_on_one_of_two_downloads() {
    let attacks =
        [Attack::None, Attack::Genuine, Attack::ForgedOnPath, Attack::SilentReceiver, Attack::LyingReceiver];
    let Some(rounds) = rounds("attacks_on_one_of_two_downloads", &attacks, 2) else { return };
    print(&rounds, &attacks);
    for it in rounds.iter().flatten() {
        let together: f64 = it.goodput_mbit.iter().sum();
        assert!((8.0..19.6).contains(&together), "the bottleneck is used: {it:?}");
        assert!(it.goodput_mbit[1] > 4.0, "the other download has its share: {it:?}");
    }
    assert!(
        pairs(&rounds, Attack::ForgedOnPath).iter().all(|[it, _]| it.counted.of("windows_restored") >= 1)
    );
}

/// A flood of marks costs the server no more than twice the time of as many plain duplicates.
#[test]
fn a_flood_of_marks_costs_little_time() {
    let Some(mut downloads) = Downloads::or_skip("a_flood_of_marks_costs_little_time", 1) else { return };
    let mut bottleneck = Bottleneck::new(Attack::None);
    bottleneck.pass_for(Duration::from_secs(1), &mut downloads.wires);
    let [plain, marked] = [false, true].map(|is_marked| bottleneck.flood(is_marked, &downloads.wires));
    println!("a duplicate takes {plain} ns of the server's time, one with a mark {marked} ns");
    assert!((100..1_000_000).contains(&plain) && marked < 3 * plain + 2000, "{plain} {marked}");
    downloads.end();
}
