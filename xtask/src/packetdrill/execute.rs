//! Running scripts: each in a namespace of its own, several at a time, with a limit of time.

use super::outcome::Outcome;
use super::sandbox::Sandbox;
use super::suites::Script;
use crate::support::at;
use rayon::prelude::*;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// As run_all.py of packetdrill has them.
const ARGUMENTS: [&str; 14] = [
    "--send_omit_free",
    "--ip_version=ipv4",
    "--local_ip=192.168.0.1",
    "--gateway_ip=192.168.0.1",
    "--netmask_ip=255.255.0.0",
    "--remote_ip=192.0.2.1",
    "-D",
    "TFO_COOKIE=3021b9d889017eeb",
    "-D",
    "CODE=host_unreachable",
    "-D",
    "CMSG_LEVEL_IP=SOL_IP",
    "-D",
    "CMSG_TYPE_RECVERR=IP_RECVERR",
];
/// Between two looks at a script that runs.
const PERIOD: Duration = Duration::from_millis(5);

/// What runs the scripts.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    /// packetdrill.
    pub(crate) program: PathBuf,
    /// Our endpoint; `None` tests the kernel that this program runs on.
    pub(crate) subject: Option<Subject>,
    /// Where the output and the files of scripts go.
    pub(crate) outputs: PathBuf,
    /// The longest time that a script may take.
    pub(crate) limit: Duration,
    /// How far an event may be from its time, in microseconds; `None` is what each script says.
    pub(crate) tolerance: Option<u32>,
}

/// Our endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// The shared object.
    pub(crate) object: PathBuf,
    /// The profile of its parameters; `None` is that of the suite.
    pub(crate) profile: Option<String>,
    /// The variant; `None` is that of the congestion control that a script sets.
    pub(crate) variant: Option<String>,
}

impl Subject {
    fn profile<'a>(&'a self, script: &'a Script) -> &'a str {
        self.profile.as_deref().unwrap_or(script.profile)
    }
    fn flags(&self, script: &Script) -> String {
        let variant = self.variant.iter().map(|name| format!(",variant={name}"));
        format!("profile={}", self.profile(script)) + &variant.collect::<String>()
    }
}

impl Runner {
    /// Run all, `jobs` at a time, and show how far it is when that is of interest; the outcomes in the order of the scripts.
    pub(crate) fn run_all(&self, scripts: &[Script], jobs: usize) -> Result<Vec<Outcome>, String> {
        let _ = fs::remove_dir_all(&self.outputs);
        fs::create_dir_all(&self.outputs).map_err(at(&self.outputs))?;
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(jobs).build().map_err(|error| error.to_string())?;
        let done = AtomicUsize::new(0);
        pool.install(|| {
            let outcomes = scripts.par_iter().enumerate().map(|(place, script)| {
                let outcome = self.run(script, &self.outputs.join(place.to_string()));
                let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                if count.is_multiple_of(100) {
                    eprintln!("{count} of {} scripts", scripts.len());
                }
                outcome
            });
            outcomes.collect()
        })
    }

    fn run(&self, script: &Script, work: &Path) -> Result<Outcome, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", script.path.display());
        fs::create_dir_all(work).map_err(failed)?;
        let output = work.join("output");
        let file = File::create(&output).map_err(failed)?;
        let source = fs::read_to_string(&script.path).map_err(failed)?;
        let mut command = self.command(script, &source, work)?;
        command.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
        let mut child = command.spawn().map_err(failed)?;
        let code = wait(&mut child, self.limit).map_err(failed)?;
        Sandbox::remove(work);
        // Scripts restore settings by a file that is named after their process, and leave it.
        let _ = fs::remove_file(format!("/tmp/sysctl_restore_{}.sh", child.id()));
        let text = String::from_utf8_lossy(&fs::read(&output).map_err(failed)?).into_owned();
        Ok(Outcome::of(code, &text, &source))
    }

    /// A kernel is tested in a network namespace; for our endpoint, files take the place of the kernel's settings.
    fn command(&self, script: &Script, source: &str, work: &Path) -> Result<Command, String> {
        let mut command = Command::new("unshare");
        if !nix::unistd::geteuid().is_root() {
            command.arg("--map-root-user");
        }
        match &self.subject {
            None => self.isolate(&mut command, "--net", "ip link set lo up", source),
            Some(subject) => {
                let sandbox = Sandbox::make(work, subject.profile(script))?;
                let mount = format!("mount --bind '{}' /proc/sys/net", sandbox.settings.display());
                self.isolate(&mut command, "--mount", &mount, source);
                command.env("PATH", sandbox.path());
                command.arg(format!("--so_filename={}", subject.object.display()));
                command.arg(format!("--so_flags={}", subject.flags(script)));
            }
        }
        command.arg(script.path.file_name().unwrap_or_default());
        command.current_dir(script.path.parent().unwrap_or(Path::new(".")));
        Ok(command)
    }

    /// packetdrill in a namespace, after `setup` in it. With the end of this program its scripts end.
    fn isolate(&self, command: &mut Command, namespace: &str, setup: &str, source: &str) {
        let script = format!("{setup} && exec \"$0\" \"$@\"");
        command.args([namespace, "--", "setpriv", "--pdeathsig", "KILL", "sh", "-c", &script]);
        command.arg(&self.program).args(arguments(source));
        command.args(self.tolerance.map(|tolerance| format!("--tolerance_usecs={tolerance}")));
    }
}

/// The arguments without those that the script sets itself: packetdrill prefers arguments.
fn arguments(source: &str) -> impl Iterator<Item = &'static str> {
    let sets = |argument: &str| {
        let name = argument.split('=').next().unwrap_or_default();
        source.lines().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
    };
    ARGUMENTS.into_iter().filter(move |argument| !argument.contains("_ip=") || !sets(argument))
}

/// Wait until the script ends; its exit code, or `None` when it had to be ended.
#[expect(clippy::disallowed_methods, reason = "a program that hangs has to be ended")]
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<i32>> {
    let start = std::time::Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.code().unwrap_or(-1)));
        }
        if start.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PERIOD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_a_script_sets_stays() {
        let set: Vec<_> = arguments("--remote_ip=10.0.0.1\n0 socket(...) = 3\n").collect();
        assert!(!set.iter().any(|argument| argument.starts_with("--remote_ip")));
        assert!(set.contains(&"--local_ip=192.168.0.1"));
    }
}
