//! A deterministic packet simulator. A [`World`] holds machines (hosts, agents), links and routers, connects their ports, and owns
//! the only clock. It steps elements in order of their wake times. At equal times, timers come before deliveries. Among equals, the
//! element that has been due for longer comes first, then the one that was added first. The same world gives the same bytes on every computer.
//!
//! A hop costs one event: a link knows when it will deliver, and each element has at most one entry in the queue. In steady state
//! nothing is allocated per packet.
//!
//! [`World::run_on`] runs a large world on several threads, with byte-identical results. Its parts run independently for the shortest
//! delay of the links between them, then exchange packets.
//!
//! Build a world, connect ports with [`World::connect`], and call [`World::run_until`]; then look at the machines. An [`Observer`]
//! sees every event and packet. Real hosts attach by [`HostPort`] and [`AgentPort`]. A transfer over a link that loses 1 % of the packets:
//!
//! ```
//! use seamline_net::{Link, LinkConfig, error::Bernoulli};
//! use seamline_sim::World;
//! use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, profile, variant};
//! use seamline_wire::{Duration, Instant, NodeId, Port, Rate, SequenceNumber, TransportPort, random::Stream};
//! use std::sync::Arc;
//!
//! let parameters = Arc::new((profile::RFC.parameters)());
//! let variant = variant::find("sack", &parameters)?;
//! let address = |node| Address { node: NodeId(node), port: TransportPort(1) };
//! let mut world = World::new();
//! let [sender, receiver] = [0, 1].map(|node| {
//!     let mut host = Host::new(NodeId(node));
//!     let config = EndpointConfig {
//!         local: address(node),
//!         remote: address(1 - node),
//!         parameters: Arc::clone(&parameters),
//!         variant,
//!         handover: None,
//!         initial_sequence: SequenceNumber(0),
//!     };
//!     match node {
//!         0 => host.add(config, Opening::Active, Application::endless(Instant::ZERO)),
//!         _ => host.add(config, Opening::Passive, Application::sink()),
//!     };
//!     world.add(host)
//! });
//! let link = |loss| LinkConfig {
//!     end_error: Some(Bernoulli::new(loss, Stream::new(1, "air/loss")).into()),
//!     ..LinkConfig::new(Rate::from_megabits_per_second(10), Duration::from_millis(20))
//! };
//! for (from, to, loss) in [(sender, receiver, 0.01), (receiver, sender, 0.0)] {
//!     let link = world.add_link(Link::new(link(loss)));
//!     world.connect(from, Port(0), link, Port(0));
//!     world.connect(link, Port(0), to, Port(0));
//! }
//! world.run_until(Instant::from_millis(30_000));
//! let host = world.machine(receiver).expect("the receiver is a host");
//! let bytes: u64 = host.endpoints().map(|endpoint| endpoint.statistics().bytes_delivered).sum();
//! let goodput = bytes as f64 * 8.0 / 30.0 / 1e6; // Mbit/s
//! // Mathis et al. (1997) with delayed acknowledgments: 1448 B / 40 ms * sqrt(3/4 / 0.01) = 2.5 Mbit/s, less some timeouts.
//! assert!((1.7..2.5).contains(&goodput), "{goodput}");
//! # Ok::<(), seamline_tcp::PairError>(())
//! ```

mod agenda;
mod circles;
mod horizon;
mod outside;
mod parts;
mod router;
mod run;
mod world;

pub use horizon::Horizon;
pub use outside::{AgentPort, HostPort};
pub use router::Router;
pub use world::{ElementId, NoObserver, Observer, World};
