//! Public data sets: drives of UCC, WetLinks, LENS, NYU-METS.

use crate::support::*;
use seamline_recordings::measured::{DelayMeaning, Direction, Outcome, RateMeaning};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Duration, Instant};

#[track_caller]
fn refused(content: &str, expected: &str) {
    let error = refusal(content);
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn drives_of_ucc_share_seconds_and_leave_out_idle_rows() {
    let measured = read(sample!("ucc-5g.csv"));
    assert_eq!(measured.began, Some(1_576_318_590.0));
    let [down, up] = &measured.rates[..] else { panic!("{:?}", measured.rates) };
    assert_eq!((down.direction, down.meaning), (Direction::Down, RateMeaning::Goodput));
    // Two rows of one second have half of it each.
    let expected = [(0, 1000, 7000), (1000, 1500, 8000), (1500, 2000, 9000), (2000, 2500, 0)];
    assert_eq!(spans(&down.samples, kilobits), expected);
    assert_eq!((up.direction, up.meaning, up.samples.len()), (Direction::Up, RateMeaning::Traffic, 5));
    assert_eq!(spans(&measured.delays[0].samples, Duration::as_millis), [(1000, 2000, 82)]);
    assert!(measured.delays[0].loaded);
    assert_eq!(spans(&measured.losses[0].samples, |share| share), [(1000, 2000, 0.0), (2000, 3000, 0.2)]);
    assert_eq!(measured.handovers, [Instant::from_secs(2)]);
    assert!(measured.notes.iter().any(|note| note.contains("state I): 1")), "{:?}", measured.notes);
    let older = read(sample!("ucc-4g.csv"));
    assert_eq!(spans(&older.rates[0].samples, kilobits), [(0, 1000, 5178), (1000, 2000, 6990)]);
    assert_eq!(older.handovers, [Instant::from_secs(1)]);
    assert!(older.delays.is_empty());
}

#[test]
fn drives_of_ucc_are_refused_by_line_and_field() {
    refused(&sample!("ucc-5g.csv").replace(",8000,", ",fast,"), "file:3, DL_bitrate: found \"fast\"");
    refused(&sample!("ucc-5g.csv").replace("2019.12.14_10.16.30", "30"), "file:2, Timestamp: found \"30\"");
    refused(&sample!("ucc-5g.csv").replace(",20.0,", ",120.0,"), "file:5, PINGLOSS: found \"120.0\"");
    let earlier = sample!("ucc-5g.csv").replace("10.16.33", "10.16.09");
    refused(&earlier, "file:6, Timestamp: found \"2019.12.14_10.16.09\"");
    // A clock that is corrected by a second is none that is wrong.
    let corrected = read(&sample!("ucc-5g.csv").replace("10.16.33", "10.16.31"));
    assert!(corrected.notes.iter().any(|note| note.contains("set its clock: 1")), "{:?}", corrected.notes);
    let header = sample!("ucc-5g.csv").lines().next().unwrap();
    refused(header, "file: found no record");
}

#[test]
fn wetlinks_has_three_kinds_of_tables() {
    let iperf = read(sample!("wetlinks-iperf.csv"));
    let [down, up] = &iperf.rates[..] else { panic!("{:?}", iperf.rates) };
    // In order of time; of two rows at one time the first counts.
    let expected = [(0, 1000, 120_000), (1000, 2000, 130_000), (180_000, 181_000, 90_000)];
    assert_eq!(spans(&down.samples, kilobits), expected);
    assert_eq!((down.meaning, up.samples.len()), (RateMeaning::Goodput, 2));
    assert_eq!(iperf.began, Some(1_697_124_073.0));
    assert!(iperf.notes.iter().any(|note| note.contains("left out: 1")), "{:?}", iperf.notes);
    let ping = read(sample!("wetlinks-ping.csv"));
    let delays = spans(&ping.delays[0].samples, Duration::as_micros);
    assert_eq!(delays, [(0, 49_000, 57_700), (180_000, 229_000, 54_800)]);
    assert_eq!(
        spans(&ping.losses[0].samples, |it| (it * 1000.0).round()),
        [(0, 49_000, 4.0), (180_000, 229_000, 0.0)]
    );
    let dish = read(sample!("wetlinks-dish.csv"));
    assert_eq!(spans(&dish.rates[0].samples, kilobits), [(0, 15_000, 20_500), (15_000, 30_000, 10_000)]);
    assert_eq!((dish.rates[0].meaning, dish.delays[0].samples.len()), (RateMeaning::Traffic, 2));
    refused(
        &sample!("wetlinks-ping.csv").replace("0.4,250", "140,250"),
        "file:2, packet_loss: found \"140\"",
    );
    refused(
        &sample!("wetlinks-ping.csv").replace("15:23:49", "soon"),
        "file:3, timestamp_end: found \"2023-10-12 soon\"",
    );
    // Routes look like pings, but are of each hop.
    let routes = sample!("wetlinks-ping.csv").replace("site_name", "hop");
    assert!(
        recognise(&Recording::from_bytes("file", routes.as_bytes()).unwrap())
            .is_ok_and(|it| it.format == "csv")
    );
}

#[test]
fn tables_of_lens_say_where_probes_were_lost() {
    let measured = read(sample!("lens-irtt.csv"));
    let outcomes: Vec<Outcome> = measured.probes.iter().map(|probe| probe.outcome).collect();
    let nanos = Duration::from_nanos;
    let answered = Outcome::Answered {
        round_trip: nanos(120_126_123),
        one_way: Some((nanos(72_439_368), nanos(47_686_750))),
    };
    let lost = Outcome::Lost;
    assert_eq!(outcomes, [lost(Some(Direction::Down)), answered, lost(Some(Direction::Up)), lost(None)]);
    assert_eq!(measured.probes[1].sent.as_nanos(), 9_667_792);
    let ping = read(sample!("lens-ping.csv"));
    // Sent at .441841, .45842 and .491846: the time of the answer less the round trip.
    let sent: Vec<u64> = ping.probes.iter().map(|probe| probe.sent.as_nanos() / 1000).collect();
    assert_eq!(sent, [0, 16_579, 50_005]);
    assert!(ping.notes.iter().any(|note| note.starts_with("Lost probes are not in the table")));
    let skewed = sample!("lens-irtt.csv").replace("47.68675", "-47.68675");
    assert!(matches!(read(&skewed).probes[1].outcome, Outcome::Answered { one_way: None, .. }));
    refused(&sample!("lens-irtt.csv").replace("120.126123", "slow"), "file:3, rtt: found \"slow\"");
    refused(&sample!("lens-irtt.csv").replace("1705744800646307744", "5"), "file: found 5 ns");
}

#[test]
fn rides_of_nyu_mets_have_a_rate_each_second() {
    let measured = read(sample!("nyu-mets.csv"));
    let rates = &measured.rates[0];
    assert_eq!((rates.direction, rates.meaning), (Direction::Down, RateMeaning::Goodput));
    let expected = [(0, 1000, 3970), (1000, 2000, 791), (2000, 3000, 0), (3000, 4000, 27_500)];
    assert_eq!(spans(&rates.samples, kilobits), expected);
    let messages = "Value,Unit\n1.5,Mbits/sec,,\nthe,connection,,\n,,,\n250,Kbits/sec,,\n";
    let measured = read(messages);
    assert_eq!(spans(&measured.rates[0].samples, kilobits), [(0, 1000, 1500), (1000, 2000, 250)]);
    assert!(measured.notes.iter().any(|note| note.contains("without a rate, left out: 2")));
    refused("1.5,Mbits/sec\n2.5,MBytes/sec\n", "file:2: found \"2.5,MBytes/sec\"");
    refused("1.5,Mbits/sec\n-2.5,Mbits/sec\n", "file:2, rate: found \"-2.5\"");
}

#[test]
fn an_iperf_of_one_way_only_is_of_that_way() {
    let only =
        "timestamp_start,timestamp_end,download,upload\n2024-01-11 10:06:39,2024-01-11 10:06:40,8000000,\n";
    let measured = read(only);
    assert_eq!(measured.rates.len(), 1);
    assert_eq!(measured.delays.len(), 0);
    assert!(!measured.delays.iter().any(|it| it.meaning == DelayMeaning::RoundTrip));
}
