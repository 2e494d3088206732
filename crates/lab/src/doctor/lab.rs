//! What the lab itself stands on: namespaces and what is made in them.

use super::{Feature, NOT_TRIED, Need};
use crate::system::{Namespace, Priority, Privileges, StateDirectory, Tun, netlink, priority, settings};
use crate::traffic::available_congestion_controls;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use std::fs;
use std::io;
use std::thread;

const DOCKER: &str = "docker, podman";

pub(super) fn features(privileges: io::Result<Privileges>) -> Vec<Feature> {
    let namespace = privileges.and_then(|how| Ok((how, Namespace::new()?)));
    let inside = namespace.as_ref().ok().map(|(_, namespace)| namespace);
    let mut features = vec![namespaces(&namespace), tun(inside), own_settings(inside), mounts(), real_time()];
    features.extend([congestion_controls(inside), buffers(inside)]);
    features
}

/// What cannot be tried without namespaces.
fn within<T>(
    namespace: Option<&Namespace>,
    task: impl FnOnce(&Namespace) -> io::Result<T>,
) -> Result<T, String> {
    let namespace = namespace.ok_or(NOT_TRIED)?;
    task(namespace).map_err(|error| error.to_string())
}

fn namespaces(made: &io::Result<(Privileges, Namespace)>) -> Feature {
    let tried = match made {
        Ok((Privileges::Given, _)) => Ok("with the rights this process has".to_owned()),
        Ok((Privileges::UserNamespace, _)) => {
            Ok("as root in a user namespace, without being root".to_owned())
        }
        Err(error) => Err(error.to_string()),
    };
    Feature::new(Need::Required, "network namespaces", "each host of the lab is one", tried).mended_by(&[
        ("any host", "run the command as root (sudo)"),
        ("Ubuntu", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("Debian", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        (DOCKER, "start the container with --privileged"),
    ])
}

fn tun(namespace: Option<&Namespace>) -> Feature {
    let tried =
        within(namespace, |inside| Tun::open(inside, "probe").map(|_| "one was made and removed".to_owned()));
    Feature::new(Need::Required, "TUN devices", "where packets enter and leave the emulated network", tried)
        .mended_by(&[
            ("any host", "sudo modprobe tun"),
            (DOCKER, "start the container with --device /dev/net/tun (and --cap-add NET_ADMIN)"),
        ])
}

fn own_settings(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, |inside| {
        settings::write(inside, "ipv4/tcp_no_metrics_save", "1")
            .map(|()| "one of a namespace's own was changed".to_owned())
    });
    let purpose = "TCP that forgets the connection before; the host's settings stay as they are";
    Feature::new(Need::Required, "settings of namespaces", purpose, tried).mended_by(&[
        ("any host", "sudo mount -o remount,rw /proc/sys"),
        (DOCKER, "start the container with --privileged, or --security-opt systempaths=unconfined"),
    ])
}

/// Where running labs are noted. Looked for as the user, before a user namespace makes root of it.
pub(super) fn state_folder() -> Feature {
    let tried = StateDirectory::find().map(|folder| folder.path().display().to_string());
    let purpose = "finding what a lab that was killed has left";
    Feature::new(Need::Required, "a folder for state", purpose, tried.map_err(|error| error.to_string()))
        .mended_by(&[("any host", "export XDG_RUNTIME_DIR=$(mktemp -d)")])
}

fn mounts() -> Feature {
    let tried = on_a_thread(|| {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let nothing: Option<&str> = None;
        mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing)?;
        mount(Some("/etc/hosts"), "/etc/hosts", nothing, MsFlags::MS_BIND, nothing)?;
        Ok("a thread of its own mounted something for itself".to_owned())
    });
    let purpose = "commands in the lab (seamline lab FILE -- COMMAND), which know hosts by their names";
    Feature::new(Need::Recommended, "private mounts", purpose, tried).mended_by(&[
        ("any host", "run the command as root (sudo); /etc/hosts must exist"),
        (DOCKER, "start the container with --privileged, or --security-opt apparmor=unconfined --cap-add SYS_ADMIN"),
    ])
}

fn real_time() -> Feature {
    let tried = match thread::scope(|scope| scope.spawn(priority::raise).join()) {
        Ok(obtained @ Priority::RealTime) => Ok(obtained.to_string()),
        Ok(obtained) => Err(format!("the most that can be had is: {obtained}")),
        Err(_) => Err("the thread that tried it panicked".to_owned()),
    };
    let purpose = "packets leave the emulated network on time on a busy host";
    Feature::new(Need::Recommended, "real-time priority", purpose, tried).mended_by(&[
        ("any host", "run the command as root (sudo), or add to /etc/security/limits.conf: YOURNAME - rtprio 20; then log in again"),
        (DOCKER, "start the container with --cap-add SYS_NICE --ulimit rtprio=20"),
    ])
}

