//! What a flow may change of its profile's parameters: `tcp = { minimum_rto = "200 ms" }`, and a scheme's
//! own parameters in the scheme's own table: `vegas = { alpha = 2 }`. What is done about moves: [`moving`].

use super::{loss_notification, moving};
use crate::codes::Code;
use crate::reader::{Reader, boolean, integer, number};
use crate::units::{self, Complaint};
use seamline_tcp::parameters::{DelayedAcknowledgment, Parameters};
use seamline_tcp::recovery::SpuriousDetection;
use seamline_tcp::rtt::Estimator;
use seamline_wire::Duration;

/// Read every table of parameters that is there.
pub(super) fn read_parameters(reader: &mut Reader<'_>, parameters: &mut Parameters) {
    if let Some(table) = reader.table("tcp") {
        read_tcp(table, parameters);
    }
    if let Some(table) = reader.table("vegas") {
        read_vegas(table, parameters);
    }
    if let Some(table) = reader.table("westwood") {
        read_westwood(table, parameters);
    }
    if let Some(table) = reader.table("westwood_plus") {
        read_westwood_plus(table, parameters);
    }
    if let Some(table) = reader.table("cubic") {
        read_cubic(table, parameters);
    }
    if let Some(table) = reader.table("loss_notification") {
        loss_notification::read(table, &mut parameters.loss_notification);
    }
    moving::read(reader, parameters);
}

pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

pub(crate) const ESTIMATORS: &[(&str, Estimator)] =
    &[("rfc 6298", Estimator::RFC_6298), ("karn-partridge", Estimator::KARN_PARTRIDGE)];

fn read_estimator(reader: &mut Reader<'_>, estimator: &mut Estimator) {
    set(estimator, reader.choice("rto_estimator", ESTIMATORS));
    let smoothing = reader.optional("rto_smoothing", number(0.0, 1.0));
    match (smoothing, estimator) {
        (Some(value), Estimator::KarnPartridge { smoothing }) => *smoothing = value,
        (Some(_), _) => {
            let complaint = Complaint::new("only one estimator has such a weight")
                .code(Code::Conflict)
                .tip("add rto_estimator = \"karn-partridge\"");
            let span = reader.span_of(&["rto_smoothing"]);
            reader.refuse("rto_smoothing", span, complaint);
        }
        (None, _) => {}
    }
}

fn read_tcp(mut reader: Reader<'_>, parameters: &mut Parameters) {
    read_estimator(&mut reader, &mut parameters.round_trip.estimator);
    let round_trip = &mut parameters.round_trip;
    set(&mut round_trip.minimum_timeout, reader.optional("minimum_rto", units::duration));
    set(&mut round_trip.maximum_timeout, reader.optional("maximum_rto", units::positive_duration));
    set(&mut round_trip.initial_timeout, reader.optional("initial_rto", units::positive_duration));
    if round_trip.minimum_timeout > round_trip.maximum_timeout {
        let complaint = Complaint::new(format!("the maximum is {}", round_trip.maximum_timeout));
        let span = reader.span_of(&["minimum_rto", "maximum_rto"]);
        reader.refuse("minimum_rto", span, complaint);
    }
    let limit = reader.optional("window_limit", integer(1, i64::from(u32::MAX)));
    if let Some(limit) = limit.and_then(|limit| u32::try_from(limit).ok()) {
        parameters.limit_window(limit);
    }
    let window = &mut parameters.window;
    set(&mut window.initial, reader.optional("initial_window", number(1.0, 1e6)));
    set(&mut window.initial_threshold, reader.optional("initial_threshold", number(1.0, 1e9)));
    let recovery = &mut parameters.recovery;
    set(&mut recovery.limited_transmit, reader.optional("limited_transmit", boolean));
    let threshold = reader.optional("duplicate_threshold", integer(1, 1000));
    set(&mut recovery.duplicate_threshold, threshold.and_then(|count| u32::try_from(count).ok()));
    if let Some(undo) = reader.optional("undo_cuts", boolean) {
        recovery.spurious_detection =
            if undo { SpuriousDetection::TimestampsAndDuplicates } else { SpuriousDetection::None };
        parameters.receiver.reports_duplicates = undo;
    }
    read_segments(&mut reader, parameters);
    reader.finish();
}

