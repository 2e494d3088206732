//! Interfaces of a namespace: their addresses, routes and drop counters (rtnetlink).

use super::{ACKNOWLEDGE, CREATE_OR_REPLACE, ERROR, Requests, attribute, number, requests, word};
use crate::explained;
use crate::namespace::Namespace;
use netlink_sys::protocols::NETLINK_ROUTE;
use std::io;
use std::net::IpAddr;
use std::os::fd::AsFd;

/// `IFLA_STATS64`, and in `struct rtnl_link_stats64` the offsets of `rx_dropped` and `tx_dropped`.
const COUNTERS: u16 = 23;
const RECEIVED_DROPPED: usize = 6 * 8;
const SENT_DROPPED: usize = 7 * 8;
/// Bytes of `struct ifinfomsg`, and the offset of the index in it.
const LINK_HEADER: usize = 16;
const INDEX: usize = 4;

/// What an interface shall be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The longest IP packet, in bytes.
    pub mtu: u32,
    /// Packets that may wait in it (`txqueuelen`); a TUN device drops packets while that many wait to be read.
    pub queue_packets: u32,
    /// Its addresses, each with the length of its on-link prefix.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Destinations routed over it, each an address and a prefix length; 0 is the default route.
    pub routes: Vec<(IpAddr, u8)>,
    /// The congestion control of connections over these routes that choose none themselves. It may be one that the host does not allow as a
    /// namespace's default. `None`: the namespace's default.
    pub congestion_control: Option<String>,
}

/// Packets that an interface has dropped since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Packets for the namespace that it could not accept.
    pub received: u64,
    /// Packets from the namespace that were not read in time: a TUN device's queue was full.
    pub sent: u64,
}

impl Interface {
    /// Configure the interface, which must exist, and bring it up. It gets exactly the addresses listed, usable at once: no IPv6 address is
    /// generated, and there is no duplicate address detection. IPv6 addresses and routes are left out where the interface cannot have IPv6:
    /// its MTU is below 1280 bytes (RFC 8200 section 5), or the kernel runs without it.
    ///
    /// # Errors
    /// When there is no such interface, or the kernel refuses something; the message says what.
    pub fn bring_up(&self, namespace: &Namespace) -> io::Result<()> {
        let requests = open(namespace)?;
        let index = self.tried("find", "it", find(&requests, &self.name))?.index;
        let ask = |what: &str, of: &dyn std::fmt::Display, message| {
            self.tried(what, of, change(&requests, message))
        };
        ask("set the MTU and queue of", &"it", requests::shape(index, self.mtu, self.queue_packets))?;
        let quiet = change(&requests, requests::no_generated_addresses(index));
        let mut has_ipv6 =
            quiet.as_ref().map_or_else(|error| error.raw_os_error() != Some(libc::EAFNOSUPPORT), |()| true);
        if has_ipv6 {
            self.tried("stop generated IPv6 addresses of", "it", quiet)?;
        }
        for &(address, prefix_length) in &self.addresses {
            if address.is_ipv6() && !has_ipv6 {
                continue;
            }
            let shown = format!("{address}/{prefix_length}");
            let added = change(&requests, requests::address(index, address, prefix_length));
            // The answer of a kernel started with ipv6.disable_ipv6=1.
            if address.is_ipv6()
                && added.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EACCES))
            {
                has_ipv6 = false;
                continue;
            }
            self.tried("add the address", &shown, added)?;
        }
        ask("bring up", &"it", requests::up(index))?;
        let possible = |(destination, _): &&(IpAddr, u8)| has_ipv6 || destination.is_ipv4();
        for &(destination, prefix_length) in self.routes.iter().filter(possible) {
            let shown = format!("{destination}/{prefix_length}");
            ask(
                "add the route to",
                &shown,
                requests::route(index, destination, prefix_length, self.congestion_control.as_deref()),
            )?;
        }
        Ok(())
    }

    fn tried<T>(&self, what: &str, of: impl std::fmt::Display, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| explained(error, format_args!("interface {}: cannot {what} {of}", self.name)))
    }
}

/// One end of a pair of virtual Ethernet interfaces.
#[derive(Clone, Copy, Debug)]
pub struct PairEnd<'a> {
    /// Where it is.
    pub namespace: &'a Namespace,
    /// Its name there.
    pub name: &'a str,
    /// Its Ethernet address.
    pub address: [u8; 6],
}

