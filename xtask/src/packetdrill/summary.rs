//! What a run prints: counts by category, causes of failures, and the line that says it all.

use super::outcome::Outcome;
use super::suites::Script;
use std::collections::BTreeMap;

/// Names of scripts printed with a cause; the others are in the list of expected failures.
const MOST_NAMES: usize = 3;

/// The scripts that ran, with the outcome of each, and the kernel's where it ran.
#[derive(Debug)]
pub(crate) struct Results {
    /// The scripts.
    pub(crate) scripts: Vec<Script>,
    /// Ours, in the same order.
    pub(crate) ours: Vec<Outcome>,
    /// The kernel's, in the same order.
    pub(crate) kernel: Option<Vec<Outcome>>,
}

/// The places of failures by cause, the most frequent first.
fn by_cause(outcomes: &[Outcome]) -> Vec<(&str, Vec<usize>)> {
    let mut causes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, outcome) in outcomes.iter().enumerate() {
        if let Outcome::Failed { cause, .. } = outcome {
            causes.entry(cause).or_default().push(place);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    causes
}

/// Scripts that passed, of those that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    total: usize,
    ours: usize,
    kernel: usize,
}

impl Results {
    /// Full name, and whether ours passed.
    pub(crate) fn passed(&self) -> Vec<(String, bool)> {
        self.scripts
            .iter()
            .zip(&self.ours)
            .map(|(script, ours)| (script.full_name(), ours.passed()))
            .collect()
    }

    fn count(&self, belongs: impl Fn(&Script) -> bool) -> Count {
        let mut count = Count::default();
        for (place, _) in self.scripts.iter().enumerate().filter(|(_, script)| belongs(script)) {
            count.total += 1;
            count.ours += usize::from(self.ours[place].passed());
            count.kernel += usize::from(self.kernel.as_ref().is_some_and(|kernel| kernel[place].passed()));
        }
        count
    }

    /// One line per suite and category.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("{:<42} {:>7} {:>7} {:>7}\n", "suite, category", "scripts", "ours", "kernel");
        let mut suites: Vec<&str> = self.scripts.iter().map(|script| script.suite).collect();
        suites.dedup();
        for suite in suites {
            text += &self.line(suite, self.count(|script| script.suite == suite));
            let own = self.scripts.iter().filter(|script| script.suite == suite);
            let mut categories: Vec<String> = own.map(Script::category).collect();
            categories.sort();
            categories.dedup();
            for category in categories {
                let count = self.count(|script| script.suite == suite && script.category() == category);
                text += &self.line(&format!("  {category}"), count);
            }
        }
        text
    }

    fn line(&self, name: &str, count: Count) -> String {
        let kernel = self.kernel.as_ref().map_or("-".to_owned(), |_| count.kernel.to_string());
        format!("{name:<42} {:>7} {:>7} {kernel:>7}\n", count.total, count.ours)
    }

    /// Our failures by cause, each with how many of them the kernel passes; then the kernel's.
    pub(crate) fn causes(&self) -> String {
        let mut text = "Failures of ours by cause:\n".to_owned();
        for (cause, places) in by_cause(&self.ours) {
            let passes =
                |kernel: &Vec<Outcome>| places.iter().filter(|&&place| kernel[place].passed()).count();
            let note = self.kernel.as_ref().map(|kernel| format!(" ({} pass on the kernel)", passes(kernel)));
            text += &self.cause(&format!("{cause}{}", note.unwrap_or_default()), &places);
        }
        if let Some(kernel) = &self.kernel {
            text += "\nFailures of the kernel by cause:\n";
            by_cause(kernel).iter().for_each(|(cause, places)| text += &self.cause(cause, places));
        }
        text
    }

    fn cause(&self, cause: &str, places: &[usize]) -> String {
        let names = places.iter().take(MOST_NAMES).map(|&place| self.scripts[place].full_name());
        let more = if places.len() > MOST_NAMES { ", ..." } else { "" };
        let names: Vec<String> = names.collect();
        format!("{:>5}  {cause}\n       {}{more}\n", places.len(), names.join(", "))
    }

    /// The last line of a run.
    pub(crate) fn last_line(&self) -> String {
        let count = self.count(|_| true);
        let kernel = match self.kernel {
            Some(_) => format!("kernel {} of {}", count.kernel, count.total),
            None => "kernel not run".to_owned(),
        };
        format!("packetdrill: ours {} of {}, {kernel}", count.ours, count.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn failed(cause: &str) -> Outcome {
        Outcome::Failed { cause: cause.to_owned(), message: String::new() }
    }

    fn results() -> Results {
        let script = |name: &str| Script {
            suite: "google",
            name: name.to_owned(),
            path: PathBuf::new(),
            profile: "linux",
        };
        Results {
            scripts: vec![script("close/a"), script("close/b"), script("sack/c")],
            ours: vec![Outcome::Passed, failed("rare"), failed("rare")],
            kernel: Some(vec![Outcome::Passed, Outcome::Passed, failed("other")]),
        }
    }

    #[test]
    fn the_last_line_counts_both_sides() {
        assert_eq!(results().last_line(), "packetdrill: ours 1 of 3, kernel 2 of 3");
        let alone = Results { kernel: None, ..results() };
        assert_eq!(alone.last_line(), "packetdrill: ours 1 of 3, kernel not run");
    }

    #[test]
    fn a_category_has_a_line_of_its_own() {
        let table = results().table();
        let words = |start: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.trim().starts_with(start)).unwrap_or_default();
            line.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words("google"), ["google", "3", "1", "2"]);
        assert_eq!(words("close"), ["close", "2", "1", "2"]);
        assert_eq!(words("sack"), ["sack", "1", "0", "0"]);
    }

    #[test]
    fn failures_with_one_cause_are_one_entry() {
        let causes = results().causes();
        assert!(causes.contains("    2  rare (1 pass on the kernel)\n"), "{causes}");
        assert!(
            causes.ends_with("Failures of the kernel by cause:\n    1  other\n       google/sack/c\n"),
            "{causes}"
        );
    }
}
