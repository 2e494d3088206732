//! Running the programs until the user asks to stop.

use super::Arguments;
use super::budget::Budget;
use seamline_cli::interrupt::Interrupt;
use seamline_cli::{Failure, Outcome, note, print};
use seamline_host::confinement::{Capability, keep_capabilities};
use seamline_host::log::Format;
use seamline_host::metrics::{Process, Publisher};
use seamline_host::service::Service;
use seamline_host::{Journal, clock};
use seamline_sender::{Attached, Error, Event, Off, Places};
use seamline_wire::Instant;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often to look for a request to stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let Some(cgroup) = arguments.cgroup.clone() else { return check() };
    let interrupt = Interrupt::listen()?;
    let places = Places {
        cgroup,
        interfaces: arguments.interface.clone(),
        destinations: arguments.destination.clone(),
        acts_on_losses: arguments.losses,
    };
    let publisher =
        Publisher::open(arguments.metrics.as_ref()).map_err(|error| Failure::Runtime(error.to_string()))?;
    let attached = Attached::new(&places).map_err(failure)?;
    let kept = [Capability::CAP_BPF, Capability::CAP_PERFMON, Capability::CAP_NET_ADMIN];
    keep_capabilities(&kept).map_err(|error| Failure::Runtime(error.to_string()))?;
    warn_about(&attached.off);
    let process = Process::new(&[], clock::wall());
    let mut journal = Journal::new(io::stdout(), Format::of_stdout(arguments.json));
    let mut budget = Budget::new();
    let mut publishing = publisher.begin(|line| note("warning", line));
    let mut service = Service::ready(clock::monotonic());
    if !arguments.quiet {
        note("ready", format!("new connections in {} act on handover marks", places.cgroup.display()));
    }
    while !interrupt.flag().load(Ordering::Relaxed) {
        let now = clock::monotonic();
        service.works(now);
        let counters = attached.counters().map_err(failure)?;
        publishing.publish(now, || counters.metrics(&process));
        let events = attached.wait(CHECK_INTERVAL).map_err(failure)?;
        if !arguments.quiet {
            let lines = events.iter().map(|event| event.line().at(wall_of(event)));
            journal.write(budget.within(now, lines).into_iter());
        }
    }
    let counters = attached.counters().map_err(failure)?;
    if arguments.json {
        journal.write([counters.stop_line().at(clock::wall())].into_iter());
        return Ok(());
    }
    // What is still to be written comes before the counters.
    drop(journal);
    print(&counters.to_string())
}

/// The programs know the monotonic clock only.
fn wall_of(event: &Event) -> Instant {
    let at = Instant::from_nanos(u64::try_from(event.at.as_nanos()).unwrap_or(u64::MAX));
    clock::wall() - clock::monotonic().saturating_since(at)
}

fn check() -> Outcome {
    let off = seamline_sender::check().map_err(failure)?;
    warn_about(&off);
    let found = if off.is_empty() { "all programs" } else { "the other programs" };
    print(&format!("the kernel accepts {found}\n"))
}

fn warn_about(off: &[Off]) {
    off.iter().for_each(|off| note("warning", off));
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Input(text) => Failure::Input(text),
        Error::Host(text) => Failure::Runtime(format!(
            "{text}\ntip: `seamline-host doctor` shows what this host lacks for eBPF programs"
        )),
    }
}
