//! Explicit Handover Notification (ehn-2004: Izumikawa, Yamaguchi and Katto, IEEE WCNC 2004) for senders with the kernel's TCP:
//! eBPF programs that find the marks, restore the window from before a timeout and have the kernel send again at once. And explicit
//! loss notification (eln-ack: Ding and Jamalipour, 2001): they keep the window where marks say that losses were the air's.
//!
//! Linux only, and only with the feature `ebpf`; otherwise it says so ([`HAS_PROGRAMS`]). Everything that is attached belongs to
//! descriptors of the process: nothing is left however it ends.
#![cfg(target_os = "linux")]

/// Whether the programs were built in.
pub const HAS_PROGRAMS: bool = cfg!(feature = "ebpf");

#[cfg(feature = "ebpf")]
mod attached;
mod counters;
#[cfg(feature = "ebpf")]
mod destinations;
#[cfg(feature = "ebpf")]
mod event;
#[cfg(feature = "ebpf")]
mod host;
#[cfg(feature = "ebpf")]
mod load;
mod prefix;

#[cfg(feature = "ebpf")]
pub use attached::{Attached, Error, Places};
pub use counters::{Counter, Counters};
#[cfg(feature = "ebpf")]
pub use event::{Event, What};
#[cfg(feature = "ebpf")]
pub use load::{Off, Part, check};
pub use prefix::Prefix;
