//! Parameters of the handover schemes, each scheme in its own table: `freeze = { acknowledgments = 3 }`.

use crate::codes::Code;
use crate::keys::{Keys, boolean, choice, number, positive_time, table, time, whole};
use crate::units::Complaint;
use seamline_tcp::cc::CarefulResumeParameters;
use seamline_tcp::handover::{
    AckBufferingParameters, AfterReconnection, CrossLayerParameters, DemoVegasParameters, EhnParameters,
    ElfnParameters, FreezeParameters, GoOnWith, MobilityVegasParameters, OnePerRoundTrip, Release,
    ResumeWith, SatcpParameters, TrAcksParameters, WithoutProduct,
};
use seamline_tcp::parameters::Parameters;

pub(super) fn keys<'a>() -> Keys<'a, Parameters> {
    table! { Parameters;
        part ack_buffering (handover.ack_buffering): ack_buffering(), "Parameters of the mobile node that buffers acknowledgments";
        part careful_resume: careful_resume(), "Careful Resume (RFC 9959): what is remembered of the path, at the beginning or over a handover";
        part cross_layer (handover.cross_layer): cross_layer(), "Parameters of the cross-layer adaptations";
        part demo_vegas (handover.demo_vegas): demo_vegas(), "Parameters of Demo-Vegas";
        part eclair_restore (handover.eclair_restore): cross_layer(), "Parameters of the original ECLAIR";
        part ehn (handover.ehn): ehn(), "Parameters of explicit handover notification";
        part elfn (handover.elfn): elfn(), "Parameters of explicit link failure notification";
        part freeze (handover.freeze): freeze(), "Parameters of Freeze-TCP, without and with timestamps";
        part mobility_vegas (handover.mobility_vegas): mobility_vegas(), "Parameters of Mobility-Vegas";
        part satcp (handover.satcp): satcp(), "Parameters of SaTCP";
        part tcp_md (handover.tcp_md): freeze(), "Parameters of TCP-MD";
        part tcp_r (handover.tcp_r): freeze(), "Parameters of TCP-R";
        part tr_acks (handover.tr_acks): tr_acks(), "Parameters of triplicate acknowledgments";
    }
}

const ONE_PER_ROUND_TRIP: &[(&str, OnePerRoundTrip)] =
    &[("acknowledgment", OnePerRoundTrip::Acknowledgment), ("timer", OnePerRoundTrip::Timer)];
const RELEASE: &[(&str, Release)] = &[("all", Release::All), ("last", Release::Last)];
const GO_ON: &[(&str, GoOnWith)] = &[
    ("previous window", GoOnWith::PreviousWindow),
    ("slow start", GoOnWith::SlowStart),
    ("paced window", GoOnWith::PacedWindow),
];
const WITHOUT_PRODUCT: &[(&str, WithoutProduct)] =
    &[("arbitrarily high", WithoutProduct::ArbitrarilyHigh), ("unchanged", WithoutProduct::AsItWas)];
const RESUME: &[(&str, ResumeWith)] = &[
    ("previous window", ResumeWith::PreviousWindow),
    ("slow start", ResumeWith::SlowStart),
    ("adjusted window", ResumeWith::AdjustedWindow),
];
const AFTER: &[(&str, AfterReconnection)] =
    &[("recovery", AfterReconnection::Recovery), ("slow start", AfterReconnection::SlowStart)];

const LONGEST: &str = "Longest disconnection; after it the notification of its end counts as lost";
const NOTICE_INTERVAL: &str =
    "Time from the first notification to the second; it doubles with each further one";

fn ack_buffering<'a>() -> Keys<'a, AckBufferingParameters> {
    table! { AckBufferingParameters;
        key pre_buffer: time(), "How long before a predicted handover acknowledgments are held";
        key timeout: positive_time(), "How long to wait for a handover after its predicted time";
        key longest_disconnection: positive_time(), LONGEST;
    }
}

