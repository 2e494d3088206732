//! The table as a page of documentation.

use crate::parity::Parity;
use crate::parity::columns::{self, LEGEND, named, tally};
use crate::parity::compare::{Pair, ScenarioParity};
use crate::parity::differences::Judged;
use std::fmt::Write;

const INTRODUCTION: &str = "# Parity: simulator, lab and kernel

The same scenario in three places: in the simulator; in the lab with our endpoints at both ends, whose segments pass as real packets
through the kernel of two network namespaces and our emulated link; and in the lab with the kernel's own TCP at both ends. The goal is a
difference of at most 5 %. What differs by more is marked, and explained below the tables.

Losses come from the same named random streams in all three places. In real time packets arrive in other orders and numbers, so runs of
one seed are alike in their conditions, not packet by packet.
";

/// Everything as Markdown, with pictures of these names.
pub fn markdown(parity: &Parity, pictures: &[String]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let _ = writeln!(
        page,
        "\nKernel {}, engine {}. This page is written by `{}`.\n\n{LEGEND}\n\n**{}**",
        parity.kernel,
        parity.engine,
        parity.reproduce,
        tally(&parity.differences, parity.comparisons())
    );
    for (place, scenario) in parity.scenarios.iter().enumerate() {
        table(&mut page, scenario);
        if let Some(picture) = pictures.get(place) {
            let caption = "Ratios with their 95 % intervals; the band is the goal of 5 %.";
            let _ = writeln!(page, "\n![{caption}]({picture})\n\n*{caption}*");
        }
    }
    explanations(&mut page, &parity.differences);
    page
}

fn table(page: &mut String, scenario: &ScenarioParity) {
    let _ = writeln!(page, "\n## {}\n\nScenario `{}`.", scenario.title, scenario.name);
    if scenario.repeated > 0 {
        let _ = writeln!(page, "{} runs were badly emulated and repeated.", scenario.repeated);
    }
    for left_out in &scenario.left_out {
        let _ = writeln!(page, "Left out: {left_out}.");
    }
    for cell in &scenario.cells {
        let _ = write!(page, "\n### {}\n\n{}", cell.name, columns::table(cell.rows.iter()).to_markdown());
    }
}

fn explanations(page: &mut String, judged: &Judged) {
    let _ = writeln!(page, "\n## Why they differ");
    for between in Pair::ALL {
        let _ = writeln!(page, "\n### {}\n", between.name());
        let mut any = false;
        for (place, known) in judged.known.iter().enumerate().filter(|(_, known)| known.between == between) {
            let rows: Vec<String> = judged.explained_by(place).map(named).collect();
            if !rows.is_empty() {
                let _ = writeln!(page, "- {} *Explains:* {}.", known.why.trim(), rows.join("; "));
                any = true;
            }
        }
        for row in judged.unexplained().filter(|row| row.between == between) {
            let _ = writeln!(page, "- **Unexplained:** {}.", named(row));
            any = true;
        }
        let undecided: Vec<String> =
            judged.undecided().filter(|row| row.between == between).map(named).collect();
        if !undecided.is_empty() {
            let _ = writeln!(page, "- Within the spread of the runs: {}.", undecided.join("; "));
            any = true;
        }
        if !any {
            let _ = writeln!(page, "Nothing differs by more than 5 %.");
        }
    }
    for place in &judged.stale {
        let _ = writeln!(
            page,
            "\n**Stale:** nothing is left of what this explained: {}",
            judged.known[*place].why
        );
    }
}
