//! How much each host may send before the other has taken it: what is offered is set aside, so that nothing offered is ever
//! refused and all connections together stay within the agent's memory.
//!
//! A window that was offered cannot be taken back (RFC 9293 section 3.8.6), so a connection begins with a small one, the
//! smaller the less memory is left, and gets more as data comes: never less than a sender in slow start can use, which sends
//! what was acknowledged beyond its first window.

/// The share of what is left that a new connection gets in each direction: of 64 MB a little more than the initial window of
/// RFC 6928.
const FIRST_SHARE: u64 = 4096;
/// The share of what is left that one direction may grow to (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on
/// Networking 6(2), 1998).
const GROWTH_SHARE: u64 = 4;
/// Less is not offered, for want of memory: two segments of an Ethernet.
const LEAST: u64 = 2 * 1460;

/// The first window when so much memory is left, in a buffer of so many bytes.
pub(super) fn first(left: u64, buffer: u32) -> u32 {
    let share = (left / FIRST_SHARE).clamp(LEAST, u16::MAX.into());
    buffer.min(share as u32)
}

/// The window after so many bytes have been `delivered`. It doubles now and then, so that duplicate acknowledgments in between
/// repeat it.
pub(super) fn next(first: u32, delivered: u64, left: u64, buffer: u32) -> u32 {
    let first = u64::from(first.max(1));
    let most = u64::from(buffer).min((left / GROWTH_SHARE).max(LEAST));
    let in_first_windows = (delivered.min(most) + first).div_ceil(first);
    let wanted = in_first_windows.next_power_of_two() * first;
    wanted.min(most) as u32
}
