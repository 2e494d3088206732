//! Requests to stop: Ctrl-C, SIGTERM and SIGHUP.

use crate::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// As in shells, the exit code after a signal is 128 plus its number.
const SIGNALLED: u8 = 128;

/// Signals within this time of each other are one request.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Whether the user has asked to stop.
#[derive(Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listen from now on. A second request after a second ends the process at once; an earlier one is ignored, since `timeout` and closed
    /// terminals send signals twice.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn listen() -> Result<Self, Failure> {
        Interrupt::listen_and(|| ())
    }

    /// The same, with something to do before a second request ends the process: such as removing temporary files.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn listen_and(clean_up: impl Fn() + Send + 'static) -> Result<Self, Failure> {
        Interrupt::listen_with(move |first, signal| {
            if first.elapsed() > SAME_REQUEST {
                clean_up();
                signal_hook::low_level::exit(i32::from(SIGNALLED) + signal);
            }
        })
    }

    /// Listen from now on, and ignore further requests: for commands whose cleaning up takes seconds at most, and must be completed.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn listen_once() -> Result<Self, Failure> {
        Interrupt::listen_with(|_, _| {})
    }

    /// `again` is called for every signal but the first, with the time of the first.
    fn listen_with(again: impl Fn(Instant, i32) + Send + 'static) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::Runtime(format!("cannot catch signals: {error}"));
        let interrupt = Interrupt::default();
        let (stop, number) = (interrupt.stop.clone(), interrupt.signal.clone());
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(failed)?;
        let listener = thread::Builder::new().name("interrupt".to_owned());
        let listening = listener.spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                if let Some(first) = first {
                    again(first, signal);
                    continue;
                }
                #[expect(clippy::disallowed_methods, reason = "users interrupt in real time")]
                let now = Instant::now();
                first = Some(now);
                number.store(signal as usize, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
        });
        listening.map(|_| interrupt).map_err(failed)
    }

    /// Set as soon as the user asks to stop.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// The exit code after a signal.
    pub fn exit_code(&self) -> u8 {
        let signal = self.signal.load(Ordering::Relaxed);
        SIGNALLED + u8::try_from(signal).unwrap_or_default()
    }
}

/// A socket that becomes readable as soon as the user asks to stop.
///
/// # Errors
/// When signals cannot be caught.
#[cfg(unix)]
pub fn stop_socket() -> Result<UnixStream, Failure> {
    let made = UnixStream::pair().and_then(|(stop, asked)| {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, asked.try_clone()?)?;
        }
        Ok(stop)
    });
    made.map_err(|error| Failure::Runtime(format!("cannot catch signals: {error}")))
}
