//! `notice = { to = "phone", lead = "1 s", error = "100 ms" }`: which node is notified of a link's handovers in advance, and how
//! reliably.

use super::node_index;
use crate::codes::Code;
use crate::keys::{Section, choice, number, share, table, time};
use crate::units::Complaint;
use seamline_net::notices::{NoticeConfig, PredictionError};
use seamline_wire::Duration;

/// The node that is notified of a link's handovers, and how reliably.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeSpec {
    /// The index of the node.
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
    error: Duration,
    shape: Shape,
    config: NoticeConfig,
}

/// A notice, and the node that the table names.
pub(super) fn section<'a>(nodes: &'a [String]) -> Section<'a, (Option<usize>, NoticeConfig)> {
    table! { Options;
        .definition("notice");
        optional to: node_index(nodes), "Node that is notified; at a link its end `to` unless given, at a mobile node that node";
        optional lead (config.lead): time(), "How long before a handover the notice is sent; without it there are no notices";
        key error: time(), "Error of predicted times: maximum (uniform) or standard deviation (normal)";
        key error_shape (shape): choice(SPREADS), "Distribution of that error";
        key lost (config.lost_predictions): share(), "Share of notices that are lost";
        property false_per_minute: number(0.0, 6000.0), "False notices per minute", |_, show| show(&0.0), |it, predictions| it.config.false_predictions_per_second = predictions / 60.0;
        key late (config.late): time(), "Delay of all notifications to the node: notices, and that the link is down or up";
    }
    .check(|reader, _| {
            let keys = ["error", "error_shape", "lost", "false_per_minute"];
            let first = keys.into_iter().find(|key| reader.has(key));
            if let (Some(key), false) = (first, reader.has("lead")) {
                let complaint = Complaint::new("without `lead` there are no predictions")
                    .code(Code::Missing)
                    .tip("add lead = \"1 s\": how long before the handover the notice is sent");
                reader.refuse_value(key, complaint);
            }
        })
    .build(Options::default(), |it, reader| {
            let prediction_error = match it.shape {
                _ if it.error.is_zero() => PredictionError::None,
                Shape::Uniform => PredictionError::Uniform(it.error),
                Shape::Normal => PredictionError::Normal(it.error),
            };
            let config = NoticeConfig { prediction_error, ..it.config };
            (it.to.is_some() || !reader.has("to")).then_some((it.to, config))
        })
}
