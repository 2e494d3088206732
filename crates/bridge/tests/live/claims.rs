//! What an agent needs of its host.

use crate::hosts::{pause, skip};
use crate::net::{Net, Transfer};
use crate::{child, hop::Hop};
use std::io::Read;
use std::process::{Command, Stdio};

/// It can open nothing any more. Its interfaces are still there, and it goes on.
#[test]
fn without_a_free_file_descriptor_the_interfaces_stay() {
    let name = "without_a_free_file_descriptor_the_interfaces_stay";
    let Some(net) = Net::or_skip(name) else { return };
    let hop = Hop::begin(&net, 20);
    let mut agent = child(&net, "snoop", Stdio::piped());
    pause(500);
    let limit = ["--nofile=8:8", "--pid", &agent.id().to_string()].map(str::to_owned);
    if !Command::new("prlimit").args(limit).status().is_ok_and(|status| status.success()) {
        drop(agent.stdin.take());
        agent.wait().unwrap();
        return skip(name, "it takes prlimit");
    }
    pause(1000);
    Transfer::begin(&net, 4, 500_000).finish();
    drop(agent.stdin.take());
    let mut log = String::new();
    agent.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(agent.wait().unwrap().success(), "{log}");
    hop.end();
    assert!(!log.contains("interface-removed") && log.contains(" bypasses=0 "), "{log}");
}
