//! What a comparison found, and how it is printed.

use std::fmt;

/// The first thing that did not match, with what surrounds it.
#[derive(Debug)]
pub(super) struct Finding {
    /// File, line and column.
    pub(super) place: String,
    pub(super) theirs: String,
    pub(super) ours: String,
    pub(super) context: Vec<String>,
}

/// One family's result.
#[derive(Debug, Default)]
pub(super) struct FamilyReport {
    /// Letter and subject.
    pub(super) title: &'static str,
    pub(super) matched: usize,
    pub(super) total: usize,
    /// Runs in which the rounding of ns-2's clock let a packet come before a timer of the same time.
    pub(super) decided_by_rounding: usize,
    pub(super) notes: Vec<String>,
    pub(super) mismatches: Vec<String>,
    pub(super) first_difference: Option<Finding>,
}

impl FamilyReport {
    /// A report about nothing yet.
    pub(super) fn new(title: &'static str) -> Self {
        FamilyReport { title, ..FamilyReport::default() }
    }
    pub(super) fn count(&mut self, matched: bool, finding: impl FnOnce() -> Finding) {
        self.total += 1;
        if matched {
            self.matched += 1;
            return;
        }
        let found = finding();
        self.mismatches.push(format!("{}: {}, ours {}", found.place, found.theirs, found.ours));
        self.first_difference.get_or_insert(found);
    }
    pub(super) fn passed(&self) -> bool {
        self.matched == self.total
    }
}

impl fmt::Display for FamilyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.title;
        let verdict = if self.passed() { "ok" } else { "MISMATCH" };
        writeln!(f, "{title:<34} {}/{} match  {verdict}", self.matched, self.total)?;
        if self.decided_by_rounding > 0 {
            let runs = self.decided_by_rounding;
            writeln!(
                f,
                "    {runs} with a packet before a timer of the same time, by the rounding of ns-2's clock"
            )?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "    {note}"))?;
        if let Some(found) = &self.first_difference {
            writeln!(f, "    first difference: {}", found.place)?;
            writeln!(f, "        theirs {}", found.theirs)?;
            writeln!(f, "        ours   {}", found.ours)?;
            found.context.iter().try_for_each(|line| writeln!(f, "        {line}"))?;
        }
        Ok(())
    }
}
