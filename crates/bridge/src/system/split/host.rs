//! Requirements on this host, and the limits that it sets.

use super::rules::BEGINNINGS;
use crate::system::files::OWN;
use seamline_host::interface::primary_name;
use seamline_host::process::open_files;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::{fs, io};

/// How many connections there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// At this number, new ones are forwarded unsplit.
    pub(super) connections: usize,
    /// The largest number, with those whose clients the kernel had already answered.
    pub(super) places: usize,
}

/// The loopback addresses of the IP versions that this host forwards, IPv4 first.
///
/// # Errors
/// If it forwards neither IP version: then there is nothing to split.
pub(super) fn forwarded() -> io::Result<Vec<IpAddr>> {
    let settings = [
        (Ipv4Addr::LOCALHOST.into(), "net/ipv4/ip_forward"),
        (Ipv6Addr::LOCALHOST.into(), "net/ipv6/conf/all/forwarding"),
    ];
    let forwarded = settings.into_iter().filter(|(_, setting)| number(setting) == Some(1));
    let addresses: Vec<IpAddr> = forwarded.map(|(address, _)| address).collect();
    if !addresses.is_empty() {
        return Ok(addresses);
    }
    Err(refused(
        "this host forwards no packets, so no connection goes through it: sysctl -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1",
    ))
}

/// New connections per second: a quarter of what listeners keep half-open, for about three seconds each.
///
/// # Errors
/// If all SYNs are answered with SYN cookies.
pub(super) fn beginnings() -> io::Result<u32> {
    if number("net/ipv4/tcp_syncookies") == Some(2) {
        return Err(refused(
            "this host answers every SYN with a SYN cookie; the rules cannot match the third packet of that handshake: \
             sysctl -w net.ipv4.tcp_syncookies=1",
        ));
    }
    let half_open = number("net/core/somaxconn").and_then(|most| u32::try_from(most).ok());
    Ok(half_open.map_or(BEGINNINGS, |most| BEGINNINGS.min(most / 4).max(1)))
}

/// The interfaces' primary names: rules match no alternative names.
///
/// # Errors
/// If one is missing, both are the same, or a name has a special meaning to `nft`.
pub(super) fn interfaces([wired, wireless]: &[String; 2]) -> io::Result<[String; 2]> {
    let (wired, wireless) = (interface(wired)?, interface(wireless)?);
    if wired == wireless {
        return Err(refused(&format!("both sides are the same interface, {wired}")));
    }
    Ok([wired, wireless])
}

fn interface(given: &str) -> io::Result<String> {
    let name = primary_name(given)?;
    if name.contains(['"', '*', '\\', char::REPLACEMENT_CHARACTER]) {
        let why =
            format!("nft cannot name the interface {name}: rename it (ip link set dev NAME name OTHER)");
        return Err(refused(&why));
    }
    Ok(name)
}

/// As many connections as asked for, or as this process may open sockets for.
///
/// # Errors
/// If it may open none.
pub(super) fn room(connections: usize, beginnings: u32) -> io::Result<Room> {
    let wanted = connections + beginnings as usize;
    let files = usize::try_from(open_files((2 * wanted + OWN) as u64)).unwrap_or(usize::MAX);
    let places = wanted.min(files.saturating_sub(OWN) / 2);
    if places == 0 {
        return Err(refused(&format!(
            "this process may open {files} files, which is too few for any connection: ulimit -n, or LimitNOFILE= of systemd"
        )));
    }
    Ok(Room { connections: connections.min(places), places })
}

fn number(name: &str) -> Option<u64> {
    fs::read_to_string(format!("/proc/sys/{name}")).ok()?.trim().parse().ok()
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