fn careful_resume<'a>() -> Keys<'a, CarefulResumeParameters> {
    table! { CarefulResumeParameters;
        key saved_window: number(0.0, 1e9), "Capacity remembered at the beginning of a connection, in segments (saved_cwnd); 0 for none";
        key saved_round_trip_time: time(), "Smallest round-trip time with it (saved_rtt)";
        key largest_jump: number(1.0, 1e9), "Largest window to jump to, in segments (max_jump)";
        key decrease: number(0.5, 1.0), "Factor of the measured capacity that becomes the slow start threshold after a retreat (Beta)";
        key lifetime: positive_time(), "How long the handover scheme may use what it has observed (Lifetime)";
    }
    .check(|reader, it| {
        if it.saved_window > 0.0 && it.saved_round_trip_time.is_zero() {
            let complaint = Complaint::new("without a round-trip time the path cannot be confirmed")
                .code(Code::Missing)
                .tip("add saved_round_trip_time = \"600 ms\"");
            reader.refuse_value("saved_window", complaint);
        }
    })
}

fn cross_layer<'a>() -> Keys<'a, CrossLayerParameters> {
    table! { CrossLayerParameters;
        key freeze: boolean(), "Freeze the flow while the access router changes";
        key reset_round_trip: boolean(), "Discard the smoothed round-trip time after a change";
        key restart: boolean(), "Slow start from one segment to the bandwidth-delay product of the new link";
        key restore: boolean(), "Restore the window from before the change";
        key without_product: choice(WITHOUT_PRODUCT), "Slow start threshold when that product is unknown";
        key notices: whole(1, 100), "Maximum number of notifications of the new link";
        key notice_interval: positive_time(), NOTICE_INTERVAL;
        key timeout: positive_time(), "How long to wait for a change after its predicted time";
        key longest_disconnection: positive_time(), LONGEST;
    }
    .replaced("patience", "`timeout`")
}

fn demo_vegas<'a>() -> Keys<'a, DemoVegasParameters> {
    table! { DemoVegasParameters;
        key marked_segments: whole(1, 100), "Number of segments after the handover that carry the mark";
    }
}

fn ehn<'a>() -> Keys<'a, EhnParameters> {
    table! { EhnParameters; key resume_with: choice(RESUME), "Window after the handover"; }
}

fn elfn<'a>() -> Keys<'a, ElfnParameters> {
    table! { ElfnParameters; key probe_interval: positive_time(), "Time between the probes of a sender that stands by"; }
}

fn freeze<'a>() -> Keys<'a, FreezeParameters> {
    table! { FreezeParameters;
        key acknowledgments: whole(1, 100), "Acknowledgments sent at once after the handover";
        key timeout: positive_time(), "How long to wait for a disconnection after its predicted time";
        key longest_disconnection: positive_time(), LONGEST;
    }
    .replaced("patience", "`timeout`")
}

fn mobility_vegas<'a>() -> Keys<'a, MobilityVegasParameters> {
    table! { MobilityVegasParameters;
        key one_per_round_trip: choice(ONE_PER_ROUND_TRIP), "What releases the one packet per round trip";
        key announce_at_once: boolean(), "Announce a handover in an acknowledgment of its own";
        key resume_with: choice(GO_ON), "Window after a handover";
        key goes_back: boolean(), "Send everything outstanding again after a handover";
        key release: choice(RELEASE), "Which of the acknowledgments held back are sent";
        key remeasure: boolean(), "Measure BaseRTT again after a handover";
        key notices: whole(1, 100), "Maximum number of notifications of the new link";
        key notice_interval: positive_time(), NOTICE_INTERVAL;
        key timeout: positive_time(), "How long to wait for a handover after its predicted time";
        key longest_disconnection: positive_time(), LONGEST;
    }
    .replaced("measure_anew", "`remeasure`")
    .replaced("patience", "`timeout`")
}

fn satcp<'a>() -> Keys<'a, SatcpParameters> {
    table! { SatcpParameters;
        key duration: positive_time(), "How long after a report of a disruption losses count as its losses";
    }
}

fn tr_acks<'a>() -> Keys<'a, TrAcksParameters> {
    table! { TrAcksParameters;
        key acknowledgments: whole(1, 100), "Copies of the last acknowledgment that are sent";
        key after: choice(AFTER), "What the sender does after these acknowledgments";
    }
}
