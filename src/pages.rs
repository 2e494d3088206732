//! `seamline completions SHELL` and `seamline man DIR`: both from the definition of the command itself.

use crate::Outcome;
use crate::terminal::{Failure, print};
use clap::CommandFactory;
use clap_complete::Shell;
use seamline_scenario::atomic::{self, WriteError};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArguments {
    /// The folder for the pages, one for the command and one for each subcommand
    folder: PathBuf,
}

pub(crate) fn completions(arguments: &CompletionArguments) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Cli::command(), "seamline", &mut text);
    print(&String::from_utf8_lossy(&text))
}

pub(crate) fn man(arguments: &ManArguments) -> Outcome {
    let mut command = crate::Cli::command();
    // Gives subcommands the names that their pages have.
    command.build();
    let mut written = vec![page(&arguments.folder, command.clone())?];
    for subcommand in command.get_subcommands() {
        written.push(page(&arguments.folder, subcommand.clone())?);
    }
    let lines: String = written.iter().map(|path| format!("  {}\n", path.display())).collect();
    print(&format!("Written:\n{lines}\nRead one: man {}\n", written[0].display()))
}

fn page(folder: &Path, command: clap::Command) -> Result<PathBuf, Failure> {
    let page = clap_mangen::Man::new(command);
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|cause| WriteError { path: path.clone(), cause })?;
    Ok(atomic::write(&path, &text)?)
}
