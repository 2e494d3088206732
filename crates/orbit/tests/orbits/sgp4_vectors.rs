//! The verification vectors of SGP4 (Vallado et al., AIAA 2006-6753), through our reader and our TEME.

use proptest::prelude::*;
use seamline_orbit::{Place, Track, Utc, read_elements, read_places};

const VECTORS: &str = include_str!("../data/sgp4-verification.txt");

/// Element sets, each followed by minutes and positions in kilometers.
fn cases() -> Vec<(String, Vec<[f64; 4]>)> {
    let mut cases: Vec<(String, Vec<[f64; 4]>)> = Vec::new();
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        if let Some(numbers) = line.strip_prefix("at ") {
            let numbers: Vec<f64> = numbers.split(' ').map(|it| it.parse().unwrap()).collect();
            cases.last_mut().unwrap().1.push(numbers.try_into().unwrap());
        } else if line.starts_with("1 ") {
            cases.push((format!("{line}\n"), Vec::new()));
        } else {
            cases.last_mut().unwrap().0 += line;
        }
    }
    cases
}

#[test]
fn published_positions_come_out_to_the_millimeter() {
    let cases = cases();
    assert_eq!(cases.len(), 10);
    let mut compared = 0;
    for (elements, states) in &cases {
        let satellites = read_elements(elements).unwrap();
        assert_eq!(satellites.len(), 1);
        for [minutes, x, y, z] in states {
            let teme = satellites[0].teme(*minutes).expect("it has not decayed");
            for (ours, published) in [(teme.x, x), (teme.y, y), (teme.z, z)] {
                assert!(
                    (ours - published).abs() < 1e-6,
                    "{elements} at {minutes} min: {ours} km, not {published}"
                );
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 55);
}

#[test]
fn names_and_json_are_read() {
    let lines = "ISS (ZARYA)\n\
        1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992\n\
        2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008\n";
    let json = r#"[{"OBJECT_NAME": "ISS (ZARYA)", "OBJECT_ID": "1998-067A", "EPOCH": "2020-07-12T21:16:01.000416",
        "MEAN_MOTION": 15.49507896, "ECCENTRICITY": 0.0001413, "INCLINATION": 51.6461, "RA_OF_ASC_NODE": 221.2784,
        "ARG_OF_PERICENTER": 89.1723, "MEAN_ANOMALY": 280.4612, "EPHEMERIS_TYPE": 0, "CLASSIFICATION_TYPE": "U",
        "NORAD_CAT_ID": 25544, "ELEMENT_SET_NO": 999, "REV_AT_EPOCH": 23600, "BSTAR": -3.1515e-5,
        "MEAN_MOTION_DOT": -2.218e-5, "MEAN_MOTION_DDOT": 0}]"#;
    let (one, other) = (&read_elements(lines).unwrap()[0], &read_elements(json).unwrap()[0]);
    assert_eq!((one.name(), other.name()), ("ISS (ZARYA)", "ISS (ZARYA)"));
    assert!(one.epoch().seconds_since(other.epoch()).abs() < 1e-3);
    let distance = one.teme(90.0).unwrap().distance(other.teme(90.0).unwrap());
    assert!(distance < 0.01, "{distance} km");
}

/// The keywords of one element set, without those that a message may leave out.
const KEYWORDS: [(&str, &str); 13] = [
    ("OBJECT_NAME", "ISS (ZARYA)"),
    ("OBJECT_ID", "1998-067A"),
    ("EPOCH", "2020-07-12T21:16:01.000416"),
    ("MEAN_MOTION", "15.49507896"),
    ("ECCENTRICITY", ".0001413"),
    ("INCLINATION", "51.6461"),
    ("RA_OF_ASC_NODE", "221.2784"),
    ("ARG_OF_PERICENTER", "89.1723"),
    ("MEAN_ANOMALY", "280.4612"),
    ("NORAD_CAT_ID", "25544"),
    ("REV_AT_EPOCH", "23600"),
    ("BSTAR", "-.31515E-4"),
    ("MEAN_MOTION_DOT", "-2.218E-5"),
];

