//! The hosts of a run: namespaces, the TCPs in them, and the flows between these.

use crate::clock;
use crate::driver::{Driver, Network, Over};
use crate::edge;
use crate::kernel_view::KernelView;
use crate::lateness::Lateness;
use crate::middlebox::Middlebox;
use crate::notify::Notify;
use crate::run::LabError;
use crate::site::{Site, Stack};
use crate::stacks::Stacks;
use crate::system::{Namespace, Priority, kernel_release};
use crate::traffic::{
    Content, Observation, Report, SinkPlan, SourcePlan, Traffic, available_congestion_controls,
};
use crate::user_host::UserHost;
use seamline_experiment::emulation::EmulationRecord;
use seamline_experiment::live::{self, Ended, Live};
use seamline_scenario::connections::connections;
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_wire::codec::{IpVersion, TCP_HEADER_LENGTH};
use seamline_wire::{Duration, Instant, TransportPort};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{self, Receiver};

/// How long it may take until all threads of a run are there.
const SOON: Duration = Duration::from_millis(5);

/// What the flows of a scenario do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flows {
    /// They run.
    Run,
    /// Nothing: the network is for others.
    Rest,
}

/// The hosts of one run, before it begins.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) sites: Vec<Site>,
    traffic: Traffic,
    views: Vec<Option<(usize, KernelView)>>,
    observations: Receiver<Observation>,
    notify: Option<Notify>,
}

impl Ends {
    /// Make them.
    pub(crate) fn new(live: &Live<'_>, stacks: &Stacks, flows: Flows) -> Result<Self, LabError> {
        let scenario = live.scenario();
        let connections = match flows {
            Flows::Run => connections(scenario),
            Flows::Rest => Vec::new(),
        };
        let mut sites = sites(live, stacks)?;
        let (observer, observations) = mpsc::channel();
        let (mut sources, mut sinks, mut views) = (Vec::new(), Vec::new(), Vec::new());
        for connection in &connections {
            let content = Content::new(live.seed(), connection.number.into());
            let flow = &scenario.flows[connection.flow];
            let [from, to] = connection.ends;
            let at = |node: usize, port: TransportPort| address(node, port, stacks.version);
            let (local, remote) = (at(from, connection.sender_port), at(to, connection.receiver_port));
            let number = u32::from(connection.number);
            let site = site(&mut sites, to);
            match &mut site.stack {
                Stack::Linux(tap) => {
                    tap.watch_receiver(connection.receiver_port);
                    sinks.push(SinkPlan {
                        connection: number,
                        namespace: site.namespace.clone(),
                        local: remote,
                        content,
                    });
                }
                Stack::Seamline(host) => host.receives(connection.receiver_port, content),
            }
            let site = self::site(&mut sites, from);
            let mut view = None;
            match &mut site.stack {
                Stack::Linux(tap) => {
                    tap.watch_sender(connection.sender_port);
                    view = Some((from, KernelView::new(connection.sender_port)));
                    sources.push(SourcePlan {
                        connection: number,
                        namespace: site.namespace.clone(),
                        local,
                        remote,
                        content,
                        bytes: flow.size,
                        start: connection.start.saturating_since(Instant::ZERO),
                        stop: flow.stop.map(|stop| stop.saturating_since(Instant::ZERO)),
                        congestion_control: Some(stacks.congestion_control(flow)),
                    });
                }
                Stack::Seamline(host) => host.sends(connection.sender_port, content),
            }
            views.push(view);
        }
        let traffic = Traffic::prepare(sources, sinks, Some(observer))?;
        Ok(Ends { sites, traffic, views, observations, notify: None })
    }

    /// The same, with programs that get link events.
    pub(crate) fn notifying(self, notify: Notify) -> Self {
        Ends { notify: Some(notify), ..self }
    }

    /// Their namespaces.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Namespace> {
        self.sites.iter().map(|site| &*site.namespace)
    }

    /// Begin, and continue until `over` returns how it ended.
    pub(crate) fn run(
        mut self,
        live: &mut Live<'_>,
        middleboxes: &mut [Middlebox],
        priority: Priority,
        over: &mut dyn FnMut(Instant) -> io::Result<Option<Over>>,
    ) -> Result<Ended, LabError> {
        let origin = clock::monotonic() + SOON;
        let running = self.traffic.begin(origin)?;
        let network = Network { sites: &mut self.sites, middleboxes, notify: self.notify.as_ref() };
        let driven = Driver::new(live, network, self.views, self.observations, origin).run(over);
        let reports = running.end();
        let (over, lateness) = driven?;
        check_content(&reports, &self.sites, live.scenario())?;
        Ok(match over {
            Over::Complete => {
                Ended::Complete(emulation(live.scenario(), &self.sites, middleboxes, priority, &lateness)?)
            }
            Over::Stopped => Ended::Stopped,
        })
    }
}

