//! What the programs count, in the order of `enum count` in `bpf/connection.h`.

use libbpf_rs::{MapCore, MapFlags};
use std::fmt;

/// Define the counters, each with its name in the output.
macro_rules! counters {
    ($($(#[$doc:meta])* $counter:ident $name:literal,)*) => {
        /// One of the programs' counters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counter { $($(#[$doc])* $counter,)* }

        impl Counter {
            /// All of them, in the order of their numbers.
            pub const ALL: [Counter; [$($name),*].len()] = [$(Counter::$counter),*];
        }

        impl fmt::Display for Counter {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Counter::$counter => $name,)* })
            }
        }
    };
}

counters! {
/// Connections of the cgroup that began.
Connections "connections",
/// Of them, those whose congestion control was left as it was, because it is not cubic.
OtherControl "of them with another congestion control than cubic",
/// Connections of the cgroup that were left alone, because their peer is within none of the destinations.
Elsewhere "connections left alone: to other destinations",
/// Timeouts that began an episode.
Timeouts "timeouts",
/// Marks that restored a window.
Restored "windows restored",
/// Windows restored that held for one window of data.
Kept "of them held",
/// Windows restored that lost data at once, and were taken back.
Undone "of them taken back after losses",
/// Windows restored with an acknowledgment at which the kernel itself took the timeout back.
TakenBackByKernel "of them where the kernel itself took the timeout back",
/// Times the kernel was asked to send again at once.
Asked "retransmissions asked for at once",
/// Marks ignored: the connection was not recovering from a timeout.
NoTimeout "marks ignored: no timeout before",
/// Marks ignored: the acknowledgment was not within what has been sent (RFC 5961).
OutOfWindow "marks ignored: acknowledgment out of window",
/// Marks ignored: the window of this timeout had been restored.
Spent "marks ignored: restored already",
/// Marks ignored: less than a second after the last one that counted.
TooSoon "marks ignored: too soon after another",
/// Marks ignored: the window was as large as before, or the congestion control is not ours.
NothingToRestore "marks ignored: nothing to restore",
/// Acknowledgments whose lists of losses were taken.
Listed "acknowledgments with losses listed",
/// Recoveries that kept the window, because all losses were the air's.
WindowKept "recoveries that kept the window: losses over the air",
/// Of them, those in which it was reduced after all.
Reduced "of them reduced after all: congestion or a timeout",
/// Recoveries that reduced the window although all losses were the air's.
Queued "recoveries that reduced it: losses over the air, and a queue that the window fills",
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
