//! The right to create namespaces and interfaces: as root, or as root of a user namespace of our own.

use crate::explained;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;
use std::io::{self, ErrorKind};

/// capabilities(7): `CAP_NET_ADMIN` and `CAP_SYS_ADMIN`.
const NEEDED: u64 = 1 << 12 | 1 << 21;

/// Where the right to create namespaces comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privileges {
    /// The process already had it, as root does.
    Given,
    /// The process is now root of a user namespace of its own, and in an empty network namespace.
    UserNamespace,
}

/// Obtain the right to create namespaces. Call it while the process has a single thread, and before it creates files that belong
/// to the user: in a user namespace, the user's id is 0.
///
/// # Errors
/// When the process has other threads and would need a user namespace, or the host allows none; the message names the
/// command that allows it.
pub fn obtain() -> io::Result<Privileges> {
    if capabilities()? & NEEDED == NEEDED {
        return Ok(Privileges::Given);
    }
    let threads = fs::read_dir("/proc/self/task")?.count();
    if threads != 1 {
        return Err(io::Error::other(format!(
            "a user namespace can only be entered by a process with one thread; this one has {threads}"
        )));
    }
    // Read before entering: inside, the ids are unknown until the maps are written.
    let (user, group) = (geteuid(), getegid());
    enter(user.as_raw(), group.as_raw()).map_err(|error| {
        let remedy = remedy(|setting| fs::read_to_string(format!("/proc/sys/{setting}")).ok());
        explained(error, format_args!("becoming root in a user namespace: {remedy}"))
    })?;
    Ok(Privileges::UserNamespace)
}

fn enter(user: u32, group: u32) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?;
    // user_namespaces(7): an unprivileged process may map its group only after giving up setgroups(2).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

/// The process's effective capabilities.
fn capabilities() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok())
        .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "/proc/self/status lists no capabilities"))
}

/// Which setting of the host forbids it, and the command that allows it.
fn remedy(read: impl Fn(&str) -> Option<String>) -> String {
    let settings = [
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("user/max_user_namespaces", "0", "10000"),
        ("user/max_net_namespaces", "0", "10000"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ];
    let forbidding = settings
        .into_iter()
        .find(|(setting, forbids, _)| read(setting).is_some_and(|value| value.trim() == *forbids));
    match forbidding {
        Some((setting, forbids, allows)) => {
            let name = setting.replace('/', ".");
            format!(
                "this host forbids it by {name}={forbids}; allow it with `sudo sysctl -w {name}={allows}`, or run as root"
            )
        }
        None => {
            "this host forbids it; run as root, or, in a container, start the container with --privileged"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn the_remedy_is_the_command_for_the_setting_that_forbids() {
        let with = |name: &'static str, value: &'static str| {
            remedy(move |asked| if asked == name { Some(format!("{value}\n")) } else { None })
        };
        let apparmor = with("kernel/apparmor_restrict_unprivileged_userns", "1");
        assert!(
            apparmor.contains("`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"),
            "{apparmor}"
        );
        let none = with("user/max_user_namespaces", "0");
        assert!(none.contains("`sudo sysctl -w user.max_user_namespaces=10000`"), "{none}");
        let debian = with("kernel/unprivileged_userns_clone", "0");
        assert!(debian.contains("`sudo sysctl -w kernel.unprivileged_userns_clone=1`"), "{debian}");
        let other = with("user/max_user_namespaces", "96365");
        assert!(!other.contains("sysctl") && other.contains("run as root"), "{other}");
    }
}
