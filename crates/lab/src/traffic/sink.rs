//! All sinks of a traffic, on one thread.

use crate::system::explained;
use crate::traffic::control::Control;
use crate::traffic::poller::Poller;
use crate::traffic::socket::{self, Visitor};
use crate::traffic::source::is_passing;
use crate::traffic::{Outcome, SinkPlan, SinkReport};
use nix::sys::epoll::EpollFlags;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// Bytes per read.
const PIECE: usize = 256 * 1024;

#[derive(Debug)]
enum State {
    Listening(TcpListener),
    Reading(TcpStream),
    Over,
}

#[derive(Debug)]
struct Sink {
    plan: SinkPlan,
    state: State,
    report: SinkReport,
}

#[derive(Debug)]
pub(super) struct Sinks {
    sinks: Vec<Sink>,
    poller: Poller,
    control: Arc<Control>,
    piece: Vec<u8>,
    /// Sinks that are not over.
    left: usize,
}

impl Sinks {
    /// Open all listeners.
    pub(super) fn listen(plans: Vec<SinkPlan>, poller: Poller, control: Arc<Control>) -> io::Result<Self> {
        let listeners = listeners(&plans)?;
        let mut sinks = Vec::with_capacity(plans.len());
        for (number, (plan, listener)) in plans.into_iter().zip(listeners).enumerate() {
            poller.add(&listener, number, EpollFlags::EPOLLIN)?;
            let report = SinkReport { connection: plan.connection, ..SinkReport::default() };
            sinks.push(Sink { plan, state: State::Listening(listener), report });
        }
        Ok(Sinks { left: sinks.len(), sinks, poller, control, piece: vec![0; PIECE] })
    }

    /// Run until all are over or the traffic ends.
    pub(super) fn run(mut self) -> Vec<SinkReport> {
        while self.left > 0 && !self.control.is_ending() {
            match self.poller.wait(None) {
                Ok(ready) => ready.into_iter().for_each(|number| self.proceed(number)),
                Err(error) => {
                    (0..self.sinks.len())
                        .for_each(|number| self.fail(number, "cannot wait for sockets", &error));
                }
            }
        }
        self.sinks.into_iter().map(Sink::end).collect()
    }

    fn proceed(&mut self, number: usize) {
        match &self.sinks[number].state {
            State::Listening(_) => self.accept(number),
            State::Reading(_) => self.read(number),
            State::Over => {}
        }
    }

    fn accept(&mut self, number: usize) {
        let sink = &mut self.sinks[number];
        let State::Listening(listener) = &sink.state else { return };
        let accepted = listener.accept().and_then(|(stream, _)| {
            stream.set_nonblocking(true)?;
            self.poller.add(&stream, number, EpollFlags::EPOLLIN)?;
            Ok(stream)
        });
        match accepted {
            Ok(stream) => sink.state = State::Reading(stream),
            Err(error) if is_passing(&error) || error.raw_os_error() == Some(libc::ECONNABORTED) => {}
            Err(error) => self.fail(number, "cannot accept", &error),
        }
    }

    fn read(&mut self, number: usize) {
        let sink = &mut self.sinks[number];
        let State::Reading(stream) = &mut sink.state else { return };
        match stream.read(&mut self.piece) {
            Ok(0) => self.finish(number, Outcome::Finished),
            Ok(count) => sink.take(&self.piece[..count]),
            Err(error) if is_passing(&error) => {}
            Err(error) => self.fail(number, "cannot read", &error),
        }
    }

    fn fail(&mut self, number: usize, what: &str, error: &io::Error) {
        let outcome = self.control.failed(what, error);
        self.finish(number, outcome);
    }

    fn finish(&mut self, number: usize, outcome: Outcome) {
        if self.sinks[number].close_with(outcome) {
            self.left -= 1;
        }
    }
}

impl Sink {
    fn take(&mut self, bytes: &[u8]) {
        let report = &mut self.report;
        if report.first_mismatch.is_none() {
            let checked = self.plan.content.check(report.bytes_read, bytes);
            report.first_mismatch = checked.err().map(|mismatch| mismatch.offset);
        }
        report.bytes_read += bytes.len() as u64;
    }

    /// Whether it was not over yet.
    fn close_with(&mut self, outcome: Outcome) -> bool {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Over => return false,
            State::Listening(_) => {}
            State::Reading(stream) if outcome != Outcome::Finished => socket::reset(stream),
            State::Reading(_) => {}
        }
        self.report.outcome = outcome;
        true
    }

    fn end(mut self) -> SinkReport {
        self.close_with(Outcome::Unfinished);
        self.report
    }
}

/// A listener for each.
fn listeners(plans: &[SinkPlan]) -> io::Result<Vec<TcpListener>> {
    let open = |visitor: &mut Visitor, plan: &SinkPlan| {
        let there = visitor.go_to(&plan.namespace);
        there.and_then(|()| socket::listening(plan.local)).map_err(|error| {
            let what = format_args!("connection {} cannot listen on {}", plan.connection, plan.local);
            explained(error, what)
        })
    };
    socket::visiting(|mut visitor| plans.iter().map(|plan| open(&mut visitor, plan)).collect())
}
