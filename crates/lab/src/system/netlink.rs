//! Interfaces of a namespace: their addresses, routes and counters, by the kernel's own protocol (rtnetlink).

mod connection;
mod messages;

use self::connection::Connection;
use super::{Namespace, explained};
use std::io;
use std::net::IpAddr;

/// What an interface shall be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The longest IP packet, in bytes.
    pub mtu: u32,
    /// How many packets may wait in it (`txqueuelen`); a TUN device drops what comes when that many wait to be read.
    pub queue_packets: u32,
    /// Its addresses, each with the length of the prefix that is reached without a router.
    pub addresses: Vec<(IpAddr, u8)>,
    /// What else is reached by it, each as an address and the length of its prefix; of length 0 it is the default route.
    pub routes: Vec<(IpAddr, u8)>,
    /// The congestion control of connections by these routes that ask for none: whatever the kernel has, also those that
    /// the host does not allow as a namespace's default. `None`: the namespace's default.
    pub congestion_control: Option<String>,
}

/// Packets that an interface lost since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Packets for the namespace that it could not take in.
    pub received: u64,
    /// Packets that the namespace sent and nobody took: a TUN device's queue was full.
    pub sent: u64,
}

impl Interface {
    /// Give the interface, which must exist, all that it shall have. The only addresses it gets are those listed, at once and
    /// for good: none for IPv6 is made up or looked for elsewhere on the link first. Where it cannot have IPv6 at all, because its MTU
    /// is below 1280 bytes (RFC 8200 section 5) or the kernel goes without, those of IPv6 are left out.
    ///
    /// # Errors
    /// When there is none of that name, or the kernel refuses something: the message says what.
    pub fn bring_up(&self, namespace: &Namespace) -> io::Result<()> {
        let connection = Connection::open(namespace)?;
        let index = self.tried("find", "it", connection.link(&self.name))?.header.index;
        let ask = |what: &str, of: &dyn std::fmt::Display, message| {
            self.tried(what, of, connection.change(message))
        };
        ask("set the MTU and queue of", &"it", messages::shape(index, self.mtu, self.queue_packets))?;
        let quiet = connection.change(messages::no_own_addresses(index));
        let mut has_ipv6 =
            quiet.as_ref().map_or_else(|error| error.raw_os_error() != Some(libc::EAFNOSUPPORT), |()| true);
        if has_ipv6 {
            self.tried("stop made-up IPv6 addresses of", "it", quiet)?;
        }
        for &(address, prefix_length) in &self.addresses {
            if address.is_ipv6() && !has_ipv6 {
                continue;
            }
            let shown = format!("{address}/{prefix_length}");
            let added = connection.change(messages::address(index, address, prefix_length));
            // So answers a kernel that was started with ipv6.disable_ipv6=1.
            if address.is_ipv6()
                && added.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EACCES))
            {
                has_ipv6 = false;
                continue;
            }
            self.tried("add the address", &shown, added)?;
        }
        ask("bring up", &"it", messages::up(index))?;
        let possible = |(destination, _): &&(IpAddr, u8)| has_ipv6 || destination.is_ipv4();
        for &(destination, prefix_length) in self.routes.iter().filter(possible) {
            let shown = format!("{destination}/{prefix_length}");
            ask(
                "add the route to",
                &shown,
                messages::route(index, destination, prefix_length, self.congestion_control.as_deref()),
            )?;
        }
        Ok(())
    }

    fn tried<T>(&self, what: &str, of: impl std::fmt::Display, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| explained(error, format_args!("interface {}: cannot {what} {of}", self.name)))
    }
}

/// Bring up the loopback interface, which a new namespace has but down.
///
/// # Errors
/// When the process may not.
pub fn bring_up_loopback(namespace: &Namespace) -> io::Result<()> {
    let connection = Connection::open(namespace)?;
    let loopback = connection.link("lo").and_then(|link| connection.change(messages::up(link.header.index)));
    loopback.map_err(|error| explained(error, "bringing up the loopback interface"))
}

/// How many packets the interface has dropped so far: none that is known of, when somebody inside has taken it away or renamed it.
///
/// # Errors
/// When the kernel cannot be asked.
pub fn dropped(namespace: &Namespace, name: &str) -> io::Result<Dropped> {
    let connection = Connection::open(namespace)?;
    let link = match connection.link(name) {
        Err(error) if error.raw_os_error() == Some(libc::ENODEV) => return Ok(Dropped::default()),
        link => link.map_err(|error| explained(error, format_args!("counters of interface {name}")))?,
    };
    messages::dropped(&link).ok_or_else(|| io::Error::other(format!("interface {name} has no counters")))
}
