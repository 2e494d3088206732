//! The machine: its kernel, its processors, how late it wakes; and programs that are handy beside the lab.

use super::{Feature, Need};
use crate::clock;
use crate::system::{kernel_release, priority};
use seamline_wire::Duration;
use std::path::PathBuf;
use std::thread;

pub(super) fn features() -> Vec<Feature> {
    let mut features = vec![kernel(), processors(), timers()];
    features.extend(COMPANIONS.iter().map(companion));
    features
}

fn kernel() -> Feature {
    let release = kernel_release().unwrap_or_default();
    let tried = match version(&release) {
        Some(version) if version >= (5, 3) => Ok(format!("Linux {release}")),
        _ => Err(format!("Linux {release:?}")),
    };
    let purpose = "what its TCP says of its connections, and references to processes";
    Feature::new(Need::Required, "Linux 5.3 or newer", purpose, tried)
        .mended_by(&[("any host", "a newer kernel")])
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn processors() -> Feature {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let tried = if count >= 2 { Ok(count.to_string()) } else { Err("1".to_owned()) };
    let purpose = "the emulated network beside the traffic that crosses it";
    Feature::new(Need::Recommended, "two processors or more", purpose, tried).mended_by(&[
        ("any host", "low rates only; or a larger machine"),
        ("docker, podman", "start the container with --cpus 2 or more"),
    ])
}

fn timers() -> Feature {
    let late = thread::scope(|scope| scope.spawn(lateness).join()).unwrap_or_default();
    let tried = match (late.get(late.len() / 2), late.get(late.len() * 99 / 100)) {
        (Some(half), Some(most)) => {
            let found = format!("a sleep of 1 ms ends {half} us late (median), {most} us (p99)");
            if *most < 1000 { Ok(found) } else { Err(found) }
        }
        _ => Err("it could not be measured".to_owned()),
    };
    let purpose = "emulated delays to a fraction of a millisecond (p99 below 1 ms)";
    Feature::new(Need::Recommended, "punctual timers", purpose, tried).mended_by(&[
        ("any host", "real-time priority (see there), and nothing else that keeps the processors busy"),
        ("virtual machines", "as many real processors as the machine has virtual ones"),
    ])
}

/// By how many microseconds sleeps of a millisecond ended late, in order; with the priority that the lab would have.
fn lateness() -> Vec<u64> {
    let _ = priority::raise();
    let nap = Duration::from_millis(1);
    let mut late: Vec<u64> = (0..300)
        .map(|_| {
            let due = clock::monotonic() + nap;
            #[expect(clippy::disallowed_methods, reason = "how late the host wakes is what is measured")]
            thread::sleep(std::time::Duration::from_nanos(nap.as_nanos()));
            clock::monotonic().saturating_since(due).as_nanos() / 1000
        })
        .collect();
    late.sort_unstable();
    late
}

/// Command, what for, its package in Debian and Ubuntu, and in Fedora.
type Companion = (&'static str, &'static str, &'static str, &'static str);

const COMPANIONS: [Companion; 2] = [
    ("iperf3", "traffic of one's own through the lab", "iperf3", "iperf3"),
    ("tshark", "reading captures without a window", "tshark", "wireshark-cli"),
];

fn companion((command, purpose, debian, fedora): &Companion) -> Feature {
    program(Need::Optional, command, purpose, debian, fedora)
}

/// Where a shell would find a command.
pub(super) fn find(command: &str) -> Option<PathBuf> {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&places).collect();
    // Not everybody's PATH has them, but sudo's does.
    places.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    places.into_iter().map(|place| place.join(command)).find(|path| path.is_file())
}

/// A command that is looked for.
pub(super) fn program(
    need: Need,
    command: &'static str,
    purpose: &'static str,
    debian: &str,
    fedora: &str,
) -> Feature {
    let tried = find(command).map(|path| path.display().to_string()).ok_or_else(|| "not found".to_owned());
    let (debian, fedora) = (format!("sudo apt install {debian}"), format!("sudo dnf install {fedora}"));
    Feature::new(need, command, purpose, tried).mended_by(&[("Debian, Ubuntu", &debian), ("Fedora", &fedora)])
}

#[cfg(test)]
#[test]
fn versions_of_all_sorts() {
    assert_eq!(version("6.18.44-fc-v595"), Some((6, 18)));
    assert_eq!(version("4.9"), Some((4, 9)));
    assert_eq!(version("5.4-rc1"), Some((5, 4)));
    assert_eq!(version(""), None);
}