fn sites(live: &Live<'_>, stacks: &Stacks) -> io::Result<Vec<Site>> {
    let scenario = live.scenario();
    let mtu = mtu(scenario, stacks.version);
    let mut hosts = live.hosts();
    let control = kernel_default(live, stacks)?;
    let sysctls = stacks.sysctls_in(scenario);
    let mut sites = Vec::new();
    for node in live.host_nodes() {
        let id = live::node_id(node);
        match hosts[node].take() {
            Some(host) if stacks.is_seamline(scenario, node) => {
                let (mut site, interface) = Site::for_endpoint(node, id, mtu)?;
                site.stack = Stack::Seamline(Box::new(UserHost::new(host, interface, stacks.version)));
                sites.push(site);
            }
            _ => sites.push(Site::new(node, id, mtu, control.clone(), &sysctls)?),
        }
    }
    Ok(sites)
}

/// What commands get that ask for no congestion control: that of the first flow, if the kernel has it.
fn kernel_default(live: &Live<'_>, stacks: &Stacks) -> io::Result<Option<String>> {
    let Some(wanted) = live.scenario().flows.first().map(|flow| stacks.congestion_control(flow)) else {
        return Ok(None);
    };
    let available = available_congestion_controls(&Namespace::new()?)?;
    Ok(available.into_iter().map(|it| it.name).find(|name| *name == wanted))
}

/// The longest packet, so that the kernel's segments are as long as the scenario's.
pub(crate) fn mtu(scenario: &Scenario, version: IpVersion) -> u32 {
    let headers = (version.header_length() + TCP_HEADER_LENGTH) as u32;
    let size = |flow: &FlowSpec| u32::from(flow.parameters.segments.maximum_segment_size);
    scenario.flows.iter().map(size).max().unwrap_or(1460) + headers
}

pub(crate) fn address(node: usize, port: TransportPort, version: IpVersion) -> SocketAddr {
    let [v4, v6]: [IpAddr; 2] = edge::addresses(live::node_id(node));
    SocketAddr::new(if version == IpVersion::V4 { v4 } else { v6 }, port.0)
}

fn site(sites: &mut [Site], node: usize) -> &mut Site {
    let place = sites.iter().position(|site| site.node == node);
    &mut sites[place.unwrap_or_else(|| unreachable!("every end of a flow has a site"))]
}

/// How well a run was emulated.
fn emulation(
    scenario: &Scenario,
    sites: &[Site],
    middleboxes: &[Middlebox],
    priority: Priority,
    lateness: &Lateness,
) -> io::Result<EmulationRecord> {
    let [lateness_median_us, lateness_p99_us, lateness_max_us] = lateness.in_micros();
    let mut lost_at_interfaces = 0;
    let mut stacks = Vec::new();
    for site in sites {
        lost_at_interfaces += site.lost()?;
        let stack = match site.stack {
            Stack::Linux(_) => "linux",
            Stack::Seamline(_) => "seamline",
        };
        stacks.push((scenario.nodes[site.node].clone(), stack.to_owned()));
    }
    for middlebox in middleboxes {
        lost_at_interfaces += middlebox.lost()?;
        stacks.push((scenario.agents[middlebox.agent].name.clone(), "command".to_owned()));
    }
    let outlets = sites.iter().map(|site| &site.outlet).chain(middleboxes.iter().flat_map(|it| &it.outlets));
    Ok(EmulationRecord {
        kernel: kernel_release()?,
        is_virtual: seamline_kernel::guest::inside::is_guest(),
        stacks,
        priority: priority.to_string(),
        packets: lateness.count(),
        lateness_median_us,
        lateness_p99_us,
        lateness_max_us,
        lost_at_interfaces,
        payload_unknown: outlets.map(|outlet| outlet.payload_unknown).sum(),
    })
}

/// What applications have read is what was sent.
fn check_content(reports: &[Report], sites: &[Site], scenario: &Scenario) -> Result<(), LabError> {
    for report in reports {
        if let Some(offset) = report.sink.as_ref().and_then(|sink| sink.first_mismatch) {
            return Err(LabError::Failed(format!(
                "connection {}: the byte at {offset} that its receiver read is not what was sent",
                report.connection
            )));
        }
    }
    for site in sites {
        if let Stack::Seamline(host) = &site.stack
            && let Some((port, mismatch)) = host.mismatch
        {
            let node = &scenario.nodes[site.node];
            return Err(LabError::Failed(format!(
                "at {node}, port {}: the byte at {} that came is not what was sent",
                port.0, mismatch.offset
            )));
        }
    }
    Ok(())
}
