//! The files for distribution agree with the documents and with each other.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Each unit of the Debian package, and the page that says how to copy it for installations from source.
const UNITS: [(&str, &str); 3] = [
    ("seamline-agent", "docs/how-to/agent.md"),
    ("seamline-split", "docs/how-to/agent-split.md"),
    ("seamline-mobile", "docs/how-to/mobile.md"),
];

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn packaged_units_are_those_of_the_documents() {
    for (name, page) in UNITS {
        let page = text(page);
        let source = format!("packaging/systemd/seamline-host.{name}.service");
        let copied = format!("{source} /etc/systemd/system/{name}.service\n");
        assert!(page.contains(&copied), "{name}: the page does not say how to copy it");
        let packaged = text(&source);
        for line in ["Type=notify\n", "User=seamline\n", "NoNewPrivileges=yes\n"] {
            assert!(packaged.contains(line), "{name}: {line}");
        }
        assert!(packaged.contains("ExecStart=/usr/bin/seamline-host "), "{name}");
        for file in packaged.lines().filter_map(|line| line.strip_prefix("EnvironmentFile=")) {
            let name = file.trim_start_matches("/etc/default/");
            let settings = text(&format!("packaging/systemd/{name}.default"));
            for variable in ["IN", "OUT", "OPTIONS"] {
                assert!(settings.lines().any(|line| line.starts_with(&format!("{variable}="))), "{file}");
                assert!(
                    packaged.contains(&format!("${{{variable}}}"))
                        || packaged.contains(&format!("${variable}"))
                );
            }
        }
    }
}

#[test]
fn workflows_call_scripts_that_exist() {
    let mut called = BTreeSet::new();
    for name in ["test", "release"] {
        let workflow = text(&format!(".github/workflows/{name}.yml"));
        let words = workflow.split_whitespace().collect::<Vec<_>>();
        let is_script = |word: &str| word.starts_with(".ci/") || word.starts_with("packaging/");
        called.extend(words.into_iter().filter(|word| is_script(word)).map(str::to_owned));
    }
    assert_eq!(called.iter().collect::<Vec<_>>(), [".ci/run", "packaging/collect.sh", "packaging/test.sh"]);
    for script in called {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&script);
        let mode =
            fs::metadata(&path).unwrap_or_else(|error| panic!("{script}: {error}")).permissions().mode();
        assert!(mode & 0o111 != 0, "{script} cannot be executed");
    }
}

#[test]
fn container_is_built_with_the_compiler_of_the_workspace() {
    let manifest = text("Cargo.toml");
    let compiler =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    for file in ["Containerfile", ".github/workflows/test.yml", ".github/workflows/release.yml"] {
        let file_text = text(file);
        let images: Vec<&str> = file_text.split("library/rust:").skip(1).collect();
        assert!(!images.is_empty(), "{file} names no image");
        assert!(images.iter().all(|image| image.starts_with(&format!("{compiler}-"))), "{file}");
    }
}
