//! Output of irtt, iperf3, flent and mtr, and the history of a dish.

use crate::support::*;
use seamline_recordings::measured::{DelayMeaning, Direction, Outcome, RateMeaning, Sample};
use seamline_wire::{Duration, Instant};

#[track_caller]
fn refused(content: &str, expected: &str) {
    let error = refusal(content);
    assert!(error.starts_with("file") && error.contains(expected), "{error}");
}

/// To the nearest: times since 1970 are exact to about a quarter of a microsecond.
fn micros(at: Instant) -> u64 {
    (at.as_nanos() + 500) / 1000
}

/// Begin and end in ms, and the value, as [`micros`] rounds.
fn spans<T: Copy, V>(samples: &[Sample<T>], value: impl Fn(T) -> V) -> Vec<(u64, u64, V)> {
    samples.iter().map(|it| (micros(it.from) / 1000, micros(it.until) / 1000, value(it.value))).collect()
}

#[test]
fn irtt_has_probes_in_both_directions() {
    let measured = read(sample!("irtt.json"));
    let lost = |direction| Outcome::Lost(Some(direction));
    assert_eq!(measured.probes.len(), 7);
    assert_eq!(measured.probes[0].sent, Instant::ZERO);
    // Sent by the monotonic clock: 202854211 after 183483450.
    assert_eq!(measured.probes[1].sent.as_nanos(), 202_854_211 - 183_483_450);
    assert_eq!(measured.probes[1].outcome, lost(Direction::Down));
    assert_eq!(measured.probes[4].outcome, lost(Direction::Up));
    let nanos = Duration::from_nanos;
    let last =
        Outcome::Answered { round_trip: nanos(185_847), one_way: Some((nanos(71_171), nanos(114_676))) };
    assert_eq!(measured.probes[6].outcome, last);
    assert_eq!(measured.length.as_nanos(), 483_760_531 - 183_483_450 + 185_847);
    assert!((measured.began.unwrap() - 1_795_768_510.735_745_7).abs() < 1e-6);
    assert!(measured.rates.is_empty());
}

#[test]
fn clocks_that_differ_leave_round_trips() {
    let skewed = sample!("irtt.json").replace("\"receive\": 37726,", "\"receive\": -10470921269,");
    let measured = read(&skewed);
    let one_way = |outcome| matches!(outcome, Outcome::Answered { one_way: Some(_), .. });
    assert!(measured.probes.iter().all(|probe| !one_way(probe.outcome)));
    assert!(measured.notes[0].contains("clocks of the two ends differ"), "{:?}", measured.notes);
    refused(
        &sample!("irtt.json").replace("422949986", "2949986"),
        "times that do not go back, within a year",
    );
    refused(
        &sample!("irtt.json").replace("127470", "99999999999999"),
        "round_trips[3].delay.rtt: found \"99999.9999",
    );
    refused(&sample!("irtt.json").replace("\"true_up\"", "\"up\""), "unknown variant");
    refused(sample!("irtt.json").trim_end().trim_end_matches('}'), "the file is cut");
    refused("{\"version\": {}, \"config\": {}, \"round_trips\": []}", "at least one entry in round_trips");
}

#[test]
fn iperf3_sends_up_and_receives_down() {
    let measured = read(sample!("iperf3-tcp.json"));
    let rates = &measured.rates[0];
    assert_eq!(
        (rates.direction, rates.meaning, measured.rates.len()),
        (Direction::Up, RateMeaning::Goodput, 1)
    );
    let expected = [(0, 1001, 15_160_243), (1001, 2001, 18_316_525), (2001, 3000, 17_273_187)];
    let found = spans(&rates.samples, kilobits);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1));
        // 8 bits a byte over the span of the interval; that is rounded to a microsecond.
        assert!(found.2.abs_diff(expected.2) < 100, "{found:?} {expected:?}");
    }
    let delays = &measured.delays[0];
    assert_eq!((delays.meaning, delays.loaded), (DelayMeaning::RoundTrip, true));
    assert_eq!(
        spans(&delays.samples, Duration::as_micros),
        [(0, 1001, 290), (1001, 2001, 54), (2001, 3000, 34)]
    );
    assert!((measured.began.unwrap() - 1_795_768_374.727).abs() < 1e-3);
    let both = read(sample!("iperf3-bidir.json"));
    let directions: Vec<Direction> = both.rates.iter().map(|it| it.direction).collect();
    assert_eq!(directions, [Direction::Up, Direction::Down]);
    assert_eq!((both.delays.len(), both.rates[1].samples.len()), (1, 3));
}

