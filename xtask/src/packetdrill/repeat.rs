//! Repeating what the kernel passes: in virtual time a script has one outcome, so another one is a fault of the guest.

use super::outcome::Outcome;
use super::suites::Script;

/// What a script has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tally<'a> {
    name: &'a str,
    passed: usize,
    /// The message of the first failure.
    message: Option<&'a str>,
}

/// How often to repeat, and what decides on a script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repetition {
    /// Repetitions of each script.
    pub(crate) times: usize,
    /// How far an event may be from its time, in microseconds, whatever a script says.
    pub(crate) tolerance: u32,
}

/// Run all `scripts` once, then repeat those that passed; print the result. Whether each passed every time.
pub(crate) fn run(
    repetition: Repetition,
    scripts: Vec<Script>,
    run: impl Fn(&[Script]) -> Result<Vec<Outcome>, String>,
) -> Result<bool, String> {
    let count = scripts.len();
    let first = run(&scripts)?;
    let passing = scripts.into_iter().zip(&first).filter(|(_, outcome)| outcome.passed());
    let passing: Vec<Script> = passing.map(|(script, _)| script).collect();
    println!(
        "{} of {count} scripts pass within {} us; each runs {} times more",
        passing.len(),
        repetition.tolerance,
        repetition.times
    );
    // Each time all of them, so that a script does not always follow itself.
    let repeated: Vec<Script> = (0..repetition.times).flat_map(|_| passing.clone()).collect();
    let outcomes = run(&repeated)?;
    let names: Vec<String> = passing.iter().map(Script::full_name).collect();
    let flaky = flaky(&names, &outcomes, repetition.times);
    for script in &flaky {
        let message = script.message.unwrap_or_default();
        println!("{} passed {} of {} times: {message}", script.name, script.passed, repetition.times);
    }
    println!("packetdrill: {} of {} scripts pass every time", names.len() - flaky.len(), names.len());
    Ok(flaky.is_empty())
}

/// The scripts that did not pass every time, by the outcomes of all of them again and again.
fn flaky<'a>(names: &'a [String], outcomes: &'a [Outcome], times: usize) -> Vec<Tally<'a>> {
    let tally = |(place, name): (usize, &'a String)| {
        let own = || outcomes.iter().skip(place).step_by(names.len());
        let failures = own().filter_map(|outcome| match outcome {
            Outcome::Failed { message, .. } => Some(message.as_str()),
            _ => None,
        });
        let passed = own().filter(|outcome| outcome.passed()).count();
        Tally { name, passed, message: failures.into_iter().next() }
    };
    names.iter().enumerate().map(tally).filter(|tally| tally.passed < times).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_of_many_runs_is_found() {
        let failed = Outcome::Failed { cause: String::new(), message: "late".to_owned() };
        let names = ["steady".to_owned(), "flaky".to_owned()];
        let mut outcomes = vec![Outcome::Passed; 6];
        assert_eq!(flaky(&names, &outcomes, 3), []);
        outcomes[3] = failed;
        assert_eq!(flaky(&names, &outcomes, 3), [Tally { name: "flaky", passed: 2, message: Some("late") }]);
    }
}
