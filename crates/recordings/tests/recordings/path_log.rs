//! The sample of a path log.

use seamline_net::Schedule;
use seamline_net::generate::{StarlinkParameters, starlink};
use seamline_net::schedule::Fates;
use seamline_recordings::Recording;
use seamline_recordings::formats::leoem::{LeoemOptions, parse};
use seamline_recordings::formats::path_log;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// What is written as a path log reads back as the same delays and handovers.
#[test]
fn a_sample_path_log_reads_back() {
    let length = Duration::from_secs(120);
    let made = starlink(&StarlinkParameters::downlink(length), Stream::new(1, "sample/path")).unwrap();
    let recording = Recording::from_bytes("sample.log", path_log(&made, length).as_bytes()).unwrap();
    let options = LeoemOptions { interruption: Duration::from_millis(75), fates: Fates::HARD };
    let read = parse(&recording, options).unwrap();
    let times = |schedule: &Schedule| -> Vec<Instant> {
        schedule.handovers.as_slice().iter().map(|handover| handover.at).collect()
    };
    assert_eq!(times(&read), times(&made));
    assert_eq!(times(&read).len(), 8);
    let delay = |schedule: &Schedule, second| {
        schedule.one_way_delay.as_ref().unwrap().at(Instant::from_secs(second)).as_nanos()
    };
    (0..120).for_each(|second| assert_eq!(delay(&read, second), delay(&made, second), "at {second} s"));
}
