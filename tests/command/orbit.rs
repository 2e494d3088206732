//! `seamline orbit`.

use crate::support::{assert_contains, folder, refuses, seamline, stderr, stdout, succeeds};
use seamline_recordings::{Recording, native};
use std::fs;

const SEATTLE: [&str; 4] = ["--terminal", "47.6,-122.3", "--gateway", "47.5,-121.8"];

fn orbit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["orbit"][..], &SEATTLE, more].concat()
}

#[test]
fn it_says_how_a_terminal_is_served() {
    let folder = folder();
    let text = succeeds(&orbit(&[]), folder.path());
    assert_contains(
        &text,
        &[
            "starlink-1 (1584 satellites) from 2026-01-01T00:00:00Z for 10 min",
            "round trip",
            "75 ms each",
            "outages",
            "none",
        ],
    );
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "without --out it writes nothing");
}

#[test]
fn the_recording_is_what_the_answer_says() {
    let folder = folder();
    let json = succeeds(&orbit(&["--out", "out", "--json"]), folder.path());
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    let recording = Recording::open(&folder.path().join("out/recording.csv")).unwrap();
    let measured = native::read(&recording).unwrap();
    let conditions = measured.conditions.unwrap();
    assert_eq!(conditions.down, conditions.up);
    let handovers = conditions.down.handovers.as_slice().len();
    assert_eq!(rows[0]["handovers"], handovers, "{json}");
    let delays = conditions.down.one_way_delay.unwrap();
    let least = delays.points().iter().map(|(_, delay)| delay.as_millis_f64()).fold(f64::INFINITY, f64::min);
    assert!((rows[0]["round_trip_least_ms"].as_f64().unwrap() - 2.0 * least).abs() < 1e-5, "{json}");
    assert!((7.0..8.0).contains(&(2.0 * least)), "{least}");
    for picture in ["sky.svg", "round-trips.svg", "map.svg"] {
        let text = fs::read_to_string(folder.path().join("out").join(picture)).unwrap();
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{picture}");
    }
    let services = fs::read_to_string(folder.path().join("out/services.csv")).unwrap();
    assert_eq!(services.lines().count(), handovers + 2, "{services}");
}

#[test]
fn tracks_element_sets_and_many_terminals_come_from_files() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("homes.csv", "name,latitude,longitude\nSeattle,47.6,-122.3\nDenver,39.7,-105\n");
    write("stations.csv", "west,47.5,-121.8\nplains,40,-100\n");
    write("flight.csv", "0,47.6,-122.3\n600,48.0,-121.0,11\n");
    write(
        "iss.txt",
        "ISS (ZARYA)\n1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992\n\
         2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008\n",
    );
    let many = ["orbit", "--terminals", "homes.csv", "--gateways", "stations.csv", "--out", "many"];
    assert_contains(
        &succeeds(&many, folder.path()),
        &["Seattle", "Denver", "handovers/h", "recording-0002-Denver.csv"],
    );
    assert!(folder.path().join("many/recording-0001-Seattle.csv").exists());
    let flight = ["orbit", "--track", "flight.csv", "--gateway", "47.5,-121.8", "--walker", "600,60,40,40,3"];
    assert_contains(&succeeds(&flight, folder.path()), &["walker 600,60,40,40,3 (1600 satellites)", "track"]);
    let station = orbit(&["--tle", "iss.txt"]);
    assert_contains(
        &succeeds(&station, folder.path()),
        &["iss (1 satellite) from 2020-07-12T21:16:01", "without a path"],
    );
}

#[test]
fn links_reach_across_the_ocean() {
    let path = [
        "orbit",
        "--isl",
        "--terminal",
        "40.7,-74.0",
        "--gateway",
        "51.5,-0.1",
        "--switch",
        "make-before-break",
    ];
    let text = succeeds(&path, folder().path());
    assert_contains(
        &text,
        &["inter-satellite links to 1 gateway", "without interruption", "time without service"],
    );
}

#[test]
fn mistakes_say_what_to_write() {
    let folder = folder();
    let refused =
        |more: &[&str], expected: &[&str]| assert_contains(&refuses(&orbit(more), folder.path()), expected);
    refused(&["--shell", "starlink-9"], &["starlink-9", "starlink-1"]);
    refused(&["--at", "noon"], &["--at: `noon`", "2026-11-27T12:00:00Z"]);
    refused(&["--minimum-elevation", "90"], &["the least elevation 90"]);
    refused(&["--step", "0 s"], &["--step"]);
    refused(&["--walker", "550,53"], &["--walker: `550,53`", "550,53,72,22,39"]);
    refused(&["--walker", "50,53,72,22,39"], &["--walker: the altitude 50"]);
    refused(&["--tle", "none.txt"], &["--tle: none.txt"]);
    refused(&["--switch", "make-before-break", "--interruption", "5 ms"], &["nothing is interrupted"]);
    fs::write(folder.path().join("bad.txt"), "1 25544U\n").unwrap();
    refused(&["--tle", "bad.txt"], &["--tle: bad.txt: line 2"]);
    fs::write(folder.path().join("track.csv"), "0,47.6,-122.3\nx,1,2\n").unwrap();
    let track = ["orbit", "--track", "track.csv", "--gateway", "47.5,-121.8"];
    assert_contains(&refuses(&track, folder.path()), &["--track: track.csv: line 2"]);
    let place = ["orbit", "--terminal", "91,0", "--gateway", "47.5,-121.8"];
    assert_contains(&refuses(&place, folder.path()), &["--terminal: the latitude 91"]);
    let none = ["orbit", "--gateway", "47.5,-121.8"];
    assert_contains(&refuses(&none, folder.path()), &["--terminal"]);
}

#[test]
fn where_no_satellite_is_seen_it_says_so() {
    let pole = ["orbit", "--terminal", "89,0", "--gateway", "88,0", "--out", "pole"];
    let folder = folder();
    let output = seamline(&pole, folder.path());
    assert_contains(stdout(&output), &["no path at any time", "100 %"]);
    assert_contains(stderr(&output), &["no recording: no satellite serves 89,0 at any time"]);
    assert!(!folder.path().join("pole/recording.csv").exists());
}
