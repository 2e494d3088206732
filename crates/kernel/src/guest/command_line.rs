//! The command line of a guest's kernel. It is the same for all guests: the kernel uses it as a source of randomness.

use super::shared::ON_HOST;

/// When guests begin, by their clock: 1 January 2020, in nanoseconds since 1970.
const TIME_OF_DAY: u64 = 1_577_836_800_000_000_000;

/// The memory of a guest, in bytes. Enough that the limits of Linux 6.12 for TCP buffers are those of an ordinary host (4 and 6 MB). Only what is used takes memory of the host.
pub const MEMORY: u64 = 1 << 30;

/// The arguments of the kernel. Its working folder is the shared one, in which `program` is its first process.
pub(super) fn arguments(program: &str, words: &[String]) -> Vec<String> {
    let mut arguments: Vec<String> = [
        &format!("mem={}G", MEMORY >> 30),
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        // Faster where the kernel has it (6.16), and ignored elsewhere.
        "seccomp=on",
        "time-travel=inf-cpu",
        &format!("time-travel-start={TIME_OF_DAY}"),
        // No terminal and no control socket: they work by interrupts of the host.
        "con=null",
        // The log of the kernel, which is a file.
        "con0=null,fd:1",
        "console=tty0",
        "ssl=null",
        "ssl0=null",
        "umid=guest",
        &format!("uml_dir={ON_HOST}/uml/"),
        "quiet",
        "panic=-1",
        "random.trust_cpu=off",
        "random.trust_bootloader=off",
        &format!("init={ON_HOST}/{program}"),
        "--",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.extend_from_slice(words);
    arguments
}
