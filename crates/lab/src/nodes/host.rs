//! A host of the kernel's: a namespace joined to the simulated network by a pair of virtual Ethernet interfaces.

use crate::edge::{self, NotBytes};
use crate::site::{self, INTERFACE};
use crate::system::netlink::{PairEnd, bring_up_loopback, create_pair, time_departures};
use crate::system::packet_ring::ETHERNET;
use crate::system::{Namespace, PacketRing};
use crate::tap::Tap;
use seamline_host::interface::turn_off_send_offload;
use seamline_wire::codec::IpVersion;
use seamline_wire::{NodeId, Packet};
use std::io;
use std::sync::Arc;

/// Locally administered addresses (IEEE 802): of the host's end, and of the other.
const NEAR: [u8; 6] = [2, 0, 0, 0, 0, 1];
const FAR: [u8; 6] = [2, 0, 0, 0, 0, 2];

#[derive(Debug)]
pub(super) struct Host {
    /// The index of its node in the scenario.
    pub(super) node: usize,
    pub(super) namespace: Arc<Namespace>,
    /// What it has sent.
    pub(super) sent: PacketRing,
    pub(super) tap: Tap,
    /// Packets whose payload bytes are unknown.
    pub(super) payload_unknown: u64,
    scratch: Vec<u8>,
}

impl Host {
    /// Make it. The other end of its interface is in the `hub`. `memory` bytes are for what it has sent.
    pub(super) fn new(
        node: usize,
        id: NodeId,
        mtu: u32,
        hub: &Namespace,
        sysctls: &[(String, String)],
        memory: usize,
    ) -> io::Result<Self> {
        let namespace = Arc::new(Namespace::new()?);
        bring_up_loopback(&namespace)?;
        let far_name = format!("node{}", id.0);
        let near = PairEnd { namespace: &namespace, name: INTERFACE, address: NEAR };
        create_pair([near, PairEnd { namespace: hub, name: &far_name, address: FAR }])?;
        namespace.within(|| turn_off_send_offload(INTERFACE))?;
        site::way_nowhere(&far_name, mtu).bring_up(hub)?;
        time_departures(hub, &far_name)?;
        let sent = PacketRing::open(hub, &far_name, mtu, memory)?;
        site::way_of_host(id, mtu, None).bring_up(&namespace)?;
        site::set_as_host(&namespace, sysctls)?;
        let tap = Tap::default();
        Ok(Host { node, namespace, sent, tap, payload_unknown: 0, scratch: Vec::new() })
    }

    /// The frame that brings a packet to it.
    ///
    /// # Errors
    /// When there is no such frame.
    pub(super) fn frame(&mut self, packet: &Packet) -> Result<Vec<u8>, NotBytes> {
        let bytes = edge::bytes_of(packet, &mut self.scratch)?;
        let mut frame = Vec::with_capacity(ETHERNET + bytes.len());
        frame.extend(NEAR);
        frame.extend(FAR);
        frame.extend(ether_type(bytes).to_be_bytes());
        frame.extend(bytes);
        Ok(frame)
    }
}

fn ether_type(packet: &[u8]) -> u16 {
    let number = match IpVersion::of(packet) {
        Ok(IpVersion::V6) => libc::ETH_P_IPV6,
        _ => libc::ETH_P_IP,
    };
    number as u16
}
