//! What the published crates say of themselves and depend on; and of those that others build on, how many packages they bring and which
//! compiler they need.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The crates for use in other programs.
const LIBRARIES: [&str; 4] = ["seamline-wire", "seamline-tcp", "seamline-net", "seamline-sim"];
const MOST_PACKAGES_OF_TCP: usize = 10;
/// Never published: tests and chores of this repository.
const INTERNAL: [&str; 5] =
    ["seamline-fuzz-targets", "seamline-packetdrill", "seamline-py", "seamline-testing", "xtask"];
/// The newest compiler that the libraries and their dependencies may need.
const COMPILER: (u32, u32) = (1, 88);

/// The packages of the workspace and all they depend on, by package id, and who depends on whom outside of tests and builds.
struct Packages {
    by_id: BTreeMap<String, Value>,
    dependencies: BTreeMap<String, Vec<String>>,
}

impl Packages {
    fn read() -> Packages {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--offline", "--locked"])
            .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let list = |value: &Value| value.as_array().expect("a list").clone();
        let id = |value: &Value| value["id"].as_str().expect("an id").to_owned();
        let is_normal =
            |dependency: &Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let target = |dependency: &Value| dependency["pkg"].as_str().expect("an id").to_owned();
        let of = |node: &Value| list(&node["deps"]).iter().filter(|d| is_normal(d)).map(target).collect();
        Packages {
            by_id: list(&metadata["packages"]).into_iter().map(|package| (id(&package), package)).collect(),
            dependencies: list(&metadata["resolve"]["nodes"]).iter().map(|n| (id(n), of(n))).collect(),
        }
    }

    fn named(&self, name: &str) -> (&str, &Value) {
        let found = self.by_id.iter().find(|(_, package)| package["name"] == name);
        found.map(|(id, package)| (id.as_str(), package)).expect("a package of the workspace")
    }

    /// The packages of the workspace, by name.
    fn own(&self) -> BTreeMap<&str, &Value> {
        let own = self.by_id.values().filter(|package| package["source"].is_null());
        own.map(|package| (package["name"].as_str().expect("a name"), package)).collect()
    }

    /// The package itself and all that it depends on.
    fn closure(&self, name: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.named(name).0];
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(self.dependencies[id].iter().map(String::as_str));
            }
        }
        found
    }
}

fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|number| number.parse().expect("a number"));
    (numbers.next().expect("a major version"), numbers.next().unwrap_or(0))
}

/// Whether a package may be published: `publish = false` is an empty list of registries.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

#[test]
fn all_crates_but_the_internal_ones_are_published() {
    let packages = Packages::read();
    let own = packages.own();
    let internal: Vec<&str> = own.iter().filter(|(_, it)| !is_published(it)).map(|(name, _)| *name).collect();
    assert_eq!(internal, INTERNAL);
    assert!(own.len() > 20 && own.keys().all(|name| name.starts_with("seamline") || INTERNAL.contains(name)));
}

#[test]
fn published_crates_describe_themselves() {
    let packages = Packages::read();
    for (name, package) in packages.own().into_iter().filter(|(_, package)| is_published(package)) {
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let many = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&many), "{name} has {many} {key}");
        }
        // There is no address yet, and an invented one would be published for ever.
        for key in ["repository", "homepage", "documentation"] {
            assert!(package[key].is_null(), "{name} names a {key}");
        }
    }
}

#[test]
fn published_crates_need_published_crates_of_the_same_release_only() {
    let packages = Packages::read();
    let own = packages.own();
    let mut seen = 0;
    for (name, package) in own.iter().filter(|(_, package)| is_published(package)) {
        let same_release = format!("={}", package["version"].as_str().expect("a version"));
        for dependency in package["dependencies"].as_array().expect("a list") {
            let other = dependency["name"].as_str().expect("a name");
            let Some(target) = own.get(other) else { continue };
            seen += 1;
            if dependency["req"] == "*" {
                // A path without a version: left out of the published package, which only tests survive.
                assert_eq!(dependency["kind"], "dev", "{name} depends on {other} without a version");
            } else {
                assert_eq!(dependency["req"], same_release.as_str(), "{name} depends on {other}");
                assert!(is_published(target), "{name} depends on {other}, which is not published");
            }
        }
    }
    assert!(seen > 100, "only {seen} dependencies were found");
}

#[test]
fn libraries_build_with_an_older_compiler() {
    let packages = Packages::read();
    for name in LIBRARIES {
        assert_eq!(version(packages.named(name).1["rust_version"].as_str().unwrap_or("9")), COMPILER);
        for id in packages.closure(name) {
            let needed = packages.by_id[id]["rust_version"].as_str();
            assert!(needed.is_none_or(|needed| version(needed) <= COMPILER), "{id} needs {needed:?}");
        }
    }
}

#[test]
fn tcp_brings_few_packages() {
    let packages = Packages::read();
    let closure = packages.closure("seamline-tcp");
    assert!((2..=MOST_PACKAGES_OF_TCP).contains(&closure.len()), "{closure:#?}");
}
