//! Flows over the kernel's TCP, in namespaces of the tests' own.
#![cfg(target_os = "linux")]

mod support;

#[path = "traffic/network.rs"]
mod network;

use network::{Network, RIGHT, plans};
use seamline_lab::clock::monotonic;
use seamline_lab::traffic::{Observation, Outcome, Report, Running, Traffic, available_congestion_controls};
use seamline_wire::{Duration, Instant};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;

const MINUTE: Duration = Duration::from_secs(60);

/// Time since then in milliseconds.
fn millis_since(then: Instant) -> u64 {
    monotonic().saturating_since(then).as_nanos() / 1_000_000
}

fn pause(millis: u64) {
    #[expect(clippy::disallowed_methods, reason = "real connections take real time")]
    std::thread::sleep(std::time::Duration::from_millis(millis));
}

#[test]
fn gigabytes_arrive_unharmed_and_are_seen_on_their_way() {
    let Some(network) = Network::or_skip("gigabytes_arrive_unharmed_and_are_seen_on_their_way") else {
        return;
    };
    let (mut sources, sinks) = plans(&network, 2);
    let sizes = [2_000_000_000, 500_000_001];
    for (source, size) in sources.iter_mut().zip(sizes) {
        source.bytes = Some(size);
    }
    sources[1].congestion_control = Some("reno".to_owned());
    let (sender, seen) = mpsc::channel();
    let traffic = Traffic::prepare(sources, sinks, Some(sender)).unwrap();
    let began = monotonic();
    let running = traffic.begin(began).unwrap();
    assert!(running.wait(MINUTE), "not through after a minute");
    let took = monotonic().saturating_since(began);
    let reports = running.end();
    println!("{:.2} Gbit/s", 8.0 * 2.5 / took.as_secs_f64());
    for (report, size) in reports.iter().zip(sizes) {
        assert_eq!(fault(report), None, "{report:?}");
        assert_eq!(report.sink.as_ref().unwrap().bytes_read, size);
        assert_in_order(report);
    }
    let seen: Vec<Observation> = seen.iter().collect();
    let states: Vec<_> = seen.iter().filter(|it| it.connection == 0).map(|it| it.info).collect();
    // One every 5 ms; fewer when the machine is busy.
    let most = took.as_nanos() / 5_000_000 + 3;
    let count = states.len() as u64;
    assert!((most / 10..=most).contains(&count), "{count} samples, at most {most}");
    let info = states.last().expect("there are samples");
    // All data, and a number each for SYN and FIN.
    assert!((2_000_000_000..=2_000_000_002).contains(&info.acknowledged_bytes), "{info:?}");
}

fn assert_in_order(report: &Report) {
    let source = report.source.as_ref().unwrap();
    assert!(source.started <= source.connected && source.connected <= source.written, "{report:?}");
    assert!(source.started.is_some() && source.written.is_some(), "{report:?}");
}

#[test]
fn thousands_of_short_connections() {
    seamline_testing::punctual(20, || {
        let Some(network) = Network::or_skip("thousands_of_short_connections") else { return };
        let (mut sources, sinks) = plans(&network, 3000);
        for (number, source) in sources.iter_mut().enumerate() {
            source.bytes = Some(number as u64 * 17);
            source.start = Duration::from_micros(500 * number as u64);
        }
        let traffic = Traffic::prepare(sources, sinks, None).unwrap();
        let began = monotonic();
        let running = traffic.begin(began).unwrap();
        assert!(running.wait(MINUTE), "not through after a minute");
        let reports = running.end();
        assert_eq!(reports.len(), 3000);
        let mut late = Vec::new();
        for (number, report) in reports.iter().enumerate() {
            assert_eq!(fault(report), None, "{report:?}");
            assert_eq!(report.sink.as_ref().unwrap().bytes_read, number as u64 * 17);
            let due = began + Duration::from_micros(500 * number as u64);
            let started = report.source.as_ref().unwrap().started.unwrap();
            assert!(started >= due);
            late.push(started.saturating_since(due).as_nanos() / 1000);
        }
        late.sort_unstable();
        println!("started late by {} us (median), {} us (p99)", late[1500], late[2970]);
        assert!(late[1500] < 50_000, "{} us late", late[1500]);
    });
}

