//! What eBPF programs need: those of `seamline-host sender`, and that of `seamline-host mobile` for freezing.

use super::{Feature, Need, in_a_namespace, program};
use crate::bpf;
use crate::cgroup::{MOUNT_UNIFIED_HIERARCHY, unified_hierarchy};
use std::path::Path;

const IN_A_CONTAINER: (&str, &str) = (
    "docker, podman",
    "start the container with --privileged, or --cap-add BPF --cap-add NET_ADMIN --cap-add PERFMON",
);

pub(super) fn features() -> Vec<Feature> {
    let clang = program(Need::Sender, "clang", "compiling eBPF programs", "clang", "clang");
    vec![cgroup(), types(), bpf_call(), tcx(), clang, libelf()]
}

fn cgroup() -> Feature {
    let place = unified_hierarchy().ok().flatten().map(|place| place.display().to_string());
    let tried = place.ok_or_else(|| "no cgroup2 in /proc/mounts".to_owned());
    Feature::new(Need::Sender, "cgroup v2", "eBPF programs for the sockets of chosen processes only", tried)
        .fixed_by(&[
            ("with systemd", "boot with systemd.unified_cgroup_hierarchy=1"),
            ("any host", MOUNT_UNIFIED_HIERARCHY),
            ("docker, podman", "start the container with --cgroupns=host -v /sys/fs/cgroup:/sys/fs/cgroup"),
        ])
}

fn types() -> Feature {
    let path = "/sys/kernel/btf/vmlinux";
    let tried = found(Path::new(path).exists(), path, "no /sys/kernel/btf/vmlinux");
    let purpose = "locating the kernel's structures, congestion controls in eBPF";
    Feature::new(Need::Sender, "kernel type data (BTF)", purpose, tried).fixed_by(&[(
        "any host",
        "a kernel with CONFIG_DEBUG_INFO_BTF=y, as those of distributions since 2021",
    )])
}

fn bpf_call() -> Feature {
    let tried = bpf::try_map()
        .map(|()| "a map was created and removed".to_owned())
        .map_err(|error| error.to_string());
    Feature::new(Need::Sender, "bpf system call", "loading eBPF programs", tried).fixed_by(&[
        ("any host", "run the command as root (sudo); a user namespace is not enough"),
        IN_A_CONTAINER,
    ])
}

fn tcx() -> Feature {
    let tried = in_a_namespace(bpf::try_tcx, "an eBPF program was attached in a namespace");
    Feature::new(
        Need::Sender,
        "eBPF at interfaces (TCX)",
        "closing windows, immediate retransmissions",
        tried,
    )
    .fixed_by(&[
        ("any host", "Linux 6.6 or newer; run the command as root (sudo), a user namespace is not enough"),
        IN_A_CONTAINER,
    ])
}

fn libelf() -> Feature {
    let header = "/usr/include/libelf.h";
    let tried = found(Path::new(header).exists(), header, "no /usr/include/libelf.h");
    Feature::new(Need::Sender, "libelf", "building the loader of eBPF programs", tried).fixed_by(&[
        ("Debian, Ubuntu", "sudo apt install libelf-dev zlib1g-dev"),
        ("Fedora", "sudo dnf install elfutils-libelf-devel zlib-devel"),
    ])
}

fn found(there: bool, what: &str, otherwise: &str) -> Result<String, String> {
    if there { Ok(what.to_owned()) } else { Err(otherwise.to_owned()) }
}
