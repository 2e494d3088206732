//! Attacks on a server with the kernel's TCP, two of whose downloads share a bottleneck: what they cost the one that is attacked, and the other one. The clients are
//! kernels, too; the attackers are at the bottleneck. SECURITY.md has the table that this prints.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

#[path = "../support/mod.rs"]
mod support;

mod attackers;
mod bottleneck;
mod downloads;

use attackers::Attack;
use bottleneck::Bottleneck;
use downloads::Downloads;
use seamline_lab::clock;
use seamline_sender::Counter;
use seamline_wire::Duration;

const TEST: &str = "attacks_on_a_server_with_two_downloads";
/// Of a run, and when in it the attacked download is cut off for long enough that its timer is doubled.
const RUN: Duration = Duration::from_secs(7);
const OUTAGES: [[u64; 2]; 2] = [[1500, 2700], [4500, 5700]];

/// What a run gave: of the attacked download, and of the other one.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    goodput_mbit: [f64; 2],
    retransmissions: [u32; 2],
    /// Windows restored, and retransmissions asked for.
    accepted: [u64; 2],
    /// Marks that the server got.
    marks: u64,
}

fn run(attack: Attack) -> Option<Outcome> {
    let mut downloads = Downloads::or_skip(TEST)?;
    let mut bottleneck = Bottleneck::new(attack);
    let begun = clock::monotonic();
    loop {
        let now = clock::monotonic().saturating_since(begun);
        if now >= RUN {
            break;
        }
        let is_out = OUTAGES.iter().any(|[from, to]| (*from..*to).contains(&(now.as_nanos() / 1_000_000)));
        bottleneck.pass(clock::monotonic(), is_out, &mut downloads.wires);
    }
    let info = downloads.info();
    let accepted = [Counter::Restored, Counter::Asked].map(|it| downloads.count(it));
    let received = downloads.received();
    downloads.end();
    Some(Outcome {
        goodput_mbit: received.map(|bytes| bytes as f64 * 8.0 / 1e6 / RUN.as_secs_f64()),
        retransmissions: info.map(|it| it.total_retransmissions),
        accepted,
        marks: bottleneck.marks,
    })
}

/// Two downloads share a bottleneck unevenly for as long as a run lasts, under every attack: what is compared is both together, and what the server did.
#[test]
fn attacks_on_a_server_with_two_downloads() {
    let mut all = Vec::new();
    println!(
        "| attack | attacked (Mbit/s) | other | retransmissions | other | marks | restored | asked for |"
    );
    for attack in Attack::ALL {
        let Some(it) = run(attack) else { return };
        let ([own, other], [again, again_other]) = (it.goodput_mbit, it.retransmissions);
        println!(
            "| {attack} | {own:.1} | {other:.1} | {again} | {again_other} | {} | {} | {} |",
            it.marks, it.accepted[0], it.accepted[1]
        );
        all.push((attack, it));
    }
    let of = |attack| all.iter().find(|(it, _)| *it == attack).map(|(_, it)| *it).unwrap();
    let together = |it: &Outcome| it.goodput_mbit[0] + it.goodput_mbit[1];
    for (attack, it) in &all {
        assert!((8.0..19.6).contains(&together(it)), "{attack}: the bottleneck is used, {it:?}");
        assert!(it.goodput_mbit[1] > 4.0, "{attack}: the other download has its share, {it:?}");
        // A run is some 12,000 segments; the timer and a window for each of a few timeouts are far less.
        assert!(it.retransmissions[0] < 1000 && it.retransmissions[1] < 300, "{attack}: {it:?}");
    }
    let none = of(Attack::None);
    assert_eq!((none.accepted, none.marks), ([0; 2], 0));
    let blind = of(Attack::ForgedOffPath);
    assert!(blind.marks > 3000 && blind.accepted == [0; 2], "{blind:?}");
    // Once for each timeout, and a second apart.
    for attack in [Attack::ForgedOnPath, Attack::ReplayedOnPath, Attack::LyingReceiver] {
        let it = of(attack);
        let timeouts = if attack == Attack::LyingReceiver { RUN.as_secs_f64() as u64 } else { 4 };
        assert!(it.marks > 100, "{attack}: {it:?}");
        assert!(it.accepted.iter().all(|accepted| *accepted <= timeouts), "{attack}: {it:?}");
    }
    assert!(of(Attack::ForgedOnPath).accepted[0] >= 1, "an attack that has no effect is none");
    assert!(of(Attack::LyingReceiver).accepted[0] >= 1, "an attack that has no effect is none");
}

/// A flood of marks costs the server no more than twice the time of as many plain duplicates.
#[test]
fn a_flood_of_marks_costs_little_time() {
    let Some(mut downloads) = Downloads::or_skip("a_flood_of_marks_costs_little_time") else { return };
    let mut bottleneck = Bottleneck::new(Attack::None);
    let begun = clock::monotonic();
    while clock::monotonic().saturating_since(begun) < Duration::from_secs(1) {
        bottleneck.pass(clock::monotonic(), false, &mut downloads.wires);
    }
    let [plain, marked] = [false, true].map(|is_marked| bottleneck.flood(is_marked, &downloads.wires));
    println!("a duplicate takes {plain} ns of the server's time, one with a mark {marked} ns");
    assert!((100..1_000_000).contains(&plain) && marked < 3 * plain + 2000, "{plain} {marked}");
    downloads.end();
}
