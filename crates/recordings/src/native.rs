//! Seamline's own format: conditions of a link over time, in both directions. Text that any program reads as CSV.
//!
//! ```text
//! # seamline recording 1
//! # length_s = 120
//! # from drive.txt: ping
//! time_s,down_mbps,up_mbps,down_delay_ms,up_delay_ms,down_loss,up_loss,down_outage,up_outage
//! 0,95.2,11.8,21.5,21.5,0.001,0.001,none,none
//! 15.0,,,,,,,held,held
//! 15.065,120.4,,19.75,19.75,,,none,none
//! ```
//!
//! - Lines that begin with `#` come first. The first names the format and its version; `length_s` is the length in seconds, from
//!   time zero; all others are remarks.
//! - `time_s` is the time in seconds; times increase.
//! - `down_…` is to the host that moves, `up_…` from it. Capacity in Mbit/s (10^6 bit/s, headers included), one-way delay in ms,
//!   loss as a share from 0 to 1.
//! - A value holds from its time on until the next one in its column; an empty field changes nothing. The first value of a
//!   column holds from the start. A column without values, or left out, says nothing.
//! - An outage begins at `held` (packets wait for the link and are sent after it) or `lost` (all that is on the link or comes to it is
//!   lost) and ends at `none`. A change of the path that interrupts nothing is `handover`.

mod read;
mod write;

pub use read::read;
pub use write::{mean_rates, points, write};

use crate::Recording;

/// The first line.
const TITLE: &str = "# seamline recording 1";
/// What stands in the column of outages where the path changes and nothing is interrupted.
const HANDOVER: &str = "handover";
/// The columns, in the order in which they are written.
const COLUMNS: [&str; 9] = [
    "time_s",
    "down_mbps",
    "up_mbps",
    "down_delay_ms",
    "up_delay_ms",
    "down_loss",
    "up_loss",
    "down_outage",
    "up_outage",
];

/// Whether a file names itself a recording of this format, of any version.
pub fn looks_like(recording: &Recording) -> bool {
    recording.text().starts_with("# seamline recording ")
}
