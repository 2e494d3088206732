//! The closed form of a question.

use crate::link::AccessLink;
use crate::question::{Question, Traffic};
use seamline_model::loss::{cubic_window, reno_rate};
use seamline_model::transfer::{self, Excursion, Load, Rates};
use seamline_tcp::parameters::{Growth, Parameters};
use seamline_tcp::profile;
use seamline_wire::Duration;
use serde::Serialize;

/// IPv4 and TCP without options, in bytes.
const HEADERS: u32 = 40;
/// The padded timestamp option (RFC 7323 appendix A), in bytes.
const TIMESTAMPS: u32 = 12;
/// A retransmission timeout is taken as four round trips (RFC 5348 section 3.1).
const ROUND_TRIPS_OF_TIMEOUT: f64 = 4.0;
/// The variants to which the closed form of Reno applies under random loss.
const LIKE_RENO: [&str; 3] = ["reno", "newreno", "sack"];

/// The closed-form result: links are fully used while they are available, and an interruption costs exactly its
/// length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosedForm {
    /// The payload rate of the old and the new link in bit/s when fully used, without headers.
    pub payload_bits_per_second: [f64; 2],
    /// The part of these rates that a limited send window or receive buffer can use at the round-trip time of the
    /// link, in bit/s, where that is less. The other numbers ignore it.
    pub window_limited_bits_per_second: [Option<f64>; 2],
    /// The part of these rates that random losses alone would leave in the long run, in bit/s, where that is less
    /// than both. The other numbers ignore it. Only known for Reno-like variants and CUBIC.
    pub loss_limited_bits_per_second: [Option<f64>; 2],
    /// The maximum data in flight, in bytes.
    pub window_bytes: f64,
    /// Staying: the completion time in seconds, or the bytes delivered within the horizon.
    pub stays: f64,
    /// Handing over, in the same unit.
    pub moves: f64,
    /// The gain: seconds saved, or additional bytes.
    pub gain: f64,
    /// t*_MAX in seconds at the requested stay.
    pub longest_interruption_s: Option<f64>,
    /// T_MIN in seconds at the requested interruption.
    pub shortest_stay_s: Option<f64>,
}

/// The payload of a segment and the size of its packet, in bytes.
pub(crate) fn segment(parameters: &Parameters) -> [f64; 2] {
    let segments = &parameters.segments;
    let options = if segments.timestamp_tick.is_some() { TIMESTAMPS } else { 0 };
    let size = u32::from(segments.maximum_segment_size);
    [f64::from(size - options), f64::from(size + HEADERS)]
}

/// The parameters of the question's profile.
pub(crate) fn parameters(question: &Question) -> Parameters {
    (profile::find(&question.profile).unwrap_or(&profile::RFC).parameters)()
}

/// The segments acknowledged for each increment of the window, b of Padhye et al.: an acknowledgment of several
/// segments may count as one increment or as several.
fn acknowledged(parameters: &Parameters) -> f64 {
    let covered =
        parameters.receiver.delayed_acknowledgment.map_or(1.0, |delayed| f64::from(delayed.segments));
    match parameters.window.growth {
        Growth::PerAck => covered,
        Growth::PerByte { most_per_ack } => covered / covered.min(most_per_ack),
    }
}

/// The maximum data in flight in bytes of payload: the send window limit or the receive buffer.
fn window_bytes(parameters: &Parameters) -> f64 {
    let [payload, _] = segment(parameters);
    let limit = parameters.window.limit;
    let limit = if limit == u32::MAX { f64::INFINITY } else { f64::from(limit) * payload };
    limit.min(f64::from(parameters.receiver.buffer))
}

