//! Codes about the files that a scenario names.

use super::{Explanation, Place};

pub(super) static UNREADABLE: Explanation = Explanation {
    title: "a file that cannot be read",
    meaning: "\
The file is not there, is a folder, or may not be read. A path in a scenario is relative to the scenario's
folder; a path in --set is relative to where the command runs.",
    place: Place::Link,
    wrong: "schedule = { kind = \"delay-series\", file = \"there-is-no-such-file\" }",
    right: "schedule = { kind = \"starlink\" }",
};

pub(super) static NOT_A_RECORDING: Explanation = Explanation {
    title: "a file in another format",
    meaning: "\
The file can be read but is not what `kind` or `model` says, from the line that the message names on. `seamline
list recordings` says what the formats look like; `seamline demo --recording PATH` finds out which one a file has.",
    place: Place::Link,
    wrong: "schedule = { kind = \"delay-series\", file = \"not-a-recording.txt\" }",
    right: "schedule = { kind = \"starlink\" }",
};
