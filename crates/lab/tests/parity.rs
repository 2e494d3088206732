//! The bundled scenarios as far as the simulator has them.
#![cfg(target_os = "linux")]

use seamline_experiment::{RunOptions, run};
use seamline_lab::parity::suite;
use seamline_scenario::Plan;
use std::path::Path;

fn plan(name: &str, settings: &[&str]) -> Plan {
    let bundled = suite::ALL.iter().find(|it| it.name == name).expect("it is bundled");
    let settings: Vec<String> = settings.iter().map(|&set| set.to_owned()).collect();
    Plan::new(Path::new(name), bundled.text.to_owned(), &settings).expect("it is valid")
}

#[test]
fn all_are_valid_as_they_are_and_as_a_short_check() {
    for bundled in suite::ALL {
        let whole = plan(bundled.name, &[]);
        assert!((3..=5).contains(&whole.cells[0].scenario.seeds.len()), "{}", bundled.name);
        if let Some(quick) = bundled.quick {
            let short = plan(bundled.name, quick);
            assert!(short.runs() < whole.runs(), "{}", bundled.name);
        }
    }
}

#[test]
fn over_a_satellite_the_timer_keeps_up_with_a_queue_that_fills() {
    // Slow start doubles the round-trip time within two round trips; as in Linux, the timer must not expire before what is sent
    // again can be acknowledged.
    let plan = plan("satellite", &["seeds=1", r#"grid.flow.download.variant=["sack"]"#]);
    let results = run(&plan, &RunOptions::default(), &|| {}).expect("it runs to its end");
    let flow = &results[0].runs[0].flows[0];
    assert_eq!(flow.timeouts, 0, "{} sent again", flow.retransmissions);
    assert!((200..=700).contains(&flow.retransmissions), "{} sent again", flow.retransmissions);
}
