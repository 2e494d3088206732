//! eBPF without libbpf, for programs of a few instructions: whether this process may use it, programs for packets of an interface, and memory
//! that they share with this process.
#![expect(unsafe_code, reason = "no safe wrapper for the system call bpf")]

mod attached;
mod program;
mod shared_words;

pub use attached::{AttachedTo, attached};
pub use program::{Function, Label, Operation, Program, Register, Width};
pub use shared_words::SharedWords;

use crate::explained;
use crate::socket::set_number;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// bpf(2): `BPF_MAP_CREATE`, and the type `BPF_MAP_TYPE_ARRAY`.
const MAP_CREATE: libc::c_long = 0;
const ARRAY: u32 = 2;
/// `BPF_F_MMAPABLE` (Linux 5.5).
const MAPPABLE: u32 = 1 << 10;
/// `BPF_PROG_LOAD`, and the types `BPF_PROG_TYPE_SOCKET_FILTER` and `BPF_PROG_TYPE_SCHED_CLS`.
const PROGRAM_LOAD: libc::c_long = 5;
const SOCKET_FILTER: u32 = 1;
const CLASSIFIER: u32 = 3;
/// Of linux/socket.h.
const SO_ATTACH_BPF: libc::c_int = 50;
/// `BPF_LINK_CREATE`, and where: `BPF_TCX_EGRESS`.
const LINK_CREATE: libc::c_long = 28;
const TCX_EGRESS: u32 = 47;
/// The number of the loopback interface in every namespace.
const LOOPBACK: u32 = 1;

/// Create a map of one number, and remove it.
///
/// # Errors
/// When the process may not (`EPERM`), or the kernel has no eBPF (`ENOSYS`).
pub(crate) fn try_map() -> io::Result<()> {
    // The first fields of `union bpf_attr`: type, bytes of a key, bytes of a value, entries; then flags.
    let attributes: [u32; 5] = [ARRAY, 4, 4, 1, 0];
    make(MAP_CREATE, &attributes).map(drop)
}

/// Attach a program that does nothing to the loopback interface of the thread's network namespace (TCX), and remove it.
///
/// # Errors
/// When the process may not (`EPERM`), or the kernel is older than Linux 6.6 (`EINVAL`).
pub(crate) fn try_tcx() -> io::Result<()> {
    let mut program = Program::new();
    program.with(Operation::Set, Register::R0, 0);
    program.exit();
    let program = classifier(program)?;
    make(LINK_CREATE, &[program.as_raw_fd() as u32, LOOPBACK, TCX_EGRESS, 0]).map(drop)
}

/// Load a program for packets at an interface (`BPF_PROG_TYPE_SCHED_CLS`).
///
/// # Errors
/// When the process may not (`EPERM`), or the kernel does not accept the program (`EINVAL`, `EACCES`).
pub fn classifier(program: Program) -> io::Result<OwnedFd> {
    load(CLASSIFIER, &program.finish())
}

/// Have a socket receive only what a program accepts, by returning how many bytes of it (`BPF_PROG_TYPE_SOCKET_FILTER`).
///
/// # Errors
/// As [`classifier`].
pub fn filter(socket: &impl AsFd, program: Program) -> io::Result<()> {
    let program = load(SOCKET_FILTER, &program.finish())?;
    set_number(socket, libc::SOL_SOCKET, SO_ATTACH_BPF, program.as_raw_fd())
}

/// If the kernel does not accept it, the error has the last lines of what it says.
fn load(kind: u32, instructions: &[[u8; 8]]) -> io::Result<OwnedFd> {
    let error = match try_load(kind, instructions, &mut []) {
        Ok(program) => return Ok(program),
        Err(error) => error,
    };
    let mut log = vec![0; 1 << 16];
    let _ = try_load(kind, instructions, &mut log);
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.trim_end_matches('\0').lines().collect();
    // The very last line is about how much was looked at.
    let said = lines[lines.len().saturating_sub(3)..].join("; ");
    Err(if said.is_empty() { error } else { explained(error, said) })
}

fn try_load(kind: u32, instructions: &[[u8; 8]], log: &mut [u8]) -> io::Result<OwnedFd> {
    // Some helper functions are for programs under the GPL, as this one may be used.
    let license = c"Dual MIT/GPL";
    let halves = |address: u64| {
        let bytes = address.to_ne_bytes();
        [0, 4].map(|at| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
    };
    let mut attributes = [0_u32; 10];
    attributes[0] = kind;
    attributes[1] = instructions.len() as u32;
    attributes[2..4].copy_from_slice(&halves(instructions.as_ptr() as u64));
    attributes[4..6].copy_from_slice(&halves(license.as_ptr() as u64));
    if !log.is_empty() {
        attributes[6] = 1;
        attributes[7] = log.len() as u32;
        attributes[8..10].copy_from_slice(&halves(log.as_mut_ptr() as u64));
    }
    make(PROGRAM_LOAD, &attributes)
}

/// Run a bpf(2) command that returns a descriptor, with the first fields of `union bpf_attr`.
fn make(command: libc::c_long, attributes: &[u32]) -> io::Result<OwnedFd> {
    // SAFETY: the kernel reads `size_of_val(attributes)` bytes, and what their addresses point to; all of it lives during the
    // call. It takes all further fields as zero, and writes nothing.
    let made = unsafe { libc::syscall(libc::SYS_bpf, command, attributes.as_ptr(), size_of_val(attributes)) };
    if made < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(made as RawFd) })
}
