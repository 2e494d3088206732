//! eBPF programs for the packets that come in at an interface (tc-bpf(8)). Unlike a TCX link, a classifier stays when the process ends that attached it.

use super::interfaces::change;
use super::{Requests, requests};
use crate::explained;
use netlink_sys::protocols::NETLINK_ROUTE;
use std::io;
use std::os::fd::BorrowedFd;

/// Attach a program to an interface of the thread's network namespace, in place of what has this preference there.
///
/// # Errors
/// When there is no such interface, the process may not, or the kernel has no clsact.
pub fn attach(index: u32, preference: u16, name: &str, program: BorrowedFd<'_>) -> io::Result<()> {
    let at = |error: io::Error| explained(error, format_args!("attaching the program {name}"));
    let requests = Requests::open(NETLINK_ROUTE).map_err(at)?;
    match change(&requests, requests::place_of_classifiers(index)) {
        // It is there, with classifiers of others.
        Err(error) if error.raw_os_error() != Some(libc::EEXIST) => return Err(at(error)),
        _ => {}
    }
    change(&requests, requests::classifier(index, preference, name, program)).map_err(at)
}

/// Remove what has this preference there; nothing happens if there is none, or the interface is gone.
///
/// # Errors
/// When the process may not.
pub fn detach(index: u32, preference: u16) -> io::Result<()> {
    let requests = Requests::open(NETLINK_ROUTE)?;
    match change(&requests, requests::no_classifier(index, preference)) {
        Err(error) if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENODEV | libc::EINVAL)) => {
            Err(error)
        }
        _ => Ok(()),
    }
}
