//! What the lab needs of this host: namespaces and what it creates in them, processors, timers.

use crate::lateness::Lateness;
use crate::system::{
    Namespace, Priority, Privileges, StateDirectory, Tun, kernel_release, priority, privileges, settings,
};
use crate::traffic::available_congestion_controls;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use seamline_host::doctor::{self, Feature, NOT_TRIED, Need, program};
use seamline_host::namespace::on_a_thread;
use std::fs;
use std::io;
use std::thread;

const DOCKER: &str = "docker, podman";

/// Try everything that live experiments need. Call it while the process has a single thread: without root's rights it becomes root in a
/// user namespace of its own, as the lab does, and stays there. Takes about a second.
pub fn examine() -> Vec<Feature> {
    let state_folder = state_folder();
    let namespace = privileges::obtain().and_then(|how| Ok((how, Namespace::new()?)));
    let inside = namespace.as_ref().ok().map(|(_, namespace)| namespace);
    let mut features =
        vec![namespaces(&namespace), tun(inside), own_settings(inside), state_folder, kernel()];
    features.extend([
        mounts(),
        real_time(),
        congestion_controls(inside),
        buffers(inside),
        processors(),
        timers(),
    ]);
    features.extend(doctor::examine());
    features.extend([
        program(Need::Optional, "iperf3", "generating traffic in the lab", "iperf3", "iperf3"),
        program(Need::Optional, "tshark", "reading captures on the command line", "tshark", "wireshark-cli"),
    ]);
    features
}

/// Whether the lab can run.
pub fn can_run(features: &[Feature]) -> bool {
    features.iter().all(|feature| feature.available || feature.need != Need::Required)
}

/// What the features mean for the lab, in a line.
pub fn verdict(features: &[Feature]) -> String {
    let recommended = doctor::missing(features, Need::Recommended);
    if !can_run(features) {
        return format!(
            "The lab cannot run here. It lacks: {}.\n",
            doctor::missing(features, Need::Required)
        );
    }
    if recommended.is_empty() {
        return "The lab can run here.\n".to_owned();
    }
    format!("The lab can run here, less well without: {recommended}.\n")
}

/// Try something that takes a namespace.
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
    Feature::new(Need::Required, "network namespaces", "the hosts of the lab", tried).fixed_by(&[
        ("any host", "run the command as root (sudo)"),
        ("Ubuntu", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("Debian", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        (DOCKER, "start the container with --privileged"),
    ])
}

fn tun(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, |inside| {
        Tun::open(inside, "probe").map(|_| "a TUN device was created and removed".to_owned())
    });
    Feature::new(Need::Required, "TUN devices", "where packets enter and leave the emulated network", tried)
        .fixed_by(&[
            ("any host", "sudo modprobe tun"),
            (DOCKER, "start the container with --device /dev/net/tun (and --cap-add NET_ADMIN)"),
        ])
}

fn own_settings(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, |inside| {
        settings::write(inside, "ipv4/tcp_no_metrics_save", "1")
            .map(|()| "a setting was changed in a namespace".to_owned())
    });
    let purpose = "TCP that keeps no metrics of earlier connections; the host's settings stay as they are";
    Feature::new(Need::Required, "settings of namespaces", purpose, tried).fixed_by(&[
        ("any host", "sudo mount -o remount,rw /proc/sys"),
        (DOCKER, "start the container with --privileged, or --security-opt systempaths=unconfined"),
    ])
}

/// Where running labs are recorded. Looked for before a user namespace turns the user into root.
fn state_folder() -> Feature {
    let tried = StateDirectory::find().map(|folder| folder.path().display().to_string());
    let purpose = "finding the leftovers of a lab that was killed";
    Feature::new(Need::Required, "a directory for state", purpose, tried.map_err(|error| error.to_string()))
        .fixed_by(&[("any host", "export XDG_RUNTIME_DIR=$(mktemp -d)")])
}

fn mounts() -> Feature {
    let tried = on_a_thread(|| {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let nothing: Option<&str> = None;
        mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing)?;
        mount(Some("/etc/hosts"), "/etc/hosts", nothing, MsFlags::MS_BIND, nothing)?;
        Ok("a thread made a mount of its own".to_owned())
    })
    .map_err(|error| error.to_string());
    let purpose = "commands in the lab (seamline lab FILE -- COMMAND): host names";
    Feature::new(Need::Recommended, "private mounts", purpose, tried).fixed_by(&[
        ("any host", "run the command as root (sudo); /etc/hosts must exist"),
        (DOCKER, "start the container with --privileged, or --security-opt apparmor=unconfined --cap-add SYS_ADMIN"),
    ])
}

fn real_time() -> Feature {
    let tried = match thread::scope(|scope| scope.spawn(priority::raise).join()) {
        Ok(obtained @ Priority::RealTime) => Ok(obtained.to_string()),
        Ok(obtained) => Err(format!("the best available is: {obtained}")),
        Err(_) => Err("the thread that tried it panicked".to_owned()),
    };
    let purpose = "packets on time on a busy host";
    Feature::new(Need::Recommended, "real-time priority", purpose, tried).fixed_by(&[
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
        let can = format!("connections can choose {}", usable.join(", "));
        if missing.is_empty() { Ok(can) } else { Err(format!("{can}; not {}", missing.join(", "))) }
    });
    let purpose = "flows over the kernel's TCP with the scenario's variant";
    Feature::new(Need::Recommended, "congestion controls", purpose, tried).fixed_by(&[
        ("any host", "sudo modprobe -a tcp_cubic tcp_bbr"),
        (DOCKER, "the same on the host of the container"),
    ])
}

