//! `seamline new cc NAME`

use crate::Outcome;
use crate::terminal::{Failure, print};
use seamline_scenario::schema::added::is_taken;
use std::fs;
use std::io;
use std::path::Path;

/// What can be written.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Kind {
    /// Write a crate that builds `seamline` with your congestion control added.
    Cc(Arguments),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of the congestion control, the crate and its directory
    name: String,
}

/// The checkout that this command was built from, if it is still there.
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// The files of a crate. In them NAME is its name, MODULE that name in Rust, and DEPENDENCY where to find this crate.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("templates/cc/manifest.toml")),
    ("README.md", include_str!("templates/cc/README.md")),
    ("NAME.toml", include_str!("templates/cc/scenario.toml")),
    ("src/lib.rs", include_str!("templates/cc/lib.rs")),
    ("src/main.rs", include_str!("templates/cc/main.rs")),
    (".gitignore", "/target\n"),
];

/// Names that Rust or Cargo keep for themselves, or that the crate depends on.
const RESERVED: &str = "abstract alloc as async await become box break build const continue core crate deps do dyn else enum \
    examples extern false final fn for gen if impl in incremental let loop macro match mod move mut override priv proc_macro pub \
    ref return seamline self static std struct super test trait true try type typeof unsafe unsized use virtual where while yield";

const LONGEST_NAME: usize = 64;

pub(crate) fn run(kind: &Kind) -> Outcome {
    let Kind::Cc(Arguments { name }) = kind;
    refuse(name)?;
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Input(format!(
            "{name} exists\ntip: choose another name, or another directory to work in"
        )),
        _ => cannot_write(folder, &error),
    })?;
    write(folder, name).inspect_err(|_| drop(fs::remove_dir_all(folder)))?;
    print(&format!("Written: {name}\nNext: cd {name} && cargo run --release -- run {name}.toml\n"))
}

fn refuse(name: &str) -> Outcome {
    let refused = |why: &str, tip: &str| Err(Failure::Input(format!("`{name}` {why}\ntip: {tip}")));
    let is_letter = |letter: char| letter.is_ascii_lowercase();
    let is_allowed = |letter: char| is_letter(letter) || letter.is_ascii_digit() || "-_".contains(letter);
    if !name.starts_with(is_letter) || !name.chars().all(is_allowed) || name.len() > LONGEST_NAME {
        let tip =
            format!("use a letter, then letters, digits, `-` and `_`: lower case, at most {LONGEST_NAME}");
        return refused("cannot be the name of a crate", &tip);
    }
    if RESERVED.split(' ').any(|word| word == module(name)) {
        return refused("is reserved by Rust or Cargo", "choose another name");
    }
    if is_taken(name) {
        let tip = "choose another name; seamline list variants shows those in use";
        return refused("is the name of a variant, a congestion control or a key of flows", tip);
    }
    Ok(())
}

/// The name of a crate in Rust.
fn module(name: &str) -> String {
    name.replace('-', "_")
}

fn write(folder: &Path, name: &str) -> Outcome {
    let checkout = Path::new(CHECKOUT);
    let is_there = checkout.join("crates/tcp/Cargo.toml").exists();
    let dependency = match is_there {
        true => format!("{{ path = {CHECKOUT:?} }}"),
        false => concat!("\"=", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
    };
    let fill = |text: &str| {
        text.replace("NAME", name).replace("MODULE", &module(name)).replace("DEPENDENCY", &dependency)
    };
    write_file(&folder.join("src"), |path| fs::create_dir(path))?;
    for (path, text) in FILES {
        write_file(&folder.join(fill(path)), |path| fs::write(path, fill(text)))?;
    }
    if is_there {
        // The versions of dependencies that the checkout is tested with.
        write_file(&folder.join("Cargo.lock"), |path| fs::copy(checkout.join("Cargo.lock"), path).map(drop))?;
    }
    Ok(())
}

fn write_file(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> Outcome {
    write(path).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Runtime(format!("cannot write {}: {error}", path.display()))
}
