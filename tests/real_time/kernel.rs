//! `seamline kernel`

use crate::support::{self, assert_contains, folder, program, stderr, stdout};
use assert_cmd::Command;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Run `seamline kernel` with its kernels in a folder.
fn kernel(arguments: &[&str], store: &Path) -> Output {
    command(arguments, store).output().unwrap()
}

fn command(arguments: &[&str], store: &Path) -> Command {
    let mut command = Command::new(program("seamline"));
    command.arg("kernel").args(arguments).env("SEAMLINE_KERNELS", store);
    command
}

/// What it says when it must refuse; it leaves nothing in the store.
fn refused(arguments: &[&str]) -> String {
    let store = folder();
    let output = kernel(arguments, store.path());
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{arguments:?}: {}", stderr(&output));
    assert_eq!(fs::read_dir(store.path()).unwrap().count(), 0, "{arguments:?}");
    stderr(&output).to_owned()
}

#[test]
fn bad_input_ends_with_code_2_and_the_fix() {
    assert_contains(&refused(&["build"]), &["which version?", "tip: seamline kernel build 6.12"]);
    assert_contains(&refused(&["build", "net-next"]), &["not a version", "--source DIR"]);
    assert_contains(&refused(&["build", "6.12", "--hz", "300"]), &["300", "250, 1000"]);
    assert_contains(&refused(&["build", "6.12", "--jobs", "0"]), &["--jobs"]);
    assert_contains(&refused(&["build", "--source", "/nowhere"]), &["--source /nowhere", "No such file"]);
    assert_contains(&refused(&["build", "x/y", "--source", "/"]), &["`x/y` cannot name a kernel", "tip: "]);
    assert_contains(&refused(&["build", "--source", "/", "--suite", "sid"]), &["--suite"]);
    let other = folder();
    let place = other.path().to_str().unwrap();
    assert_contains(
        &refused(&["build", "mine", "--source", place]),
        &["is not the source of a kernel", "tip: "],
    );
    assert_contains(&refused(&["build", "6.12", "--module", place]), &["--module", "Makefile", "obj-m"]);
    assert_contains(&refused(&["remove", "6.12"]), &["there is no kernel `6.12`", "tip: "]);
    assert_contains(
        &refused(&["check", "6.12"]),
        &["there is no kernel `6.12`", "seamline kernel build 6.12"],
    );
    assert_contains(&refused(&["check"]), &["there is no kernel yet", "seamline kernel build"]);
}

#[test]
fn a_host_without_compilers_gets_the_command_that_installs_them() {
    let name = "a_host_without_compilers_gets_the_command_that_installs_them";
    if !Path::new("/etc/debian_version").exists() {
        return support::skip(name, "the command is that of Debian and its derivatives");
    }
    let (store, empty) = (folder(), folder());
    let output = command(&["build", "6.12"], store.path()).env("PATH", empty.path()).output().unwrap();
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    let text = stderr(&output);
    assert_contains(
        text,
        &["lacks: gcc, ld, make, flex, bison, bc, gzip", "tip: sudo apt-get install gcc binutils make"],
    );
    assert!(!text.contains("libc6-dev") || !Path::new("/usr/include/stdio.h").exists(), "{text}");
    assert_eq!(fs::read_dir(store.path()).unwrap().count(), 0);
}

/// Why the source of such a kernel is changed.
fn changes() -> Vec<&'static str> {
    let edits = include_str!("../../crates/kernel/data/edits.toml").lines();
    edits.filter_map(|line| line.strip_prefix("why = \"")?.strip_suffix('"')).collect()
}

