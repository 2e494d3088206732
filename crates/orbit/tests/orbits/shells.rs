//! Shells by numbers.

use proptest::prelude::*;
use seamline_orbit::{
    Constellation, Grid, Horizon, Pattern, Phasing, Place, SHELLS, Shell, Utc, Vector, look, shell_named,
};
use seamline_wire::Duration;

fn start() -> Utc {
    Utc::parse("2026-11-27T12:00:00Z").unwrap()
}

#[test]
fn shells_have_the_satellites_of_their_filings() {
    let counts: Vec<(&str, usize)> = SHELLS.iter().map(|it| (it.name, it.shell().count())).collect();
    let filed = [
        ("starlink-1", 1584),
        ("starlink-2", 1584),
        ("starlink-3", 720),
        ("starlink-4", 348),
        ("kuiper-1", 1156),
        ("kuiper-2", 1296),
        ("kuiper-3", 784),
        ("oneweb", 588),
    ];
    assert_eq!(counts, filed);
    // Kuiper's whole system has 3236 satellites.
    assert_eq!(counts.iter().filter(|it| it.0.starts_with("kuiper")).map(|it| it.1).sum::<usize>(), 3236);
    for source in SHELLS {
        let constellation = Constellation::of_shell(source.shell()).unwrap();
        assert_eq!(constellation.len(), source.shell().count());
        let radius = source.shell().radius();
        for position in constellation.snapshot(start()).positions() {
            assert!((position.length() - radius).abs() < 1e-6, "{}", source.name);
        }
    }
}

/// LeoEM's constellation repeats after 5731 s, for 550 km above a radius of 6371 km; for 550 km above the equator, the
/// period is that of 15.05 to 15.06 revolutions a day.
#[test]
fn periods_are_those_of_others() {
    let leoem = Shell { surface: 6371.0, ..Shell::delta(550.0, 53.0, [24, 66, 1]).unwrap() };
    assert!((leoem.period() - 5731.0).abs() < 5.0, "{}", leoem.period());
    let period = shell_named("starlink-1").unwrap().shell().period();
    assert!((86_400.0 / 15.07..86_400.0 / 15.04).contains(&period), "{period}");
}

/// A plane of 97.6 degrees at 560 km follows the sun, nearly: 360 degrees in 365.24 days.
#[test]
fn planes_turn_as_the_flattening_of_earth_makes_them() {
    let shell = shell_named("starlink-4").unwrap().shell();
    let constellation = Constellation::of_shell(shell.clone()).unwrap();
    // The normal of plane 0 from two of its satellites, in axes that do not turn.
    let normal = |at: Utc| {
        let turn = |vector: Vector| vector.in_turned_axes(-seamline_orbit::sidereal_angle(at));
        let [one, other] = [0, 7].map(|satellite| turn(constellation.position(satellite, at)));
        one.cross(other).unit()
    };
    let days = 30;
    let later = start().after(Duration::from_secs(86_400 * days));
    let (one, other) = (normal(start()), normal(later));
    let angle = |vector: Vector| libm::atan2(vector.y, vector.x).to_degrees();
    let drift = (angle(other) - angle(one)).rem_euclid(360.0) / days as f64;
    assert!((drift - 360.0 / 365.242).abs() < 0.02, "{drift} degrees a day");
}

#[test]
fn a_snapshot_has_the_positions_of_its_satellites() {
    let constellation = Constellation::of_shell(shell_named("kuiper-2").unwrap().shell()).unwrap();
    let snapshot = constellation.snapshot(start());
    for satellite in [0, 1, 35, 36, 700, 1295] {
        let apart = constellation.position(satellite, start()).distance(snapshot.positions()[satellite]);
        assert!(apart < 1e-6, "{satellite}: {apart} km");
    }
}

#[test]
fn every_link_of_a_grid_works_both_ways_and_is_short() {
    for source in SHELLS {
        let constellation = Constellation::of_shell(source.shell()).unwrap();
        let grid = constellation.grid().unwrap();
        let positions = constellation.snapshot(start()).positions().to_vec();
        // The line between two neighbors does not touch the atmosphere.
        let longest = 2.0 * (source.shell().radius() * source.shell().radius() - 6458.0 * 6458.0_f64).sqrt();
        for satellite in 0..constellation.len() {
            let neighbors: Vec<usize> = grid.neighbors(satellite).collect();
            let is_star = source.shell().pattern == Pattern::Star;
            assert!(neighbors.len() == 4 || is_star && neighbors.len() == 3, "{}: {satellite}", source.name);
            for neighbor in neighbors {
                assert!(grid.neighbors(neighbor).any(|it| it == satellite), "{}: {satellite}", source.name);
                let length = positions[satellite].distance(positions[neighbor]);
                // Only the six planes of starlink-4 are too far apart for links.
                let is_within = neighbor / source.shell().per_plane as usize
                    == satellite / source.shell().per_plane as usize;
                let is_short = length < longest;
                assert!(
                    is_short || source.name == "starlink-4" && !is_within,
                    "{}: {satellite} to {neighbor}: {length} km",
                    source.name
                );
            }
        }
    }
}

