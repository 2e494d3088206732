//! Codes about the grid and the command line.

use super::{Explanation, Place};

pub(super) static SHAPE: Explanation = Explanation {
    title: "not a valid grid",
    meaning: "\
The table [grid] has dotted keys, each with a list of at least one value; an empty list would leave nothing to
run. Keys in one [[grid.zip]] vary together and need the same number of values. No key may vary twice.",
    place: Place::End,
    wrong: "[grid]\nflow.main.variant = []",
    right: "[grid]\nflow.main.variant = [\"newreno\", \"cubic\"]",
};

pub(super) static TOO_LARGE: Explanation = Explanation {
    title: "a grid with too many grid cells",
    meaning: "\
Every combination of the values of the grid is a grid cell, and more than 100,000 grid cells are rejected. Keys
that need not be combined belong in a [[grid.zip]].",
    place: Place::End,
    wrong: "\
[grid]
flow.main.count = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
flow.main.tcp.window_limit = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
flow.main.tcp.initial_window = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
flow.main.tcp.initial_threshold = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
flow.main.tcp.duplicate_threshold = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
flow.main.tcp.nagle = [true, false]",
    right: "[grid]\nflow.main.count = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
};

pub(super) static BAD_OVERRIDE: Explanation = Explanation {
    title: "not key=value",
    meaning: "\
--set takes a dotted key and a value: link.space.rate=\"20 Mbit/s\". A value that is not TOML is read as a
string, so the shell's quotation marks are enough. grid.key=[..] replaces the values of an axis of the grid.",
    place: Place::Override,
    wrong: "duration",
    right: "duration=30 s",
};

pub(super) static BAD_PATH: Explanation = Explanation {
    title: "a dotted key that leads nowhere",
    meaning: "\
The parts of a dotted key are names of tables; in a list of tables the next part is the `name` of one of them
(link.radio.rate). The key must not lead through a value, nor end at a whole table.",
    place: Place::Override,
    wrong: "duration.length=30 s",
    right: "duration=30 s",
};
