//! Reads the text that live parts publish.

/// One value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// With its prefix and suffix.
    pub name: String,
    /// Names and values.
    pub labels: Vec<(String, String)>,
    /// The value; a whole number is exact up to 2^53.
    pub value: f64,
}

impl Sample {
    /// The value of a label.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The samples of a text, in order.
///
/// # Errors
/// The first line that is none of this format.
pub fn samples(text: &str) -> Result<Vec<Sample>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| sample(line).ok_or_else(|| format!("no sample of a metric: {line:?}"))).collect()
}

fn sample(line: &str) -> Option<Sample> {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let end = line.bytes().position(|byte| !is_of_name(byte)).filter(|end| *end > 0)?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        while !rest.starts_with('}') {
            let (name, behind) = rest.split_once("=\"")?;
            let (value, behind) = quoted(behind)?;
            labels.push((name.to_owned(), value));
            rest = behind.strip_prefix(',').unwrap_or(behind);
        }
        rest = &rest[1..];
    }
    let value = rest.strip_prefix(' ')?.parse().ok()?;
    Some(Sample { name: name.to_owned(), labels, value })
}

/// A value up to its closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    loop {
        match letters.next()? {
            (place, '"') => return Some((value, &text[place + 1..])),
            (_, '\\') => value.push(match letters.next()?.1 {
                'n' => '\n',
                other => other,
            }),
            (_, letter) => value.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::labels;

    #[test]
    fn labels_with_any_letters_are_read_as_they_were_written() {
        let given = [("interface", "a\"b\\c\n}, x"), ("side", "")];
        let text = format!("# HELP a_b A.\n# TYPE a_b gauge\na_b{} 2.5\n\na_c 1\n", labels(&given));
        let read = samples(&text).unwrap();
        assert_eq!((read.len(), read[0].value, read[1].name.as_str()), (2, 2.5, "a_c"));
        for (name, value) in given {
            assert_eq!(read[0].label(name), Some(value));
        }
        assert_eq!(read[0].label("le"), None);
    }

    #[test]
    fn what_is_no_sample_is_refused_with_its_line() {
        for wrong in ["<html>", "a_b", "a_b x", "a_b{x=\"1} 2", "a_b{x} 2", "{x=\"1\"} 2", "é 2"] {
            let error = samples(&format!("a_c 1\n{wrong}\n")).unwrap_err();
            assert!(error.contains(&format!("{wrong:?}")), "{error}");
        }
    }
}
