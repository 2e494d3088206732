//! Scenario files.

use seamline_scenario::Plan;
use std::path::Path;

/// Longer files only have more of the same.
const LONGEST: usize = 16 << 10;

/// Any text is read, or refused with messages that can be shown.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.len() > LONGEST {
        return;
    }
    match Plan::new(Path::new("scenario.toml"), text.to_owned(), &[]) {
        Ok(plan) => assert!(!plan.cells.is_empty()),
        Err(errors) => {
            assert!(errors.count() > 0);
            assert!(!errors.render(false).is_empty() && !errors.list(true).is_empty());
        }
    }
}