/// The capacity of a link, and what a limited window and losses leave of it, in bit/s of payload.
fn rates(question: &Question, link: &AccessLink) -> (f64, Option<f64>, Option<f64>) {
    let parameters = parameters(question);
    let [payload, packet] = segment(&parameters);
    let carries = link.rate.bits_per_second() as f64 * payload / packet;
    let round_trip = link.round_trip.as_secs_f64();
    let window = window_bytes(&parameters) * 8.0 / round_trip;
    let segments = |loss: f64| match question.variant.as_str() {
        "cubic" => Some(cubic_window(loss, round_trip) / round_trip),
        name if LIKE_RENO.contains(&name) => {
            let timeout = ROUND_TRIPS_OF_TIMEOUT * round_trip;
            Some(reno_rate(loss, round_trip, timeout, acknowledged(&parameters)))
        }
        _ => None,
    };
    let left = link.loss.filter(|loss| *loss > 0.0).and_then(segments).map(|left| left * payload * 8.0);
    (carries, Some(window).filter(|it| *it < carries), left.filter(|left| *left < carries.min(window)))
}

/// The load of a question in bits.
pub(crate) fn load(traffic: Traffic) -> Load {
    match traffic {
        Traffic::File(bytes) => Load::File { bits: bytes as f64 * 8.0 },
        Traffic::Horizon(span) => Load::Horizon { seconds: span.as_secs_f64() },
    }
}

impl ClosedForm {
    /// The closed form of a question.
    pub(crate) fn of(question: &Question) -> Self {
        let links = [&question.from, &question.to].map(|link| rates(question, link));
        let [old, new] = links.map(|(carries, ..)| carries);
        let (load, rates, way) = (load(question.traffic), Rates { old, new }, excursion(question));
        ClosedForm {
            payload_bits_per_second: [old, new],
            window_limited_bits_per_second: links.map(|(_, window, _)| window),
            loss_limited_bits_per_second: links.map(|(.., left)| left),
            window_bytes: window_bytes(&parameters(question)),
            stays: in_units(load, transfer::stays(load, rates)),
            moves: in_units(load, transfer::moves(load, rates, way)),
            gain: in_units(load, transfer::gain(load, rates, way)),
            longest_interruption_s: transfer::longest_interruption(load, rates, way),
            shortest_stay_s: transfer::shortest_stay(load, rates, way),
        }
    }

    /// The lowest rate to assume, in bit/s.
    pub(crate) fn slowest(&self) -> f64 {
        let left = [self.window_limited_bits_per_second, self.loss_limited_bits_per_second];
        let left = left.into_iter().flatten().flatten();
        self.payload_bits_per_second.into_iter().chain(left).fold(f64::INFINITY, f64::min)
    }

    /// The rates of fully used links.
    pub(crate) fn rates(&self) -> Rates {
        let [old, new] = self.payload_bits_per_second;
        Rates { old, new }
    }

    /// The rates that a limited window leaves.
    pub(crate) fn rates_in_window(&self) -> Rates {
        let [old, new] = self.window_limited_bits_per_second;
        let full = self.rates();
        Rates { old: old.unwrap_or(full.old), new: new.unwrap_or(full.new) }
    }

    /// The outcome in seconds or bytes with another interruption.
    pub(crate) fn moves_with(&self, question: &Question, interruption: f64) -> f64 {
        let (load, way) = (load(question.traffic), Excursion { interruption, ..excursion(question) });
        in_units(load, transfer::moves(load, self.rates(), way))
    }
}

/// Convert bits into bytes; leave seconds unchanged.
fn in_units(load: Load, value: f64) -> f64 {
    if matches!(load, Load::File { .. }) { value } else { value / 8.0 }
}

/// The handover in seconds. Seeds delay it by half a round trip of the old link on average.
pub(crate) fn excursion(question: &Question) -> Excursion {
    Excursion {
        at: question.at.as_secs_f64() + question.from.round_trip.as_secs_f64() / 2.0,
        interruption: question.interruption.as_secs_f64(),
        stay: question.stay.map_or(f64::INFINITY, Duration::as_secs_f64),
    }
}
