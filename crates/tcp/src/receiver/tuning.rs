//! A window that grows with what a connection turns out to need ([`WindowTuning`]).

use crate::offset::Offset;
use crate::parameters::{MemoryGrowth, WindowTuning};
use seamline_wire::{Duration, Instant};

/// Shares of memory that hold payload are counted in this part (TCP_RMEM_TO_WIN_SCALE).
const WHOLE: u64 = 256;
/// Segments that a peer sends before it hears of us (TCP_INIT_CWND).
const FIRST_FLIGHT: u64 = 10;

/// The last multiple of a power of two up to `bytes`; a division would take longer.
pub(super) fn round_down(bytes: u64, power: u64) -> u64 {
    debug_assert!(power.is_power_of_two());
    bytes & !(power - 1)
}
/// The first multiple of a power of two from `bytes` on.
pub(super) fn round_up(bytes: u64, power: u64) -> u64 {
    round_down(bytes + (power - 1), power)
}

#[derive(Debug)]
pub(super) struct Tuning {
    parameters: WindowTuning,
    /// The payload of our full segments, which the peer's are taken to resemble.
    segment: u64,
    shift: u8,
    /// The largest window, whatever memory there is.
    largest: u64,
    memory: u64,
    /// The part of memory that holds payload, of 256.
    share: u64,
    /// The window that the memory allows.
    clamp: u64,
    /// The window that is offered at most until more has been seen (rcv_ssthresh).
    threshold: u64,
    is_open: bool,
    /// Eight times the smoothed round-trip time in microseconds; zero before any sample.
    round_trip: u64,
    window_ends: Option<(Offset, Instant)>,
    last_echo: Option<u32>,
    /// What was read within a round-trip time.
    read_before: u64,
    counted_from: (Offset, Instant),
}

/// The window to offer, and whether room is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) window: u64,
    pub(super) is_short: bool,
}

