//! The loop of splitting, from the start to the drain.

use super::Split;
use super::fair::Who;
use super::host::Room;
use super::relay::Relay;
use super::watch::Shared;
use crate::split_counters::SplitCounters;
use crate::system::log::{Log, LogSender, WARN};
use crate::system::shortage::Report;
use nix::poll::PollFlags;
use seamline_host::metrics::{Process, Publisher, Publishing};
use seamline_host::service::Service;
use seamline_host::socket::wait;
use seamline_host::{Every, Journal, Line, clock};
use seamline_wire::{Duration, Instant};
use std::io;
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::thread;

/// How often the rules are checked.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct Splitting<'a> {
    settings: &'a Split,
    relay: Relay<'a>,
    shared: &'a Shared,
    publishing: Publishing,
    process: Process,
    log: Log,
    sender: LogSender,
    /// New connections are to be accepted.
    takes: bool,
    look: Every,
    warned_at: Option<Instant>,
    /// When a host was limited that the log says.
    limited: Every,
    /// Those since that it does not say.
    unlogged: u64,
    short_of_memory: Report<2>,
    service: Service,
}

impl<'a> Splitting<'a> {
    pub(super) fn new(
        settings: &'a Split,
        relay: Relay<'a>,
        shared: &'a Shared,
        publisher: Publisher,
        journal: Journal,
    ) -> Self {
        let (sender, log) = Log::new(journal);
        let look = Every::new(LOOK);
        let warn = sender.clone();
        let publishing = publisher.begin(move |line| warn.send(line));
        let [wired, wireless] = &settings.interfaces;
        let mode = if settings.is_dry { "dry-run" } else { "active" };
        let about = [("agent", "split"), ("mode", mode), ("in", wired), ("out", wireless)];
        let service = Service::ready(clock::monotonic());
        Splitting {
            settings,
            relay,
            shared,
            publishing,
            process: Process::new(&about, clock::wall()),
            log,
            sender,
            takes: true,
            look,
            warned_at: None,
            limited: Every::new(WARN),
            unlogged: 0,
            short_of_memory: Report::new(),
            service,
        }
    }

    pub(super) fn run(
        mut self,
        room: Room,
        warning: Option<Line>,
        stop: impl AsFd,
    ) -> io::Result<SplitCounters> {
        self.log.write(self.start(room));
        warning.into_iter().for_each(|line| self.log.write(line));
        if room.connections < self.settings.connections as usize {
            let why = "this process may open too few files for more connections: ulimit -n, or LimitNOFILE= of systemd";
            let most = room.connections as u64;
            self.log.write(Line::warning("warning").with("why", why).with("connections", most));
        }
        let (shared, sender) = (self.shared, self.sender.clone());
        let result = thread::scope(|scope| {
            scope.spawn(|| shared.guard(|line| sender.send(line)));
            scope.spawn(|| shared.look_after(|line| sender.send(line)));
            let result = self.go_on(&stop);
            shared.stop.store(true, Ordering::SeqCst);
            result
        });
        self.log.write_received();
        shared.count();
        self.relay.reset_all();
        let counters = self.counters();
        self.log.write(counters.line("stop"));
        result.map(|()| counters)
    }

    fn start(&self, room: Room) -> Line {
        Line::new("start")
            .with("agent", "split")
            .with("in", self.settings.interfaces[0].as_str())
            .with("out", self.settings.interfaces[1].as_str())
            .with("dry_run", self.settings.is_dry)
            .with("connections", room.connections as u64)
            .with("buffer", u64::from(self.settings.buffer))
    }

    fn go_on(&mut self, stop: &impl AsFd) -> io::Result<()> {
        while !asked(stop) {
            self.come_round()?;
            if self.relay.has_room(self.takes) != self.takes {
                self.takes = !self.takes;
                self.shared.rules().take(self.takes)?;
                let line = if self.takes { Line::new("room") } else { Line::warning("full") };
                self.log.write(line.with("open", self.relay.open() as u64));
            }
        }
        self.drain(stop)
    }

    /// Accept no new connections, and let the open ones end.
    fn drain(&mut self, stop: &impl AsFd) -> io::Result<()> {
        self.takes = false;
        // If the rules are lost, the open connections end with them.
        let _ = self.shared.rules().take(false);
        self.log.write(Line::new("drain").with("open", self.relay.open() as u64));
        let begun: Instant = clock::monotonic();
        let _ = nix::unistd::read(stop, &mut [0; 16]);
        while self.relay.open() > 0
            && clock::monotonic().saturating_since(begun) < self.settings.drain
            && !asked(stop)
        {
            self.come_round()?;
        }
        Ok(())
    }

    /// One turn, and everything else that the loop does.
    fn come_round(&mut self) -> io::Result<()> {
        let shared = self.shared;
        self.relay.turn(|| shared.come_round())?;
        shared.come_round();
        self.limit()?;
        if shared.resume(self.takes)? {
            self.log.write(Line::new("resume"));
        }
        self.log.write_received();
        let now = clock::monotonic();
        self.service.works(now);
        self.warn(now);
        let (counters, paths) = (self.counters(), self.relay.paths);
        self.publishing.publish(now, || counters.text(&paths, &self.process));
        if self.look.is_due(now) {
            self.report_memory(now);
            shared.rules().check()?;
        }
        Ok(())
    }

    /// New connections of a host or network with too many pass from now on, and are split again once it has fewer.
    fn limit(&mut self) -> io::Result<()> {
        let news = self.relay.take_news();
        if news.is_empty() {
            return Ok(());
        }
        self.shared.rules().limit(&news)?;
        for (owner, _) in news.into_iter().filter(|(_, is_limited)| *is_limited) {
            if !self.limited.is_due(clock::monotonic()) {
                self.unlogged += 1;
                continue;
            }
            let line = Line::warning("limited").with("host", format_owner(owner));
            let line = line.with("open", self.relay.open() as u64);
            self.log.write(line.with("others", std::mem::take(&mut self.unlogged)));
        }
        Ok(())
    }

    fn report_memory(&mut self, now: Instant) {
        let counters = self.relay.counters();
        let [shrunk, evicted] = [counters.shrunk, counters.evicted];
        if let Some([shrunk, evicted]) = self.short_of_memory.look(now, [shrunk, evicted]) {
            let line = Line::warning("memory-full").with("kept_bytes", counters.kept_bytes);
            let line = line.with("left_bytes", counters.left_bytes).with("buffers_shrunk", shrunk);
            self.log.write(line.with("evicted", evicted));
        }
    }

    fn warn(&mut self, now: Instant) {
        if self.warned_at.is_some_and(|at| now.saturating_since(at) < WARN) {
            return;
        }
        if let Some(why) = self.relay.take_trouble() {
            self.warned_at = Some(now);
            self.log.write(Line::warning("warning").with("why", why));
        }
    }

    fn counters(&self) -> SplitCounters {
        SplitCounters {
            taken: self.shared.taken.load(Ordering::Relaxed),
            passed: self.shared.passed.load(Ordering::Relaxed),
            passed_limited: self.shared.limited.load(Ordering::Relaxed),
            stalls: self.shared.stalls.load(Ordering::Relaxed),
            is_stalled: self.shared.is_stalled.load(Ordering::Relaxed),
            ..self.relay.counters()
        }
    }
}

fn format_owner(owner: Who) -> String {
    match owner {
        Who::Network(address @ IpAddr::V6(_)) => format!("{address}/64"),
        Who::Network(address) | Who::Host(address) => address.to_string(),
    }
}

fn asked(stop: &impl AsFd) -> bool {
    wait(stop, PollFlags::POLLIN, Duration::ZERO)
}