/// A message in each form, as its makers write it, twice in one file.
#[test]
fn messages_are_read_in_all_their_forms() {
    let each = |write: &dyn Fn(&(&str, &str)) -> String| KEYWORDS.iter().map(write).collect::<String>();
    let kvn = format!(
        "CCSDS_OMM_VERS = 2.0\nCOMMENT = made up\nCREATION_DATE = 2020-07-13\n{}",
        each(&|(key, value)| match *key {
            "INCLINATION" => format!("{key:<18}= {value} [deg]\n\n"),
            _ => format!("{key:<18}= {value}\n"),
        })
    );
    let element = each(&|(key, value)| format!("<{key}>{value}</{key}>"));
    let omm = format!(
        "<omm id=\"CCSDS_OMM_VERS\" version=\"2.0\"><body><segment><data><meanElements>{element}</meanElements></data></segment></body></omm>\n"
    );
    let head = each(&|(key, _)| format!("{key},")).replace("DOT,", "DOT\n");
    let row = each(&|(_, value)| format!("\"{value}\",")) + "\n";
    let row = row.replace("\",\n", "\"\n").replace("16:01.000416", "16:01.000416Z");
    let forms = [
        kvn.repeat(2),
        format!("<?xml version=\"1.0\"?>\n<ndm>{}</ndm>", omm.repeat(2)),
        head.clone() + &row.repeat(2),
    ];
    let json = each(&|(key, value)| format!("\"{key}\": \"{value}\", "));
    let more =
        r#""CLASSIFICATION_TYPE": "U", "ELEMENT_SET_NO": 1, "EPHEMERIS_TYPE": 0, "MEAN_MOTION_DDOT": 0"#;
    let expected = &read_elements(&format!("{{{json}{more}}}")).unwrap()[0];
    for form in &forms {
        let satellites = read_elements(form).unwrap_or_else(|error| panic!("{error}\n{form}"));
        assert_eq!(satellites.len(), 2, "{form}");
        for satellite in satellites {
            assert_eq!((satellite.name(), satellite.epoch()), (expected.name(), expected.epoch()));
            assert_eq!(satellite.teme(90.0), expected.teme(90.0));
        }
        let wrong = read_elements(&form.replace("MEAN_ANOMALY", "ANOMALY")).unwrap_err();
        assert!(wrong.line.is_some() && wrong.what.contains("missing field `MEAN_ANOMALY`"), "{wrong}");
    }
    let second = (head + &row + &row.replace("51.6461", "steep")).replace("\r", "");
    assert_eq!(read_elements(&second).unwrap_err().line, Some(3));
    assert_eq!(read_elements(&kvn.replace("BSTAR             =", "BSTAR")).unwrap_err().line, Some(16));
    assert!(read_elements("<ndm><omm></ndm>").unwrap_err().what.contains("Orbit Mean-elements Message"));
}

#[test]
fn what_is_wrong_has_its_line() {
    let good = "1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992";
    let second = "2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008";
    let line = |text: &str| read_elements(text).unwrap_err().line;
    assert_eq!(line(&format!("{good}\n")), Some(2));
    assert_eq!(line(&format!("\n{second}\n{good}\n")), Some(2));
    assert_eq!(line(&format!("A\nB\n{good}\n{second}\n")), Some(2));
    let changed = second.replace("51.6461", "51.6462");
    let error = read_elements(&format!("# a comment\n{good}\n{changed}\n")).unwrap_err();
    assert!(error.line == Some(2) && error.to_string().contains("checksum"), "{error}");
    assert_eq!(line("[{\n\"OBJECT_NAME\": 5}]"), Some(2));
    assert!(read_elements("").unwrap_err().to_string().contains("no element sets"));
}

proptest! {
    /// Whatever a file holds, reading it ends with satellites or an error, and a satellite has a place or has decayed.
    #[test]
    fn no_text_makes_it_panic(place in 0..140usize, letter in any::<char>(), minutes in -1e7..1e7f64) {
        let lines = "1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992\n\
            2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008\n";
        let text: String = lines.chars().enumerate().map(|(at, it)| if at == place { letter } else { it }).collect();
        for satellite in read_elements(&text).unwrap_or_default() {
            prop_assert!(satellite.teme(minutes).is_none_or(|teme| teme.length().is_finite()));
        }
        prop_assert!(read_elements(&lines.chars().take(place).collect::<String>()).is_err() || place >= 138);
    }

    /// The same for elements that no satellite has.
    #[test]
    fn no_elements_make_it_panic(
        motion in -1.0..1e6f64, eccentricity in -1.0..2.0f64, drag in -1e9..1e9f64, angle in -1e6..1e6f64, minutes in -1e7..1e7f64,
    ) {
        let json = format!(
            r#"{{"OBJECT_NAME": "", "OBJECT_ID": "1998-067A", "EPOCH": "2020-07-12T21:16:01", "MEAN_MOTION": {motion},
            "ECCENTRICITY": {eccentricity}, "INCLINATION": {angle}, "RA_OF_ASC_NODE": {angle}, "ARG_OF_PERICENTER": {angle},
            "MEAN_ANOMALY": {angle}, "EPHEMERIS_TYPE": 0, "CLASSIFICATION_TYPE": "U", "NORAD_CAT_ID": 25544,
            "ELEMENT_SET_NO": 999, "REV_AT_EPOCH": 23600, "BSTAR": {drag}, "MEAN_MOTION_DOT": 0, "MEAN_MOTION_DDOT": 0}}"#
        );
        for satellite in read_elements(&json).unwrap_or_default() {
            prop_assert_eq!(satellite.name(), "25544");
            prop_assert!(satellite.teme(minutes).is_none_or(|teme| teme.length().is_finite()));
        }
    }

    #[test]
    fn no_track_and_no_list_of_places_makes_it_panic(text in "[0-9a-z,.\n# -]{0,60}") {
        let _ = (Track::parse(&text), read_places(&text), Place::parse(&text), Utc::parse(&text));
    }
}
