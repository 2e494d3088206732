//! `seamline lab --virtual`: the kernel's own TCP in virtual time.
#![cfg(target_os = "linux")]

mod support;

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::{Pid, geteuid};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use support::{
    assert_contains, folder, kernel_or_skip, refuses, scenario, seamline, skip, stderr, stdout, succeeds,
};

/// Held by the test that boots guests: others look at what is left of them.
static ALONE: Mutex<()> = Mutex::new(());

/// A place for guests, if there is a kernel; otherwise the test is skipped.
fn guests_or_skip(test: &str) -> Option<MutexGuard<'static, ()>> {
    let alone = seamline_testing::turn(ALONE.lock());
    kernel_or_skip(test).map(|_| alone)
}

/// A short form of the bundled scenario.
const SHORT: [&str; 4] = ["--set", "duration=3 s", "--set", "link.radio.handover.at=['1.5 s']"];

fn lab(more: &[&str]) -> Vec<String> {
    let file = scenario("lab-quick.toml");
    let words = [&["lab", &file, "--virtual"], &SHORT[..], more].concat();
    words.into_iter().map(str::to_owned).collect()
}

fn run(more: &[&str], folder: &Path) -> Output {
    let words = lab(more);
    seamline(&words.iter().map(String::as_str).collect::<Vec<_>>(), folder)
}

fn output_of(more: &[&str], folder: &Path) -> String {
    let output = run(more, folder);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).to_owned()
}

/// Processes that keep all processors busy until they are dropped.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Load((0..2 * std::thread::available_parallelism().unwrap().get()).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for process in &mut self.0 {
            process.kill().and_then(|()| process.wait()).unwrap();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "waits for other processes")]
