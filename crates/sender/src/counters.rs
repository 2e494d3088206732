//! What the programs count, in the order of `enum count` in `bpf/connection.h`.

use libbpf_rs::{MapCore, MapFlags};
use std::fmt;

/// One of the programs' counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Connections of the cgroup that began.
    Connections,
    /// Of them, those whose congestion control was left as it was, because it is not cubic.
    OtherControl,
    /// Connections of the cgroup that were left alone, because their peer is within none of the destinations.
    Elsewhere,
    /// Timeouts that began an episode.
    Timeouts,
    /// Marks that restored a window.
    Restored,
    /// Windows restored that held for one window of data.
    Kept,
    /// Windows restored that lost data at once, and were taken back.
    Undone,
    /// Windows restored with an acknowledgment at which the kernel itself took the timeout back.
    TakenBackByKernel,
    /// Times the kernel was asked to send again at once.
    Asked,
    /// Marks ignored: the connection was not recovering from a timeout.
    NoTimeout,
    /// Marks ignored: the acknowledgment was not within what has been sent (RFC 5961).
    OutOfWindow,
    /// Marks ignored: the window of this timeout had been restored.
    Spent,
    /// Marks ignored: less than a second after the last one that counted.
    TooSoon,
    /// Marks ignored: the window was as large as before, or the congestion control is not ours.
    NothingToRestore,
}

impl Counter {
    /// All of them, in the order of their numbers.
    pub const ALL: [Counter; 14] = [
        Counter::Connections,
        Counter::OtherControl,
        Counter::Elsewhere,
        Counter::Timeouts,
        Counter::Restored,
        Counter::Kept,
        Counter::Undone,
        Counter::TakenBackByKernel,
        Counter::Asked,
        Counter::NoTimeout,
        Counter::OutOfWindow,
        Counter::Spent,
        Counter::TooSoon,
        Counter::NothingToRestore,
    ];
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counter::Connections => "connections",
            Counter::OtherControl => "of them with another congestion control than cubic",
            Counter::Elsewhere => "connections left alone: to other destinations",
            Counter::Timeouts => "timeouts",
            Counter::Restored => "windows restored",
            Counter::Kept => "of them held",
            Counter::Undone => "of them taken back after losses",
            Counter::TakenBackByKernel => "of them where the kernel itself took the timeout back",
            Counter::Asked => "retransmissions asked for at once",
            Counter::NoTimeout => "marks ignored: no timeout before",
            Counter::OutOfWindow => "marks ignored: acknowledgment out of window",
            Counter::Spent => "marks ignored: restored already",
            Counter::TooSoon => "marks ignored: too soon after another",
            Counter::NothingToRestore => "marks ignored: nothing to restore",
        })
    }
}

/// The values of all counters at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters([u64; Counter::ALL.len()]);

impl Counters {
    /// The sum over all processors of each entry of the programs' map.
    pub(crate) fn read(map: &impl MapCore) -> libbpf_rs::Result<Self> {
        let mut counters = Counters([0; Counter::ALL.len()]);
        for (number, sum) in (0_u32..).zip(&mut counters.0) {
            let values = map.lookup_percpu(&number.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
            let value = |bytes: &Vec<u8>| bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
            *sum = values.iter().map(value).sum();
        }
        Ok(counters)
    }

    /// The value of one.
    pub fn of(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let always = [Counter::Connections, Counter::Timeouts, Counter::Restored];
        for counter in Counter::ALL {
            let value = self.of(counter);
            if value > 0 || always.contains(&counter) {
                writeln!(f, "{value:>9} {counter}")?;
            }
        }
        Ok(())
    }
}

/// A counter is found by its number.
const _: () = {
    let mut place = 0;
    while place < Counter::ALL.len() {
        assert!(Counter::ALL[place] as usize == place, "in the order in which they are declared");
        place += 1;
    }
};