/// What is wrong: damaged or missing bytes first, then what failed. `None` when everything that was written was
/// read, and each end has finished.
fn fault(report: &Report) -> Option<String> {
    let (source, sink) = (report.source.as_ref(), report.sink.as_ref());
    if let Some(offset) = sink.and_then(|sink| sink.first_mismatch) {
        return Some(format!("the byte at offset {offset} is not what was sent there"));
    }
    let outcomes = [("source", source.map(|it| &it.outcome)), ("sink", sink.map(|it| &it.outcome))];
    for (end, outcome) in outcomes {
        match outcome {
            Some(Outcome::Failed(why)) => return Some(format!("{end}: {why}")),
            Some(Outcome::Unfinished) => {
                return Some(format!("{end}: it was ended before it was through"));
            }
            Some(Outcome::Finished) | None => {}
        }
    }
    match (source?.bytes_written, sink?.bytes_read) {
        (written, read) if written != read => Some(format!("{written} bytes were written and {read} read")),
        _ => None,
    }
}

/// Two endless connections. More is acknowledged of each than a receive buffer holds, so the sinks have read some.
fn endless(network: &Network) -> Running {
    let (sources, sinks) = plans(network, 2);
    let (sender, seen) = mpsc::channel();
    let traffic = Traffic::prepare(sources, sinks, Some(sender)).unwrap();
    let running = traffic.begin(monotonic()).unwrap();
    let mut waiting = vec![0, 1];
    while !waiting.is_empty() {
        let Observation { connection, info } = seen.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        if info.acknowledged_bytes > 100_000_000 {
            waiting.retain(|number| *number != connection);
        }
    }
    running
}

#[test]
fn sources_stop_by_themselves_at_their_time() {
    seamline_testing::punctual(20, || {
        let Some(network) = Network::or_skip("sources_stop_by_themselves_at_their_time") else { return };
        let (mut sources, sinks) = plans(&network, 2);
        sources[0].stop = Some(Duration::from_millis(200));
        // Its stop comes before its start: it never sends.
        sources[1].start = Duration::from_secs(100);
        sources[1].stop = Some(Duration::from_millis(100));
        let traffic = Traffic::prepare(sources, sinks, None).unwrap();
        let began = monotonic();
        let running = traffic.begin(began).unwrap();
        assert!(!running.wait(Duration::from_secs(1)), "the second sink has no source");
        let reports = running.end();
        assert_eq!(fault(&reports[0]), None);
        let written = reports[0].source.as_ref().unwrap().written.unwrap().saturating_since(began);
        assert!((200..400).contains(&(written.as_nanos() / 1_000_000)), "{written:?}");
        assert_eq!(reports[1].source.as_ref().unwrap().started, None);
        assert_eq!(reports[1].sink.as_ref().unwrap().outcome, Outcome::Unfinished);
    });
}

#[test]
fn ended_in_the_middle_they_are_gone_at_once() {
    seamline_testing::punctual(20, || {
        let Some(network) = Network::or_skip("ended_in_the_middle_they_are_gone_at_once") else { return };
        let running = endless(&network);
        let asked = monotonic();
        let reports = running.end();
        assert!(millis_since(asked) < 100, "took {} ms", millis_since(asked));
        for report in reports {
            let (source, sink) = (report.source.unwrap(), report.sink.unwrap());
            assert_eq!((source.outcome, sink.first_mismatch), (Outcome::Unfinished, None));
            assert!(source.bytes_written >= sink.bytes_read && sink.bytes_read > 0);
        }
        let sockets = network.sockets_of_left("state all");
        assert_eq!(sockets, "");
    });
}

#[test]
fn a_path_that_dies_does_not_delay_the_end() {
    seamline_testing::punctual(20, || {
        let Some(network) = Network::or_skip("a_path_that_dies_does_not_delay_the_end") else { return };
        let (mut sources, sinks) = plans(&network, 3);
        sources[2].start = Duration::from_millis(400);
        let (sender, seen) = mpsc::channel();
        let traffic = Traffic::prepare(sources, sinks, Some(sender)).unwrap();
        let running = traffic.begin(monotonic()).unwrap();
        pause(200);
        network.drop_everything();
        pause(1300);
        assert!(!running.wait(Duration::from_millis(50)), "a dead path has delivered what was on its way");
        let asked = monotonic();
        let reports = running.end();
        assert!(millis_since(asked) < 100, "took {} ms", millis_since(asked));
        assert!(reports[0].source.as_ref().unwrap().connected.is_some());
        // Its SYN went nowhere.
        let source = reports[2].source.as_ref().unwrap();
        assert!(source.started.is_some() && source.connected.is_none());
        assert_eq!(reports[2].sink.as_ref().unwrap().bytes_read, 0);
        let backoff = seen.iter().filter(|it| it.connection == 0).map(|it| it.info.backoff).max();
        assert!(backoff.is_some_and(|times| (1..=4).contains(&times)), "{backoff:?}");
    });
}

