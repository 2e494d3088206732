//! Codes about keys, names and tables.

use super::{Explanation, Place};

pub(super) static NOT_TOML: Explanation = Explanation {
    title: "not valid TOML",
    meaning: "\
A scenario is a TOML file (https://toml.io): `key = value`, strings in quotation marks, lists in [ ], tables
under [name] and lists of tables under [[name]]. Where the text is not TOML, later errors may be
consequences of the first one.",
    place: Place::Top,
    wrong: "title = \"no end",
    right: "title = \"an end\"",
};

pub(super) static UNKNOWN_KEY: Explanation = Explanation {
    title: "unknown key",
    meaning: "\
No table of this kind has such a key. Unknown keys are rejected because a mistyped key would otherwise silently
have no effect. A key may also be in the wrong table: in TOML, everything after [[link]] belongs to that
link until the next [..]. `seamline list keys` lists every key.",
    place: Place::Link,
    wrong: "one_way_dealy = \"20 ms\"",
    right: "one_way_delay = \"20 ms\"",
};

pub(super) static MISSING: Explanation = Explanation {
    title: "a required key or table is missing",
    meaning: "\
A required key or table is missing. A link needs `name`, `from` and `to`, and a rate and a delay for
each direction, from keys or from a schedule; a flow needs `name`, `from`, `to` and a variant; a scenario
needs `duration`, `nodes`, a [[link]] and a [[flow]]. A key may also come from the [grid] or from --set.",
    place: Place::Flow,
    wrong: "congestion_control = \"cubic\"",
    right: "congestion_control = \"cubic\"\nrecovery = \"sack\"",
};

pub(super) static WRONG_KIND: Explanation = Explanation {
    title: "a value of the wrong kind",
    meaning: "\
The key takes another kind of value: a string in quotation marks, a number, true or false, a list in [ ] or a table
in { }. Quantities with a unit are strings.",
    place: Place::Link,
    wrong: "queue = \"50 packets\"",
    right: "queue = { discipline = \"drop-tail\", limit = \"50 packets\" }",
};

pub(super) static UNKNOWN_CHOICE: Explanation = Explanation {
    title: "no such choice",
    meaning: "\
The key takes one of several names, and this is not one of them. `seamline list` shows variants, congestion
controls, recoveries, profiles, error models, generators and formats of recordings.",
    place: Place::Flow,
    wrong: "variant = \"cubik\"",
    right: "variant = \"cubic\"",
};

pub(super) static UNKNOWN_NAME: Explanation = Explanation {
    title: "unknown name",
    meaning: "\
The key refers to a node by its name, and `nodes` has no such node, or to a radio cell, and no [[cell]] has this
name; or a dotted key addresses a link, radio cell, mobile node or flow by a name that does not exist.",
    place: Place::Flow,
    wrong: "to = \"phnoe\"",
    right: "to = \"phone\"",
};

pub(super) static NAME_TAKEN: Explanation = Explanation {
    title: "a name is given twice",
    meaning: "\
Nodes, links, radio cells, mobile nodes and flows are referred to by name, and their random streams are named
after them, so each needs a unique name. A list of names must not repeat one.",
    place: Place::Top,
    wrong: "nodes = [\"server\", \"phone\", \"phone\"]",
    right: "nodes = [\"server\", \"phone\", \"laptop\"]",
};

pub(super) static BAD_NAME: Explanation = Explanation {
    title: "not a valid name",
    meaning: "\
A name appears in dotted keys and in file names. It has up to 64 letters, digits, `-`, `_` and `+`.",
    place: Place::Top,
    wrong: "nodes = [\"server\", \"phone\", \"base.station\"]",
    right: "nodes = [\"server\", \"phone\", \"base-station\"]",
};

pub(super) static DISCONNECTED: Explanation = Explanation {
    title: "no path between two nodes",
    meaning: "\
No path of links connects the two ends of a flow, in at least one radio cell that a mobile node may be in, or a
home agent and the base station of such a cell. Links and the air of a radio cell work in both directions; packets
take the path with the fewest hops.",
    place: Place::Flow,
    wrong: "to = \"island\"",
    right: "to = \"phone\"",
};
