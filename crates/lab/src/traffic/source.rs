//! All sources of a traffic, on one thread.

use crate::clock;
use crate::system::explained;
use crate::traffic::agenda::{Agenda, Appointment};
use crate::traffic::control::Control;
use crate::traffic::poller::Poller;
use crate::traffic::sampler::Sampler;
use crate::traffic::socket::{self, Visitor, connecting};
use crate::traffic::{Observation, Outcome, SourcePlan, SourceReport};
use nix::sys::epoll::EpollFlags;
use seamline_wire::Instant;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Bytes per write.
const PIECE: usize = 128 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Connecting,
    Sending,
    /// Everything is written; the other end has not closed.
    Closing,
    Over,
}

#[derive(Debug)]
struct Source {
    plan: SourcePlan,
    state: State,
    /// From connecting to closing.
    stream: Option<TcpStream>,
    report: SourceReport,
}

#[derive(Debug)]
pub(super) struct Sources {
    sources: Vec<Source>,
    agenda: Agenda,
    poller: Poller,
    sampler: Option<Sampler>,
    control: Arc<Control>,
    piece: Vec<u8>,
    visitor: Visitor,
    /// Sources that are not over.
    left: usize,
    /// Sources that have a socket.
    open: usize,
}

impl Sources {
    pub(super) fn new(
        plans: Vec<SourcePlan>,
        poller: Poller,
        origin: Instant,
        observations: Option<Sender<Observation>>,
        control: Arc<Control>,
    ) -> Self {
        let times = plans.iter().map(|plan| (origin + plan.start, plan.stop.map(|stop| origin + stop)));
        let agenda = Agenda::new(times);
        let left = plans.len();
        let sources = plans.into_iter().map(Source::new).collect();
        let (sampler, piece) = (observations.map(Sampler::new), vec![0; PIECE]);
        Sources {
            sources,
            agenda,
            poller,
            sampler,
            control,
            piece,
            visitor: Visitor::default(),
            left,
            open: 0,
        }
    }

    /// Run until all are over or the traffic ends.
    pub(super) fn run(mut self) -> Vec<SourceReport> {
        while self.left > 0 && !self.control.is_ending() {
            self.keep_appointments(clock::monotonic());
            self.sample(clock::monotonic());
            if self.left == 0 {
                break;
            }
            match self.poller.wait(self.wake_at()) {
                Ok(ready) => ready.into_iter().for_each(|number| self.proceed(number)),
                Err(error) => {
                    (0..self.sources.len())
                        .for_each(|number| self.fail(number, "cannot wait for sockets", &error));
                }
            }
        }
        self.sources.into_iter().map(Source::end).collect()
    }

    fn wake_at(&self) -> Option<Instant> {
        let appointment = self.agenda.first();
        let sample = self.sampler.as_ref().filter(|_| self.open > 0).map(|sampler| sampler.due);
        [appointment, sample].into_iter().flatten().min()
    }

    fn keep_appointments(&mut self, now: Instant) {
        while let Some((what, number)) = self.agenda.take_due(now) {
            match what {
                Appointment::Start => self.start(number),
                Appointment::Stop => self.stop(number),
            }
        }
    }

    fn sample(&mut self, now: Instant) {
        if let Some(sampler) = &mut self.sampler {
            let streams = self.sources.iter();
            sampler.sample_all(now, streams.filter_map(|it| Some((it.plan.connection, it.stream.as_ref()?))));
        }
    }

    fn start(&mut self, number: usize) {
        let source = &mut self.sources[number];
        if source.state != State::Waiting {
            return;
        }
        source.report.started = Some(clock::monotonic());
        let plan = &source.plan;
        // This thread is the sources' own, so it may be in any of their namespaces.
        let begun = self
            .visitor
            .go_to(&plan.namespace)
            .and_then(|()| connecting(plan.local, plan.remote, plan.congestion_control.as_deref()));
        let stream = match begun {
            Ok(stream) => stream,
            Err(error) => return self.fail(number, "cannot begin", &error),
        };
        if let Err(error) = self.poller.add(&stream, number, EpollFlags::EPOLLOUT) {
            return self.fail(number, "cannot wait for the socket", &error);
        }
        (source.state, source.stream) = (State::Connecting, Some(stream));
        self.open += 1;
    }

    fn stop(&mut self, number: usize) {
        match self.sources[number].state {
            State::Waiting | State::Connecting => self.finish(number, Outcome::Unfinished),
            State::Sending => self.close(number),
            State::Closing | State::Over => {}
        }
    }

