//! Shell completions and manual pages, both generated from the definition of a command.

use crate::{Failure, Outcome, list_written, print};
use clap::Command;
use clap_complete::Shell;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct ManArguments {
    /// The directory for the pages, one for the command and one for each subcommand; /usr/local/share/man/man1 installs them
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Print the completions of a command for a shell.
///
/// # Errors
/// When standard output cannot be written to.
pub fn completions(arguments: &CompletionArguments, mut command: Command) -> Outcome {
    let (mut text, name) = (Vec::new(), command.get_name().to_owned());
    clap_complete::generate(arguments.shell, &mut command, name, &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Write the manual pages of a command and its subcommands.
///
/// # Errors
/// When a page cannot be written.
pub fn man(arguments: &ManArguments, mut command: Command) -> Outcome {
    // Gives subcommands the names of their pages.
    command.build();
    let source = format!("{} {}", command.get_name(), command.get_version().unwrap_or_default());
    let mut written = Vec::new();
    write_pages(&arguments.folder, &command, &source, &mut written)?;
    print(&format!("{}\nRead one: man {}\n", list_written(&written), written[0].display()))
}

/// The page of a command refers to those of its subcommands, so they are all written.
fn write_pages(folder: &Path, command: &Command, source: &str, written: &mut Vec<PathBuf>) -> Outcome {
    let page = clap_mangen::Man::new(command.clone()).source(source);
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    let saved = page
        .render(&mut text)
        .and_then(|()| fs::create_dir_all(folder))
        .and_then(|()| fs::write(&path, &text));
    saved.map_err(|error| Failure::Runtime(format!("cannot write {}: {error}", path.display())))?;
    written.push(path);
    command.get_subcommands().try_for_each(|subcommand| write_pages(folder, subcommand, source, written))
}
