//! As much TCP as goes through, between two hosts with the kernel's TCP.

use super::Effort;
use super::path::{Emulator, Host, between, delay_only, now, one_link, pause};
use crate::pool::join;
use crate::run::LabError;
use crate::system::StateDirectory;
use serde::Serialize;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const PORT: u16 = 5001;
const CHUNK: usize = 256 << 10;

/// How a flow is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulk {
    /// How long it runs before that.
    pub(super) settle: Duration,
    /// How long it is measured.
    pub(super) time: Duration,
}

/// What went through a link without limits, with packets of 1500 bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Throughput {
    /// What the receiving application got.
    pub goodput_mbit_per_s: f64,
    /// Packets a second that the emulator carried, both ways, as the receiver's interface counted.
    pub packets_per_s: f64,
    /// How much of one processor the emulator's thread used, in per cent.
    pub emulator_processor_percent: f64,
}

pub(super) fn measure(effort: Effort, state: &StateDirectory) -> Result<Throughput, LabError> {
    let plan = one_link(delay_only(0))?;
    let time = effort.choose(Duration::from_millis(700), Duration::from_secs(5));
    between(&plan, state, |hosts, emulator, _| {
        bulk(&hosts[0], &hosts[1], Bulk { settle: Duration::from_millis(300), time }, emulator)
    })
}

/// Send from one host to the other, and measure at the other.
pub(super) fn bulk(from: &Host, to: &Host, plan: Bulk, emulator: Emulator) -> io::Result<Throughput> {
    let target = SocketAddr::new(to.address, PORT);
    let listener = to.namespace.within(|| TcpListener::bind(target))?;
    let mut sender = from.namespace.within(|| TcpStream::connect(target))?;
    let (receiver, _) = listener.accept()?;
    let got = AtomicU64::new(0);
    thread::scope(|scope| {
        let sending = scope.spawn(move || send(&mut sender));
        let reader = receiver.try_clone()?;
        let receiving = scope.spawn(|| receive(reader, &got));
        pause(plan.settle);
        let measured = to.namespace.within(|| measure_for(plan.time, &got, emulator));
        // The sender is reset, and the reader finds the end.
        let _ = receiver.shutdown(Shutdown::Both);
        join(receiving)?;
        drop(receiver);
        join(sending)?;
        measured
    })
}

/// In the receiver's namespace.
fn measure_for(time: Duration, got: &AtomicU64, emulator: Emulator) -> io::Result<Throughput> {
    let look = || -> io::Result<_> {
        Ok((now(), got.load(Ordering::Relaxed), packets()?, emulator.processor_time()?))
    };
    let begin = look()?;
    pause(time);
    let end = look()?;
    let seconds = (end.0 - begin.0).as_secs_f64();
    Ok(Throughput {
        goodput_mbit_per_s: (end.1 - begin.1) as f64 * 8e-6 / seconds,
        packets_per_s: (end.2 - begin.2) as f64 / seconds,
        emulator_processor_percent: 100.0 * (end.3.saturating_sub(begin.3)).as_secs_f64() / seconds,
    })
}

/// Packets that the interface of the calling thread's namespace has received and sent.
fn packets() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/thread-self/net/dev")?;
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(crate::site::INTERFACE)?.strip_prefix(':'));
    let fields: Vec<u64> =
        line.unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // proc_pid_net(5): bytes and packets received are the first two columns, those sent the ninth and tenth.
    match (fields.get(1), fields.get(9)) {
        (Some(received), Some(sent)) => Ok(received + sent),
        _ => Err(io::Error::other("/proc/thread-self/net/dev does not count the interface's packets")),
    }
}

fn send(stream: &mut TcpStream) -> io::Result<()> {
    let chunk = vec![0; CHUNK];
    loop {
        match stream.write(&chunk) {
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
}

fn receive(mut stream: TcpStream, got: &AtomicU64) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => _ = got.fetch_add(length as u64, Ordering::Relaxed),
            // Data that comes after the end was announced resets this side, too.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
