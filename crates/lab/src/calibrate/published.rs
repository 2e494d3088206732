//! Published figures of other emulators, with their sources.

use serde::Serialize;

/// A figure of another emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Published {
    /// The part of a calibration that it concerns.
    pub part: &'static str,
    /// The emulator or its authors.
    pub whose: &'static str,
    /// The figure.
    pub says: &'static str,
    /// The source, or how it was measured.
    pub source: &'static str,
}

const MAHIMAHI_PAPER: &str = "mahimahi's authors";
const MAHIMAHI_PAPER_SOURCE: &str = "R. Netravali et al., Mahimahi: Accurate Record-and-Replay for HTTP, USENIX ATC 2015, section 4.2 and Figure 4";
const PROTOTYPE: &str = "this project's prototype: two threads over AF_PACKET";
const PROTOTYPE_SOURCE: &str = "measured on a loaded machine of 2 processors, Linux 6.18, SCHED_FIFO";

/// All of them.
pub const PUBLISHED: &[Published] = &[
    Published {
        part: "delay",
        whose: "mahimahi 0.98",
        says: "mm-delay adds whole milliseconds to a clock that counts whole milliseconds",
        source: "src/util/timestamp.cc and src/frontend/delay_queue.cc, commit ae477d4",
    },
    Published {
        part: "delay",
        whose: PROTOTYPE,
        says: "late by 24 us at the median, 190 us at p99, at 25 ms",
        source: PROTOTYPE_SOURCE,
    },
    Published {
        part: "delay",
        whose: MAHIMAHI_PAPER,
        says: "a delay of 0 ms changes the page load time of a site by 0.33 %, at the median of 500 sites",
        source: MAHIMAHI_PAPER_SOURCE,
    },
    Published {
        part: "rate",
        whose: MAHIMAHI_PAPER,
        says: "a link of 1000 Mbit/s changes the page load time of a site by 0.31 %, at the median of 500 sites",
        source: MAHIMAHI_PAPER_SOURCE,
    },
    Published {
        part: "rate",
        whose: "mahimahi 0.98",
        says: "mm-link delivers at opportunities of 1500 bytes, which a file lists in milliseconds",
        source: "man page mm-link(1), \"12 Mbit/s ... every ms\", commit ae477d4",
    },
    Published {
        part: "throughput",
        whose: PROTOTYPE,
        says: "1.6 Gbit/s of TCP with packets of 1500 bytes",
        source: PROTOTYPE_SOURCE,
    },
];