impl Tuning {
    pub(super) fn new(
        parameters: WindowTuning,
        segment: u32,
        shift: u8,
        largest: u32,
        first_window: u32,
    ) -> Self {
        Tuning {
            parameters,
            segment: segment.into(),
            shift,
            largest: largest.into(),
            memory: parameters.first_memory.into(),
            share: WHOLE / 2,
            clamp: u64::from(u16::MAX) << shift,
            threshold: u64::from(first_window).min(u16::MAX.into()),
            is_open: false,
            round_trip: 0,
            window_ends: None,
            last_echo: None,
            read_before: 0,
            counted_from: (Offset::SYN, Instant::ZERO),
        }
    }
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }
    pub(super) fn clamp(&self) -> u64 {
        self.clamp
    }
    fn payload_in(&self, memory: u64) -> u64 {
        memory * self.share / WHOLE
    }
    /// Memory of so many bytes that came in segments of `full_segment`.
    pub(super) fn memory_of(&self, bytes: u64, full_segment: u32) -> u64 {
        let full = u64::from(full_segment.max(1));
        let segments = if bytes <= full { u64::from(bytes > 0) } else { bytes.div_ceil(full) };
        segments * self.parameters.memory_of(full_segment)
    }

    /// The connection is open, with so much of the window offered (tcp_init_buffer_space).
    pub(super) fn open(&mut self, now: Instant, read: Offset, offered: u64) {
        let most = self.payload_in(self.memory);
        self.clamp = self.clamp.min(most);
        if self.clamp > 2 * self.segment && self.clamp + self.segment > most {
            self.clamp = most.saturating_sub(self.segment).max(2 * self.segment);
        }
        self.threshold = self.threshold.min(self.clamp);
        self.read_before = self.threshold.min(offered).min(FIRST_FLIGHT * self.segment);
        self.counted_from = (read, now);
        self.is_open = true;
    }

    /// The peer's full segments have another length (tcp_measure_rcv_mss).
    pub(super) fn on_segment_size(&mut self, length: u32) {
        let share = u64::from(length) * WHOLE / self.parameters.memory_of(length);
        if share.max(1) != self.share {
            self.share = share.max(1);
            self.clamp = self.payload_in(self.memory);
            self.read_before = self.read_before.min(self.clamp);
        }
    }

    /// A segment has arrived that leaves `used` bytes of memory in use: let the window grow by two segments if it can. Returns whether it
    /// did (tcp_grow_window).
    pub(super) fn grow(&mut self, used: u64, length: u32, full_segment: u32) -> bool {
        let space = self.payload_in(self.memory.saturating_sub(used));
        let room = self.clamp.min(space).saturating_sub(self.threshold);
        let growth = self.growth_for(length, full_segment);
        if room == 0 || growth == 0 {
            return false;
        }
        self.threshold += room.min(growth.max(2 * u64::from(length)));
        true
    }
    /// By how much a segment of this length lets the window grow; small ones do not, unless the window is small (__tcp_grow_window).
    fn growth_for(&self, length: u32, full_segment: u32) -> u64 {
        let mut space = self.payload_in(self.parameters.memory_of(length));
        if space <= length.into() {
            return 2 * self.segment;
        }
        let mut most = self.payload_in(self.parameters.most_memory.into()) / 2;
        space /= 2;
        while self.threshold <= most {
            if space <= length.into() {
                return 2 * u64::from(full_segment);
            }
            space /= 2;
            most /= 2;
        }
        0
    }

    /// The window to offer with `used` bytes of memory in use, `current` offered last (__tcp_select_window).
    pub(super) fn select(&self, used: u64, unread: u64, current: u64, full_segment: u32) -> Selected {
        let unit = 1u64 << self.shift;
        let allowed = self.payload_in(self.memory);
        let full = self.clamp.min(allowed);
        let full_segment = u64::from(full_segment).min(full);
        let mut free = self.payload_in(self.memory.saturating_sub(used));
        let is_short = free < full / 2;
        if is_short {
            free = round_down(free, unit);
            if free < allowed / 16 || free < full_segment {
                return Selected { window: 0, is_short };
            }
        }
        let free = free.min(self.threshold).min(self.largest.saturating_sub(unread));
        let window = if self.shift > 0 {
            round_up(free, unit)
        } else if current + full_segment <= free || current > free {
            free - free % full_segment.max(1)
        } else if full_segment == full && free > current + full / 2 {
            free
        } else {
            current
        };
        Selected { window, is_short }
    }

    /// The round-trip time, once there is a measurement.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        (self.round_trip > 0).then(|| Duration::from_nanos(self.round_trip * 125))
    }
    fn sample(&mut self, microseconds: u64, may_raise: bool) {
        let sample = 8 * microseconds;
        if self.round_trip == 0 || sample < self.round_trip {
            self.round_trip = sample;
        } else if may_raise {
            self.round_trip = self.round_trip - self.round_trip / 8 + microseconds;
        }
    }
    /// A full segment echoes a time stamp of `age`, perhaps with something `unread`; only the first with each counts
    /// (tcp_rcv_rtt_measure_ts).
    pub(super) fn measure_by_echo(&mut self, echo: u32, age: Duration, is_full: bool, unread: bool) {
        let is_new = self.last_echo.replace(echo) != Some(echo);
        if is_new && is_full && !age.is_zero() {
            self.sample(age.as_micros(), !unread || self.parameters.growth == MemoryGrowth::Cushioned);
        }
    }
    /// Data has arrived up to `next`: a window takes at least a round-trip time (tcp_rcv_rtt_measure).
    pub(super) fn measure_by_window(&mut self, now: Instant, next: Offset, window: u64) {
        if let Some((end, since)) = self.window_ends {
            if next < end {
                return;
            }
            self.sample(microseconds(since, now).max(1), false);
        }
        self.window_ends = Some((next + window, now));
    }

    /// The application has read everything before `read`, and has `unread` bytes left, while so many have arrived beyond a gap: make room
    /// for what a peer in slow start will send within the round-trip time after the next (tcp_rcv_space_adjust).
    pub(super) fn adjust(&mut self, now: Instant, read: Offset, unread: u64, beyond_gap: u64) {
        let (from, since) = self.counted_from;
        let elapsed = microseconds(since, now);
        if self.round_trip == 0 || elapsed < self.round_trip / 8 {
            return;
        }
        let copied = (read - from).saturating_sub(unread);
        if copied > self.read_before {
            self.provide_for(copied, beyond_gap);
        }
        self.counted_from = (read, now);
    }
    /// Something has arrived beyond a gap: so many bytes reach there.
    pub(super) fn note_beyond_gap(&mut self, beyond_gap: u64) {
        if self.parameters.growth != MemoryGrowth::Cushioned {
            self.provide_for(self.read_before, beyond_gap);
        }
    }
    /// So much is read in a round-trip time.
    fn provide_for(&mut self, copied: u64, beyond_gap: u64) {
        let before = std::mem::replace(&mut self.read_before, copied);
        let grown = copied - before;
        let window = match self.parameters.growth {
            MemoryGrowth::Cushioned => {
                let steady = 2 * copied + 16 * self.segment;
                steady + 2 * (steady * grown / before.max(1))
            }
            MemoryGrowth::Measured { low_round_trip } => {
                let (steady, measured) = (2 * copied, self.round_trip / 8);
                let low = low_round_trip.as_micros();
                let growth =
                    if measured < low { steady * measured / low } else { 2 * steady * grown / before.max(1) };
                steady + growth + beyond_gap
            }
        };
        let memory = (window * WHOLE / self.share).min(self.parameters.most_memory.into());
        if memory > self.memory {
            self.memory = memory;
            self.clamp = self.payload_in(memory);
        }
    }
}

