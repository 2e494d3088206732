//! The agents of `seamline-agent`, unchanged, on real interfaces: a bridge of two ports that every packet between them passes.
//!
//! [`Engine`] is all of it but Linux: a frame comes in at one side, and what is to leave by either side comes out. It has no clock and no
//! socket, so that what it does is tested without either. What it cannot take in, what belongs to no connection that it knows, and
//! everything while in doubt, passes byte for byte.

mod checksums;
pub mod engine;
mod frame;
mod handed;
mod joined;
#[cfg(target_os = "linux")]
mod joining;
mod measured;
pub mod metrics;
mod outgoing;
mod split_counters;
#[cfg(target_os = "linux")]
pub mod system;

pub use engine::{Engine, EngineCounters, Settings};
pub use frame::Medium;
pub use handed::{ANSWER, BEGINNING, HandOverCounters, Handed, MOST_BYTES, Malformed, TakenIn};
pub use outgoing::Outgoing;
pub use split_counters::{SplitCounters, SplitPaths};

/// What a connection takes in memory while nothing of it is kept, with its places in all tables, which have room for more: at most so many
/// bytes. Packets that are kept count by themselves ([`seamline_agent::Limits::bytes`], which includes [`engine::OVERHEAD`]), but for the list of
/// them.
pub const BYTES_PER_FLOW: usize = 2048;
/// What a list of kept packets takes for each that it has room for, in bytes.
const BYTES_PER_KEPT_PLACE: usize = 48;

/// What an engine takes at most, in bytes, if every connection that there is room for has once had as many packets kept as it may. Half as much
/// again as for packets is what is left over of them for the next.
pub fn most_memory(kind: &seamline_agent::Kind, parameters: &seamline_agent::Parameters) -> u64 {
    let cache = (kind.kept_packets)(parameters);
    let places = if cache == 0 { 0 } else { cache.next_power_of_two() as usize };
    let flow = (BYTES_PER_FLOW + kind.state_bytes + BYTES_PER_KEPT_PLACE * places) as u64;
    let limits = parameters.limits;
    let packets = if cache == 0 { 0 } else { limits.bytes.saturating_add(limits.bytes / 2) };
    (u64::from(limits.connections) * flow).saturating_add(packets)
}

/// What handing over takes at most in addition, in bytes: packets that wait to be sent, a copy of what is handed out, and what is on its way between
/// the threads of both directions.
pub fn most_hand_over_memory(parameters: &seamline_agent::Parameters) -> u64 {
    let bytes = parameters.limits.bytes;
    (bytes + bytes / engine::ARRIVING_SHARE).saturating_add(4 * MOST_BYTES as u64)
}
