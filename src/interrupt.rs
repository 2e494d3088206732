//! Requests to stop: Ctrl-C, or a cluster that reclaims the machine.

use crate::terminal::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The exit code of shells after a signal: 128 plus its number.
const SIGNALLED: u8 = 128;

/// Signals within this time count as one request.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Whether the user asked to stop.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Start listening. A second request after a second exits immediately; an earlier one may be the same request,
    /// since `timeout` and closing terminals signal twice.
    pub(crate) fn listen() -> Result<Self, Failure> {
        Interrupt::with_repeat_handler(|first, signal| {
            if first.elapsed() > SAME_REQUEST {
                signal_hook::low_level::exit(i32::from(SIGNALLED) + signal);
            }
        })
    }

    /// Start listening. Further requests are ignored: cleanup takes seconds at most, and skipping it would leave
    /// network state behind.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the lab needs cleanup"))]
    pub(crate) fn listen_once() -> Result<Self, Failure> {
        Interrupt::with_repeat_handler(|_, _| {})
    }

    /// `again` is called for every signal but the first, with the time of the first.
    fn with_repeat_handler(again: impl Fn(Instant, i32) + Send + 'static) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::Runtime(format!("cannot listen to Ctrl-C: {error}"));
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
                #[expect(clippy::disallowed_methods, reason = "signals arrive in real time")]
                let now = Instant::now();
                first = Some(now);
                number.store(signal as usize, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
        });
        listening.map(|_| interrupt).map_err(failed)
    }

    /// Set as soon as the user asks to stop.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// The exit code after a signal.
    pub(crate) fn exit_code(&self) -> u8 {
        let signal = self.signal.load(Ordering::Relaxed);
        SIGNALLED + u8::try_from(signal).unwrap_or_default()
    }
}

/// A socket that becomes readable as soon as the user asks to stop.
#[cfg(target_os = "linux")]
pub(crate) fn stop_socket() -> Result<UnixStream, Failure> {
    let made = UnixStream::pair().and_then(|(stop, asked)| {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, asked.try_clone()?)?;
        }
        Ok(stop)
    });
    made.map_err(|error| Failure::Runtime(format!("cannot listen to signals: {error}")))
}
