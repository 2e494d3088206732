//! Which TCP each host of the lab has, the kernel's names for it, and which commands replace agents.

use crate::middlebox::{self, ExternalAgent};
use crate::run::LabError;
use crate::traffic::CongestionControl;
use seamline_scenario::schema::{AgentSpec, FlowSpec, Scenario};
use seamline_scenario::{Cell, Plan};
use seamline_wire::codec::IpVersion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Which TCP and which commands run where.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stacks {
    /// Nodes with our endpoints; everywhere else is the kernel's TCP.
    pub seamline: BTreeSet<String>,
    /// The kernel's congestion control for all its senders, in place of each flow's own.
    pub congestion_control: Option<String>,
    /// Settings of the kernel for all its hosts, besides those of the scenario.
    pub sysctls: Vec<(String, String)>,
    /// The version of IP between the hosts.
    #[serde(with = "VersionName")]
    pub version: IpVersion,
    /// Commands in place of agents.
    pub external_agents: Vec<ExternalAgent>,
}

/// A version of IP as it is written in jobs for guests.
#[derive(Serialize, Deserialize)]
#[serde(remote = "IpVersion")]
enum VersionName {
    V4,
    V6,
}

/// RFC 8200 section 5.
const LEAST_IPV6_MTU: u32 = 1280;

impl Stacks {
    /// Whether a node has our endpoints.
    pub fn is_seamline(&self, scenario: &Scenario, node: usize) -> bool {
        self.seamline.contains(&scenario.nodes[node])
    }

    /// The settings of hosts with the TCP of the kernel, by names as `sysctl -w` takes them.
    pub(crate) fn sysctls_in(&self, scenario: &Scenario) -> Vec<(String, String)> {
        scenario.sysctls.iter().chain(&self.sysctls).cloned().collect()
    }

    /// The kernel's congestion control for the sender of a flow.
    pub fn congestion_control(&self, flow: &FlowSpec) -> String {
        self.congestion_control.clone().unwrap_or_else(|| kernel_name(&flow.variant_name).to_owned())
    }

    /// The plan with the flows of kernel senders named after the congestion control that they all have instead of their
    /// own: results are labelled by what runs.
    pub(crate) fn named_in(&self, mut plan: Plan) -> Plan {
        let Some(name) = &self.congestion_control else { return plan };
        for scenario in plan.cells.iter_mut().map(|cell| &mut cell.scenario) {
            let Scenario { nodes, flows, .. } = scenario;
            for flow in flows {
                if self.is_replaced(nodes, flow) {
                    flow.variant_name.clone_from(name);
                }
            }
        }
        plan
    }

    /// Whether all senders of a flow are the kernel's, which the congestion control of all replaces.
    fn is_replaced(&self, nodes: &[String], flow: &FlowSpec) -> bool {
        flow.ends.pairs().all(|[from, _]| !self.seamline.contains(&nodes[from]))
    }

    /// The plan without the axes over variants that the congestion control of all replaces: their grid cells would be the same
    /// run under different names.
    #[must_use]
    pub fn without_replaced_axes(&self, plan: Plan) -> Plan {
        let Some(name) = &self.congestion_control else { return plan };
        let Cell { scenario: Scenario { nodes, flows, .. }, values, .. } = &plan.cells[0];
        let key = |flow: &FlowSpec| format!("flow.{}.variant", flow.name);
        let keys: Vec<String> = flows.iter().filter(|flow| self.is_replaced(nodes, flow)).map(key).collect();
        let replaced: Vec<_> = values.iter().filter(|(key, _)| keys.contains(key)).collect();
        if replaced.is_empty() {
            return plan;
        }
        let named: Vec<String> = replaced.iter().map(|(key, _)| format!("{key}={name:?}")).collect();
        // Some congestion controls only kernels have. Then any variant serves, for it does not run.
        let first: Vec<String> = replaced.iter().map(|(key, value)| format!("{key}={value}")).collect();
        [named, first].iter().find_map(|settings| with_settings(&plan, settings)).unwrap_or(plan)
    }

    /// Whether the lab can run a scenario, given what the kernel has.
    ///
    /// # Errors
    /// What it cannot do, and what can be done instead.
    pub fn check(&self, scenario: &Scenario, available: &[CongestionControl]) -> Result<(), LabError> {
        self.check_network(scenario)?;
        scenario.flows.iter().try_for_each(|flow| self.check_flow(scenario, flow, available))
    }

