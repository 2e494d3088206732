//! Asking the kernel about a namespace's interfaces, one question at a time.

use crate::system::{Namespace, explained};
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use std::io;

/// A socket that was made inside a namespace and so speaks of its interfaces.
pub(super) struct Connection {
    socket: Socket,
}

impl Connection {
    pub(super) fn open(namespace: &Namespace) -> io::Result<Self> {
        let socket = namespace.within(|| {
            let mut socket = Socket::new(NETLINK_ROUTE)?;
            socket.bind_auto()?;
            socket.connect(&SocketAddr::new(0, 0))?;
            Ok(socket)
        });
        socket
            .map(|socket| Connection { socket })
            .map_err(|error| explained(error, "asking for the interfaces of a namespace"))
    }

    /// The interface of that name, as it is now.
    pub(super) fn link(&self, name: &str) -> io::Result<LinkMessage> {
        let mut question = LinkMessage::default();
        question.attributes.push(LinkAttribute::IfName(name.to_owned()));
        match self.ask(RouteNetlinkMessage::GetLink(question), NLM_F_REQUEST)? {
            Some(RouteNetlinkMessage::NewLink(link)) => Ok(link),
            other => Err(io::Error::other(format!("the kernel answered {other:?} instead of an interface"))),
        }
    }

    /// Make or change something, and wait until it is done.
    pub(super) fn change(&self, message: RouteNetlinkMessage) -> io::Result<()> {
        // An interface may only be found, never made by asking for it.
        let make = match message {
            RouteNetlinkMessage::SetLink(_) => 0,
            _ => NLM_F_CREATE | NLM_F_REPLACE,
        };
        self.ask(message, NLM_F_REQUEST | NLM_F_ACK | make).map(|_| ())
    }

    /// The kernel's answer; `None` when it only says that it has done what was asked.
    fn ask(&self, message: RouteNetlinkMessage, flags: u16) -> io::Result<Option<RouteNetlinkMessage>> {
        let mut header = NetlinkHeader::default();
        header.flags = flags;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(message));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;

        let (answer, _) = self.socket.recv_from_full()?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer).map_err(io::Error::other)?;
        match answer.payload {
            NetlinkPayload::InnerMessage(message) => Ok(Some(message)),
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            NetlinkPayload::Error(_) => Ok(None),
            other => Err(io::Error::other(format!("the kernel answered {other:?}"))),
        }
    }
}
