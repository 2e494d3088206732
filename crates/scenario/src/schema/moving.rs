//! Parameters of the handover schemes, each scheme in its own table: `freeze = { acknowledgments = 3 }`.

use crate::keys::{Keys, boolean, choice, positive_time, whole};
use seamline_tcp::handover::{
    AfterReconnection, CrossLayerParameters, DemoVegasParameters, EhnParameters, FreezeParameters, GoOnWith,
    MobilityVegasParameters, OnePerRoundTrip, Release, ResumeWith, TrAcksParameters, WithoutProduct,
};
use seamline_tcp::parameters::Parameters;

pub(super) fn keys<'a>() -> Keys<'a, Parameters> {
    Keys::new()
        .part(
            "cross_layer",
            "Parameters of the cross-layer adaptations",
            cross_layer(),
            |it: &mut Parameters| &mut it.cross_layer,
        )
        .part("demo_vegas", "Parameters of Demo-Vegas", demo_vegas(), |it| &mut it.demo_vegas)
        .part("eclair_restore", "Parameters of the original ECLAIR", cross_layer(), |it| {
            &mut it.eclair_restore
        })
        .part("ehn", "Parameters of explicit handover notification", ehn(), |it| &mut it.ehn)
        .part("freeze", "Parameters of Freeze-TCP", freeze(), |it| &mut it.freeze)
        .part("mobility_vegas", "Parameters of Mobility-Vegas", mobility_vegas(), |it| &mut it.mobility_vegas)
        .part("tr_acks", "Parameters of triplicate acknowledgments", tr_acks(), |it| &mut it.tr_acks)
}

const ONE_PER_ROUND_TRIP: &[(&str, OnePerRoundTrip)] =
    &[("acknowledgment", OnePerRoundTrip::Acknowledgment), ("timer", OnePerRoundTrip::Timer)];
const RELEASE: &[(&str, Release)] = &[("all", Release::All), ("last", Release::Last)];
const GO_ON: &[(&str, GoOnWith)] =
    &[("previous window", GoOnWith::PreviousWindow), ("slow start", GoOnWith::SlowStart)];
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
const NOTICE_INTERVAL: &str = "Time from the first notification to the second; it doubles then";

fn cross_layer<'a>() -> Keys<'a, CrossLayerParameters> {
    type Options = CrossLayerParameters;
    Keys::new()
        .key("freeze", "Freeze the flow while the access router changes", boolean(), |it: &mut Options| {
            &mut it.freeze
        })
        .key("reset_round_trip", "Discard the smoothed round-trip time after a change", boolean(), |it| {
            &mut it.reset_round_trip
        })
        .key(
            "restart",
            "Slow start from one segment to the bandwidth-delay product of the new link",
            boolean(),
            |it| &mut it.restart,
        )
        .key("restore", "Restore the window from before the change", boolean(), |it| &mut it.restore)
        .key(
            "without_product",
            "Slow start threshold when that product is unknown",
            choice(WITHOUT_PRODUCT),
            |it| &mut it.without_product,
        )
        .key("notices", "Maximum number of notifications of the new link", whole(1, 100), |it| {
            &mut it.notices
        })
        .key("notice_interval", NOTICE_INTERVAL, positive_time(), |it| &mut it.notice_interval)
        .key("timeout", "How long after its predicted time a change is waited for", positive_time(), |it| {
            &mut it.patience
        })
        .key("longest_disconnection", LONGEST, positive_time(), |it| &mut it.longest_disconnection)
        .replaced("patience", "`timeout`")
}

fn demo_vegas<'a>() -> Keys<'a, DemoVegasParameters> {
    Keys::new().key(
        "marked_segments",
        "Number of segments from the new place that carry the mark",
        whole(1, 100),
        |it: &mut DemoVegasParameters| &mut it.marked_segments,
    )
}

fn ehn<'a>() -> Keys<'a, EhnParameters> {
    Keys::new().key("resume_with", "Window after the move", choice(RESUME), |it: &mut EhnParameters| {
        &mut it.resume_with
    })
}

fn freeze<'a>() -> Keys<'a, FreezeParameters> {
    Keys::new()
        .key(
            "acknowledgments",
            "Acknowledgments sent at once after the move",
            whole(1, 100),
            |it: &mut FreezeParameters| &mut it.acknowledgments,
        )
        .key(
            "timeout",
            "How long after its predicted time a disconnection is waited for",
            positive_time(),
            |it| &mut it.patience,
        )
        .key("longest_disconnection", LONGEST, positive_time(), |it| &mut it.longest_disconnection)
        .replaced("patience", "`timeout`")
}

fn mobility_vegas<'a>() -> Keys<'a, MobilityVegasParameters> {
    type Options = MobilityVegasParameters;
    Keys::new()
        .key(
            "one_per_round_trip",
            "What releases the one packet per round trip",
            choice(ONE_PER_ROUND_TRIP),
            |it: &mut Options| &mut it.one_per_round_trip,
        )
        .key("announce_at_once", "Announce a handoff in an acknowledgment of its own", boolean(), |it| {
            &mut it.announce_at_once
        })
        .key("resume_with", "Window after a handoff", choice(GO_ON), |it| &mut it.resume_with)
        .key("release", "Which of the acknowledgments held back are sent", choice(RELEASE), |it| {
            &mut it.release
        })
        .key("remeasure", "Measure BaseRTT again after a handoff", boolean(), |it| &mut it.measure_anew)
        .key("notices", "Maximum number of notifications of the new place", whole(1, 100), |it| {
            &mut it.notices
        })
        .key("notice_interval", NOTICE_INTERVAL, positive_time(), |it| &mut it.notice_interval)
        .key("timeout", "How long after its predicted time a handoff is waited for", positive_time(), |it| {
            &mut it.patience
        })
        .key("longest_disconnection", LONGEST, positive_time(), |it| &mut it.longest_disconnection)
        .replaced("measure_anew", "`remeasure`")
        .replaced("patience", "`timeout`")
}

fn tr_acks<'a>() -> Keys<'a, TrAcksParameters> {
    Keys::new()
        .key(
            "acknowledgments",
            "Copies of the last acknowledgment that are sent",
            whole(1, 100),
            |it: &mut TrAcksParameters| &mut it.acknowledgments,
        )
        .key("after", "What the sender does then", choice(AFTER), |it| &mut it.after)
}
