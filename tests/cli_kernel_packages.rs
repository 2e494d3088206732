//! `seamline kernel build` from the source packages of Ubuntu: a small archive with the layout of theirs, in a namespace in which this host is
//! Ubuntu. The package has a tree that "compiles" to a script.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{assert_contains, folder, program, skip, stderr, stdout};

const OS_RELEASE: &str = "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n";

/// What a build takes of a kernel's top Makefile: the version, a configuration and an image.
const MAKEFILE: &str = "VERSION = 6\nPATCHLEVEL = 8\nSUBLEVEL = 12\nEXTRAVERSION =\n\
    allnoconfig:\n\tcp $(KCONFIG_ALLCONFIG) $(O)/.config\n\
    linux:\n\tprintf '#!/bin/sh\\necho 6.8.12\\n' > $(O)/linux\n\tchmod +x $(O)/linux\n";

/// An archive, and what `/etc` says of it.
struct Archive {
    folder: tempfile::TempDir,
}

/// Who signs an archive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signed {
    No,
    /// With a key that the host has.
    ByKnownKey,
    ByUnknownKey,
}

impl Archive {
    /// Two suites, as of an installed Ubuntu: the release and its updates.
    fn new(signed: Signed) -> Self {
        let archive = Archive { folder: folder() };
        archive.write("etc/os-release", OS_RELEASE);
        let keyring = archive.at("known.gpg").display().to_string();
        archive.write(
            "etc/apt/sources.list.d/ubuntu.sources",
            &format!(
                "Types: deb\nURIs: file:{}\nSuites: noble noble-updates\nComponents: main\nSigned-By: {keyring}\n",
                archive.at("ubuntu").display()
            ),
        );
        for empty in ["apt.conf.d", "trusted.gpg.d", "preferences.d"] {
            fs::create_dir_all(archive.at("etc/apt").join(empty)).unwrap();
        }
        archive.key("known");
        archive.key("unknown");
        for (suite, version) in [("noble", "6.8.0-31.31"), ("noble-updates", "6.8.0-87.88")] {
            archive.suite(suite, version, signed);
        }
        archive
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A key pair in a folder of its own, and its public part as a keyring.
    fn key(&self, name: &str) {
        fs::create_dir_all(self.at(name)).unwrap();
        let identity = format!("{name}@example.org");
        let words = ["--passphrase", "", "--quick-generate-key", &identity, "ed25519", "sign", "never"];
        does(self.gpg(name).args(words));
        does(self.gpg(name).arg("--output").arg(self.at(&format!("{name}.gpg"))).arg("--export"));
    }

    fn gpg(&self, name: &str) -> Command {
        let mut gpg = Command::new("gpg");
        gpg.args(["--batch", "--quiet", "--no-permission-warning", "--homedir"]).arg(self.at(name));
        gpg
    }

    fn suite(&self, suite: &str, version: &str, signed: Signed) {
        let pool = format!("ubuntu/pool/linux-source-6.8.0_{version}_all.deb");
        self.package(version, &pool);
        let file = pool.strip_prefix("ubuntu/").unwrap();
        let packages = format!(
            "Package: linux-source-6.8.0\nVersion: {version}\nArchitecture: all\nMaintainer: nobody\nFilename: {file}\nSize: {}\nSHA256: {}\n\n",
            fs::metadata(self.at(&pool)).unwrap().len(),
            self.sha256(&pool)
        );
        let index = "main/binary-amd64/Packages";
        let place = format!("ubuntu/dists/{suite}");
        self.write(&format!("{place}/{index}"), &packages);
        let hash = self.sha256(&format!("{place}/{index}"));
        let release = format!(
            "Origin: Ubuntu\nSuite: {suite}\nCodename: noble\nDate: Thu, 01 Jan 2026 00:00:00 UTC\nArchitectures: amd64\nComponents: main\n\
             SHA256:\n {hash} {} {index}\n",
            packages.len()
        );
        self.write(&format!("{place}/Release"), &release);
        let key = match signed {
            Signed::No => return,
            Signed::ByKnownKey => "known",
            Signed::ByUnknownKey => "unknown",
        };
        let (release, signature) =
            (self.at(&format!("{place}/Release")), self.at(&format!("{place}/InRelease")));
        does(self.gpg(key).arg("--output").arg(signature).arg("--clearsign").arg(release));
    }

    /// A package with the files of Ubuntu's: the tarball is in a directory, next to others, with a link to it outside.
    fn package(&self, version: &str, to: &str) {
        let root = format!("package-{version}");
        let source = format!("{root}/usr/src/linux-source-6.8.0");
        self.write(
            &format!("{root}/DEBIAN/control"),
            &format!("Package: linux-source-6.8.0\nVersion: {version}\nArchitecture: all\nMaintainer: nobody\nDescription: x\n"),
        );
        self.write(&format!("{source}/debian.master/changelog"), "");
        let tree = format!("tree-{version}/linux-source-6.8.0");
        self.write(&format!("{tree}/Makefile"), MAKEFILE);
        self.write(&format!("{tree}/arch/um/Kconfig"), "config HZ\n\tint\n\tdefault 100\n");
        let tarball = self.at(&source).join("linux-source-6.8.0.tar.bz2");
        let trees = self.at(&format!("tree-{version}"));
        does(Command::new("tar").arg("-cjf").arg(tarball).arg("-C").arg(trees).arg("linux-source-6.8.0"));
        let link = self.at(&format!("{root}/usr/src/linux-source-6.8.0.tar.bz2"));
        symlink("linux-source-6.8.0/linux-source-6.8.0.tar.bz2", link).unwrap();
        fs::create_dir_all(self.at(to).parent().unwrap()).unwrap();
        let mut build = Command::new("dpkg-deb");
        does(build.args(["--root-owner-group", "--build"]).arg(self.at(&root)).arg(self.at(to)));
    }

    fn sha256(&self, file: &str) -> String {
        let output = does(Command::new("sha256sum").arg(self.at(file)));
        stdout(&output).split_whitespace().next().unwrap().to_owned()
    }

    /// Run `seamline kernel` on a host with this archive.
    fn kernel(&self, arguments: &[&str]) -> Output {
        let script = "mount --bind \"$1/os-release\" /etc/os-release && mount --bind \"$1/apt\" /etc/apt && shift && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]).arg(self.at("etc"));
        command.arg(program("seamline")).arg("kernel").args(arguments);
        command.env("SEAMLINE_KERNELS", self.at("kernels")).output().unwrap()
    }
}

/// Run a program that must succeed.
fn does(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    output
}

/// Whether the host has what the archive and a build take. If not, it prints why.
fn can_or_skip(test: &str) -> bool {
    let tools =
        ["gpg", "apt-get", "dpkg-deb", "tar", "bzip2", "unshare", "gcc", "make", "flex", "bison", "bc"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |tool: &&str| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if let Some(missing) = tools.iter().find(|tool| !is_there(tool)) {
        skip(test, format!("{missing} is not installed"));
        return false;
    }
    let own = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).status();
    let can = own.is_ok_and(|status| status.success()) && Path::new("/etc/os-release").exists();
    if !can {
        skip(test, "this host does not allow namespaces of users");
    }
    can
}

/// The build must have taken the newest package.
fn assert_built(archive: &Archive, output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(output), stderr(output));
    assert_contains(stdout(output), &["linux-6.8: Linux 6.8.12, 1000 Hz"]);
    let listed = archive.kernel(&["list"]);
    assert_contains(stdout(&listed), &["from linux-source-6.8.0 6.8.0-87.88 (noble-updates)"]);
}

