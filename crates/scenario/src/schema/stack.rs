//! `stack`: whose TCP the ends of a flow have.

use crate::codes::Code;
use crate::keys::{Takes, text};
use crate::reader::Reader;
use crate::routes::Everywhere;
use crate::schema::{FlowSpec, Scenario};
use crate::units::Complaint;
use std::fmt;
use std::sync::Arc;

/// The name of our own TCP.
const OURS: &str = "seamline";

/// The TCP at both ends of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stack {
    /// Ours.
    #[default]
    Seamline,
    /// That of a Linux kernel in virtual time, by the kernel's name.
    Kernel(Arc<str>),
}

impl Stack {
    /// The kernel's name.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Stack::Seamline => None,
            Stack::Kernel(name) => Some(name),
        }
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kernel().unwrap_or(OURS))
    }
}

/// The name of a stack.
pub(super) fn stack<'a>() -> Takes<'a, Stack> {
    let read = |name: String| {
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_+.".contains(letter);
        let is_name =
            name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(allowed);
        match name.as_str() {
            OURS => Ok(Stack::Seamline),
            _ if is_name => Ok(Stack::Kernel(name.into())),
            _ => Err(Complaint::new("no name of a TCP stack")
                .code(Code::BadName)
                .tip("`seamline`, or a kernel such as `linux-6.12`; seamline kernel list shows those that are built")),
        }
    };
    text().map(read, |stack| Some(stack.to_string()))
}

/// A setting of the kernel, as `sysctl -w` takes it.
pub(super) fn sysctl<'a>() -> Takes<'a, (String, String)> {
    let read = |text: String| {
        let setting = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let is_name = |name: &str| {
            name.strip_prefix("net.").is_some_and(|rest| {
                rest.split('.').all(|part| {
                    !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))
                })
            })
        };
        match setting {
            Some((name, value)) if is_name(name) && !value.is_empty() => {
                Ok((name.to_owned(), value.to_owned()))
            }
            _ => Err(Complaint::new("no setting of the kernel's network")
                .code(Code::WrongKind)
                .tip("NAME=VALUE, with a name that begins with `net.`, such as \"net.ipv4.tcp_ecn=1\"")),
        }
    };
    text().map(read, |(name, value)| Some(format!("{name}={value}")))
}

impl Scenario {
    /// The kernel of its hosts with the kernel's TCP, if there are any. A scenario has one.
    pub fn kernel(&self) -> Option<&str> {
        self.flows.iter().find_map(|flow| flow.stack.kernel())
    }

    /// Whether the host at a node has the TCP of a kernel.
    pub fn is_of_kernel(&self, node: usize) -> bool {
        let mut flows = self.flows.iter().filter(|flow| flow.ends.contains(node));
        flows.any(|flow| flow.stack != Stack::Seamline)
    }
}

/// Refuse what does not go with the TCP of a kernel.
pub(super) fn check(reader: &mut Reader<'_>, scenario: &Scenario, everywhere: &Everywhere<'_>) {
    for (place, (mut table, flow)) in reader.tables("flow").into_iter().zip(&scenario.flows).enumerate() {
        table.what = format!("flow \"{}\"", flow.name);
        let others = &scenario.flows[..place];
        if let Some(complaint) = conflict(flow, others).or_else(|| passes_split(scenario, everywhere, flow)) {
            let key = if table.has("stack") { "stack" } else { "name" };
            table.refuse_value(key, complaint.code(Code::Conflict));
        }
    }
}

fn conflict(flow: &FlowSpec, others: &[FlowSpec]) -> Option<Complaint> {
    let shares = |other: &&FlowSpec| flow.ends.pairs().flatten().any(|node| other.ends.contains(node));
    if let Some(other) = others.iter().find(|other| other.stack != flow.stack && shares(other)) {
        let label =
            format!("a host has one TCP, and flow \"{}\" has {} at one of these", other.name, other.stack);
        return Some(Complaint::new(label).tip("give both the same `stack`, or one of them other ends"));
    }
    let kernel = flow.stack.kernel()?;
    let other = others.iter().filter_map(|other| Some((other, other.stack.kernel()?)));
    if let Some((other, name)) = other.clone().find(|(_, name)| *name != kernel) {
        let label = format!("all kernels of a scenario are the same, and flow \"{}\" has {name}", other.name);
        return Some(
            Complaint::new(label)
                .tip("a grid compares kernels: grid.stack = [\"linux-6.1\", \"linux-6.12\"]"),
        );
    }
    let scheme = flow.handover?;
    let label = format!("the TCP of a kernel does not have the handover scheme {}", scheme.name);
    Some(Complaint::new(label).tip("take `handover` out, or use `stack = \"seamline\"`"))
}

/// Such an agent makes segments of its own, whose bytes it does not have.
fn passes_split(scenario: &Scenario, everywhere: &Everywhere<'_>, flow: &FlowSpec) -> Option<Complaint> {
    flow.stack.kernel()?;
    let agent = super::ended::splits(scenario, everywhere, flow)?;
    let label =
        format!("agent \"{}\" splits connections, and would need the bytes that a kernel sends", agent.name);
    Some(
        Complaint::new(label)
            .tip("use `stack = \"seamline\"`, or the real agent in the lab: seamline lab --agent"),
    )
}
