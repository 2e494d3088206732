//! What the host has to be like, and what it may lack.

use super::{Router, child, routed, rules, settings, wait_for_rules};
use crate::hop::Hop;
use crate::hosts::{inside, ip, pause, run, skip};
use crate::net::Transfer;
use seamline_bridge::system::{Split, split};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

#[test]
fn what_cannot_be_split_is_refused_with_the_remedy() {
    let Some(net) = routed("what_cannot_be_split_is_refused_with_the_remedy") else { return };
    let refused = |settings: Split| {
        let (_stop, asked) = UnixStream::pair().unwrap();
        let thread = inside(&net.bridge, move || split(&settings, &asked, std::io::sink()));
        thread.join().unwrap().unwrap_err().to_string()
    };
    let between = |wired: &str, wireless: &str| {
        refused(Split { interfaces: [wired.to_owned(), wireless.to_owned()], ..settings() })
    };
    let missing = between("b0", "b7");
    assert!(missing.contains("b7"), "{missing}");
    ip(&net.bridge, "link property add dev b0 altname second");
    let same = between("b0", "second");
    assert!(same.contains("same interface, b0"), "{same}");
    ip(&net.bridge, "link add b* type veth peer name c*");
    let vague = between("b0", "b*");
    assert!(vague.contains("ip link set"), "{vague}");
    ip(&net.bridge, "link del b*");
    let unknown = refused(Split { congestion_control: Some("nonesuch".to_owned()), ..settings() });
    assert!(unknown.contains("modprobe tcp_nonesuch"), "{unknown}");
    ip(&net.bridge, "route add 10.99.0.0/24 dev b0 table 1514");
    let used = refused(settings());
    assert!(used.contains("table 1514") && used.contains("10.99.0.0/24"), "{used}");
    ip(&net.bridge, "route flush table 1514");
    assert!(run(&net.bridge, "sysctl -wq net.ipv4.tcp_syncookies=2"));
    let cookies = refused(settings());
    assert!(cookies.contains("sysctl -w net.ipv4.tcp_syncookies=1"), "{cookies}");
    assert!(run(&net.bridge, "sysctl -wq net.ipv4.tcp_syncookies=1"));
    assert!(rules(&net).is_empty(), "{}", rules(&net));

    let router = Router::begin(&net, settings());
    let before = rules(&net);
    let second = refused(settings());
    assert!(second.contains("already"), "{second}");
    assert_eq!(rules(&net), before);
    router.end(false);
    assert!(run(&net.bridge, "sysctl -wq net.ipv4.ip_forward=0"));
    let router = Router::begin(&net, settings());
    let only = rules(&net);
    assert!(only.contains("tproxy ip6 to") && !only.contains("tproxy ip to"), "{only}");
    router.end(false);
    assert!(run(&net.bridge, "sysctl -wq net.ipv6.conf.all.forwarding=0"));
    let host = refused(settings());
    assert!(host.contains("sysctl -w net.ipv4.ip_forward=1"), "{host}");
}

/// What it has printed, once it has ended as it is asked to.
fn ended(router: &mut Child) -> String {
    drop(router.stdin.take());
    let mut log = String::new();
    router.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(router.wait().unwrap().success(), "{log}");
    log
}

/// Two sockets a connection, and 64 files besides: 32 fit where 128 files may be open.
#[test]
fn few_open_files_are_fewer_connections_and_the_log_says_so() {
    let Some(net) = routed("few_open_files_are_fewer_connections_and_the_log_says_so") else { return };
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 128 && exec \"$@\"", "sh"]);
    let mut router = child(&net, shell, Stdio::piped());
    wait_for_rules(&net);
    let hop = Hop::begin(&net, 0);
    Transfer::begin(&net, 4, 100_000).finish();
    hop.end();
    let log = ended(&mut router);
    let warning = log.lines().find(|line| line.contains("event=warning")).unwrap_or_default();
    assert!(warning.contains("connections=16") && warning.contains("ulimit -n"), "{log}");
    assert!(log.contains("begun=1 "), "{log}");
}

/// There is a file for the client's half, and none for the server's. Without the agent the client would be served.
#[test]
fn a_client_that_was_answered_waits_for_the_file_of_its_other_half() {
    let name = "a_client_that_was_answered_waits_for_the_file_of_its_other_half";
    let Some(net) = routed(name) else { return };
    let mut router = child(&net, Command::new("/usr/bin/env"), Stdio::piped());
    wait_for_rules(&net);
    let limit = |files: usize| {
        let process = router.id().to_string();
        Command::new("prlimit").args(["--pid", &process, &format!("--nofile={files}:")]).status()
    };
    let is_open =
        |number: &usize| std::path::Path::new(&format!("/proc/{}/fd/{number}", router.id())).exists();
    // It reads small files once a second: what is open for that is free, too.
    let lowest = || {
        pause(20);
        (0..).find(|number| !is_open(number)).unwrap()
    };
    let free = (0..5).map(|_| lowest()).min().unwrap();
    // One that is free, and none beyond it.
    if !limit(free + 1).is_ok_and(|status| status.success()) {
        drop(ended(&mut router));
        return skip(name, "it takes prlimit");
    }
    let hop = Hop::begin(&net, 0);
    let mut transfer = Transfer::begin(&net, 4, 100_000);
    pause(500);
    assert_eq!(transfer.received(), 0);
    assert!(limit(1024).unwrap().success());
    transfer.finish();
    hop.end();
    let log = ended(&mut router);
    assert!(log.contains("begun=1 ") && log.contains("refused=0 "), "{log}");
}

/// It was there when it began. What it could not make again is reported, and once.
#[test]
fn a_program_that_is_gone_later_ends_nothing() {
    let Some(net) = routed("a_program_that_is_gone_later_ends_nothing") else { return };
    let folder = std::env::temp_dir().join(format!("seamline-split-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for program in ["ip", "nft"] {
        let paths = std::env::var_os("PATH").unwrap();
        let found = std::env::split_paths(&paths).map(|path| path.join(program)).find(|path| path.exists());
        symlink(found.unwrap(), folder.join(program)).unwrap();
    }
    let mut command = Command::new("/usr/bin/env");
    command.env("PATH", &folder);
    let mut router = child(&net, command, Stdio::piped());
    wait_for_rules(&net);
    std::fs::remove_file(folder.join("ip")).unwrap();
    pause(3500);
    let hop = Hop::begin(&net, 0);
    Transfer::begin(&net, 4, 100_000).finish();
    hop.end();
    let log = ended(&mut router);
    std::fs::remove_dir_all(&folder).unwrap();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("event=warning")).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("running ip"), "{log}");
    assert!(log.contains("begun=1 "), "{log}");
}
