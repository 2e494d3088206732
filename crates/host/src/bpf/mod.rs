//! eBPF without libbpf, for programs of a few instructions: whether this process may use it, programs for packets of an interface, and memory
//! that they share with this process.
#![expect(unsafe_code, reason = "no safe wrapper for the system call bpf")]

mod shared_words;

pub use shared_words::SharedWords;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// bpf(2): `BPF_MAP_CREATE`, and the type `BPF_MAP_TYPE_ARRAY`.
const MAP_CREATE: libc::c_long = 0;
const ARRAY: u32 = 2;
/// `BPF_F_MMAPABLE` (Linux 5.5).
const MAPPABLE: u32 = 1 << 10;
/// `BPF_PROG_LOAD`, and the type `BPF_PROG_TYPE_SCHED_CLS`.
const PROGRAM_LOAD: libc::c_long = 5;
const CLASSIFIER: u32 = 3;
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
    let program = classifier(&[instruction(0xb7, [0, 0], 0, 0), instruction(0x95, [0, 0], 0, 0)])?;
    make(LINK_CREATE, &[program.as_raw_fd() as u32, LOOPBACK, TCX_EGRESS, 0]).map(drop)
}

/// An instruction: its opcode, destination and source registers, offset and immediate value (kernel: Documentation/bpf/standardization).
pub fn instruction(opcode: u8, [destination, source]: [u8; 2], offset: i16, value: i32) -> [u8; 8] {
    let ([o0, o1], [v0, v1, v2, v3]) = (offset.to_ne_bytes(), value.to_ne_bytes());
    let registers =
        if cfg!(target_endian = "little") { source << 4 | destination } else { destination << 4 | source };
    [opcode, registers, o0, o1, v0, v1, v2, v3]
}

/// Load a program for packets at an interface (`BPF_PROG_TYPE_SCHED_CLS`).
///
/// # Errors
/// When the process may not (`EPERM`), or the kernel does not accept the program (`EINVAL`, `EACCES`).
pub fn classifier(instructions: &[[u8; 8]]) -> io::Result<OwnedFd> {
    // Some helper functions are for programs under the GPL, as this one may be used.
    let license = c"Dual MIT/GPL";
    let halves = |address: u64| {
        let bytes = address.to_ne_bytes();
        [0, 4].map(|at| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
    };
    let mut attributes = [0_u32; 6];
    attributes[0] = CLASSIFIER;
    attributes[1] = instructions.len() as u32;
    attributes[2..4].copy_from_slice(&halves(instructions.as_ptr() as u64));
    attributes[4..6].copy_from_slice(&halves(license.as_ptr() as u64));
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
