//! The features found, as a table and as JSON.

use super::{Feature, Need};
use serde_json::{Value, json};
use std::fmt::Write;

/// Columns of the table.
const WIDTH: usize = 80;
/// Where the second column begins: behind `yes  ` and the longest name.
const INDENT: usize = 32;
/// Where remedies begin.
const REMEDY_INDENT: usize = 7;

/// A table of 80 columns, without colour: a section for each need of which there are features.
pub fn table(features: &[Feature]) -> String {
    let mut text = String::new();
    for (need, _, heading) in Need::ALL {
        let mut features = features.iter().filter(|feature| feature.need == need).peekable();
        if features.peek().is_some() {
            let _ = writeln!(text, "{heading}");
            features.for_each(|feature| entry(&mut text, feature));
            text.push('\n');
        }
    }
    text
}

/// An array with an object for each feature.
pub fn json(features: &[Feature]) -> Value {
    let remedy = |(host, remedy): &(&str, String)| json!({ "host": host, "remedy": remedy });
    let object = |feature: &Feature| {
        json!({
            "name": feature.name,
            "need": feature.need.name(),
            "purpose": feature.purpose,
            "available": feature.available,
            "found": feature.found,
            "remedies": feature.remedies.iter().map(remedy).collect::<Value>(),
        })
    };
    features.iter().map(object).collect()
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
    // Far to the left, so that most commands fit on one line and can be copied.
    for (host, remedy) in &feature.remedies {
        for line in wrapped(remedy, &format!("{host}: "), WIDTH - REMEDY_INDENT) {
            let _ = writeln!(text, "{:REMEDY_INDENT$}{line}", "");
        }
    }
}

/// Lines of at most `width` columns, unless a word is longer; all but the first are indented.
pub fn wrapped(text: &str, label: &str, width: usize) -> Vec<String> {
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
