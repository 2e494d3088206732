//! TCP-DCR (Bhandarkar et al. 2005) tolerates reordering of less than a round trip, and costs little where packets are lost.

use super::*;

const BOTH: &str = "\n[grid]\nflow.download.variant = [\"sack\", \"dcr\"]";
const KEYS: &str =
    "variant = \"sack\"\nprofile = \"rfc\"\ntcp = { window_limit = 40, minimum_rto = \"200 ms\" }";

/// The delay falls by 10 ms twice a second, so that about eight packets overtake others; the round trip takes 50 ms. A sender that
/// counts duplicates takes each fall for a loss.
#[test]
fn reordering_within_a_round_trip_costs_no_window() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("delays");
    std::fs::write(&file, "15\n5\n".repeat(60)).unwrap();
    let schedule = format!(
        "schedule = {{ kind = \"delay-series\", interval = \"250 ms\", file = {:?}, reordering = \"allowed\" }}",
        file.display().to_string()
    );
    let flows = download_over("rate = \"10 Mbit/s\"", &schedule, &(KEYS.to_owned() + BOTH), &[]);
    let [sack, dcr] = &flows[..] else { panic!("{flows:?}") };
    // At most one for each of the 60 falls: with half of its window it has fewer packets to overtake.
    assert!((10..=60).contains(&sack.fast_recoveries), "{}", sack.fast_recoveries);
    assert_eq!((dcr.fast_recoveries, dcr.timeouts, dcr.retransmissions), (0, 0, 0));
    // A full window of 40 segments in each round trip of 60 ms, of which up to 5 ms are queueing, or of 50 ms.
    let full = 40.0 * 1448.0 * 8.0 / 0.060;
    let [sack, dcr] = [sack, dcr].map(|flow| flow.goodput_bits_per_second / full);
    assert!((0.90..1.05).contains(&dcr), "{dcr}");
    assert!((0.40..0.75).contains(&sack), "{sack}");
}

/// Of real losses it hears a round trip later, which changes the goodput little; each still costs its window.
#[test]
fn losses_cost_what_they_cost_without_delay() {
    let radio = "down = { loss = { model = \"bernoulli\", probability = \"1 %\" } }";
    let flows = download(radio, &(KEYS.to_owned() + BOTH), &["seeds=5"]);
    let [sack, dcr] = &flows[..] else { panic!("{flows:?}") };
    let ratio = dcr.goodput_bits_per_second / sack.goodput_bits_per_second;
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
    let share = dcr.fast_recoveries as f64 / sack.fast_recoveries as f64;
    assert!((0.6..1.2).contains(&share), "{share}");
    assert!(dcr.timeouts <= sack.timeouts + 3, "{} {}", dcr.timeouts, sack.timeouts);
}
