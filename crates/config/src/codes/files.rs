//! Codes about the files that a scenario names.

use super::{Explanation, Place};

pub(super) static UNREADABLE: Explanation = Explanation {
    title: "a file that cannot be read",
    meaning: "\
The file does not exist, is a directory, or is not readable. A path in a scenario is relative to the scenario's
directory; a path in --set is relative to where the command runs.",
    place: Place::Link,
    wrong: "schedule = { kind = \"delay-series\", file = \"there-is-no-such-file\" }",
    right: "schedule = { kind = \"starlink\" }",
};

pub(super) static NOT_A_RECORDING: Explanation = Explanation {
    title: "a file in another format",
    meaning: "\
The file can be read, but it is not in the format that `kind` or `model` names, starting with the line in the message.
`seamline list recordings` describes the formats; `seamline demo --recording PATH` detects the format of a file.",
    place: Place::Link,
    wrong: "schedule = { kind = \"delay-series\", file = \"not-a-recording.txt\" }",
    right: "schedule = { kind = \"starlink\" }",
};