#[test]
fn impossible_shells_are_refused() {
    let shell = Shell::delta(550.0, 53.0, [72, 22, 39]).unwrap();
    let wrong = [
        Shell { altitude: 100.0, ..shell.clone() },
        Shell { inclination: 181.0, ..shell.clone() },
        Shell { inclination: f64::NAN, ..shell.clone() },
        Shell { planes: 0, ..shell.clone() },
        Shell { per_plane: u32::MAX, ..shell.clone() },
        Shell { planes: 1000, per_plane: 1000, ..shell.clone() },
        Shell { phasing: Phasing::Steps(1584), ..shell.clone() },
        Shell { surface: 0.0, ..shell.clone() },
    ];
    for shell in wrong {
        assert!(Constellation::of_shell(shell.clone()).is_err(), "{shell:?}");
    }
    let constellation = Constellation::of_shell(shell).unwrap();
    assert!(constellation.linked(Grid { planes: 2, per_plane: 2, wrap: None }).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A slant range lies between the altitude and the distance to the horizon, and falls as the elevation rises; the
    /// chord of the triangle center-place-satellite gives it, too.
    #[test]
    fn slant_ranges_obey_the_triangle(latitude in -60.0..60.0f64, longitude in -180.0..180.0f64, minutes in 0..1440u64) {
        let place = Place::new(latitude, longitude).unwrap();
        let shell = shell_named("starlink-1").unwrap().shell();
        let constellation = Constellation::of_shell(shell.clone()).unwrap();
        let snapshot = constellation.snapshot(start().after(Duration::from_secs(60 * minutes)));
        let ground = place.ecef().length();
        for position in snapshot.positions() {
            let seen = look(place, *position);
            if seen.elevation < 0.0 {
                continue;
            }
            // The vertical is that of the ellipsoid, not that of a sphere: up to 0.2 degrees off.
            let of_sphere = |elevation: f64| {
                let sin = libm::sin(elevation.to_radians());
                (ground * ground * sin * sin + shell.radius() * shell.radius() - ground * ground).sqrt() - ground * sin
            };
            prop_assert!(seen.range <= of_sphere(seen.elevation - 0.2) + 1.0, "{:?}", seen);
            prop_assert!(seen.range >= of_sphere(seen.elevation + 0.2) - 1.0, "{:?}", seen);
            prop_assert!((540.0..2750.0).contains(&seen.range), "{:?}", seen);
        }
    }

    /// If the line between two satellites clears Earth from one end, it does from the other: both see each other at the same
    /// angle below their horizontal.
    #[test]
    fn visibility_is_symmetric(minutes in 0..1440u64, one in 0..1584usize, other in 0..1584usize) {
        let constellation = Constellation::of_shell(shell_named("starlink-1").unwrap().shell()).unwrap();
        let snapshot = constellation.snapshot(start().after(Duration::from_secs(60 * minutes)));
        let [a, b] = [one, other].map(|it| snapshot.positions()[it]);
        if one != other {
            let below = |from: Vector, to: Vector| (to - from).unit().dot(from.unit());
            prop_assert!((below(a, b) - below(b, a)).abs() < 1e-9);
        }
    }
}

#[test]
fn horizons_of_an_elevation_and_of_its_range_agree() {
    // 25 degrees at 550 km: SpaceX gives a radius of 940.7 km on the ground, which is a slant range of 1123 km.
    use seamline_orbit::{Setup, Station, Terminal, follow};
    let place = Place::new(40.0, -100.0).unwrap();
    let count = |horizon: Horizon| {
        let constellation = Constellation::of_shell(shell_named("starlink-1").unwrap().shell()).unwrap();
        let gateways = vec![Station { place, horizon }];
        let setup = Setup::new(constellation, gateways, start(), Duration::from_secs(600));
        let passages = follow(&setup, &[Terminal::at("one", place, horizon)]).unwrap();
        let delays: Vec<Duration> =
            passages[0].routes().iter().flatten().map(|it| it.one_way_delay).collect();
        (delays.len(), delays.iter().max().copied().unwrap())
    };
    let (by_elevation, longest) = count(Horizon::Elevation(25.0));
    let (by_range, longest_by_range) = count(Horizon::Range(1123.0));
    assert_eq!((by_elevation, by_range), (600, 600));
    for longest in [longest, longest_by_range] {
        assert!(longest < Duration::from_secs_f64(2.0 * 1130.0 / seamline_orbit::LIGHT), "{longest}");
    }
}
