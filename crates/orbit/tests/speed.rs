//! How long many terminals take: run with `cargo test --release -p seamline-orbit --test speed -- --ignored --nocapture`.
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use seamline_orbit::{
    Constellation, Horizon, Place, Policy, Relay, Setup, Shell, Station, Terminal, Utc, follow,
};
use seamline_wire::Duration;
use std::time::Instant;

#[test]
#[ignore = "a measurement"]
fn a_thousand_terminals_against_four_thousand_satellites() {
    let shell = Shell::delta(550.0, 53.0, [80, 50, 1]).unwrap();
    let horizon = Horizon::Elevation(25.0);
    let place = |n: i32| Place::new(f64::from(n % 100) - 50.0, f64::from(n / 100) * 30.0 - 150.0).unwrap();
    let terminals: Vec<Terminal> =
        (0..1000).map(|n| Terminal::at(&n.to_string(), place(n), horizon)).collect();
    let gateways: Vec<Station> =
        (0..1000).step_by(10).map(|n| Station { place: place(n), horizon }).collect();
    let start = Utc::parse("2026-11-27T12:00:00Z").unwrap();
    let (bent, linked) = (Relay::BentPipe, Relay::InterSatelliteLinks);
    for (duration, step, relay) in [(600, 15, bent), (600, 1, bent), (3600, 1, bent), (600, 15, linked)] {
        let constellation = Constellation::of_shell(shell.clone()).unwrap();
        let setup = Setup {
            relay,
            policy: Policy::named("slots", relay).unwrap(),
            step: Duration::from_secs(step),
            ..Setup::new(constellation, gateways.clone(), start, Duration::from_secs(duration))
        };
        let terminals = if duration == 3600 { &terminals[..1] } else { &terminals[..] };
        let began = Instant::now();
        let passages = follow(&setup, terminals).unwrap();
        let handovers: usize = passages.iter().map(|it| it.handovers().len()).sum();
        println!(
            "{} terminals, {} satellites, {relay:?}, {duration} s in steps of {step} s: {:.2} s, {handovers} handovers",
            passages.len(),
            setup.constellation.len(),
            began.elapsed().as_secs_f64()
        );
    }
}
