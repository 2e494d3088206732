//! What a flow may change of the schemes that do something about a move, each in its own table:
//! `freeze = { acknowledgments = 3 }`.

use super::tcp::set;
use crate::reader::{Reader, boolean, integer};
use crate::units;
use seamline_tcp::handover::{
    AfterReconnection, CrossLayerParameters, GoOnWith, OnePerRoundTrip, Release, ResumeWith, WithoutProduct,
};
use seamline_tcp::parameters::Parameters;

type ReadTable = fn(Reader<'_>, &mut Parameters);

/// Read every table of parameters that is there.
pub(super) fn read(reader: &mut Reader<'_>, parameters: &mut Parameters) {
    let mut take = |table: Option<Reader<'_>>, read_table: ReadTable| {
        if let Some(table) = table {
            read_table(table, parameters);
        }
    };
    take(reader.table("cross_layer"), |table, parameters| {
        read_cross_layer(table, &mut parameters.cross_layer)
    });
    take(reader.table("demo_vegas"), read_demo_vegas);
    take(reader.table("eclair_restore"), |table, parameters| {
        read_cross_layer(table, &mut parameters.eclair_restore);
    });
    take(reader.table("ehn"), read_ehn);
    take(reader.table("freeze"), read_freeze);
    take(reader.table("mobility_vegas"), read_mobility_vegas);
    take(reader.table("tr_acks"), read_tr_acks);
}

fn read_demo_vegas(mut reader: Reader<'_>, parameters: &mut Parameters) {
    let count = reader.optional("marked_segments", integer(1, 100)).and_then(small);
    set(&mut parameters.demo_vegas.marked_segments, count);
    reader.finish();
}

fn small(count: i64) -> Option<u32> {
    u32::try_from(count).ok()
}

pub(crate) const ONE_PER_ROUND_TRIP: &[(&str, OnePerRoundTrip)] =
    &[("acknowledgment", OnePerRoundTrip::Acknowledgment), ("timer", OnePerRoundTrip::Timer)];
pub(crate) const RELEASE: &[(&str, Release)] = &[("all", Release::All), ("last", Release::Last)];
pub(crate) const GO_ON: &[(&str, GoOnWith)] =
    &[("previous window", GoOnWith::PreviousWindow), ("slow start", GoOnWith::SlowStart)];
pub(crate) const WITHOUT_PRODUCT: &[(&str, WithoutProduct)] =
    &[("arbitrarily high", WithoutProduct::ArbitrarilyHigh), ("as it was", WithoutProduct::AsItWas)];
pub(crate) const RESUME: &[(&str, ResumeWith)] = &[
    ("previous window", ResumeWith::PreviousWindow),
    ("slow start", ResumeWith::SlowStart),
    ("adjusted window", ResumeWith::AdjustedWindow),
];
pub(crate) const AFTER: &[(&str, AfterReconnection)] =
    &[("recovery", AfterReconnection::Recovery), ("slow start", AfterReconnection::SlowStart)];

fn read_cross_layer(mut reader: Reader<'_>, parameters: &mut CrossLayerParameters) {
    set(&mut parameters.freeze, reader.optional("freeze", boolean));
    set(&mut parameters.reset_round_trip, reader.optional("reset_round_trip", boolean));
    set(&mut parameters.restart, reader.optional("restart", boolean));
    set(&mut parameters.restore, reader.optional("restore", boolean));
    set(&mut parameters.without_product, reader.choice("without_product", WITHOUT_PRODUCT));
    set(&mut parameters.notices, reader.optional("notices", integer(1, 100)).and_then(small));
    set(&mut parameters.notice_interval, reader.optional("notice_interval", units::positive_duration));
    set(&mut parameters.patience, reader.optional("patience", units::positive_duration));
    let longest = reader.optional("longest_disconnection", units::positive_duration);
    set(&mut parameters.longest_disconnection, longest);
    reader.finish();
}

fn read_ehn(mut reader: Reader<'_>, parameters: &mut Parameters) {
    set(&mut parameters.ehn.resume_with, reader.choice("resume_with", RESUME));
    reader.finish();
}

fn read_mobility_vegas(mut reader: Reader<'_>, parameters: &mut Parameters) {
    let vegas = &mut parameters.mobility_vegas;
    set(&mut vegas.one_per_round_trip, reader.choice("one_per_round_trip", ONE_PER_ROUND_TRIP));
    set(&mut vegas.announce_at_once, reader.optional("announce_at_once", boolean));
    set(&mut vegas.resume_with, reader.choice("resume_with", GO_ON));
    set(&mut vegas.release, reader.choice("release", RELEASE));
    set(&mut vegas.measure_anew, reader.optional("measure_anew", boolean));
    set(&mut vegas.notices, reader.optional("notices", integer(1, 100)).and_then(small));
    set(&mut vegas.notice_interval, reader.optional("notice_interval", units::positive_duration));
    set(&mut vegas.patience, reader.optional("patience", units::positive_duration));
    let longest = reader.optional("longest_disconnection", units::positive_duration);
    set(&mut vegas.longest_disconnection, longest);
    reader.finish();
}

fn read_tr_acks(mut reader: Reader<'_>, parameters: &mut Parameters) {
    set(
        &mut parameters.tr_acks.acknowledgments,
        reader.optional("acknowledgments", integer(1, 100)).and_then(small),
    );
    set(&mut parameters.tr_acks.after, reader.choice("after", AFTER));
    reader.finish();
}

fn read_freeze(mut reader: Reader<'_>, parameters: &mut Parameters) {
    set(
        &mut parameters.freeze.acknowledgments,
        reader.optional("acknowledgments", integer(1, 100)).and_then(small),
    );
    set(&mut parameters.freeze.patience, reader.optional("patience", units::positive_duration));
    let longest = reader.optional("longest_disconnection", units::positive_duration);
    set(&mut parameters.freeze.longest_disconnection, longest);
    reader.finish();
}
