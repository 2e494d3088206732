use super::*;
use crate::record::{CONFIG, IMAGE, MODULES, Origin, Record};

fn complete(folder: &Path, release: &str, built: u64) {
    fs::create_dir_all(folder.join(MODULES)).unwrap();
    fs::write(folder.join(IMAGE), "image").unwrap();
    fs::write(folder.join(CONFIG), "CONFIG_HZ=1000\n").unwrap();
    fs::write(folder.join(MODULES).join("tcp_mine.ko"), "ko").unwrap();
    let record = Record {
        release: release.to_owned(),
        hz: 1000,
        origin: Origin::Tarball(PathBuf::from("/x.tar")),
        built,
        built_by: "1".to_owned(),
        congestion_controls: vec!["cubic".to_owned()],
        missing_options: Vec::new(),
        changes: Vec::new(),
    };
    fs::write(folder.join(RECORD), serde_json::to_vec(&record).unwrap()).unwrap();
}

#[test]
fn kernels_are_found_by_name_and_version_and_sorted_by_release() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    assert!(store.list().is_empty() && store.newest().is_err());
    complete(&folder.path().join("linux-6.12"), "6.12.117", 1);
    complete(&folder.path().join("linux-6.9"), "6.9.1", 2);
    let names = store.list().into_iter().map(|it| it.name).collect::<Vec<_>>();
    assert_eq!(names, ["linux-6.9", "linux-6.12"]);
    let found = store.find("6.12").unwrap();
    assert_eq!(found, store.find("linux-6.12").unwrap());
    assert_eq!(found, store.newest().unwrap());
    assert_eq!(found.modules, [folder.path().join("linux-6.12/modules/tcp_mine.ko")]);
    assert_eq!(found.size, 5 + 15 + 2);
}

#[test]
fn what_is_missing_names_the_command_that_builds_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let text = store.find("linux-6.12").unwrap_err().to_string();
    assert_eq!(text, "there is no kernel `linux-6.12`, nor any other\ntip: seamline kernel build 6.12");
    complete(&folder.path().join("linux-6.1"), "6.1.1", 1);
    let text = store.find("mine").unwrap_err().to_string();
    assert_eq!(
        text,
        "there is no kernel `mine`; there are linux-6.1\ntip: seamline kernel build mine --source DIR"
    );
    assert!(store.find("../linux-6.1").is_err());
}

#[test]
fn an_incomplete_kernel_does_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let work = store.work_folder("linux-6.12");
    fs::create_dir_all(&work).unwrap();
    fs::create_dir_all(folder.path().join("linux-6.1")).unwrap();
    fs::write(folder.path().join("linux-6.1/kernel.json"), "{").unwrap();
    assert!(store.list().is_empty());
    assert_eq!(store.unfinished(), ["linux-6.12"]);
    assert!(store.install(&work, "linux-6.12").is_err());
    assert!(store.find("6.12").is_err() && store.find("6.1").is_err());
}

#[test]
fn a_new_kernel_replaces_the_old_one_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for release in ["6.12.1", "6.12.2"] {
        let made = store.work_folder("linux-6.12").join("complete");
        complete(&made, release, 1);
        let installed = store.install(&made, "linux-6.12").unwrap();
        assert_eq!(installed.release, release);
        assert!(!made.exists());
    }
    assert_eq!(store.list().len(), 1);
}

#[test]
fn removing_takes_unfinished_ones_too_but_not_those_being_built() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    assert!(!store.remove("6.12").unwrap());
    complete(&folder.path().join("linux-6.12"), "6.12.1", 1);
    fs::create_dir_all(store.work_folder("linux-6.12")).unwrap();
    let lock = store.lock("linux-6.12").unwrap();
    let refused = store.remove("6.12").unwrap_err().to_string();
    assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    assert!(store.find("6.12").is_ok());
    drop(lock);
    assert!(store.remove("6.12").unwrap());
    assert!(store.find("6.12").is_err() && store.unfinished().is_empty());
    assert!(!store.remove("6.12").unwrap());
}

#[test]
fn the_environment_chooses_the_folder() {
    let of = |pairs: &[(&str, &str)]| {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        place(|name| pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.into()))
    };
    let home = ("HOME", "/home/ada");
    assert_eq!(of(&[home]), Some("/home/ada/.cache/seamline/kernels".into()));
    assert_eq!(of(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/seamline/kernels".into()));
    assert_eq!(of(&[home, ("XDG_CACHE_HOME", "relative")]), Some("/home/ada/.cache/seamline/kernels".into()));
    assert_eq!(of(&[home, ("SEAMLINE_KERNELS", "/k")]), Some("/k".into()));
    assert_eq!(of(&[]), None);
}
