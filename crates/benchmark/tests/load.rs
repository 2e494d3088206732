//! The load over loopback.
#![cfg(target_os = "linux")]

use seamline_benchmark::load::{Fetch, Sample, Serve, Timeline, What};
use seamline_wire::Duration;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use std::thread;

fn server(serve: &Serve) -> SocketAddr {
    let listener: TcpListener = serve.listen().unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = serve.clone();
    thread::spawn(move || serve.run(&listener));
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn fetch(server: SocketAddr, what: What) -> Timeline {
    let duration = Duration::from_millis(300);
    let fetch = Fetch { server, is_mptcp: false, what, duration, zero: None };
    let (timeline, ended) = fetch.run(&AtomicBool::new(false)).unwrap();
    ended.unwrap();
    timeline
}

#[test]
fn bytes_come_and_are_counted_by_application_and_kernel() {
    let server = server(&Serve { port: 0, congestion_control: Some("cubic".to_owned()), ..Serve::default() });
    let timeline = fetch(server, What::Bulk);
    let last = timeline.samples.last().unwrap();
    assert!(last.bytes > 1_000_000, "{last:?}");
    // Over loopback segments are of up to 64 kB.
    let per_segment = last.bytes / last.segments.unwrap();
    assert!((500..=65_536).contains(&per_segment), "{per_segment}");
    let is_sorted = |pair: &[Sample]| pair[0].at_s <= pair[1].at_s && pair[0].bytes <= pair[1].bytes;
    assert!(timeline.samples.windows(2).all(is_sorted));
    assert!((0.25..0.6).contains(&last.at_s), "{last:?}");
}

#[test]
fn every_request_is_answered_with_as_many_bytes() {
    let server = server(&Serve { port: 0, ..Serve::default() });
    let timeline = fetch(server, What::Requests(12_345));
    let answered = timeline.requests.iter().filter(|request| request.answered_s.is_some()).count() as u64;
    assert!(answered > 10, "{answered}");
    assert_eq!(timeline.requests.len() as u64, answered + 1);
    let bytes = timeline.samples.last().unwrap().bytes;
    assert!((answered * 12_345..(answered + 1) * 12_345).contains(&bytes), "{answered}, {bytes}");
}

#[test]
fn stalls_are_the_times_between_reads() {
    let sample = |at_s: f64, bytes: u64| Sample { at_s, bytes, segments: None };
    let samples = vec![sample(0.0, 0), sample(0.1, 10), sample(0.5, 20), sample(0.9, 20), sample(1.7, 30)];
    let timeline = Timeline { samples, end_s: 2.5, ..Timeline::default() };
    let stalls: Vec<(f64, f64)> = timeline
        .stalls(Duration::from_millis(300))
        .iter()
        .map(|it| (it.from_s, it.length_ms.round()))
        .collect();
    // The last one lasts until nobody looked any more.
    assert_eq!(stalls, [(0.1, 400.0), (0.5, 1200.0), (1.7, 800.0)]);
    assert_eq!(timeline.bytes_by(0.6), 20);
    assert_eq!(timeline.bytes_per_second(0.1, 0.5), 25.0);
}

#[test]
fn what_the_kernel_does_not_have_is_said() {
    let serve = Serve { port: 0, congestion_control: Some("nonesuch".to_owned()), ..Serve::default() };
    let error = serve.listen().unwrap_err().to_string();
    assert!(error.contains("nonesuch") && error.contains("modprobe"), "{error}");
}
