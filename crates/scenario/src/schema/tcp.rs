//! What a flow may change of its profile's parameters: `tcp = { minimum_rto = "200 ms" }`, and the parameters of an algorithm
//! in its own table: `vegas = { alpha = 2 }`. Those of handover schemes: [`moving`].

use super::{loss_notification, moving};
use crate::codes::Code;
use crate::keys::{Keys, boolean, choice, number, positive_time, size_within, time, whole};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_tcp::cc::{CubicParameters, VegasParameters, WestwoodParameters, WestwoodPlusParameters};
use seamline_tcp::parameters::{DelayedAcknowledgment, Parameters};
use seamline_tcp::recovery::SpuriousDetection;
use seamline_tcp::rtt::Estimator;
use seamline_wire::Duration;

/// Every table of parameters.
pub(super) fn parameters<'a>() -> Keys<'a, Parameters> {
    Keys::new()
        .part("tcp", "What differs from the profile", tcp(), |it: &mut Parameters| it)
        .part("vegas", "Parameters of Vegas", vegas(), |it| &mut it.vegas)
        .part("westwood", "Parameters of Westwood", westwood(), |it| &mut it.westwood)
        .part("westwood_plus", "Parameters of Westwood+", westwood_plus(), |it| &mut it.westwood_plus)
        .part("cubic", "Parameters of CUBIC", cubic(), |it| &mut it.cubic)
        .part(
            "loss_notification",
            "Losses on the air are told apart from congestion",
            loss_notification::keys(),
            |it| &mut it.loss_notification,
        )
        .with(moving::keys(), |it| it)
        .part("ns2", "Behaviour of ns-2, only for comparisons with it", ns2(), |it| it)
}

const ESTIMATORS: &[(&str, Estimator)] =
    &[("rfc 6298", Estimator::RFC_6298), ("karn-partridge", Estimator::KARN_PARTRIDGE)];

fn tcp<'a>() -> Keys<'a, Parameters> {
    let receive_buffer =
        size_within(1, 0x3fff_c000, "must be between 1 byte and 1 GiB, what RFC 7323 can offer");
    let segment_size = size_within(64, 65_495, "must be between 64 and 65495 bytes");
    Keys::new()
        .definition("tcp")
        .about("Defaults are those of the profile `rfc`")
        .key(
            "rto_estimator",
            "Estimator of the retransmission timeout",
            choice(ESTIMATORS),
            |it: &mut Parameters| &mut it.round_trip.estimator,
        )
        .property(
            "rto_smoothing",
            "Weight of the past in `karn-partridge`",
            number(0.0, 1.0),
            |_, _| None,
            set_smoothing,
        )
        .key("minimum_rto", "Minimum retransmission timeout", time(), |it| &mut it.round_trip.minimum_timeout)
        .key("maximum_rto", "Maximum retransmission timeout", positive_time(), |it| {
            &mut it.round_trip.maximum_timeout
        })
        .key("initial_rto", "Retransmission timeout before the first sample", positive_time(), |it| {
            &mut it.round_trip.initial_timeout
        })
        .property(
            "window_limit",
            "Maximum window in segments",
            whole(1, i64::from(u32::MAX)),
            |_, _| None,
            |it, segments| it.limit_window(segments),
        )
        .key("initial_window", "Initial window in segments", number(1.0, 1e6), |it| &mut it.window.initial)
        .key("initial_threshold", "Initial slow start threshold in segments", number(1.0, 1e9), |it| {
            &mut it.window.initial_threshold
        })
        .key(
            "limited_transmit",
            "Send new segments on the first duplicate acknowledgments (RFC 3042)",
            boolean(),
            |it| &mut it.recovery.limited_transmit,
        )
        .key("duplicate_threshold", "Duplicate acknowledgments that mean a loss", whole(1, 1000), |it| {
            &mut it.recovery.duplicate_threshold
        })
        .property(
            "undo_cuts",
            "Undo the window cut of a spurious recovery, by timestamps and D-SACK (RFC 4015)",
            boolean(),
            |it, show| show(&it.receiver.reports_duplicates),
            undo_cuts,
        )
        .key("segment_size", "Payload of a full segment", segment_size, |it| {
            &mut it.segments.maximum_segment_size
        })
        .key("sack", "Selective acknowledgments (RFC 2018)", boolean(), |it| {
            &mut it.segments.selective_acknowledgments
        })
        .property(
            "timestamps",
            "Timestamps (RFC 7323)",
            boolean(),
            |it, show| show(&it.segments.timestamp_tick.is_some()),
            |it, timestamps: bool| {
                let tick = it.segments.timestamp_tick.unwrap_or(Duration::from_millis(1));
                it.segments.timestamp_tick = timestamps.then_some(tick);
            },
        )
        .key("nagle", "Wait for full segments while data is outstanding (RFC 896)", boolean(), |it| {
            &mut it.segments.nagle
        })
        .property(
            "receive_buffer",
            "Receive buffer",
            receive_buffer,
            |it, show| show(&it.receiver.buffer),
            |it, bytes| it.set_receive_buffer(bytes),
        )
        .property(
            "delayed_ack",
            "Maximum delay of acknowledgments; `0 s` sends each at once",
            time(),
            show_delay,
            set_delay,
        )
        .check(refuse_mismatches)
}

