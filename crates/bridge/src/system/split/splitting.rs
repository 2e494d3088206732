//! The loop of splitting, from the start to the drain.

use super::Split;
use super::host::Room;
use super::relay::Relay;
use super::watch::Shared;
use crate::split_counters::SplitCounters;
use crate::system::publish::Publisher;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_host::clock;
use seamline_host::{Journal, Line};
use seamline_wire::{Duration, Instant};
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;

/// The loop comes round at least so often, in milliseconds.
const ROUND: u8 = 100;
/// How often counters are published, and it is looked whether the rules are there.
const LOOK: Duration = Duration::from_secs(1);
/// Said no more often than this that connections cannot be begun.
const WARN: Duration = Duration::from_secs(60);

pub(super) struct Splitting<'a> {
    settings: &'a Split,
    relay: Relay<'a>,
    shared: &'a Shared,
    publisher: &'a Publisher,
    journal: Journal,
    /// New connections shall be taken.
    takes: bool,
    looked_at: Instant,
    warned_at: Option<Instant>,
}

impl<'a> Splitting<'a> {
    pub(super) fn new(
        settings: &'a Split,
        relay: Relay<'a>,
        shared: &'a Shared,
        publisher: &'a Publisher,
        journal: Journal,
    ) -> Self {
        let looked_at = clock::monotonic();
        Splitting { settings, relay, shared, publisher, journal, takes: true, looked_at, warned_at: None }
    }

    pub(super) fn run(mut self, room: Room, stop: impl AsFd) -> io::Result<SplitCounters> {
        let (said, lines) = mpsc::channel();
        self.say([self.start(room)]);
        if room.connections < self.settings.connections {
            let why = "this process may open too few files for more connections: ulimit -n, or LimitNOFILE= of systemd";
            let most = room.connections as u64;
            self.say([Line::new("warning").with("why", why).with("connections", most)]);
        }
        let shared = self.shared;
        let publisher = self.publisher;
        let result = thread::scope(|scope| {
            let [guard, carer] = [(); 2].map(|()| said.clone());
            scope.spawn(move || shared.guard(|line| drop(guard.send(line))));
            scope.spawn(move || shared.look_after(|line| drop(carer.send(line))));
            scope.spawn(move || publisher.serve(&shared.stop, &said));
            let result = self.go_on(&stop, &lines);
            shared.stop.store(true, Ordering::SeqCst);
            result
        });
        self.say(lines.try_iter());
        shared.count();
        self.relay.reset_all();
        let counters = self.counters();
        self.say([counters.line("stop")]);
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

    fn go_on(&mut self, stop: &impl AsFd, lines: &mpsc::Receiver<Line>) -> io::Result<()> {
        while !asked(stop) {
            self.come_round(lines)?;
            if self.relay.has_room(self.takes) != self.takes {
                self.takes = !self.takes;
                self.shared.rules().take(self.takes)?;
                let event = if self.takes { "room" } else { "full" };
                self.say([Line::new(event).with("open", self.relay.open() as u64)]);
            }
        }
        self.drain(stop, lines)
    }

    /// Nothing new is taken; what is open may end.
    fn drain(&mut self, stop: &impl AsFd, lines: &mpsc::Receiver<Line>) -> io::Result<()> {
        self.takes = false;
        // Where the rules are lost, what is open ends by that.
        let _ = self.shared.rules().take(false);
        self.say([Line::new("drain").with("open", self.relay.open() as u64)]);
        let begun: Instant = clock::monotonic();
        let _ = nix::unistd::read(stop, &mut [0; 16]);
        while self.relay.open() > 0
            && clock::monotonic().saturating_since(begun) < self.settings.drain
            && !asked(stop)
        {
            self.come_round(lines)?;
        }
        Ok(())
    }

    /// One turn, and what there is to do beside it.
    fn come_round(&mut self, lines: &mpsc::Receiver<Line>) -> io::Result<()> {
        let shared = self.shared;
        self.relay.turn(ROUND, || shared.come_round())?;
        shared.come_round();
        if shared.resume(self.takes)? {
            self.say([Line::new("resume")]);
        }
        self.say(lines.try_iter());
        let now = clock::monotonic();
        self.warn(now);
        if now.saturating_since(self.looked_at) >= LOOK {
            self.looked_at = now;
            self.publisher.publish(self.counters().text());
            shared.rules().check()?;
        }
        Ok(())
    }

    fn warn(&mut self, now: Instant) {
        if self.warned_at.is_some_and(|at| now.saturating_since(at) < WARN) {
            return;
        }
        if let Some(why) = self.relay.take_trouble() {
            self.warned_at = Some(now);
            self.say([Line::new("warning").with("why", why)]);
        }
    }

    fn say(&mut self, lines: impl IntoIterator<Item = Line>) {
        let now = clock::wall();
        self.journal.write(lines.into_iter().map(|line| line.at(now)));
    }

    fn counters(&self) -> SplitCounters {
        SplitCounters {
            taken: self.shared.taken.load(Ordering::Relaxed),
            passed: self.shared.passed.load(Ordering::Relaxed),
            stalls: self.shared.stalls.load(Ordering::Relaxed),
            is_stalled: self.shared.is_stalled.load(Ordering::Relaxed),
            ..self.relay.counters()
        }
    }
}

fn asked(stop: &impl AsFd) -> bool {
    let mut waited = [PollFd::new(stop.as_fd(), PollFlags::POLLIN)];
    poll(&mut waited, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}
