//! The packets around a handover or a loss, as they pass between nodes: what a message chart shows.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a message chart is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    /// The first handover of a run.
    #[default]
    Handover,
    /// The first loss of data in a run, until all that was lost has arrived.
    Loss,
}

/// The packets around one handover, or one loss, of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HandoverMessages {
    /// The link, or the mobile node, whose handover it is; `None` around a loss.
    pub link: Option<String>,
    /// The flow whose packets are shown, besides the messages of mobility protocols.
    pub flow: String,
    /// When it began: the handover, or the way of the first packet that was lost.
    pub start_s: f64,
    /// When packets passed again, or all that was lost had arrived; `None` when the run ended first.
    pub end_s: Option<f64>,
    /// The nodes that send or receive something, from the sender of the flow on.
    pub nodes: Vec<String>,
    /// The packets, in the order in which they were sent.
    pub messages: Vec<Message>,
    /// What happened at nodes, in the order of time.
    pub notes: Vec<NodeNote>,
}

/// A packet from a node that made or changed it to the node that took it in or changed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// What it is.
    pub kind: MessageKind,
    /// What it says, where its kind does not tell: `Registration Request`, `handover mark`.
    pub text: Cow<'static, str>,
    /// The number of its segment, or of the segment that an acknowledgment expects, from 0; nothing for other packets.
    pub number: Option<u64>,
    /// Whether it is in a tunnel.
    pub tunnelled: bool,
    /// The node that sent it, by its place among the nodes.
    pub from: usize,
    /// When.
    pub sent_s: f64,
    /// The node that it arrived at, or that it was sent to.
    pub to: usize,
    /// When it arrived; `None` when it was lost.
    pub arrived_s: Option<f64>,
    /// The last node that it passed before it was lost, by its place among the nodes; `None` if it passed none.
    pub lost_behind: Option<usize>,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageKind {
    /// A data segment sent for the first time.
    Data,
    /// One sent again.
    Retransmission,
    /// An acknowledgment.
    Acknowledgment,
    /// A segment with a mark or a flag that says more: of a handover, a window of zero, SYN, FIN.
    Marked,
    /// A message of a mobility protocol, or between agents.
    Signalling,
    /// What a base station sends again and again: an advertisement.
    Advertisement,
}

/// Something that happened at a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeNote {
    /// When.
    pub at_s: f64,
    /// The node, by its place among the nodes.
    pub node: usize,
    /// What: `retransmission timeout`.
    pub text: Cow<'static, str>,
}