#[test]
fn iperf3_writes_the_same_line_by_line() {
    let measured = read(sample!("iperf3-stream.jsonl"));
    assert_eq!((measured.rates[0].samples.len(), measured.delays[0].samples.len()), (4, 4));
    assert!(measured.notes.iter().any(|note| note.contains("bbr")), "{:?}", measured.notes);
    // A test that was stopped, and one that failed.
    let text = sample!("iperf3-stream.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(read(&lines[..3].join("\n")).rates[0].samples.len(), 2);
    let half = &lines[3][..100];
    assert_eq!(read(&format!("{}\n{half}", lines[..3].join("\n"))).rates[0].samples.len(), 2);
    refused(&lines[..1].join("\n"), "a test with at least one interval");
    let error = "{\"start\":{\"version\":\"iperf 3.12\"},\"intervals\":[],\"end\":{},\"error\":\"unable to connect\"}";
    refused(error, "the error \"unable to connect\"");
    refused(&error.replace("iperf 3.12", "iperf 2.1"), "start.version");
}

#[test]
fn udp_has_losses_and_omitted_intervals_are_left_out() {
    let measured = read(sample!("iperf3-udp-reverse.json"));
    assert_eq!(
        (measured.rates[0].direction, measured.rates[0].meaning),
        (Direction::Down, RateMeaning::Traffic)
    );
    let lossy =
        sample!("iperf3-udp-reverse.json").replacen("\"lost_packets\":\t0", "\"lost_packets\":\t86", 1);
    let lossy = lossy.replacen("\"lost_packets\": 0", "\"lost_packets\": 86", 1);
    let lossy = read(&lossy);
    assert_eq!(lossy.rates[0].meaning, RateMeaning::Goodput);
    assert_eq!(lossy.losses[0].direction, Some(Direction::Down));
    let shares: Vec<f64> = lossy.losses[0].samples.iter().map(|it| it.value).collect();
    assert!((shares[0] - 86.0 / 867.0).abs() < 1e-12 && shares[1..] == [0.0, 0.0], "{shares:?}");
    let omitted = sample!("iperf3-tcp.json").replacen("\"omitted\": false", "\"omitted\": true", 2);
    let omitted = read(&omitted);
    // The interval after the omitted one begins with the test.
    assert_eq!(omitted.rates[0].samples.len(), 2);
    assert_eq!(omitted.rates[0].samples[0].from, Instant::ZERO);
    assert!(
        omitted.notes.iter().any(|note| note.contains("omits its beginning (-O): 1")),
        "{:?}",
        omitted.notes
    );
}

#[test]
fn iperf3_as_text_has_directions_and_streams() {
    let measured = read(sample!("iperf3-text.txt"));
    let down = &measured.rates[0];
    assert_eq!(
        (down.direction, down.meaning, measured.rates.len()),
        (Direction::Down, RateMeaning::Goodput, 1)
    );
    // Two streams each, which are added; the summaries are left out.
    assert_eq!(spans(&down.samples, kilobits), [(0, 1000, 17_000), (1000, 2000, 1394)]);
    assert!(measured.notes.iter().any(|note| note.contains("three digits")), "{:?}", measured.notes);
    let sent = sample!("iperf3-text.txt").replace("Reverse mode, remote host 192.0.2.1 is sending\n", "");
    assert_eq!(read(&sent).rates[0].direction, Direction::Up);
    let server = sample!("iperf3-text.txt")
        .replace("Connecting to host 192.0.2.1, port 5201", "Accepted connection from 192.0.2.7, port 64645");
    assert_eq!(read(&server).rates[0].direction, Direction::Down);
    let both = "Connecting to host h, port 5201\n[ ID][Role] Interval           Transfer     Bitrate\n\
                [  5][TX-C]   0.00-1.00   sec  1.00 MBytes  8.00 Mbits/sec\n[  7][RX-C]   0.00-1.00   sec  1.00 MBytes  4.00 Mbits/sec\n";
    let both = read(both);
    assert_eq!((both.rates[0].direction, both.rates[1].direction), (Direction::Up, Direction::Down));
    let udp = "Connecting to host h, port 5201\nReverse mode, remote host h is sending\n\
               [ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n\
               [  5]   0.00-1.00   sec  1.19 MBytes  10.0 Mbits/sec  0.010 ms  0/863 (0%)\n\
               [  5]   1.00-2.00   sec  1.19 MBytes  9.5 Mbits/sec  0.010 ms  43/860 (5%)\n";
    let udp = read(udp);
    assert_eq!(spans(&udp.losses[0].samples, |share| share), [(0, 1000, 0.0), (1000, 2000, 0.05)]);
    assert_eq!(udp.rates[0].meaning, RateMeaning::Goodput);
    refused(&sample!("iperf3-text.txt").replace("894 Kbits", "fast Kbits"), "file:9: found");
}

#[test]
fn flent_has_pings_and_the_sum_of_flows() {
    let measured = read(sample!("flent.json"));
    let probes: Vec<(u64, Option<u64>)> = measured
        .probes
        .iter()
        .map(|it| (micros(it.sent), it.round_trip().map(Duration::as_millis)))
        .collect();
    // The first is sent 20 ms before its answer, with which the test begins; number 3 is lost; number 4 came twice.
    assert_eq!(probes, [(0, Some(20)), (200_000, Some(30)), (400_000, None), (600_000, Some(50))]);
    assert!((measured.began.unwrap() - 1_776_329_943.48).abs() < 1e-6);
    let rates = &measured.rates[0];
    assert_eq!((rates.direction, rates.meaning), (Direction::Down, RateMeaning::Goodput));
    let expected = [(220, 420, 30_000), (420, 620, 40_000), (620, 820, 50_000), (820, 1020, 10_000)];
    assert_eq!(spans(&rates.samples, kilobits), expected);
    assert_eq!(micros(Instant::ZERO + measured.length), 1_020_000);
    let raw = sample!("flent.json").find("\"raw_values\"").unwrap();
    let results = sample!("flent.json").find("\"results\"").unwrap();
    let without = format!("{}{}", &sample!("flent.json")[..raw], &sample!("flent.json")[results..]);
    let without = read(&without);
    assert_eq!(without.delays[0].samples.len(), 4);
    assert!(without.delays[0].loaded && without.probes.is_empty());
    refused(&sample!("flent.json").replace("0.4, 0.6", "0.4, 0.4"), "x_values[3]: found \"0.4\"");
    refused(
        &sample!("flent.json").replace("TCP download", "HTTP").replace("Ping (ms)", "Steps"),
        "a series named Ping (ms)",
    );
}

#[test]
fn mtr_has_the_mean_of_the_last_hop() {
    let measured = read(sample!("mtr-router.json"));
    assert_eq!(spans(&measured.delays[0].samples, Duration::as_micros), [(0, 10_000, 30_500)]);
    assert_eq!((measured.losses[0].direction, measured.losses[0].samples[0].value), (None, 0.1));
    assert!(measured.notes.iter().any(|note| note.contains("28.9 to 41.7 ms")), "{:?}", measured.notes);
    let silent = sample!("mtr-router.json").replace("\"Loss%\": 10.0", "\"Loss%\": 100.0");
    refused(&silent, "answers of the last hop");
    refused(&sample!("mtr-router.json").replace("30.5", "-1"), "report.hubs[2].Avg: found \"-0.001\"");
    refused("{\"report\": {\"hubs\": []}}", "at least one hop");
}

#[test]
fn a_dish_has_rings() {
    let measured = read(sample!("dish-history.json"));
    // 13 modulo 5 is 3: the oldest value is the fourth.
    let down = &measured.rates[0];
    assert_eq!((down.direction, down.meaning), (Direction::Down, RateMeaning::Traffic));
    let expected =
        [(0, 1000, 1000), (1000, 2000, 2000), (2000, 3000, 5000), (3000, 4000, 18), (4000, 5000, 0)];
    assert_eq!(spans(&down.samples, kilobits), expected);
    let delays = spans(&measured.delays[0].samples, Duration::as_micros);
    assert_eq!(delays, [(1000, 2000, 29_500), (2000, 3000, 31_500), (3000, 4000, 30_250)]);
    let losses: Vec<f64> = measured.losses[0].samples.iter().map(|it| it.value).collect();
    assert_eq!(losses, [0.0, 0.0, 0.0, 0.066_666_67, 1.0]);
    assert_eq!(measured.began, Some(1_785_880_725.0));
    assert!(measured.notes.iter().any(|note| note.contains("NO_PINGS 1")), "{:?}", measured.notes);
    let young = sample!("dish-history.json").replace("\"13\"", "\"2\"");
    assert_eq!(read(&young).length, Duration::from_secs(2));
    refused(&sample!("dish-history.json").replace("[1000, 2000,", "["), "uplinkThroughputBps: found \"3\"");
    refused(&sample!("dish-history.json").replace("0.06666667", "1.5"), "popPingDropRate[1]: found \"1.5\"");
    refused(&sample!("dish-history.json").replace("\"13\"", "0"), "a ring with at least one second");
}
