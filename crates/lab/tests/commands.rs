//! Commands that run inside namespaces, and how they end.
#![cfg(target_os = "linux")]

mod support;

use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use seamline_lab::system::processes::{end_all, processes_in};
use seamline_lab::system::{Command, Identity, Namespace, Priority, Running, priority};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;
use support::privileged_or_skip;

const GRACE: Duration = Duration::from_millis(300);

/// A command of the shell.
fn shell(text: &str) -> Command {
    Command { arguments: ["sh", "-c", text].map(OsString::from).to_vec(), ..Command::default() }
}

/// What a command of the shell writes to the file `$OUT` before it ends well.
fn output(mut command: Command, namespace: &Namespace) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    command.environment.push(("OUT".into(), file.clone().into()));
    assert_eq!(command.start(namespace).unwrap().wait().unwrap(), 0);
    fs::read_to_string(file).unwrap()
}

fn ends_within(running: &Running, milliseconds: u16) -> bool {
    let mut waited = [PollFd::new(running.as_fd(), PollFlags::POLLIN)];
    poll(&mut waited, PollTimeout::from(milliseconds)).unwrap() > 0
}

/// Ask a command to end, and kill it if it still runs after the grace. Its exit code.
fn terminate(running: &mut Running, grace: Duration) -> u8 {
    running.ask_to_end().unwrap();
    if !ends_within(running, grace.as_millis() as u16) {
        running.kill().unwrap();
    }
    running.wait().unwrap()
}

/// Wait until the file is there.
fn appears(path: &Path) {
    for _ in 0..500 {
        if path.exists() {
            return;
        }
        #[expect(clippy::disallowed_methods, reason = "another process writes the file")]
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{} does not appear", path.display());
}

#[test]
fn a_command_runs_inside_and_knows_the_names() {
    if !privileged_or_skip("a_command_runs_inside_and_knows_the_names") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let before = fs::read("/etc/hosts").unwrap();
    let mut command = shell(
        "{ stat -L -c %i /proc/self/ns/net; pwd; echo $COLOUR; getent hosts server; cat /etc/hosts; } >$OUT",
    );
    command.environment.push(("COLOUR".into(), "green".into()));
    command.hosts = vec![("10.7.0.9".parse().unwrap(), "server".to_owned())];
    let text = output(command, &namespace);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], namespace.identity().unwrap().inode.to_string());
    assert_eq!(Path::new(lines[1]), env::current_dir().unwrap());
    assert_eq!(lines[2], "green");
    assert!(lines[3].starts_with("10.7.0.9 "), "{}", lines[3]);
    assert_eq!(lines[4..], ["127.0.0.1 localhost", "::1 localhost", "10.7.0.9 server"]);
    assert_eq!(fs::read("/etc/hosts").unwrap(), before, "the host's names are as they were");
    let left = fs::read_dir(env::temp_dir()).unwrap().filter_map(Result::ok);
    let left = left.filter(|file| file.file_name().to_string_lossy().starts_with("seamline-hosts-"));
    // Another test may be just about to start a command.
    assert!(left.count() < 8, "files of names stay behind");
}

#[test]
fn the_host_sees_no_mount_of_a_command() {
    if !privileged_or_skip("the_host_sees_no_mount_of_a_command") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    // On most hosts mounts are shared between namespaces; the thread's own stand for such a host's.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            unshare(CloneFlags::CLONE_NEWNS).unwrap();
            let none = None::<&str>;
            mount(none, "/", none, MsFlags::MS_SLAVE | MsFlags::MS_REC, none).unwrap();
            mount(none, "/", none, MsFlags::MS_SHARED | MsFlags::MS_REC, none).unwrap();
            let mounts = || fs::read_to_string("/proc/thread-self/mounts").unwrap();
            let before = mounts();
            let (seen, inside) = {
                let folder = tempfile::tempdir().unwrap();
                let go = folder.path().join("go");
                let mut command =
                    shell("cat /proc/self/mounts >$OUT; while ! test -e $GO; do sleep 0.02; done");
                command.environment =
                    vec![("OUT".into(), folder.path().join("out").into()), ("GO".into(), go.clone().into())];
                let mut running = command.start(&namespace).unwrap();
                let seen = mounts();
                fs::write(&go, "").unwrap();
                assert_eq!(running.wait().unwrap(), 0);
                (seen, fs::read_to_string(folder.path().join("out")).unwrap())
            };
            assert!(inside.contains(" /etc/hosts "), "{inside}");
            let sys = |mounts: &str| {
                mounts.lines().filter(|line| line.contains(" /sys")).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(sys(&inside), sys(&before), "/sys is left alone");
            assert_eq!(seen, before, "while the command runs, nothing is mounted outside");
        });
    });
}

#[test]
fn the_exit_status_is_passed_on() {
    if !privileged_or_skip("the_exit_status_is_passed_on") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    for (text, code) in [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] {
        assert_eq!(shell(text).start(&namespace).unwrap().wait().unwrap(), code, "{text}");
    }
    let mut running = shell("sleep 2; exit 3").start(&namespace).unwrap();
    assert_eq!(running.try_wait().unwrap(), None);
    assert!(ends_within(&running, 5000));
    assert_eq!(running.try_wait().unwrap(), Some(3));
    assert_eq!(terminate(&mut running, GRACE), 3, "an ended process is not ended again");
}

