//! A guest: one boot of a kernel, which runs one program in virtual time and ends.
//!
//! The program gets nothing that differs from host to host or from run to run: no console, no environment, no entropy but what its caller
//! gives it, and the same time of day. It sees the host's files read-only, and one folder that both sides write. Processors take no time:
//! when every process waits, the clock jumps to the next timer.
//!
//! The host's side is [`Guest`]; the program's side, which is the guest's first process, is [`inside`].

mod command_line;
pub mod inside;
mod machine;
mod own_folder;
pub mod probe;
mod processes;
mod room;
mod seal;
mod shared;
mod watch;

pub use command_line::MEMORY;
pub use machine::{Guest, Running};
pub use shared::Shared;
pub use watch::{Ended, Glance, GuestError};
