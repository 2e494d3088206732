//! News of interfaces, addresses and routes (rtnetlink(7)).

use super::explained;
use crate::links::Described;
use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

/// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV6_ROUTE`.
const GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
/// Room for what the kernel says at once; a dump's parts are at most 32 KiB.
const ROOM: usize = 64 * 1024;

/// One piece of news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// An interface is there, and is like this.
    Link(Described),
    /// It is gone.
    Gone(u32),
    /// An address of an interface can be used, or can no longer.
    Address(u32, IpAddr, bool),
    /// Some route has changed.
    Routes,
    /// The kernel had more to say than there was room for: everything is to be asked for again.
    Missed,
}

/// A socket at which they arrive.
#[derive(Debug)]
pub struct Watch {
    socket: Socket,
}

impl Watch {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn open() -> io::Result<Self> {
        let made = Socket::new(NETLINK_ROUTE).and_then(|mut socket| {
            socket.bind(&SocketAddr::new(0, GROUPS))?;
            socket.set_non_blocking(true)?;
            Ok(Watch { socket })
        });
        made.map_err(|error| explained(error, "watching interfaces (rtnetlink)"))
    }

    /// Everything as it is now.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub fn everything() -> io::Result<Vec<News>> {
        let mut news = dump(RouteNetlinkMessage::GetLink(LinkMessage::default()))?;
        for family in [AddressFamily::Inet, AddressFamily::Inet6] {
            let mut question = AddressMessage::default();
            question.header.family = family;
            news.extend(dump(RouteNetlinkMessage::GetAddress(question))?);
        }
        Ok(news)
    }

    /// What has come since; nothing when nothing waits.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn receive(&self) -> io::Result<Vec<News>> {
        let mut news = Vec::new();
        let mut room = Vec::with_capacity(ROOM);
        loop {
            room.clear();
            match self.socket.recv(&mut room, 0) {
                Ok(_) => {
                    read(&room, &mut news)?;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(news),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => news.push(News::Missed),
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

/// Ask for all of a kind.
fn dump(question: RouteNetlinkMessage) -> io::Result<Vec<News>> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let mut request = NetlinkMessage::new(header, NetlinkPayload::from(question));
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut news = Vec::new();
    let mut room = Vec::with_capacity(ROOM);
    loop {
        room.clear();
        socket.recv(&mut room, 0)?;
        if read(&room, &mut news)? {
            return Ok(news);
        }
    }
}

/// Take in what came in one piece. Whether it was the end of a dump.
fn read(mut bytes: &[u8], news: &mut Vec<News>) -> io::Result<bool> {
    while !bytes.is_empty() {
        let message = NetlinkMessage::<RouteNetlinkMessage>::deserialize(bytes).map_err(io::Error::other)?;
        match message.payload {
            NetlinkPayload::Done(_) => return Ok(true),
            NetlinkPayload::Error(error) if error.code.is_some() => return Err(error.to_io()),
            NetlinkPayload::InnerMessage(inner) => news.extend(told(inner)),
            _ => {}
        }
        let length = (message.header.length as usize).next_multiple_of(4).max(4);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    Ok(false)
}

fn told(message: RouteNetlinkMessage) -> Option<News> {
    match message {
        RouteNetlinkMessage::NewLink(link) => Some(News::Link(described(&link))),
        RouteNetlinkMessage::DelLink(link) => Some(News::Gone(link.header.index)),
        RouteNetlinkMessage::NewAddress(message) => address(&message, is_usable(&message)),
        RouteNetlinkMessage::DelAddress(message) => address(&message, false),
        RouteNetlinkMessage::NewRoute(_) | RouteNetlinkMessage::DelRoute(_) => Some(News::Routes),
        _ => None,
    }
}

fn described(link: &LinkMessage) -> Described {
    let name = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    });
    Described {
        index: link.header.index,
        name: name.unwrap_or_default(),
        is_running: link.header.flags.contains(LinkFlags::Up | LinkFlags::Running),
        is_loopback: link.header.flags.contains(LinkFlags::Loopback),
    }
}

/// Where both are given, the address is the peer's and the local one this host's.
fn address(message: &AddressMessage, is_usable: bool) -> Option<News> {
    let own = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Local(address) => Some(*address),
        _ => None,
    });
    let any = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Address(address) => Some(*address),
        _ => None,
    });
    Some(News::Address(message.header.index, own.or(any)?, is_usable))
}

/// Whether duplicate address detection (RFC 4862 section 5.4) has not found the address in use, and has ended or may be used meanwhile.
fn is_usable(message: &AddressMessage) -> bool {
    let all = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Flags(flags) => Some(*flags),
        _ => None,
    });
    let few = message.header.flags;
    let has = |wide: AddressFlags, narrow: AddressHeaderFlags| {
        all.map_or(few.contains(narrow), |all| all.contains(wide))
    };
    let is_tentative = has(AddressFlags::Tentative, AddressHeaderFlags::Tentative);
    let is_optimistic = has(AddressFlags::Optimistic, AddressHeaderFlags::Optimistic);
    let has_failed = has(AddressFlags::Dadfailed, AddressHeaderFlags::Dadfailed);
    !has_failed && (!is_tentative || is_optimistic)
}
