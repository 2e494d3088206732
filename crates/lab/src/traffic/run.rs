//! From plans to reports.

use crate::traffic::control::Control;
use crate::traffic::poller::Poller;
use crate::traffic::sink::Sinks;
use crate::traffic::source::Sources;
use crate::traffic::{Observation, Report, SinkPlan, SinkReport, SourcePlan, SourceReport};
use seamline_host::process::open_files;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

/// Connections that can begin: every sink listens.
#[derive(Debug)]
pub struct Traffic {
    sources: Vec<SourcePlan>,
    source_poller: Poller,
    sinks: Sinks,
    control: Arc<Control>,
    observations: Option<Sender<Observation>>,
}

/// Connections that run. Dropping it ends them as [`end`](Self::end) does.
#[derive(Debug)]
pub struct Running {
    control: Arc<Control>,
    sources: Option<JoinHandle<Vec<SourceReport>>>,
    sinks: Option<JoinHandle<Vec<SinkReport>>>,
    done: Receiver<()>,
}

impl Traffic {
    /// Open all listeners and try all congestion controls. Raises the process's soft limit of open files as far as the hard
    /// limit allows, when so many connections need it.
    ///
    /// # Errors
    /// When an address cannot be listened on, a congestion control cannot be had, or the process has too few file descriptors;
    /// the message names the connection.
    pub fn prepare(
        sources: Vec<SourcePlan>,
        sinks: Vec<SinkPlan>,
        observations: Option<Sender<Observation>>,
    ) -> io::Result<Self> {
        allow_open_files(sources.len() as u64 + 2 * sinks.len() as u64);
        let (source_poller, sink_poller) = (Poller::new()?, Poller::new()?);
        let control = Arc::new(Control::new(vec![source_poller.waker(), sink_poller.waker()]));
        crate::traffic::source::try_congestion_controls(&sources)?;
        let sinks = Sinks::listen(sinks, sink_poller, control.clone())?;
        Ok(Traffic { sources, source_poller, sinks, control, observations })
    }

    /// Begin. Starts and stops of sources are counted from `origin`, a time of [`clock::monotonic`](crate::clock::monotonic),
    /// which may be in the future.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn begin(self, origin: Instant) -> io::Result<Running> {
        let Traffic { sources, source_poller, sinks, control, observations } = self;
        let (hold, done) = mpsc::channel();
        let mut running = Running { control: control.clone(), sources: None, sinks: None, done };
        let held = hold.clone();
        running.sinks = Some(spawn("sinks", move || {
            let reports = sinks.run();
            drop(held);
            reports
        })?);
        running.sources = Some(spawn("sources", move || {
            let reports = Sources::new(sources, source_poller, origin, observations, control).run();
            drop(hold);
            reports
        })?);
        Ok(running)
    }
}

impl Running {
    /// Wait until all connections are through, at most this long. Returns whether they are. A sink whose source never connects is not.
    pub fn wait(&self, at_most: Duration) -> bool {
        let at_most = std::time::Duration::from_nanos(at_most.as_nanos());
        self.done.recv_timeout(at_most) == Err(RecvTimeoutError::Disconnected)
    }

    /// Reset all connections that still run, and return the report of each connection, in the order of their numbers.
    pub fn end(mut self) -> Vec<Report> {
        let (sources, sinks) = self.join();
        let mut reports = BTreeMap::new();
        let empty = |connection| Report { connection, source: None, sink: None };
        for source in sources {
            let connection = source.connection;
            reports.entry(connection).or_insert_with(|| empty(connection)).source = Some(source);
        }
        for sink in sinks {
            let connection = sink.connection;
            reports.entry(connection).or_insert_with(|| empty(connection)).sink = Some(sink);
        }
        reports.into_values().collect()
    }

    fn join(&mut self) -> (Vec<SourceReport>, Vec<SinkReport>) {
        self.control.end();
        let sources = self.sources.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let sinks = self.sinks.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        (sources, sinks)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.join();
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    task: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(format!("traffic {name}")).spawn(task)
}

/// Best effort: what is missing shows where a descriptor cannot be had.
pub(crate) fn allow_open_files(sockets: u64) {
    let others = 256;
    open_files(sockets + others);
}
