//! A command in place of an agent of a scenario: a middlebox (RFC 3234), which all packets of a link pass between two interfaces of a
//! namespace.

mod probe;

use crate::edge::{self, NotBytes};
use crate::site::{ANYWHERE, FORWARDING_OF_IPV6, QUEUE_PACKETS, host_addresses};
use crate::stacks::Refusal;
use crate::system::netlink::{Interface, bring_up_loopback, dropped};
use crate::system::{Command, Namespace, Running, Tun, explained, processes, settings};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_agent::{Role, WIRED, WIRELESS};
use seamline_scenario::live::{self, Live};
use seamline_scenario::schema::{AgentPlace, AgentSpec, Scenario};
use seamline_wire::codec::IpVersion;
use seamline_wire::{Packet, Port};
use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// Its interfaces, by the ports of agents.
const INTERFACES: [&str; 2] = ["wired0", "wireless0"];
/// The ports of agents, in the order of the interfaces.
pub(crate) const PORTS: [Port; 2] = [WIRED, WIRELESS];
/// How long it has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long until it is asked again, in milliseconds.
const ASK_AGAIN: u16 = 1000;

/// Which command stands in an agent's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlace {
    /// The agent's name in the scenario.
    pub agent: String,
    /// The command, and its arguments.
    pub command: Vec<OsString>,
}

/// A middlebox at work. It ends with this value.
#[derive(Debug)]
pub(crate) struct Middlebox {
    /// The agent in whose place it is, by its number in the scenario's list.
    pub(crate) agent: usize,
    /// Where it is.
    pub(crate) namespace: Arc<Namespace>,
    pub(crate) interfaces: [Tun; 2],
    /// Packets with payload whose bytes nobody knows.
    pub(crate) payload_unknown: u64,
    running: Running,
    /// Packets that the kernel had no room for.
    refused: u64,
    written: Vec<u8>,
}

impl Middlebox {
    /// Begin it in a namespace of its own, and wait until packets pass.
    ///
    /// # Errors
    /// When the command cannot be started, or nothing passes within ten seconds.
    pub(crate) fn new(
        live: &Live<'_>,
        agent: usize,
        in_place: &InPlace,
        version: IpVersion,
    ) -> io::Result<Self> {
        let scenario = live.scenario();
        let namespace = Arc::new(Namespace::new()?);
        let behind = nodes_behind(scenario, &scenario.agents[agent]);
        let is_router = scenario.agents[agent].kind.is_some_and(|kind| kind.ends_connections);
        let interfaces = set_up(&namespace, crate::ends::mtu(scenario, version), &behind, is_router)?;
        let running = command(in_place, &scenario.agents[agent]).start(&namespace)?;
        // Whatever fails from here on, what the command has started ends with this value.
        let mut middlebox = Middlebox {
            agent,
            namespace,
            interfaces,
            payload_unknown: 0,
            running,
            refused: 0,
            written: Vec::new(),
        };
        let ends = |is_behind: bool| live.doors().into_iter().find(|node| behind.contains(node) == is_behind);
        if let (Some(wired), Some(wireless)) = (ends(false), ends(true)) {
            let probe = probe::Probe { ends: [wired, wireless].map(live::node_id), version, is_router };
            probe.await_passage(&middlebox.interfaces, &mut middlebox.running).map_err(|error| {
                explained(error, format_args!("the command in place of agent {:?}", in_place.agent))
            })?;
        }
        Ok(middlebox)
    }

    /// A packet has reached it at one of its sides.
    ///
    /// # Errors
    /// When the interface is gone.
    pub(crate) fn deliver(&mut self, side: usize, packet: &Packet) -> io::Result<()> {
        match edge::bytes_of(packet, &mut self.written) {
            Ok(bytes) => self.refused += u64::from(!self.interfaces[side].write(bytes)?),
            Err(NotBytes::PayloadUnknown) => self.payload_unknown += 1,
            Err(NotBytes::NotForHosts) => {}
        }
        Ok(())
    }

    /// Packets lost at its interfaces, where nothing is meant to be lost.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub(crate) fn lost(&self) -> io::Result<u64> {
        let sent = INTERFACES.map(|name| dropped(&self.namespace, name).map(|dropped| dropped.sent));
        sent.into_iter().try_fold(self.refused, |lost, sent| Ok(lost + sent?))
    }

    /// Whether its command still runs: without it nothing passes.
    ///
    /// # Errors
    /// When it has ended, with its exit code.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        match self.running.try_wait()? {
            None => Ok(()),
            Some(code) => Err(io::Error::other(format!(
                "the command in place of agent number {} has ended with exit code {code}",
                self.agent + 1
            ))),
        }
    }
}

