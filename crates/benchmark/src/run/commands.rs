//! The commands of a run.

use super::RunOptions;
use crate::case::{ANSWER, Job, Traffic};
use crate::remedy::Notice;
use seamline_experiment::report::quoted;
use seamline_wire::Duration;
use std::fmt::Write;
use std::path::Path;

pub(super) const SCENARIO_FILE: &str = "handover-benchmark.toml";
pub(super) const POLICY_FILE: &str = "mobile.toml";
pub(super) const TIMELINE_FILE: &str = "timeline.json";
pub(super) const EVENTS_FOLDER: &str = "events";
/// The log of the daemon at the phone.
pub(super) const MOBILE_LOG: &str = "mobile.log";
/// The log of the server.
const LOAD_LOG: &str = "load.log";
/// The logs of everything that runs next to the client.
pub(super) const LOGS: &[&str] = &[MOBILE_LOG, "sender.log", LOAD_LOG, "second-path.log", "notice.log"];
/// The socket of the daemon at the phone.
const SOCKET: &str = "mobile.sock";
/// The interface of a host of the lab.
const INTERFACE: &str = "seam0";

/// What runs at the end of the second path: it moves its interface to the phone. In the background, since the lab does not wait for servers
/// that have ended.
const SECOND_PATH_END: &str = "echo $SEAMLINE_ADDRESS > second-path.address; \
    ( for _ in $(seq 500); do [ -s phone.pid ] && break; sleep 0.02; done; \
    ip link set seam0 down && ip link set seam0 netns $(cat phone.pid) name seam1 && echo moved ) > second-path.log 2>&1 &";

/// What the phone runs first, to get its second path: it configures the interface that was moved to it.
const SECOND_PATH_PHONE: &str = "echo $$ > phone.pid; \
    for _ in $(seq 500); do grep -q moved second-path.log 2>/dev/null && break; sleep 0.02; done; \
    second=$(cat second-path.address); ip addr add $second/32 dev seam1 && ip link set seam1 up && \
    ip rule add from $second table 2 && ip route add default dev seam1 table 2 && \
    ip mptcp endpoint add $second dev seam1 subflow backup || exit 1; ";

/// The commands of a run: the network, and what runs at its two ends.
#[derive(Clone, Debug)]
pub(super) struct Commands {
    settings: Vec<String>,
    server: String,
    phone: String,
    is_notified: bool,
    is_mptcp: bool,
}

impl Commands {
    /// The commands of a job, with the cgroup for `seamline-host sender`.
    pub(super) fn new(job: &Job, options: &RunOptions, cgroup: Option<&Path>) -> Self {
        let programs = [&options.program, &options.host_program].map(|it| quoted(&it.display().to_string()));
        Commands {
            settings: job.settings(),
            server: server(job, &programs, cgroup),
            phone: phone(job, &programs),
            is_notified: job.case.remedy.mobile_policy.is_some(),
            is_mptcp: job.case.remedy.is_mptcp,
        }
    }

    /// The arguments of `seamline`, in a folder that has the files named there.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> =
            ["lab", SCENARIO_FILE, "--json", "--quiet", "--events", EVENTS_FOLDER]
                .map(str::to_owned)
                .to_vec();
        for setting in &self.settings {
            arguments.extend(["--set".to_owned(), setting.clone()]);
        }
        if self.is_notified {
            arguments.extend(["--notify".to_owned(), format!("phone={SOCKET}")]);
        }
        arguments.extend(["--at", "phone", "--serve"].map(str::to_owned));
        arguments.push(format!("server={}", self.server));
        if self.is_mptcp {
            arguments.extend(["--serve".to_owned(), format!("second-path={}", SECOND_PATH_END)]);
        }
        arguments.extend(["--", "sh", "-c"].map(str::to_owned));
        arguments.push(self.phone.clone());
        arguments
    }

    /// The same as a line for a shell.
    pub(super) fn retyped(&self) -> String {
        let words = self.arguments().into_iter().map(|word| quoted(&word));
        format!("seamline {}", words.collect::<Vec<_>>().join(" "))
    }
}

/// What runs at the server.
fn server(job: &Job, [program, host]: &[String; 2], cgroup: Option<&Path>) -> String {
    let remedy = job.case.remedy;
    let mut script = String::new();
    if let Some(cgroup) = cgroup {
        let cgroup = quoted(&cgroup.display().to_string());
        let _ = write!(
            script,
            "{host} sender --cgroup {cgroup} --interface {INTERFACE} > sender.log 2>&1 & sender=$!; \
             until grep -q ready: sender.log; do kill -0 $sender || exit 1; sleep 0.02; done; "
        );
    }
    let _ = write!(script, "exec {program} load serve");
    // `seamline-host sender` chooses the congestion control itself, in place of the lab's default, cubic.
    if !remedy.has_sender {
        let _ = write!(script, " --congestion {}", remedy.congestion_control);
    }
    if let Some(longest) = remedy.longest_retransmission_timeout {
        let _ = write!(script, " --rto-max '{} ms'", longest.as_millis());
    }
    let _ = write!(script, "{} > {LOAD_LOG} 2>&1", if remedy.is_mptcp { " --mptcp" } else { "" });
    script
}

/// What runs at the phone.
fn phone(job: &Job, programs: &[String; 2]) -> String {
    let remedy = job.case.remedy;
    let [program, host] = programs;
    let mut script = String::new();
    if remedy.mobile_policy.is_some() {
        let _ = write!(
            script,
            "{host} mobile --socket {SOCKET} --config {POLICY_FILE} > {MOBILE_LOG} 2>&1 & mobile=$!; \
             until grep -q event=start {MOBILE_LOG}; do kill -0 $mobile || exit 1; sleep 0.02; done; "
        );
    }
    if remedy.is_mptcp {
        script += SECOND_PATH_PHONE;
    }
    if let Notice::Wrong { announced, actual } = remedy.notice {
        script += &announce(job.link_down() - actual, announced, programs);
    }
    // At most ten seconds: the client reports a server that has ended.
    let _ = write!(
        script,
        "tries=0; until grep -qs listening {LOAD_LOG} || [ $tries = 500 ]; do tries=$((tries + 1)); sleep 0.02; done; \
         {program} load fetch \"$SEAMLINE_PEER\" --quiet --json {TIMELINE_FILE} --full --until '{} ms'",
        job.traffic_time().as_millis()
    );
    if job.case.traffic == Traffic::Requests {
        let _ = write!(script, " --requests '{ANSWER} B'");
    }
    script += if remedy.is_mptcp { " --mptcp" } else { "" };
    match remedy.mobile_policy {
        Some(_) => script + "; code=$?; kill $mobile; wait $mobile; exit $code",
        None => script,
    }
}

/// Notify the daemon, at a time of the lab, that the link goes down after `lead`.
fn announce(at: Duration, lead: Duration, [program, host]: &[String; 2]) -> String {
    format!(
        "( {program} load wait --until '{} ms' && \
         {host} mobile --socket {SOCKET} --tell 'going-down {INTERFACE} in {} ms' ) > notice.log 2>&1 & ",
        at.as_millis(),
        lead.as_millis()
    )
}
