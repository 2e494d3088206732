//! What happens in one direction stays there.

use seamline_net::schedule::Capacity;
use seamline_recordings::replay::{Replay, ReplayOptions, replay};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Duration, Instant};

fn replayed(text: &str) -> Replay {
    let measured = recognise(&Recording::from_bytes("file", text.as_bytes()).unwrap()).unwrap().measured;
    replay(&measured, ReplayOptions::default()).unwrap()
}

/// Seconds in which all is lost in one direction are outages of that direction.
#[test]
fn total_losses_are_outages_of_their_direction() {
    let loss = |second: u32, all: u32| if second == all { 100 } else { 1 };
    let row = |second| format!("{second},{},{},10\n", loss(second, 10), loss(second, 30));
    let rows: String = (0..60).map(row).collect();
    let Replay { conditions, findings, .. } =
        replayed(&format!("time,down_loss_percent,up_loss_percent,down_mbps\n{rows}"));
    for (schedule, at) in [(&conditions.down, 10), (&conditions.up, 30)] {
        let [outage] = schedule.handovers.as_slice() else { panic!("{:?}", schedule.handovers) };
        assert_eq!((outage.at, outage.interruption), (Instant::from_secs(at), Duration::from_secs(1)));
    }
    assert_eq!(findings.outages.iter().map(|it| it.at).collect::<Vec<_>>(), [10, 30].map(Instant::from_secs));
}

/// Recorded outages of the way up are found as those of the way down are; one of both is one.
#[test]
fn recorded_outages_of_the_way_up_are_found() {
    let found = replayed(
        "# seamline recording 1\n# length_s = 10\ntime_s,down_outage,up_outage\n1,,lost\n2,,none\n4,held,held\n5,none,none\n",
    );
    let at: Vec<Instant> = found.findings.outages.iter().map(|it| it.at).collect();
    assert_eq!(at, [1, 4].map(Instant::from_secs));
}

/// Rates and delays that change once, early, were recorded to the end all the same.
#[test]
fn steps_reach_to_the_last_measurement() {
    let row = |second: u32| {
        format!("{second},{},{}\n", if second < 1 { 10 } else { 20 }, if second < 1 { 30 } else { 60 })
    };
    let rows: String = (0..120).map(row).collect();
    let down = replayed(&format!("time_s,down_capacity_mbps,rtt_ms\n{rows}")).conditions.down;
    let Some(Capacity::Rate(rates)) = down.capacity else { panic!("no rates") };
    for last in
        [rates.steps().points().last().unwrap().0, down.one_way_delay.unwrap().points().last().unwrap().0]
    {
        assert_eq!(last, Duration::from_secs(119));
    }
}