/// 100 Mbit/s over 100 ms.
const ENOUGH: u64 = 1_250_000;

fn buffers(namespace: Option<&Namespace>) -> Feature {
    let tried = within(namespace, |inside| {
        // About half of a buffer holds data; the rest is the kernel's bookkeeping.
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
    Feature::new(Need::Recommended, "socket buffers", purpose, tried).fixed_by(&[
        ("any host", "sudo sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432'"),
        ("and", "sudo sysctl -w net.ipv4.tcp_wmem='4096 16384 33554432'"),
    ])
}

fn judge_buffers(receive: u64, send: u64) -> Result<String, String> {
    let product = receive.min(send);
    // Bits per millisecond are kbit/s, so bytes times 8 over 100 ms and 1000 are Mbit/s.
    let allows = format!(
        "about {:.1} MB in flight: {} Mbit/s at 100 ms (receive {:.1} MB, send {:.1} MB)",
        product as f64 / 1e6,
        product * 8 / 100_000,
        receive as f64 / 1e6,
        send as f64 / 1e6,
    );
    if product >= ENOUGH { Ok(allows) } else { Err(allows) }
}

/// The limits of buffers that applications set themselves. Some namespaces hide them.
fn set_by_applications() -> Option<String> {
    let limit = |name| {
        let bytes = fs::read_to_string(format!("/proc/sys/net/core/{name}")).ok()?;
        Some(format!("{:.1} MB", bytes.trim().parse::<f64>().ok()? / 1e6))
    };
    let (receive, send) = (limit("rmem_max")?, limit("wmem_max")?);
    Some(format!("; applications may set {receive} (net.core.rmem_max) and {send} (wmem_max)"))
}

fn kernel() -> Feature {
    let release = kernel_release().unwrap_or_default();
    let tried = match version(&release) {
        Some(version) if version >= (5, 3) => Ok(format!("Linux {release}")),
        _ => Err(format!("Linux {release:?}")),
    };
    let purpose = "TCP_INFO of connections, and references to processes (pidfd)";
    Feature::new(Need::Required, "Linux 5.3 or newer", purpose, tried)
        .fixed_by(&[("any host", "a newer kernel")])
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn processors() -> Feature {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let tried = if count >= 2 { Ok(count.to_string()) } else { Err("1".to_owned()) };
    let purpose = "running the emulated network and its traffic in parallel";
    Feature::new(Need::Recommended, "two processors or more", purpose, tried).fixed_by(&[
        ("any host", "low rates only; or a larger machine"),
        ("docker, podman", "start the container with --cpus 2 or more"),
    ])
}

fn timers() -> Feature {
    let tried = match thread::scope(|scope| scope.spawn(sleeps).join()) {
        Ok(late) => {
            let [half, most] = [0.5, 0.99].map(|share| late.quantile(share).as_micros());
            let found = format!("a sleep of 1 ms ends {half} us late (median), {most} us (p99)");
            if most < 1000 { Ok(found) } else { Err(found) }
        }
        Err(_) => Err("could not be measured".to_owned()),
    };
    let purpose = "emulated delays exact to a fraction of a millisecond (p99 below 1 ms)";
    Feature::new(Need::Recommended, "accurate timers", purpose, tried).fixed_by(&[
        ("any host", "real-time priority (see there), and no other load on the processors"),
        ("virtual machines", "as many real processors as the machine has virtual ones"),
    ])
}

/// How late sleeps of 1 ms end with the priority that the lab would have.
fn sleeps() -> Lateness {
    let mut left = 0..300;
    Lateness::of_naps(|| left.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_required_features_keep_the_lab_from_running() {
        let feature = |need, result| Feature::new(need, "it", "", result);
        let missing = |need| feature(need, Err("no".to_owned()));
        let features = [missing(Need::Recommended), missing(Need::Split), missing(Need::Optional)];
        assert!(can_run(&features));
        assert_eq!(verdict(&features), "The lab can run here, less well without: it.\n");
        let features = [feature(Need::Required, Ok(String::new())), missing(Need::Required)];
        assert!(!can_run(&features));
        assert_eq!(verdict(&features), "The lab cannot run here. It lacks: it.\n");
    }

    #[test]
    fn the_product_is_that_of_the_smaller_buffer() {
        let found = judge_buffers(16_000_000, 2_000_000).unwrap();
        assert_eq!(found, "about 2.0 MB in flight: 160 Mbit/s at 100 ms (receive 16.0 MB, send 2.0 MB)");
        assert!(judge_buffers(ENOUGH, ENOUGH - 1).is_err() && judge_buffers(ENOUGH, ENOUGH).is_ok());
    }

    #[test]
    fn kernel_versions() {
        assert_eq!(version("6.18.44-fc-v595"), Some((6, 18)));
        assert_eq!(version("4.9"), Some((4, 9)));
        assert_eq!(version("5.4-rc1"), Some((5, 4)));
        assert_eq!(version(""), None);
    }
}
