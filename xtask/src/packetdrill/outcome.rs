//! What packetdrill says about a script, and why it failed, without the numbers: so that failures with one cause have one name.

use serde::{Deserialize, Serialize};

/// The result of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// Everything was as the script says.
    Passed,
    /// Something was not.
    Failed {
        /// Why, in words that other failures share.
        cause: String,
        /// The first line of the error.
        message: String,
    },
}

impl Outcome {
    /// From the exit code (`None`: it took too long), what was printed, and the script.
    pub(crate) fn of(code: Option<i32>, output: &str, source: &str) -> Outcome {
        let failed = |cause: &str| Outcome::Failed { cause: cause.to_owned(), message: cause.to_owned() };
        match code {
            Some(0) => Outcome::Passed,
            None => failed("it took too long"),
            Some(_) => {
                let message = output.lines().find(|line| is_error(line)).or_else(|| output.lines().last());
                let Some(message) = message else { return failed("it failed without a message") };
                Outcome::Failed { cause: cause(message, output, source), message: message.to_owned() }
            }
        }
    }
    /// Whether everything was as the script says.
    pub(crate) fn passed(&self) -> bool {
        *self == Outcome::Passed
    }
}

/// Packetdrill names the script and the line in its errors.
fn is_error(line: &str) -> bool {
    line.contains(".pkt:") || line.starts_with("error:") || line.contains("panicked")
}

/// A name for the reason, which failures for the same reason share.
fn cause(message: &str, output: &str, source: &str) -> String {
    let (line, text) = split(message);
    if text.contains("in Python code") || text.contains("error executing code") {
        return assertion(output);
    }
    if let Some(call) = text.strip_prefix("runtime error in ").and_then(|rest| rest.split(' ').next()) {
        return cause_in_call(call, text, source.lines().nth(line.saturating_sub(1)).unwrap_or_default());
    }
    without_numbers(text)
}

/// The line in the script, and the message without the place.
fn split(message: &str) -> (usize, &str) {
    let Some((_, rest)) = message.split_once(".pkt:") else { return (0, message) };
    match rest.split_once(": ") {
        Some((line, text)) => (line.parse().unwrap_or(0), text),
        None => (0, rest),
    }
}

/// What was asserted, by the name of the field of TCP_INFO.
fn assertion(output: &str) -> String {
    let words = output.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    match words.skip_while(|&word| word != "assert").find(|word| word.starts_with("tcp")) {
        Some(field) => format!("assertion about {field}"),
        None => "assertion".to_owned(),
    }
}

/// A system call, with the option or flags that make it special.
fn cause_in_call(call: &str, text: &str, line: &str) -> String {
    const SPECIAL: [&str; 6] = ["TCP_", "SO_", "MSG_", "IP_", "SIOC", "O_"];
    let words = line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let special = words.filter(|word| SPECIAL.iter().any(|prefix| word.starts_with(prefix)));
    let names: Vec<&str> = special.collect();
    let reason = text.split_once("call: ").map_or(text, |(_, reason)| reason);
    match names.is_empty() {
        true => format!("{call}: {}", without_numbers(reason)),
        false => format!("{call} {}: {}", names.join(" "), without_numbers(reason)),
    }
}

/// The text up to the first value, with `N` for each number.
fn without_numbers(text: &str) -> String {
    let text = text.split("; tolerance").next().unwrap_or_default();
    let text = text.split(" expected: ").next().unwrap_or_default();
    let mut result = String::new();
    for char in text.chars() {
        match char.is_ascii_digit() {
            true if result.ends_with('N') => {}
            true => result.push('N'),
            false => result.push(char),
        }
    }
    result.replace("N.N", "N").trim_end_matches([':', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause_of(output: &str, source: &str) -> String {
        match Outcome::of(Some(1), output, source) {
            Outcome::Failed { cause, .. } => cause,
            Outcome::Passed => "passed".to_owned(),
        }
    }

    #[test]
    fn a_script_passes_by_its_exit_code_alone() {
        assert_eq!(Outcome::of(Some(0), "a.pkt:3: warning", ""), Outcome::Passed);
        assert!(!Outcome::of(Some(1), "", "").passed());
        assert!(!Outcome::of(None, "", "").passed());
    }

    #[test]
    fn failures_at_other_times_have_one_cause() {
        let at = |time: &str| {
            format!(
                "a.pkt:9: error handling packet: timing error: expected outbound packet at {time} sec but happened at \
                 0.300000 sec; tolerance 0.004000 sec\nscript packet: ...\n"
            )
        };
        let cause =
            "error handling packet: timing error: expected outbound packet at N sec but happened at N sec";
        assert_eq!(cause_of(&at("0.210000"), ""), cause);
        assert_eq!(cause_of(&at("0.310000"), ""), cause);
    }

    #[test]
    fn the_values_of_a_field_do_not_count() {
        let output =
            "a.pkt:9: error handling packet: live packet field tcp_seq: expected: 1 (0x1) vs actual: 2 (0x2)";
        assert_eq!(cause_of(output, ""), "error handling packet: live packet field tcp_seq");
    }

    #[test]
    fn a_call_has_the_name_of_its_option() {
        let output = "a.pkt:2: runtime error in setsockopt call: Expected result 0 but got -1 with errno 92 (Protocol \
                      not available)";
        let source =
            "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 setsockopt(3, SOL_TCP, TCP_CORK, [1], 4) = 0\n";
        let cause = "setsockopt TCP_CORK: Expected result N but got -N with errno N (Protocol not available)";
        assert_eq!(cause_of(output, source), cause);
    }

    #[test]
    fn an_assertion_has_the_name_of_its_field() {
        let output = "a.pkt:31: error in Python code\nTraceback (most recent call last):\n  File \"/tmp/code_x\", line 9\n    \
                      assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd\nAssertionError: 7\n";
        assert_eq!(cause_of(output, ""), "assertion about tcpi_snd_cwnd");
    }
}
