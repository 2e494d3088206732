//! Real time: packets from interfaces go into the emulated network, and what is due there goes out.

use crate::clock;
use crate::edge;
use crate::kernel_view::KernelView;
use crate::lateness::Lateness;
use crate::middlebox::{Middlebox, PORTS};
use crate::notify::Notify;
use crate::outlet::{Delivered, Outlet};
use crate::run::LabError;
use crate::site::{Site, Stack};
use crate::traffic::Observation;
use crate::user_host::{BATCH, LARGEST_PACKET};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use seamline_experiment::live::Live;
use seamline_wire::{Duration, Event, Input, Instant, Packet, Signal};
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::Receiver;

/// The driver checks at least this often whether the run is over.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// It came to its end.
    Complete,
    /// A stop was requested.
    Stopped,
}

/// The real parts of a network.
#[derive(Debug)]
pub(crate) struct Network<'a> {
    /// Its hosts.
    pub(crate) sites: &'a mut [Site],
    /// Commands in place of agents.
    pub(crate) middleboxes: &'a mut [Middlebox],
    /// Reports link events to programs.
    pub(crate) notify: Option<&'a Notify>,
}

/// Drives one run.
#[derive(Debug)]
pub(crate) struct Driver<'a, 'b> {
    live: &'a mut Live<'b>,
    network: Network<'a>,
    /// By connection: the index of its sending node, and the state of its sender as the kernel reports it.
    views: Vec<Option<(usize, KernelView)>>,
    observations: Receiver<Observation>,
    /// When the run began, by the clock of the lab.
    origin: Instant,
    lateness: Lateness,
    /// By site: whether its interface, and that of its endpoint, have something.
    ready: Vec<[bool; 2]>,
    /// By middlebox: whether its interfaces have something.
    ready_to_pass: Vec<[bool; 2]>,
    packets: Vec<(Instant, Box<Packet>)>,
    /// The middlebox whose command has ended.
    ended: Option<usize>,
    /// At one middlebox, by the side at which they are to come in.
    passing: [Vec<(Instant, Box<Packet>)>; 2],
    signals: Vec<(Instant, Signal)>,
    buffer: Vec<u8>,
}

impl<'a, 'b> Driver<'a, 'b> {
    /// A run that begins at `origin`. `views` are by connection, each with the node of its sender.
    pub(crate) fn new(
        live: &'a mut Live<'b>,
        network: Network<'a>,
        views: Vec<Option<(usize, KernelView)>>,
        observations: Receiver<Observation>,
        origin: Instant,
    ) -> Self {
        let ready = vec![[false; 2]; network.sites.len()];
        let ready_to_pass = vec![[false; 2]; network.middleboxes.len()];
        Driver {
            live,
            network,
            views,
            observations,
            origin,
            lateness: Lateness::new(),
            ready,
            ready_to_pass,
            packets: Vec::new(),
            ended: None,
            passing: Default::default(),
            signals: Vec::new(),
            buffer: vec![0; LARGEST_PACKET],
        }
    }

    /// Run until `over` returns how it ended. It is called at least every 20 ms with the time since the origin. Returns how late
    /// packets were put on interfaces.
    ///
    /// # Errors
    /// When an interface fails, or a command in place of an agent has ended.
    pub(crate) fn run(
        mut self,
        over: &mut dyn FnMut(Instant) -> io::Result<Option<Over>>,
    ) -> Result<(Over, Lateness), LabError> {
        let mut wanted = since(self.origin);
        loop {
            let now = since(self.origin);
            self.lateness.note_stall(now.saturating_since(wanted));
            if let Some(over) = over(now)? {
                return Ok((over, self.lateness));
            }
            if let Some(middlebox) = self.ended.and_then(|place| self.network.middleboxes.get_mut(place)) {
                middlebox.check()?;
            }
            // Nothing may become due after `deliver`: it would stay there until the wait is over.
            self.live.run_until(now);
            self.observe();
            self.take_in()?;
            self.take_in_passing()?;
            self.deliver()?;
            self.deliver_passing()?;
            self.serve_endpoints(now)?;
            wanted = now + self.wait()?;
        }
    }

