//! Losses: those listed are repaired one by one, those drawn by chance all at last, and a silence ends in a timeout.

use crate::host::{Fate, Seen, Setup, Way};
use crate::pair::{BOTH, Opener, Pair, exchange, kernel_reads, kernel_sends};
use seamline_testing::punctual;
use seamline_wire::codec::IpVersion;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Segment, SequenceNumber};
use std::collections::BTreeSet;

const DELAY: Duration = Duration::from_millis(10);

/// Full segments of data that are lost the first time they pass: 5 singles and a run of three.
const LISTED: [usize; 8] = [60, 75, 90, 91, 92, 150, 180, 230];

/// Data segments this way, by their order, are lost once.
fn listed_losses(way: Way) -> impl FnMut(Way, &Segment) -> Fate + Send {
    let mut number = 0;
    let mut seen = BTreeSet::new();
    move |this_way, segment| {
        if this_way != way || segment.length == 0 || !seen.insert(segment.sequence.0) {
            return Fate::Pass;
        }
        number += 1;
        if LISTED.contains(&number) { Fate::Lost } else { Fate::Pass }
    }
}

/// How many segments with data began where one had begun before.
fn sent_again(record: &[Seen], way: Way) -> usize {
    let data = record.iter().filter(|seen| seen.way == way && seen.segment.length > 0);
    let starts: Vec<SequenceNumber> = data.map(|seen| seen.segment.sequence).collect();
    let different: BTreeSet<u32> = starts.iter().map(|sequence| sequence.0).collect();
    starts.len() - different.len()
}

/// Timers of a second, so that a busy machine brings no timeout.
fn patient() -> Setup {
    let mut setup = Setup::default();
    setup.parameters.round_trip.minimum_timeout = Duration::from_secs(1);
    setup
}

#[test]
fn listed_losses_of_our_data_are_repaired_once() {
    punctual(20, || {
        let Some(_) = Pair::or_skip("listed_losses_of_our_data_are_repaired_once") else { return };
        for opener in BOTH {
            let pair = Pair::new(IpVersion::V4);
            // A sender that the window stops in recovery may send its last segment again (RFC 6675, rule 4 of NextSeg).
            pair.set("ipv4/tcp_rmem", "4096 6291456 6291456");
            pair.ours.network(DELAY, listed_losses(Way::ToKernel));
            let (ours, mut stream) = pair.connected(opener, patient());
            ours.supply(1_000_000);
            kernel_reads(&mut stream, 0, 1_000_000);
            let statistics = ours.look(|endpoint| endpoint.statistics()).sender;
            assert_eq!(statistics.timeouts, 0, "{statistics:?}");
            assert_eq!(statistics.retransmissions, LISTED.len() as u64, "{statistics:?}");
            assert!((1..=5).contains(&statistics.recoveries), "{statistics:?}");
            assert_eq!(statistics.window_cuts, statistics.recoveries);
        }
    });
}

#[test]
fn listed_losses_of_the_kernels_data_are_repaired() {
    punctual(20, || {
        let Some(_) = Pair::or_skip("listed_losses_of_the_kernels_data_are_repaired") else { return };
        for opener in BOTH {
            let pair = Pair::new(IpVersion::V4);
            pair.ours.network(DELAY, listed_losses(Way::ToOurs));
            let (ours, mut stream) = pair.connected(opener, patient());
            kernel_sends(&mut stream, 0, 1_000_000);
            ours.wait_delivered(1_000_000);
            let record = pair.ours.record();
            let again = sent_again(&record, Way::ToOurs);
            // A probe of the kernel for losses at the tail may add a few.
            assert!((LISTED.len()..=LISTED.len() + 4).contains(&again), "{again}");
            let blocks = pair.ours.seen(Way::ToKernel, |segment| segment.sack.len() > 1);
            assert!(!blocks.is_empty(), "several holes at once are reported");
        }
    });
}

#[test]
fn losses_by_chance_both_ways_at_once() {
    let Some(_) = Pair::or_skip("losses_by_chance_both_ways_at_once") else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let mut random = Stream::new(11, "interop/loss");
        pair.ours.network(Duration::from_millis(3), move |_, _| {
            if random.uniform() < 0.02 { Fate::Lost } else { Fate::Pass }
        });
        let (ours, stream) = pair.connected(opener, Setup::default());
        exchange(&ours, stream, 1_500_000, 1_500_000);
        let lost = pair.ours.record().iter().filter(|seen| seen.fate == Fate::Lost).count();
        assert!(lost > 20, "{lost} segments were lost");
    }
}

/// Nothing passes for so long after so many segments with data.
fn silence(way: Way) -> impl FnMut(Way, &Segment) -> Fate + Send {
    let mut data = 0;
    let mut since: Option<seamline_wire::Instant> = None;
    move |this_way, segment| {
        data += usize::from(this_way == way && segment.length > 0);
        if data < 100 {
            return Fate::Pass;
        }
        let now = seamline_lab::clock::monotonic();
        let since = *since.get_or_insert(now);
        let is_over = now.saturating_since(since) >= Duration::from_millis(1500);
        if is_over { Fate::Pass } else { Fate::Lost }
    }
}

#[test]
fn our_sender_continues_after_a_silence() {
    let Some(pair) = Pair::or_skip("our_sender_continues_after_a_silence") else { return };
    pair.ours.network(DELAY, silence(Way::ToKernel));
    let (ours, mut stream) = pair.connected(Opener::We, Setup::default());
    ours.supply(1_000_000);
    kernel_reads(&mut stream, 0, 1_000_000);
    let statistics = ours.look(|endpoint| endpoint.statistics()).sender;
    assert!((1..=6).contains(&statistics.timeouts), "{statistics:?}");
}

#[test]
fn the_kernels_sender_continues_after_a_silence() {
    let Some(pair) = Pair::or_skip("the_kernels_sender_continues_after_a_silence") else { return };
    pair.ours.network(DELAY, silence(Way::ToOurs));
    let (ours, mut stream) = pair.connected(Opener::Kernel, Setup::default());
    kernel_sends(&mut stream, 0, 1_000_000);
    ours.wait_delivered(1_000_000);
}

/// The kernel says by D-SACK (RFC 2883) what came to it twice; our sender takes that neither for a loss nor for news.
#[test]
fn reports_of_duplicates_do_no_harm() {
    punctual(20, || {
        let Some(pair) = Pair::or_skip("reports_of_duplicates_do_no_harm") else { return };
        pair.ours.network(DELAY, |way, segment| {
            if way == Way::ToKernel && segment.length > 0 { Fate::Twice } else { Fate::Pass }
        });
        let (ours, mut stream) = pair.connected(Opener::We, patient());
        ours.supply(500_000);
        kernel_reads(&mut stream, 0, 500_000);
        ours.wait("all is acknowledged", |endpoint| endpoint.statistics().bytes_acknowledged == 500_000);
        let reports = pair.ours.seen(Way::ToOurs, |segment| {
            segment.sack.as_slice().first().is_some_and(|block| block.left.is_before(segment.acknowledgment))
        });
        assert!(reports.len() > 100, "the kernel reported {} duplicates", reports.len());
        let statistics = ours.look(|endpoint| endpoint.statistics()).sender;
        assert_eq!((statistics.retransmissions, statistics.window_cuts), (0, 0), "{statistics:?}");
    });
}
