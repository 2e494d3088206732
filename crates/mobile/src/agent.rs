//! What the daemon does, without a clock or a socket: news come in with their time, and what is to be sent or asked goes
//! through a [`Host`].
//!
//! [`Agent::sent`] learns connections. What the kernel ([`Agent::described`], [`Agent::address`], [`Agent::routes_changed`]), a modem or a
//! script ([`Agent::command`]) and the schedule ([`Agent::wake`]) say of links decides which connections are owed help;
//! [`Agent::help`] gives it to those that can send, and is to be called after each of them. A connection whose address or route is not there yet waits.
//! Before it comes [`Agent::freeze`], which has other ends stop before an announced outage.

mod arriving;
mod carriers;
mod freezing;
mod help;
mod outages;
mod status;

pub use status::Counters;

use crate::command::Command;
use crate::connections::{Connection, Connections, Key};
use crate::kick::KernelView;
use crate::links::{Change, Described, Links};
use crate::schedule::Reconfigurations;
use crate::settings::Settings;
use freezing::Freezing;
use outages::Outages;
use seamline_host::Line;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;

/// How often silent connections are looked for.
const FORGET_EVERY: Duration = Duration::from_secs(10);

/// What the agent needs of the host it runs on.
pub trait Host {
    /// What the kernel says of a connection, whose packets leave by an interface; `None` when it has none like that.
    ///
    /// # Errors
    /// When it cannot be asked.
    fn view(&mut self, key: &Key, interface: u32) -> io::Result<Option<KernelView>>;

    /// Send a whole IP packet.
    ///
    /// # Errors
    /// When it cannot leave: no route, no such address. `WouldBlock` where it could somewhat later: a queue is full.
    fn send(&mut self, packet: &[u8], way: Way) -> io::Result<()>;

    /// Get ready to close windows of connections whose packets leave by an interface.
    ///
    /// # Errors
    /// When this host cannot.
    fn prepare(&mut self, _interface: u32) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Have every packet of a connection, which leaves by an interface, say that its receive window is closed, until a time on the clock
    /// of `now`; call it again to change that time.
    ///
    /// # Errors
    /// When this host cannot. Nothing is changed then.
    fn close_window(&mut self, _key: &Key, _interface: u32, _until: Instant) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Have them say the true window again. The field of the header that the last of them should have had, if there was one.
    ///
    /// # Errors
    /// When this host cannot.
    fn open_window(&mut self, _key: &Key) -> io::Result<Option<u16>> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The host's address that it comes from.
    pub from: IpAddr,
    /// The address it goes to.
    pub to: IpAddr,
    /// The interface by which the connection's last packet left. Where the next one leaves is for the routes to say.
    pub interface: u32,
    /// The only interface by which it may leave; 0 where routes say by which.
    pub bound_to: u32,
    /// What marks it for the rules of routing; 0 where nothing does.
    pub mark: u32,
}

/// The source of a report that a link has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The kernel, of an interface.
    Kernel,
    /// A modem or a script.
    Command,
    /// The clock.
    Schedule,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Kernel => "kernel",
            By::Command => "command",
            By::Schedule => "schedule",
        }
    }
}

/// The daemon's state.
#[derive(Clone, Debug)]
pub struct Agent {
    /// What has happened, until the caller takes it.
    pub log: Vec<Line>,
    settings: Settings,
    connections: Connections,
    links: Links,
    freezing: Freezing,
    outages: Outages,
    counters: Counters,
    /// Whether nothing is sent, only logged.
    is_dry: bool,
    /// Until when, on the clock of the world, the schedule has been carried out.
    scheduled_until: Option<Instant>,
    forget_at: Instant,
    /// Until when the rest of the help waits, because the host's queues were full.
    pause_until: Option<Instant>,
    /// Whether links were lost since the kernel was last asked where their connections stand.
    asks_standing: bool,
}

impl Agent {
    /// Knows nothing yet. When it `is_dry` it sends nothing, and logs what it would send.
    pub fn new(settings: Settings, is_dry: bool) -> Self {
        let connections = Connections::new(settings.connections, settings.forget_after);
        Agent {
            log: Vec::new(),
            settings,
            connections,
            links: Links::default(),
            freezing: Freezing::default(),
            outages: Outages::default(),
            counters: Counters::default(),
            is_dry,
            scheduled_until: None,
            forget_at: Instant::ZERO,
            pause_until: None,
            asks_standing: false,
        }
    }

    /// The host has sent a packet; `captured` is its beginning ([`crate::connections::CAPTURED`]).
    pub fn sent(&mut self, now: Instant, interface: u32, captured: &[u8]) {
        let is_below = |lower, upper| self.links.lies_below(lower, upper);
        let is_own = |address| self.links.has(address);
        if self.connections.sent(now, interface, captured, is_below, is_own).is_err() {
            self.counters.unreadable += 1;
        }
        if now >= self.forget_at {
            self.connections.forget(now);
            self.forget_former();
            self.forget_at = now + FORGET_EVERY;
        }
    }

    /// Packets of the host have gone unseen, for want of room. Among them may be those that began other connections between the same ports.
    pub fn missed(&mut self, packets: u32) {
        if packets > 0 {
            self.counters.missed += u64::from(packets);
            self.connections.all.values_mut().for_each(|connection| connection.is_doubtful = true);
        }
    }

