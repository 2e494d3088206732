//! Changes of interfaces, addresses and routes (rtnetlink(7)).

use crate::links::Described;
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use seamline_host::netlink::{self, DONE, Message, ROOM, Requests, attribute, messages, usage, word};
use seamline_host::{explained, uninterrupted};
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

/// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV6_ROUTE`.
const GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;

/// A change, or the state at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// An interface exists, with these properties.
    Link(Described),
    /// An interface was removed.
    Gone(u32),
    /// An address of an interface has become usable, or unusable.
    Address(u32, IpAddr, bool),
    /// A route has changed.
    Routes,
    /// The socket's buffer overflowed: the whole state has to be read again.
    Missed,
}

/// A socket at which changes arrive.
#[derive(Debug)]
pub struct Watch {
    socket: Socket,
}

impl Watch {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// None expected.
    pub fn open() -> io::Result<Self> {
        let made = Socket::new(NETLINK_ROUTE).and_then(|mut socket| {
            socket.bind(&SocketAddr::new(0, GROUPS))?;
            socket.set_non_blocking(true)?;
            Ok(Watch { socket })
        });
        made.map_err(|error| explained(error, "watching interfaces (rtnetlink)"))
    }

    /// The current state.
    ///
    /// # Errors
    /// When the kernel does not report it.
    pub fn everything() -> io::Result<Vec<News>> {
        let requests = Requests::open(NETLINK_ROUTE)?;
        let of_links = [0; 16];
        let mut news = dump(&requests, libc::RTM_GETLINK, &of_links)?;
        for family in [libc::AF_INET, libc::AF_INET6] {
            news.extend(dump(&requests, libc::RTM_GETADDR, &[family as u8, 0, 0, 0, 0, 0, 0, 0])?);
        }
        Ok(news)
    }

    /// The changes since the last call. [`News::Missed`] comes last, so that all other news is older than the state which the caller then reads
    /// again.
    ///
    /// # Errors
    /// None expected.
    pub fn receive(&self) -> io::Result<Vec<News>> {
        let (mut news, mut missed) = (Vec::new(), None);
        let mut room = Vec::with_capacity(ROOM);
        loop {
            room.clear();
            match uninterrupted(|| self.socket.recv(&mut room, 0)) {
                Ok(_) => news.extend(messages(&room).filter_map(|message| News::parse(&message))),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    news.extend(missed);
                    return Ok(news);
                }
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => missed = Some(News::Missed),
                Err(error) => return Err(explained(error, "reading news of interfaces")),
            }
        }
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Request all objects of a kind.
fn dump(requests: &Requests, kind: u16, body: &[u8]) -> io::Result<Vec<News>> {
    /// After so many inconsistent dumps, the watch has to deliver the changes.
    const ATTEMPTS: u32 = 10;
    let mut news = Vec::new();
    for _ in 0..ATTEMPTS {
        let mut is_whole = true;
        news.clear();
        requests.ask(kind, netlink::DUMP, body, |message| {
            is_whole &= !message.is_interrupted();
            match (message.kind, message.error()) {
                (_, Some(code)) => return Err(io::Error::from_raw_os_error(code)),
                (DONE, None) => return Ok(Some(())),
                _ => news.extend(News::parse(message)),
            }
            Ok(None)
        })?;
        if is_whole {
            break;
        }
    }
    Ok(news)
}

impl News {
    /// The news in a message of rtnetlink; `None` if it is of another kind or malformed.
    pub fn parse(message: &Message<'_>) -> Option<Self> {
        match message.kind {
            libc::RTM_NEWLINK | libc::RTM_DELLINK => link(message),
            libc::RTM_NEWADDR | libc::RTM_DELADDR => address(message),
            libc::RTM_NEWROUTE | libc::RTM_DELROUTE => Some(News::Routes),
            _ => None,
        }
    }
}

/// A `struct ifinfomsg` and its attributes.
fn link(message: &Message<'_>) -> Option<News> {
    const LENGTH: usize = 16;
    let (body, rest) = message.body.split_at_checked(LENGTH)?;
    // A bridge reports its ports under a family of its own, and ports that leave it as removed links.
    if i32::from(body[0]) != libc::AF_UNSPEC {
        return None;
    }
    let index = word(body, 4)?;
    if message.kind == libc::RTM_DELLINK {
        return Some(News::Gone(index));
    }
    // An event of a wireless driver: it has only a name, and flags that were reported before.
    if attribute(rest, libc::IFLA_WIRELESS).is_some() {
        return None;
    }
    let flags = word(body, 8)?;
    let has = |flag: libc::c_int| flags & flag as u32 != 0;
    let name = attribute(rest, libc::IFLA_IFNAME)?;
    let name = name.strip_suffix(&[0]).unwrap_or(name);
    let other = |wanted| attribute(rest, wanted).and_then(|index| word(index, 0));
    // An index of another namespace means nothing here.
    let below =
        if attribute(rest, libc::IFLA_LINK_NETNSID).is_some() { None } else { other(libc::IFLA_LINK) };
    Some(News::Link(Described {
        index,
        name: String::from_utf8_lossy(name).into_owned(),
        is_running: has(libc::IFF_UP) && has(libc::IFF_RUNNING),
        is_loopback: has(libc::IFF_LOOPBACK),
        below: below.filter(|below| *below != index),
        above: other(libc::IFLA_MASTER),
    }))
}

fn address(message: &Message<'_>) -> Option<News> {
    let it = usage::address(message.body)?;
    let is_there = message.kind == libc::RTM_NEWADDR;
    Some(News::Address(it.index, it.address, is_there && is_usable(it.flags)))
}

/// Whether duplicate address detection (RFC 4862 section 5.4) allows using the address: it has succeeded, or the address is optimistic.
fn is_usable(flags: u32) -> bool {
    let has = |flag: u32| flags & flag != 0;
    !has(libc::IFA_F_DADFAILED) && (!has(libc::IFA_F_TENTATIVE) || has(libc::IFA_F_OPTIMISTIC))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of a link with these attributes.
    fn link_with(attributes: &[(u16, &[u8])]) -> Option<News> {
        let mut body = vec![0; 16];
        body[4] = 3;
        for (kind, value) in attributes {
            body.extend((value.len() as u16 + 4).to_ne_bytes());
            body.extend(kind.to_ne_bytes());
            body.extend(*value);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        News::parse(&messages(&netlink::request(libc::RTM_NEWLINK, 0, 0, &body)).next().unwrap())
    }

    #[test]
    fn an_event_of_a_wireless_driver_is_ignored() {
        let (name, below) =
            ((libc::IFLA_IFNAME, &b"wlan0.7\0"[..]), (libc::IFLA_LINK, &8_u32.to_ne_bytes()[..]));
        let Some(News::Link(link)) = link_with(&[name, below]) else { panic!("no link") };
        assert_eq!((link.index, link.name.as_str(), link.below), (3, "wlan0.7", Some(8)));
        assert_eq!(link_with(&[name, (libc::IFLA_WIRELESS, &[0; 8])]), None);
    }
}
