//! The numbers that the agent's thread and the programs share.

use std::mem::size_of;

/// When the agent's thread last said that it works, by the monotonic clock in nanoseconds.
pub(super) const BEATEN: usize = 0;
/// By side: frames that the kernel has forwarded from there since the agent did not respond.
pub(super) const FORWARDED: usize = 1;
/// By side: frames that the kernel has forwarded from there because the agent need not see them.
pub(super) const NOT_SHOWN: usize = 3;
/// By side: the interface to which frames from there go.
pub(super) const TARGET: usize = 5;
/// The first of those that name flows which the agent leaves alone.
pub(super) const LEFT_ALONE: usize = 7;

/// Where a number is, in bytes.
pub(super) fn offset(word: usize) -> i16 {
    (word * size_of::<u64>()) as i16
}
