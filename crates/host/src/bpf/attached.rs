//! How many programs are attached somewhere.

use nix::net::if_::if_nametoindex;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `BPF_PROG_QUERY`, and the kinds `BPF_CGROUP_SOCK_OPS` and `BPF_TCX_INGRESS`.
const QUERY: libc::c_long = 16;
const SOCK_OPS: u32 = 3;
const TCX_INGRESS: u32 = 46;
/// Where the number is in the attributes, as words.
const COUNT: usize = 6;

/// Where programs may be attached.
#[derive(Clone, Copy, Debug)]
pub enum AttachedTo<'a> {
    /// To what TCP connections of a cgroup do (sock_ops); its folder.
    Cgroup(&'a File),
    /// To what arrives at an interface of the thread's network namespace (TCX); its name.
    Interface(&'a str),
}

/// How many programs are attached there, by whomever.
///
/// # Errors
/// When there is no such interface, or the kernel cannot tell (`EPERM`, `EINVAL` before Linux 6.6).
pub fn attached(to: AttachedTo<'_>) -> io::Result<usize> {
    // `union bpf_attr`: the target, the kind, four words that ask for no list, the number, and what is left of the newest form.
    let mut attributes = [0_u32; 16];
    [attributes[0], attributes[1]] = match to {
        AttachedTo::Cgroup(folder) => [folder.as_raw_fd().cast_unsigned(), SOCK_OPS],
        AttachedTo::Interface(name) => [if_nametoindex(name)?, TCX_INGRESS],
    };
    let size = size_of_val(&attributes);
    // SAFETY: the kernel reads and writes at most `size` bytes, all of them ours during the call, and no address is among them.
    let done = unsafe { libc::syscall(libc::SYS_bpf, QUERY, attributes.as_mut_ptr(), size) };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(attributes[COUNT] as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpf::{LINK_CREATE, LOOPBACK, Operation, Program, Register, classifier, make};
    use crate::namespace::Namespace;

    /// Of a namespace of its own: before, while one program is attached, and after that.
    fn counts() -> io::Result<[usize; 3]> {
        Namespace::new()?.within(|| {
            let count = || attached(AttachedTo::Interface("lo"));
            let before = count()?;
            let mut program = Program::new();
            program.with(Operation::Set, Register::R0, 0);
            program.exit();
            let program = classifier(program)?;
            let link = make(LINK_CREATE, &[program.as_raw_fd().cast_unsigned(), LOOPBACK, TCX_INGRESS, 0])?;
            let meanwhile = count()?;
            drop(link);
            // A child that another test is about to start has its descriptor until then.
            let mut after = count()?;
            for _ in 0..100 {
                if after == before {
                    break;
                }
                pause();
                after = count()?;
            }
            Ok([before, meanwhile, after])
        })
    }

    #[expect(clippy::disallowed_methods, reason = "waits for the kernel")]
    fn pause() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }

    #[test]
    fn a_program_counts_as_long_as_it_is_attached() {
        match counts() {
            Ok(counts) => assert_eq!(counts, [0, 1, 0]),
            Err(error) => seamline_testing::skip("a_program_counts_as_long_as_it_is_attached", error),
        }
    }

    #[test]
    fn an_interface_that_is_not_there_is_an_error() {
        let error = attached(AttachedTo::Interface("nowhere0")).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENODEV));
    }
}
