//! What the names of columns say.

use super::columns::{Column, Holds};
use super::one_way;
use super::time::TimeForm;
use crate::measured::{DelayMeaning, Direction, RateMeaning};

const TIMES: [&str; 7] = ["time", "timestamp", "t", "ts", "date", "datetime", "epoch"];
const DOWN: [&str; 6] = ["down", "dl", "downlink", "download", "downstream", "rx"];
const UP: [&str; 6] = ["up", "ul", "uplink", "upload", "upstream", "tx"];
/// Words of rates, and what they are rates of.
const RATES: [(&str, RateMeaning); 9] = [
    ("capacity", RateMeaning::Capacity),
    ("traffic", RateMeaning::Traffic),
    ("goodput", RateMeaning::Goodput),
    ("throughput", RateMeaning::Goodput),
    ("bandwidth", RateMeaning::Goodput),
    ("bitrate", RateMeaning::Goodput),
    ("rate", RateMeaning::Goodput),
    ("tput", RateMeaning::Goodput),
    ("bw", RateMeaning::Goodput),
];
/// Units of rates: without one, a column is no rate.
const RATE_UNITS: [(&str, f64); 12] = [
    ("bps", 1.0),
    ("kbps", 1e3),
    ("mbps", 1e6),
    ("gbps", 1e9),
    ("bit", 1.0),
    ("kbit", 1e3),
    ("mbit", 1e6),
    ("gbit", 1e9),
    ("bits", 1.0),
    ("kbits", 1e3),
    ("mbits", 1e6),
    ("gbits", 1e9),
];
const TIME_UNITS: [(&str, f64); 9] = [
    ("ns", 1e-9),
    ("nanos", 1e-9),
    ("us", 1e-6),
    ("micros", 1e-6),
    ("ms", 1e-3),
    ("millis", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("seconds", 1.0),
];
const ROUND_TRIPS: [&str; 4] = ["rtt", "ping", "latency", "roundtrip"];
const ONE_WAYS: [&str; 2] = ["owd", "oneway"];
const LOSSES: [&str; 2] = ["loss", "drop"];
const PERCENT: [&str; 4] = ["percent", "percentage", "pct", "perc"];
const CELLS: [&str; 7] = ["cell", "cellid", "pci", "satellite", "satelliteid", "enodeb", "enodebid"];
/// Words that make a column something else than the value itself.
const DERIVED: [&str; 16] = [
    "std", "stdev", "stddev", "stdv", "stdvar", "dev", "var", "jitter", "min", "max", "best", "worst",
    "count", "n", "sent", "send",
];

/// Columns whose names say what they hold; of several for the same, the first. Throughputs next to pings to the point of presence are
/// what a Starlink dish says of itself: traffic.
pub(super) fn columns(names: &[String]) -> Vec<Column> {
    let is_dish = names.iter().any(|name| words(name).windows(2).any(|pair| pair == ["pop", "ping"]));
    let mut columns: Vec<Column> = Vec::new();
    for name in names {
        let Some((mut holds, unit, form)) = column(name) else { continue };
        if let (Holds::Rate(_, meaning), true) = (&mut holds, is_dish) {
            *meaning = RateMeaning::Traffic;
        }
        if columns.iter().all(|it| it.holds != holds) {
            columns.push(Column { name: name.clone(), holds, unit, form });
        }
    }
    columns
}

fn column(name: &str) -> Option<(Holds, f64, Option<TimeForm>)> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let unit = |list: &[(&str, f64)]| {
        words.iter().find_map(|word| list.iter().find(|(name, _)| name == word).map(|(_, unit)| *unit))
    };
    if has(&DERIVED) {
        return None;
    }
    if has(&LOSSES) {
        let share = if has(&PERCENT) || name.contains('%') { 0.01 } else { 1.0 };
        return Some((Holds::Loss(direction(&words)), share, None));
    }
    let delay = unit(&TIME_UNITS);
    if has(&ONE_WAYS) || words.windows(2).any(|pair| pair == ["one", "way"]) || is_directed_delay(&words) {
        let direction = direction(&words).unwrap_or(Direction::Down);
        return Some((Holds::Delay(one_way(direction)), delay.unwrap_or(1e-3), None));
    }
    if has(&ROUND_TRIPS) || words.windows(2).any(|pair| pair == ["round", "trip"]) {
        return Some((Holds::Delay(DelayMeaning::RoundTrip), delay.unwrap_or(1e-3), None));
    }
    if let Some(unit) = unit(&RATE_UNITS) {
        let meaning = RATES.iter().find(|(word, _)| has(&[word])).map(|(_, meaning)| *meaning);
        let direction = direction(&words);
        let is_unit =
            |word: &String| word == "s" || word == "sec" || RATE_UNITS.iter().any(|(name, _)| name == word);
        if meaning.is_some() || direction.is_some() || words.iter().all(is_unit) {
            let (direction, meaning) =
                (direction.unwrap_or(Direction::Down), meaning.unwrap_or(RateMeaning::Goodput));
            return Some((Holds::Rate(direction, meaning), unit, None));
        }
    }
    if has(&TIMES) {
        let form = delay.map(|seconds| TimeForm::Number((seconds * 1e9) as i64));
        return Some((Holds::Time, 1.0, form));
    }
    CELLS.contains(&words.concat().as_str()).then_some((Holds::Cell, 1.0, None))
}