#[test]
fn the_reason_for_a_refused_connection_is_reported() {
    let Some(network) = Network::or_skip("the_reason_for_a_refused_connection_is_reported") else { return };
    let (sources, _) = plans(&network, 1);
    let running = Traffic::prepare(sources, Vec::new(), None).unwrap().begin(monotonic()).unwrap();
    assert!(running.wait(Duration::from_secs(5)));
    let fault = fault(&running.end().remove(0)).unwrap();
    assert!(fault.contains("cannot connect") && fault.contains("refused"), "{fault}");
    let (mut sources, sinks) = plans(&network, 1);
    sources[0].congestion_control = Some("nonsense".to_owned());
    let error = Traffic::prepare(sources, sinks.clone(), None).unwrap_err().to_string();
    assert!(error.contains("connection 0") && error.contains("no congestion control nonsense"), "{error}");
    let error = Traffic::prepare(Vec::new(), [sinks.clone(), sinks].concat(), None).unwrap_err().to_string();
    assert!(error.contains("cannot listen on 10.87.0.2:10000") && error.contains("in use"), "{error}");
}

#[test]
fn one_damaged_byte_is_noticed() {
    let Some(network) = Network::or_skip("one_damaged_byte_is_noticed") else { return };
    const DAMAGED: u64 = 7_654_321;
    let (mut sources, sinks) = plans(&network, 1);
    let proxy: SocketAddr = (RIGHT, 9).into();
    let sink = sinks[0].local;
    sources[0].bytes = Some(20_000_000);
    sources[0].remote = proxy;
    let listener = network.right.within(|| TcpListener::bind(proxy)).unwrap();
    let traffic = Traffic::prepare(sources, sinks, None).unwrap();
    let running = traffic.begin(monotonic()).unwrap();
    let (from, _) = listener.accept().unwrap();
    let to = network.right.within(|| TcpStream::connect(sink)).unwrap();
    pass_on(from, to, DAMAGED);
    assert!(running.wait(MINUTE));
    let report = running.end().remove(0);
    let sink = report.sink.as_ref().unwrap();
    assert_eq!((sink.first_mismatch, sink.bytes_read), (Some(DAMAGED), 20_000_000));
    assert!(fault(&report).unwrap().contains("offset 7654321"), "{report:?}");
}

/// Forward everything with one bit of one byte turned over.
fn pass_on(mut from: TcpStream, mut to: TcpStream, damaged: u64) {
    let (mut piece, mut done) = (vec![0; 65_536], 0);
    loop {
        let count = from.read(&mut piece).unwrap();
        if count == 0 {
            return to.shutdown(Shutdown::Write).unwrap();
        }
        if (done..done + count as u64).contains(&damaged) {
            piece[(damaged - done) as usize] ^= 0x10;
        }
        to.write_all(&piece[..count]).unwrap();
        done += count as u64;
    }
}

#[test]
fn every_congestion_control_of_the_kernel_can_be_had_in_a_namespace_of_ones_own() {
    let name = "every_congestion_control_of_the_kernel_can_be_had_in_a_namespace_of_ones_own";
    let Some(network) = Network::or_skip(name) else { return };
    let controls = available_congestion_controls(&network.left).unwrap();
    assert!(controls.iter().any(|control| control.name == "reno"), "{controls:?}");
    let refused: Vec<_> = controls.iter().filter(|control| control.refused.is_some()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let (mut sources, sinks) = plans(&network, controls.len() as u32);
    for (source, control) in sources.iter_mut().zip(&controls) {
        (source.bytes, source.congestion_control) = (Some(3_000_000), Some(control.name.clone()));
    }
    let running = Traffic::prepare(sources, sinks, None).unwrap().begin(monotonic()).unwrap();
    assert!(running.wait(MINUTE));
    for report in running.end() {
        assert_eq!(fault(&report), None, "{report:?}");
    }
}
