//! `fixed a0 -- b0 middle b1 -- m0 mobile`, in namespaces of their own, without any trouble.

use crate::hosts::{ip, joining_veth, run, veth};
use seamline_lab::system::Namespace;

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
        // To a bridge packets come as Ethernet carries them, which is where agents are; to a router as its offloads join them.
        let veth = if middle == Middle::Bridge { veth } else { joining_veth };
        veth(&path.fixed, "a0", &path.middle, "b0");
        veth(&path.mobile, "m0", &path.middle, "b1");
        let prefix = if middle == Middle::Bridge { 16 } else { 24 };
        ip(&path.fixed, &format!("addr add {SERVER}/{prefix} dev a0"));
        ip(&path.mobile, &format!("addr add 10.78.1.2/{prefix} dev m0"));
        if middle == Middle::Router {
            path.route();
        }
        Some(path)
    }

    fn route(&self) {
        ip(&self.middle, "link set lo up");
        for (end, interface, network) in [(&self.fixed, "b0", 0), (&self.mobile, "b1", 1)] {
            ip(&self.middle, &format!("addr add 10.78.{network}.254/24 dev {interface}"));
            ip(end, &format!("route add default via 10.78.{network}.254"));
        }
        assert!(run(&self.middle, "sysctl -qw net.ipv4.ip_forward=1"));
    }
}
