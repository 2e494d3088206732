//! Time, frames and geometry, against numbers of textbooks.

use proptest::prelude::*;
use seamline_orbit::{Place, Utc, Vector, geodetic, look, sidereal_angle, teme_to_ecef};

#[test]
fn times_are_read_and_written() {
    for text in
        ["2026-11-27T12:00:00Z", "2000-02-29T23:59:59.5Z", "1969-12-31T23:59:59Z", "1900-01-01T00:00:00Z"]
    {
        assert_eq!(Utc::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Utc::parse("2026-11-27").unwrap().to_string(), "2026-11-27T00:00:00Z");
    for text in
        ["2026-02-29", "2026-13-01", "2026-11-27T24:00:00Z", "2026-11-27T12:00", "noon", "2026-+1-27", ""]
    {
        let error = Utc::parse(text).unwrap_err().to_string();
        assert!(error.contains("2026-11-27T12:00:00Z"), "{text}: {error}");
    }
}

/// Vallado, Fundamentals of Astrodynamics and Applications, example 3-5.
#[test]
fn sidereal_time_is_that_of_the_textbook() {
    let angle = sidereal_angle(Utc::parse("1992-08-20T12:14:00Z").unwrap()).to_degrees();
    assert!((angle - 152.578_787_81).abs() < 1e-6, "{angle}");
}

/// Earth turns once in a sidereal day of 86,164.0905 s.
#[test]
fn earth_turns_once_in_a_sidereal_day() {
    let start = Utc::parse("2026-03-20T00:00:00Z").unwrap();
    let later = Utc::from_unix_nanos(start.as_unix_nanos() + 86_164_090_500_000);
    let point = Vector::new(7000.0, 0.0, 0.0);
    let apart = teme_to_ecef(point, start).distance(teme_to_ecef(point, later));
    assert!(apart < 1e-3, "{apart} km");
}

/// Vallado, example 3-3: a point at 34.352496 degrees north, 46.4464 degrees east, 5085.22 km above the ellipsoid.
#[test]
fn latitude_and_longitude_are_those_of_the_textbook() {
    let place = geodetic(Vector::new(6524.834, 6862.875, 6448.296));
    assert!((place.latitude - 34.352_496).abs() < 1e-6, "{place:?}");
    assert!((place.longitude - 46.446_4).abs() < 1e-4, "{place:?}");
    assert!((place.altitude - 5085.22).abs() < 0.01, "{place:?}");
}

#[test]
fn a_satellite_overhead_is_overhead() {
    let place = Place::new(47.6, -122.3).unwrap();
    let above = place.at_altitude(100.0).unwrap().ecef();
    let seen = look(place, above);
    assert!((seen.elevation - 90.0).abs() < 1e-4 && (seen.range - 100.0).abs() < 1e-6, "{seen:?}");
    let north = look(place, Place::new(48.6, -122.3).unwrap().at_altitude(100.0).unwrap().ecef());
    assert!(north.azimuth < 1e-6 || north.azimuth > 360.0 - 1e-6, "{north:?}");
    let east = look(place, Place::new(47.6, -121.3).unwrap().at_altitude(100.0).unwrap().ecef());
    assert!((89.0..90.0).contains(&east.azimuth), "{east:?}");
}

#[test]
fn places_out_of_range_are_refused() {
    for text in ["91,0", "0,181", "0,0,-2", "0,0,101", "47.6", "a,b", "1,2,3,4", "nan,0"] {
        assert!(Place::parse(text).is_err(), "{text}");
    }
    assert_eq!(Place::parse("47.6, -122.3").unwrap(), Place::new(47.6, -122.3).unwrap());
}

fn places() -> impl Strategy<Value = Place> {
    (-90.0..=90.0, -180.0..=180.0, -1.0..=100.0).prop_map(|(latitude, longitude, altitude)| Place {
        latitude,
        longitude,
        altitude,
    })
}

proptest! {
    #[test]
    fn there_and_back_is_the_same_place(place in places()) {
        let back = geodetic(place.ecef());
        prop_assert!(back.ecef().distance(place.ecef()) < 1e-6, "{place:?} {back:?}");
        prop_assert!((back.altitude - place.altitude).abs() < 1e-6);
        prop_assert!((back.latitude - place.latitude).abs() < 1e-7);
    }
}
