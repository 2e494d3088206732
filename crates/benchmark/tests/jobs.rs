//! Many runs, by a command that stands in for the lab.
#![cfg(target_os = "linux")]

use seamline_benchmark::case::{Case, Job, Traffic};
use seamline_benchmark::jobs::run_all;
use seamline_benchmark::remedy;
use seamline_benchmark::run::{RunError, RunOptions};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Writes what the lab and the client of the load would, and fails in the second run.
const LAB: &str = r#"#!/bin/sh
case "$*" in *'seeds=[2]'*) echo 'no room for a lab' >&2; exit 1;; esac
mkdir events
echo 'time_s,element,event,connection,sequence,length_bytes,detail' > events/1.csv
echo '{"samples": [{"at_s": 0.1, "bytes": 1, "segments": 1}], "requests": [], "end_s": 12.0}' > timeline.json
echo '{"emulation": {"kernel": "6.18", "stacks": [], "priority": "", "packets": 1, "lateness_median_us": 1.0,
  "lateness_p99_us": 1.0, "lateness_max_us": 1.0, "lost_at_interfaces": 0, "payload_unknown": 0}}'
"#;

fn options(folder: &Path) -> RunOptions {
    let program = folder.join("lab");
    fs::write(&program, LAB).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    RunOptions { program, host_program: PathBuf::new(), cgroup: None, retries: 0 }
}

fn jobs(runs: u32) -> Vec<Job> {
    let remedy = remedy::find("cubic").unwrap();
    let traffic = Traffic::Bulk;
    let case = Case { remedy, outage_ms: 50, loses_acknowledgment: true, has_loss: false, traffic };
    (1..=runs).map(|run| Job { case, run }).collect()
}

#[test]
fn a_failed_run_is_reported_and_the_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    let (mut kept, mut failures) = (Vec::new(), Vec::new());
    let outcome =
        run_all(jobs(4), &options(folder.path()), NonZeroUsize::MIN, &AtomicBool::new(false), &mut |ended| {
            match ended {
                Ok(run) => kept.push(run.job.run),
                Err(why) => failures.push(why.to_owned()),
            }
            Ok(())
        });
    assert_eq!(kept, [1, 3, 4]);
    assert!(failures.len() == 1 && failures[0].contains("no room for a lab"), "{failures:?}");
    let Err(RunError::Failed(why)) = outcome else { panic!("{outcome:?}") };
    assert!(
        why.starts_with("runs that failed: 1; the first: ") && why.contains("no room for a lab"),
        "{why}"
    );
}

#[test]
fn nothing_is_kept_after_what_could_not_be() {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = 0;
    let outcome = run_all(
        jobs(8).into_iter().filter(|job| job.run != 2).collect(),
        &options(folder.path()),
        NonZeroUsize::new(3).unwrap(),
        &AtomicBool::new(false),
        &mut |_| {
            asked += 1;
            Err(io::Error::other("no space left"))
        },
    );
    assert_eq!(asked, 1);
    let Err(RunError::Failed(why)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, "no space left");
}
