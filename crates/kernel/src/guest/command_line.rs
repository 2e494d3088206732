//! The command line of a guest's kernel. It is the same for all guests but for the names of two folders of equal length.

use super::shared::SharedFolder;
use std::path::Path;

/// When guests begin, by their clock: 1 January 2020, in nanoseconds since 1970.
const TIME_OF_DAY: u64 = 1_577_836_800_000_000_000;

/// Enough that the kernel's limits for TCP buffers are those of an ordinary host (4 and 6 MB). Only what is used takes memory of the host.
const MEMORY: &str = "1G";

/// The arguments of the kernel. `program` is the first process, `modules` are loaded before it does anything.
pub(super) fn arguments(shared: &SharedFolder, program: &Path, words: &[String]) -> Vec<String> {
    let mut arguments: Vec<String> = [
        &format!("mem={MEMORY}"),
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
        &format!("uml_dir={}/", shared.own("uml").display()),
        "quiet",
        "panic=-1",
        "random.trust_cpu=off",
        "random.trust_bootloader=off",
        &format!("init={}", program.display()),
        "--",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.extend_from_slice(words);
    arguments
}
