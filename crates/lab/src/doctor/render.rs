//! What was found, for people.

use super::{Feature, Need, can_run};
use std::fmt::Write;

/// Columns of a page.
const WIDTH: usize = 80;
/// Where the second column begins: behind `yes  ` and the longest name.
const INDENT: usize = 32;
/// Where remedies begin.
const REMEDY_INDENT: usize = 7;

/// A table of 80 columns, without colour.
pub fn table(features: &[Feature]) -> String {
    let mut text = String::new();
    for need in [Need::Required, Need::Recommended, Need::Mobile, Need::Sender, Need::Split, Need::Optional] {
        let _ = writeln!(text, "{need}");
        features.iter().filter(|feature| feature.need == need).for_each(|feature| entry(&mut text, feature));
        text.push('\n');
    }
    text + &verdict(features)
}

fn entry(text: &mut String, feature: &Feature) {
    let answer = if feature.available { "yes" } else { "NO" };
    let label = format!("  {answer:<3}  {}", feature.name);
    let mut lines = wrapped(feature.purpose, "for: ", WIDTH - INDENT);
    lines.extend(wrapped(&feature.found, "", WIDTH - INDENT));
    for (number, line) in lines.iter().enumerate() {
        let label = if number == 0 { label.as_str() } else { "" };
        let _ = writeln!(text, "{label:<INDENT$}{line}");
    }
    // Far to the left, so that commands to be copied stay on one line.
    for (host, remedy) in &feature.remedies {
        for line in wrapped(remedy, &format!("{host}: "), WIDTH - REMEDY_INDENT) {
            let _ = writeln!(text, "{:REMEDY_INDENT$}{line}", "");
        }
    }
}

/// Lines of this many columns; what does not fit continues indented. Words are never broken.
fn wrapped(text: &str, label: &str, width: usize) -> Vec<String> {
    let mut lines = vec![label.trim_end().to_owned()];
    for word in text.split_whitespace() {
        let full = lines.last().is_some_and(|line| line.len() + 1 + word.len() > width);
        match lines.last_mut() {
            Some(line) if !full || line.is_empty() => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines
}

fn verdict(features: &[Feature]) -> String {
    let missing = |need| {
        let missing = features.iter().filter(move |feature| feature.need == need && !feature.available);
        missing.map(|feature| feature.name).collect::<Vec<_>>().join(", ")
    };
    let (required, recommended) = (missing(Need::Required), missing(Need::Recommended));
    if !can_run(features) {
        return format!("The lab cannot run here. It lacks: {required}.\n");
    }
    if recommended.is_empty() {
        return "The lab can run here.\n".to_owned();
    }
    format!("The lab can run here, less well without: {recommended}.\n")
}
