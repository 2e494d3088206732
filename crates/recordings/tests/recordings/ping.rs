//! Output of ping.

use seamline_recordings::measured::{Measured, Outcome};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Duration, Instant};

fn read(text: &str) -> Measured {
    let recognised = recognise(&Recording::from_bytes("file", text.as_bytes()).unwrap()).unwrap();
    assert_eq!(recognised.format, "ping");
    recognised.measured
}

fn refusal(text: &str) -> String {
    recognise(&Recording::from_bytes("file", text.as_bytes()).unwrap()).unwrap_err()[0].1.to_string()
}

/// When each probe was sent, in ms, and its round trip in ms if it came back.
fn probes(measured: &Measured) -> Vec<(u64, Option<f64>)> {
    let round_trip = |it: Option<Duration>| it.map(Duration::as_millis_f64);
    let sent = |at: Instant| (at.as_nanos() + 500_000) / 1_000_000;
    measured.probes.iter().map(|it| (sent(it.sent), round_trip(it.round_trip()))).collect()
}

const TIMED: &str = "\
PING 1.1.1.1 (1.1.1.1) 56(84) bytes of data.
[1700000000.050000] 64 bytes from 1.1.1.1: icmp_seq=1 ttl=57 time=50.0 ms
[1700000000.240000] 64 bytes from 1.1.1.1: icmp_seq=2 ttl=57 time=40.0 ms
[1700000000.600000] no answer yet for icmp_seq=3
[1700000000.800000] no answer yet for icmp_seq=4
[1700000000.850000] 64 bytes from 1.1.1.1: icmp_seq=4 ttl=57 time=250 ms
[1700000000.860000] 64 bytes from 1.1.1.1: icmp_seq=4 ttl=57 time=260 ms (DUP!)
[1700000000.830000] 64 bytes from 1.1.1.1: icmp_seq=5 ttl=57 time=30.0 ms
[1700000001.200000] no answer yet for icmp_seq=6

--- 1.1.1.1 ping statistics ---
7 packets transmitted, 4 received, 42.8571% packet loss, time 1200ms
rtt min/avg/max/mdev = 30.0/92.5/250.0/91.0 ms, pipe 2
";

#[test]
fn times_and_lost_probes_of_iputils() {
    let measured = read(TIMED);
    let expected = [
        (0, Some(50.0)),
        (200, Some(40.0)),
        (400, None),
        (600, Some(250.0)),
        (800, Some(30.0)),
        (1000, None),
        (1200, None),
    ];
    assert_eq!(probes(&measured), expected);
    assert!((measured.began.unwrap() - 1_700_000_000.0).abs() < 1e-6);
    assert_eq!(measured.length.as_millis(), 1200);
    let notes = measured.notes.join("\n");
    assert!(notes.contains("Duplicate answers: 1"), "{notes}");
    assert!(measured.rates.is_empty() && measured.conditions.is_none());
}

#[test]
fn without_times_probes_are_even() {
    let lines = |numbers: &[u32]| -> String {
        let line = |n: &u32| format!("64 bytes from 1.1.1.1: seq={n} ttl=57 time=23.4 ms\n");
        numbers.iter().map(line).collect()
    };
    let seconds = read(&format!("PING 1.1.1.1 (1.1.1.1): 56 data bytes\n{}", lines(&[0, 1, 3])));
    assert_eq!(probes(&seconds), [(0, Some(23.4)), (1000, Some(23.4)), (2000, None), (3000, Some(23.4))]);
    assert!(seconds.notes[0].contains("every second") && seconds.began.is_none());
    let statistics = "5 packets transmitted, 3 received, 40% packet loss, time 800ms\n";
    let counted = read(&(lines(&[1, 2, 4]) + statistics));
    assert_eq!(counted.probes.len(), 5);
    assert_eq!(probes(&counted)[4], (800, None));
    assert_eq!(counted.probes[2].outcome, Outcome::Lost(None));
}

/// More probes than numbers of 16 bits, and a late answer across the wrap.
#[test]
fn sequence_numbers_wrap() {
    let mut text = String::new();
    for sent in 0..70_000_u64 {
        // One that comes late, after the numbers have begun again.
        let probe = if sent == 65_534 {
            65_537
        } else if sent == 65_537 {
            65_534
        } else {
            sent
        };
        let came = 1_700_000_000.0 + probe as f64 * 0.01 + 0.02;
        let number = (probe + 1) & 0xffff;
        text += &format!("[{came:.6}] 64 bytes from 1.1.1.1: icmp_seq={number} ttl=57 time=20.0 ms\n");
    }
    let measured = read(&text);
    assert_eq!(measured.probes.len(), 70_000);
    assert!(measured.probes.iter().all(|probe| probe.round_trip() == Some(Duration::from_millis(20))));
    assert_eq!(probes(&measured)[69_999].0, 699_990);
}

/// The kernel measures round trips, but ping prints when it runs: answers that came while the host was busy are printed together.
#[test]
fn answers_that_are_printed_late_do_not_end_a_recording() {
    let mut text = String::new();
    for sent in 0..100_u32 {
        let round_trip = 40.0 + f64::from(sent % 3);
        let came = 1_700_000_000.0 + f64::from(sent) * 0.01 + round_trip * 1e-3;
        let printed = if (50..58).contains(&sent) { 1_700_000_000.62 + f64::from(sent) * 1e-5 } else { came };
        let number = sent + 1;
        text +=
            &format!("[{printed:.6}] 64 bytes from 1.1.1.1: icmp_seq={number} ttl=57 time={round_trip} ms\n");
    }
    let measured = read(&text);
    assert_eq!(measured.probes.len(), 100);
    for (number, (sent, _)) in probes(&measured).into_iter().enumerate() {
        let most = if (50..58).contains(&number) { 80 } else { 0 };
        assert!(sent.abs_diff(number as u64 * 10) <= most, "probe {number} at {sent} ms");
    }
    assert!(measured.probes.is_sorted_by_key(|probe| probe.sent));
    assert!(measured.notes[0].contains("printed late"), "{:?}", measured.notes);
}

#[test]
fn what_is_no_ping_is_refused_by_its_line() {
    let none = refusal("PING 1.1.1.1 (1.1.1.1) 56(84) bytes of data.\nno answer yet for icmp_seq=1\n");
    assert!(none.contains("expected at least one probe with an answer"), "{none}");
    let jump = TIMED.replace("icmp_seq=5", "icmp_seq=40000");
    assert!(refusal(&jump).starts_with("file:8, icmp_seq: found 40000 after 4"), "{}", refusal(&jump));
    let line =
        |n: u32| format!("64 bytes from 1.1.1.1: icmp_seq={} ttl=57 time=40.0 ms\n", (n * 32_767) & 0xffff);
    let jumps: String = (1..1000).map(line).collect();
    assert!(refusal(&jumps).contains("expected fewer jumps in icmp_seq"), "{}", refusal(&jumps));
    let back = TIMED.replace("[1700000000.830000]", "[1699999000.830000]");
    assert!(refusal(&back).contains("the clock was set while ping ran"), "{}", refusal(&back));
    let slow = TIMED.replace("time=40.0 ms", "time=40.0.1 ms");
    assert!(refusal(&slow).starts_with("file:3, time: found \"40.0.1\""), "{}", refusal(&slow));
}
