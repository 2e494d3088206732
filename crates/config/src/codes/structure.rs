//! Codes about keys, names and tables.

use super::{Explanation, Place};

pub(super) static NOT_TOML: Explanation = Explanation {
    title: "not valid TOML",
    meaning: "\
A scenario is a TOML file (https://toml.io): `key = value`, texts in quotation marks, lists in [ ], tables
under [name] and lists of tables under [[name]]. Where the text is not TOML, later errors may only follow from
the first one.",
    place: Place::Top,
    wrong: "title = \"no end",
    right: "title = \"an end\"",
};

pub(super) static UNKNOWN_KEY: Explanation = Explanation {
    title: "unknown key",
    meaning: "\
No table of this kind has such a key. Unknown keys are refused because a mistyped key would otherwise change
nothing, silently. A key may also stand in the wrong table: in TOML, everything after [[link]] belongs to that
link until the next [..]. `seamline list keys` lists every key.",
    place: Place::Link,
    wrong: "one_way_dealy = \"20 ms\"",
    right: "one_way_delay = \"20 ms\"",
};

pub(super) static MISSING: Explanation = Explanation {
    title: "something is missing",
    meaning: "\
A key or a table without which nothing can be run. A link needs `name`, `from` and `to`, and a rate and a delay for
each direction, from keys or from a schedule; a flow needs `name`, `from`, `to` and a variant; a scenario
needs `duration`, `nodes`, a [[link]] and a [[flow]]. A key may also come from the [grid] or from --set.",
    place: Place::Flow,
    wrong: "congestion_control = \"cubic\"",
    right: "congestion_control = \"cubic\"\nrecovery = \"sack\"",
};

pub(super) static WRONG_KIND: Explanation = Explanation {
    title: "a value of the wrong kind",
    meaning: "\
The key takes another kind of value: a text in quotation marks, a number, true or false, a list in [ ] or a table
in { }. Quantities with a unit are texts.",
    place: Place::Link,
    wrong: "queue = \"50 packets\"",
    right: "queue = { discipline = \"drop-tail\", limit = \"50 packets\" }",
};

pub(super) static UNKNOWN_CHOICE: Explanation = Explanation {
    title: "no such choice",
    meaning: "\
The key takes one of several names, and this is none of them. `seamline list` names variants, congestion
controls, recoveries, profiles, error models, generators and formats of recordings.",
    place: Place::Flow,
    wrong: "variant = \"cubik\"",
    right: "variant = \"cubic\"",
};

pub(super) static UNKNOWN_NAME: Explanation = Explanation {
    title: "nothing has this name",
    meaning: "\
The key refers to a node by its name, and `nodes` has no such node, or to a radio cell, and no [[cell]] has this
name; or a dotted key enters a list of links, cells, mobile nodes or flows by a name that none of them has.",
    place: Place::Flow,
    wrong: "to = \"phnoe\"",
    right: "to = \"phone\"",
};

pub(super) static NAME_TAKEN: Explanation = Explanation {
    title: "a name is given twice",
    meaning: "\
Nodes, links, cells, mobile nodes and flows are referred to by name, and their random streams are named after
them, so that each needs a name of its own. In a list of names each stands once.",
    place: Place::Top,
    wrong: "nodes = [\"server\", \"phone\", \"phone\"]",
    right: "nodes = [\"server\", \"phone\", \"laptop\"]",
};

pub(super) static BAD_NAME: Explanation = Explanation {
    title: "not a name",
    meaning: "\
A name appears in dotted keys and in the names of files. It is made of up to 64 letters, digits, `-`, `_` and
`+`.",
    place: Place::Top,
    wrong: "nodes = [\"server\", \"phone\", \"base.station\"]",
    right: "nodes = [\"server\", \"phone\", \"base-station\"]",
};

pub(super) static DISCONNECTED: Explanation = Explanation {
    title: "no way between two nodes",
    meaning: "\
No links lead from one end of a flow to the other, in some cell that a mobile node may be in, or from a home agent to
the base station of such a cell. Every link leads both ways, and so does the air of a cell; packets take the
fewest hops.",
    place: Place::Flow,
    wrong: "to = \"island\"",
    right: "to = \"phone\"",
};
