//! Hosts in namespaces: links between them, and what is run there.
#![allow(dead_code, reason = "not every test needs everything")]

use seamline_lab::system::Namespace;
pub(crate) use seamline_testing::skip;
use std::os::fd::{AsFd, AsRawFd};
use std::process::Command;
use std::thread::{self, JoinHandle};

pub(crate) fn pause(millis: u64) {
    #[expect(clippy::disallowed_methods, reason = "the kernel's timers go by real time")]
    thread::sleep(std::time::Duration::from_millis(millis));
}

/// Whether the command succeeded.
pub(crate) fn run(namespace: &Namespace, command: &str) -> bool {
    let mut words = command.split(' ');
    let mut command = Command::new(words.next().unwrap());
    namespace.within(|| command.args(words).status()).is_ok_and(|status| status.success())
}

pub(crate) fn ip(namespace: &Namespace, words: &str) {
    assert!(run(namespace, &format!("ip {words}")), "ip {words}");
}

/// A thread inside, for as long as it likes.
pub(crate) fn inside<T: Send + 'static>(
    namespace: &Namespace,
    task: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let namespace = namespace.try_clone().unwrap();
    thread::spawn(move || {
        namespace.enter().unwrap();
        task()
    })
}

/// A link between the two, that carries no packets longer than its MTU.
pub(crate) fn veth(near: &Namespace, name: &str, far: &Namespace, other: &str) {
    link(near, name, far, other, &["gso_max_segs 1", "up"]);
}

/// A link between the two, whose packets are as its offloads join them.
pub(crate) fn joining_veth(near: &Namespace, name: &str, far: &Namespace, other: &str) {
    link(near, name, far, other, &["up"]);
}

fn link(near: &Namespace, name: &str, far: &Namespace, other: &str, settings: &[&str]) {
    let place = format!("/proc/{}/fd/{}", std::process::id(), far.as_fd().as_raw_fd());
    ip(near, &format!("link add {name} type veth peer name {other} netns {place}"));
    for (it, name) in [(near, name), (far, other)] {
        settings.iter().for_each(|setting| ip(it, &format!("link set {name} {setting}")));
    }
}