/// Can be read from when its command has ended.
impl AsFd for Middlebox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.running.as_fd()
    }
}

impl Drop for Middlebox {
    fn drop(&mut self) {
        // Some end what they have open first, and at once when they are asked again.
        let _ = self.running.ask_to_end();
        let _ =
            poll(&mut [PollFd::new(self.running.as_fd(), PollFlags::POLLIN)], PollTimeout::from(ASK_AGAIN));
        let _ = self.running.terminate(GRACE);
        // What it has started itself.
        let _ = processes::end_all(&[&self.namespace], GRACE);
    }
}

/// The agents of a scenario in whose places commands stand, by their numbers, each with its command. Where nobody stands
/// (`kind = "none"`), no command does.
///
/// # Errors
/// When there is no agent of that name, or it is at a cell.
pub(crate) fn placed<'a>(
    scenario: &Scenario,
    in_place: &'a [InPlace],
) -> Result<Vec<(usize, &'a InPlace)>, Refusal> {
    let mut placed = Vec::new();
    for it in in_place {
        let found = scenario.agents.iter().position(|spec| spec.name == it.agent);
        let number = found.ok_or_else(|| unknown(scenario, &it.agent))?;
        let spec = &scenario.agents[number];
        if matches!(spec.at, AgentPlace::Cell(_)) {
            return Err(Refusal(format!(
                "agent {:?} is at a cell, and a command can take the place of an agent at a link only",
                it.agent
            )));
        }
        if spec.kind.is_some() {
            placed.push((number, it));
        }
    }
    Ok(placed)
}

fn unknown(scenario: &Scenario, name: &str) -> Refusal {
    let names: Vec<&str> = scenario.agents.iter().map(|spec| spec.name.as_str()).collect();
    let tip = match names.as_slice() {
        [] => "it has none; an [[agent]] says where the command is to stand".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    Refusal(format!("the scenario has no agent {name:?} whose place a command could take\ntip: {tip}"))
}

/// The nodes on the wireless side of an agent: those that are reached from the end of its link without the link.
fn nodes_behind(scenario: &Scenario, spec: &AgentSpec) -> Vec<usize> {
    let AgentPlace::Link(own) = spec.at else { return Vec::new() };
    let mut behind = vec![scenario.links[own].to];
    let mut next = 0;
    while let Some(&node) = behind.get(next) {
        next += 1;
        for (_, link) in scenario.links.iter().enumerate().filter(|(place, _)| *place != own) {
            for (near, far) in [(link.from, link.to), (link.to, link.from)] {
                if near == node && !behind.contains(&far) {
                    behind.push(far);
                }
            }
        }
    }
    behind
}

/// Both interfaces, with the way to what is on the wireless side by the one and to everything else by the other.
fn set_up(namespace: &Namespace, mtu: u32, behind: &[usize], is_router: bool) -> io::Result<[Tun; 2]> {
    bring_up_loopback(namespace)?;
    if is_router {
        settings::write(namespace, "ipv4/ip_forward", "1")?;
        if settings::has(namespace, FORWARDING_OF_IPV6)? {
            settings::write(namespace, FORWARDING_OF_IPV6, "1")?;
        }
    }
    let [wired, wireless] = INTERFACES;
    let interfaces = [Tun::open(namespace, wired)?, Tun::open(namespace, wireless)?];
    let setup = |name: &str, routes: Vec<(IpAddr, u8)>| Interface {
        name: name.to_owned(),
        mtu,
        queue_packets: QUEUE_PACKETS,
        addresses: Vec::new(),
        routes,
        congestion_control: None,
    };
    let hosts = behind.iter().flat_map(|node| host_addresses(live::node_id(*node)));
    setup(wired, ANYWHERE.to_vec()).bring_up(namespace)?;
    setup(wireless, hosts.collect()).bring_up(namespace)?;
    Ok(interfaces)
}

/// The command is told whose place it has, as `seamline agent` calls that.
fn command(in_place: &InPlace, spec: &AgentSpec) -> Command {
    let kind = spec.kind.map_or("none", |kind| kind.name);
    let kind = match spec.parameters.obtcp.role {
        _ if kind != "obtcp" => kind,
        Role::BaseStation => "obtcp-bs",
        Role::MobileRouter => "obtcp-mr",
    };
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let [wired, wireless] = INTERFACES;
    Command {
        arguments: in_place.command.clone(),
        environment: vec![
            pair("SEAMLINE_AGENT", &in_place.agent),
            pair("SEAMLINE_KIND", kind),
            pair("SEAMLINE_WIRED", wired),
            pair("SEAMLINE_WIRELESS", wireless),
        ],
        hosts: Vec::new(),
    }
}
