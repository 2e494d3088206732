//! Recorded paths whose best remedy is known by construction.

use seamline_advise::on::{
    PathAdvice, PathInput, PathQuestion, PathVerdict, advise_on, format_path_advice, seeds_for,
};
use seamline_advise::{AccessLink, AdviseError, Watch};
use seamline_wire::Duration;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A recording in our own format. Delays differ a little, as those of a network do. `more` are further columns, and values of
/// them for the first row.
fn record(folder: &Path, name: &str, rate: u32, more: (&str, &str), rows: &str) -> PathBuf {
    let (columns, values) = more;
    let mut text = format!(
        "# seamline recording 1\n# length_s = 60\ntime_s,down_mbps,up_mbps,down_delay_ms,up_delay_ms{columns}\n"
    );
    let _ = writeln!(text, "0,{rate},{rate},20,20{values}");
    text += rows;
    let empty = ",".repeat(columns.matches(',').count());
    let _ = writeln!(text, "59,,,20.2,20.2{empty}");
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("seamline-advise-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn advise(input: &PathInput<'_>) -> (PathQuestion, PathAdvice) {
    let question = PathQuestion::read(input).unwrap_or_else(|error| panic!("{error}"));
    let watch = Watch { stop: &AtomicBool::new(false), begins: &|_| {}, finished: &|| {} };
    let advice = advise_on(&question, watch).unwrap_or_else(|error| panic!("{error:?}"));
    (question, advice)
}

fn megabits(advice: &PathAdvice, name: &str) -> f64 {
    advice.candidate(name).unwrap_or_else(|| panic!("{name}")).outcome.mean / 1e6
}

/// No candidate gets more than the path carries of payload: 1448 of 1500 bytes.
fn assert_possible(advice: &PathAdvice, rate: f64) {
    for it in advice.candidates.iter().chain(&advice.confirmed) {
        assert!(it.outcome.mean <= rate * 1e6 * 1448.0 / 1500.0, "{it:?}");
    }
}

/// 1 % random loss over 40 ms without queueing: Reno gets MSS/RTT * sqrt(3/(2p)) = 3.5 Mbit/s, less with its timeouts, of 20 (Mathis et
/// al. 1997, without delayed acknowledgments' factor); BBR does not care for losses below a fifth.
#[test]
fn random_loss_is_a_reason_for_bbr() {
    let folder = folder("loss");
    let file = record(&folder, "loss.csv", 20, (",down_loss", ",0.01"), "");
    let input = PathInput {
        files: vec![file.to_str().unwrap()],
        horizon: Some("15 s"),
        seeds: Some(6),
        ..PathInput::default()
    };
    let (_, advice) = advise(&input);
    assert_possible(&advice, 20.0);
    let (reno, bbr) = (megabits(&advice, "reno"), megabits(&advice, "bbr"));
    assert!((1.5..4.5).contains(&reno), "{reno}");
    assert!((16.0..19.4).contains(&bbr), "{bbr}");
    assert!(advice.candidate("bbr").unwrap().is_gain);
    assert_eq!(advice.verdict, PathVerdict::Use { candidate: "bbr".to_owned() });
    let gain = advice.confirmed("bbr").unwrap().gain.unwrap();
    assert!((2.0..9.0).contains(&gain.mean) && gain.low.unwrap() > 1.5, "{gain:?}");
    let text = format_path_advice(&advice);
    assert!(text.starts_with("Use bbr at the server: "), "{text}");
    assert!(text.contains("lost        1.0 % (mean of the recording"), "{text}");
    assert!(text.contains("Install bbr at the server: sysctl net.ipv4.tcp_congestion_control=bbr"), "{text}");
}

/// A constant path that loses nothing is full with any TCP; a queue of one bandwidth-delay product doubles its round trips at the most.
#[test]
fn nothing_helps_where_nothing_is_wrong() {
    let folder = folder("clean");
    let file = record(&folder, "clean.csv", 10, ("", ""), "");
    let input = PathInput {
        files: vec![file.to_str().unwrap()],
        horizon: Some("20 s"),
        seeds: Some(4),
        ..PathInput::default()
    };
    let (_, advice) = advise(&input);
    assert_possible(&advice, 10.0);
    assert_eq!(advice.verdict, PathVerdict::LeaveIt);
    assert!((9.2..9.66).contains(&megabits(&advice, "cubic")), "{}", megabits(&advice, "cubic"));
    for it in &advice.candidates {
        assert!(!it.is_gain, "{it:?}");
        assert!(it.gain.is_none_or(|gain| gain.mean < 0.02), "{it:?}");
    }
    let median = advice.today().unwrap().round_trip_median_ms.unwrap().mean;
    assert!((45.0..86.0).contains(&median), "{median}");
    assert!(format_path_advice(&advice).starts_with("Leave it: nothing has significantly more goodput"));
    // What shortens round trips must not cost goodput.
    if let Some(name) = &advice.shorter_round_trips {
        let found = advice.confirmed(name).unwrap();
        assert!(found.cuts_round_trip && found.gain.unwrap().mean >= -0.01, "{found:?}");
    }
}

/// Outages in which everything is lost, 3 s of each 15 s: a stock sender waits for its doubled timer, at most as long again as the
/// outage; told of its end, it goes on at once.
#[test]
fn outages_are_a_reason_for_handover_schemes() {
    let folder = folder("outages");
    let mut rows = String::new();
    for begin in [5, 20, 35, 50] {
        let _ = writeln!(rows, "{begin},,,,,lost,lost\n{},,,,,none,none", begin + 3);
    }
    let file = record(&folder, "outages.csv", 10, (",down_outage,up_outage", ",none,none"), &rows);
    let files = vec![file.to_str().unwrap()];
    let input =
        PathInput { files: files.clone(), horizon: Some("30 s"), seeds: Some(8), ..PathInput::default() };
    let (question, advice) = advise(&input);
    assert_eq!(question.path.handovers, 4);
    assert_possible(&advice, 10.0);
    let today = advice.today().unwrap();
    assert!((3.0..7.0).contains(&today.longest_stall_s.mean), "{today:?}");
    let helped = advice.candidate("ehn").unwrap();
    assert!((3.0..3.5).contains(&helped.longest_stall_s.mean), "{helped:?}");
    assert!(helped.is_gain && (0.02..0.5).contains(&helped.gain.unwrap().mean), "{helped:?}");
    let upload = PathQuestion::read(&PathInput { files, upload: true, ..input }).unwrap();
    let names: Vec<String> =
        seamline_advise::on::candidates::all(&upload).into_iter().map(|it| it.name).collect();
    assert!(!names.contains(&"ehn".to_owned()) && names.contains(&"bbr".to_owned()), "{names:?}");
}

/// A file of 200 kB fits into few round trips; a larger initial window saves at least one of them.
#[test]
fn a_short_file_gains_from_a_larger_initial_window() {
    let folder = folder("short");
    let file = record(&folder, "short.csv", 50, ("", ""), "");
    let input = PathInput {
        files: vec![file.to_str().unwrap()],
        file: Some("200 kB"),
        seeds: Some(4),
        ..PathInput::default()
    };
    let (_, advice) = advise(&input);
    let window = advice.candidate("initial window 32").unwrap();
    assert!(window.is_gain && (0.1..0.6).contains(&window.gain.unwrap().mean), "{window:?}");
    // A handshake and 138 segments in windows of 10, 20, 40 and 80.
    let today = advice.today().unwrap().outcome.mean;
    assert!((0.15..0.40).contains(&today), "{today}");
    assert!(format_path_advice(&advice).contains("less time than CUBIC"));
}

const PING: &str = "\
PING example.net (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=55 time=41.0 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=55 time=43.0 ms
64 bytes from 192.0.2.1: icmp_seq=3 ttl=55 time=42.0 ms
64 bytes from 192.0.2.1: icmp_seq=4 ttl=55 time=40.0 ms
";

#[test]
fn what_a_recording_lacks_must_be_given_and_only_that() {
    let folder = folder("ping");
    let path = folder.join("ping.txt");
    std::fs::write(&path, PING).unwrap();
    let of = |input: PathInput<'_>| PathQuestion::read(&input);
    let ping = || PathInput { files: vec![path.to_str().unwrap()], ..PathInput::default() };
    let error = of(ping()).unwrap_err().to_string();
    assert!(error.contains("ping.txt (ping: ") && error.contains("has no capacity"), "{error}");
    assert!(error.contains("tip: add --rate \"20 Mbit/s\""), "{error}");
    let question = of(PathInput { rate: Some("30 Mbit/s"), ..ping() }).unwrap();
    let round_trip = question.path.round_trip.value.as_millis_f64();
    assert!((40.0..43.0).contains(&round_trip), "{round_trip}");
    let twice = of(PathInput { rate: Some("30 Mbit/s"), round_trip: Some("50 ms"), ..ping() })
        .unwrap_err()
        .to_string();
    assert!(
        twice.contains("--round-trip: the recording has a delay of its own")
            && twice.contains("leave --round-trip out"),
        "{twice}"
    );
    let mistakes = [
        (PathInput { rate: Some("30"), ..ping() }, "--rate: `30`"),
        (PathInput { format: Some("pingg"), ..ping() }, "a similar format exists: `ping`"),
        (PathInput { files: vec!["nowhere"], ..PathInput::default() }, "nowhere"),
        (
            PathInput { rate: Some("3 Mbit/s"), file: Some("1 MB"), horizon: Some("1 s"), ..ping() },
            "exclude each other",
        ),
        (PathInput { rate: Some("3 Mbit/s"), file: Some("0 B"), ..ping() }, "must not be empty"),
        (PathInput { rate: Some("3 Mbit/s"), queue: Some("0 packets"), ..ping() }, "--queue"),
    ];
    for (input, expected) in mistakes {
        let error = of(input).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in: {error}");
    }
}

/// The other question takes rate and round trip from a recording, too, and says so.
#[test]
fn a_link_takes_its_means_from_a_recording() {
    let folder = folder("link");
    let trace = folder.join("trace");
    let chances: String = (1..=2000).map(|time| format!("{time}\n")).collect();
    std::fs::write(&trace, chances).unwrap();
    let words = format!("recording={}", trace.display());
    let error = AccessLink::read("--from", &words).unwrap_err().to_string();
    assert!(error.contains("`round_trip` is missing, and the recording has none"), "{error}");
    let link = AccessLink::read("--from", &format!("{words}, round_trip=40 ms")).unwrap();
    assert_eq!((link.rate.bits_per_second(), link.round_trip), (12_000_000, Duration::from_millis(40)));
    assert!(link.recording.unwrap().ends_with("its means are taken: rate 12.0 Mbit/s"));
    let whole = record(&folder, "whole.csv", 8, ("", ""), "");
    let link = AccessLink::read("--to", &format!("recording={}", whole.display())).unwrap();
    assert_eq!(link.rate.bits_per_second(), 8_000_000);
    assert!((40.0..40.1).contains(&link.round_trip.as_millis_f64()), "{}", link.round_trip);
    let given =
        AccessLink::read("--to", &format!("recording={}, rate=3 Mbit/s, round_trip=9 ms", whole.display()))
            .unwrap();
    assert_eq!((given.rate.bits_per_second(), given.round_trip), (3_000_000, Duration::from_millis(9)));
    assert!(!given.recording.unwrap().contains("means are taken"));
}

#[test]
fn a_faster_path_gets_fewer_seeds_and_a_stopped_comparison_has_no_answer() {
    let folder = folder("seeds");
    let seeds = |rate: u32, seeds: Option<u32>| {
        let file = record(&folder, &format!("{rate}.csv"), rate, ("", ""), "");
        let input = PathInput { files: vec![file.to_str().unwrap()], seeds, ..PathInput::default() };
        PathQuestion::read(&input).unwrap()
    };
    assert_eq!(seeds_for(&seeds(10, None)), 20);
    assert!((7..15).contains(&seeds_for(&seeds(70, None))), "{}", seeds_for(&seeds(70, None)));
    assert_eq!(seeds_for(&seeds(1000, None)), 6);
    assert_eq!(seeds_for(&seeds(1000, Some(3))), 3);
    let (stop, question) = (AtomicBool::new(false), seeds(10, Some(2)));
    let watch = Watch { stop: &stop, begins: &|_| {}, finished: &|| stop.store(true, Ordering::Relaxed) };
    assert!(matches!(advise_on(&question, watch), Err(AdviseError::Interrupted)));
}