    /// Take in what the kernel reports of its connections.
    fn observe(&mut self) {
        while let Ok(observation) = self.observations.try_recv() {
            let Observation { connection, info } = observation;
            let Some(Some((node, view))) = self.views.get_mut(connection as usize) else { continue };
            let live = &mut *self.live;
            view.note(&info, &mut |event| live.report(*node, event));
        }
    }

    /// Deliver the packets that have come through the network to the hosts.
    fn deliver(&mut self) -> io::Result<()> {
        for site in self.network.sites.iter_mut() {
            self.live.fetch(site.node, &mut self.packets);
            for (due, packet) in self.packets.drain(..) {
                site.outlet.deliver(&packet)?;
                self.lateness.note(since(self.origin).saturating_since(due));
                if let Stack::Linux(tap) = &mut site.stack
                    && let Some(event) = tap.arrived(&packet)
                {
                    self.live.report(site.node, &event);
                }
                self.live.recycle(packet);
            }
        }
        Ok(())
    }

    /// The same for the commands in place of agents.
    fn deliver_passing(&mut self) -> io::Result<()> {
        for middlebox in self.network.middleboxes.iter_mut() {
            self.live.fetch_at_agent(middlebox.agent, &mut self.passing);
            for (side, packets) in self.passing.iter_mut().enumerate() {
                for (due, packet) in packets.drain(..) {
                    // Such a packet passes by, as it passes agents.
                    if middlebox.outlets[side].deliver(&packet)? == Delivered::NotForHosts {
                        self.live.pass_on(middlebox.agent, PORTS[1 - side], packet);
                        continue;
                    }
                    self.lateness.note(since(self.origin).saturating_since(due));
                    self.live.recycle(packet);
                }
            }
        }
        Ok(())
    }

    /// Endpoints of ours get their packets, signals and wake-ups; programs get the signals of their node.
    fn serve_endpoints(&mut self, now: Instant) -> io::Result<()> {
        for (site, ready) in self.network.sites.iter_mut().zip(&mut self.ready) {
            self.live.fetch_signals(site.node, &mut self.signals);
            if let Some(notify) = self.network.notify {
                self.signals.iter().try_for_each(|(_, signal)| notify.report(site.node, *signal))?;
            }
            let Stack::Seamline(host) = &mut site.stack else {
                self.signals.clear();
                continue;
            };
            let (node, live) = (site.node, &mut *self.live);
            let mut listener = |event: &Event| live.report(node, event);
            for (_, signal) in self.signals.drain(..) {
                host.step(now, Input::Signal(signal), &mut listener)?;
            }
            if ready[1] {
                ready[1] = host.receive(now, &mut listener)?;
            }
            host.wake(now, &mut listener)?;
        }
        Ok(())
    }

    /// Take packets of hosts into the network.
    fn take_in(&mut self) -> io::Result<()> {
        for (site, ready) in self.network.sites.iter_mut().zip(&mut self.ready) {
            let (node, stack) = (site.node, &mut site.stack);
            read_batch(self.live, &site.outlet, &mut ready[0], &mut self.buffer, |live, packet| {
                if let Stack::Linux(tap) = stack
                    && let Some(event) = tap.sent(&packet)
                {
                    live.report(node, &event);
                }
                live.take_in(node, packet);
            })?;
        }
        Ok(())
    }

    /// The same for packets that commands in place of agents pass on.
    fn take_in_passing(&mut self) -> io::Result<()> {
        for (middlebox, ready) in self.network.middleboxes.iter().zip(&mut self.ready_to_pass) {
            for ((outlet, port), ready) in middlebox.outlets.iter().zip(PORTS).zip(ready) {
                read_batch(self.live, outlet, ready, &mut self.buffer, |live, packet| {
                    live.pass_on(middlebox.agent, port, packet);
                })?;
            }
        }
        Ok(())
    }

