//! The side of the program: what the first process of a guest does before anything else, and how it ends the guest.
#![expect(unsafe_code, reason = "system calls that no safe wrapper covers, and an environment to replace")]

use super::shared::{IN_GUEST, ON_HOST, Shared};
use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The bytes of entropy that a guest gets. The kernel's generator takes 32 to begin.
pub const ENTROPY: usize = 64;

/// Temporary files of programs. The host's `/tmp` stays visible: scenarios and recordings may be there.
const TEMPORARY: &str = "/run/tmp";
/// How often the host sees how far the guest is, in virtual time.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
const TCP_MEMORY: &str = "/proc/sys/net/ipv4/tcp_mem";
/// What the kernel chooses on a host with 16 GiB: TCP is never short of memory because its guest is small.
const TCP_MEMORY_PAGES: &str = "190000 253000 380000";

const RECEIVE_MEMORY: &str = "/proc/sys/net/ipv4/tcp_rmem";
/// The most memory that kernels of the time of 6.12 give a receiver, in bytes.
const FORMER_LIMIT: u64 = 6 << 20;
/// What newer ones give it on a host with 4 GiB; on a smaller one, a 128th of the memory.
const RECEIVE_MEMORY_BYTES: &str = "4096 131072 33554432";

/// What [`prepare`] needs.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// All the randomness that the guest's kernel has: the same bytes give the same run.
    pub entropy: [u8; ENTROPY],
    /// Kernel modules to load.
    pub modules: &'a [PathBuf],
}

/// Whether this process is the first of a guest, or of anything else that has processes of its own.
pub fn is_guest() -> bool {
    std::process::id() == 1
}

/// Mount what programs need, and the shared folder. Call it before anything else, while the process has a single thread.
///
/// # Errors
/// When this process is not the first of a guest, or its kernel lacks something.
pub fn begin() -> io::Result<()> {
    if !is_guest() {
        return Err(io::Error::other("this command is for the first process of a guest only"));
    }
    mount_all()
}

/// Make the guest a place for programs: entropy, modules, limits, environment, input and outputs. Call it second, while the process has a
/// single thread and before anything takes a random number.
///
/// # Errors
/// When its kernel refuses something.
pub fn prepare(start: &Start<'_>) -> io::Result<()> {
    add_entropy(&start.entropy)?;
    load_all(start.modules)?;
    fs::write(TCP_MEMORY, TCP_MEMORY_PAGES)?;
    widen_receive_memory()?;
    replace_environment();
    replace_outputs()?;
    report_progress()
}

/// End the guest with a result.
///
/// # Errors
/// When the result cannot be written, or the kernel refuses.
pub fn end(result: &[u8]) -> io::Result<()> {
    // Complete or not at all: the host looks for it when the guest has ended.
    let unfinished = Shared::Result.in_guest().with_extension("part");
    fs::write(&unfinished, result)?;
    fs::rename(&unfinished, Shared::Result.in_guest())?;
    nix::unistd::sync();
    match reboot(RebootMode::RB_POWER_OFF) {
        Ok(never) => match never {},
        Err(error) => Err(error.into()),
    }
}

/// A receiver's most memory is that of an ordinary host. That of a guest follows from its memory, of which it has enough to tell new kernels.
fn widen_receive_memory() -> io::Result<()> {
    let limits = fs::read_to_string(RECEIVE_MEMORY)?;
    let most = limits.split_whitespace().nth(2).and_then(|most| most.parse::<u64>().ok());
    if most.is_some_and(|most| most > FORMER_LIMIT) {
        fs::write(RECEIVE_MEMORY, RECEIVE_MEMORY_BYTES)?;
    }
    Ok(())
}

/// Nothing of it differs between hosts.
fn replace_environment() {
    const ENVIRONMENT: [(&str, &str); 5] = [
        ("HOME", TEMPORARY),
        ("LANG", "C.UTF-8"),
        ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        ("TERM", "dumb"),
        ("TMPDIR", TEMPORARY),
    ];
    let names: Vec<OsString> = env::vars_os().map(|(name, _)| name).collect();
    // SAFETY: the process has a single thread.
    unsafe {
        names.iter().for_each(|name| env::remove_var(name));
        ENVIRONMENT.iter().for_each(|(name, value)| env::set_var(name, value));
    }
}