fn congestion_controls(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, available_congestion_controls).and_then(|controls| {
        let usable = controls.iter().filter(|it| it.refused.is_none()).map(|it| it.name.as_str());
        let usable: Vec<&str> = usable.collect();
        let missing: Vec<&str> =
            ["reno", "cubic", "bbr"].into_iter().filter(|it| !usable.contains(it)).collect();
        let can = format!("each connection can choose {}", usable.join(", "));
        if missing.is_empty() { Ok(can) } else { Err(format!("{can}; not {}", missing.join(", "))) }
    });
    let purpose = "flows over the kernel's TCP with the variant that a scenario names";
    Feature::new(Need::Recommended, "congestion controls", purpose, tried).mended_by(&[
        ("any host", "sudo modprobe -a tcp_cubic tcp_bbr"),
        (DOCKER, "the same on the host of the container"),
    ])
}

/// 100 Mbit/s over 100 ms.
const ENOUGH: u64 = 1_250_000;

fn buffers(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, |inside| {
        // The window is what is left of a buffer beside the kernel's own records: about half.
        let largest = |setting| {
            let value = settings::read(inside, setting)?;
            let last = value.split_whitespace().last().and_then(|bytes| bytes.parse::<u64>().ok());
            last.ok_or_else(|| io::Error::other(format!("net/{setting} is {value:?}")))
        };
        Ok((largest("ipv4/tcp_rmem")? / 2, largest("ipv4/tcp_wmem")? / 2))
    })
    .and_then(|(receive, send)| judge_buffers(receive, send));
    let tried = match set_by_applications() {
        Some(set) => tried.map(|found| found + &set).map_err(|found| found + &set),
        None => tried,
    };
    let purpose = "full windows where bandwidth times delay is large";
    Feature::new(Need::Recommended, "socket buffers", purpose, tried).mended_by(&[
        ("any host", "sudo sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432'"),
        ("and", "sudo sysctl -w net.ipv4.tcp_wmem='4096 16384 33554432'"),
    ])
}

fn judge_buffers(receive: u64, send: u64) -> Result<String, String> {
    let product = receive.min(send);
    // Bits per millisecond are kbit/s, so bytes times 8 over 100 ms and 1000 are Mbit/s.
    let allows = format!(
        "about {:.1} MB under way: {} Mbit/s at 100 ms (receive {:.1} MB, send {:.1} MB)",
        product as f64 / 1e6,
        product * 8 / 100_000,
        receive as f64 / 1e6,
        send as f64 / 1e6,
    );
    if product >= ENOUGH { Ok(allows) } else { Err(allows) }
}

/// The limits of buffers that applications set themselves. Not every namespace shows them.
fn set_by_applications() -> Option<String> {
    let limit = |name| {
        let bytes = fs::read_to_string(format!("/proc/sys/net/core/{name}")).ok()?;
        Some(format!("{:.1} MB", bytes.trim().parse::<f64>().ok()? / 1e6))
    };
    let (receive, send) = (limit("rmem_max")?, limit("wmem_max")?);
    Some(format!("; applications may set {receive} (net.core.rmem_max) and {send} (wmem_max)"))
}

fn on_a_thread(task: impl FnOnce() -> io::Result<String> + Send) -> Result<String, String> {
    let done = thread::scope(|scope| scope.spawn(task).join());
    done.unwrap_or_else(|_| Err(io::Error::other("the thread panicked"))).map_err(|error| error.to_string())
}

/// A namespace with a loopback interface, for what is tried inside.
pub(super) fn namespace_with_loopback() -> io::Result<Namespace> {
    let namespace = Namespace::new()?;
    netlink::bring_up_loopback(&namespace)?;
    Ok(namespace)
}

#[cfg(test)]
#[test]
fn the_product_is_that_of_the_smaller_buffer() {
    let found = judge_buffers(16_000_000, 2_000_000).unwrap();
    assert_eq!(found, "about 2.0 MB under way: 160 Mbit/s at 100 ms (receive 16.0 MB, send 2.0 MB)");
    assert!(judge_buffers(ENOUGH, ENOUGH - 1).is_err() && judge_buffers(ENOUGH, ENOUGH).is_ok());
}
