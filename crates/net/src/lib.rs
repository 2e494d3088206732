//! The wires of Seamline, as machines: the simulator and the lab put the same links between their nodes.
//!
//! A [`Link`] carries packets in one direction. It is made of a [`LinkConfig`]: rate, one-way delay, a
//! queue ([`queue`]: drop-tail in packets or bytes, CoDel, or unlimited), error models before the queue or after propagation ([`error`]), and conditions that change
//! over time ([`schedule`]: capacity, delay, loss, and handovers that interrupt it). A schedule is read from a
//! recording ([`import`]) or made up after published measurements ([`generate`]), and can be shared by both
//! directions. [`notices::HandoverNotices`] tells the mobile node of the same handovers, more or less
//! truly.
//!
//! ```
//! use seamline_net::error::Bernoulli;
//! use seamline_net::{Limit, Link, LinkConfig, QueueConfig};
//! use seamline_wire::random::Stream;
//! use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Port, Rate};
//!
//! let mut link = Link::new(LinkConfig {
//!     queue: QueueConfig::DropTail(Limit::Packets(50)),
//!     end_error: Some(Bernoulli::new(0.0, Stream::new(1, "air/down/loss")).into()),
//!     ..LinkConfig::new(Rate::from_megabits_per_second(2), Duration::from_millis(5))
//! });
//! let mut out = Outbox::new();
//! let mut packet = out.packet();
//! packet.wire_bytes = 1000;
//! link.step(Instant::ZERO, Input::Packet(Port(0), packet), &mut out);
//! let arrival = link.wake_at().expect("the packet is on its way");
//! assert_eq!(arrival, Instant::from_millis(4 + 5));
//! link.step(arrival, Input::Wake, &mut out);
//! assert_eq!(out.packets.len(), 1);
//! ```
//!
//! # Two paths
//!
//! A link whose conditions never change and whose queue decides on arrival knows a packet's whole future
//! when it comes: such a link computes it once and takes one wake per packet. Any other is driven by one
//! happening after the other: the end of a transmission or a delivery opportunity, an arrival, the begin
//! and the end of a handover. Both give the same deliveries where both apply; a test compares them with a
//! third, straightforward one. `cargo run --release --example hop_cost` prints what a hop costs.
//!
//! # Randomness
//!
//! Whatever draws is given its own named [`seamline_wire::random::Stream`] by whoever makes it, and draws a
//! number of times that depends on what happens and not on its parameters, so that runs with different
//! parameters, and schemes under comparison, meet the same luck.

pub mod error;
pub mod generate;
pub mod import;
pub mod link;
pub mod notices;
pub mod queue;
pub mod schedule;

pub use link::{Count, Counters, Drops, Link, LinkConfig, Scheduled};
pub use queue::{CoDelConfig, Limit, QueueConfig};
pub use schedule::Schedule;
