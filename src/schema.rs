//! `seamline schema`

use crate::Outcome;
use crate::terminal::print;
use seamline_scenario::schema::json_schema;

pub(crate) fn run() -> Outcome {
    print(&json_schema())
}
