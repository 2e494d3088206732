//! The bytes of a connection's directions: endpoints count bytes, and these are the bytes that they count.

use seamline_tcp::Address;
use std::collections::{BTreeMap, VecDeque};

/// One direction of a connection: from where, to where.
pub(crate) type Way = (Address, Address);

/// What was written and has not arrived, by the order of the stream.
#[derive(Debug, Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    /// How many bytes have arrived before the first.
    arrived: u64,
}

/// The bytes under way of all connections.
#[derive(Debug, Default)]
pub(crate) struct Pipes(BTreeMap<Way, Pipe>);

impl Pipes {
    /// A connection begins; nothing of an earlier one between the same ports is left.
    pub(crate) fn begin(&mut self, way: Way) {
        self.0.insert(way, Pipe::default());
    }

    /// The sender's TCP has taken these.
    pub(crate) fn write(&mut self, way: Way, bytes: &[u8]) {
        self.0.entry(way).or_default().bytes.extend(bytes);
    }

    /// Move what has arrived in order, up to this many bytes of the stream, to the receiver.
    ///
    /// # Panics
    /// When the receiver's TCP has counted bytes that were never written: a fault of this program.
    pub(crate) fn arrive(&mut self, way: Way, up_to: u64, receiver: &mut VecDeque<u8>) {
        let Some(pipe) = self.0.get_mut(&way) else { return };
        let count = up_to.saturating_sub(pipe.arrived) as usize;
        assert!(count <= pipe.bytes.len(), "{way:?}: {count} bytes arrived of {} written", pipe.bytes.len());
        receiver.extend(pipe.bytes.drain(..count));
        pipe.arrived = pipe.arrived.max(up_to);
    }

    /// Nobody receives any more.
    pub(crate) fn end(&mut self, way: Way) {
        self.0.remove(&way);
    }
}
