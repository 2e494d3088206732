//! The closed form of a question.

use crate::link::AccessLink;
use crate::question::{Question, Traffic};
use seamline_model::loss::{cubic_window, reno_rate};
use seamline_model::transfer::{self, Excursion, Load, Rates};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::profile;
use seamline_wire::Duration;
use serde::Serialize;

/// IPv4 and TCP without options, in bytes.
const HEADERS: u32 = 40;
/// Of timestamps, padded (RFC 7323 appendix A).
const TIMESTAMPS: u32 = 12;
/// A retransmission timeout is about four round trips (RFC 5348 section 3.1).
const ROUND_TRIPS_OF_TIMEOUT: f64 = 4.0;
/// Segments for each acknowledgment (RFC 5681 section 4.2).
const ACKNOWLEDGED: f64 = 2.0;

/// What arithmetic says: links are full whenever they are there, and an interruption costs what it lasts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosedForm {
    /// Payload rate of the old and the new link in bit/s when they are full: headers left out.
    pub payload_bits_per_second: [f64; 2],
    /// What random losses alone would leave of them in the long run, in bit/s, where that is less; the other
    /// numbers leave it out.
    pub loss_limited_bits_per_second: [Option<f64>; 2],
    /// Staying: seconds until the file is there, or bytes within the horizon.
    pub stays: f64,
    /// Handing over: likewise.
    pub moves: f64,
    /// Seconds saved or bytes more.
    pub gain: f64,
    /// t*_MAX in seconds at the stay asked for.
    pub longest_interruption_s: Option<f64>,
    /// T_MIN in seconds at the interruption asked for.
    pub shortest_stay_s: Option<f64>,
}

/// Payload of a segment in bytes, and its packet's size.
pub(crate) fn segment(parameters: &Parameters) -> [f64; 2] {
    let segments = &parameters.segments;
    let options = if segments.timestamp_tick.is_some() { TIMESTAMPS } else { 0 };
    let size = u32::from(segments.maximum_segment_size);
    [f64::from(size - options), f64::from(size + HEADERS)]
}

/// The parameters of the profile that a question names.
pub(crate) fn parameters(question: &Question) -> Parameters {
    (profile::find(&question.profile).unwrap_or(&profile::RFC).parameters)()
}

/// What a link carries, and what losses leave of it, in bit/s of payload.
fn rates(question: &Question, link: &AccessLink) -> (f64, Option<f64>) {
    let [payload, packet] = segment(&parameters(question));
    let carries = link.rate.bits_per_second() as f64 * payload / packet;
    let round_trip = link.round_trip.as_secs_f64();
    let left = link.loss.filter(|loss| *loss > 0.0).map(|loss| {
        let segments = match question.variant.as_str() {
            "cubic" => cubic_window(loss, round_trip) / round_trip,
            _ => reno_rate(loss, round_trip, ROUND_TRIPS_OF_TIMEOUT * round_trip, ACKNOWLEDGED),
        };
        segments * payload * 8.0
    });
    (carries, left.filter(|left| *left < carries))
}

/// A question's load in bits.
pub(crate) fn load(traffic: Traffic) -> Load {
    match traffic {
        Traffic::File(bytes) => Load::File { bits: bytes as f64 * 8.0 },
        Traffic::Horizon(span) => Load::Horizon { seconds: span.as_secs_f64() },
    }
}

impl ClosedForm {
    /// Of a question.
    pub(crate) fn of(question: &Question) -> Self {
        let links = [&question.from, &question.to].map(|link| rates(question, link));
        let form = ClosedForm {
            payload_bits_per_second: links.map(|(carries, _)| carries),
            loss_limited_bits_per_second: links.map(|(_, left)| left),
            stays: 0.0,
            moves: 0.0,
            gain: 0.0,
            longest_interruption_s: None,
            shortest_stay_s: None,
        };
        let (load, rates, way) = (load(question.traffic), form.rates(), excursion(question));
        let (stays, moves) = match load {
            Load::File { bits } => (bits / rates.old, transfer::transfer_time(bits, rates, way)),
            Load::Horizon { seconds } => {
                (rates.old * seconds / 8.0, transfer::delivered(seconds, rates, way) / 8.0)
            }
        };
        ClosedForm {
            stays,
            moves,
            gain: if matches!(load, Load::File { .. }) { stays - moves } else { moves - stays },
            longest_interruption_s: transfer::longest_interruption(load, rates, way),
            shortest_stay_s: transfer::shortest_stay(load, rates, way),
            ..form
        }
    }

    /// The least rate to reckon with, in bit/s.
    pub(crate) fn slowest(&self) -> f64 {
        let left = self.loss_limited_bits_per_second.into_iter().flatten();
        self.payload_bits_per_second.into_iter().chain(left).fold(f64::INFINITY, f64::min)
    }

    /// The rates it assumes.
    pub(crate) fn rates(&self) -> Rates {
        let [old, new] = self.payload_bits_per_second;
        Rates { old, new }
    }

    /// Seconds or bytes with another interruption.
    pub(crate) fn moves_with(&self, question: &Question, interruption: f64) -> f64 {
        let way = Excursion { interruption, ..excursion(question) };
        match load(question.traffic) {
            Load::File { bits } => transfer::transfer_time(bits, self.rates(), way),
            Load::Horizon { seconds } => transfer::delivered(seconds, self.rates(), way) / 8.0,
        }
    }
}

/// The handover in seconds. Seeds add half a round trip of the old link to its time on average.
pub(crate) fn excursion(question: &Question) -> Excursion {
    Excursion {
        at: question.at.as_secs_f64() + question.from.round_trip.as_secs_f64() / 2.0,
        interruption: question.interruption.as_secs_f64(),
        stay: question.stay.map_or(f64::INFINITY, Duration::as_secs_f64),
    }
}