    /// Whether the lab can build a scenario's network for commands, which open connections of their own there.
    ///
    /// # Errors
    /// As for [`Stacks::check`]; and when the congestion control that all shall have is not among those available.
    pub fn check_for_commands(
        &self,
        scenario: &Scenario,
        available: &[CongestionControl],
    ) -> Result<(), LabError> {
        self.check_network(scenario)?;
        match &self.congestion_control {
            Some(wanted) if !available.iter().any(|it| it.name == *wanted) => {
                Err(LabError::Refused(format!(
                    "this kernel has no congestion control {wanted:?}; it has {}\ntip: sudo modprobe tcp_{wanted}",
                    names(available)
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_network(&self, scenario: &Scenario) -> Result<(), LabError> {
        self.check_names(scenario)?;
        self.check_version(scenario)?;
        let placed = middlebox::placed(scenario, &self.external_agents)?;
        let is_ours = |number: usize| placed.iter().all(|(agent, _)| *agent != number);
        let ends_connections = |agent: &AgentSpec| agent.kind.is_some_and(|kind| kind.ends_connections);
        let mut agents = scenario.agents.iter().enumerate();
        let split = agents.find(|(number, agent)| is_ours(*number) && ends_connections(agent));
        split.map_or(Ok(()), |(_, agent)| {
            let name = &agent.name;
            Err(LabError::Refused(format!(
                "agent {name:?} splits connections, and makes segments of its own whose bytes the lab does not have\n\
                 tip: the simulator runs it: seamline run; or --agent {name}=COMMAND puts a command in its place: seamline-host agent split"
            )))
        })
    }

    fn check_names(&self, scenario: &Scenario) -> Result<(), LabError> {
        for name in &self.seamline {
            if host(scenario, name).is_none() {
                return Err(LabError::Refused(format!(
                    "no flow begins or ends at {name:?}, so it has no TCP\ntip: flows begin and end at {}",
                    host_names(scenario)
                )));
            }
        }
        Ok(())
    }

    fn check_version(&self, scenario: &Scenario) -> Result<(), LabError> {
        let mtu = crate::ends::mtu(scenario, self.version);
        if self.version == IpVersion::V6 && mtu < LEAST_IPV6_MTU {
            return Err(LabError::Refused(format!(
                "IPv6 needs packets of {LEAST_IPV6_MTU} bytes (RFC 8200 section 5), and this scenario's segments make {mtu}\n\
                 tip: leave --ipv6 out, or use longer segments"
            )));
        }
        Ok(())
    }

    /// Whether the kernel has what a flow with its TCP needs.
    pub(crate) fn check_node(
        &self,
        flow: &FlowSpec,
        available: &[CongestionControl],
    ) -> Result<(), LabError> {
        let Some(kernel) = flow.stack.kernel() else { return Ok(()) };
        self.check_sender(flow, kernel, available, || {
            "seamline kernel build with --module DIR adds one".to_owned()
        })
    }

    /// Whether a kernel has the congestion control of a flow; `tip` says what to do otherwise.
    fn check_sender(
        &self,
        flow: &FlowSpec,
        kernel: &str,
        available: &[CongestionControl],
        tip: impl FnOnce() -> String,
    ) -> Result<(), LabError> {
        let wanted = self.congestion_control(flow);
        if available.iter().any(|it| it.name == wanted) {
            return Ok(());
        }
        let (name, variant) = (&flow.name, &flow.variant_name);
        Err(LabError::Refused(format!(
            "{kernel} has no congestion control {wanted:?} for flow {name:?} (variant {variant:?}); it has {}\ntip: {}",
            names(available),
            tip()
        )))
    }

    fn check_flow(
        &self,
        scenario: &Scenario,
        flow: &FlowSpec,
        available: &[CongestionControl],
    ) -> Result<(), LabError> {
        let linux = |node: usize| !self.is_seamline(scenario, node);
        let Some([from, to]) = flow.ends.pairs().find(|[from, to]| linux(*from) || linux(*to)) else {
            return Ok(());
        };
        let name = &flow.name;
        // If one end is ours, that end applies the scheme, and the kernel at the other end ignores marks.
        let both_linux = flow.ends.pairs().any(|[from, to]| linux(from) && linux(to));
        if let Some(scheme) = flow.handover.filter(|_| both_linux) {
            return Err(LabError::Refused(format!(
                "flow {name:?} uses the handover scheme {:?}, which the kernel's TCP does not have\n\
                 tip: --seamline {} --seamline {} puts our endpoints at both ends",
                scheme.name, scenario.nodes[from], scenario.nodes[to]
            )));
        }
        if !flow.ends.pairs().any(|[from, _]| linux(from)) {
            return Ok(());
        }
        self.check_sender(flow, "this kernel", available, || {
            format!(
                "--set flow.{name}.variant=cubic, or --congestion {}, or --seamline {} for our endpoint",
                available.first().map_or("reno", |it| it.name.as_str()),
                scenario.nodes[from]
            )
        })
    }
}

/// The nodes at which flows begin or end.
fn hosts(scenario: &Scenario) -> impl Iterator<Item = usize> {
    (0..scenario.nodes.len()).filter(|node| scenario.flows.iter().any(|flow| flow.ends.contains(*node)))
}

/// The one of that name.
pub(crate) fn host(scenario: &Scenario, name: &str) -> Option<usize> {
    hosts(scenario).find(|node| scenario.nodes[*node] == name)
}

/// Their names, with commas.
pub(crate) fn host_names(scenario: &Scenario) -> String {
    hosts(scenario).map(|node| scenario.nodes[node].as_str()).collect::<Vec<_>>().join(", ")
}

fn names(available: &[CongestionControl]) -> String {
    available.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The plan with further settings; `None` when they do not suit it.
fn with_settings(plan: &Plan, settings: &[String]) -> Option<Plan> {
    let mut sources = plan.sources.iter();
    let file = sources.next()?;
    let settings: Vec<String> = sources.map(|it| it.text.clone()).chain(settings.iter().cloned()).collect();
    Plan::new(Path::new(&file.name), file.text.clone(), &settings).ok()
}

/// The Linux name of a variant's congestion control. Linux uses its own recovery (SACK, RACK, PRR) with every variant.
fn kernel_name(variant: &str) -> &str {
    let control = variant.split('/').next().unwrap_or(variant);
    match control {
        "newreno" | "sack" | "reno" => "reno",
        "westwood+" => "westwood",
        other => other,
    }
}
