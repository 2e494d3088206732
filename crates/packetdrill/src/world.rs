//! Everything there is: the clock, descriptors, connections and the packets sent.

use crate::connection::Connection;
use crate::cookies::Known;
use crate::errno::Errno;
use crate::errors::ErrorQueue;
use crate::settings::{Subject, metrics_flushed};
use crate::socket::{Kind, Socket};
use libc::c_int;
use seamline_tcp::{Address, Endpoint, EndpointConfig};
use seamline_wire::{Duration, Instant, NodeId, Outbox, SequenceNumber, TransportPort};
use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;

/// This end.
pub(crate) const LOCAL: NodeId = NodeId(1);
/// The other end, which packetdrill plays.
pub(crate) const REMOTE: NodeId = NodeId(2);
/// Far from the descriptors of packetdrill itself.
const FIRST_DESCRIPTOR: c_int = 1000;
const FIRST_EPHEMERAL_PORT: u16 = 40_000;
/// Not zero: timestamps and round-trip times begin somewhere.
const BEGINNING: Instant = Instant::from_nanos(100_000_000_000);
/// An endpoint that asks to be woken so often at one time does not do what it is woken for.
const MOST_WAKES_AT_ONCE: u32 = 1000;

/// A packet as bytes, and when it was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// When.
    pub(crate) at: Instant,
    /// From the IP header on.
    pub(crate) bytes: Vec<u8>,
}

/// Everything there is.
#[derive(Debug)]
pub(crate) struct World {
    /// The time.
    pub(crate) now: Instant,
    /// Which endpoint is under test.
    pub(crate) subject: Subject,
    /// Sockets by descriptor.
    pub(crate) sockets: BTreeMap<c_int, Socket>,
    /// Connections by number; they stay when they are closed.
    pub(crate) connections: Vec<Connection>,
    /// What packetdrill has not received yet.
    pub(crate) sent: VecDeque<Sent>,
    /// When calls stop waiting.
    pub(crate) deadlines: Vec<Instant>,
    /// What that setting was when servers were last learned of.
    pub(crate) metrics_flushed: String,
    /// What is known of servers, for TCP Fast Open.
    pub(crate) servers: BTreeMap<Ipv4Addr, Known>,
    /// Where endpoints put packets.
    pub(crate) out: Outbox,
    next_descriptor: c_int,
    next_port: u16,
}

impl World {
    pub(crate) fn new(subject: Subject) -> World {
        World {
            now: BEGINNING,
            subject,
            sockets: BTreeMap::new(),
            connections: Vec::new(),
            sent: VecDeque::new(),
            deadlines: Vec::new(),
            metrics_flushed: metrics_flushed(),
            servers: BTreeMap::new(),
            out: Outbox::new(),
            next_descriptor: FIRST_DESCRIPTOR,
            next_port: FIRST_EPHEMERAL_PORT,
        }
    }

    /// Add a socket and return its descriptor.
    pub(crate) fn add_socket(&mut self, socket: Socket) -> c_int {
        let descriptor = self.next_descriptor;
        self.next_descriptor += 1;
        self.sockets.insert(descriptor, socket);
        descriptor
    }
    /// The socket of a descriptor.
    pub(crate) fn socket(&mut self, descriptor: c_int) -> Result<&mut Socket, Errno> {
        self.sockets.get_mut(&descriptor).ok_or(Errno::BAD_DESCRIPTOR)
    }
    /// The number of the connection that a descriptor stands for.
    pub(crate) fn connection_of(&self, descriptor: c_int) -> Result<usize, Errno> {
        match self.sockets.get(&descriptor).ok_or(Errno::BAD_DESCRIPTOR)?.kind {
            Kind::Connected(id) => Ok(id),
            Kind::Fresh | Kind::Listener(_) | Kind::Deferred(_) | Kind::Poller(_) => {
                Err(Errno::NOT_CONNECTED)
            }
        }
    }
    /// A port that nothing uses.
    pub(crate) fn ephemeral_port(&mut self) -> u16 {
        self.next_port += 1;
        self.next_port
    }

    /// Make a connection with the options of a socket; it is not open yet.
    pub(crate) fn add_connection(
        &mut self,
        socket: &Socket,
        passive: bool,
        local: SocketAddrV4,
        remote: SocketAddrV4,
    ) -> usize {
        let (parameters, variant) = self.subject.parameters(&socket.options);
        let offered_segment_size = parameters.segments.maximum_segment_size;
        let id = self.connections.len();
        let mut endpoint = Endpoint::new(EndpointConfig {
            local: Address { node: LOCAL, port: TransportPort(local.port()) },
            remote: Address { node: REMOTE, port: TransportPort(remote.port()) },
            parameters: Arc::new(parameters),
            variant,
            handover: None,
            initial_sequence: SequenceNumber(0x1234_5678_u32.wrapping_add(id as u32 * 1_000_003)),
        });
        socket.options.apply_to_buffer(&mut endpoint);
        socket.options.apply_to_syns(&mut endpoint);
        self.connections.push(Connection {
            endpoint,
            local,
            remote,
            ip: socket.options.ip,
            accepted: !passive,
            error_reported: false,
            shut_read: false,
            shut_write: false,
            offered_segment_size,
            icmp: None,
            next_option: None,
            sent_option: None,
            taken: 0,
            errors: ErrorQueue::default(),
            data_sent_at: self.now,
            data_received_at: self.now,
        });
        id
    }

    /// Call an endpoint, and send what it wants sent.
    pub(crate) fn with<R>(
        &mut self,
        id: usize,
        call: impl FnOnce(&mut Endpoint, Instant, &mut Outbox) -> R,
    ) -> R {
        let result = call(&mut self.connections[id].endpoint, self.now, &mut self.out);
        let Connection { local, remote, ip, .. } = self.connections[id];
        self.send_all(local, remote, ip);
        self.follow(id);
        result
    }

    /// Report what has become of writes.
    fn follow(&mut self, id: usize) {
        let connection = &mut self.connections[id];
        let information = connection.endpoint.information(self.now);
        let sent = connection.taken.saturating_sub(information.unsent);
        connection.errors.follow(sent, information.bytes_acknowledged, self.now);
    }

    /// When something happens next by itself.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        let timers = self.connections.iter().filter_map(|connection| connection.endpoint.wake_at());
        timers.chain(self.deadlines.iter().copied()).min()
    }
    /// It is `at` now, which is the next time that something happens, or earlier.
    pub(crate) fn reach(&mut self, at: Instant) {
        self.now = self.now.max(at);
        let now = self.now;
        self.deadlines.retain(|&deadline| deadline > now);
        for id in 0..self.connections.len() {
            let mut wakes = 0;
            while self.connections[id].endpoint.wake_at().is_some_and(|at| at <= now) {
                self.with(id, |endpoint, now, out| endpoint.on_wake(now, out));
                wakes += 1;
                assert!(wakes < MOST_WAKES_AT_ONCE, "an endpoint asks to be woken and does nothing");
            }
        }
    }
    /// When a call that waits so many milliseconds returns; `None` for a negative number, which stands for ever.
    pub(crate) fn deadline(&mut self, milliseconds: c_int) -> Option<Instant> {
        let wait = u64::try_from(milliseconds).ok()?;
        let deadline = self.now + Duration::from_millis(wait);
        self.deadlines.push(deadline);
        Some(deadline)
    }
    /// The time after so many microseconds.
    pub(crate) fn after_micros(&self, micros: u64) -> Instant {
        self.now + Duration::from_micros(micros)
    }
}
