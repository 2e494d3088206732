//! The plans of connections, and their reports.

use crate::system::Namespace;
use crate::traffic::Content;
use seamline_wire::{Duration, Instant};
use std::net::SocketAddr;
use std::sync::Arc;

/// One connection's sender: it connects, writes, and closes (FIN).
#[derive(Clone, Debug)]
pub struct SourcePlan {
    /// Which connection of the run this is; it names its reports and samples.
    pub connection: u32,
    /// Where it is.
    pub namespace: Arc<Namespace>,
    /// The address and port it sends from; port 0 for any that is free.
    pub local: SocketAddr,
    /// The address that it connects to.
    pub remote: SocketAddr,
    /// What it sends.
    pub content: Content,
    /// How much; `None`: until it is stopped.
    pub bytes: Option<u64>,
    /// When it connects, counted from the run's origin.
    pub start: Duration,
    /// When it stops writing even if `bytes` are not written yet, counted from the run's origin.
    pub stop: Option<Duration>,
    /// Its congestion control by the kernel's name; `None`: the namespace's default.
    pub congestion_control: Option<String>,
}

/// One connection's receiver: it listens, accepts one connection, and reads until the other end closes.
#[derive(Clone, Debug)]
pub struct SinkPlan {
    /// Which connection of the run this is.
    pub connection: u32,
    /// Where it is.
    pub namespace: Arc<Namespace>,
    /// The address and port it listens on. Each connection has a port of its own.
    pub local: SocketAddr,
    /// What should come.
    pub content: Content,
}

/// How one end of a connection ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Ended before it was through.
    #[default]
    Unfinished,
    /// The sender has written all and knows that the receiver has read it; the receiver has read the FIN.
    Finished,
    /// A description of the failure.
    Failed(String),
}

/// What a source has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// Which connection.
    pub connection: u32,
    /// Bytes that the kernel has taken from the application, not necessarily sent.
    pub bytes_written: u64,
    /// When the SYN was asked for.
    pub started: Option<Instant>,
    /// When the handshake was noticed to be complete.
    pub connected: Option<Instant>,
    /// When the last byte was written.
    pub written: Option<Instant>,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a sink has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkReport {
    /// Which connection.
    pub connection: u32,
    /// Bytes that the application has read.
    pub bytes_read: u64,
    /// The offset of the first byte that was wrong. Nothing behind it is checked.
    pub first_mismatch: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
}

/// The results of one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which connection.
    pub connection: u32,
    /// Its sender, where that was a source of this traffic.
    pub source: Option<SourceReport>,
    /// Its receiver, where that was a sink of this traffic.
    pub sink: Option<SinkReport>,
}
