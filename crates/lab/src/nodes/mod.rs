//! Hosts with the kernel's TCP as nodes of the simulator, in a guest: the network, its agents and its mobility are simulated, and the ends of
//! flows are sockets of the guest's kernel.
//!
//! Time is virtual, so it passes only while the guest waits. One thread does everything: it takes the frames that hosts have sent, each with the
//! time of sending, into the network, puts those that arrive on the interfaces, and begins what the applications do. Then it waits for the next
//! event, in one system call ([`Operations`](crate::system::Operations)).

mod ahead;
mod applications;
mod engine;
mod host;

pub(crate) use engine::run;

/// What an operation of a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// A frame for a host.
    Frame,
    /// The host of this index has sent something.
    Sent(usize),
    /// A call of an application at the connection of this index.
    Call(usize, Call),
}

/// The calls of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// The sender connects, writes, or waits for the other end to close.
    Connect,
    Write,
    Close,
    /// The receiver waits for the sender, or reads.
    Accept,
    Read,
}
