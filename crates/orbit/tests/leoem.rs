//! Paths that LeoEM computed (Cao and Zhang, INFOCOM 2023), over the shell and by the rule that LeoEM describes.

use flate2::read::GzDecoder;
use seamline_orbit::{
    Constellation, Horizon, LIGHT, Passage, Pattern, Phasing, Place, Policy, Relay, Setup, Shell, Station, Terminal, Utc, follow,
};
use seamline_testing::recording;
use seamline_wire::Duration;
use std::io::Read;

struct Logged {
    nodes: Vec<i64>,
    delays: Vec<f64>,
}

fn logged(test: &str, name: &str) -> Option<Vec<Option<Logged>>> {
    let bytes = std::fs::read(recording(test, name)?).unwrap();
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('$').collect();
        let list = |field: &str| field.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect::<Vec<_>>();
        (fields.len() == 5).then(|| Logged {
            nodes: list(fields[1]).iter().map(|it| it.parse().unwrap()).collect(),
            delays: list(fields[3]).iter().map(|it| it.parse().unwrap()).collect(),
        })
    };
    Some(text.lines().map(row).collect())
}

fn shell() -> Shell {
    Shell {
        altitude: 550.0,
        surface: 6371.0,
        inclination: 53.0,
        planes: 24,
        per_plane: 66,
        pattern: Pattern::Delta,
        phasing: Phasing::Steps(1),
        epoch: start(),
    }
}

fn start() -> Utc {
    Utc::parse("2019-12-01T00:00:00Z").unwrap()
}

#[test]
fn probe() {
    let Some(log) = logged("probe", "leoem/Starlink_NY_LDN_15_ISL_path.log.gz") else { return };
    let constellation = Constellation::of_shell(shell()).unwrap();
    let ny = Place::new(40.845, -73.932).unwrap();
    for second in [0usize, 1, 600, 1500, 3000, 5000] {
        let at = start().after(Duration::from_secs(second as u64));
        let snapshot = constellation.snapshot(at);
        if let Some(row) = &log[second] {
            let sat: Vec<usize> = row.nodes[1..row.nodes.len() - 1].iter().map(|it| *it as usize).collect();
            let ours: Vec<f64> = sat.windows(2).map(|p| snapshot.positions()[p[0]].distance(snapshot.positions()[p[1]]) / 3e5).collect();
            let first = snapshot.positions()[sat[0]];
            println!("{second}: theirs {:?}\n ours {:?}\n first sat {:?} dist {} km", &row.delays[1..row.delays.len() - 1], ours, seamline_orbit::geodetic(first), first.distance(ny.ecef()));
        }
    }
}
