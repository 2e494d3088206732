//! The loop of the daemon.

use super::host::Kernel;
use super::{Captured, News, Watch};
use crate::agent::Agent;
use crate::command::Command;
use crate::connections::CAPTURED;
use crate::settings::Settings;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_host::control::Control;
use seamline_host::lock::{self, Lock};
use seamline_host::log::Format;
use seamline_host::metrics::{Metrics, Process, Publisher, Publishing};
use seamline_host::service::Service;
use seamline_host::{Journal, Line, clock, explained};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// After so many packets of the host, the daemon checks for other news.
const BATCH: usize = 4096;
/// After so many commands, too.
const COMMANDS: usize = 64;
/// Where packets come all the time, they are read no more often than this: what they tell is needed only when a link is back, and then
/// they are read first.
const REST: Duration = Duration::from_millis(1);
/// The clock of the world may be set while the daemon waits for a time on it.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

fn taken(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::ResourceBusy => {
            explained(error, "another daemon helps the connections of this network namespace already")
        }
        _ => explained(error, "checking for another daemon"),
    }
}

/// How a daemon runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub socket: PathBuf,
    /// Whether it sends nothing, and logs what it would send.
    pub is_dry: bool,
    /// How its log is written.
    pub format: Format,
    /// Where the counters go.
    pub metrics: Option<Metrics>,
}

/// A daemon in the network namespace of the thread that opened it, in which it is to be run, too.
#[derive(Debug)]
pub struct Daemon {
    agent: Agent,
    captured: Captured,
    watch: Watch,
    kernel: Kernel,
    control: Control,
    /// Two daemons would both repeat, freeze and thaw the same. One that is dry needs none.
    _lock: Option<Lock>,
    format: Format,
    publisher: Option<Publisher>,
    publishing: Publishing,
    process: Process,
    /// Of the thread that publishes.
    warnings: (Sender<Line>, Receiver<Line>),
    /// Whether there were packets the last time.
    is_busy: bool,
}

impl Daemon {
    /// Open everything it needs, and look at interfaces and addresses as they are. It sees connections from their next packet on.
    ///
    /// # Errors
    /// When the process may not (it takes `CAP_NET_RAW`), another daemon listens at the socket, or helps in this network namespace.
    pub fn open(settings: Settings, options: &Options) -> io::Result<Self> {
        let control = Control::open(&options.socket)?;
        let lock = if options.is_dry { None } else { Lock::take("mobile").map_err(taken)? };
        let is_unlocked = lock.is_none() && !options.is_dry;
        let captured = Captured::open()?;
        let kernel = Kernel::open(&settings, options.is_dry)?;
        let mut daemon = Daemon {
            agent: Agent::new(settings, options.is_dry),
            captured,
            watch: Watch::open()?,
            kernel,
            control,
            _lock: lock,
            format: options.format,
            publisher: Some(Publisher::open(options.metrics.as_ref())?),
            publishing: Publishing::default(),
            process: Process::new(
                &[("mode", if options.is_dry { "dry-run" } else { "active" })],
                clock::wall(),
            ),
            warnings: channel(),
            is_busy: false,
        };
        daemon.look()?;
        daemon.agent.log.push(
            Line::new("start").shown("socket", options.socket.display()).with("dry_run", options.is_dry),
        );
        if is_unlocked {
            daemon.agent.log.push(Line::warning("warning").with("why", lock::WITHOUT));
        }
        Ok(daemon)
    }

    /// Go on until something can be read from `stop`. The log goes to `out`; that it cannot be written ends nothing. However it ends, other
    /// ends thaw first, and the log says so.
    ///
    /// # Errors
    /// When one of its sockets fails.
    pub fn run(&mut self, stop: impl AsFd, out: impl Write + Send + 'static) -> io::Result<()> {
        let mut journal = Journal::new(out, self.format);
        // Once: a second run goes on without publishing.
        if let Some(publisher) = self.publisher.take() {
            let warn = self.warnings.0.clone();
            self.publishing = publisher.begin(move |line| {
                // The daemon outlives the thread.
                let _ = warn.send(line);
            });
        }
        let ended = self.go_on(stop, &mut journal, &mut Service::ready(clock::monotonic()));
        let now = clock::monotonic();
        self.agent.thaw_all(now, &mut self.kernel);
        self.agent.help(now, &mut self.kernel);
        self.agent.log.push(Line { event: "stop", ..self.agent.status() });
        self.write_log(&mut journal);
        ended
    }

    fn go_on(&mut self, stop: impl AsFd, journal: &mut Journal, service: &mut Service) -> io::Result<()> {
        loop {
            self.publish();
            self.write_log(journal);
            let publish = self.publishing.period().map(|period| Duration::from_nanos(period.as_nanos()));
            let longest = service.period().into_iter().chain(publish).min();
            let [packets, news, commanded, stopped] = self.wait(stop.as_fd(), longest)?;
            service.works(clock::monotonic());
            let is_due = |at| at <= clock::monotonic();
            if packets || news || commanded || stopped || self.agent.freeze_at().is_some_and(is_due) {
                self.is_busy = self.take_in_packets()?;
            }
            if news {
                self.take_in_news()?;
            }
            if commanded {
                self.take_in_commands()?;
            }
            let now = clock::monotonic();
            self.agent.wake(now, clock::wall());
            while self.agent.freeze(clock::monotonic(), &mut self.kernel) {}
            if stopped {
                return Ok(());
            }
            self.agent.help(now, &mut self.kernel);
        }
    }

