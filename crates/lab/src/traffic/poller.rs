//! Waiting for sockets, for a point in time, and for other threads.

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use seamline_wire::Instant;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

/// Numbers of events that are no socket's.
const WOKEN: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;
/// Sockets served before the clock is looked at again: with one read or write of 128 KiB each, about a millisecond.
const AT_ONCE: usize = 32;

/// Wakes a [`Poller`] from another thread.
#[derive(Clone, Debug)]
pub(super) struct Waker(Arc<EventFd>);

impl Waker {
    pub(super) fn wake(&self) {
        // It only fails when the count is full, and then the poller wakes anyway.
        let _ = self.0.write(1);
    }
}

/// What one thread waits with.
#[derive(Debug)]
pub(super) struct Poller {
    epoll: Epoll,
    timer: TimerFd,
    timer_at: Option<Instant>,
    waker: Waker,
    ready: Vec<EpollEvent>,
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer =
            TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK)?;
        let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
        epoll.add(&event, EpollEvent::new(EpollFlags::EPOLLIN, WOKEN))?;
        epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        let ready = vec![EpollEvent::empty(); AT_ONCE];
        Ok(Poller { epoll, timer, timer_at: None, waker: Waker(Arc::new(event)), ready })
    }

    pub(super) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Wait for this socket, too. It is forgotten when it is closed.
    pub(super) fn add(&self, socket: impl AsFd, number: usize, interest: EpollFlags) -> io::Result<()> {
        Ok(self.epoll.add(socket, EpollEvent::new(interest, number as u64))?)
    }

    pub(super) fn modify(&self, socket: impl AsFd, number: usize, interest: EpollFlags) -> io::Result<()> {
        Ok(self.epoll.modify(socket, &mut EpollEvent::new(interest, number as u64))?)
    }

    /// Wait until then, or until something happens before; the numbers of sockets that are ready.
    pub(super) fn wait(&mut self, until: Option<Instant>) -> io::Result<Vec<usize>> {
        self.set_timer(until)?;
        let count = match self.epoll.wait(&mut self.ready, EpollTimeout::NONE) {
            Ok(count) => count,
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        let numbers: Vec<u64> = self.ready[..count].iter().map(EpollEvent::data).collect();
        if numbers.contains(&WOKEN) {
            let _ = self.waker.0.read();
        }
        if numbers.contains(&TIMER) {
            self.timer_at = None;
            self.timer.unset()?;
        }
        Ok(numbers.into_iter().filter(|number| *number < TIMER).map(|number| number as usize).collect())
    }

    fn set_timer(&mut self, until: Option<Instant>) -> io::Result<()> {
        if self.timer_at == until {
            return Ok(());
        }
        match until {
            // Zero would disarm it.
            Some(at) => {
                let nanos = at.as_nanos().clamp(1, i64::MAX as u64) as i64;
                let at = TimeSpec::new(nanos / 1_000_000_000, nanos % 1_000_000_000);
                self.timer.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            }
            None => self.timer.unset()?,
        }
        self.timer_at = until;
        Ok(())
    }
}
