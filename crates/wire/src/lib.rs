//! What crosses a boundary: time, units, sequence numbers, segments, packets, signals, events and the
//! one contract ([`Machine`]) that endpoints, agents, mobility daemons and links all obey.
//!
//! Nothing here reads a clock or draws from ambient randomness: time is an argument of
//! [`Machine::step`], and random numbers come from a [`random::Stream`] named after its component.

pub mod codec;
pub mod control;
pub mod event;
pub mod losses;
pub mod machine;
pub mod mark;
pub mod packet;
pub mod random;
pub mod segment;
pub mod sequence;
pub mod signal;
pub mod time;
pub mod timers;
pub mod units;

pub use control::Control;
pub use event::{DropCause, Event, HandoverPhase, MarkRefusal, MobilityEvent, SenderSample};
pub use losses::{Loss, LossCause, Losses};
pub use machine::{Input, Machine, Outbox, Port};
pub use mark::Mark;
pub use packet::{Aside, NodeId, Packet, TransportPort, Tunnel, Tunnels};
pub use segment::{Flags, SackBlock, SackBlocks, Segment, Timestamps};
pub use sequence::SequenceNumber;
pub use signal::Signal;
pub use time::{Duration, Instant};
pub use units::Rate;