    /// Wait until a packet comes or something is due. Returns the longest time that was allowed.
    fn wait(&mut self) -> io::Result<Duration> {
        debug_assert!(
            self.network.sites.iter().all(|site| self.live.is_fetched(site.node))
                && self.network.middleboxes.iter().all(|it| self.live.is_fetched_at_agent(it.agent)),
            "the emulator would wait although something is due"
        );
        let is_busy = self.ready.iter().chain(&self.ready_to_pass).any(|ready| ready.contains(&true));
        let hosts = self.network.sites.iter().filter_map(|site| match &site.stack {
            Stack::Seamline(host) => host.wake_at(),
            Stack::Linux(_) => None,
        });
        let due = hosts.chain(self.live.wake_at()).min();
        let wait = match due {
            _ if is_busy => Duration::ZERO,
            Some(due) => due.saturating_since(since(self.origin)).min(LONGEST_WAIT),
            None => LONGEST_WAIT,
        };
        let most = 2 * (self.network.sites.len() + self.network.middleboxes.len());
        let mut descriptors = Vec::with_capacity(most);
        let mut whose = Vec::with_capacity(most);
        for (place, site) in self.network.sites.iter().enumerate() {
            descriptors.push(PollFd::new(site.outlet.interface.as_fd(), PollFlags::POLLIN));
            whose.push((place, 0));
            if let Stack::Seamline(host) = &site.stack {
                descriptors.push(PollFd::new(host.interface.as_fd(), PollFlags::POLLIN));
                whose.push((place, 1));
            }
        }
        for middlebox in self.network.middleboxes.iter() {
            let both = middlebox.outlets.iter().map(|outlet| &outlet.interface);
            descriptors.extend(both.map(|interface| PollFd::new(interface.as_fd(), PollFlags::POLLIN)));
        }
        let commands = self.network.middleboxes.iter().filter_map(Middlebox::end);
        descriptors.extend(commands.map(|end| PollFd::new(end, PollFlags::POLLIN)));
        let at_most =
            TimeSpec::new((wait.as_nanos() / 1_000_000_000) as i64, (wait.as_nanos() % 1_000_000_000) as i64);
        match ppoll(&mut descriptors, Some(at_most), None) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(wait),
            Err(error) => return Err(error.into()),
        }
        let (hosts, others) = descriptors.split_at(whose.len());
        let (passing, commands) = others.split_at(2 * self.network.middleboxes.len());
        self.ended = commands.iter().position(|descriptor| descriptor.any() == Some(true));
        for (descriptor, (place, which)) in hosts.iter().zip(whose) {
            self.ready[place][which] |= descriptor.any() == Some(true);
        }
        for (descriptor, ready) in passing.iter().zip(self.ready_to_pass.as_flattened_mut()) {
            *ready |= descriptor.any() == Some(true);
        }
        Ok(wait)
    }
}

/// The time since the run began.
fn since(origin: Instant) -> Instant {
    Instant::ZERO + clock::monotonic().saturating_since(origin)
}

/// Take up to a batch of packets from an interface that is `ready`. It is no longer when there are no more.
fn read_batch(
    live: &mut Live<'_>,
    outlet: &Outlet,
    ready: &mut bool,
    buffer: &mut [u8],
    mut take: impl FnMut(&mut Live<'_>, Box<Packet>),
) -> io::Result<()> {
    for _ in 0..BATCH {
        if !*ready {
            break;
        }
        let Some(length) = outlet.interface.read(buffer)? else {
            *ready = false;
            break;
        };
        let mut packet = live.packet();
        match edge::take_in(&buffer[..length], &mut packet) {
            true => take(live, packet),
            false => live.recycle(packet),
        }
    }
    Ok(())
}