#[test]
fn a_package_of_ubuntu_is_verified_and_built() {
    if !can_or_skip("a_package_of_ubuntu_is_verified_and_built") {
        return;
    }
    let archive = Archive::new(Signed::ByKnownKey);
    assert_built(&archive, &archive.kernel(&["build", "6.8"]));
    let other = archive.kernel(&["build", "6.11"]);
    assert_eq!(other.status.code(), Some(2));
    assert_contains(
        stderr(&other),
        &["no source package of Linux 6.11 in noble noble-updates; there are linux-source-6.8.0", "tip: "],
    );
}

#[test]
fn an_archive_that_no_key_verifies_takes_a_flag() {
    if !can_or_skip("an_archive_that_no_key_verifies_takes_a_flag") {
        return;
    }
    for signed in [Signed::No, Signed::ByUnknownKey] {
        let archive = Archive::new(signed);
        let refused = archive.kernel(&["build", "6.8"]);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(2), ""), "{}", stderr(&refused));
        assert_contains(
            stderr(&refused),
            &[
                "noble noble-updates cannot be verified and is not used",
                "no source package of Linux 6.8",
                "or --allow-unsigned, which trusts the mirror and the network",
            ],
        );
        assert_eq!(
            stdout(&archive.kernel(&["list"])),
            "there is no kernel yet\ntip: seamline kernel build 6.12\n"
        );
        assert_built(&archive, &archive.kernel(&["build", "6.8", "--allow-unsigned"]));
    }
}

/// A package that is not the one in the index is not used, even if the index is signed by a known key.
#[test]
fn a_package_that_was_replaced_is_refused() {
    if !can_or_skip("a_package_that_was_replaced_is_refused") {
        return;
    }
    let archive = Archive::new(Signed::ByKnownKey);
    let package = archive.at("ubuntu/pool/linux-source-6.8.0_6.8.0-87.88_all.deb");
    let mut bytes = fs::read(&package).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&package, bytes).unwrap();
    for flags in [&["build", "6.8"][..], &["build", "6.8", "--allow-unsigned"]] {
        let refused = archive.kernel(flags);
        assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
        assert_contains(stderr(&refused), &["apt-get cannot fetch linux-source-6.8.0=6.8.0-87.88", "ash"]);
    }
}
