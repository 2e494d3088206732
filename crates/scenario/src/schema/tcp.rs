//! What a flow may change of its profile's parameters: `tcp = { minimum_rto = "200 ms" }`, and the parameters of an algorithm
//! in its own table: `vegas = { alpha = 2 }`. Those of handover schemes: [`moving`].

use super::{added, choices, loss_notification, moving};
use crate::keys::{Keys, boolean, choice, named, number, positive_time, size_within, table, time, whole};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_tcp::cc::{
    BbrParameters, CubicParameters, LeoCcParameters, SlowStart, VegasParameters, WestwoodParameters,
    WestwoodPlusParameters,
};
use seamline_tcp::parameters::{DelayedAcknowledgment, Parameters};
use seamline_tcp::recovery::{DcrParameters, SpuriousDetection};
use seamline_tcp::rtt::Estimator;
use seamline_tcp::{EcnUse, backoff};
use seamline_wire::Duration;

/// Every table of parameters.
pub(super) fn parameters() -> Keys<'static, Parameters> {
    let keys = table! { Parameters;
        part tcp (self): tcp(), "What differs from the profile";
        part vegas (congestion_control.vegas): vegas(), "Parameters of Vegas";
        part westwood (congestion_control.westwood): westwood(), "Parameters of Westwood";
        part westwood_plus (congestion_control.westwood_plus): westwood_plus(), "Parameters of Westwood+";
        part bbr (congestion_control.bbr): bbr(), "Parameters of BBR, version 1";
        part leocc (congestion_control.leocc): leocc(), "Parameters of LeoCC";
        part dcr (recovery.dcr): dcr(), "Parameters of TCP-DCR";
        part cubic (congestion_control.cubic): cubic(), "Parameters of CUBIC";
        part loss_notification: loss_notification::keys(), "Losses over the air are distinguished from congestion";
        .with(moving::keys(), |it| it);
        part ns2 (self): ns2(), "Behaviour of ns-2, only for comparisons with it";
        .historical();
    };
    added::extend(keys)
}

const ESTIMATORS: &[(&str, Estimator)] =
    &[("rfc 6298", Estimator::RFC_6298), ("karn-partridge", Estimator::KARN_PARTRIDGE)];

const ECN: &[(&str, EcnUse)] = &[
    ("off", EcnUse::Off),
    ("on request", EcnUse::OnRequest),
    ("on", EcnUse::On),
    ("accurate", EcnUse::Accurate),
];

const SLOW_STARTS: &[(&str, SlowStart)] = &[
    ("standard", SlowStart::Standard),
    ("hystart", SlowStart::HyStart),
    ("hystart++", SlowStart::HyStartPlusPlus),
];

