//! A scenario in namespaces, or a command in its network.

use super::{Arguments, virtual_time};
use crate::Outcome;
use crate::estimate::{Costs, time};
use crate::experiment::run_and_report_with;
use crate::format::Format;
use crate::memory::Room;
use crate::run::load;
use crate::terminal::{Failure, note, print_results, tell};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::RunOptions;
use seamline_experiment::emulation::EmulationRecord;
use seamline_experiment::report::quoted;
use seamline_experiment::summary::label;
use seamline_lab::system::{Leftover, StateDirectory, leftovers, privileges};
use seamline_lab::{ExternalAgent, LabError, Shell, ShellSession, Stacks};
use seamline_scenario::Plan;
use seamline_wire::codec::IpVersion;
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

/// How long a process has to end on its own.
const GRACE: Duration = Duration::from_secs(1);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { file, options, seamline, congestion, ipv6, agent, .. } = arguments;
    let is_real = arguments.virtual_time.is_none();
    if is_real && options.processors.are_many() {
        return Err(Failure::Input(
            "--jobs: the lab runs in real time, and runs at the same time would delay each other's packets\ntip: leave it out, or add --virtual; seamline parity --jobs accepts that and repeats runs that were late"
                .to_owned(),
        ));
    }
    let external_agents = agent.iter().map(|text| external_agent(text)).collect::<Result<_, _>>()?;
    let stacks = Stacks {
        seamline: seamline.iter().cloned().collect(),
        congestion_control: congestion.clone(),
        sysctls: Vec::new(),
        version: if *ipv6 { IpVersion::V6 } else { IpVersion::V4 },
        external_agents,
    };
    let plan = stacks.without_replaced_axes(load(file, &options.overrides.to_settings())?);
    if !arguments.command.is_empty() {
        return run_command(&plan, &stacks, arguments);
    }
    if let Some(kernel) = &arguments.virtual_time {
        return virtual_time::run(&plan, &stacks, kernel, arguments);
    }
    let state = prepare(options.quiet)?;
    let command = command_text(arguments);
    if !options.quiet {
        let costs = Costs::of(&plan);
        let (takes, runs) = (time(costs.simulated_s()), plan.runs());
        note("note", format!("in real time this takes {takes}: {runs} runs, one after the other"));
        Room::now().state(&costs, 1, false);
    }
    let mut escaped = Ok(());
    let shown =
        run_and_report_with(&plan, options, &command, options.files.to_run_options(), |files, finished| {
            let results = seamline_lab::run(&plan, &stacks, Some(&state), files, finished);
            escaped = end_escaped_from(&stacks.external_agents);
            results.map_err(|incomplete| incomplete.map_failure(failure))
        });
    shown.and(escaped)
}

/// The command that repeats this, without what does not change results.
pub(super) fn command_text(arguments: &Arguments) -> String {
    let Arguments { file, seamline, congestion, ipv6, agent, .. } = arguments;
    let mut command = format!("lab {}", quoted(&file.display().to_string()));
    seamline.iter().for_each(|node| command += &format!(" --seamline {}", quoted(node)));
    congestion.iter().for_each(|name| command += &format!(" --congestion {}", quoted(name)));
    command += if *ipv6 { " --ipv6" } else { "" };
    agent.iter().for_each(|text| command += &format!(" --agent {}", quoted(text)));
    command
}

/// End processes that commands in place of agents have started outside the lab, if there are any.
pub(crate) fn end_escaped_from(agents: &[ExternalAgent]) -> Outcome {
    if agents.is_empty() { Ok(()) } else { end_escaped() }
}

/// End processes that commands have started outside the lab.
fn end_escaped() -> Outcome {
    match leftovers::end_escaped(GRACE) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Runtime(format!("cannot end processes that a command started: {error}"))),
    }
}

/// Run a command inside the network.
fn run_command(plan: &Plan, stacks: &Stacks, arguments: &Arguments) -> Outcome {
    let Arguments { options, at, serve, flows, notify, command, .. } = arguments;
    if options.report.is_some() {
        return Err(Failure::Input(
            "--report is for the scenario's flows, and with a command the lab draws no page of them\ntip: leave it out, or leave the command out"
                .to_owned(),
        ));
    }
    if options.format.get() == Format::Csv {
        return Err(Failure::Input(
            "--format csv is for the scenario's flows\ntip: with a command, --format json prints what its network did"
                .to_owned(),
        ));
    }
    let servers = serve.iter().map(|text| server(text)).collect::<Result<_, _>>()?;
    let notify = notify.iter().map(|text| listener(text)).collect::<Result<_, _>>()?;
    let shell = Shell { command: command.clone(), at: at.clone(), servers, flows: *flows, notify };
    if !options.quiet && plan.runs() > 1 {
        let flow = plan.cells[0].scenario.flows.first().map_or("", |flow| flow.variant_name.as_str());
        let (runs, first) = (plan.runs(), label(plan, 0));
        note("note", format!("running the first of {runs} runs: {first}, TCP as in {flow:?}"));
    }
    if let Some(kernel) = &arguments.virtual_time {
        return virtual_time::run_command(plan, stacks, &shell, kernel, arguments);
    }
    let state = prepare(options.quiet)?;
    let interrupt = Interrupt::listen_once()?;
    let files = RunOptions { stop: interrupt.flag().clone(), ..options.files.to_run_options() };
    let session = seamline_lab::shell(plan, stacks, &shell, &state, &files);
    let escaped = end_escaped();
    let Some(session) = session.map_err(failure)? else {
        escaped?;
        return Err(Failure::Interrupted("interrupted".to_owned(), interrupt.exit_code()));
    };
    let shown = show_session(&session, arguments);
    escaped?;
    shown
}