/// `uplink_delay_ms`: without a direction, a delay may be that of the round trip.
fn is_directed_delay(words: &[String]) -> bool {
    words.iter().any(|word| word == "delay") && direction(words).is_some()
}

/// The direction that words name.
fn direction(words: &[String]) -> Option<Direction> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match (has(&DOWN), has(&UP)) {
        (true, false) => Some(Direction::Down),
        (false, true) => Some(Direction::Up),
        _ => None,
    }
}

/// The words of a name in small letters: `DL_bitrate`, `rttMs` and `rtt (ms)` have two each.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && small;
        small = letter.is_lowercase() || letter.is_ascii_digit();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{column, columns, words};
    use crate::formats::table::columns::Holds;
    use crate::measured::{DelayMeaning, Direction, RateMeaning};

    #[test]
    fn names_are_words() {
        assert_eq!(words("DL_bitrate"), ["dl", "bitrate"]);
        assert_eq!(words("rttMs"), ["rtt", "ms"]);
        assert_eq!(words("Latency (ms)"), ["latency", "ms"]);
        assert_eq!(words("Mbit/s"), ["mbit", "s"]);
    }

    #[test]
    fn what_a_dish_says_of_itself_is_traffic() {
        let names = ["time_s", "pop_ping_latency_ms", "downlink_throughput_bps"].map(str::to_owned);
        let traffic = Holds::Rate(Direction::Down, RateMeaning::Traffic);
        assert_eq!(columns(&names)[2].holds, traffic);
    }

    #[test]
    fn names_say_what_columns_hold() {
        let goodput = |direction| Holds::Rate(direction, RateMeaning::Goodput);
        let expected = [
            ("t_s", Some((Holds::Time, 1.0))),
            ("timestamp", Some((Holds::Time, 1.0))),
            ("rtt_ms", Some((Holds::Delay(DelayMeaning::RoundTrip), 1e-3))),
            ("ping", Some((Holds::Delay(DelayMeaning::RoundTrip), 1e-3))),
            ("owd_up_us", Some((Holds::Delay(DelayMeaning::OneWay(Direction::Up)), 1e-6))),
            ("downlink_delay_ms", Some((Holds::Delay(DelayMeaning::OneWay(Direction::Down)), 1e-3))),
            ("delay_ms", None),
            ("capacity_mbps", Some((Holds::Rate(Direction::Down, RateMeaning::Capacity), 1e6))),
            ("upload (Mbit/s)", Some((goodput(Direction::Up), 1e6))),
            ("Mbits/sec", Some((goodput(Direction::Down), 1e6))),
            ("download", None),
            ("lost_packets", None),
            ("throughput_kbps", Some((goodput(Direction::Down), 1e3))),
            ("speed_mps", None),
            ("loss_percent", Some((Holds::Loss(None), 0.01))),
            ("uplink_loss", Some((Holds::Loss(Some(Direction::Up)), 1.0))),
            ("packet_loss_%", Some((Holds::Loss(None), 0.01))),
            ("cell_id", Some((Holds::Cell, 1.0))),
            ("rtt_stddev_ms", None),
            ("latitude", None),
        ];
        for (name, holds) in expected {
            assert_eq!(column(name).map(|(holds, unit, _)| (holds, unit)), holds, "{name}");
        }
    }
}