fn now() -> Instant {
    Instant::now()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        #[expect(clippy::disallowed_methods, reason = "waits for other processes")]
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// No folder of a guest is there, but for those of guests that somebody else runs.
fn assert_nothing_is_left(folder: &Path) {
    for parent in [folder, Path::new("/dev/shm")] {
        let all = fs::read_dir(parent).unwrap().flatten().map(|entry| entry.path());
        let guests = all.filter(|path| path.to_string_lossy().contains("/seamline-guest-"));
        let left: Vec<_> = guests.filter(|path| parent == folder || is_abandoned(path)).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn is_abandoned(folder: &Path) -> bool {
    let lock = File::open(folder.join("lock"));
    lock.is_ok_and(|lock| Flock::lock(lock, FlockArg::LockExclusiveNonblock).is_ok())
}

#[test]
fn the_same_bytes_whatever_is_around_the_guest() {
    let Some(_alone) = guests_or_skip("the_same_bytes_whatever_is_around_the_guest") else { return };
    let (here, elsewhere) = (folder(), folder());
    let first = output_of(&["--json", "--quiet"], here.path());
    assert_eq!(first, output_of(&["--json"], here.path()), "standard error");
    let deep = elsewhere.path().join("a/much/longer/path/than/the/other/one");
    fs::create_dir_all(&deep).unwrap();
    let environment = Command::new(support::program("seamline"))
        .args(lab(&["--json", "--quiet"]))
        .env_clear()
        .envs([("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8"), ("COLUMNS", "40")])
        .envs(std::env::vars_os().filter(|(name, _)| name == "HOME" || name == "SEAMLINE_KERNELS"))
        .env("TMPDIR", &deep)
        .current_dir(&deep)
        .output()
        .unwrap();
    assert_eq!(first, stdout(&environment), "environment and directory: {}", stderr(&environment));
    let load = Load::new();
    assert_eq!(first, output_of(&["--json", "--quiet"], here.path()), "a busy host");
    drop(load);
    let document: Value = serde_json::from_str(&first).unwrap();
    let emulation = &document["cells"][0]["runs"][0]["emulation"];
    assert_eq!(emulation["is_virtual"], true);
    assert_eq!(emulation["lost_at_interfaces"], 0);
    let goodput = document["cells"][1]["runs"][0]["flows"][0]["goodput_bits_per_second"].as_f64().unwrap();
    assert!((10e6..19.4e6).contains(&goodput), "{goodput} of 20 Mbit/s");
    assert_nothing_is_left(here.path());
}

#[test]
fn the_same_run_alone_and_as_the_hundredth() {
    let Some(_alone) = guests_or_skip("the_same_run_alone_and_as_the_hundredth") else { return };
    let folder = folder();
    let short =
        ["--set", "duration=200 ms", "--set", "link.radio.handover.at=['100 ms']", "--json", "--quiet"];
    let one = ["--set", "grid.flow.download.variant=['cubic']", "--set", "seeds=[100]"];
    let hundred = ["--set", "grid.flow.download.variant=['cubic']", "--set", "seeds=100"];
    let alone: Value = serde_json::from_str(&output_of(&[&short[..], &one].concat(), folder.path())).unwrap();
    let all: Value =
        serde_json::from_str(&output_of(&[&short[..], &hundred].concat(), folder.path())).unwrap();
    let mut alone = alone["cells"][0]["runs"][0].clone();
    let last = &all["cells"][0]["runs"][99];
    assert_eq!(last["seed"], 100);
    // Only the first run of a grid cell has intervals.
    alone["flows"][0].as_object_mut().unwrap().remove("intervals");
    assert_eq!(&alone, last);
}

#[test]
fn a_command_runs_inside_and_cannot_change_the_host() {
    let Some(_alone) = guests_or_skip("a_command_runs_inside_and_cannot_change_the_host") else { return };
    let folder = folder();
    let forbidden = folder.path().join("forbidden");
    let script = format!(
        "sleep 1000; cut -d. -f1 /proc/uptime; mount -o remount,rw /; echo x > {0} || echo refused; echo to-stderr >&2; exit 7",
        forbidden.display()
    );
    let output = run(&["--quiet", "--", "sh", "-c", &script], folder.path());
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert_contains(stdout(&output), &["1000", "refused"]);
    assert_contains(stderr(&output), &["to-stderr"]);
    assert!(!forbidden.exists());
    assert_nothing_is_left(folder.path());
}

#[test]
fn a_panic_of_the_kernel_is_reported_and_leaves_nothing() {
    let Some(_alone) = guests_or_skip("a_panic_of_the_kernel_is_reported_and_leaves_nothing") else { return };
    let folder = folder();
    // The guest's first process finds its stack empty.
    let script = "stack=$(grep -F '[stack]' /proc/1/maps | cut -d' ' -f1); \
                  begin=$((0x${stack%-*} / 4096)); end=$((0x${stack#*-} / 4096)); \
                  dd if=/dev/zero of=/proc/1/mem bs=4096 seek=$begin count=$((end - begin)) conv=notrunc";
    let output = run(&["--", "sh", "-c", script], folder.path());
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert_contains(stderr(&output), &["panic"]);
    assert_eq!(stderr(&output).matches("records out").count(), 1, "{}", stderr(&output));
    assert_nothing_is_left(folder.path());
}

/// What the lab says with this much room for temporary files and in memory, and on standard output what it leaves there. `None` when there is no such folder here.
fn lab_with_room(size: &str, memory: &str, more: &[&str], folder: &Path) -> Option<Output> {
    let script =
        "mount -t tmpfs -o size=$0 tmpfs small && mount -t tmpfs -o size=$1 tmpfs /dev/shm || exit 99
        shift; TMPDIR=$PWD/small \"$@\"; code=$?; ls small /dev/shm | grep seamline; exit $code";
    fs::create_dir_all(folder.join("small")).unwrap();
    let program = support::program("seamline");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, size, memory, program.to_str().unwrap()]);
    let output = command.args(lab(&["--quiet"])).args(more).current_dir(folder).output().ok()?;
    (output.status.code() != Some(99) && !stderr(&output).contains("unshare failed")).then_some(output)
}

#[test]
fn a_full_disk_is_named_and_nothing_is_left() {
    let test = "a_full_disk_is_named_and_nothing_is_left";
    let Some(_alone) = guests_or_skip(test) else { return };
    let folder = folder();
    // The job does not fit, the log, the result, the files of a run, the guest's memory, that of a command.
    let events = ["--events", "events"];
    let large = ["--", "sh", "-c", "head -c 200M /dev/zero | tail"];
    for (size, memory, more) in [
        ("4k", "1g", &[][..]),
        ("8k", "1g", &[]),
        ("16k", "1g", &[]),
        ("400k", "1g", &events),
        ("8m", "1m", &[]),
        ("100m", "1m", &large),
    ] {
        let Some(output) = lab_with_room(size, memory, more, folder.path()) else {
            return skip(test, "there is no namespace in which it can mount a small folder");
        };
        let code = output.status.code();
        assert_eq!((code, stdout(&output)), (Some(1), ""), "{size}: {}", stderr(&output));
        let small = folder.path().join("small");
        let named = format!("room in {}: No space left on device\ntip: ", small.display());
        assert_contains(stderr(&output), &[&named, "TMPDIR"]);
        let files = fs::read_dir(folder.path().join("events")).into_iter().flatten().count();
        assert_eq!(files, 0, "{size}");
    }
}

/// A guest has only so many mappings on the host.
#[test]
fn hundreds_of_megabytes_are_sent() {
    let Some(_alone) = guests_or_skip("hundreds_of_megabytes_are_sent") else { return };
    let large = ["--set", "link.radio.rate=1 Gbit/s", "--set", "link.radio.one_way_delay=1 ms"];
    let size = ["--set", "flow.download.size=300 MB", "--set", "grid.flow.download.variant=['cubic']"];
    let queue = ["--set", "link.radio.queue.limit=1000 packets", "--set", "duration=6 s"];
    let text = output_of(&[&large[..], &size, &queue].concat(), folder().path());
    assert_contains(&text, &["complete after"]);
}

#[test]
fn what_a_long_run_takes_is_stated_first() {
    let Some(_alone) = guests_or_skip("what_a_long_run_takes_is_stated_first") else { return };
    let folder = folder();
    let first = |file: &str, last: &str| {
        // It passes signals on, and its own would only come if the line never did.
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "300", support::program("seamline").to_str().unwrap()]);
        command.args(["lab", file, "--virtual", "--set", "duration=1000000 s"]).current_dir(folder.path());
        let mut lab = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let itself = Pid::from_raw(lab.id().cast_signed());
        let lines = BufReader::new(lab.stderr.take().unwrap()).lines().map(Result::unwrap);
        let said: Vec<String> = lines
            .inspect(|line| {
                if line.contains(last) {
                    nix::sys::signal::kill(itself, nix::sys::signal::Signal::SIGINT).unwrap();
                }
            })
            .collect();
        let output = lab.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(130), ""), "{said:?}");
        said.join("\n")
    };
    let fits = first(&scenario("lab-quick.toml"), "2 runs will take about");
    assert_contains(&fits, &["2 runs will take about", "judged by the first 20 s of one run"]);
    assert!(!fits.contains("its guest"), "{fits}");

    let flow = "name = \"NAME\"\nfrom = \"server\"\nto = \"phone\"\nvariant = \"cubic\"\n";
    let flows: String =
        (0..20).map(|number| format!("\n[[flow]]\n{}", flow.replace("NAME", &number.to_string()))).collect();
    let text = fs::read_to_string(scenario("lab-quick.toml")).unwrap();
    fs::write(folder.path().join("many.toml"), text + &flows).unwrap();
    assert_contains(
        &first("many.toml", "output.interval"),
        &["may take 3.", " GB of memory, but its guest has only 1.07 GB", "output.interval"],
    );
}

