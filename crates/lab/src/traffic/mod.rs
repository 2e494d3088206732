//! Flows over the kernel's own TCP: sources and sinks of many connections, all sources on one thread and all sinks on
//! another, with the kernel's state of each connection while it runs.
//!
//! Sockets are made inside their namespaces and left as the kernel makes them: buffers tuned by the kernel, Nagle's algorithm
//! on (RFC 9293 §3.7.4). Only the congestion control is chosen. Names are known to the kernel's list
//! ([`available_congestion_controls`]).
//!
//! ```no_run
//! use seamline_lab::{clock, system::Namespace, traffic::*};
//! use seamline_wire::Duration;
//! use std::sync::Arc;
//!
//! # fn example(server: Arc<Namespace>, phone: Arc<Namespace>) -> std::io::Result<()> {
//! let content = Content::new(1, 0);
//! let sink = SinkPlan { connection: 0, namespace: phone, local: "10.0.0.2:5001".parse().unwrap(), content };
//! let source = SourcePlan {
//!     connection: 0, namespace: server, local: "10.0.0.1:0".parse().unwrap(), remote: sink.local, content,
//!     bytes: None, start: Duration::ZERO, stop: None, congestion_control: Some("cubic".into()),
//! };
//! let (observations, seen) = std::sync::mpsc::channel();
//! let ready = Traffic::prepare(vec![source], vec![sink], Some(observations))?;
//! let running = ready.begin(clock::monotonic())?;
//! // ... for as long as the experiment takes ...
//! let reports = running.end();
//! # Ok(()) }
//! ```

pub(crate) mod agenda;
mod congestion_controls;
mod content;
mod control;
mod plan;
mod poller;
mod run;
mod sampler;
mod sink;
pub(crate) mod socket;
mod source;

pub use congestion_controls::{CongestionControl, available_congestion_controls};
pub use content::{Content, Mismatch};
pub use plan::{Outcome, Report, SinkPlan, SinkReport, SourcePlan, SourceReport};
pub(crate) use run::allow_open_files;
pub use run::{Running, Traffic};
pub use sampler::Observation;
pub(crate) use sampler::SAMPLE_EVERY;
pub use socket::choose_congestion_control;
