//! A guest that shows whether a kernel can be used: it boots, loads the kernel's modules, sleeps, and ends.

use super::inside::{self, ENTROPY, Start};
use super::watch::clock;
use super::{Ended, Guest, GuestError, Shared};
use crate::Kernel;
use seamline_wire::Instant;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The argument that makes a program the first process of this guest: it then calls [`serve`].
pub const WORD: &str = "probe";
/// How long the guest sleeps, by its own clock.
pub const SLEEP: Duration = Duration::from_secs(100);
/// A guest that takes longer is given up. Booting takes a tenth of a second on an idle host.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a kernel did, in time of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The release that it says it is.
    pub release: String,
    /// How long it took until its first process could work.
    pub boot: Duration,
    /// How long [`SLEEP`] took.
    pub sleep: Duration,
}

#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    release: String,
    slept: Duration,
}

/// The guest's side.
///
/// # Errors
/// When this process is not the first one of a guest, its kernel refuses something, or there is no way to answer.
pub fn serve() -> io::Result<()> {
    inside::begin()?;
    let modules: Vec<PathBuf> = serde_json::from_slice(&fs::read(Shared::Job.in_guest())?)?;
    inside::prepare(&Start { entropy: [0; ENTROPY], modules: &modules })?;
    let began = clock();
    inside::wait(SLEEP);
    let slept = began.elapsed();
    let release = fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned();
    inside::end(&serde_json::to_vec(&Answer { release, slept })?)
}

/// Boot a kernel. `program` is the program of the guest, see [`WORD`].
///
/// # Errors
/// When it does not boot, its modules cannot be loaded, or its time is not virtual.
pub fn probe(kernel: &Kernel, program: &Path) -> Result<Probed, GuestError> {
    let job = serde_json::to_vec(&kernel.modules).map_err(io::Error::from)?;
    let words = vec![WORD.to_owned()];
    let guest = Guest { image: &kernel.image, program, words, job: &job, processor: None };
    let began = clock();
    let mut boot = None;
    let mut guest = guest.boot()?;
    let ended = guest.wait(&mut |glance| {
        if glance.now > Instant::ZERO {
            boot.get_or_insert(began.elapsed());
        }
        began.elapsed() < PATIENCE
    })?;
    let took = began.elapsed();
    if ended == Ended::Stopped {
        return Err(given_up(boot.is_some()).into());
    }
    let answer: Answer =
        serde_json::from_slice(&fs::read(guest.path(Shared::Result))?).map_err(io::Error::from)?;
    if answer.slept < SLEEP || answer.slept > SLEEP + Duration::from_secs(1) {
        return Err(
            io::Error::other(format!("sleeping {SLEEP:?} took {:?} by its own clock", answer.slept)).into()
        );
    }
    let boot = boot.unwrap_or(took);
    Ok(Probed { release: answer.release, boot, sleep: took.saturating_sub(boot) })
}

fn given_up(has_booted: bool) -> io::Error {
    io::Error::other(match has_booted {
        true => {
            format!("its time is not virtual: it takes more than {PATIENCE:?} of the host to sleep {SLEEP:?}")
        }
        false => format!("it does not boot within {PATIENCE:?}"),
    })
}