/// Create two virtual Ethernet interfaces (veth) without address resolution. What one sends arrives at the other. Both are down.
///
/// # Errors
/// When the kernel lacks them, a name is taken, or the process may not create interfaces in the first namespace.
pub fn create_pair([near, far]: [PairEnd<'_>; 2]) -> io::Result<()> {
    let requests = open(near.namespace)?;
    let halves = [near, far].map(|end| (end.name, end.address));
    change(&requests, requests::pair(halves, far.namespace.as_fd()))
        .map_err(|error| explained(error, format_args!("creating interfaces {} and {}", near.name, far.name)))
}

/// Let packets with a time of departure (`SCM_TXTIME`, by `CLOCK_MONOTONIC`) leave an interface exactly then.
///
/// # Errors
/// When the kernel has no fq.
pub fn time_departures(namespace: &Namespace, name: &str) -> io::Result<()> {
    let requests = open(namespace)?;
    let set =
        find(&requests, name).and_then(|link| change(&requests, requests::timed_departures(link.index)));
    set.map_err(|error| explained(error, format_args!("timing departures at interface {name}")))
}

/// The number of an interface.
///
/// # Errors
/// When there is none of that name.
pub fn index(namespace: &Namespace, name: &str) -> io::Result<u32> {
    let link = open(namespace).and_then(|requests| find(&requests, name));
    link.map(|link| link.index).map_err(|error| explained(error, format_args!("finding interface {name}")))
}

/// Bring up the loopback interface, which is down in a new namespace.
///
/// # Errors
/// When the process may not do that.
pub fn bring_up_loopback(namespace: &Namespace) -> io::Result<()> {
    let requests = open(namespace)?;
    let loopback = find(&requests, "lo").and_then(|link| change(&requests, requests::up(link.index)));
    loopback.map_err(|error| explained(error, "bringing up the loopback interface"))
}

/// Packets that the interface has dropped so far; zero when a process inside has removed or renamed it.
///
/// # Errors
/// When the kernel cannot be asked.
pub fn dropped(namespace: &Namespace, name: &str) -> io::Result<Dropped> {
    let requests = open(namespace)?;
    let link = match find(&requests, name) {
        Err(error) if error.raw_os_error() == Some(libc::ENODEV) => return Ok(Dropped::default()),
        link => link.map_err(|error| explained(error, format_args!("counters of interface {name}")))?,
    };
    link.dropped.ok_or_else(|| io::Error::other(format!("interface {name} has no counters")))
}

/// What the kernel reports of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its number.
    pub index: u32,
    /// Packets that it has dropped.
    pub dropped: Option<Dropped>,
    /// The number of the device that it is a port of, and that device's kind.
    pub master: Option<(u32, String)>,
}

/// A socket that speaks of the interfaces of a namespace, because it was created inside.
fn open(namespace: &Namespace) -> io::Result<Requests> {
    let opened = namespace.within(|| Requests::open(NETLINK_ROUTE));
    opened.map_err(|error| explained(error, "asking for the interfaces of a namespace"))
}

pub(super) fn find(requests: &Requests, name: &str) -> io::Result<Link> {
    let (kind, body) = requests::find(name);
    requests.ask(kind, 0, &body, |message| {
        if let Some(code) = message.error() {
            return Err(io::Error::from_raw_os_error(code));
        }
        let link = (message.kind == libc::RTM_NEWLINK).then(|| Link::parse(message.body)).flatten();
        link.map(Some).ok_or_else(|| {
            io::Error::other(format!("the kernel answered {:?} instead of an interface", message.kind))
        })
    })
}

impl Link {
    /// Read a `struct ifinfomsg` and its attributes; `None` if they are malformed.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let index = word(body, INDEX)?;
        let attributes = body.get(LINK_HEADER..)?;
        let counters = attribute(attributes, COUNTERS);
        let counter = |at| counters.and_then(|counters| number(counters, at)).map(u64::from_ne_bytes);
        let dropped = counter(RECEIVED_DROPPED)
            .zip(counter(SENT_DROPPED))
            .map(|(received, sent)| Dropped { received, sent });
        Some(Link { index, dropped, master: master(attributes) })
    }
}

fn master(attributes: &[u8]) -> Option<(u32, String)> {
    let index = word(attribute(attributes, libc::IFLA_MASTER)?, 0)?;
    let info = attribute(attributes, libc::IFLA_LINKINFO);
    let kind = info.and_then(|info| attribute(info, libc::IFLA_INFO_SLAVE_KIND)).unwrap_or_default();
    let kind = String::from_utf8_lossy(kind.strip_suffix(&[0]).unwrap_or(kind)).into_owned();
    Some((index, kind))
}

/// Create or change something, and wait until it is done.
pub(super) fn change(requests: &Requests, (kind, body): requests::Request) -> io::Result<()> {
    // An interface may only be found, never created by a request for it.
    let create = if matches!(kind, libc::RTM_SETLINK | libc::RTM_DELTFILTER) { 0 } else { CREATE_OR_REPLACE };
    requests.ask(kind, ACKNOWLEDGE | create, &body, |message| match (message.kind, message.error()) {
        (_, Some(code)) => Err(io::Error::from_raw_os_error(code)),
        (ERROR, None) => Ok(Some(())),
        _ => Ok(None),
    })
}
