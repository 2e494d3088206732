//! `seamline explain [CODE...]`

use crate::Outcome;
use crate::format::FormatOption;
use seamline_config::codes::{Code, Explanation, Place};
use seamline_report::export::table::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Error codes, e.g. SL009; without one, all codes are listed
    #[arg(value_name = "CODE")]
    codes: Vec<Code>,
    #[command(flatten)]
    format: FormatOption,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { codes, format } = arguments;
    if codes.is_empty() {
        let all: Vec<Code> = Code::all().collect();
        let lines = || all.iter().map(|code| format!("{code}  {}\n", code.explanation().title));
        let text = || format!("Errors of scenario files\n{}", lines().collect::<String>());
        return format.print_rows(text, || rows(&all));
    }
    let pages = || codes.iter().map(|code| page(*code)).collect::<Vec<_>>().join("\n");
    format.print_rows(pages, || rows(codes))
}

/// A row for each code.
fn rows(codes: &[Code]) -> Table {
    let column = |text: fn(&'static Explanation) -> &'static str| {
        codes.iter().map(move |code| text(code.explanation()).to_owned())
    };
    Table::new("errors")
        .text("code", codes.iter().map(Code::to_string))
        .text("title", column(|it| it.title))
        .text("meaning", column(|it| it.meaning))
        .text("place", column(|it| format_place(&it.place)))
        .text("rejected", column(|it| it.wrong))
        .text("instead", column(|it| it.right))
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
