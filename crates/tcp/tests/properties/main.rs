//! Properties that hold for every pair of congestion control and recovery under every profile,
//! whatever the network does. Cases are drawn from a fixed seed; `PROPTEST_CASES` asks for more.
//!
//! By default a fixed sample of the products of the registries is run (`sample.rs`); `SEAMLINE_PROPERTIES=all` runs all of them.

mod arbitrary_segments;
mod end;
mod pipe;
mod plan;
mod run;
mod sample;
mod transfers;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use seamline_tcp::variant::{self, PairError, Variant};
use seamline_tcp::{cc, recovery};
use seamline_wire::random::Stream;

/// Hold `property` against `cases` values of `strategy` (or as many as `PROPTEST_CASES` says), drawn by
/// the name, so that each run meets the same ones.
pub(crate) fn check<S: Strategy>(cases: u32, name: &str, strategy: &S, property: impl Fn(S::Value)) {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let mut stream = Stream::new(0, name);
    let seed: Vec<u8> = (0..4).flat_map(|_| stream.bits().to_le_bytes()).collect();
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let outcome = TestRunner::new_with_rng(config, random).run(strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(TestError::Fail(reason, value)) = outcome {
        panic!("{name}: {reason}\nfor {value:#?}");
    }
}

/// Every pair that is not refused, with its name.
pub(crate) fn pairs() -> Vec<(String, Variant)> {
    let mut pairs = Vec::new();
    for control in cc::all() {
        for recovery in recovery::ALL {
            match variant::pair(control.name, recovery.name) {
                Ok(pair) => pairs.push((format!("{}/{}", control.name, recovery.name), pair)),
                Err(PairError::Refused { reason, .. }) => assert!(!reason.is_empty()),
                Err(other) => panic!("{other}"),
            }
        }
    }
    pairs
}
