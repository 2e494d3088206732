//! `fixed a0 -- b0 middle b1 -- m0 mobile`, in namespaces of their own, without any trouble.

use seamline_lab::system::Namespace;
use std::os::fd::{AsFd, AsRawFd};
use std::process::Command;

/// Whether the host in the middle is a bridge or a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Middle {
    Bridge,
    Router,
}

pub(crate) const SERVER: &str = "10.78.0.1";

pub(crate) struct Path {
    pub(crate) fixed: Namespace,
    pub(crate) middle: Namespace,
    pub(crate) mobile: Namespace,
}

impl Path {
    pub(crate) fn new(middle: Middle) -> Option<Self> {
        let [fixed, between, mobile] = [(); 3].map(|()| Namespace::new().ok());
        let path = Path { fixed: fixed?, middle: between?, mobile: mobile? };
        path.veth(middle, &path.fixed, "a0", "b0");
        path.veth(middle, &path.mobile, "m0", "b1");
        let prefix = if middle == Middle::Bridge { 16 } else { 24 };
        ip(&path.fixed, &format!("addr add {SERVER}/{prefix} dev a0"));
        ip(&path.mobile, &format!("addr add 10.78.1.2/{prefix} dev m0"));
        if middle == Middle::Router {
            path.route();
        }
        Some(path)
    }

    /// To a bridge packets come as Ethernet carries them, for nothing may be joined there; to a router as its offloads join them.
    fn veth(&self, middle: Middle, near: &Namespace, name: &str, in_the_middle: &str) {
        let place = format!("/proc/{}/fd/{}", std::process::id(), self.middle.as_fd().as_raw_fd());
        ip(near, &format!("link add {name} type veth peer name {in_the_middle} netns {place}"));
        for (it, name) in [(near, name), (&self.middle, in_the_middle)] {
            if middle == Middle::Bridge {
                ip(it, &format!("link set {name} gso_max_segs 1"));
            }
            ip(it, &format!("link set {name} up"));
        }
    }

    fn route(&self) {
        ip(&self.middle, "link set lo up");
        for (end, interface, network) in [(&self.fixed, "b0", 0), (&self.mobile, "b1", 1)] {
            ip(&self.middle, &format!("addr add 10.78.{network}.254/24 dev {interface}"));
            ip(end, &format!("route add default via 10.78.{network}.254"));
        }
        run(&self.middle, Command::new("sysctl").args(["-qw", "net.ipv4.ip_forward=1"]));
    }
}

pub(crate) fn ip(namespace: &Namespace, words: &str) {
    let mut command = Command::new("ip");
    command.args(words.split(' '));
    run(namespace, &mut command);
}

fn run(namespace: &Namespace, command: &mut Command) {
    let said = namespace.within(|| command.output()).unwrap();
    assert!(said.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said.stderr));
}
