//! What the programs count, in the order of `enum count` in `bpf/connection.h`.

#[cfg(feature = "ebpf")]
use libbpf_rs::{MapCore, MapFlags};
use seamline_host::Line;
use seamline_host::metrics::{Metric, Process, Text, counter, with_all};
use std::fmt;

/// Define the counters, each with its name in the output and that of its metric, whose help is the doc comment.
macro_rules! counters {
    ($(#[doc = $help:literal] $counter:ident $name:literal $metric:literal,)*) => {
        /// One of the programs' counters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counter { $(#[doc = $help] $counter,)* }

        impl Counter {
            /// All of them, in the order of their numbers.
            pub const ALL: [Counter; [$($name),*].len()] = [$(Counter::$counter),*];
        }

        impl fmt::Display for Counter {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Counter::$counter => $name,)* })
            }
        }

        const METRICS: &[Metric<Counters>] =
            &[$(counter($metric, $help, |it: &Counters| it.of(Counter::$counter)),)*];
    };
}

counters! {
/// Connections of the cgroup that began.
Connections "connections" "connections",
/// Connections of the cgroup whose congestion control was left as it was, because it is not cubic.
OtherControl "of them with another congestion control than cubic" "other_congestion_control",
/// Connections of the cgroup that were left alone, because their peer is within none of the destinations.
Elsewhere "connections left alone: to other destinations" "other_destination",
/// Timeouts that began an episode.
Timeouts "timeouts" "timeouts",
/// Marks that restored a window.
Restored "windows restored" "windows_restored",
/// Windows restored that held for one window of data.
Kept "of them held" "restored_windows_kept",
/// Windows restored that lost data at once, and were taken back.
Undone "of them taken back after losses" "windows_taken_back",
/// Windows restored with an acknowledgment at which the kernel itself took the timeout back.
TakenBackByKernel "of them where the kernel itself took the timeout back" "timeouts_taken_back_by_kernel",
/// Times the kernel was asked to send again at once.
Asked "retransmissions asked for at once" "retransmissions_asked",
/// Marks ignored: the connection was not recovering from a timeout.
NoTimeout "marks ignored: no timeout before" "marks_without_timeout",
/// Marks ignored: the acknowledgment was not within what has been sent (RFC 5961).
OutOfWindow "marks ignored: acknowledgment out of window" "marks_out_of_window",
/// Marks ignored: the window of this timeout had been restored.
Spent "marks ignored: restored already" "marks_spent",
/// Marks ignored: less than a second after the last one that counted.
TooSoon "marks ignored: too soon after another" "marks_too_soon",
/// Marks ignored: the window was as large as before, or the congestion control is not ours.
NothingToRestore "marks ignored: nothing to restore" "marks_with_nothing_to_restore",
/// Acknowledgments whose lists of losses were taken.
Listed "acknowledgments with losses listed" "acknowledgments_with_losses",
/// Recoveries that kept the window, because all losses were the air's.
WindowKept "recoveries that kept the window: losses over the air" "recoveries_window_kept",
/// Recoveries that kept the window at first, and reduced it after all.
Reduced "of them reduced after all: congestion or a timeout" "recoveries_reduced_after_all",
/// Recoveries that reduced the window although all losses were the air's.
Queued "recoveries that reduced it: losses over the air, and a queue that the window fills" "recoveries_reduced_for_a_queue",
}

/// The values of all counters at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u64; Counter::ALL.len()]);

impl Counters {
    #[cfg(feature = "ebpf")]
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

    /// As the last line of the log.
    pub fn stop_line(&self) -> Line {
        with_all(Line::new("stop"), METRICS, self)
    }

    /// As Prometheus text.
    pub fn metrics(&self, process: &Process) -> String {
        let mut text = Text::new("seamline_sender_", process);
        text.add(METRICS, &[("", self)]);
        text.into_string()
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
