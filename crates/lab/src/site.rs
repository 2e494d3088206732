//! A host of the lab: a namespace whose only way out is an interface into the emulated network.

use crate::edge;
use crate::outlet::Outlet;
use crate::system::netlink::{Interface, bring_up_loopback, dropped};
use crate::system::{Namespace, Tun, settings};
use crate::tap::Tap;
use crate::user_host::UserHost;
use seamline_wire::NodeId;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The interface that leads into the emulated network, as the namespace knows it.
pub(crate) const INTERFACE: &str = "seam0";
/// The interface behind which an endpoint of ours is.
pub(crate) const ENDPOINT_INTERFACE: &str = "tcp0";
/// Packets that may wait until the emulator takes them, and are lost beyond: more than any window, so that only emulated queues
/// lose packets. Some kernels (6.12.117) take no more: the length has to be below 32,768.
const QUEUE_PACKETS: u32 = 32_767;
const FORWARDING_OF_IPV6: &str = "ipv6/conf/all/forwarding";
/// Every address.
const ANYWHERE: [(IpAddr, u8); 2] =
    [(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0), (IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0)];

/// The TCP of a host.
#[derive(Debug)]
pub(crate) enum Stack {
    /// The kernel's. Its events are derived from its packets.
    Linux(Tap),
    /// Ours, behind an interface of its own: the kernel forwards its packets.
    Seamline(Box<UserHost>),
}

/// A host of the lab.
#[derive(Debug)]
pub(crate) struct Site {
    /// The index of its node in the scenario.
    pub(crate) node: usize,
    /// Where it is.
    pub(crate) namespace: Arc<Namespace>,
    /// Its way out.
    pub(crate) outlet: Outlet,
    /// Its TCP.
    pub(crate) stack: Stack,
}

impl Site {
    /// A namespace for a node, with its addresses and a route to everywhere through the emulated network. The kernel has
    /// them. `congestion_control` is for connections that ask for none.
    pub(crate) fn new(
        node: usize,
        id: NodeId,
        mtu: u32,
        congestion_control: Option<String>,
        sysctls: &[(String, String)],
    ) -> io::Result<Self> {
        let namespace = Arc::new(Namespace::new()?);
        bring_up_loopback(&namespace)?;
        let outlet = Outlet::open(&namespace, INTERFACE)?;
        way_of_host(id, mtu, congestion_control).bring_up(&namespace)?;
        set_as_host(&namespace, sysctls)?;
        Ok(Site { node, namespace, outlet, stack: Stack::Linux(Tap::default()) })
    }

    /// A namespace whose addresses belong to an endpoint of ours: the interface behind which it is to be.
    pub(crate) fn for_endpoint(node: usize, id: NodeId, mtu: u32) -> io::Result<(Self, Tun)> {
        let namespace = Arc::new(Namespace::new()?);
        bring_up_loopback(&namespace)?;
        set_forwarding(&namespace, true)?;
        let outlet = Outlet::open(&namespace, INTERFACE)?;
        let behind = Tun::open(&namespace, ENDPOINT_INTERFACE)?;
        way_to_everywhere(INTERFACE, mtu).bring_up(&namespace)?;
        way_to_hosts(ENDPOINT_INTERFACE, mtu, [id]).bring_up(&namespace)?;
        Ok((Site { node, namespace, outlet, stack: Stack::Linux(Tap::default()) }, behind))
    }

    /// Packets lost at its interfaces, where nothing is meant to be lost.
    pub(crate) fn lost(&self) -> io::Result<u64> {
        let mut lost = self.outlet.lost(&self.namespace)?;
        if let Stack::Seamline(host) = &self.stack {
            lost += host.refused + dropped(&self.namespace, ENDPOINT_INTERFACE)?.sent;
        }
        Ok(lost)
    }
}

/// What a host of the lab with the TCP of a kernel is set to, and what the scenario wants, by names as `sysctl -w` takes them.
pub(crate) fn set_as_host(namespace: &Namespace, sysctls: &[(String, String)]) -> io::Result<()> {
    // What TCP has learned of one connection must not change the next one.
    settings::write(namespace, "ipv4/tcp_no_metrics_save", "1")?;
    for (name, value) in sysctls {
        let path = name.trim_start_matches("net.").replace('.', "/");
        settings::write(namespace, &path, value)?;
    }
    Ok(())
}

/// The interface of a host, with its addresses and a route to everywhere. `congestion_control` is for connections that ask for none.
pub(crate) fn way_of_host(id: NodeId, mtu: u32, congestion_control: Option<String>) -> Interface {
    Interface { addresses: host_addresses(id), congestion_control, ..way_to_everywhere(INTERFACE, mtu) }
}

/// An interface by which nothing leaves but what is put on it.
pub(crate) fn way_nowhere(name: &str, mtu: u32) -> Interface {
    way(name, mtu, Vec::new())
}

/// Whether the namespace forwards packets between its interfaces: a new one does what the host does.
pub(crate) fn set_forwarding(namespace: &Namespace, forwards: bool) -> io::Result<()> {
    let value = if forwards { "1" } else { "0" };
    settings::write(namespace, "ipv4/ip_forward", value)?;
    if settings::has(namespace, FORWARDING_OF_IPV6)? {
        settings::write(namespace, FORWARDING_OF_IPV6, value)?;
    }
    Ok(())
}

/// An interface by which everything leaves that has no other way.
pub(crate) fn way_to_everywhere(name: &str, mtu: u32) -> Interface {
    way(name, mtu, ANYWHERE.to_vec())
}

/// An interface by which leaves what is for these hosts.
pub(crate) fn way_to_hosts(name: &str, mtu: u32, hosts: impl IntoIterator<Item = NodeId>) -> Interface {
    way(name, mtu, hosts.into_iter().flat_map(host_addresses).collect())
}

fn way(name: &str, mtu: u32, routes: Vec<(IpAddr, u8)>) -> Interface {
    Interface {
        name: name.to_owned(),
        mtu,
        queue_packets: QUEUE_PACKETS,
        addresses: Vec::new(),
        routes,
        congestion_control: None,
    }
}

fn host_addresses(id: NodeId) -> Vec<(IpAddr, u8)> {
    edge::addresses(id).map(|address| (address, if address.is_ipv4() { 32 } else { 128 })).to_vec()
}