/// By the kernel's clock, which has whole microseconds (tcp_mstamp).
fn microseconds(since: Instant, now: Instant) -> u64 {
    (now.as_nanos() / 1000).saturating_sub(since.as_nanos() / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With half of the memory for payload, 14,480 bytes read in the round-trip time before.
    fn tuning(growth: MemoryGrowth, round_trip_us: u64) -> Tuning {
        let parameters = WindowTuning {
            first_memory: 128 << 10,
            most_memory: 1 << 20,
            bookkeeping: 256,
            around: 450,
            growth,
        };
        let mut tuning = Tuning::new(parameters, 1448, 7, u32::MAX, 65_160);
        tuning.open(Instant::ZERO, Offset::FIRST_BYTE, 65_160);
        tuning.round_trip = 8 * round_trip_us;
        tuning
    }

    /// Worked by hand from tcp_rcv_space_adjust (6.12) and tcp_rcvbuf_grow (7.3), where twice as much is read as before.
    #[test]
    fn memory_follows_what_is_read() {
        let measured = MemoryGrowth::Measured { low_round_trip: Duration::from_millis(1) };
        let memory = |growth, round_trip_us, copied, beyond_gap| {
            let mut tuning = tuning(growth, round_trip_us);
            tuning.provide_for(copied, beyond_gap);
            tuning.memory
        };
        assert_eq!(memory(MemoryGrowth::Cushioned, 40_000, 28_960, 2896), 2 * (3 * (57_920 + 16 * 1448)));
        assert_eq!(memory(measured, 40_000, 28_960, 2896), 2 * (57_920 + 115_840 + 2896));
        assert_eq!(memory(measured, 500, 57_920, 0), 2 * (115_840 + 57_920));
        assert_eq!(memory(measured, 40_000, 14_480, 0), 128 << 10, "it does not shrink");
        assert_eq!(memory(measured, 40_000, 10_000_000, 0), 1 << 20, "nor grow without end");
    }

    #[test]
    fn what_arrives_beyond_a_gap_needs_memory_in_newer_kernels() {
        let after = |growth| {
            let mut tuning = tuning(growth, 40_000);
            tuning.note_beyond_gap(100_000);
            tuning.memory
        };
        assert_eq!(after(MemoryGrowth::Cushioned), 128 << 10);
        let measured = MemoryGrowth::Measured { low_round_trip: Duration::from_millis(1) };
        assert_eq!(after(measured), 2 * (28_960 + 100_000));
    }

    #[test]
    fn newer_kernels_do_not_take_longer_round_trip_times_while_something_is_unread() {
        let after = |growth, unread| {
            let mut tuning = tuning(growth, 40_000);
            tuning.measure_by_echo(1, Duration::from_millis(80), true, unread);
            tuning.round_trip / 8
        };
        let measured = MemoryGrowth::Measured { low_round_trip: Duration::from_millis(1) };
        assert_eq!(after(MemoryGrowth::Cushioned, true), 45_000);
        assert_eq!(after(measured, false), 45_000);
        assert_eq!(after(measured, true), 40_000);
    }
}
