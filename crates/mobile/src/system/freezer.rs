//! Making the kernel say that receive windows are closed: an eBPF program behind each interface (TCX, since Linux 6.6), and tables of the
//! connections that are frozen.

use crate::connections::Key;
use libbpf_rs::{ErrorKind, Link, Map, MapCore, MapFlags, Object, ObjectBuilder};
use seamline_ebpf::{Aligned, attach_tcx, listen, reason};
use seamline_wire::Instant;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};

static PROGRAM: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/freeze.bpf.o")));

const NAME: &str = "seamline_freeze";
/// By connection: until when it is frozen, and the window that the kernel wanted to say.
const UNTIL: &str = "frozen_until";
const WANTED: &str = "wanted_windows";

/// Bytes of `struct connection` and `struct wanted` of the program.
const CONNECTION: usize = 36;
const NOTE: usize = 8;

/// The program in the kernel. It is attached to nothing any more once this value is gone, or the process, however it ends.
#[derive(Debug)]
pub struct Freezer {
    attached: BTreeMap<u32, Link>,
    object: Object,
}

impl Freezer {
    /// Load and verify it; at most so many connections are frozen at a time.
    ///
    /// # Errors
    /// When the process may not (it takes `CAP_BPF`, `CAP_PERFMON` and `CAP_NET_ADMIN`), or the kernel is older than Linux 6.6.
    pub fn open(most: usize) -> io::Result<Self> {
        let object = with_messages("loading the eBPF program that freezes", || {
            let mut open = ObjectBuilder::default().name(NAME)?.open_memory(&PROGRAM.0)?;
            for mut map in open.maps_mut() {
                if map.name() == UNTIL || map.name() == WANTED {
                    map.set_max_entries(u32::try_from(most).unwrap_or(u32::MAX))?;
                }
            }
            open.load()
        })?;
        Ok(Freezer { attached: BTreeMap::new(), object })
    }

    /// Have it look at every packet that leaves by an interface, from now on.
    ///
    /// # Errors
    /// When there is no such interface, or the process may not (it takes `CAP_NET_ADMIN`).
    pub fn attach(&mut self, interface: u32) -> io::Result<()> {
        if self.attached.contains_key(&interface) {
            return Ok(());
        }
        let program = self.object.progs_mut().find(|program| program.name() == NAME);
        let program = program.ok_or_else(|| io::Error::other(format!("no program {NAME}")))?;
        let link =
            with_messages("attaching the eBPF program that freezes", || attach_tcx(&program, interface))?;
        self.attached.insert(interface, link);
        Ok(())
    }

    /// The other interfaces are gone, and the kernel has detached the program from them.
    pub fn keep(&mut self, is_there: impl Fn(u32) -> bool) {
        self.attached.retain(|interface, _| is_there(*interface));
    }

    /// Close the window of a connection whose packets leave by an interface, until a time on the monotonic clock.
    ///
    /// # Errors
    /// When it is not attached there, or too many are frozen.
    pub fn close(&self, key: &Key, interface: u32, until: Instant) -> io::Result<()> {
        if !self.attached.contains_key(&interface) {
            return Err(io::Error::other("the eBPF program that freezes is not attached to its interface"));
        }
        let key = named(key);
        // What has been noted is kept where only the time changes.
        match self.table(WANTED)?.update(&key, &[0; NOTE], MapFlags::NO_EXIST) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(io::Error::other(error)),
            _ => {}
        }
        let until = until.as_nanos().to_ne_bytes();
        self.table(UNTIL)?.update(&key, &until, MapFlags::ANY).map_err(io::Error::other)
    }

    /// Open it again. The window that the kernel last wanted to say, as it would have stood in the header, if it has sent anything since.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn open_window(&self, key: &Key) -> io::Result<Option<u16>> {
        let key = named(key);
        match self.table(UNTIL)?.delete(&key) {
            // The connection has ended.
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(io::Error::other(error)),
            _ => {}
        }
        // A sender that runs right now may have looked already: what it sends is no longer noted.
        let taken = self.table(WANTED)?.lookup_and_delete(&key).map_err(io::Error::other)?;
        let Some(value) = taken else { return Ok(None) };
        let word = |at: usize| value[at..at + 4].try_into().map_or(0, u32::from_ne_bytes);
        Ok((word(4) != 0).then(|| word(0) as u16))
    }

    fn table(&self, name: &str) -> io::Result<Map<'_>> {
        let table = self.object.maps().find(|map| map.name() == name);
        table.ok_or_else(|| io::Error::other(format!("no table {name}")))
    }
}

/// As the program has it.
fn named(key: &Key) -> [u8; CONNECTION] {
    let octets = |address: SocketAddr| match address.ip() {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    };
    let mut bytes = [0; CONNECTION];
    bytes[..16].copy_from_slice(&octets(key.local));
    bytes[16..32].copy_from_slice(&octets(key.remote));
    bytes[32..34].copy_from_slice(&key.local.port().to_be_bytes());
    bytes[34..].copy_from_slice(&key.remote.port().to_be_bytes());
    bytes
}

/// Run a task; an error includes the last message of the kernel or libbpf.
fn with_messages<T>(what: &str, task: impl FnOnce() -> libbpf_rs::Result<T>) -> io::Result<T> {
    let (outcome, messages) = listen(task);
    outcome.map_err(|error| {
        let kind = match error.kind() {
            ErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, format!("{what}: {}", reason(&error, &messages)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two programs of one kernel and user space share these bytes.
    #[test]
    fn a_connection_is_named_as_in_the_program() {
        let key = Key { local: "10.0.0.1:258".parse().unwrap(), remote: "[fd00::2]:772".parse().unwrap() };
        let bytes = named(&key);
        assert_eq!(bytes[..16], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1]);
        assert_eq!((bytes[16], bytes[31]), (0xfd, 2));
        assert_eq!(bytes[32..], [1, 2, 3, 4]);
    }
}