fn tcp<'a>() -> Keys<'a, Parameters> {
    let receive_buffer =
        size_within(1, 0x3fff_c000, "must be between 1 byte and 1 GiB, what RFC 7323 can offer");
    let segment_size = size_within(64, 65_495, "must be between 64 and 65495 bytes");
    table! { Parameters;
        .definition("tcp");
        .about("Defaults are those of the profile `linux-6.12`");
        key rto_estimator (round_trip.estimator): choice(ESTIMATORS), "Estimator of the retransmission timeout";
        property rto_smoothing: number(0.0, 1.0), "Weight of the past in `karn-partridge`", |_, _| None, set_smoothing;
        key minimum_rto (round_trip.minimum_timeout): time(), "Minimum retransmission timeout";
        key maximum_rto (round_trip.maximum_timeout): positive_time(), "Maximum retransmission timeout";
        key initial_rto (round_trip.initial_timeout): positive_time(), "Retransmission timeout before the first sample";
        property rto_backoff: named(choices!(backoff::ALL)), "What timeouts in a row do to the retransmission timeout", show_backoff, set_backoff;
        key rtt_by_timestamps (round_trip.by_timestamps): boolean(), "Round-trip times are those of echoed timestamps, as in BSD, not from when a segment was sent; not with the recovery `rack`";
        property window_limit: whole(1, i64::from(u32::MAX)), "Maximum window in segments", |_, _| None, |it, segments| it.limit_window(segments);
        key initial_window (window.initial): number(1.0, 1e6), "Initial window in segments";
        key initial_threshold (window.initial_threshold): number(1.0, 1e9), "Initial slow start threshold in segments";
        property slow_start: choice(SLOW_STARTS), "What ends slow start before a loss does; by default HyStart with CUBIC, nothing with Reno", |_, _| None, set_slow_start;
        key limited_transmit (recovery.limited_transmit): boolean(), "Send new segments on the first duplicate acknowledgments (RFC 3042)";
        key duplicate_threshold (recovery.duplicate_threshold): whole(1, 1000), "Number of duplicate acknowledgments that indicate a loss";
        property undo_cuts: boolean(), "Undo the window reduction of a spurious recovery, by timestamps and D-SACK (RFC 4015)", |it, show| show(&it.receiver.reports_duplicates), undo_cuts;
        key segment_size (segments.maximum_segment_size): segment_size, "Payload of a full segment";
        key sack (segments.selective_acknowledgments): boolean(), "Selective acknowledgments (RFC 2018)";
        property timestamps: boolean(), "Timestamps (RFC 7323)", |it, show| show(&it.segments.timestamp_tick.is_some()), set_timestamps;
        key ecn (segments.ecn): choice(ECN), "Explicit congestion notification (RFC 3168); `accurate` with counts (RFC 9768)";
        key nagle (segments.nagle): boolean(), "Wait for full segments while data is outstanding (RFC 896)";
        key transactions (connection.transactions): boolean(), "TCP for Transactions (RFC 1644, historic): data with the SYN to a host that is known already";
        key pacing (segments.paced): boolean(), "Spread segments over the round-trip time, as Linux does with the queue discipline `fq`";
        property receive_buffer: receive_buffer, "Receive buffer", |it, show| show(&it.receiver.buffer), |it, bytes| it.set_receive_buffer(bytes);
        property delayed_ack: time(), "Maximum delay of acknowledgments; `0 s` sends each at once", show_delay, set_delay;
        property duplicate_ack_delay: time(), "Delay of the third and further duplicate acknowledgments, which a repair of the link layer replaces (delayed duplicate acknowledgments); `0 s` sends each at once", |it, show| show(&it.receiver.duplicate_delay.unwrap_or_default()), |it, delay: Duration| it.receiver.duplicate_delay = (!delay.is_zero()).then_some(delay);
    }
    .check(refuse_mismatches)
}

fn set_smoothing(parameters: &mut Parameters, weight: f64) {
    if let Estimator::KarnPartridge { smoothing } = &mut parameters.round_trip.estimator {
        *smoothing = weight;
    }
}

