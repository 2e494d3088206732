//! The crates that others can use: what they say of themselves, how many packages they bring, and which compiler they need.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const PUBLISHED: [&str; 4] = ["seamline-wire", "seamline-tcp", "seamline-net", "seamline-sim"];
const MOST_PACKAGES_OF_TCP: usize = 10;
/// The newest compiler that the published crates and their dependencies may need.
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

#[test]
fn published_crates_describe_themselves() {
    let packages = Packages::read();
    for name in PUBLISHED {
        let package = packages.named(name).1;
        for key in ["description", "license", "repository", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let many = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&many), "{name} has {many} {key}");
        }
        assert!(package["publish"].is_null(), "{name} may be published");
        for id in packages.closure(name) {
            let dependency = &packages.by_id[id];
            let own = dependency["source"].is_null();
            let dependency = dependency["name"].as_str().unwrap_or_default();
            assert!(!own || PUBLISHED.contains(&dependency), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn published_crates_build_with_an_older_compiler() {
    let packages = Packages::read();
    for name in PUBLISHED {
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
