//! The vocabulary of sans-IO network code: virtual [`time`], [`units`], [`sequence`] numbers, TCP [`segment`]s, [`packet`]s,
//! layer-2 [`signal`]s and [`event`]s for traces, with a byte [`codec`] and named [`random`] streams.
//!
//! Everything that packets pass through (endpoint, agent, link) is a [`Machine`]. Its driver, a simulator or an event loop, calls
//! [`Machine::step`] with the current time and one input, empties the [`Outbox`], and calls again when a packet arrives or at
//! [`Machine::wake_at`]. A machine reads no clock and opens no socket; random numbers come from a [`random::Stream`] that is
//! named after its component. So the same seed gives the same run on every computer.
//!
//! A segment as bytes, and back:
//!
//! ```
//! use seamline_wire::codec::{self, Headers, IpHeader};
//! use seamline_wire::{Flags, Segment, SequenceNumber, TransportPort};
//!
//! let headers = Headers {
//!     ip: IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
//!     source_port: TransportPort(49152),
//!     destination_port: TransportPort(80),
//!     segment: Segment { sequence: SequenceNumber(1000), flags: Flags::ACK, length: 5, ..Segment::default() },
//! };
//! let packet = codec::encode_to_vec(&headers, b"hello")?;
//! assert_eq!(packet.len(), 20 + 20 + 5);
//! let decoded = codec::decode(&packet)?; // Verifies the checksums.
//! assert_eq!((decoded.headers, decoded.payload), (headers, &b"hello"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod macros;

pub mod codec;
pub mod control;
pub mod ecn;
pub mod event;
pub mod histogram;
pub mod losses;
pub mod machine;
pub mod mark;
pub mod packet;
pub mod random;
pub mod registry;
pub mod segment;
pub mod sequence;
pub mod signal;
pub mod time;
pub mod timers;
pub mod units;

pub use control::Control;
pub use ecn::Ecn;
pub use event::{DropCause, Event, HandoverPhase, MarkRefusal, MobilityEvent, SenderSample};
pub use histogram::Histogram;
pub use losses::{Loss, LossCause, Losses};
pub use machine::{Input, Machine, Outbox, Port};
pub use mark::{ConnectionCount, Mark};
pub use packet::{Extra, NodeId, Packet, Parcel, TransportPort, Tunnel, TunnelHeader, Tunnels};
pub use segment::{Flags, SackBlock, SackBlocks, Segment, Timestamps};
pub use sequence::SequenceNumber;
pub use signal::Signal;
pub use time::{Duration, Instant};
pub use units::Rate;
