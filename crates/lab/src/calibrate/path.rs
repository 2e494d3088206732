//! Hosts with emulated links between them, for measurements from outside the emulator.

use crate::driver::Over;
use crate::edge;
use crate::ends::{Ends, Flows};
use crate::pool::join;
use crate::run::{LabError, on_emulator_thread};
use crate::stacks::Stacks;
use crate::system::{Namespace, StateDirectory};
use seamline_experiment::RunOptions;
use seamline_experiment::live::{self, Ended};
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A rate at which a packet of 1500 bytes takes 12 ns: no limit.
pub(super) const UNLIMITED: &str = "1000 Gbit/s";

/// A host that is measured from.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) namespace: Arc<Namespace>,
    pub(super) address: IpAddr,
}

/// The thread that forwards packets, seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emulator {
    thread: i32,
}

impl Emulator {
    /// How long it has been running on a processor.
    pub(super) fn processor_time(self) -> io::Result<Duration> {
        let text = fs::read_to_string(format!("/proc/self/task/{}/schedstat", self.thread))?;
        let nanos = text.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
        nanos
            .map(Duration::from_nanos)
            .ok_or_else(|| io::Error::other(format!("unexpected schedstat: {text:?}")))
    }
}

/// A scenario with these links, one a line: name, ends, and the other keys of its table. Hosts are the nodes at their ends.
pub(super) fn scenario(links: &[(&str, [&str; 2], String)]) -> Result<Plan, LabError> {
    use std::fmt::Write as _;
    let nodes: Vec<String> =
        links.iter().flat_map(|(_, ends, _)| ends.map(|end| format!("{end:?}"))).collect();
    let mut text =
        format!("title = \"calibration\"\nduration = \"1 h\"\nseeds = 1\nnodes = [{}]\n", nodes.join(", "));
    for (name, [from, to], keys) in links {
        let _ = write!(text, "\n[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{keys}\n");
        let _ = write!(
            text,
            "\n[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nvariant = \"cubic\"\n"
        );
    }
    Plan::new(Path::new("calibration.toml"), text, &[]).map_err(|wrong| {
        let text = wrong.render(false);
        LabError::Host(io::Error::other(format!("the calibration's own scenario is invalid: {text}")))
    })
}

/// A scenario of one link with these keys, from the host `near` to the host `far`.
pub(super) fn one_link(keys: String) -> Result<Plan, LabError> {
    scenario(&[("path", ["near", "far"], keys)])
}

/// The keys of a link that limits nothing but the delay.
pub(super) fn delay_only(delay_ms: u32) -> String {
    format!(
        "rate = \"{UNLIMITED}\"\none_way_delay = \"{delay_ms} ms\"\nqueue = {{ discipline = \"unlimited\" }}"
    )
}

/// Emulate a scenario while `measure` runs between its hosts, which are in the order of its nodes.
pub(super) fn between<T: Send>(
    plan: &Plan,
    state: &StateDirectory,
    measure: impl FnOnce(&[Host], Emulator, &Scenario) -> io::Result<T> + Send,
) -> Result<T, LabError> {
    let mut measure = Some(measure);
    let mut measured = None;
    live::run(plan, &RunOptions::default(), &|| {}, |live| {
        let ends = Ends::new(live, &Stacks::default(), Flows::Rest)?;
        let _known = state.register(&ends.namespaces().collect::<Vec<_>>())?;
        let host = |site: &crate::site::Site| Host {
            namespace: site.namespace.clone(),
            address: edge::addresses(live::node_id(site.node))[0],
        };
        let hosts: Vec<Host> = ends.sites.iter().map(host).collect();
        let scenario = live.scenario().clone();
        let done = AtomicBool::new(false);
        let (emulator, began) = mpsc::channel();
        let Some(measure) = measure.take() else { return Ok(Ended::Stopped) };
        thread::scope(|scope| {
            let (hosts, scenario, at_end) = (&hosts, &scenario, AtEnd(&done));
            let measuring = scope.spawn(move || {
                let _at_end = at_end;
                let thread = began.recv().map_err(|_| io::Error::other("the emulator did not begin"))?;
                measure(hosts, Emulator { thread }, scenario)
            });
            let ended = on_emulator_thread(|priority| {
                // The measuring thread waits for this.
                let _ = emulator.send(nix::unistd::gettid().as_raw());
                drop(emulator);
                let mut over = |_| Ok(done.load(Ordering::Relaxed).then_some(Over::Complete));
                ends.run(live, &mut [], priority, &mut over)
            });
            let outcome = join(measuring);
            measured = Some(outcome?);
            ended
        })
    })?;
    measured.ok_or_else(|| LabError::Host(io::Error::other("nothing was measured")))
}

#[expect(clippy::disallowed_methods, reason = "what is measured happens in real time")]
pub(super) fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "what is measured happens in real time")]
pub(super) fn pause(time: Duration) {
    thread::sleep(time);
}

/// Reports that the measurement is over, however it ended.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
