//! An interface where packets leave the emulated network.

use crate::edge::{self, NotBytes};
use crate::system::netlink::dropped;
use crate::system::{Namespace, Tun};
use seamline_wire::Packet;
use std::io;

/// An interface of a namespace, and what did not get through it, where nothing is meant to be lost.
#[derive(Debug)]
pub(crate) struct Outlet {
    /// The interface.
    pub(crate) interface: Tun,
    /// Packets whose payload bytes are unknown.
    pub(crate) payload_unknown: u64,
    /// Packets that could not be handed to it: no room in the kernel.
    refused: u64,
    written: Vec<u8>,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// It was handed over, or lost there.
    Taken,
    /// It is nothing that an interface of a host would carry.
    NotForHosts,
}

impl Outlet {
    /// A new interface inside the namespace, still down.
    pub(crate) fn open(namespace: &Namespace, name: &str) -> io::Result<Self> {
        let interface = Tun::open(namespace, name)?;
        Ok(Outlet { interface, payload_unknown: 0, refused: 0, written: Vec::new() })
    }

    /// Put a packet that has come through the emulated network on the interface.
    pub(crate) fn deliver(&mut self, packet: &Packet) -> io::Result<Delivered> {
        match edge::bytes_of(packet, &mut self.written) {
            Ok(bytes) => self.refused += u64::from(!self.interface.write(bytes)?),
            Err(NotBytes::PayloadUnknown) => self.payload_unknown += 1,
            Err(NotBytes::NotForHosts) => return Ok(Delivered::NotForHosts),
        }
        Ok(Delivered::Taken)
    }

    /// Packets lost at it, on the way in or out.
    pub(crate) fn lost(&self, namespace: &Namespace) -> io::Result<u64> {
        Ok(self.refused + dropped(namespace, &self.interface.name)?.sent)
    }
}
