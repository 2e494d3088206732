//! The only virtual clock. A [`World`] holds machines, links and routers, joins their ports, and
//! steps them in the order of their wake times, ties by rank (timers before deliveries) and then in the
//! order in which they were armed. The same world gives the same bytes on every machine.
//!
//! A hop costs one queue event: links know when they will deliver, and each element has at most one
//! live entry in the queue. Nothing allocates per packet in steady state.

mod agenda;
mod circles;
mod observer;
mod outside;
mod router;
mod run;
mod world;

pub use observer::{NoObserver, Observer};
pub use outside::{Door, Gate};
pub use router::Router;
pub use world::{ElementId, World};
