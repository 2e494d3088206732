//! What a daemon gives up once it has opened what it needs: capabilities, files and system calls. All of it holds for the calling thread and
//! for those that it starts from then on, so call it before there are others.

use caps::{CapSet, CapsHashSet};
use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
use std::env::consts::ARCH;
use std::fmt;
use std::io;
use std::path::Path;

pub use caps::Capability;

/// The version of Landlock whose accesses are restricted (Linux 6.2); of older kernels as many as they know.
pub const VERSION: ABI = ABI::V3;

/// What the kernel enforces of a [`confine`]ment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confined {
    /// Files: no other folders than those named.
    pub files: bool,
    /// System calls: none that a daemon does not need.
    pub calls: bool,
}

impl fmt::Display for Confined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.files, self.calls) {
            (true, true) => "capabilities,files,calls",
            (true, false) => "capabilities,files",
            (false, true) => "capabilities,calls",
            (false, false) => "capabilities",
        })
    }
}

/// Keep these capabilities at most, and forever: nothing that is executed gets more. Read in `/proc` and write in these folders only
/// (Landlock, since Linux 5.13). Make only such system calls as network daemons make (seccomp); others fail with `EPERM`.
///
/// # Errors
/// When a folder is missing, or the kernel refuses what it has.
pub fn confine(keep: &[Capability], writable: &[&Path]) -> io::Result<Confined> {
    let files = proc_and(writable)?;
    keep_capabilities(keep)?;
    let status = files.restrict_self().map_err(io::Error::other)?;
    // Of few processors, those of small routers among them, the library knows no numbers of system calls.
    let filters = TargetArch::try_from(ARCH).is_ok();
    if filters {
        let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        apply_filter(&calls(CALLS, SeccompAction::Allow, refused)?).map_err(io::Error::other)?;
    }
    Ok(Confined { files: status.ruleset != RulesetStatus::NotEnforced, calls: filters })
}

/// Keep these capabilities at most, and forever: nothing that is executed gets more.
///
/// # Errors
/// When the kernel refuses.
pub fn keep_capabilities(keep: &[Capability]) -> io::Result<()> {
    nix::sys::prctl::set_no_new_privs()?;
    let held = caps::read(None, CapSet::Permitted).map_err(io::Error::other)?;
    if held.contains(&Capability::CAP_SETPCAP) {
        let bounding = caps::read(None, CapSet::Bounding).map_err(io::Error::other)?;
        for capability in bounding.iter().filter(|it| !keep.contains(it)) {
            caps::drop(None, CapSet::Bounding, *capability).map_err(io::Error::other)?;
        }
    }
    let kept: CapsHashSet = held.into_iter().filter(|it| keep.contains(it)).collect();
    // What may be taken on again last: the others cannot be more than that.
    caps::clear(None, CapSet::Ambient).map_err(io::Error::other)?;
    caps::clear(None, CapSet::Inheritable).map_err(io::Error::other)?;
    caps::set(None, CapSet::Effective, &kept).map_err(io::Error::other)?;
    caps::set(None, CapSet::Permitted, &kept).map_err(io::Error::other)
}

/// The same, and what is executed has these capabilities, too, for every user; as otherwise only root's processes have.
///
/// # Errors
/// When the kernel refuses.
pub fn share_capabilities(keep: &[Capability]) -> io::Result<()> {
    keep_capabilities(keep)?;
    let kept = caps::read(None, CapSet::Permitted).map_err(io::Error::other)?;
    // What is to be ambient has to be inheritable.
    caps::set(None, CapSet::Inheritable, &kept).map_err(io::Error::other)?;
    caps::set(None, CapSet::Ambient, &kept).map_err(io::Error::other)
}

/// Restrict these accesses to files to what the rules allow, as far as the kernel can enforce it (Landlock).
///
/// # Errors
/// When a path of the rules cannot be opened.
pub fn files<'a>(
    restricted: BitFlags<AccessFs>,
    rules: impl IntoIterator<Item = (&'a Path, BitFlags<AccessFs>)>,
) -> io::Result<RulesetCreated> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset.handle_access(restricted).map_err(io::Error::other)?;
    let mut ruleset = ruleset.create().map_err(io::Error::other)?;
    for (path, access) in rules {
        let path = PathFd::new(path).map_err(io::Error::other)?;
        ruleset = ruleset.add_rule(PathBeneath::new(path, access)).map_err(io::Error::other)?;
    }
    Ok(ruleset)
}

