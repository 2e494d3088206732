//! Real recordings, where they are at hand; the expected numbers were counted by other programs.

use seamline_net::schedule::Fates;
use seamline_recordings::Recording;
use seamline_recordings::formats::leoem::LeoemOptions;
use seamline_recordings::formats::{delay_series, leoem, mahimahi};
use seamline_wire::{Duration, Instant};

fn recording(test: &str, name: &str) -> Option<Recording> {
    seamline_testing::recording(test, name).map(|path| Recording::open(&path).unwrap())
}

#[test]
fn cellular_drives_have_their_mean_rates() {
    let expected = [
        ("ATT-LTE-driving-2016.down.gz", 120_002, 4_560_324),
        ("TMobile-LTE-short.down.gz", 139_986, 16_702_756),
        ("Verizon-LTE-short.up.gz", 140_000, 5_945_743),
    ];
    for (name, millis, bits) in expected {
        let Some(recording) = recording("cellular_drives_have_their_mean_rates", &format!("mahimahi/{name}"))
        else {
            return;
        };
        let chances = mahimahi::parse(&recording).unwrap();
        assert_eq!(chances.period().as_millis(), millis, "{name}");
        assert!(chances.mean_rate().bits_per_second().abs_diff(bits) <= 1, "{name}: {}", chances.mean_rate());
    }
}

#[test]
fn a_starlink_downlink_has_its_interruptions_and_delays() {
    let Some(capacity) =
        recording("a_starlink_downlink_has_its_interruptions_and_delays", "leocc/bw_example.txt.gz")
    else {
        return;
    };
    let chances = mahimahi::parse(&capacity).unwrap();
    let mut gaps = Vec::new();
    let mut last = chances.next_after(Instant::ZERO).at;
    while last < Instant::ZERO + chances.period() {
        let next = chances.next_after(last).at;
        if next - last >= Duration::from_millis(59) {
            gaps.push((last.as_nanos() / 1_000_000, (next - last).as_millis()));
        }
        last = next;
    }
    let expected = [
        (8_687, 59),
        (23_691, 69),
        (38_695, 82),
        (53_691, 68),
        (68_692, 95),
        (83_692, 135),
        (98_698, 59),
        (113_699, 93),
    ];
    assert_eq!(gaps, expected);
    let Some(delays) =
        recording("a_starlink_downlink_has_its_interruptions_and_delays", "leocc/delay_example.txt.gz")
    else {
        return;
    };
    let delays = delay_series::parse(&delays, delay_series::USUAL_INTERVAL).unwrap();
    assert_eq!(delays.period(), Some(Duration::from_millis(119_990)));
    let values: Vec<f64> =
        (0..11_999).map(|index| delays.at(Instant::from_millis(index * 10)).as_millis_f64()).collect();
    assert_eq!(values[..6], [12.0, 12.0, 12.0, 16.0, 14.0, 12.0]);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((mean - 10.666_638_886_573_882).abs() < 1e-9, "{mean}");
}

#[test]
fn satellite_paths_have_their_handovers() {
    let expected = [
        ("NY_LDN_15_ISL", 247, 43_904_073, 100_244),
        ("SD_NY_15_BP", 197, 21_179_126, 32_903),
        ("SD_Shanghai_15_ISL", 181, 40_402_636, 103_325),
        ("SEA_NY_15_BP", 250, 17_783_675, 25_449),
    ];
    let options = LeoemOptions { interruption: Duration::from_millis(100), fates: Fates::SEAMLESS };
    for (name, handovers, first_nanos, most_micros) in expected {
        let Some(recording) =
            recording("satellite_paths_have_their_handovers", &format!("leoem/Starlink_{name}_path.log.gz"))
        else {
            return;
        };
        let schedule = leoem::parse(&recording, options).unwrap();
        assert_eq!(schedule.handovers.as_slice().len(), handovers, "{name}");
        let delay = schedule.one_way_delay.unwrap();
        assert!(delay.at(Instant::ZERO).as_nanos().abs_diff(first_nanos) <= 1, "{name}");
        let most = delay.points().iter().map(|(_, delay)| delay.as_nanos()).max().unwrap();
        assert_eq!((most + 500) / 1000, most_micros, "{name}");
        if name == "SD_NY_15_BP" {
            // No path from second 998 to 1001; the first row is second 1.
            let outage =
                schedule.handovers.as_slice().iter().find(|h| h.at == Instant::from_secs(997)).unwrap();
            assert_eq!(outage.interruption, Duration::from_secs(4));
            assert!(delay.at(Instant::from_secs(1001)).as_nanos().abs_diff(23_371_216) <= 1);
        }
    }
}