    /// Wait until one of the sockets has something, or the schedule does, or for so long.
    fn wait(&self, stop: impl AsFd, longest: Option<Duration>) -> io::Result<[bool; 4]> {
        let sockets = [self.captured.as_fd(), self.watch.as_fd(), self.control.as_fd(), stop.as_fd()];
        let mut descriptors = sockets.map(|socket| PollFd::new(socket, PollFlags::POLLIN));
        if self.is_busy {
            descriptors[0].set_events(PollFlags::empty());
        }
        // A millisecond more than rounding down: waking early would be waking for nothing.
        let now = clock::monotonic();
        let freeze = self.agent.freeze_at().map(|at| at.saturating_since(now));
        let next = self.agent.wake_in(clock::wall()).into_iter().chain(freeze).min();
        let next =
            next.map(|next| Duration::from_millis(next.as_millis().saturating_add(1)).min(LONGEST_WAIT));
        let resume = self.agent.resume_in(clock::monotonic());
        let resume = resume.map(|rest| Duration::from_nanos(rest.as_nanos()).max(REST));
        let wait = next.into_iter().chain(resume).chain(self.is_busy.then_some(REST)).chain(longest).min();
        let timeout =
            wait.map_or(PollTimeout::NONE, |wait| PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO));
        match poll(&mut descriptors, timeout) {
            Ok(_) => {
                let [packets, rest @ ..] = descriptors.map(|descriptor| descriptor.any() == Some(true));
                let [news, commanded, stopped] = rest;
                Ok([packets || self.is_busy, news, commanded, stopped])
            }
            Err(Errno::EINTR) => Ok([false; 4]),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether there were any.
    fn take_in_packets(&mut self) -> io::Result<bool> {
        let now = clock::monotonic();
        let mut room = [0; CAPTURED];
        let mut taken = 0;
        while taken < BATCH {
            let Some((length, interface)) = self.captured.receive(&mut room)? else { break };
            self.agent.sent(now, interface, &room[..length]);
            taken += 1;
        }
        if taken > 0 {
            self.agent.missed(self.captured.missed()?);
        }
        Ok(taken > 0)
    }

    fn take_in_news(&mut self) -> io::Result<()> {
        for news in self.watch.receive()? {
            match news {
                News::Missed => self.look()?,
                news => self.take_in(news),
            }
        }
        Ok(())
    }

    fn take_in(&mut self, news: News) {
        match news {
            News::Link(described) => self.agent.described(clock::monotonic(), described),
            News::Gone(index) => {
                self.kernel.keep(|interface| interface != index);
                self.agent.gone(clock::monotonic(), index);
            }
            News::Address(index, address, is_usable) => self.agent.address(index, address, is_usable),
            News::Routes => self.agent.routes_changed(),
            News::Missed => {}
        }
    }

    /// Read the whole state again.
    fn look(&mut self) -> io::Result<()> {
        let everything = Watch::everything()?;
        let there: BTreeSet<u32> = everything
            .iter()
            .filter_map(|news| if let News::Link(link) = news { Some(link.index) } else { None })
            .collect();
        self.kernel.keep(|interface| there.contains(&interface));
        self.agent.look_again(clock::monotonic(), &there);
        everything.into_iter().for_each(|news| self.take_in(news));
        Ok(())
    }

    fn take_in_commands(&mut self) -> io::Result<()> {
        for _ in 0..COMMANDS {
            let Some((text, from)) = self.control.receive()? else { break };
            let command = text.parse::<Command>();
            let done = command.and_then(|command| {
                let now = clock::monotonic();
                self.agent.command(now, &command, &mut self.kernel).map(|()| command)
            });
            match done {
                Ok(Command::Status { json }) => {
                    let status = self.agent.status();
                    self.control.answer(
                        &from,
                        &text,
                        &if json { status.to_json() } else { status.to_string() },
                    );
                }
                Ok(Command::Metrics) => {
                    self.control.answer(&from, &text, &self.agent.metrics(&self.process));
                }
                Ok(_) => self.control.answer(&from, &text, "ok"),
                Err(why) => {
                    self.agent.refused();
                    self.control.answer(&from, &text, &format!("error: {why}"));
                    self.agent
                        .log
                        .push(Line::warning("refused").with("command", text.trim()).with("why", why));
                }
            }
        }
        Ok(())
    }

    fn publish(&mut self) {
        let Daemon { publishing, agent, process, .. } = self;
        publishing.publish(clock::monotonic(), || agent.metrics(process));
    }

    fn write_log(&mut self, journal: &mut Journal) {
        let wall = clock::wall();
        self.agent.log.extend(self.warnings.1.try_iter());
        journal.write(self.agent.log.drain(..).map(|line| line.at(wall)));
    }
}
