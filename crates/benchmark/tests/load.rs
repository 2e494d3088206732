//! The load over loopback.
#![cfg(target_os = "linux")]

use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, getsockopt, listen, socket, sockopt,
};
use seamline_benchmark::load::{Fetch, Sample, Serve, Timeline, What};
use seamline_lab::clock::monotonic;
use seamline_lab::system::Namespace;
use seamline_wire::Duration;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
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
    seamline_testing::punctual(20, || {
        let server =
            server(&Serve { port: 0, congestion_control: Some("cubic".to_owned()), ..Serve::default() });
        let timeline = fetch(server, What::Bulk);
        let last = timeline.samples.last().unwrap();
        assert!(last.bytes > 1_000_000, "{last:?}");
        // Over loopback segments are of up to 64 kB.
        let per_segment = last.bytes / last.segments.unwrap();
        assert!((500..=65_536).contains(&per_segment), "{per_segment}");
        let is_sorted = |pair: &[Sample]| pair[0].at_s <= pair[1].at_s && pair[0].bytes <= pair[1].bytes;
        assert!(timeline.samples.windows(2).all(is_sorted));
        assert!((0.25..0.6).contains(&last.at_s), "{last:?}");
    });
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
    // The last one lasts until the client stopped looking.
    assert_eq!(stalls, [(0.1, 400.0), (0.5, 1200.0), (1.7, 800.0)]);
    assert_eq!(timeline.bytes_by(0.6), 20);
    assert_eq!(timeline.bytes_per_second(0.1, 0.5), 25.0);
}

#[test]
fn missing_kernel_features_are_reported() {
    let serve = Serve { port: 0, congestion_control: Some("nonesuch".to_owned()), ..Serve::default() };
    let error = serve.listen().unwrap_err().to_string();
    assert!(error.contains("nonesuch") && error.contains("modprobe"), "{error}");
}

#[test]
fn connecting_without_an_answer_ends_in_time() {
    // Whose queue is full lets no further connection begin.
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let silent = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
    bind(silent.as_raw_fd(), &SockaddrStorage::from(address)).unwrap();
    listen(&silent, Backlog::new(0).unwrap()).unwrap();
    let silent = TcpListener::from(silent);
    let server = silent.local_addr().unwrap();
    let wait = std::time::Duration::from_millis(100);
    let _queue: Vec<TcpStream> =
        (0..8).map_while(|_| TcpStream::connect_timeout(&server, wait).ok()).collect();
    let begin = monotonic();
    let duration = Duration::from_millis(300);
    let fetch = Fetch { server, is_mptcp: false, what: What::Bulk, duration, zero: None };
    let error = fetch.run(&AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains(&format!("cannot connect to {server}")), "{error}");
    let took = monotonic() - begin;
    assert!((duration..Duration::from_secs(5)).contains(&took), "{took}");
    // And when somebody asks to stop.
    let fetch = Fetch { duration: Duration::from_secs(60), ..fetch };
    fetch.run(&AtomicBool::new(true)).unwrap_err();
    assert!(monotonic() - begin < Duration::from_secs(10));
}

#[test]
fn hosts_that_keep_ipv6_to_itself_are_served_over_ipv4_too() {
    let name = "hosts_that_keep_ipv6_to_itself";
    let namespace = match Namespace::new() {
        Ok(namespace) => namespace,
        Err(error) => return seamline_testing::skip(name, error),
    };
    let alone = namespace.within(|| {
        fs::write("/proc/sys/net/ipv6/bindv6only", "1")?;
        let listener = Serve { port: 0, ..Serve::default() }.listen()?;
        Ok(getsockopt(&listener, sockopt::Ipv6V6Only)?)
    });
    match alone {
        Ok(alone) => assert!(!alone),
        Err(error) => seamline_testing::skip(name, error),
    }
}
