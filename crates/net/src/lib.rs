//! Simulated links. A [`Link`] is a machine that carries packets in one direction; a simulator or a real-time driver steps it.
//!
//! A [`LinkConfig`] has a rate, a one-way delay, a [`queue`] (drop-tail in packets or bytes, CoDel, FQ-CoDel, PIE, DualPI2, CAKE and others), [`error`] models
//! before the queue or after propagation, repair of losses by the link layer ([`RepairConfig`]: ARQ and FEC), and a [`schedule`] of conditions that change over time: capacity, delay, loss, and
//! handovers that interrupt the link. Both directions can share a schedule. It comes from a recording
//! (crate `seamline-recordings`) or from published measurements ([`generate`]). [`notices::HandoverNotices`] announces its handovers to the mobile node, exactly or
//! with errors.
//!
//! A driver passes packets to [`Machine::step`](seamline_wire::Machine::step) and calls it again at `wake_at`; what has arrived is
//! then in the outbox. A link that loses one packet in ten:
//!
//! ```
//! use seamline_net::error::Bernoulli;
//! use seamline_net::{Limit, Link, LinkConfig, QueueConfig};
//! use seamline_wire::random::Stream;
//! use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Port, Rate};
//!
//! let mut link = Link::new(LinkConfig {
//!     queue: QueueConfig::DropTail(Limit::Packets(1000)),
//!     end_error: Some(Bernoulli::new(0.1, Stream::new(1, "air/down/loss")).into()),
//!     ..LinkConfig::new(Rate::from_megabits_per_second(8), Duration::from_millis(5))
//! });
//! let mut out = Outbox::new();
//! for _ in 0..1000 {
//!     let mut packet = out.packet();
//!     packet.wire_bytes = 1000; // 1 ms each at 8 Mbit/s
//!     link.step(Instant::ZERO, Input::Packet(Port(0), packet), &mut out);
//! }
//! let mut now = Instant::ZERO;
//! while let Some(at) = link.wake_at() {
//!     now = at;
//!     link.step(now, Input::Wake, &mut out);
//! }
//! assert!((870..=930).contains(&out.packets.len()));
//! assert!(now <= Instant::from_millis(1000 + 5));
//! ```
//!
//! # Two implementations
//!
//! A link whose conditions never change, and whose queue decides on arrival, knows each packet's future when it arrives. It
//! computes that once and takes one wake per packet. Any other link is driven event by event. Where both apply they deliver
//! alike; a test compares them with a third, straightforward one. `cargo run --release --example hop_cost` prints what a hop
//! costs.
//!
//! # Randomness
//!
//! Each component that draws random numbers has its own named [`seamline_wire::random::Stream`]. How often it draws depends on
//! the packets and not on its parameters. So runs that differ in parameters, and schemes that are compared, meet the same losses.

pub mod error;
pub mod failure_notices;
pub mod generate;
pub mod link;
pub mod notices;
pub mod queue;
pub mod schedule;

pub use link::{
    ArqConfig, Count, Counters, Delivery, Drops, Entered, FecConfig, Link, LinkConfig, RepairConfig,
    Scheduled,
};
pub use queue::{
    CakeConfig, CoDelConfig, DualPi2Config, FqCoDelConfig, FqConfig, Limit, PieConfig, QueueConfig,
    StepConfig,
};
pub use schedule::Schedule;
