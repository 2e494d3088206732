use super::*;
use crate::guest::processes::members;
use crate::guest::{Ended, GuestError};
use std::os::unix::fs::PermissionsExt;

/// Boot a script in place of a kernel. Like one, it leads a session.
fn boot(script: &str) -> (Running, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("linux");
    fs::write(&image, format!("#!/bin/sh\nexec setsid sh -c '{script}'\n")).unwrap();
    fs::set_permissions(&image, fs::Permissions::from_mode(0o755)).unwrap();
    let guest = Guest { image: &image, program: &image, words: Vec::new(), job: &[], processor: None };
    (guest.boot().unwrap(), folder)
}

#[test]
fn what_a_kernel_leaves_has_ended_when_its_status_is_known() {
    let (mut guest, _folder) = boot("sleep 1000 & sleep 1000 & echo last words; exit 3");
    let leader = guest.kernel.id();
    let ended = guest.wait(&mut |_| true);
    assert!(
        matches!(&ended, Err(GuestError::Died(status, log)) if status.code() == Some(3) && log == "last words"),
        "{ended:?}"
    );
    assert_eq!(members(leader), Vec::<u32>::new());
    assert!(guest.has_ended().unwrap());
}

#[test]
fn a_guest_that_is_given_up_ends_with_its_value() {
    let (mut guest, _folder) = boot("sleep 1000 & echo; wait");
    let leader = guest.kernel.id();
    let ended = guest.wait(&mut |_| members(leader).len() < 2).unwrap();
    assert_eq!(ended, Ended::Stopped);
    assert!(!guest.has_ended().unwrap());
    drop(guest);
    assert_eq!(members(leader), Vec::<u32>::new());
}
