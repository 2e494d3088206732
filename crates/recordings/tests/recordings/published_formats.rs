//! Real recordings of each format, where they are at hand; the expected numbers were counted by other programs.

use seamline_recordings::measured::{Direction, Measured, RateMeaning};
use seamline_recordings::{Recording, recognise};

/// What a recording has: its file, format, and values. Means are in Mbit/s and ms.
struct Expected {
    file: &'static str,
    format: &'static str,
    rate: Option<(Direction, RateMeaning, usize, f64)>,
    delays: Option<(usize, f64)>,
    probes: Option<(usize, usize, f64)>,
    handovers: usize,
}

const GOODPUT: RateMeaning = RateMeaning::Goodput;

const ALL: [Expected; 7] = [
    // Starlink, Cubic: Zhao and Pan, doi 10.5281/zenodo.10020034.
    Expected {
        file: "zhao-q50.csv.gz",
        format: "csv",
        rate: Some((Direction::Down, GOODPUT, 2395, 36.471_552)),
        delays: Some((2395, 111.624_925)),
        probes: None,
        handovers: 0,
    },
    Expected {
        file: "iperf3-starlink-uplink.json.gz",
        format: "iperf3",
        rate: Some((Direction::Up, GOODPUT, 3000, 6.760_887)),
        delays: Some((3000, 61.982_168)),
        probes: None,
        handovers: 0,
    },
    Expected {
        file: "ucc-5g-drive.csv.gz",
        format: "ucc",
        rate: Some((Direction::Down, GOODPUT, 2595, 23.410_879)),
        delays: Some((182, 90.269_231)),
        probes: None,
        handovers: 97,
    },
    Expected {
        file: "nyu-mets-bus57.csv.gz",
        format: "nyu-mets",
        rate: Some((Direction::Down, GOODPUT, 2403, 7.211_885)),
        delays: None,
        probes: None,
        handovers: 0,
    },
    Expected {
        file: "fjordlink.parquet",
        format: "parquet",
        rate: Some((Direction::Down, RateMeaning::Traffic, 3600, 12.717_301)),
        delays: Some((3600, 27.081_541)),
        probes: None,
        handovers: 0,
    },
    Expected {
        file: "starlink-on-the-road-ping.csv.gz",
        format: "wetlinks",
        rate: None,
        delays: Some((1190, 59.121_986)),
        probes: None,
        handovers: 0,
    },
    // 99 answers to 100 probes.
    Expected {
        file: "flent-tcp_nup.flent.gz",
        format: "flent",
        rate: Some((Direction::Up, GOODPUT, 90, 14.113_425)),
        delays: None,
        probes: Some((100, 99, 94.785_859)),
        handovers: 0,
    },
];

#[test]
fn published_recordings_have_the_values_that_others_count() {
    for expected in &ALL {
        let test = "published_recordings_have_the_values_that_others_count";
        let Some(path) = seamline_testing::recording(test, &format!("formats/{}", expected.file)) else {
            return;
        };
        let read = recognise(&Recording::open(&path).unwrap()).unwrap();
        assert_eq!(read.format, expected.format);
        check(&read.measured, expected);
    }
}

fn check(measured: &Measured, expected: &Expected) {
    let file = expected.file;
    if let Some((direction, meaning, count, mean)) = expected.rate {
        let rates =
            measured.rates.iter().find(|it| it.direction == direction && it.meaning == meaning).unwrap();
        let values = rates.samples.iter().map(|it| it.value.bits_per_second() as f64 / 1e6);
        near(file, values.collect(), count, mean);
    }
    if let Some((count, mean)) = expected.delays {
        let values = measured.delays[0].samples.iter().map(|it| it.value.as_millis_f64());
        near(file, values.collect(), count, mean);
    }
    if let Some((sent, answered, mean)) = expected.probes {
        assert_eq!(measured.probes.len(), sent, "{file}");
        let values = measured.probes.iter().filter_map(|it| Some(it.round_trip()?.as_millis_f64()));
        near(file, values.collect(), answered, mean);
    }
    assert_eq!(measured.handovers.len(), expected.handovers, "{file}");
}

/// As many values with this mean, to a thousandth.
fn near(file: &str, values: Vec<f64>, count: usize, mean: f64) {
    assert_eq!(values.len(), count, "{file}");
    let found = values.iter().sum::<f64>() / count as f64;
    assert!((found - mean).abs() < mean * 1e-3, "{file}: {found}, expected {mean}");
}