#[test]
fn commands_that_cannot_start_say_why() {
    if !privileged_or_skip("commands_that_cannot_start_say_why") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let command = Command { arguments: vec!["no-such-program".into()], ..Command::default() };
    let refused = command.start(&namespace).unwrap_err().to_string();
    assert!(refused.starts_with("starting no-such-program: it cannot be run: No such file"), "{refused}");
    let empty = Command::default().start(&namespace).unwrap_err().to_string();
    assert_eq!(empty, "the command is empty");
}

#[test]
fn a_command_that_ignores_the_request_is_killed() {
    if !privileged_or_skip("a_command_that_ignores_the_request_is_killed") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let start = |text: &str| {
        let mut command = shell(text);
        command.environment.push(("READY".into(), ready.clone().into()));
        let running = command.start(&namespace).unwrap();
        appears(&ready);
        fs::remove_file(&ready).unwrap();
        running
    };
    let mut obeys = start("trap 'exit 9' TERM; >$READY; while :; do sleep 0.05; done");
    assert_eq!(terminate(&mut obeys, Duration::from_secs(5)), 9);
    let mut ignores = start("trap '' TERM; >$READY; while :; do sleep 0.05; done");
    assert_eq!(terminate(&mut ignores, GRACE), 137);
}

#[test]
fn a_command_ends_with_its_owner() {
    if !privileged_or_skip("a_command_ends_with_its_owner") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let running = shell("exec sleep 1000").start(&namespace).unwrap();
    assert_eq!(processes_in(&namespace).unwrap(), [running.id()]);
    drop(running);
    assert_eq!(processes_in(&namespace).unwrap(), Vec::<u32>::new());
    // The thread stands for the process that starts commands.
    let orphan = std::thread::scope(|scope| {
        scope.spawn(|| shell("exec sleep 1000").start(&namespace).unwrap()).join().unwrap()
    });
    assert!(ends_within(&orphan, 5000));
}

#[test]
fn what_a_command_leaves_behind_is_found_and_ended() {
    if !privileged_or_skip("what_a_command_leaves_behind_is_found_and_ended") {
        return;
    }
    let (namespace, other) = (Namespace::new().unwrap(), Namespace::new().unwrap());
    let bystander = shell("exec sleep 1000").start(&other).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let mut command = shell(
        "setsid sleep 1000 & setsid sh -c \"trap '' TERM; >$READY; while :; do sleep 1000; done\" & exit 0",
    );
    command.environment.push(("READY".into(), ready.clone().into()));
    assert_eq!(command.start(&namespace).unwrap().wait().unwrap(), 0);
    appears(&ready);
    let found = processes_in(&namespace).unwrap();
    assert!((2..=3).contains(&found.len()), "{found:?}");
    let ended = end_all(&[&namespace], GRACE).unwrap();
    assert!(found.iter().all(|id| ended.contains(id)), "{found:?} {ended:?}");
    assert_eq!(processes_in(&namespace).unwrap(), Vec::<u32>::new());
    assert_eq!(processes_in(&other).unwrap(), [bystander.id()], "others go on");
    assert_eq!(end_all(&[&namespace], GRACE).unwrap(), Vec::<u32>::new());
}

#[test]
fn a_raised_thread_is_preferred_and_its_commands_are_not() {
    if !privileged_or_skip("a_raised_thread_is_preferred_and_its_commands_are_not") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    // proc(5): after the name, field 19 is the nice value, 40 the real-time priority and 41 the policy.
    let preferred = |status: &str| {
        let fields: Vec<&str> = status.rsplit_once(')').unwrap().1.split_whitespace().collect();
        [16, 37, 38].map(|field| fields[field].parse::<i32>().unwrap())
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let obtained = priority::raise();
            let own = preferred(&fs::read_to_string("/proc/thread-self/stat").unwrap());
            match obtained {
                Priority::RealTime => assert_eq!(
                    (obtained.to_string().as_str(), own[1..].to_vec()),
                    ("SCHED_FIFO 10", vec![10, 1])
                ),
                Priority::Favoured => {
                    assert_eq!((obtained.to_string().as_str(), own), ("nice -20", [-20, 0, 0]))
                }
                Priority::Ordinary => assert_eq!(own, [0, 0, 0]),
            }
            // A real-time thread's sleeps are exact whatever it asked for, and the kernel tells 0.
            assert!((0..=1).contains(&nix::sys::prctl::get_timerslack().unwrap()));
            let text = output(shell("exec cat /proc/self/stat /proc/self/timerslack_ns >$OUT"), &namespace);
            let (status, slack) = text.split_once('\n').unwrap();
            assert_eq!((preferred(status), slack.trim()), ([0, 0, 0], "50000"));
        });
    });
    assert_ne!(Identity::of_thread().unwrap(), namespace.identity().unwrap(), "no thread was moved");
}
