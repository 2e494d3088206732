//! Our host on a thread of its own, and what a test does with it meanwhile.

use crate::host::{Fate, Host, Seen, Setup, Way};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use seamline_lab::system::Tun;
use seamline_tcp::{Endpoint, Opening, State};
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Instant, Outbox, Segment};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A host that runs until it is stopped.
#[derive(Clone)]
pub(crate) struct Ours {
    host: Arc<Mutex<Host>>,
    bell: Arc<EventFd>,
}

impl Ours {
    pub(crate) fn begin(tun: Tun, version: IpVersion) -> (Self, JoinHandle<()>) {
        let tun = Arc::new(tun);
        let bell = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK).unwrap());
        let host = Arc::new(Mutex::new(Host::new(tun.clone(), version)));
        let ours = Ours { host, bell };
        let for_thread = ours.clone();
        let thread = std::thread::Builder::new().name("our TCP".to_owned());
        (ours, thread.spawn(move || for_thread.serve(&tun)).unwrap())
    }

    fn serve(&self, tun: &Tun) {
        loop {
            let wait = {
                let mut host = self.lock();
                if host.stopped {
                    return;
                }
                host.turn();
                let now = host.now();
                host.wake_at().map_or(LONGEST_WAIT, |at| at.saturating_since(now).min(LONGEST_WAIT))
            };
            let mut descriptors =
                [tun.as_fd(), self.bell.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
            let wait = TimeSpec::new(0, wait.as_nanos() as i64);
            let _ = ppoll(&mut descriptors, Some(wait), None);
            if descriptors[1].any() == Some(true) {
                let _ = self.bell.read();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Host> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Do something with the host now.
    fn with<T>(&self, what: impl FnOnce(&mut Host) -> T) -> T {
        let result = what(&mut self.lock());
        let _ = self.bell.write(1);
        result
    }
    /// Returns how many packets of the kernel our endpoints could not read.
    pub(crate) fn stop(&self) -> u64 {
        self.with(|host| {
            host.stopped = true;
            host.not_understood
        })
    }

    /// The network between: its delay in each direction, and what becomes of each segment.
    pub(crate) fn network(&self, delay: Duration, rule: impl FnMut(Way, &Segment) -> Fate + Send + 'static) {
        self.with(|host| {
            host.delay = delay;
            host.rule = Box::new(rule);
        });
    }
    /// Let the kernel's sequence numbers look as if they began here.
    pub(crate) fn show_initial_sequence_of_kernel(&self, initial: u32) {
        self.with(|host| host.shown_initial = Some(initial));
    }
    pub(crate) fn listen(&self, port: u16, setup: Setup) {
        self.with(|host| host.listeners.insert(port, setup));
    }
    pub(crate) fn connect(&self, ports: (u16, u16), setup: &Setup) -> OurEnd {
        OurEnd { place: self.with(|host| host.add(ports, setup, Opening::Active)), ours: self.clone() }
    }
    /// The connections that have come in since the last call.
    pub(crate) fn accepted(&self) -> Vec<OurEnd> {
        let places = self.with(|host| std::mem::take(&mut host.accepted));
        places.into_iter().map(|place| OurEnd { place, ours: self.clone() }).collect()
    }
    /// The next connection that comes in.
    pub(crate) fn accept(&self) -> OurEnd {
        let place = crate::until("a connection comes in", || {
            let mut host = self.lock();
            (!host.accepted.is_empty()).then(|| host.accepted.remove(0))
        });
        OurEnd { place, ours: self.clone() }
    }
    /// Connections that are not closed.
    pub(crate) fn connections_left(&self) -> usize {
        self.lock().by_key.len()
    }
    /// Everything that has passed so far.
    pub(crate) fn record(&self) -> Vec<Seen> {
        self.lock().record.clone()
    }
    /// What has passed one way and is as asked for.
    pub(crate) fn seen(&self, way: Way, which: impl Fn(&Segment) -> bool) -> Vec<Seen> {
        self.record().into_iter().filter(|seen| seen.way == way && which(&seen.segment)).collect()
    }
    /// # Panics
    /// When payload has come that was not sent.
    pub(crate) fn check_content(&self) {
        assert_eq!(self.lock().mismatch, None);
    }
}

/// One of our endpoints.
#[derive(Clone)]
pub(crate) struct OurEnd {
    ours: Ours,
    place: usize,
}

impl OurEnd {
    fn act(&self, what: impl FnOnce(&mut Endpoint, Instant, &mut Outbox)) {
        self.ours.with(|host| {
            let now = host.now();
            host.act(self.place, now, what);
        });
    }
    pub(crate) fn supply(&self, bytes: u64) {
        self.act(|endpoint, now, out| endpoint.supply(now, bytes, out));
    }
    pub(crate) fn close(&self) {
        self.act(Endpoint::close);
    }
    pub(crate) fn abort(&self) {
        self.act(Endpoint::abort);
    }
    /// The application reads so much.
    pub(crate) fn consume(&self, bytes: u64) {
        self.act(|endpoint, now, out| endpoint.consume(now, bytes, out));
    }
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Endpoint) -> T) -> T {
        at(&self.ours.lock().connections[self.place].endpoint)
    }
    /// # Panics
    /// When it does not become so in time.
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&Endpoint) -> bool) {
        crate::until(what, || self.look(&is_so).then_some(()));
    }
    pub(crate) fn wait_for(&self, state: State) {
        self.wait(state.name(), |endpoint| endpoint.state() == state);
    }
    pub(crate) fn wait_delivered(&self, bytes: u64) {
        self.wait("all has come", |endpoint| endpoint.statistics().bytes_delivered >= bytes);
        assert_eq!(self.look(|endpoint| endpoint.statistics().bytes_delivered), bytes);
        self.ours.check_content();
    }
}
