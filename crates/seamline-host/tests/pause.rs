//! `seamline-host agent pause` and `resume`, and `seamline trial` with them.
#![cfg(target_os = "linux")]

#[path = "../../bridge/tests/support/hosts.rs"]
mod hosts;
mod support;

use hosts::{inside, ip, pause, skip, veth};
use seamline_host::namespace::Namespace;
use seamline_testing::punctual;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use support::{HOST, assert_contains, folder, host, program, stderr, stdout};

/// A process that ends with this value.
struct Running(Child);

impl Running {
    fn begin(namespace: &Namespace, name: &str, arguments: &[&str], log: &Path) -> Running {
        let file = fs::File::create(log).unwrap();
        let mut command = Command::new(program(name));
        command.args(arguments).stdout(file.try_clone().unwrap()).stderr(file).stdin(Stdio::null());
        Running(namespace.within(|| command.spawn()).unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server and a client, and an agent on the bridge between them.
struct Hosts {
    client: Namespace,
    _server: [Running; 2],
    _namespaces: [Namespace; 2],
    folder: tempfile::TempDir,
}

impl Hosts {
    /// `None`, having printed why, where there can be no namespaces.
    fn or_skip(test: &str) -> Option<Self> {
        let made = || -> std::io::Result<[Namespace; 3]> {
            Ok([Namespace::new()?, Namespace::new()?, Namespace::new()?])
        };
        let [server, between, client] = match made() {
            Ok(made) => made,
            Err(error) => {
                skip(test, format!("namespaces: {error}"));
                return None;
            }
        };
        let folder = folder();
        veth(&server, "a0", &between, "b0");
        veth(&between, "b1", &client, "c0");
        for (it, name, last) in [(&server, "a0", 1), (&client, "c0", 2)] {
            ip(it, &format!("addr add 10.66.0.{last}/24 dev {name}"));
            ip(it, "link set lo up");
        }
        let file = |name: &str| folder.path().join(name);
        let (metrics, control) = (file("agent.prom"), file("agent.sock"));
        let agent = ["agent", "snoop", "--in", "b0", "--out", "b1", "--normal-priority", "--metrics"];
        let options = [metrics.to_str().unwrap(), "--control", control.to_str().unwrap()];
        let agent = Running::begin(&between, HOST, &[&agent[..], &options].concat(), &file("log"));
        let load = Running::begin(&server, "seamline", &["load", "serve"], &file("load.log"));
        let path = Hosts { client, _server: [agent, load], _namespaces: [server, between], folder };
        for _ in 0..100 {
            if path.log().contains("event=start") && path.file("load.log").contains("port") {
                return Some(path);
            }
            pause(50);
        }
        panic!("{}{}", path.log(), path.file("load.log"));
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
    fn log(&self) -> String {
        self.file("log")
    }
    fn control(&self) -> PathBuf {
        self.folder.path().join("agent.sock")
    }
    fn order(&self, what: &str) -> Output {
        host(&["agent", what, "--control", self.control().to_str().unwrap()], self.folder.path())
    }
    /// Of a metric, once the agent has written it after now.
    fn metric(&self, name: &str) -> u64 {
        pause(2100);
        let text = self.file("agent.prom");
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("seamline_agent_{name} ")));
        line.unwrap_or_else(|| panic!("{name} is not in:\n{text}")).parse().unwrap()
    }
    fn at_client(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(program("seamline"));
        command.args(arguments).current_dir(self.folder.path());
        self.client.within(|| command.output()).unwrap()
    }
}

#[test]
fn an_agent_is_paused_and_resumed_and_says_so() {
    punctual(30, || {
        let Some(path) = Hosts::or_skip("an_agent_is_paused_and_resumed_and_says_so") else { return };
        for (order, said) in
            [("resume", "already resumed\n"), ("pause", "paused\n"), ("pause", "already paused\n")]
        {
            let output = path.order(order);
            assert_eq!((output.status.code(), stdout(&output)), (Some(0), said), "{}", stderr(&output));
        }
        assert_eq!(path.metric("paused"), 1);
        let metrics = path.folder.path().join("agent.prom");
        let status = host(&["agent", "status", metrics.to_str().unwrap()], path.folder.path());
        assert_contains(stdout(&status), &["state: help is switched off (agent resume)\n"]);

        // A download that begins meanwhile is never helped.
        let arguments = ["load", "fetch", "10.66.0.1", "--duration", "12 s"];
        let mut fetch = Command::new(program("seamline"));
        fetch.args(arguments).current_dir(path.folder.path());
        let fetched = inside(&path.client, move || fetch.output().unwrap());
        assert!((0..4).any(|_| path.metric("paused_frames_total") > 100), "no download passes");
        assert_eq!(stdout(&path.order("resume")), "resumed\n");
        assert!(!fetched.is_finished(), "it ended before help was switched on again");
        let frames = path.metric("paused_frames_total");
        assert_eq!((path.metric("paused"), path.metric("flows_known_total")), (0, 0));
        assert!(frames > 100 && path.metric("paused_frames_total") == frames, "{frames}");
        let fetched = fetched.join().unwrap();
        assert!(fetched.status.success(), "{}", stderr(&fetched));

        // The next one is.
        let fetched = path.at_client(&["load", "fetch", "10.66.0.1", "--duration", "1 s"]);
        assert!(fetched.status.success(), "{}", stderr(&fetched));
        assert!(path.metric("flows_known_total") >= 1);
        let log = path.log();
        assert_eq!(
            [log.matches("event=paused").count(), log.matches("event=resumed").count()],
            [1; 2],
            "{log}"
        );
        let nowhere = host(&["agent", "pause", "--control", "/no/such"], path.folder.path());
        assert_eq!(nowhere.status.code(), Some(1));
        assert_contains(stderr(&nowhere), &["/no/such"]);
    });
}

#[test]
fn a_trial_pauses_and_resumes_an_agent_on_its_host() {
    punctual(30, || {
        let Some(path) = Hosts::or_skip("a_trial_pauses_and_resumes_an_agent_on_its_host") else { return };
        let control = path.control();
        let trial =
            ["trial", "10.66.0.1", "--out", "out", "--agent", control.to_str().unwrap(), "--pairs", "2"];
        let shape = ["--period", "2500 ms", "--settle", "100 ms", "--slot", "1 s", "--quiet", "--json"];
        let output = path.at_client(&[&trial[..], &shape].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let rows: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!((&rows[0]["quantity"], &rows[0]["pairs"]), (&"goodput".into(), &2.into()), "{rows}");
        assert!(path.metric("paused_frames_total") > 100 && path.metric("flows_known_total") >= 4);
        // On, off; off, on; and off at the end.
        let log = path.log();
        let events: Vec<&str> =
            log.split("event=").skip(1).filter_map(|it| it.split_whitespace().next()).collect();
        assert_eq!(
            events.iter().filter(|it| it.ends_with("ed")).collect::<Vec<_>>(),
            [&"paused", &"resumed", &"paused"]
        );
    });
}
