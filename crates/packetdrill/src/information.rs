//! TCP_INFO, in the layout of Linux's `struct tcp_info` (include/uapi/linux/tcp.h). What the endpoint does not count is zero.

use crate::connection::Connection;
use crate::settings::SEGMENT_SIZE;
use seamline_tcp::cc::RecoveryState;
use seamline_tcp::{Agreement, Information, State};
use seamline_wire::{Duration, Instant};

const OPTION_TIMESTAMPS: u8 = 1;
const OPTION_SACK: u8 = 2;
const OPTION_WINDOW_SCALE: u8 = 4;
const OPTION_ECN: u8 = 8;
const OPTION_DATA_WITH_SYN: u8 = 32;
/// Linux's threshold "as high as can be".
const INFINITE_THRESHOLD: u32 = 0x7fff_ffff;

/// Where each field begins, in bytes.
mod place {
    pub(super) const STATE: usize = 0;
    pub(super) const RECOVERY_STATE: usize = 1;
    pub(super) const TIMEOUTS: usize = 2;
    pub(super) const PROBES: usize = 3;
    pub(super) const BACKOFF: usize = 4;
    pub(super) const OPTIONS: usize = 5;
    pub(super) const TIMEOUT: usize = 8;
    pub(super) const SEND_SEGMENT_SIZE: usize = 16;
    pub(super) const RECEIVE_SEGMENT_SIZE: usize = 20;
    pub(super) const UNACKNOWLEDGED: usize = 24;
    pub(super) const SACKED: usize = 28;
    pub(super) const LOST: usize = 32;
    pub(super) const RESENT: usize = 36;
    pub(super) const LAST_DATA_SENT: usize = 44;
    pub(super) const LAST_DATA_RECEIVED: usize = 52;
    pub(super) const PATH_MTU: usize = 60;
    pub(super) const ROUND_TRIP: usize = 68;
    pub(super) const VARIATION: usize = 72;
    pub(super) const THRESHOLD: usize = 76;
    pub(super) const WINDOW: usize = 80;
    pub(super) const ADVERTISED_SEGMENT_SIZE: usize = 84;
    pub(super) const REORDERING: usize = 88;
    pub(super) const RETRANSMISSIONS: usize = 100;
    pub(super) const PACING_RATE: usize = 104;
    pub(super) const BYTES_ACKNOWLEDGED: usize = 120;
    pub(super) const BYTES_RECEIVED: usize = 128;
    pub(super) const SEGMENTS_IN: usize = 140;
    pub(super) const UNSENT: usize = 144;
    pub(super) const LEAST_ROUND_TRIP: usize = 148;
    pub(super) const BUSY: usize = 168;
    pub(super) const LIMITED_BY_PEER: usize = 176;
    pub(super) const LIMITED_BY_SEND_BUFFER: usize = 184;
    pub(super) const DELIVERED: usize = 192;
}

/// The bytes that a script gets.
struct Fields<'a>(&'a mut [u8]);

impl Fields<'_> {
    /// Write a field, unless the script asks for less than that.
    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if let Some(place) = self.0.get_mut(at..at + N) {
            place.copy_from_slice(&bytes);
        }
    }
    fn byte(&mut self, at: usize, value: u8) {
        self.put(at, [value]);
    }
    fn word(&mut self, at: usize, value: u32) {
        self.put(at, value.to_ne_bytes());
    }
    fn long(&mut self, at: usize, value: u64) {
        self.put(at, value.to_ne_bytes());
    }
    fn micros(&mut self, at: usize, value: Duration) {
        self.word(at, (value.as_nanos() / 1000) as u32);
    }
    fn millis(&mut self, at: usize, value: Duration) {
        self.word(at, (value.as_nanos() / 1_000_000) as u32);
    }
}