fn read_segments(reader: &mut Reader<'_>, parameters: &mut Parameters) {
    let segments = &mut parameters.segments;
    let size = reader.optional("segment_size", |node| match units::bytes(node)? {
        size @ 64..=65_495 => Ok(size as u16),
        _ => Err(Complaint::new("must be between 64 and 65495 bytes").code(Code::OutOfBounds)),
    });
    set(&mut segments.maximum_segment_size, size);
    set(&mut segments.selective_acknowledgments, reader.optional("sack", boolean));
    set(&mut segments.nagle, reader.optional("nagle", boolean));
    if let Some(timestamps) = reader.optional("timestamps", boolean) {
        let tick = segments.timestamp_tick.unwrap_or(Duration::from_millis(1));
        segments.timestamp_tick = timestamps.then_some(tick);
    }
    let buffer = reader.optional("receive_buffer", |node| match units::bytes(node)? {
        size @ 1..=0x3fff_c000 => Ok(size as u32),
        _ => Err(Complaint::new("must be between 1 byte and 1 GiB, what RFC 7323 can offer")
            .code(Code::OutOfBounds)),
    });
    if let Some(buffer) = buffer {
        parameters.set_receive_buffer(buffer);
    }
    let receiver = &mut parameters.receiver;
    if let Some(timeout) = reader.optional("delayed_ack", units::duration) {
        let segments = receiver.delayed_acknowledgment.map_or(2, |delayed| delayed.segments);
        receiver.delayed_acknowledgment =
            (!timeout.is_zero()).then_some(DelayedAcknowledgment { timeout, segments });
    }
}

fn read_vegas(mut reader: Reader<'_>, parameters: &mut Parameters) {
    set(&mut parameters.ns2().vegas.rounds_difference, reader.optional("rounds_difference", boolean));
    let vegas = &mut parameters.vegas;
    set(&mut vegas.alpha, reader.optional("alpha", number(0.0, 1e6)));
    set(&mut vegas.beta, reader.optional("beta", number(0.0, 1e6)));
    set(&mut vegas.gamma, reader.optional("gamma", number(0.0, 1e6)));
    if vegas.alpha > vegas.beta {
        let complaint = Complaint::new(format!("alpha {} is above beta {}", vegas.alpha, vegas.beta));
        let span = reader.span_of(&["alpha", "beta"]);
        reader.refuse("alpha", span, complaint);
    }
    reader.finish();
}

fn read_westwood(mut reader: Reader<'_>, parameters: &mut Parameters) {
    let westwood = &mut parameters.westwood;
    let constant = reader.optional("filter_time_constant", units::positive_duration);
    set(&mut westwood.filter_time_constant, constant);
    let samples = reader.optional("virtual_samples_per_time_constant", integer(2, 1_000_000));
    set(&mut westwood.virtual_samples_per_time_constant, samples.and_then(|count| u64::try_from(count).ok()));
    reader.finish();
}

fn read_westwood_plus(mut reader: Reader<'_>, parameters: &mut Parameters) {
    let shortest = reader.optional("shortest_sample", units::positive_duration);
    set(&mut parameters.westwood_plus.shortest_sample, shortest);
    reader.finish();
}

fn read_cubic(mut reader: Reader<'_>, parameters: &mut Parameters) {
    let cubic = &mut parameters.cubic;
    set(&mut cubic.aggressiveness, reader.optional("aggressiveness", number(1e-6, 1e6)));
    set(&mut cubic.decrease, reader.optional("decrease", number(0.01, 0.99)));
    set(&mut cubic.fast_convergence, reader.optional("fast_convergence", boolean));
    reader.finish();
}
