//! What is left of a lab that was killed, and what the next one does about it.
#![cfg(target_os = "linux")]

mod support;

use seamline_lab::system::processes::processes_in;
use seamline_lab::system::{Command, Namespace, StateDirectory};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{self, Stdio};
use std::time::Duration;
use support::privileged_or_skip;

const GRACE: Duration = Duration::from_millis(300);
/// Set for the process that stands for a lab: where its state is.
const LAB: &str = "SEAMLINE_TEST_LAB";

fn shell(text: &str) -> Command {
    Command { arguments: ["sh", "-c", text].map(OsString::from).to_vec(), ..Command::default() }
}

/// A process that does not outlive the test, even if it fails.
struct Killed(process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn runs(id: u32) -> bool {
    fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|status| !status.contains(") Z "))
}

/// Not a test by itself: the lab of the next one, whose command leaves two processes behind, one without the lab's mark.
#[test]
fn a_lab_that_runs_until_it_is_killed() {
    let Some(folder) = std::env::var_os(LAB) else { return };
    let state = StateDirectory::at(Path::new(&folder)).unwrap();
    let namespace = Namespace::new().unwrap();
    let _file = state.register(&[&namespace]).unwrap();
    // Each tells its number only when its environment is final.
    let text = "setsid unshare -n sh -c 'echo MARKED $$; exec sleep 100 >/dev/null 2>&1' &
        env -u SEAMLINE_LAB setsid sh -c 'echo PLAIN $$; exec sleep 100 >/dev/null 2>&1' &
        exec sleep 100 >/dev/null 2>&1";
    let mut command = shell(text).start(&namespace).unwrap();
    println!("COMMAND {}", command.id());
    command.wait().unwrap();
}

#[test]
fn a_killed_lab_is_cleared_away_and_nothing_else() {
    if !privileged_or_skip("a_killed_lab_is_cleared_away_and_nothing_else") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let state = StateDirectory::at(&path).unwrap();
    let lab = process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_lab_that_runs_until_it_is_killed", "--nocapture"])
        .env(LAB, &path)
        .stdout(Stdio::piped())
        .spawn();
    let mut lab = Killed(lab.unwrap());
    let mut lines = BufReader::new(lab.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut ids = [0; 3];
    while ids.contains(&0) {
        let line = lines.next().expect("the lab tells its processes");
        for (id, name) in ids.iter_mut().zip(["MARKED ", "PLAIN ", "COMMAND "]) {
            if let Some((_, number)) = line.split_once(name) {
                *id = number.parse().unwrap();
            }
        }
    }
    let [marked, plain, command] = ids;

    assert_eq!(state.remove_leftovers(GRACE).unwrap(), [], "a lab that runs is left alone");
    assert!(runs(marked) && runs(plain) && runs(command) && files(&path) == 1);

    lab.0.kill().unwrap();
    lab.0.wait().unwrap();
    let left = state.remove_leftovers(GRACE).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].lab, lab.0.id());
    assert!(left[0].ended.contains(&marked), "{left:?}");
    assert_eq!(left[0].spared, [plain], "what does not bear the mark may be another's");
    assert!(!runs(marked) && !runs(command) && runs(plain));
    assert_eq!(files(&path), 0);
    assert_eq!(state.remove_leftovers(GRACE).unwrap(), []);
    process::Command::new("kill").args(["-9", &plain.to_string()]).status().unwrap();
}

#[test]
fn a_lab_that_ends_well_leaves_no_file() {
    if !privileged_or_skip("a_lab_that_ends_well_leaves_no_file") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let state = StateDirectory::at(&folder.path().join("state")).unwrap();
    let namespace = Namespace::new().unwrap();
    let file = state.register(&[&namespace]).unwrap();
    assert_eq!(files(state.path()), 1);
    let _command = shell("exec sleep 1000").start(&namespace).unwrap();
    assert_eq!(state.remove_leftovers(GRACE).unwrap(), []);
    assert_eq!(processes_in(&namespace).unwrap().len(), 1);
    drop(file);
    assert_eq!(files(state.path()), 0);
}

#[test]
fn several_labs_of_one_process_have_files_of_their_own() {
    if !privileged_or_skip("several_labs_of_one_process_have_files_of_their_own") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let state = StateDirectory::at(&folder.path().join("state")).unwrap();
    let namespace = Namespace::new().unwrap();
    let [one, other] = [(); 2].map(|()| state.register(&[&namespace]).unwrap());
    assert_eq!(files(state.path()), 2);
    drop(one);
    assert_eq!(files(state.path()), 1);
    drop(other);
    assert_eq!(files(state.path()), 0);
}

#[test]
fn a_number_that_another_process_has_now_is_no_living_lab() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDirectory::at(&folder.path().join("state")).unwrap();
    let own = process::id();
    let numbered_in = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    // A lab began at tick 1 with the number that this process has now.
    fs::write(
        state.path().join(format!("{own}-1-{numbered_in}.lab")),
        "boot of-another-time\nnamespace 4 4026531833\n",
    )
    .unwrap();
    fs::write(state.path().join(format!("{own}-2-{numbered_in}.part")), "boo").unwrap();
    fs::write(state.path().join("notes.txt"), "not ours").unwrap();
    assert_eq!(state.remove_leftovers(GRACE).unwrap(), []);
    assert_eq!(files(state.path()), 1, "the file of another kind stays");
}

#[test]
fn a_lab_in_another_pid_namespace_is_left_alone_until_the_machine_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDirectory::at(&folder.path().join("state")).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let file = state.path().join(format!("{}-1-7.lab", process::id()));
    fs::write(&file, format!("boot {boot}")).unwrap();
    assert_eq!(state.remove_leftovers(GRACE).unwrap(), []);
    assert!(file.exists(), "its process may run where its number means something");
    fs::write(&file, "boot of-another-time\n").unwrap();
    assert_eq!(state.remove_leftovers(GRACE).unwrap(), []);
    assert!(!file.exists());
}

#[test]
fn folders_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let state = StateDirectory::at(&path("good")).unwrap();
    assert_eq!(fs::metadata(state.path()).unwrap().mode() & 0o777, 0o700);
    StateDirectory::at(&path("good")).unwrap();

    symlink(path("good"), path("link")).unwrap();
    let refused = StateDirectory::at(&path("link")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotADirectory, "{refused}");
    fs::create_dir(path("open")).unwrap();
    fs::set_permissions(path("open"), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = StateDirectory::at(&path("open")).unwrap_err().to_string();
    assert!(refused.contains("chmod 700"), "{refused}");
    fs::write(path("file"), "").unwrap();
    StateDirectory::at(&path("file")).unwrap_err();
}