/// Fill in what is known of a connection.
pub(crate) fn tcp_info(connection: &Connection, now: Instant, bytes: &mut [u8]) {
    bytes.fill(0);
    let mut fields = Fields(bytes);
    let endpoint = &connection.endpoint;
    let known = endpoint.information(now);
    fields.byte(place::STATE, state(known.state));
    fields.byte(place::OPTIONS, options(known.agreement));
    fields.word(place::SEND_SEGMENT_SIZE, known.segment_size);
    fields.word(place::RECEIVE_SEGMENT_SIZE, known.peer_segment_size.max(536));
    fields.word(place::ADVERTISED_SEGMENT_SIZE, u32::from(connection.offered_segment_size));
    fields.word(place::PATH_MTU, u32::from(SEGMENT_SIZE) + 40);
    fields.millis(place::LAST_DATA_SENT, now.saturating_since(connection.data_sent_at));
    fields.millis(place::LAST_DATA_RECEIVED, now.saturating_since(connection.data_received_at));
    fields.word(place::SEGMENTS_IN, endpoint.statistics().segments_received as u32);
    segments(connection, &known, &mut fields);
    times(&known, &mut fields);
    let threshold = known.slow_start_threshold;
    let threshold = if threshold < f64::from(u32::MAX) { threshold as u32 } else { INFINITE_THRESHOLD };
    fields.word(place::THRESHOLD, threshold);
    fields.word(place::WINDOW, known.congestion_window as u32);
    fields.word(place::RETRANSMISSIONS, known.retransmissions as u32);
    fields.long(place::PACING_RATE, known.pacing_rate);
    fields.long(place::BYTES_ACKNOWLEDGED, known.bytes_acknowledged);
    fields.long(place::BYTES_RECEIVED, known.bytes_received);
    fields.word(place::UNSENT, known.unsent as u32);
}

fn segments(connection: &Connection, known: &Information, fields: &mut Fields<'_>) {
    let endpoint = &connection.endpoint;
    let recovery = match known.recovery {
        RecoveryState::Open if endpoint.in_recovery() => RecoveryState::Recovery,
        RecoveryState::Open if known.backoff > 0 => RecoveryState::Loss,
        state => state,
    };
    let in_flight = endpoint.sample().bytes_in_flight.div_ceil(known.segment_size.max(1));
    fields.byte(place::RECOVERY_STATE, recovery as u8);
    fields.byte(place::TIMEOUTS, known.timeouts_in_a_row as u8);
    fields.byte(place::PROBES, known.probes as u8);
    fields.byte(place::BACKOFF, known.backoff as u8);
    fields.word(place::UNACKNOWLEDGED, if known.outstanding > 0 { known.outstanding } else { in_flight });
    fields.word(place::SACKED, known.sacked);
    fields.word(place::LOST, known.lost);
    fields.word(place::RESENT, known.resent);
    fields.word(place::REORDERING, known.reordering);
    fields.word(place::DELIVERED, known.delivered as u32);
}

fn times(known: &Information, fields: &mut Fields<'_>) {
    fields.micros(place::TIMEOUT, known.timeout);
    fields.micros(place::ROUND_TRIP, known.round_trip.smoothed);
    fields.micros(place::VARIATION, known.round_trip.variation);
    fields.micros(place::LEAST_ROUND_TRIP, known.least_round_trip.unwrap_or(known.round_trip.minimum));
    fields.long(place::BUSY, known.busy.as_nanos() / 1000);
    fields.long(place::LIMITED_BY_PEER, known.limited_by_peer.as_nanos() / 1000);
    fields.long(place::LIMITED_BY_SEND_BUFFER, known.limited_by_send_buffer.as_nanos() / 1000);
}

fn options(agreed: Agreement) -> u8 {
    let bit = |is_there, bit| if is_there { bit } else { 0 };
    bit(agreed.timestamps, OPTION_TIMESTAMPS)
        | bit(agreed.sack, OPTION_SACK)
        | bit(agreed.window_scale, OPTION_WINDOW_SCALE)
        | bit(agreed.ecn, OPTION_ECN)
        | bit(agreed.data_with_syn, OPTION_DATA_WITH_SYN)
}

/// Linux's numbers of the states (include/net/tcp_states.h).
fn state(state: State) -> u8 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}
