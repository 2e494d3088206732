//! The lab: a scenario's network over real Linux TCP. Hosts are network namespaces; between them the same links, agents
//! and mobile nodes as in the simulator carry real packets in real time.
//!
//! Linux only; elsewhere the crate is empty.
#![cfg(target_os = "linux")]

pub mod calibrate;
pub mod doctor;
mod driver;
pub mod edge;
mod ends;
mod foreign;
mod kernel_view;
mod lateness;
mod middlebox;
mod nodes;
mod notify;
mod outlet;
pub mod parity;
pub mod pool;
mod run;
mod shell;
mod site;
mod stacks;
pub mod stream;
pub mod system;
mod tap;
pub mod traffic;
mod user_host;
pub mod virtual_time;

pub use middlebox::ExternalAgent;
pub use run::{LabError, check, run};
pub use seamline_host::clock;
pub use shell::{Shell, ShellSession, shell};
pub use stacks::Stacks;
