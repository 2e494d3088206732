//! Pieces of HTML.

use crate::escape::Text;
use std::fmt::{Display, Write};

/// The start of what holds a table: where it is too wide, keys can scroll it.
pub const TABLE: &str = "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">";

/// A table: the names of its columns, and its rows, which are already escaped. The first `left` columns hold text. A narrow screen
/// shows a block for each row, with the name of the column before each cell.
pub fn table(columns: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let mut html = format!("{TABLE}<table{}><thead><tr>", kind(columns.len(), left));
    let side = |place: usize| if place < left { " class=\"left\"" } else { "" };
    for (place, column) in columns.iter().enumerate() {
        let _ = write!(html, "<th scope=\"col\"{}>{}</th>", side(place), Text(column));
    }
    html += "</tr></thead><tbody>\n";
    for row in rows {
        html += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let name = Text(columns.get(place).copied().unwrap_or_default());
            let _ = write!(html, "<td{} data-name=\"{name}\">{cell}</td>", side(place));
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

/// Cells of text are aligned to the top of their rows; tables with many columns are dense.
fn kind(columns: usize, left: usize) -> &'static str {
    match (columns > 8, left > 2) {
        (true, _) => " class=\"dense\"",
        (false, true) => " class=\"wordy\"",
        (false, false) => "",
    }
}

/// A part of the page that is folded at first.
pub fn folded(title: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n{content}</details>\n", Text(title))
}

/// Text in which no line ends between a number and its percent sign, nor within the name of an option.
pub fn words(text: &str) -> String {
    command(&text.replace(" %", "\u{a0}%"))
}

/// A command in which no line ends within the name of an option, where browsers allow it after each hyphen.
pub fn command(text: &str) -> String {
    let word = |word| match Text(word) {
        option if word.starts_with("--") => format!("<span class=\"whole\">{option}</span>"),
        word => word.to_string(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What a reader should know first; empty without warnings.
pub fn warnings(warnings: &[String]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let items: String = warnings.iter().map(|warning| format!("<li>{}</li>", words(warning))).collect();
    format!("<ul class=\"warnings\">{items}</ul>\n")
}

/// A card of the page.
pub fn section(name: &str, title: &str, content: impl Display) -> String {
    format!(
        "<section id=\"{name}\" aria-labelledby=\"{name}-title\"><h2 id=\"{name}-title\">{}</h2>\n{content}</section>\n",
        Text(title)
    )
}

/// A picture with its caption. A picture is well-formed already.
pub fn figure(svg: &str, caption: &str) -> String {
    format!(
        "<figure class=\"picture\" style=\"margin:0\">{svg}<figcaption>{}</figcaption></figure>\n",
        Text(caption)
    )
}

/// A whole page. `body` is everything between the header and the scripts.
pub fn page(title: &str, header: &str, body: &str, scripts: &str) -> String {
    let title = Text(title);
    let style = include_str!("../../assets/report.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"generator\" content=\"seamline\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header class=\"top\"><div>{header}</div>\
         <button type=\"button\" id=\"theme\" hidden>Dark</button></header>\n\
         <main>\n{body}</main>\n{scripts}</body>\n</html>\n"
    )
}
