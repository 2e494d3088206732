//! Number formats, the same in a terminal and in a report.

pub(super) use seamline_report::quantity::{bit_rate, bytes, count, millis};