/// A kernel that says its release and does nothing else.
fn fake(store: &Path, name: &str, release: &str) {
    let folder = store.join(name);
    fs::create_dir_all(folder.join("modules")).unwrap();
    fs::write(folder.join("linux"), format!("#!/bin/sh\necho {release}\n")).unwrap();
    fs::set_permissions(folder.join("linux"), Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("config"), "CONFIG_NET=y\n").unwrap();
    fs::write(folder.join("modules/tcp_mine.ko"), "vermagic=6.12.117 mod_unload").unwrap();
    let record = serde_json::json!({
        "release": "6.12.117", "hz": 250, "built": 951_782_400, "built_by": "0.1.0",
        "origin": { "package": { "package": "linux-source-6.12", "version": "6.12.117-1", "suite": "bookworm" } },
        "congestion_controls": ["bbr", "cubic"], "missing_options": ["NET_SCH_DUALPI2"], "changes": changes(),
    });
    fs::write(folder.join("kernel.json"), record.to_string()).unwrap();
}

#[test]
fn kernels_are_listed_checked_and_removed() {
    let store = folder();
    let nothing = kernel(&["list"], store.path());
    assert_eq!(stdout(&nothing), "there is no kernel yet\ntip: seamline kernel build 6.12\n");
    fake(store.path(), "linux-6.12", "6.12.117");
    fs::create_dir_all(store.path().join(".build/linux-6.1")).unwrap();
    let listed = kernel(&["list"], store.path());
    assert_contains(
        stdout(&listed),
        &[
            "linux-6.12\n  Linux 6.12.117, 250 Hz",
            "built 2000-02-29 00:00 UTC from linux-source-6.12 6.12.117-1 (bookworm)",
            "congestion controls: bbr cubic\n  modules: tcp_mine.ko\n  without: NET_SCH_DUALPI2\n",
            "linux-6.12/linux\n",
            "kept of linux-6.1 (",
        ],
    );
    let document = kernel(&["list", "--json"], store.path());
    let document: serde_json::Value = serde_json::from_str(stdout(&document)).unwrap();
    assert_eq!(document["kernels"][0]["hz"], 250);
    assert_eq!(document["unfinished"][0], "linux-6.1");
    for name in ["linux-6.12", "6.1"] {
        assert_eq!(kernel(&["remove", name], store.path()).status.code(), Some(0), "{name}");
    }
    assert_eq!(stdout(&kernel(&["list"], store.path())), stdout(&nothing));
}

#[test]
fn a_check_names_what_is_wrong() {
    let store = folder();
    fake(store.path(), "linux-6.12", "6.12.118");
    let output = kernel(&["check", "6.12"], store.path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(
        stdout(&output),
        &[
            "BAD   image: it is Linux 6.12.118, but was built as 6.12.117",
            "BAD   configuration: it has no 64BIT, UML_TIME_TRAVEL_SUPPORT",
            "HZ=250",
            "ok    modules: 1 built for this kernel",
            "BAD   boot: the guest's kernel ended early (exit status: 0); its last words:\n        6.12.118\n",
        ],
    );
    assert_contains(stderr(&output), &["not usable: linux-6.12", "tip: "]);
}

#[test]
fn a_check_boots_the_kernel() {
    let output = Command::new(program("seamline")).args(["kernel", "check"]).output().unwrap();
    if stderr(&output).contains("there is no kernel yet") {
        return support::skip("a_check_boots_the_kernel", "no kernel is built: seamline kernel build 6.12");
    }
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let count = |text: &str| stdout(&output).matches(text).count();
    assert_eq!(count("s; 100 s of virtual time took "), count("ok    image: "), "{}", stdout(&output));
}

#[test]
fn a_kernel_that_does_not_boot_is_given_up() {
    let store = folder();
    fake(store.path(), "linux-6.12", "6.12.117; test $# -eq 1 || exec sleep 1000");
    let output = kernel(&["check"], store.path());
    assert_eq!(output.status.code(), Some(1));
    assert_contains(stdout(&output), &["ok    image", "BAD   boot: it does not boot within 20s"]);
}

#[test]
fn a_kernel_that_exists_as_asked_is_not_built_again() {
    let (store, empty) = (folder(), folder());
    fake(store.path(), "linux-6.12", "6.12.117");
    let build = |arguments: &[&str]| {
        command(&[&["build", "6.12"], arguments].concat(), store.path())
            .env("PATH", empty.path())
            .output()
            .unwrap()
    };
    let same = build(&["--hz", "250"]);
    assert_eq!(same.status.code(), Some(0), "{}", stderr(&same));
    assert_contains(stdout(&same), &["linux-6.12 exists already: Linux 6.12.117, 250 Hz"]);
    assert_eq!(build(&[]).status.code(), Some(2), "another HZ takes a compiler");
}

/// A congestion control: slow start and congestion avoidance of the kernel, with a threshold of its own.
const MODULE: &str = r#"
#include <linux/module.h>
#include <net/tcp.h>

static u32 mine_ssthresh(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd * 3U / 4U, 2U);
}

