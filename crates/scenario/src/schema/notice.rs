//! `notice = { to = "phone", lead = "1 s", error = "100 ms" }`: which node is notified of a link's handovers in advance, and how
//! reliably.

use super::node_place;
use crate::codes::Code;
use crate::keys::{Keys, Section, choice, number, share, time};
use crate::units::Complaint;
use seamline_net::notices::{NoticeConfig, PredictionError};
use seamline_wire::Duration;

/// The node that is notified of a link's handovers, and how reliably.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeSpec {
    /// Place of the node in the list of nodes.
    pub to: usize,
    /// How reliably.
    pub config: NoticeConfig,
}

/// How something is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Shape {
    #[default]
    Uniform,
    Normal,
}

pub(super) const SPREADS: &[(&str, Shape)] = &[("uniform", Shape::Uniform), ("normal", Shape::Normal)];

#[derive(Clone, Default)]
struct Options {
    to: Option<usize>,
    lead: Option<Duration>,
    error: Duration,
    shape: Shape,
    lost: f64,
    false_per_minute: f64,
    late: Duration,
}

/// A notice, and the node that the table names.
pub(super) fn section<'a>(nodes: &'a [String]) -> Section<'a, (Option<usize>, NoticeConfig)> {
    Keys::new()
        .definition("notice")
        .optional(
            "to",
            "Node that is notified; at a link its end `to` unless given, at a mobile node that node",
            node_place(nodes),
            |it: &mut Options| &mut it.to,
        )
        .optional(
            "lead",
            "How long before a handover it is predicted; without it nothing is predicted",
            time(),
            |it| &mut it.lead,
        )
        .key(
            "error",
            "Error of predicted times: maximum (uniform) or standard deviation (normal)",
            time(),
            |it| &mut it.error,
        )
        .key("error_shape", "Distribution of that error", choice(SPREADS), |it| &mut it.shape)
        .key("lost", "Share of predictions that are lost", share(), |it| &mut it.lost)
        .key("false_per_minute", "False predictions per minute", number(0.0, 6000.0), |it| {
            &mut it.false_per_minute
        })
        .key("late", "Delay of all notifications about the link", time(), |it| &mut it.late)
        .check(|reader, _| {
            let keys = ["error", "error_shape", "lost", "false_per_minute"];
            let first = keys.into_iter().find(|key| reader.has(key));
            if let (Some(key), false) = (first, reader.has("lead")) {
                let complaint = Complaint::new("without `lead` there are no predictions")
                    .code(Code::Missing)
                    .tip("add lead = \"1 s\": how long before the handover it is predicted");
                reader.refuse_value(key, complaint);
            }
        })
        .build(Options::default(), |it, reader| {
            let prediction_error = match it.shape {
                _ if it.error.is_zero() => PredictionError::None,
                Shape::Uniform => PredictionError::Uniform(it.error),
                Shape::Normal => PredictionError::Normal(it.error),
            };
            let config = NoticeConfig {
                lead: it.lead,
                prediction_error,
                lost_predictions: it.lost,
                false_predictions_per_second: it.false_per_minute / 60.0,
                late: it.late,
            };
            (it.to.is_some() || !reader.has("to")).then_some((it.to, config))
        })
}