    /// The kernel describes an interface.
    pub fn described(&mut self, now: Instant, described: Described) {
        let index = described.index;
        let change = self.links.described(described);
        match change.filter(|_| self.policy(index).watch) {
            Some(change) => self.changed(now, index, change, By::Kernel),
            None => self.unblock(),
        }
    }

    /// One of the host's addresses can be used, or can no longer.
    pub fn address(&mut self, index: u32, address: IpAddr, is_usable: bool) {
        if self.links.address(index, address, is_usable) && is_usable {
            self.unblock();
        }
    }

    /// What was without a route may have one now.
    pub fn routes_changed(&mut self) {
        self.unblock();
    }

    fn unblock(&mut self) {
        self.connections.all.values_mut().for_each(|connection| connection.is_blocked = false);
    }

    /// A command about links. The answer to [`Command::Status`] is [`Agent::status`], that to [`Command::Metrics`] is [`Agent::metrics`].
    ///
    /// # Errors
    /// When there is no interface of that name; nothing is done.
    pub fn command(&mut self, now: Instant, command: &Command, host: &mut dyn Host) -> Result<(), String> {
        match command {
            Command::Status { .. } | Command::Metrics => return Ok(()),
            Command::GoingDown { interface, within } => {
                for index in self.named(interface.as_deref())? {
                    self.going_down(now, index, *within, By::Command, host);
                }
            }
            Command::Down(interface) => {
                let named = self.named(interface.as_deref())?;
                // What others carry is lost with them, and is back with them.
                let is_meant = |index: &u32| interface.is_some() || !self.depends_on_others(*index);
                for index in named.into_iter().filter(is_meant).collect::<Vec<u32>>() {
                    self.changed(now, index, Change::Down, By::Command);
                }
            }
            Command::Up(interface) => {
                for index in self.named(interface.as_deref())? {
                    self.changed(now, index, Change::Up, By::Command);
                }
            }
        }
        self.counters.commands += 1;
        Ok(())
    }

    fn named(&self, name: Option<&str>) -> Result<Vec<u32>, String> {
        let Some(name) = name else { return Ok(self.links.iter().map(|(index, ..)| index).collect()) };
        let names: Vec<&str> = self.links.iter().map(|(_, name, _)| name).collect();
        let known = || format!("there is no interface {name}; there are: {}", names.join(", "));
        self.links.index(name).map(|index| vec![index]).ok_or_else(known)
    }

    fn changed(&mut self, now: Instant, index: u32, change: Change, by: By) {
        if by != By::Kernel {
            self.links.commanded(index, change);
        }
        let carried = self.carried(index);
        self.freezes_changed(now, &carried, change);
        let Some(link) = self.links.name(index) else { return };
        self.outages.changed(now, index, change);
        let mut touched = 0_u64;
        for (_, connection) in self.connections.all.iter_mut() {
            let Some(is_named) = carried.get(&connection.interface) else { continue };
            if by == By::Kernel && change == Change::Up && !is_named && connection.interrupted.is_none() {
                // It was helped when its own interface came up.
                continue;
            }
            touched += 1;
            match change {
                Change::Up => connection.owe(now),
                Change::Down => connection.interrupted = connection.interrupted.or(Some(now)),
            }
        }
        self.asks_standing |= change == Change::Down;
        let event = match change {
            Change::Down => "link-down",
            Change::Up => "link-up",
        };
        self.log.push(Line::new(event).with("link", link).with("by", by.name()).with("connections", touched));
    }

    /// How long from `now` until help continues that had to wait for room in the host's queues.
    pub fn resume_in(&self, now: Instant) -> Option<Duration> {
        self.pause_until.map(|until| until.saturating_since(now))
    }

    /// How long from `wall`, the time since 1970, until the schedule has something to say.
    pub fn wake_in(&self, wall: Instant) -> Option<Duration> {
        let after = self.scheduled_until.unwrap_or(wall);
        let next = |it: &Reconfigurations| {
            let announcement =
                self.announce_before(&it.interface).map(|lead| it.next_announcement(after, lead));
            announcement.into_iter().chain([it.next(after).at]).min()
        };
        let next = self.settings.reconfigurations.iter().filter_map(next).min()?;
        Some(next.saturating_since(wall))
    }

    /// Carry out what the schedule says until `wall`, the time since 1970. Of outages that were slept through only the last counts.
    pub fn wake(&mut self, now: Instant, wall: Instant) {
        let since = self.scheduled_until.replace(wall).unwrap_or(wall);
        let mut due: Vec<(Instant, u32, Change)> = Vec::new();
        let mut announced = Vec::new();
        for it in &self.settings.reconfigurations {
            let Some(index) = self.links.index(&it.interface) else { continue };
            let mut after = since.max(wall - it.every);
            loop {
                let next = it.next(after);
                if next.at > wall {
                    break;
                }
                due.push((next.at, index, if next.is_up { Change::Up } else { Change::Down }));
                after = next.at;
            }
            if let Some(lead) = self.announce_before(&it.interface)
                && it.next_announcement(since, lead) <= wall
            {
                announced.push((index, now + it.next_outage(wall).saturating_since(wall)));
            }
        }
        due.sort_by_key(|(at, ..)| *at);
        for (_, index, change) in due {
            self.changed(now, index, change, By::Schedule);
        }
        announced.into_iter().for_each(|(index, lost_at)| self.announce(index, lost_at));
    }

    /// The connections that are known.
    pub fn connections(&self) -> &BTreeMap<Key, Connection> {
        &self.connections.all
    }

    /// What has been done.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}
