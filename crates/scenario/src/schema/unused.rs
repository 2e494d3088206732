//! Parameters of our TCP in flows that have the TCP of a kernel, to which they do not apply.

use super::tcp::parameters;
use super::{FlowSpec, Scenario, Stack};
use crate::codes::Code;
use crate::diagnostics::Diagnostic;
use crate::document::Value;
use crate::reader::Reader;
use crate::source::{SourceId, Span};
use seamline_tcp::Parameters;
use std::collections::BTreeSet;

/// The table whose keys count one by one.
const TCP: &str = "tcp";

/// The parameter that a kernel has, too: the interfaces of its hosts are made for segments of this size.
const SEGMENT_SIZE: &str = "segment_size";

/// A parameter that is written in the document, but that the TCP of the flow does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The index of the flow.
    pub flow: usize,
    /// The key in the table of the flow: `profile`, `tcp.minimum_rto`.
    pub key: String,
    span: Span,
    /// Where the stack of the flow is chosen.
    chosen: Span,
}

/// Those of a scenario.
pub(super) fn find(reader: &mut Reader<'_>, scenario: &Scenario) -> Vec<Unused> {
    let everywhere = reader.node("stack").map(|node| node.span);
    let mut found = Vec::new();
    for (flow, mut table) in reader.tables("flow").into_iter().enumerate() {
        let chosen = table.node("stack").map(|node| node.span).or(everywhere);
        if let Some(chosen) = chosen.filter(|_| scenario.flows[flow].stack != Stack::Seamline) {
            let keys = written(&mut table).into_iter();
            found.extend(keys.map(|(key, span)| Unused { flow, key, span, chosen }));
        }
    }
    found
}

fn written(flow: &mut Reader<'_>) -> Vec<(String, Span)> {
    let tables = parameters().describe(&mut Parameters::default());
    let names = tables.keys.iter().map(|key| key.name).chain(["profile"]);
    let mut found = Vec::new();
    for name in names {
        match flow.entry(name) {
            Some((_, node)) if name == TCP => {
                let Value::Table(tcp) = &node.value else { continue };
                let own = tcp.iter().filter(|(key, _)| key.name != SEGMENT_SIZE);
                found.extend(own.map(|(key, node)| (format!("{TCP}.{}", key.name), node.span)));
            }
            Some((key, _)) => found.push((name.to_owned(), key.span)),
            None => {}
        }
    }
    found
}

/// The parameters that apply nowhere in a plan, found grid cell by grid cell. What the file has for our TCP stays when a `--set`
/// chooses the kernel.
#[derive(Debug, Default)]
pub(crate) struct Unapplied {
    /// The indices of flows that have our TCP somewhere.
    ours: BTreeSet<usize>,
    /// With the index of its flow, an error for each that does not apply in some grid cell.
    somewhere: Vec<(usize, Diagnostic)>,
    known: BTreeSet<Diagnostic>,
}

impl Unapplied {
    /// Note what does not apply in a grid cell.
    pub(crate) fn add(&mut self, scenario: &Scenario) {
        self.ours.extend(flows_of_ours(scenario));
        let is_file = |span: Span| span.source == SourceId::FILE;
        let was_for_ours = |it: &Unused| is_file(it.span) && !is_file(it.chosen);
        for unused in scenario.unused.iter().filter(|unused| !was_for_ours(unused)) {
            let error = refusal(unused, &scenario.flows[unused.flow]);
            if self.known.insert(error.clone()) {
                self.somewhere.push((unused.flow, error));
            }
        }
    }

    /// An error for each that applies in no grid cell.
    pub(crate) fn refusals(self) -> Vec<Diagnostic> {
        let Unapplied { ours, somewhere, .. } = self;
        somewhere.into_iter().filter(|(flow, _)| !ours.contains(flow)).map(|(_, error)| error).collect()
    }
}

fn flows_of_ours(scenario: &Scenario) -> impl Iterator<Item = usize> {
    let flows = scenario.flows.iter().enumerate();
    flows.filter(|(_, flow)| flow.stack == Stack::Seamline).map(|(number, _)| number)
}

fn refusal(unused: &Unused, flow: &FlowSpec) -> Diagnostic {
    let title = format!("invalid `{}` in flow \"{}\"", unused.key, flow.name);
    Diagnostic::new(Code::Conflict, title, unused.span)
        .label(format!("a parameter of Seamline's TCP, and this flow has the TCP of {}", flow.stack))
        .tip("take it out; `sysctl` has the settings of a kernel")
        .tip(
            "a grid over `stack` that includes \"seamline\" can keep it: it applies to those grid cells only",
        )
}
