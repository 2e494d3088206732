//! Running the programs until the user asks to stop.

use super::Arguments;
use seamline_cli::interrupt::Interrupt;
use seamline_cli::{Failure, Outcome, note, print};
use seamline_host::clock;
use seamline_host::confinement::{Capability, keep_capabilities};
use seamline_host::metrics::{Process, Publisher};
use seamline_host::service::Service;
use seamline_sender::{Attached, Error, Off, Places};
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
    warn_about(attached.off());
    let process = Process::new(&[], clock::wall());
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
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        if !arguments.quiet && !lines.is_empty() {
            print(&lines)?;
        }
    }
    print(&attached.counters().map_err(failure)?.to_string())
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
