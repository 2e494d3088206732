//! What interfaces must be like for an agent: nobody else forwards their frames.

use seamline_host::interface::primary_name;
use seamline_host::lock::{Lock, WITHOUT};
use seamline_host::netlink::usage::{Address, Usage, usage};
use seamline_host::{Line, explained};
use std::io::{self, ErrorKind};

/// The interfaces of an agent, by their primary names. No other agent can have them meanwhile.
#[derive(Debug)]
pub(super) struct Claim {
    names: [String; 2],
    usages: [Usage; 2],
    locks: [Option<Lock>; 2],
}

impl Claim {
    /// # Errors
    /// If another agent has one of them, or one is missing or a port of another device.
    pub(super) fn new([wired, wireless]: &[String; 2]) -> io::Result<Self> {
        let names = [primary_name(wired)?, primary_name(wireless)?];
        let locks = [lock(&names[0])?, lock(&names[1])?];
        let usages = [usage(&names[0])?, usage(&names[1])?];
        names.iter().zip(&usages).try_for_each(|(name, usage)| refuse_port(name, usage))?;
        Ok(Claim { names, usages, locks })
    }

    /// A warning if other agents cannot be kept away.
    pub(super) fn warning(&self) -> Option<Line> {
        self.locks.iter().any(Option::is_none).then(|| Line::warning("warning").with("why", WITHOUT))
    }

    /// Warnings about addresses that the network assigns. They come and go by themselves: refusing them would leave the agent off after a restart.
    ///
    /// # Errors
    /// If an interface has an address that somebody has configured.
    pub(super) fn addresses(&self) -> io::Result<Vec<Line>> {
        let mut warnings = Vec::new();
        for (name, usage) in self.names.iter().zip(&self.usages) {
            let addresses = usage.addresses.iter().copied().filter(|address| !address.is_link_local());
            let (permanent, assigned): (Vec<_>, Vec<_>) = addresses.partition(Address::is_permanent);
            if !permanent.is_empty() {
                return Err(addressed(name, &permanent));
            }
            warnings.extend(assigned.iter().map(|address| assigned_address(name, address)));
        }
        Ok(warnings)
    }
}

fn lock(name: &str) -> io::Result<Option<Lock>> {
    Lock::take(&format!("agent-{name}")).map_err(|error| match error.kind() {
        ErrorKind::ResourceBusy => {
            let why = "another agent is at the interface already, and both would forward every frame";
            explained(error, format_args!("interface {name}: {why}"))
        }
        _ => explained(error, format_args!("interface {name}: checking for another agent")),
    })
}

fn refuse_port(name: &str, usage: &Usage) -> io::Result<()> {
    // A VRF forwards no frames: its ports are interfaces as others.
    let master = usage.master.as_ref().filter(|master| master.kind != "vrf");
    let Some(master) = master else { return Ok(()) };
    let why = format!(
        "interface {name} is a port of {}{}, which handles its frames, too; take it out: ip link set {name} nomaster",
        if master.kind.is_empty() { String::new() } else { format!("the {} ", master.kind) },
        master.name
    );
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

fn addressed(name: &str, addresses: &[Address]) -> io::Error {
    let listed: Vec<String> = addresses.iter().map(Address::to_string).collect();
    let commands: Vec<String> = addresses.iter().map(|address| removal(name, address)).collect();
    let why = format!(
        "interface {name} has the address {}, but the interfaces of a bridge serve the agent only (on a router, use `agent split`); \
         remove it: {}",
        listed.join(" and "),
        commands.join(" && ")
    );
    io::Error::new(ErrorKind::InvalidInput, why)
}

fn assigned_address(name: &str, address: &Address) -> Line {
    let command = match address.address.is_ipv4() {
        true => removal(name, address),
        false => format!("sysctl -w net/ipv6/conf/{name}/disable_ipv6=1"),
    };
    Line::warning("warning")
        .with("why", "the network has assigned the interface an address, but it is to serve the agent only")
        .with("interface", name)
        .with("address", address.to_string())
        .with("command", command)
}

fn removal(name: &str, address: &Address) -> String {
    format!("ip address delete {address} dev {name}")
}