/// Files instead of a console, which works by interrupts of the host.
fn replace_outputs() -> io::Result<()> {
    let append = |of: Shared| OpenOptions::new().append(true).open(of.in_guest());
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(append(Shared::StandardOutput)?)?;
    dup2_stderr(append(Shared::StandardError)?)?;
    Ok(())
}

/// Let the host see how far the guest is, from now on.
fn report_progress() -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(Shared::Progress.in_guest())?;
    let reporter = thread::Builder::new().name("progress".to_owned());
    reporter.spawn(move || {
        for step in 1_u64.. {
            wait(PROGRESS_EVERY);
            let now = step * PROGRESS_EVERY.as_nanos() as u64;
            if file.write_at(&now.to_le_bytes(), 0).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "virtual time, in a thread for that")]
pub(super) fn wait(time: Duration) {
    thread::sleep(time);
}

fn mount_all() -> io::Result<()> {
    let none = None::<&str>;
    let make = |kind: &str, place: &str| {
        let made = mount(Some(kind), place, Some(kind), MsFlags::empty(), none);
        made.map_err(|error| io::Error::other(format!("mounting {kind} at {place}: {error}")))
    };
    make("proc", "/proc")?;
    make("sysfs", "/sys")?;
    make("devtmpfs", "/dev")?;
    make("tmpfs", "/run")?;
    fs::create_dir(IN_GUEST)?;
    let made = mount(Some("none"), IN_GUEST, Some("hostfs"), MsFlags::empty(), Some(ON_HOST));
    made.map_err(|error| io::Error::other(format!("mounting the shared directory: {error}")))?;
    fs::create_dir(TEMPORARY)
}

/// The layout of `struct rand_pool_info` (linux/random.h).
#[repr(C)]
struct PoolInfo {
    entropy_bits: libc::c_int,
    bytes: libc::c_int,
    data: [u8; ENTROPY],
}

/// `_IOW('R', 0x03, int [2])`.
const RNDADDENTROPY: libc::Ioctl = 0x4008_5203_u32 as libc::Ioctl;

fn add_entropy(data: &[u8; ENTROPY]) -> io::Result<()> {
    let pool =
        PoolInfo { entropy_bits: 8 * ENTROPY as libc::c_int, bytes: ENTROPY as libc::c_int, data: *data };
    let device = random_device()?;
    // SAFETY: the descriptor is open, and the kernel reads `bytes` bytes of the structure, which it has.
    match unsafe { libc::ioctl(device.as_raw_fd(), RNDADDENTROPY, &raw const pool) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The device of the guest itself: the host's folder of devices may lack it.
fn random_device() -> io::Result<File> {
    OpenOptions::new().write(true).open("/dev/urandom")
}

/// Load modules. Those that need symbols of others follow them, whatever their names are.
fn load_all(modules: &[PathBuf]) -> io::Result<()> {
    let mut waiting: Vec<&PathBuf> = modules.iter().collect();
    loop {
        let (before, mut failed) = (waiting.len(), None);
        waiting.retain(|module| load(module).map_err(|error| failed.get_or_insert(error)).is_err());
        match failed {
            None => return Ok(()),
            Some(error) if waiting.len() == before => return Err(error),
            Some(_) => {}
        }
    }
}

fn load(module: &Path) -> io::Result<()> {
    let file = File::open(module)?;
    // SAFETY: the descriptor is open, and the text of parameters is an empty string.
    let loaded = unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), c"".as_ptr(), 0) };
    if loaded == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        error if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        error if error.kind() == ErrorKind::NotFound => Err(io::Error::new(
            error.kind(),
            format!(
                "loading {}: neither the kernel nor another module has a symbol that it needs",
                module.display()
            ),
        )),
        error => Err(io::Error::new(error.kind(), format!("loading {}: {error}", module.display()))),
    }
}
