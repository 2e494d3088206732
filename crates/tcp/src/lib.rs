//! A sans-IO TCP: an [`Endpoint`] is one end of a connection, without sockets, threads or a clock.
//!
//! The driver opens an endpoint with [`Endpoint::open`], calls [`Endpoint::on_packet`] for each packet and [`Endpoint::on_wake`] at
//! [`Endpoint::wake_at`]; waking early is harmless. The application calls [`Endpoint::supply`], [`Endpoint::consume`] and
//! [`Endpoint::close`]. Time never decreases between calls. After each call the driver sends the packets in the outbox.
//! Payload is counted, not stored: a caller with real bytes keeps them next to the endpoint.
//! [`Host`] is a machine that holds many endpoints, each with an [`Application`].
//!
//! Congestion control ([`cc`]), loss recovery ([`recovery`]) and handover schemes ([`handover`]) are interchangeable. A strategy
//! reads a [`view::View`] and returns commands; only the sender changes its own state. A *variant* ([`variant`]) names a pair of
//! congestion control and recovery, a *profile* ([`profile`]) a set of [`Parameters`].
//!
//! Two endpoints exchange data under a virtual clock:
//!
//! ```
//! use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening, profile, variant};
//! use seamline_wire::{Duration, Instant, NodeId, Outbox, SequenceNumber, TransportPort};
//! use std::{collections::VecDeque, sync::Arc};
//!
//! const ONE_WAY_DELAY: Duration = Duration::from_millis(20);
//! const BYTES: u64 = 56 * 1448; // Full segments, so that Nagle's algorithm holds nothing back.
//! let parameters = Arc::new((profile::RFC.parameters)());
//! let variant = variant::find("cubic", &parameters)?;
//! let address = |node| Address { node: NodeId(node), port: TransportPort(80) };
//! let mut ends = [0, 1].map(|node| {
//!     Endpoint::new(EndpointConfig {
//!         local: address(node),
//!         remote: address(1 - node),
//!         parameters: Arc::clone(&parameters),
//!         variant,
//!         handover: None,
//!         initial_sequence: SequenceNumber(1000),
//!     })
//! });
//! let (mut now, mut out, mut in_flight) = (Instant::ZERO, Outbox::new(), VecDeque::new());
//! ends[1].read_at_once();
//! ends[1].open(now, Opening::Passive, &mut out);
//! ends[0].open(now, Opening::Active, &mut out);
//! ends[0].supply(now, BYTES, &mut out);
//! while ends[1].statistics().bytes_delivered < BYTES {
//!     in_flight.extend(out.packets.drain(..).map(|(_, packet)| (now + ONE_WAY_DELAY, packet)));
//!     let next_arrival = in_flight.front().map(|(at, _)| *at);
//!     now = ends.iter().filter_map(Endpoint::wake_at).chain(next_arrival).min().expect("a timer or a packet");
//!     ends.iter_mut().for_each(|end| end.on_wake(now, &mut out));
//!     if next_arrival == Some(now) && let Some((_, packet)) = in_flight.pop_front() {
//!         ends[packet.destination.0 as usize].on_packet(now, &packet, &mut out);
//!     }
//! }
//! // One round-trip time for the handshake, three and a half for slow start, which begins with 10 segments.
//! let round_trips = now.as_secs_f64() / (2.0 * ONE_WAY_DELAY.as_secs_f64());
//! assert!((4.0..5.0).contains(&round_trips), "{round_trips}");
//! # Ok::<(), seamline_tcp::PairError>(())
//! ```

#[macro_use]
mod macros;

pub mod backoff;
pub mod cc;
mod ecn;
mod emit;
pub mod endpoint;
pub mod handover;
pub mod host;
pub mod loss_notification;
#[cfg(feature = "ns2")]
pub mod ns2;
#[cfg(not(feature = "ns2"))]
#[allow(unreachable_pub, reason = "public with the feature")]
mod ns2;
pub mod offset;
mod own;
pub mod parameters;
pub mod profile;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
pub mod send_log;
mod sender;
mod transactions;
pub mod variant;
pub mod view;
mod wheel;

pub use ecn::{EcnNeeds, EcnUse};
pub use emit::Address;
pub use endpoint::{
    Agreement, CloseReason, Endpoint, EndpointConfig, Information, MarkCounts, NetworkError, Opening,
    Readiness, State,
};
pub use host::{Application, Host};
pub use offset::Offset;
pub use parameters::Parameters;
pub use sender::{SenderStatistics, Write};
pub use variant::{PairError, Variant};