    /// Its socket is ready.
    fn proceed(&mut self, number: usize) {
        match self.sources[number].state {
            State::Connecting => self.connected(number),
            State::Sending => self.write(number),
            State::Closing => self.read(number),
            State::Waiting | State::Over => {}
        }
    }

    fn connected(&mut self, number: usize) {
        let source = &mut self.sources[number];
        let Some(stream) = &source.stream else { return };
        if let Some(error) = stream.take_error().unwrap_or_else(Some) {
            return self.fail(number, "cannot connect", &error);
        }
        source.report.connected = Some(clock::monotonic());
        source.state = State::Sending;
        self.write(number);
    }

    fn write(&mut self, number: usize) {
        let source = &mut self.sources[number];
        let Some(stream) = &mut source.stream else { return };
        let done = source.report.bytes_written;
        let left = source.plan.bytes.map_or(u64::MAX, |all| all.saturating_sub(done));
        let piece = &mut self.piece[..left.min(PIECE as u64) as usize];
        source.plan.content.fill(done, piece);
        let written = if piece.is_empty() { Ok(0) } else { stream.write(piece) };
        match written {
            Ok(count) => {
                source.report.bytes_written += count as u64;
                if count as u64 == left {
                    self.close(number);
                }
            }
            Err(error) if is_passing(&error) => {}
            Err(error) => self.fail(number, "cannot write", &error),
        }
    }

    /// Nothing more will be written.
    fn close(&mut self, number: usize) {
        let source = &mut self.sources[number];
        let Some(stream) = &source.stream else { return };
        (source.state, source.report.written) = (State::Closing, Some(clock::monotonic()));
        let closed = stream.shutdown(Shutdown::Write);
        let waiting = closed.and_then(|()| self.poller.modify(stream, number, EpollFlags::EPOLLIN));
        if let Err(error) = waiting {
            self.fail(number, "cannot close", &error);
        }
    }

    /// Until the other end has read everything and closes.
    fn read(&mut self, number: usize) {
        let Some(stream) = &mut self.sources[number].stream else { return };
        match stream.read(&mut self.piece) {
            Ok(0) => self.finish(number, Outcome::Finished),
            Ok(_) => {}
            Err(error) if is_passing(&error) => {}
            Err(error) => self.fail(number, "cannot finish", &error),
        }
    }

    fn fail(&mut self, number: usize, what: &str, error: &io::Error) {
        let outcome = self.control.failed(what, error);
        self.finish(number, outcome);
    }

    fn finish(&mut self, number: usize, outcome: Outcome) {
        let source = &mut self.sources[number];
        let connection = source.plan.connection;
        if let Some(stream) = &source.stream {
            self.open -= 1;
            if let Some(sampler) = &mut self.sampler {
                sampler.sample(connection, stream);
                sampler.forget(connection);
            }
        }
        if source.close_with(outcome) {
            self.left -= 1;
        }
    }
}

impl Source {
    fn new(plan: SourcePlan) -> Self {
        let report = SourceReport { connection: plan.connection, ..SourceReport::default() };
        Source { plan, state: State::Waiting, stream: None, report }
    }

    /// Whether it was not over yet.
    fn close_with(&mut self, outcome: Outcome) -> bool {
        if std::mem::replace(&mut self.state, State::Over) == State::Over {
            return false;
        }
        if let Some(stream) = self.stream.take().filter(|_| outcome != Outcome::Finished) {
            socket::reset(stream);
        }
        self.report.outcome = outcome;
        true
    }

    fn end(mut self) -> SourceReport {
        self.close_with(Outcome::Unfinished);
        self.report
    }
}

/// Whether to try again later.
pub(super) fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Try each congestion control once in each namespace, so that a missing one is reported before anything runs.
pub(super) fn try_congestion_controls(plans: &[SourcePlan]) -> io::Result<()> {
    socket::visiting(|mut visitor| {
        let mut tried = BTreeSet::new();
        for plan in plans {
            let Some(name) = &plan.congestion_control else { continue };
            if tried.insert((Arc::as_ptr(&plan.namespace) as usize, name)) {
                let there = visitor.go_to(&plan.namespace);
                there
                    .and_then(|()| socket::try_congestion_control(name))
                    .map_err(|error| explained(error, format_args!("connection {}", plan.connection)))?;
            }
        }
        Ok(())
    })
}
