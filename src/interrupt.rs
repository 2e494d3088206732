//! Being asked to stop: Ctrl-C, or a cluster that takes the machine away.

use crate::terminal::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Shells say it so: 128 and the number of the signal.
const SIGNALLED: u8 = 128;

/// Whether somebody asked to stop.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listen from now on. Who asks a second time is obeyed at once.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let code = i32::from(SIGNALLED) + signal;
            // In this order: the first signal finds the flag down, the second finds it up.
            let registered = flag::register_conditional_shutdown(signal, code, interrupt.stop.clone())
                .and_then(|_| flag::register(signal, interrupt.stop.clone()))
                .and_then(|_| flag::register_usize(signal, interrupt.signal.clone(), signal as usize));
            registered.map_err(|error| Failure::Runtime(format!("cannot listen to Ctrl-C: {error}")))?;
        }
        Ok(interrupt)
    }

    /// Set as soon as somebody asks to stop.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// The exit code after a signal.
    pub(crate) fn exit_code(&self) -> u8 {
        let signal = self.signal.load(Ordering::Relaxed);
        SIGNALLED + u8::try_from(signal).unwrap_or_default()
    }
}
