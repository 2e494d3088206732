//! A namespace's own network settings (`/proc/sys/net`): never those of the host.

use super::{Identity, Namespace, explained};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::process;

const SETTINGS: &str = "/proc/sys/net";

/// Change a setting of the namespace, named by its path below `/proc/sys/net` (`ipv4/ip_forward`).
///
/// # Errors
/// When namespaces have no such setting (some exist once for the whole host), or the value is refused. Also when the
/// thread that would write is not inside the namespace, or the namespace is that of this process: then nothing is written.
pub fn write(namespace: &Namespace, setting: &str, value: &str) -> io::Result<()> {
    inside(namespace, setting, |path| {
        fs::write(path, value).map_err(|error| {
            let why = match error.raw_os_error() {
                Some(libc::ENOENT) if !path.exists() => "a namespace has no such setting",
                Some(libc::EROFS) => {
                    "/proc/sys cannot be written to; a container needs --privileged or --security-opt systempaths=unconfined"
                }
                Some(libc::EPERM) if setting == "ipv4/tcp_congestion_control" => {
                    "the host keeps it for itself; `sudo sysctl -w net.ipv4.tcp_allowed_congestion_control=\"...\"` there with all \
                     names that namespaces may choose"
                }
                _ => "the kernel refuses the value",
            };
            explained(error, format_args!("setting net/{setting} to {value}: {why}"))
        })
    })
}

/// Whether the namespace has a setting: a kernel without IPv6 has none of those below `ipv6`.
///
/// # Errors
/// When the namespace cannot be entered, or the path is none.
pub fn has(namespace: &Namespace, setting: &str) -> io::Result<bool> {
    inside(namespace, setting, |path| Ok(path.exists()))
}

/// What a setting of the namespace is, without the line break.
///
/// # Errors
/// When namespaces have no such setting.
pub fn read(namespace: &Namespace, setting: &str) -> io::Result<String> {
    let value = inside(namespace, setting, |path| fs::read_to_string(path));
    let value = value.map_err(|error| explained(error, format_args!("reading the setting net/{setting}")))?;
    Ok(value.trim_end().to_owned())
}

/// Run `task` inside the namespace with the path of a setting.
fn inside<T: Send>(
    namespace: &Namespace,
    setting: &str,
    task: impl FnOnce(&Path) -> io::Result<T> + Send,
) -> io::Result<T> {
    let path = path(setting)?;
    namespace.within(|| check_inside(namespace).and_then(|()| task(&path)))
}

/// The kernel takes the settings of the thread that opens the file. So that a mistake elsewhere can never change the host's, the
/// thread must be in this very namespace, and that must be another than the process's own.
fn check_inside(namespace: &Namespace) -> io::Result<()> {
    let here = Identity::of_thread()?;
    if here != namespace.identity()? || here == Identity::of_process(process::id())? {
        return Err(io::Error::other(
            "settings are only touched inside a namespace of the lab, and this thread is not in it",
        ));
    }
    Ok(())
}

fn path(setting: &str) -> io::Result<PathBuf> {
    let plain = |component| matches!(component, Component::Normal(_));
    if setting.is_empty() || !Path::new(setting).components().all(plain) {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!("{setting:?} is no path below {SETTINGS}"),
        ));
    }
    Ok(Path::new(SETTINGS).join(setting))
}

#[cfg(test)]
mod tests {
    use super::{Namespace, check_inside};

    #[test]
    fn a_thread_outside_the_namespace_is_refused() {
        let Ok(namespace) = Namespace::new() else {
            return seamline_testing::skip(
                "a_thread_outside_the_namespace_is_refused",
                "no namespace can be made",
            );
        };
        check_inside(&namespace).expect_err("this thread is the host's");
        let other = Namespace::new().unwrap();
        other.within(|| check_inside(&namespace)).expect_err("that thread is in another namespace");
        namespace.within(|| check_inside(&namespace)).unwrap();
    }
}