fn proc_and(writable: &[&Path]) -> io::Result<RulesetCreated> {
    let reading = (Path::new("/proc"), AccessFs::from_read(VERSION) & !AccessFs::Execute);
    let writing = writable.iter().map(|folder| (*folder, AccessFs::from_all(VERSION) & !AccessFs::Execute));
    files(AccessFs::from_all(VERSION), writing.chain([reading]))
}

/// A filter for these system calls, and for all others; for the processor that this is built for.
///
/// # Errors
/// When the library has no filters for the processor.
pub fn calls(listed: &[libc::c_long], they: SeccompAction, others: SeccompAction) -> io::Result<BpfProgram> {
    let target = TargetArch::try_from(ARCH).map_err(io::Error::other)?;
    let rules = listed.iter().map(|call| (*call, Vec::new())).collect();
    let filter = SeccompFilter::new(rules, others, they, target).map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

/// Memory, threads, time, files that are open or in the named folders, sockets, and eBPF. Nothing that executes, traces, mounts, or changes
/// users, namespaces or the host.
const CALLS: &[libc::c_long] = &[
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_bpf,
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_close,
    libc::SYS_connect,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fchmod,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_fsync,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_getrlimit,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_gettid,
    libc::SYS_ioctl,
    libc::SYS_listen,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_ppoll,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_set_robust_list,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_sigaltstack,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_splice,
    libc::SYS_statx,
    libc::SYS_tgkill,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_write,
    libc::SYS_writev,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;
    use std::thread;

    /// Of the calling thread, from proc_pid_status(5).
    fn status(name: &str) -> u64 {
        let all = fs::read_to_string("/proc/thread-self/status").unwrap();
        let found = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"));
        u64::from_str_radix(found.unwrap_or_else(|| panic!("{name} in {all}")), 16).unwrap()
    }

    #[test]
    fn what_is_shared_is_there_for_what_is_executed() {
        let thread = thread::spawn(|| {
            let raw = status("CapPrm") & 1 << Capability::CAP_NET_RAW.index();
            share_capabilities(&[Capability::CAP_NET_RAW]).unwrap();
            let sets = ["CapPrm", "CapEff", "CapInh", "CapAmb"];
            assert_eq!((sets.map(status), status("NoNewPrivs")), ([raw; 4], 1));
        });
        thread.join().expect("the checks hold");
    }

    #[test]
    fn what_is_given_up_is_gone_and_the_rest_works() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let confined = thread::spawn(move || {
            let before = status("CapPrm");
            let raw = 1 << Capability::CAP_NET_RAW.index();
            let confined = confine(&[Capability::CAP_NET_RAW], &[folder.path()]).unwrap();
            // A thread that begins later has no more.
            thread::spawn(move || {
                assert_eq!([status("CapPrm"), status("CapEff")], [before & raw; 2]);
                assert_eq!([status("CapInh"), status("CapAmb"), status("NoNewPrivs")], [0, 0, 1]);
                let file = folder.path().join("file");
                fs::write(&file, "text").unwrap();
                fs::rename(&file, folder.path().join("renamed")).unwrap();
                assert!(Command::new("true").status().is_err(), "it executes nothing");
                if confined.files {
                    assert!(fs::write(other.path().join("file"), "text").is_err());
                    assert!(fs::read("/etc/passwd").is_err());
                }
                if confined.calls {
                    assert_eq!(status("Seccomp"), 2);
                    let parent = nix::unistd::getppid();
                    assert!(parent.as_raw() <= 0, "a system call that is not among those: {parent}");
                }
                std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            })
            .join()
            .map(|()| confined)
        });
        let confined = confined.join().unwrap().expect("the checks hold");
        println!("this kernel enforces {confined}");
    }
}