#[test]
fn an_interrupt_ends_a_guest_within_a_second_and_leaves_nothing() {
    seamline_testing::punctual(50, || {
        let Some(_alone) = guests_or_skip("an_interrupt_ends_a_guest_within_a_second_and_leaves_nothing")
        else {
            return;
        };
        let folder = folder();
        let mut command = Command::new(support::program("seamline"));
        command
            .args(lab(&["--set", "duration=100000 s"]))
            .current_dir(folder.path())
            .env("TMPDIR", folder.path());
        let mut lab = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("a guest", || fs::read_dir(folder.path()).unwrap().count() > 0);
        nix::sys::signal::kill(Pid::from_raw(lab.id().cast_signed()), nix::sys::signal::Signal::SIGINT)
            .unwrap();
        let (mut code, asked) = (None, now());
        wait_until("the end", || {
            code = lab.try_wait().unwrap();
            code.is_some()
        });
        // A second, and what a busy host adds.
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
        assert_eq!(code.unwrap().code(), Some(130));
        assert_nothing_is_left(folder.path());
    });
}

#[test]
fn no_privileges_are_needed() {
    let Some(_alone) = guests_or_skip("no_privileges_are_needed") else { return };
    if !geteuid().is_root() {
        // Then every other test has shown it.
        return;
    }
    let folder = folder();
    let kernels: Value =
        serde_json::from_str(&succeeds(&["kernel", "list", "--json"], Path::new("/"))).unwrap();
    let image = kernels["kernels"][0]["image"].as_str().unwrap();
    // Where any user can read it.
    let everyone = folder.path().join("kernels");
    fs::create_dir(&everyone).unwrap();
    let kernel = Path::new(image).parent().unwrap();
    let copied = Command::new("cp").arg("-r").args([kernel, &everyone]).status().unwrap();
    assert!(copied.success());
    let readable =
        Command::new("chmod").args(["-R", "a+rX", folder.path().to_str().unwrap()]).status().unwrap();
    assert!(readable.success());
    let file = folder.path().join("scenario.toml");
    fs::copy(scenario("lab-quick.toml"), &file).unwrap();
    let program = folder.path().join("seamline");
    fs::copy(support::program("seamline"), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["lab", file.to_str().unwrap(), "--virtual", "--json", "--quiet"]).args(SHORT);
    command.env("SEAMLINE_KERNELS", &everyone).current_dir("/").uid(65534).gid(65534);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(document["cells"][0]["runs"][0]["emulation"]["is_virtual"], true);
}

#[test]
fn a_missing_kernel_is_named_with_the_command_that_builds_it() {
    let folder = folder();
    let file = scenario("lab-quick.toml");
    let message = refuses(&["lab", &file, "--virtual=linux-5.1"], folder.path());
    assert_contains(&message, &["linux-5.1", "seamline kernel build 5.1"]);
}
