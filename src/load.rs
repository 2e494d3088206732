//! `seamline load serve` and `seamline load fetch`: a TCP load that times its stalls.

use crate::Outcome;
use crate::terminal::{Failure, note, print_results};
use crate::words;
use seamline_benchmark::load::{Fetch, PORT, Serve, Summary, Timeline, What};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_lab::clock::monotonic;
use seamline_wire::{Duration, Instant};
use std::fmt::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    end: End,
}

#[derive(Debug, clap::Subcommand)]
enum End {
    /// Answer requests for bytes until stopped.
    Serve(ServeArguments),
    /// Fetch bytes, and report stalls.
    Fetch(FetchArguments),
    /// Inside `seamline lab`: wait until a time of the scenario.
    Wait(WaitArguments),
}

#[derive(Debug, clap::Args)]
struct ServeArguments {
    /// The port to listen on
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// The kernel's congestion control [default: that of the host]
    #[arg(long, value_name = "NAME")]
    congestion: Option<String>,
    /// The longest retransmission timeout, from 1 s to 120 s (TCP_RTO_MAX_MS, Linux 6.15)
    #[arg(long, value_name = "TIME", value_parser = words::time)]
    rto_max: Option<Duration>,
    /// Also accept MPTCP connections
    #[arg(long)]
    mptcp: bool,
}

#[derive(Debug, clap::Args)]
struct FetchArguments {
    /// The server's name or address
    server: String,
    /// Its port
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// How long to fetch [default: 10 s]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "10 s", hide_default_value = true)]
    duration: Duration,
    /// Inside `seamline lab`: fetch until this time of the scenario, and report all times on its clock
    #[arg(long, value_name = "TIME", value_parser = words::time, conflicts_with = "duration")]
    until: Option<Duration>,
    /// Request this many bytes repeatedly, instead of one endless response
    #[arg(long, value_name = "SIZE", value_parser = words::bytes)]
    requests: Option<u64>,
    /// Use MPTCP
    #[arg(long)]
    mptcp: bool,
    /// The shortest stall to report [default: 200 ms]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "200 ms", hide_default_value = true)]
    stall: Duration,
    /// Write the results into this file, as JSON: rates, percentiles, stalls
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write when each piece of data arrived (a megabyte for each second of a fast link)
    #[arg(long, requires = "json")]
    full: bool,
    /// Do not report stalls
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, clap::Args)]
struct WaitArguments {
    /// The time of the scenario
    #[arg(long, value_name = "TIME", value_parser = words::time)]
    until: Duration,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.end {
        End::Serve(arguments) => serve(arguments),
        End::Fetch(arguments) => fetch(arguments),
        End::Wait(arguments) => wait(arguments),
    }
}

fn serve(arguments: &ServeArguments) -> Outcome {
    let ServeArguments { port, congestion, rto_max, mptcp } = arguments;
    let serve = Serve {
        port: *port,
        congestion_control: congestion.clone(),
        longest_retransmission_timeout: *rto_max,
        is_mptcp: *mptcp,
    };
    let listener = serve.listen()?;
    let port = listener.local_addr()?.port();
    note("note", format!("listening on port {port}; stop with Ctrl-C"));
    Ok(serve.run(&listener)?)
}

fn fetch(arguments: &FetchArguments) -> Outcome {
    let zero = arguments.until.map(|_| time_zero()).transpose()?;
    let duration = match (arguments.until, zero) {
        (Some(until), Some(zero)) => until - monotonic().saturating_since(zero),
        _ => arguments.duration,
    };
    let what = arguments.requests.map_or(What::Bulk, What::Requests);
    let server = resolve(&arguments.server, arguments.port)?;
    let interrupt = Interrupt::listen()?;
    let fetch = Fetch { server, is_mptcp: arguments.mptcp, what, duration, zero };
    let (timeline, ended) = fetch.run(interrupt.flag())?;
    let summary = Summary::of(&timeline, arguments.stall);
    if let Some(file) = &arguments.json {
        let report = Report { summary: &summary, timeline: arguments.full.then_some(&timeline) };
        let text = serde_json::to_string(&report)?;
        atomic::write(file, (text + "\n").as_bytes())?;
    }
    if !arguments.quiet {
        print_results(&text(&summary, arguments.stall))?;
    }
    Ok(ended?)
}

fn wait(arguments: &WaitArguments) -> Outcome {
    let left = arguments.until - monotonic().saturating_since(time_zero()?);
    #[expect(clippy::disallowed_methods, reason = "waits in real time")]
    std::thread::sleep(std::time::Duration::from_nanos(left.as_nanos()));
    Ok(())
}

/// When the scenario of the lab began.
fn time_zero() -> Result<Instant, Failure> {
    let variable = "SEAMLINE_TIME_ZERO";
    let nanoseconds = std::env::var(variable).ok().and_then(|text| text.parse().ok());
    nanoseconds.map(Instant::from_nanos).ok_or_else(|| {
        Failure::Input(format!(
            "--until is a time of a scenario, and {variable} does not contain its start\n\
             tip: use it in a command of seamline lab, or give --duration"
        ))
    })
}

pub(crate) fn resolve(server: &str, port: u16) -> Result<SocketAddr, Failure> {
    let found = (server, port).to_socket_addrs();
    let found = found.map_err(|error| Failure::Input(format!("{server}: {error}")))?.next();
    found.ok_or_else(|| Failure::Input(format!("{server} has no address")))
}

/// The file of `--json`.
#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    #[serde(flatten)]
    timeline: Option<&'a Timeline>,
}

/// The results as text.
fn text(it: &Summary, least: Duration) -> String {
    let mut text = String::new();
    let Summary { bytes, duration_s, rate_mbit_per_s, .. } = it;
    let _ = writeln!(text, "{bytes} bytes in {duration_s:.1} s, {rate_mbit_per_s:.2} Mbit/s");
    if it.answered > 0 {
        let _ = writeln!(text, "{} requests answered", it.answered);
    }
    for stall in &it.stalls {
        let _ = writeln!(text, "no data for {:.0} ms from {:.3} s", stall.length_ms, stall.from_s);
    }
    if it.stalls.is_empty() {
        let _ = writeln!(text, "no stall of {least} or more");
    }
    text
}
