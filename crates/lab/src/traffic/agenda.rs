//! When connections begin and end.

use seamline_wire::Instant;
use std::collections::BTreeSet;

/// What a sender does at a time. At the same time, it begins first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Appointment {
    Start,
    Stop,
}

/// The appointments that are left, each with the index of its connection.
#[derive(Debug, Default)]
pub(crate) struct Agenda(BTreeSet<(Instant, Appointment, usize)>);

impl Agenda {
    /// Of connections that begin at the first time and, maybe, end at the second.
    pub(crate) fn new(connections: impl IntoIterator<Item = (Instant, Option<Instant>)>) -> Self {
        let mut agenda = BTreeSet::new();
        for (number, (start, stop)) in connections.into_iter().enumerate() {
            agenda.insert((start, Appointment::Start, number));
            agenda.extend(stop.map(|stop| (stop, Appointment::Stop, number)));
        }
        Agenda(agenda)
    }

    /// When the next one is.
    pub(crate) fn first(&self) -> Option<Instant> {
        self.0.first().map(|(at, ..)| *at)
    }

    /// Take out the next one if it is due.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<(Appointment, usize)> {
        self.first().filter(|at| *at <= now)?;
        self.0.pop_first().map(|(_, what, number)| (what, number))
    }
}
