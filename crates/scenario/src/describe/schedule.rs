//! `schedule`: conditions over time.

use super::link::fates;
use super::words::{choice, number, one_of, one_or_many, path, quantity, range, rate, share, text, time};
use super::{Key, key, table, table_of_kinds};
use crate::schema::generated::GENERATORS;
use crate::schema::recorded::{FORMATS, LOSS_UNITS, RATE_UNITS, REORDERING, TIME_UNITS};
use crate::units::Quantity;
use serde_json::Value;

pub(super) fn schedule() -> Value {
    let names = GENERATORS.iter().chain(FORMATS).map(|(name, _)| *name);
    let generated = GENERATORS.iter().map(|(name, _)| match *name {
        "starlink" => (*name, starlink()),
        other => (other, cellular()),
    });
    let recorded = FORMATS.iter().map(|(name, _)| (*name, recording(name)));
    let selector = key("kind", "A generator or the format of a recording", choice(names));
    table_of_kinds(selector, Vec::new(), generated.chain(recorded).collect())
}

fn variation() -> Vec<Key> {
    vec![
        key("variation", "Standard deviation from second to second, as a share of the mean", share()),
        key("correlation", "Of one second with the next", number(0.0, 0.999)),
        key("interruption", "For how long nothing passes; or the least and the greatest", range(time())),
    ]
}

fn starlink() -> Vec<Key> {
    let own = vec![
        key(
            "second_of_minute",
            "When in the minute the run begins; satellites change at 12, 27, 42, 57 s",
            time(),
        ),
        key("ground_one_way_delay", "From the ground station on", time()),
        key("capacity", "Of a satellite; or the least and the greatest", range(rate())),
        key("space_one_way_delay", "Through a satellite; or the least and the greatest", range(time())),
    ];
    [own, variation(), fates()].concat()
}

fn cellular() -> Vec<Key> {
    let own = vec![
        key("speed", "Of the car", quantity(Quantity::Speed)),
        key("handover_distance", "From one handover to the next, on average", quantity(Quantity::Distance)),
        key("mean_rate", "Away from handovers", rate()),
        key("one_way_delay", "Of the link", time()),
        key("recovery", "Rate in the seconds after a handover, as shares of the mean", one_or_many(share())),
    ];
    [own, variation(), fates()].concat()
}

fn recording(format: &str) -> Vec<Key> {
    let own = match format {
        "delay-series" => vec![key("interval", "Between lines (10 ms)", time())],
        "leoem" => {
            let interruption = key("interruption", "Of each handover; the logs do not tell", time());
            [vec![interruption], fates()].concat()
        }
        "csv" => csv(),
        _ => Vec::new(),
    };
    let shared = vec![
        key("file", "The recording, plain or gzip, relative to the scenario", path()),
        key("start", "The time in it to begin at", time()),
        key("reordering", "Whether packets overtake when the delay falls", one_of(REORDERING)),
    ];
    [shared, own].concat()
}

fn csv() -> Vec<Key> {
    vec![
        key("time", "The column of times", column(TIME_UNITS)),
        key("rate", "The column of rates", column(RATE_UNITS)),
        key("one_way_delay", "The column of delays", column(TIME_UNITS)),
        key("loss", "The column of losses", column(LOSS_UNITS)),
    ]
}

fn column<T>(units: &[(&str, T)]) -> Value {
    let unit = key("unit", "Its unit", one_of(units));
    table(vec![key("column", "Its name in the first line", text()), unit])
}
