//! `seamline recording`, and recordings of any format in `demo` and `init`.

use crate::support::{assert_contains, folder, refuses, shell, stderr, succeeds};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A minute of pings every 20 ms: 30 ms there and back, and every 15 s an outage of 200 ms, from 7.5 s on, in which probes are lost.
fn write_pings(folder: &Path) {
    let mut text = "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n".to_owned();
    for probe in 0..6_000_u32 {
        let sent = f64::from(probe) * 0.02;
        if (sent + 7.5) % 15.0 >= 0.2 {
            let jitter = f64::from(probe % 7) * 1e-4;
            let came = 1_700_000_000.0 + sent + 0.03 + jitter;
            let time = (0.03 + jitter) * 1e3;
            let _ = writeln!(
                text,
                "[{came:.6}] 64 bytes from 192.0.2.1: icmp_seq={} ttl=57 time={time:.3} ms",
                probe + 1
            );
        }
    }
    fs::write(folder.join("ping.txt"), text).unwrap();
}

#[test]
fn pings_show_delay_loss_and_outages() {
    let folder = folder();
    write_pings(folder.path());
    let text = succeeds(&["recording", "show", "ping.txt"], folder.path());
    assert_contains(
        &text,
        &[
            "ping.txt read as ping: 120 s, 6000 probes",
            "capacity   not in the file",
            "0.000 % of round trips outside of outages",
            "outages    8, ",
            "every 15.0 s",
            "The recording contains no capacity.",
            "Figure: ping.svg",
            "20 Mbit/s is an example: replace it by the rate of your path.",
        ],
    );
    let figure = fs::read_to_string(folder.path().join("ping.svg")).unwrap();
    assert_contains(&figure, &["round trip (ms)", "lost probes (%)", "outage (ms)", "time (s)"]);
    let json = succeeds(&["recording", "show", "ping.txt", "--json", "--no-figure"], folder.path());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["formats"][0].as_str(), json["period_s"].as_f64()), (Some("ping"), Some(15.0)));
    assert!(json["capacity_down_mbps"].is_null());
    let round_trip = json["round_trip_ms"].as_f64().unwrap();
    assert!((30.0..31.0).contains(&round_trip), "{round_trip}");
    // What is lost with an outage is known to a round trip and the distance of two probes.
    for outage in json["outages"].as_array().unwrap() {
        let [low, high] = [0, 1].map(|end| outage["bounds_ms"][end].as_f64().unwrap());
        assert!(low <= 200.0 && 200.0 <= high && high - low <= 120.0, "{outage}");
    }
    let rows = succeeds(&["recording", "show", "ping.txt", "--format", "csv", "--no-figure"], folder.path());
    assert_eq!(rows.lines().next(), Some("at_s,length_ms,shortest_ms,longest_ms,fate"));
    assert_eq!(rows.lines().count(), 9);
}

#[test]
fn what_is_converted_is_read_again_and_replayed() {
    let folder = folder();
    write_pings(folder.path());
    let text = succeeds(&["recording", "convert", "ping.txt", "--out", "path.csv"], folder.path());
    assert_contains(&text, &["Written: path.csv", "Next: seamline recording show path.csv"]);
    let refusal = refuses(&["recording", "convert", "ping.txt", "--out", "path.csv"], folder.path());
    assert_contains(&refusal, &["path.csv exists", "--force"]);
    let shown = succeeds(&["recording", "show", "path.csv", "--no-figure"], folder.path());
    assert_contains(&shown, &["path.csv read as seamline", "outages    8, "]);
    let set = ["--seeds", "1", "--set", "duration=3 s", "--set", "warm_up=1 s"];
    for file in ["ping.txt", "path.csv"] {
        let text = succeeds(&[&["demo", "--recording", file][..], &set].concat(), folder.path());
        assert_contains(&text, &["seamline demo recording --recording"]);
    }
}

/// A capacity trace and a series of delays, as LeoCC records them, become one recording.
#[test]
fn recordings_that_complete_each_other_become_one() {
    let folder = folder();
    let chances: String = (1..=20_000).map(|millis| format!("{millis}\n")).collect();
    fs::write(folder.path().join("bw.txt"), chances).unwrap();
    let delays: String = (0..2_000).map(|line| format!("{}.5\n", 20 + line / 100)).collect();
    fs::write(folder.path().join("delay.txt"), delays).unwrap();
    succeeds(&["recording", "convert", "bw.txt", "delay.txt", "--out", "both.csv"], folder.path());
    let shown = succeeds(&["recording", "show", "both.csv", "--no-figure"], folder.path());
    assert_contains(&shown, &["capacity   both directions 12.0 Mbit/s", "round trip 60.0 ms on average"]);
    let refusal = refuses(&["recording", "show", "bw.txt", "both.csv"], folder.path());
    assert_contains(&refusal, &["both bw.txt and both.csv contain capacity down"]);
}

