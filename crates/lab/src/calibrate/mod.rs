//! How good the emulator is here and now: measured from outside it, with plain sockets and the kernel's notes of when packets
//! left and arrived, over scenarios like any others.

mod bulk;
mod datagrams;
mod delay;
mod drops;
mod figures;
mod host;
mod interruption;
mod path;
mod published;
mod rate;
mod text;

pub use bulk::Throughput;
pub use delay::{Delay, Delays};
pub use drops::Drops;
pub use figures::Spread;
pub use host::HostState;
pub use interruption::Interruptions;
pub use published::{PUBLISHED, Published};
pub use rate::RateFigure;
pub use text::table;

use crate::run::{LabError, on_emulator_thread};
use crate::system::StateDirectory;
use datagrams::Noting;
use serde::Serialize;

/// How long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// About ten seconds.
    Quick,
    /// About a minute.
    Full,
}

impl Effort {
    fn choose<T>(self, quick: T, full: T) -> T {
        match self {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }
}

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Where.
    pub host: HostState,
    /// One-way delays.
    pub delay: Delays,
    /// Rates.
    pub rate: Vec<RateFigure>,
    /// Losses.
    pub drops: Vec<Drops>,
    /// Handovers.
    pub interruption: Interruptions,
    /// How much goes through.
    pub throughput: Throughput,
}

/// Measure. `begins` gets the name of each part as it begins.
///
/// # Errors
/// When the host does not let it.
pub fn calibrate(
    effort: Effort,
    state: &StateDirectory,
    begins: &dyn Fn(&str),
) -> Result<Calibration, LabError> {
    let _noting = Noting::begin()?;
    let priority = on_emulator_thread(|priority| Ok(priority.to_string()))?;
    let watch = host::Watch::begin()?;
    begins("one-way delay");
    let delay = delay::measure(effort, state)?;
    begins("rate");
    let rate = rate::measure(effort, state)?;
    begins("losses");
    let drops = drops::measure(effort, state)?;
    begins("handovers");
    let interruption = interruption::measure(effort, state)?;
    begins("throughput");
    let throughput = bulk::measure(effort, state)?;
    let host = watch.end(priority)?;
    Ok(Calibration { host, delay, rate, drops, interruption, throughput })
}
