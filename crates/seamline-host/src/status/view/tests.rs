use super::*;
use seamline_bridge::metrics::{BridgeCounters, PortCounters, Snapshot};
use seamline_bridge::{SplitCounters, SplitPaths};
use seamline_host::metrics::Process;
use seamline_mobile::{Agent, Settings};
use seamline_wire::Duration;

fn snapshot(seconds: u64) -> Scrape {
    let port = PortCounters {
        received: 1000 * seconds,
        is_there: true,
        is_running: true,
        ..PortCounters::default()
    };
    let mut it =
        Snapshot { ports: [port, PortCounters { is_running: false, ..port }], ..Snapshot::default() };
    it.bridge = BridgeCounters { known_flows: 1_234_567, memory_bytes: 64 << 20, ..it.bridge };
    it.agent.local_retransmissions = 25 * seconds;
    for ms in 0..seconds {
        it.measurements.round_trips[0].observe(Duration::from_millis(ms));
    }
    let process = Process::new(
        &[("agent", "snoop"), ("mode", "active"), ("in", "b0"), ("out", "b1")],
        Instant::from_secs(50),
    );
    Scrape::read(&it.text(["b0", "b1"], &process)).unwrap()
}

fn has(page: &str, label: &str, columns: &[&str]) {
    let found = page.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let expected = [&label.split_whitespace().collect::<Vec<_>>()[..], columns].concat();
    assert!(found.into_iter().any(|line| line == expected), "{expected:?} is not in:\n{page}");
}

#[test]
fn one_look_shows_totals_and_what_is_wrong() {
    let page = view(&snapshot(10), None, Instant::from_secs(50 + 3600 * 30));
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        page.starts_with(&format!(
            "agent snoop, b0 (in) - b1 (out), version {version}, up 1 d 6 h\nstate: b1 is down\n"
        )),
        "{page}"
    );
    has(&page, "known now", &["1,234,567"]);
    has(&page, "retransmitted by the agent", &["250"]);
    has(&page, "packets kept, of 64.0 MiB", &["0.0", "MiB"]);
    has(&page, "interface b0: up", &["total"]);
    has(&page, "received", &["10,000"]);
    has(&page, "round trip, wired side", &["4.2", "ms", "9.4", "ms", "10"]);
    has(&page, "round trip, wireless side", &["-", "-", "0"]);
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
}

#[test]
fn a_later_look_shows_rates_and_the_times_since() {
    let (before, after) = (snapshot(10), snapshot(20));
    let page = view(&after, Some((&before, 10.0)), Instant::from_secs(55));
    has(&page, "retransmitted by the agent", &["500", "25.0"]);
    has(&page, "acknowledgments marked", &["0", "-"]);
    has(&page, "round trip, wired side", &["16.7", "ms", "24.2", "ms", "10"]);
    assert!(page.contains("times (last 10 s)") && page.contains("up 5 s\n"), "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
}

#[test]
fn every_part_has_a_title_and_its_lines() {
    let (process, wall) = (Process::new(&[], Instant::ZERO), Instant::from_secs(9));
    let mobile = Agent::new(Settings::default(), false).metrics(&process);
    let sender = seamline_sender::Counters::default().metrics(&process);
    for (name, text, line) in [("mobile", mobile, "owed help"), ("sender", sender, "windows restored")] {
        let page = view(&Scrape::read(&text).unwrap(), None, wall);
        let title = format!("{name}, version {}, up 9 s\nstate: helping\n", env!("CARGO_PKG_VERSION"));
        assert!(page.starts_with(&title), "{page}");
        has(&page, line, &["0"]);
    }
}

/// A line that no part has would never be shown.
#[test]
fn every_line_is_of_a_metric_that_some_part_has() {
    let process = Process::default();
    let parts = [
        Snapshot::default().text(["b0", "b1"], &process),
        SplitCounters::default().text(&SplitPaths::default(), &process),
        Agent::new(Settings::default(), false).metrics(&process),
        seamline_sender::Counters::default().metrics(&process),
    ]
    .map(|text| Scrape::read(&text).unwrap());
    let has = |key: &str| parts.iter().any(|part| part.value(key).is_some() || part.times(key).is_some());
    for row in ROWS {
        let keys: Vec<String> = match row {
            Head(..) => vec![],
            Gauge(_, key) | Counter(_, key) | Times(_, key) => vec![(*key).to_owned()],
            Memory(_, keys) => keys.iter().map(|key| (*key).to_owned()).collect(),
            // A host without links has no sample of theirs.
            Each(_, _, counters) => counters.iter().map(|(_, key)| keyed(key, "b0")).collect(),
        };
        keys.iter().for_each(|key| assert!(has(key), "{key}"));
    }
}

#[test]
fn numbers_are_easy_to_read() {
    for (value, text) in [(0.0, "0"), (999.0, "999"), (1000.0, "1,000"), (12_345_678.0, "12,345,678")] {
        assert_eq!(number(value), text);
    }
    for (seconds, text) in [(0.00004, "0.0 ms"), (0.25, "250.0 ms"), (2.5, "2.5 s"), (60.0, "60 s")] {
        assert_eq!(short(seconds), text);
    }
    for (seconds, text) in [(59.0, "59 s"), (61.0, "1 min 1 s"), (3700.0, "1 h 1 min"), (90_000.0, "1 d 1 h")]
    {
        assert_eq!(span(seconds), text);
    }
}