#[test]
fn columns_of_a_table_are_known_by_name_or_named() {
    let folder = folder();
    let rows: String =
        (0..60).map(|second| format!("{second},{},{},-\n", 20 + second % 3, 40 + second % 5)).collect();
    fs::write(folder.path().join("known.csv"), format!("time_s,down_mbps,rtt_ms,loss_percent\n{rows}"))
        .unwrap();
    let shown = succeeds(&["recording", "show", "known.csv", "--no-figure"], folder.path());
    assert_contains(&shown, &["known.csv read as csv", "round trip 4", "down goodput 21.0 Mbit/s"]);
    fs::write(folder.path().join("odd.csv"), format!("when,a,b,c\n{rows}")).unwrap();
    let columns = "time=when:s,down-capacity=a:Mbit/s,rtt=b:ms";
    let named = ["recording", "show", "odd.csv", "--no-figure", "--columns"];
    let shown = succeeds(&[&named[..], &[columns]].concat(), folder.path());
    assert_contains(&shown, &["down capacity 21.0 Mbit/s on average (20.0 to 22.0)"]);
    let wrong = refuses(&[&named[..], &["time=when:s,down=a:furlongs"]].concat(), folder.path());
    assert_contains(&wrong, &["furlongs", "Mbit/s"]);
}

#[test]
fn a_scenario_begins_with_a_recording() {
    let folder = folder();
    write_pings(folder.path());
    succeeds(&["init", "my.toml", "--recording", "ping.txt"], folder.path());
    assert_contains(&succeeds(&["check", "my.toml"], folder.path()), &["my.toml: valid, 3 grid cells"]);
    let refusal =
        refuses(&["init", "x.toml", "--recording", "ping.txt", "--from", "mahimahi"], folder.path());
    assert_contains(&refusal, &["this recording has the format ping, not mahimahi", "leave --from out"]);
    let refusal =
        refuses(&["init", "x.toml", "--recording", "ping.txt", "--from", "starlink"], folder.path());
    assert_contains(&refusal, &["uses no recording"]);
}

#[test]
fn what_is_no_recording_is_refused_with_what_is_known() {
    let folder = folder();
    fs::write(folder.path().join("letter.txt"), "Dear friend,\n").unwrap();
    let refusal = refuses(&["recording", "show", "letter.txt"], folder.path());
    assert_contains(&refusal, &["letter.txt looks like none of the known formats", "ping", "--as FORMAT"]);
    let refusal = refuses(&["recording", "show", "letter.txt", "--as", "ping"], folder.path());
    assert_contains(&refusal, &["expected at least one probe with an answer"]);
    let refusal = refuses(&["recording", "show", "missing.txt"], folder.path());
    assert_contains(&refusal, &["missing.txt", "check the path"]);
    let help = succeeds(&["recording", "show", "--help"], folder.path());
    assert_contains(&help, &["Formats:", "mahimahi", "LeoEM"]);
}

/// Also of recordings that lack something, and of those that are read with options.
#[test]
fn the_commands_that_are_printed_next_work() {
    let folder = folder();
    write_pings(folder.path());
    let chances: String = (1..=20_000).map(|millis| format!("{millis}\n")).collect();
    fs::write(folder.path().join("rate only.txt"), chances).unwrap();
    let rows: String = (0..60).map(|second| format!("{second},{}\n", 20 + second % 3)).collect();
    fs::write(folder.path().join("odd.csv"), format!("when,a\n{rows}")).unwrap();
    let odd = ["odd.csv", "--columns", "time=when:s,down-capacity=a:Mbit/s"];
    for (number, reading) in [&["ping.txt"][..], &["rate only.txt"], &odd].iter().enumerate() {
        let shown = succeeds(&[&["recording", "show", "--no-figure"], *reading].concat(), folder.path());
        let next = shown.lines().find_map(|line| line.strip_prefix("Next: ")).unwrap();
        for command in next.split("; or ") {
            let command = match command.contains(" advise ") {
                true => format!("{command} --quiet --seeds 2 --horizon '3 s'"),
                false => command.replace("my.toml", &format!("{number}.toml")),
            };
            let output = shell(&command, folder.path());
            assert!(output.status.success(), "{command}\n{}", stderr(&output));
        }
    }
    assert!(folder.path().join("path.csv").exists() && folder.path().join("1.toml").exists());
}
