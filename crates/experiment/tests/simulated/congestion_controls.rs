//! Congestion controls over one bottleneck: 20 Mbit/s, and 40 ms of round-trip time, so that 67 packets fill the path.

use crate::support::{flow, link, plan};
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::{RunOptions, run};

const RATE: f64 = 20e6;
/// 1448 of 1500 bytes are payload.
const PAYLOAD: f64 = 1448.0 / 1500.0;
const PRODUCT: u32 = 67;

/// Flows of these variants for 60 s, with room for so many packets at the bottleneck.
fn over_bottleneck(variants: &[&str], buffer: u32, keys: &str) -> RunRecord {
    let ends = ["server", "phone"];
    let queue = format!(
        "rate = \"20 Mbit/s\"\none_way_delay = \"20 ms\"\n\
         queue = {{ discipline = \"drop-tail\", limit = \"{buffer} packets\" }}\n{keys}"
    );
    let mut text = "duration = \"60 s\"\nwarm_up = \"5 s\"\nnodes = [\"server\", \"phone\"]\n".to_owned()
        + &link("radio", ends, &queue);
    for (place, variant) in variants.iter().enumerate() {
        let keys = format!("profile = \"linux-6.12\"\nvariant = \"{variant}\"");
        text += &flow(&format!("flow{place}"), ends, &keys);
    }
    run(&plan(&text, &[]), &RunOptions::default(), &|| ()).unwrap()[0].runs[0].clone()
}
fn alone(variant: &str, buffer: u32, keys: &str) -> FlowRecord {
    over_bottleneck(&[variant], buffer, keys).flows[0].clone()
}
fn share(flow: &FlowRecord) -> f64 {
    flow.goodput_bits_per_second / (RATE * PAYLOAD)
}

/// With room for four bandwidth-delay products, CUBIC fills most of it; version 3 keeps the link busy with a queue of a few milliseconds.
#[test]
fn bbr_3_fills_a_clean_path_with_a_small_queue() {
    let [third, first, cubic] = ["bbr3", "bbr", "cubic"].map(|variant| alone(variant, 4 * PRODUCT, ""));
    assert!((0.95..0.99).contains(&share(&third)), "{}", share(&third));
    assert!(share(&first) > share(&third), "ProbeRTT comes twice as often");
    let mean = |flow: &FlowRecord| flow.round_trip_mean_ms.unwrap();
    assert!((41.0..46.0).contains(&mean(&third)), "{}", mean(&third));
    assert!(mean(&third) < mean(&first));
    assert!(mean(&cubic) > 120.0, "{}", mean(&cubic));
}

/// The threshold is 2 %: random losses of 1 % cost little, and losses of 3 % much, where version 1 does not respond to them. Reno's
/// window at 1 % is about 12 segments (Mathis et al., 1997): a fifth of the rate.
#[test]
fn bbr_3_tolerates_losses_of_one_percent() {
    let with = |variant, percentage: &str| {
        let loss = format!("{{ model = \"bernoulli\", probability = \"{percentage} %\" }}");
        share(&alone(variant, 4 * PRODUCT, &format!("down = {{ loss = {loss} }}")))
    };
    assert!((0.75..0.95).contains(&with("bbr3", "1")));
    assert!((0.10..0.30).contains(&with("sack", "1")));
    assert!((0.15..0.60).contains(&with("bbr3", "3")));
    assert!((0.90..0.98).contains(&with("bbr", "3")));
}

/// Next to a CUBIC flow: version 1 leaves little to it where the buffer is a bandwidth-delay product or less; version 3 shares.
#[test]
fn bbr_3_shares_with_cubic() {
    let next_to_cubic = |variant, buffer| {
        let run = over_bottleneck(&[variant, "cubic"], buffer, "");
        let [own, other] = [0, 1].map(|place| share(&run.flows[place]));
        assert!(own + other > 0.95, "{own} and {other}");
        own
    };
    assert!((0.55..0.80).contains(&next_to_cubic("bbr3", PRODUCT / 4)));
    assert!((0.40..0.65).contains(&next_to_cubic("bbr3", PRODUCT)));
    assert!((0.40..0.60).contains(&next_to_cubic("bbr3", 4 * PRODUCT)));
    assert!(next_to_cubic("bbr", PRODUCT) > 0.80);
}

/// 5 MB over a geostationary satellite, which holds 1036 packets in a round trip, with so many segments remembered.
fn over_satellite(remembered: u32) -> FlowRecord {
    let ends = ["server", "terminal"];
    let path = "rate = \"20 Mbit/s\"\none_way_delay = \"300 ms\"\n\
        queue = { discipline = \"drop-tail\", limit = \"500 packets\" }";
    let keys = format!(
        "profile = \"linux-6.12\"\nvariant = \"cubic\"\nsize = \"5 MB\"\ntcp = {{ receive_buffer = \"8 MB\" }}\n\
         careful_resume = {{ saved_window = {remembered}, saved_round_trip_time = \"600 ms\" }}"
    );
    let text = "duration = \"20 s\"\nnodes = [\"server\", \"terminal\"]\n".to_owned()
        + &link("space", ends, path)
        + &flow("download", ends, &keys);
    run(&plan(&text, &[]), &RunOptions::default(), &|| ()).unwrap()[0].runs[0].flows[0].clone()
}

/// Slow start from 10 segments takes six round trips to 518; the jump takes one, and a round trip to confirm the path.
#[test]
fn careful_resume_saves_round_trips() {
    let [before, after] = [0, 1000].map(|remembered| over_satellite(remembered).completion_s.unwrap());
    assert!((1.5..3.0).contains(&(before - after)), "{before} and {after}");
}

/// Sixteen times the capacity is remembered: most of the jump is lost, the flow retreats, and it is no slower than without.
#[test]
fn careful_resume_survives_a_wrong_memory() {
    let (without, wrong) = (over_satellite(0), over_satellite(16_000));
    assert!(wrong.retransmissions > 500, "{}", wrong.retransmissions);
    assert_eq!(wrong.timeouts, 0);
    let ratio = wrong.completion_s.unwrap() / without.completion_s.unwrap();
    assert!((0.5..1.2).contains(&ratio), "{ratio}");
}
