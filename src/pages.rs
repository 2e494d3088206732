//! `seamline completions SHELL` and `seamline man DIR`: both from the definition of the command itself.

use crate::Outcome;
use crate::terminal::{Failure, print};
use clap::CommandFactory;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;
use seamline_scenario::atomic::{self, WriteError};
use seamline_scenario::keys::key_paths;
use seamline_scenario::schema::description;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArguments {
    /// The folder for the pages, one for the command and one for each subcommand; /usr/local/share/man/man1 installs them
    folder: PathBuf,
}

pub(crate) fn completions(arguments: &CompletionArguments) -> Outcome {
    let mut text = Vec::new();
    let mut command = with_keys(crate::Cli::command());
    clap_complete::generate(arguments.shell, &mut command, "seamline", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// The command with the keys of scenario files as values of `--set`, for completion only: any text is accepted there.
fn with_keys(command: clap::Command) -> clap::Command {
    let has_set = command.get_arguments().any(|argument| argument.get_id() == "set");
    let command = command.mut_subcommands(with_keys);
    if !has_set {
        return command;
    }
    let paths = key_paths(&description()).into_iter();
    // The names must be static; the process ends soon.
    let values = paths.map(|(path, about)| PossibleValue::new(&*format!("{path}=").leak()).help(about));
    command.mut_arg("set", |argument| argument.value_parser(PossibleValuesParser::new(values)))
}

pub(crate) fn man(arguments: &ManArguments) -> Outcome {
    let mut command = crate::Cli::command();
    // Gives subcommands the names that their pages have.
    command.build();
    let mut written = Vec::new();
    pages(&arguments.folder, &command, &mut written)?;
    let lines: String = written.iter().map(|path| format!("  {}\n", path.display())).collect();
    print(&format!("Written:\n{lines}\nRead one: man {}\n", written[0].display()))
}

/// A command's page names those of its subcommands, so they are all written.
fn pages(folder: &Path, command: &clap::Command, written: &mut Vec<PathBuf>) -> Outcome {
    written.push(page(folder, command.clone())?);
    command.get_subcommands().try_for_each(|subcommand| pages(folder, subcommand, written))
}

fn page(folder: &Path, command: clap::Command) -> Result<PathBuf, Failure> {
    let source = concat!("seamline ", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command).source(source);
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|cause| WriteError { path: path.clone(), cause })?;
    Ok(atomic::write(&path, &text)?)
}
