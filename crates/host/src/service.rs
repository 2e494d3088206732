//! What a service manager hears of a daemon (sd_notify(3)): that it is ready, that it works, and that it ends. Nothing happens where there
//! is no service manager.

use sd_notify::NotifyState;
use seamline_wire::{Duration, Instant};

/// A daemon that is ready.
#[derive(Debug)]
pub struct Service {
    /// How often it says that it works: twice as often as it must.
    period: Option<Duration>,
    last: Instant,
}

impl Service {
    /// It is ready now.
    pub fn ready(now: Instant) -> Self {
        let _ = sd_notify::notify(&[NotifyState::Ready]);
        let must = sd_notify::watchdog_enabled();
        let period = must.map(|must| Duration::from_nanos(must.as_nanos() as u64 / 2));
        Service { period, last: now }
    }
    /// It works. Call this at least once in each [`Service::period`].
    pub fn works(&mut self, now: Instant) {
        if self.period.is_some_and(|period| now.saturating_since(self.last) >= period) {
            self.last = now;
            let _ = sd_notify::notify(&[NotifyState::Watchdog]);
        }
    }
    /// How long it may be silent at most; `None` if nobody listens.
    pub fn period(&self) -> Option<std::time::Duration> {
        self.period.map(|period| std::time::Duration::from_nanos(period.as_nanos()))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = sd_notify::notify(&[NotifyState::Stopping]);
    }
}
