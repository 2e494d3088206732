//! Codes about quantities and their combinations.

use super::{Explanation, Place};

pub(super) static UNIT_MISSING: Explanation = Explanation {
    title: "a quantity without its unit",
    meaning: "\
Times, rates, shares, sizes, speeds and distances are strings with a unit: 20 could be
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
    title: "an ambiguous unit",
    meaning: "\
Mbps can mean megabits or megabytes, and KB can mean 1000 or 1024 bytes. m can mean minutes or meters, and is
accepted for meters only. Only unambiguous spellings are accepted.",
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
100 %, a window of zero segments. The message shows the bounds.",
    place: Place::Link,
    wrong: "loss = { model = \"bernoulli\", probability = \"101 %\" }",
    right: "loss = { model = \"bernoulli\", probability = \"1 %\" }",
};

pub(super) static MAKES_NO_SENSE: Explanation = Explanation {
    title: "a value that makes no sense here",
    meaning: "\
The value is valid, but contradicts the rest of the scenario: a warm-up as long as the run, a flow that stops
before it starts, a minimum above a maximum. The message shows the other value.",
    place: Place::Top,
    wrong: "warm_up = \"2 min\"",
    right: "warm_up = \"2 s\"",
};

pub(super) static CONFLICT: Explanation = Explanation {
    title: "two keys that exclude each other",
    meaning: "\
Both keys set the same thing, and it is unclear which one applies: a variant and a congestion control with a
recovery, handovers `at` fixed times and `every` interval, a `handover` next to a schedule that has its own. Or the
keys contradict each other: two radio cells with one base station, a mobile node fixed in a radio cell, mobile nodes
that want different advertisements of the same mobility agent, a parameter of Seamline's TCP in a flow with the TCP of
a kernel.",
    place: Place::Flow,
    wrong: "variant = \"cubic\"\ncongestion_control = \"cubic\"\nrecovery = \"sack\"",
    right: "variant = \"cubic\"",
};

pub(super) static REFUSED_PAIR: Explanation = Explanation {
    title: "a congestion control and a recovery that do not go together",
    meaning: "\
Some congestion controls need a specific recovery; the message explains why. Others can be combined freely.",
    place: Place::Flow,
    wrong: "congestion_control = \"vegas\"\nrecovery = \"sack\"",
    right: "congestion_control = \"vegas\"\nrecovery = \"vegas-fine\"",
};

pub(super) static SEEDS: Explanation = Explanation {
    title: "not valid seeds",
    meaning: "\
`seeds` is a number of seeds (5 means 1, 2, 3, 4, 5) or a list of distinct integers from 0. A repeated
seed would repeat the same run, and make the interval too narrow.",
    place: Place::Top,
    wrong: "seeds = [1, 1]",
    right: "seeds = [1, 2]",
};
