//! `seamline explain [CODE...]`

use crate::Outcome;
use crate::terminal::print;
use seamline_config::codes::{Code, Explanation, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Error codes, e.g. SL009; without one, all codes are listed
    #[arg(value_name = "CODE")]
    codes: Vec<Code>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.codes.is_empty() {
        let lines: String =
            Code::all().map(|code| format!("{code}  {}\n", code.explanation().title)).collect();
        return print(&format!("Errors of scenario files\n{lines}"));
    }
    let pages: Vec<String> = arguments.codes.iter().map(|code| page(*code)).collect();
    print(&pages.join("\n"))
}

fn page(code: Code) -> String {
    let Explanation { title, meaning, place, wrong, right } = code.explanation();
    let indented = |lines: &str| lines.lines().map(|line| format!("    {line}\n")).collect::<String>();
    format!(
        "{code}: {title}\n\n{meaning}\n\nRejected, {}:\n\n{}\nInstead:\n\n{}",
        format_place(place),
        indented(wrong),
        indented(right)
    )
}

pub(crate) fn format_place(place: &Place) -> &'static str {
    match place {
        Place::Top => "outside any table",
        Place::Link => "in a [[link]]",
        Place::Flow => "in a [[flow]]",
        Place::End => "at the end of the file",
        Place::Override => "after --set",
    }
}
