//! Flows that the agent leaves alone: the kernel forwards their packets without showing them to it.
//!
//! Each has one place, found by its number. Of two flows at one place only the newer one is known, and the other one's packets are shown to
//! the agent, which forwards them as well.

use super::words::LEFT_ALONE;
use crate::engine::Flow;
use seamline_host::bpf::SharedWords;
use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::atomic::Ordering;

/// How many bits number the places: some for each of the 65,536 connections that there is room for by default.
pub(super) const BITS: u32 = 17;
pub(super) const PLACES: usize = 1 << BITS;

/// What flows are told apart by. Nobody who does not know it can make two flows that have the same number.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) halves: [u64; 2],
    pub(super) port: u64,
    pub(super) end: u64,
    pub(super) vlan: u64,
}

impl Secret {
    /// # Errors
    /// When the kernel's random numbers cannot be read.
    pub(super) fn new() -> io::Result<Self> {
        let mut bytes = [0; 5 * 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        // Odd numbers keep all bits of what they are multiplied with.
        let [one, other, port, end, vlan] = [0, 1, 2, 3, 4].map(|number| half(&bytes, number) | 1);
        Ok(Secret { halves: [one, other], port, end, vlan })
    }

    /// The number of a flow, the same for both directions. Zero names none.
    fn number(&self, Flow { ends, vlan }: &Flow) -> u64 {
        let of_vlan = u64::from(*vlan).wrapping_mul(self.vlan);
        ends.iter().map(|(ip, port)| self.end(*ip, *port)).fold(of_vlan, u64::wrapping_add)
    }
    fn end(&self, ip: IpAddr, port: u16) -> u64 {
        let port = u64::from(u16::from_ne_bytes(port.to_be_bytes()));
        let sum = self.folded(ip).wrapping_add(port.wrapping_mul(self.port));
        (sum ^ sum >> 32).wrapping_mul(self.end)
    }
    fn folded(&self, ip: IpAddr) -> u64 {
        let halves = match ip {
            IpAddr::V4(ip) => [u32::from_ne_bytes(ip.octets()).into(), 0],
            IpAddr::V6(ip) => [0, 1].map(|number| half(&ip.octets(), number)),
        };
        halves[0].wrapping_mul(self.halves[0]).wrapping_add(halves[1].wrapping_mul(self.halves[1]))
    }
}

/// Of bytes in memory, a number of 64 bits as a processor reads it.
fn half(bytes: &[u8], number: usize) -> u64 {
    let (halves, _) = bytes.as_chunks();
    u64::from_ne_bytes(halves[number])
}

/// The agent leaves this flow alone until it looks at all flows again, or the flow begins with a SYN.
pub(super) fn leave_alone(words: &SharedWords, secret: &Secret, flow: &Flow) {
    let number = secret.number(flow);
    words.word(LEFT_ALONE + (number >> (64 - BITS)) as usize).store(number, Ordering::Relaxed);
}

/// The agent looks at all flows again.
pub(super) fn forget(words: &SharedWords) {
    (0..PLACES).for_each(|place| words.word(LEFT_ALONE + place).store(0, Ordering::Relaxed));
}
