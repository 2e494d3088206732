//! Codes about quantities and what they add up to.

use super::{Explanation, Place};

pub(super) static UNIT_MISSING: Explanation = Explanation {
    title: "a quantity without its unit",
    meaning: "\
Times, rates, shares, sizes, speeds and distances are written with their unit, as a text: 20 could be
milliseconds or seconds, and 0.01 could be 1 % or 0.01 %.",
    place: Place::Link,
    wrong: "one_way_delay = 20",
    right: "one_way_delay = \"20 ms\"",
};

pub(super) static WRONG_UNIT: Explanation = Explanation {
    title: "not a unit of this quantity",
    meaning: "\
The unit does not exist, or belongs to another kind of quantity. Times take ns us ms s min h; rates bit/s
kbit/s Mbit/s Gbit/s Tbit/s B/s kB/s MB/s GB/s; shares %; sizes B kB MB GB TB KiB MiB GiB TiB, queues and
transfers also packets; speeds m/s km/h; distances m km.",
    place: Place::Link,
    wrong: "one_way_delay = \"20 kB\"",
    right: "one_way_delay = \"20 ms\"",
};

pub(super) static UNCLEAR_UNIT: Explanation = Explanation {
    title: "a unit that people read differently",
    meaning: "\
Mbps is read as megabits or as megabytes, KB as 1000 or as 1024 bytes, m as minutes or as milliseconds. Only spellings
that everybody reads alike are accepted.",
    place: Place::Link,
    wrong: "rate = \"10 Mbps\"",
    right: "rate = \"10 Mbit/s\"",
};

pub(super) static NEGATIVE: Explanation = Explanation {
    title: "a quantity below zero",
    meaning: "No time, rate, share or size here can be negative.",
    place: Place::Link,
    wrong: "rate = \"-10 Mbit/s\"",
    right: "rate = \"10 Mbit/s\"",
};

pub(super) static OUT_OF_BOUNDS: Explanation = Explanation {
    title: "a value outside its bounds",
    meaning: "\
The value is too small or too large: a rate of zero, through which nothing ever passes, a probability above
100 %, a window of no segment. The message names the bounds.",
    place: Place::Link,
    wrong: "loss = { model = \"bernoulli\", probability = \"101 %\" }",
    right: "loss = { model = \"bernoulli\", probability = \"1 %\" }",
};

pub(super) static MAKES_NO_SENSE: Explanation = Explanation {
    title: "a value that makes no sense here",
    meaning: "\
The value is well formed, but not together with the rest of the scenario: a warm-up as long as the run, a
flow that stops before it starts, a minimum above a maximum. The message says what it is compared with.",
    place: Place::Top,
    wrong: "warm_up = \"2 min\"",
    right: "warm_up = \"2 s\"",
};

pub(super) static CONFLICT: Explanation = Explanation {
    title: "two keys that exclude each other",
    meaning: "\
Both keys say the same thing, and which one counts would be a guess: a variant beside a congestion control and a
recovery, handovers `at` times and `every` so often, a `handover` beside a schedule that has its own. Or what they
say cannot both be: two cells with one base station, a mobile node fixed in a cell, mobile nodes that want different
advertisements of the same agent.",
    place: Place::Flow,
    wrong: "variant = \"cubic\"\ncongestion_control = \"cubic\"\nrecovery = \"sack\"",
    right: "variant = \"cubic\"",
};

pub(super) static REFUSED_PAIR: Explanation = Explanation {
    title: "a congestion control and a recovery that do not go together",
    meaning: "\
Some congestion controls need a recovery of their own, and the message says why. Others can be combined
freely.",
    place: Place::Flow,
    wrong: "congestion_control = \"vegas\"\nrecovery = \"sack\"",
    right: "congestion_control = \"vegas\"\nrecovery = \"vegas-fine\"",
};

pub(super) static SEEDS: Explanation = Explanation {
    title: "not seeds",
    meaning: "\
`seeds` is a number of seeds (5 means 1, 2, 3, 4, 5) or a list of different whole numbers from 0. A seed named
twice would give the same run twice, and an interval that is too narrow.",
    place: Place::Top,
    wrong: "seeds = [1, 1]",
    right: "seeds = [1, 2]",
};
