//! Round-trip times that Hypatia published (Kassing et al., Exploring the "Internet from space" with Hypatia, IMC 2020), over
//! the same satellites, links and rules.

use seamline_orbit::{
    Constellation, Grid, Horizon, Place, Policy, Relay, Setup, Station, Terminal, Utc, follow, read_elements,
};
use seamline_wire::Duration;

const PUBLISHED: &str = include_str!("../data/hypatia-kuiper-630.csv");
const PLANES: u32 = 34;

/// The element sets as Hypatia generates them: circular orbits of 14.80 revolutions a day, every other plane shifted by half
/// a spacing.
fn element_sets() -> String {
    let mut text = String::new();
    for number in 0..PLANES * PLANES {
        let (plane, place) = (number / PLANES, number % PLANES);
        let spacing = 360.0 / f64::from(PLANES);
        let node = f64::from(plane) * spacing;
        let anomaly = f64::from(place) * spacing + f64::from(plane % 2) * spacing / 2.0;
        let first =
            format!("1 {:05}U 00000ABC 00001.00000000  .00000000  00000-0  00000+0 0    0", number + 1);
        let second = format!(
            "2 {:05}  51.9000 {node:8.4} 0000001   0.0000 {anomaly:8.4} 14.80000000    0",
            number + 1
        );
        for line in [first, second] {
            text += &format!("{line}{}\n", checksum(&line));
        }
    }
    text
}

fn checksum(line: &str) -> u32 {
    assert_eq!(line.len(), 68, "{line}");
    line.chars().map(|it| it.to_digit(10).unwrap_or(u32::from(it == '-'))).sum::<u32>() % 10
}

/// Hypatia allows links as long as the satellites' height over the sine of a flat Earth's angle.
fn horizon() -> Horizon {
    let altitude = 630.0_f64;
    Horizon::Range(altitude.hypot(altitude / 30.0_f64.to_radians().tan()))
}

fn round_trips(from: (f64, f64), to: (f64, f64)) -> Vec<Option<f64>> {
    let constellation = Constellation::of_elements(read_elements(&element_sets()).unwrap()).unwrap();
    let constellation =
        constellation.linked(Grid { planes: PLANES, per_plane: PLANES, wrap: Some(0) }).unwrap();
    let place = |(latitude, longitude)| Place::new(latitude, longitude).unwrap();
    let gateways = vec![Station { place: place(to), horizon: horizon() }];
    let start = Utc::parse("2000-01-01T00:00:00Z").unwrap();
    let setup = Setup {
        relay: Relay::InterSatelliteLinks,
        policy: Policy::named("shortest", Relay::InterSatelliteLinks).unwrap(),
        ..Setup::new(constellation, gateways, start, Duration::from_secs(200))
    };
    let passages = follow(&setup, &[Terminal::at("one", place(from), horizon())]).unwrap();
    let round_trip =
        |route: &Option<seamline_orbit::Route>| route.map(|it| it.one_way_delay.as_millis_f64() * 2.0);
    passages[0].routes().iter().map(round_trip).collect()
}

fn published(column: usize) -> Vec<Option<f64>> {
    let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    let value = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap() / 1e6;
    lines.map(value).map(|value| (value > 0.0).then_some(value)).collect()
}

#[test]
fn round_trips_over_kuiper_are_those_that_hypatia_published() {
    let manila = (14.6042, 120.9822);
    let dalian = (38.913811, 121.602322);
    let petersburg = (59.929858, 30.326228);
    for (column, (from, to)) in
        [(manila, dalian), (manila, petersburg), (petersburg, dalian)].into_iter().enumerate()
    {
        let (ours, theirs) = (round_trips(from, to), published(column + 1));
        assert_eq!((ours.len(), theirs.len()), (200, 200));
        let pairs: Vec<(f64, f64)> =
            ours.iter().zip(&theirs).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| (a - b).abs()).collect();
        let largest = differences.iter().copied().fold(0.0, f64::max);
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let unlike = ours.iter().zip(&theirs).filter(|(a, b)| a.is_some() != b.is_some()).count();
        assert!(
            differences.len() >= 190 && unlike == 0,
            "column {column}: {unlike} s with a path in one only"
        );
        // A microsecond is 150 m there and back.
        assert!(largest < 0.001 && mean < 0.0005, "column {column}: {mean} ms, at most {largest} ms");
    }
}