fn set_smoothing(parameters: &mut Parameters, weight: f64) {
    if let Estimator::KarnPartridge { smoothing } = &mut parameters.round_trip.estimator {
        *smoothing = weight;
    }
}

fn undo_cuts(parameters: &mut Parameters, undo: bool) {
    parameters.recovery.spurious_detection =
        if undo { SpuriousDetection::TimestampsAndDuplicates } else { SpuriousDetection::None };
    parameters.receiver.reports_duplicates = undo;
}

fn show_delay(parameters: &mut Parameters, show: &dyn Fn(&Duration) -> Option<String>) -> Option<String> {
    let delayed = parameters.receiver.delayed_acknowledgment.as_ref();
    show(&delayed.map_or(Duration::ZERO, |delayed| delayed.timeout))
}

fn set_delay(parameters: &mut Parameters, timeout: Duration) {
    let receiver = &mut parameters.receiver;
    let segments = receiver.delayed_acknowledgment.map_or(2, |delayed| delayed.segments);
    receiver.delayed_acknowledgment =
        (!timeout.is_zero()).then_some(DelayedAcknowledgment { timeout, segments });
}

fn refuse_mismatches(reader: &mut Reader<'_>, parameters: &mut Parameters) {
    let round_trip = &parameters.round_trip;
    if reader.has("rto_smoothing") && !matches!(round_trip.estimator, Estimator::KarnPartridge { .. }) {
        let complaint = Complaint::new("only one estimator has such a weight")
            .code(Code::Conflict)
            .tip("add rto_estimator = \"karn-partridge\"");
        reader.refuse_value("rto_smoothing", complaint);
    }
    if round_trip.minimum_timeout > round_trip.maximum_timeout {
        let complaint = Complaint::new(format!("the maximum is {}", round_trip.maximum_timeout));
        let span = reader.span_of(&["minimum_rto", "maximum_rto"]);
        reader.refuse("minimum_rto", span, complaint);
    }
}

fn vegas<'a>() -> Keys<'a, VegasParameters> {
    Keys::new()
        .key(
            "alpha",
            "Lower bound of queued segments: below it the window grows",
            number(0.0, 1e6),
            |it: &mut VegasParameters| &mut it.alpha,
        )
        .key("beta", "Upper bound of queued segments: above it the window shrinks", number(0.0, 1e6), |it| {
            &mut it.beta
        })
        .key("gamma", "Queued segments at which slow start ends", number(0.0, 1e6), |it| &mut it.gamma)
        .replaced("rounds_difference", "`ns2 = { vegas_rounds_difference = ... }` in the flow")
        .check(|reader, vegas| {
            if vegas.alpha > vegas.beta {
                let complaint = Complaint::new(format!("alpha {} is above beta {}", vegas.alpha, vegas.beta));
                let span = reader.span_of(&["alpha", "beta"]);
                reader.refuse("alpha", span, complaint);
            }
        })
}

fn ns2<'a>() -> Keys<'a, Parameters> {
    Keys::new().about("Only for comparisons with ns-2").key(
        "vegas_rounds_difference",
        "Vegas compares its queue estimate in whole segments; on in the profiles of ns-2",
        boolean(),
        |it: &mut Parameters| &mut it.vegas.rounds_difference,
    )
}

fn westwood<'a>() -> Keys<'a, WestwoodParameters> {
    Keys::new()
        .key(
            "filter_time_constant",
            "Time constant of the bandwidth filter",
            positive_time(),
            |it: &mut WestwoodParameters| &mut it.filter_time_constant,
        )
        .key(
            "virtual_samples_per_time_constant",
            "Virtual samples per time constant while nothing arrives",
            whole(2, 1_000_000),
            |it| &mut it.virtual_samples_per_time_constant,
        )
}

fn westwood_plus<'a>() -> Keys<'a, WestwoodPlusParameters> {
    Keys::new().key(
        "shortest_sample",
        "Minimum time over which bandwidth is measured",
        positive_time(),
        |it: &mut WestwoodPlusParameters| &mut it.shortest_sample,
    )
}

fn cubic<'a>() -> Keys<'a, CubicParameters> {
    Keys::new()
        .key("aggressiveness", "C of RFC 9438", number(1e-6, 1e6), |it: &mut CubicParameters| {
            &mut it.aggressiveness
        })
        .key("decrease", "Factor of the window after a loss (RFC 9438: beta)", number(0.01, 0.99), |it| {
            &mut it.decrease
        })
        .key("fast_convergence", "Release bandwidth to new flows (RFC 9438 section 4.7)", boolean(), |it| {
            &mut it.fast_convergence
        })
}
