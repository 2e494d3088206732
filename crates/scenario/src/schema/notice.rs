//! `notice = { to = "phone", lead = "1 s", error = "100 ms" }`: which node hears of a link's handovers
//! beforehand, and how well.

use crate::codes::Code;
use crate::reader::{Reader, number};
use crate::units::{self, Complaint};
use seamline_net::notices::{NoticeConfig, PredictionError};
use seamline_wire::Duration;

/// Who hears of a link's handovers, and how well.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeSpec {
    /// Place of the node in the list of nodes.
    pub to: usize,
    /// How well.
    pub config: NoticeConfig,
}

pub(crate) type Shape = fn(Duration) -> PredictionError;
pub(crate) const SHAPES: &[(&str, Shape)] =
    &[("uniform", PredictionError::Uniform), ("normal", PredictionError::Normal)];

/// Read a notice; it goes to the node `default_to` unless the table names another.
pub(super) fn read(
    mut reader: Reader<'_>,
    nodes: &[String],
    default_to: Option<usize>,
) -> Option<NoticeSpec> {
    let to = if reader.has("to") { super::read_node(&mut reader, "to", nodes) } else { default_to };
    let lead = reader.optional("lead", units::duration);
    let error = reader.or("error", Duration::ZERO, units::duration);
    let shape = reader.choice("error_shape", SHAPES).unwrap_or(PredictionError::Uniform);
    let lost = reader.or("lost", 0.0, units::ratio);
    let false_per_minute = reader.or("false_per_minute", 0.0, number(0.0, 6000.0));
    for key in ["error", "error_shape", "lost", "false_per_minute"] {
        if reader.has(key) && !reader.has("lead") {
            let span = reader.span_of(&[key]);
            let complaint = Complaint::new("without `lead` there are no predictions")
                .code(Code::Missing)
                .tip("add lead = \"1 s\": how long before the handover it is predicted");
            reader.refuse(key, span, complaint);
            break;
        }
    }
    let late = reader.or("late", Duration::ZERO, units::duration);
    reader.finish();
    let error = error?;
    Some(NoticeSpec {
        to: to?,
        config: NoticeConfig {
            lead,
            prediction_error: if error.is_zero() { PredictionError::None } else { shape(error) },
            lost_predictions: lost?,
            false_predictions_per_second: false_per_minute? / 60.0,
            late: late?,
        },
    })
}
