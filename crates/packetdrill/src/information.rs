//! TCP_INFO, in the layout of Linux's `struct tcp_info` (include/uapi/linux/tcp.h). What the endpoint does not count is zero.

use crate::connection::{Connection, Offer};
use crate::settings::SEGMENT_SIZE;
use seamline_tcp::State;
use seamline_wire::{Duration, Instant};

const OPTION_TIMESTAMPS: u8 = 1;
const OPTION_SACK: u8 = 2;
const OPTION_WINDOW_SCALE: u8 = 4;
const STATE_OPEN: u8 = 0;
const STATE_RECOVERY: u8 = 3;
const STATE_LOSS: u8 = 4;
/// Linux's threshold "as high as can be".
const INFINITE_THRESHOLD: u32 = 0x7fff_ffff;

/// Where each field begins, in bytes.
mod place {
    pub(super) const STATE: usize = 0;
    pub(super) const RECOVERY_STATE: usize = 1;
    pub(super) const BACKOFF: usize = 4;
    pub(super) const OPTIONS: usize = 5;
    pub(super) const TIMEOUT: usize = 8;
    pub(super) const SEND_SEGMENT_SIZE: usize = 16;
    pub(super) const RECEIVE_SEGMENT_SIZE: usize = 20;
    pub(super) const UNACKNOWLEDGED: usize = 24;
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
    pub(super) const BYTES_ACKNOWLEDGED: usize = 120;
    pub(super) const BYTES_RECEIVED: usize = 128;
    pub(super) const SEGMENTS_IN: usize = 140;
    pub(super) const LEAST_ROUND_TRIP: usize = 148;
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
    let segment_size = endpoint.segment_size();
    fields.byte(place::STATE, state(endpoint.state()));
    fields.byte(place::OPTIONS, options(connection.options));
    fields.word(place::SEND_SEGMENT_SIZE, segment_size);
    fields.word(place::RECEIVE_SEGMENT_SIZE, connection.largest_received.max(536));
    fields.word(place::ADVERTISED_SEGMENT_SIZE, u32::from(connection.offered_segment_size));
    fields.word(place::PATH_MTU, u32::from(SEGMENT_SIZE) + 40);
    fields.millis(place::LAST_DATA_SENT, now.saturating_since(connection.data_sent_at));
    fields.millis(place::LAST_DATA_RECEIVED, now.saturating_since(connection.data_received_at));
    sender(connection, &mut fields);
    let statistics = endpoint.statistics();
    fields.word(place::RETRANSMISSIONS, statistics.sender.retransmissions as u32);
    fields.long(place::BYTES_ACKNOWLEDGED, statistics.bytes_acknowledged);
    fields.long(place::BYTES_RECEIVED, statistics.bytes_delivered);
    fields.word(place::SEGMENTS_IN, statistics.segments_received as u32);
}

fn sender(connection: &Connection, fields: &mut Fields<'_>) {
    let endpoint = &connection.endpoint;
    let sample = endpoint.sample();
    let round_trip = endpoint.round_trip();
    let backoff = sample.backoff.max(1).ilog2() as u8;
    let recovery = match endpoint.in_recovery() {
        true => STATE_RECOVERY,
        false if backoff > 0 => STATE_LOSS,
        false => STATE_OPEN,
    };
    fields.byte(place::RECOVERY_STATE, recovery);
    fields.byte(place::BACKOFF, backoff);
    fields.micros(place::TIMEOUT, sample.retransmission_timeout);
    fields.word(place::UNACKNOWLEDGED, sample.bytes_in_flight.div_ceil(endpoint.segment_size().max(1)));
    fields.micros(place::ROUND_TRIP, round_trip.smoothed);
    fields.micros(place::VARIATION, round_trip.variation);
    fields.micros(place::LEAST_ROUND_TRIP, round_trip.minimum);
    let threshold = sample.slow_start_threshold;
    let threshold = if threshold.is_finite() { threshold as u32 } else { INFINITE_THRESHOLD };
    fields.word(place::THRESHOLD, threshold);
    fields.word(place::WINDOW, sample.congestion_window as u32);
    fields.word(place::REORDERING, 3);
}

fn options(agreed: Offer) -> u8 {
    let bit = |is_there, bit| if is_there { bit } else { 0 };
    bit(agreed.timestamps, OPTION_TIMESTAMPS)
        | bit(agreed.sack, OPTION_SACK)
        | bit(agreed.window_scale, OPTION_WINDOW_SCALE)
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
