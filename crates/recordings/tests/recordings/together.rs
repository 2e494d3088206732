//! Recordings of one path that complete each other.

use seamline_recordings::replay::together::{leads, together};
use seamline_recordings::replay::{Replay, ReplayOptions, replay};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Duration, Instant};
use std::fmt::Write;

fn read(text: &str) -> (Option<f64>, Replay) {
    let measured = recognise(&Recording::from_bytes("file", text.as_bytes()).unwrap()).unwrap().measured;
    (measured.began, replay(&measured, ReplayOptions::default()).unwrap())
}

/// A probe every 100 ms; those of an outage of two seconds are lost.
fn pings(began: f64) -> String {
    let mut text = String::new();
    for probe in (0..1200).filter(|probe| !(500..520).contains(probe)) {
        let round_trip = 40.0 + f64::from(probe % 7);
        let came = began + f64::from(probe) * 0.1 + round_trip * 1e-3;
        let _ = writeln!(
            text,
            "[{came:.6}] 64 bytes from 192.0.2.1: icmp_seq={} ttl=57 time={round_trip:.1} ms",
            probe + 1
        );
    }
    text
}

/// A rate every second, and a new cell every ten.
fn drive() -> String {
    let rows = (0..120).map(|second| format!("{second},{},{}\n", 20 + second % 5, second / 10));
    "time_s,down_mbps,cell\n".to_owned() + &rows.collect::<String>()
}

/// Changes of the cell that interrupted nothing do not hide the outages of the other recording, in either order.
#[test]
fn outages_and_changes_of_the_cell_are_both_replayed() {
    let (drive, pings) = (read(&drive()), read(&pings(1_700_000_000.0)));
    for parts in [vec![drive.clone(), pings.clone()], vec![pings, drive]] {
        let whole = together(parts).unwrap();
        for schedule in [&whole.conditions.down, &whole.conditions.up] {
            let handovers = schedule.handovers.as_slice();
            let outages: Vec<_> = handovers.iter().filter(|it| !it.interruption.is_zero()).collect();
            assert_eq!(outages.len(), 1, "{handovers:?}");
            assert_eq!((outages[0].at, outages[0].interruption), {
                let found = whole.findings.outages[0];
                (found.at, found.length)
            });
            // Eleven changes, of which the outage covers that at 50 s.
            assert_eq!(handovers.len() - 1, 10, "{handovers:?}");
        }
    }
}

/// What was found in the recording that began first is told on the clock of both.
#[test]
fn findings_move_with_their_recording() {
    let early = read(&pings(1_700_000_000.0));
    let base = early.1.findings.base.clone().unwrap();
    let table: String =
        (30..150).map(|second| format!("{},{}\n", 1_700_000_000 + second, 20 + second % 5)).collect();
    let late = read(&format!("time_s,down_mbps\n{table}"));
    assert_eq!(late.0, Some(1_700_000_030.0));
    let whole = together(vec![early, late]).unwrap();
    let moved = whole.findings.base.unwrap();
    let shift = Duration::from_secs(30);
    for at in [0, 20, 45].map(Instant::from_secs) {
        assert_eq!(moved.round_trip(at), base.round_trip(at + shift), "{at}");
    }
    let starts: Vec<Instant> = moved.windows.iter().map(|window| window.from).collect();
    assert!(starts.is_sorted() && starts.len() < base.windows.len(), "{starts:?}");
    assert!(starts.iter().skip(1).all(|at| base.windows.iter().any(|it| it.from == *at + shift)));
}

#[test]
fn leads_are_those_over_the_last() {
    let seconds = Duration::from_secs;
    assert_eq!(leads([Some(100.0), None, Some(130.0)].into_iter()), [seconds(30), seconds(0), seconds(0)]);
    assert_eq!(leads([None].into_iter()), [seconds(0)]);
}