static struct tcp_congestion_ops mine = {
	.name = "mine",
	.owner = THIS_MODULE,
	.ssthresh = mine_ssthresh,
	.cong_avoid = tcp_reno_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
};

static int __init mine_register(void)
{
	return tcp_register_congestion_control(&mine);
}

static void __exit mine_unregister(void)
{
	tcp_unregister_congestion_control(&mine);
}

module_init(mine_register);
module_exit(mine_unregister);
MODULE_LICENSE("Dual MIT/GPL");
"#;

/// The folder of a module.
fn module(place: &Path, name: &str, source: &str) -> String {
    let folder = place.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("Makefile"), format!("obj-m := {name}.o\n")).unwrap();
    fs::write(folder.join(format!("{name}.c")), source).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// Takes about ten minutes of processor time, and 3 GB: `SEAMLINE_TEST_KERNEL_BUILD=6.12 cargo test --test real_time`.
#[test]
fn a_kernel_is_built_after_an_interruption_with_its_modules() {
    let name = "a_kernel_is_built_after_an_interruption_with_its_modules";
    let Ok(version) = std::env::var("SEAMLINE_TEST_KERNEL_BUILD") else {
        return support::skip(name, "SEAMLINE_TEST_KERNEL_BUILD is not set to a version");
    };
    let (store, modules) = (folder(), folder());
    interrupt(&["build", &version, "--quiet"], store.path());
    let good = module(modules.path(), "tcp_mine", MODULE);
    let bad = module(modules.path(), "tcp_bad", &MODULE.replace("max(", "maximum("));
    let build = ["build", &version, "--quiet", "--module", &good, "--module", &bad];
    let output = kernel(&build, store.path());
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    assert_contains(stderr(&output), &["tcp_bad does not build", "tcp_bad.c", "error:", "maximum"]);
    assert_contains(stdout(&kernel(&["list"], store.path())), &["1000 Hz", "modules: tcp_mine.ko"]);
    let output = kernel(&build[..5], store.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = kernel(&["check"], store.path());
    assert_contains(
        stdout(&output),
        &["ok    image", "ok    configuration", "ok    modules: 1 built", "ok    boot: in "],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(!store.path().join(".build").join(format!("linux-{version}")).exists());
}

/// Begin a build, and interrupt it when it compiles.
#[expect(clippy::disallowed_methods, reason = "another process is under way")]
fn interrupt(arguments: &[&str], store: &Path) {
    let mut begun = std::process::Command::new(program("seamline"));
    begun.arg("kernel").args(arguments).env("SEAMLINE_KERNELS", store).stderr(Stdio::null());
    let mut begun = begun.spawn().unwrap();
    let log = store.join(".build/linux-").display().to_string() + arguments[1] + "/log/compile";
    let compiles = || fs::metadata(&log).is_ok_and(|it| it.len() > 10_000);
    while !compiles() {
        assert_eq!(begun.try_wait().unwrap(), None, "it ended by itself");
        sleep(Duration::from_millis(200));
    }
    let asked = Instant::now();
    kill(Pid::from_raw(begun.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(begun.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
}