fn show_backoff(
    parameters: &mut Parameters,
    show: &dyn Fn(&&'static str) -> Option<String>,
) -> Option<String> {
    let most = parameters.round_trip.most_doublings;
    show(&backoff::ALL.iter().find(|it| it.most_doublings == most)?.name)
}

fn set_backoff(parameters: &mut Parameters, name: &'static str) {
    if let Some(backoff) = backoff::find(name) {
        parameters.round_trip.most_doublings = backoff.most_doublings;
    }
}

fn set_slow_start(parameters: &mut Parameters, slow_start: SlowStart) {
    parameters.window.slow_start = Some(slow_start);
    parameters.window.whole_segments = true;
}

fn set_timestamps(parameters: &mut Parameters, timestamps: bool) {
    let tick = parameters.segments.timestamp_tick.unwrap_or(Duration::from_millis(1));
    parameters.segments.timestamp_tick = timestamps.then_some(tick);
}

fn undo_cuts(parameters: &mut Parameters, undo: bool) {
    parameters.recovery.spurious_detection =
        if undo { SpuriousDetection::TimestampsAndDuplicates } else { SpuriousDetection::None };
    parameters.receiver.reports_duplicates = undo;
}

fn show_delay(parameters: &mut Parameters, show: &dyn Fn(&Duration) -> Option<String>) -> Option<String> {
    let longest = |it: &DelayedAcknowledgment| it.adaptive.map_or(it.timeout, |adaptive| adaptive.longest);
    show(&parameters.receiver.delayed_acknowledgment.as_ref().map_or(Duration::ZERO, longest))
}

fn set_delay(parameters: &mut Parameters, timeout: Duration) {
    let receiver = &mut parameters.receiver;
    let usual = DelayedAcknowledgment { timeout, segments: 2, adaptive: None };
    let mut delayed = receiver.delayed_acknowledgment.unwrap_or(usual);
    match &mut delayed.adaptive {
        Some(adaptive) => {
            adaptive.longest = timeout;
            delayed.timeout = delayed.timeout.min(timeout);
        }
        None => delayed.timeout = timeout,
    }
    receiver.delayed_acknowledgment = (!timeout.is_zero()).then_some(delayed);
}

fn refuse_mismatches(reader: &mut Reader<'_>, parameters: &mut Parameters) {
    let round_trip = &parameters.round_trip;
    if reader.has("rto_smoothing") && !matches!(round_trip.estimator, Estimator::KarnPartridge { .. }) {
        let complaint = Complaint::conflict("only one estimator has such a weight")
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
    table! { VegasParameters;
        key alpha: number(0.0, 1e6), "Lower bound of queued segments: below it the window grows";
        key beta: number(0.0, 1e6), "Upper bound of queued segments: above it the window shrinks";
        key gamma: number(0.0, 1e6), "Queued segments at which slow start ends";
    }
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
    table! { Parameters;
        .about("Only for comparisons with ns-2");
        key vegas_rounds_difference (ns2().vegas.rounds_difference): boolean(), "Vegas compares its queue estimate in whole segments; on in the profiles of ns-2";
        key first_marked_duplicate_repairs (ns2().first_marked_duplicate_repairs): boolean(), "Loss notifications count on duplicate acknowledgments only, and the first of them retransmits, as with `eln_`";
    }
}

fn westwood<'a>() -> Keys<'a, WestwoodParameters> {
    table! { WestwoodParameters;
        key filter_time_constant: positive_time(), "Time constant of the bandwidth filter";
        key virtual_samples_per_time_constant: whole(2, 1_000_000), "Virtual samples per time constant while nothing arrives";
    }
}

fn westwood_plus<'a>() -> Keys<'a, WestwoodPlusParameters> {
    table! { WestwoodPlusParameters;
        key shortest_sample: positive_time(), "Minimum time over which bandwidth is measured";
    }
}

fn bbr<'a>() -> Keys<'a, BbrParameters> {
    table! { BbrParameters;
        key cycle_starts: whole(0, 7).one_or_many(), "Where in the cycle of pacing gains each stay in PROBE_BW begins, in turn: 0 probes, 1 drains, 2 to 7 cruise; Linux draws it, here it follows from the time after the last";
    }
}

fn leocc<'a>() -> Keys<'a, LeoCcParameters> {
    table! { LeoCcParameters;
        key first_reconfiguration: time(), "When the first reconfiguration of the satellites comes, from the beginning of the run";
        key reconfigured_every: time(), "Time from one reconfiguration to the next; `0 s`: only a handover scheme reports them";
        key fluctuation: time(), "How much round-trip times vary without a queue";
    }
}

fn dcr<'a>() -> Keys<'a, DcrParameters> {
    table! { DcrParameters;
        key delay: number(0.0, 100.0), "How long the response to duplicate acknowledgments is delayed, in round-trip times";
    }
}

fn cubic<'a>() -> Keys<'a, CubicParameters> {
    table! { CubicParameters;
        key aggressiveness: number(1e-6, 1e6), "C of RFC 9438";
        key decrease: number(0.01, 0.99), "Factor of the window after a loss (RFC 9438: beta)";
        key fast_convergence: boolean(), "Release bandwidth to new flows (RFC 9438 section 4.7)";
    }
}