/// Show what came of a command, and end with its exit code.
pub(super) fn show_session(session: &ShellSession, arguments: &Arguments) -> Outcome {
    let options = &arguments.options;
    if !options.quiet {
        tell(&summary(session));
        session.emulation.warnings().iter().for_each(|warning| note("warning", warning));
        if session.took > session.scheduled {
            let text = format!(
                "the command took {}, the scenario {}: after that its links stayed as they were (--set duration='1 h')",
                session.took, session.scheduled
            );
            note("note", text);
        }
    }
    if options.format.get() == Format::Json {
        print_results(&json(session)?)?;
    }
    match session.code {
        0 => Ok(()),
        code => Err(Failure::Passed(code)),
    }
}

/// The results as JSON, printed after the command's own output.
fn json(session: &ShellSession) -> Result<String, Failure> {
    let ShellSession { code, flows, links, emulation, .. } = session;
    let document = json!({ "code": code, "flows": flows, "links": links, "emulation": emulation });
    crate::terminal::json(&document)
}

/// `NODE=PATH`.
fn listener(text: &str) -> Result<(String, PathBuf), Failure> {
    let (node, path) = named("--notify", text, "NODE=PATH", "phone=/tmp/mobile.sock")?;
    Ok((node, path.into()))
}

/// `NODE=COMMAND`.
fn server(text: &str) -> Result<(String, Vec<OsString>), Failure> {
    let (node, command) = named("--serve", text, "NODE=COMMAND", "server='iperf3 -s'")?;
    Ok((node, shell(command)))
}

/// `AGENT=COMMAND`. The command's output goes to standard error: a program may read the results on standard output.
pub(crate) fn external_agent(text: &str) -> Result<ExternalAgent, Failure> {
    let example = "station='seamline-host agent snoop --in wired0 --out wireless0'";
    let (agent, command) = named("--agent", text, "AGENT=COMMAND", example)?;
    Ok(ExternalAgent { agent, command: shell(&format!("exec >&2; {command}")) })
}

/// The two parts of an option's value `NAME=VALUE`, neither of them empty.
fn named<'a>(option: &str, text: &'a str, form: &str, example: &str) -> Result<(String, &'a str), Failure> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let wrong = || Failure::Input(format!("{option} {text:?} should be {form}, e.g. {option} {example}"));
    parts.map(|(name, value)| (name.to_owned(), value)).ok_or_else(wrong)
}

/// A command line for the shell.
fn shell(command: &str) -> Vec<OsString> {
    ["sh", "-c", command].map(OsString::from).to_vec()
}

/// What the network did while a command ran.
fn summary(session: &ShellSession) -> String {
    let mut text = String::new();
    for link in &session.links {
        let lost = link.lost_to_errors + link.lost_to_link_down + link.lost_to_departure.unwrap_or(0);
        let dropped = link.dropped_by_full_queue + link.dropped_by_queue_management;
        if link.delivered_packets + lost + dropped == 0 {
            continue;
        }
        text += &format!(
            "seamline: {}: {} packets carried, {dropped} dropped by its queue, {lost} lost\n",
            link.name, link.delivered_packets
        );
    }
    for flow in &session.flows {
        text += &format!("seamline: {}: {} bytes delivered\n", flow.name, flow.delivered_bytes);
        for handover in &flow.handovers {
            let after =
                |value: Option<f64>| value.map_or("never".to_owned(), |ms| format!("after {ms:.1} ms"));
            text += &format!(
                "seamline: {}: handover at {:.3} s: over {}, first data {}\n",
                flow.name,
                handover.start_s,
                after(handover.interruption_ms),
                after(handover.first_data_ms)
            );
        }
    }
    let ShellSession { emulation, files, .. } = session;
    if emulation.is_virtual {
        text += &format!("seamline: in virtual time, Linux {}\n", emulation.kernel);
    } else {
        text += &lateness(emulation);
    }
    files.iter().for_each(|file| text += &format!("seamline: written: {}\n", file.display()));
    text
}

fn lateness(emulation: &EmulationRecord) -> String {
    format!(
        "seamline: packets were {:.0} us late at the median, {:.0} us at the 99th percentile ({})\n",
        emulation.lateness_median_us, emulation.lateness_p99_us, emulation.priority
    )
}

/// Remove what an earlier lab has left, and obtain the right to make namespaces. To be called before any other thread begins.
pub(crate) fn prepare(quiet: bool) -> Result<StateDirectory, Failure> {
    let host = |error: io::Error| failure(error.into());
    let state = StateDirectory::find().map_err(host)?;
    match state.remove_leftovers(GRACE) {
        Ok(leftovers) => leftovers.iter().filter(|_| !quiet).for_each(report),
        Err(error) => note("warning", format!("processes left by a killed lab could not be ended: {error}")),
    }
    privileges::obtain().map_err(host)?;
    Ok(state)
}

fn report(Leftover { lab, ended, .. }: &Leftover) {
    let count = match ended.len() {
        0 => return,
        1 => "1 process".to_owned(),
        count => format!("{count} processes"),
    };
    note("note", format!("ended {count} left by a killed lab (process {lab})"));
}

pub(crate) fn failure(error: LabError) -> Failure {
    match error {
        LabError::Refused(what) => Failure::Input(what),
        LabError::Host(error) if error.kind() == ErrorKind::StorageFull => {
            Failure::Runtime(error.to_string())
        }
        LabError::Host(error) => {
            Failure::Runtime(format!("{error}\ntip: seamline doctor says what this host lacks"))
        }
        error => Failure::Runtime(error.to_string()),
    }
}
