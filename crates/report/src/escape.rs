//! Text inside of HTML, SVG and scripts.

use std::fmt;

/// Text for the content or a quoted attribute of HTML or XML. Characters that XML 1.0 forbids become
/// U+FFFD (XML 1.0 section 2.2).
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                letter if is_xml(letter) => f.write_char(letter)?,
                _ => f.write_char('\u{fffd}')?,
            }
        }
        Ok(())
    }
}

/// The production `Char` of XML 1.0, without controls.
fn is_xml(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        // XML allows these, but they are invisible and can change the order of other letters.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        letter => !letter.is_control(),
    }
}

/// JSON for the inside of a `<script>` element: `<` is written as an escape, so that nothing in it can end
/// the element or begin a comment (HTML section 4.12.1.3).
pub fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
