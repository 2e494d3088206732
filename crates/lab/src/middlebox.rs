//! A command in place of an agent of a scenario: a middlebox (RFC 3234), which all packets of a link pass between two interfaces of a
//! namespace.

mod all;
mod places;
mod probe;

pub(crate) use all::Middleboxes;
pub use places::ExternalAgent;
pub(crate) use places::{has_place_for_all, placed};

use crate::outlet::Outlet;
use crate::run::LabError;
use crate::site::{set_forwarding, way_to_everywhere, way_to_hosts};
use crate::system::netlink::bring_up_loopback;
use crate::system::{Command, Namespace, Running};
use places::{Sides, sides};
use probe::Probe;
use seamline_agent::{Role, WIRED, WIRELESS};
use seamline_experiment::live::{self, Live};
use seamline_host::interface;
use seamline_scenario::schema::AgentSpec;
use seamline_wire::Port;
use seamline_wire::codec::IpVersion;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Its interfaces, by the ports of agents.
const INTERFACES: [&str; 2] = ["wired0", "wireless0"];
/// The ports of agents, in the order of the interfaces.
pub(crate) const PORTS: [Port; 2] = [WIRED, WIRELESS];

/// A middlebox.
#[derive(Debug)]
pub(crate) struct Middlebox {
    /// The agent in whose place it is, by its number in the scenario's list.
    pub(crate) agent: usize,
    /// Where it is.
    pub(crate) namespace: Arc<Namespace>,
    /// Its interfaces, by the ports of agents.
    pub(crate) outlets: [Outlet; 2],
    name: String,
    command: Command,
    probe: Probe,
    running: Option<Running>,
}

impl Middlebox {
    /// Its namespace and interfaces; the command does not run yet.
    fn new(
        live: &Live<'_>,
        agent: usize,
        external: &ExternalAgent,
        version: IpVersion,
    ) -> Result<Self, LabError> {
        let scenario = live.scenario();
        let spec = &scenario.agents[agent];
        let Sides { ends, behind } = sides(scenario, spec)?;
        let is_router = spec.kind.is_some_and(|kind| kind.ends_connections);
        let namespace = Arc::new(Namespace::new()?);
        let outlets = set_up(&namespace, crate::ends::mtu(scenario, version), &behind, is_router)?;
        Ok(Middlebox {
            agent,
            namespace,
            outlets,
            name: spec.name.clone(),
            command: command(external, spec, live.seed()),
            probe: Probe { ends: ends.map(live::node_id), version, is_router },
            running: None,
        })
    }

    /// Begin the command, and wait until packets pass. False after a request to stop.
    fn begin(&mut self, stop: &AtomicBool) -> Result<bool, LabError> {
        let running = self.running.insert(self.command.start(&self.namespace)?);
        let passes = self.probe.await_passage(self.outlets.each_ref().map(|it| &it.interface), running, stop);
        passes.map_err(|error| LabError::Failed(self.failed(&error.to_string())))
    }

    /// Packets lost at its interfaces.
    pub(crate) fn lost(&self) -> io::Result<u64> {
        self.outlets.iter().try_fold(0, |lost, outlet| Ok(lost + outlet.lost(&self.namespace)?))
    }

    /// What can be read from when its command has ended.
    pub(crate) fn end(&self) -> Option<BorrowedFd<'_>> {
        self.running.as_ref().map(AsFd::as_fd)
    }

    /// Whether its command still runs: without it nothing passes.
    ///
    /// # Errors
    /// When it has ended, with its exit code.
    pub(crate) fn check(&mut self) -> Result<(), LabError> {
        match self.running.as_mut().map_or(Ok(None), Running::try_wait)? {
            None => Ok(()),
            Some(code) => {
                Err(LabError::CommandEnded(self.failed(&format!("it has ended with exit code {code}"))))
            }
        }
    }

    fn failed(&self, why: &str) -> String {
        format!("the command in place of agent {:?}: {why}", self.name)
    }
}

/// Both interfaces, with the way to what is on the wireless side by the one and to everything else by the other.
fn set_up(namespace: &Namespace, mtu: u32, behind: &[usize], is_router: bool) -> io::Result<[Outlet; 2]> {
    bring_up_loopback(namespace)?;
    // Where the kernel forwarded as well, every packet would arrive twice.
    set_forwarding(namespace, is_router)?;
    let [wired, wireless] = INTERFACES;
    let outlets = [Outlet::open(namespace, wired)?, Outlet::open(namespace, wireless)?];
    way_to_everywhere(wired, mtu).bring_up(namespace)?;
    way_to_hosts(wireless, mtu, behind.iter().map(|node| live::node_id(*node))).bring_up(namespace)?;
    // The command needs single packets as they were sent.
    namespace.within(|| INTERFACES.into_iter().try_for_each(interface::turn_off_receive_offload))?;
    Ok(outlets)
}

/// The command, with the agent's kind and role in its environment as `seamline-host agent` spells them; without a role, that is empty.
fn command(external: &ExternalAgent, spec: &AgentSpec, seed: u64) -> Command {
    let kind = spec.kind.map_or("none", |kind| kind.name);
    let role = match spec.parameters.obtcp.role {
        _ if kind != "obtcp" => "",
        Role::BaseStation => "base-station",
        Role::MobileRouter => "mobile-router",
    };
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let [wired, wireless] = INTERFACES;
    Command {
        arguments: external.command.clone(),
        environment: vec![
            pair("SEAMLINE_AGENT", &external.agent),
            pair("SEAMLINE_KIND", kind),
            pair("SEAMLINE_ROLE", role),
            pair("SEAMLINE_SEED", &seed.to_string()),
            pair("SEAMLINE_WIRED", wired),
            pair("SEAMLINE_WIRELESS", wireless),
        ],
        hosts: Vec::new(),
        is_apart: true,
    }
}
