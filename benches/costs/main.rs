//! How time and memory grow with what a user may make large: windows, caches, reports, schedules, grids.
//!
//! ```text
//! cargo bench --bench costs                        # all; an hour or less
//! cargo bench --bench costs -- snoop sack          # those whose name has one of these words
//! cargo bench --bench costs -- --svg costs.svg     # also as a picture
//! ```
//!
//! Prints a table in Markdown, and fails if time grows faster than n log n. Each command is run in a process of its own; a short one several times, of which the least counts.

#![expect(
    clippy::disallowed_methods,
    reason = "a measuring tool: its logarithms need not be the same on every machine"
)]

mod cases;
mod fixed;
mod measure;
mod picture;

use cases::{CASES, Case};
use measure::{AS_SEAMLINE, Cost, ONE, cost, exponent};
use seamline::Seamline;
use std::process::ExitCode;

/// A run that takes longer is measured once.
const LONG_S: f64 = 1.0;
/// What n log n looks like over the sizes measured, and what other programs add on a busy machine.
const MOST_EXPONENT: f64 = 1.2;
/// A run that takes less than this many times the shortest possible one says nothing.
const ABOVE_NOTHING: f64 = 3.0;

/// What was measured of a case: for each size the time per size, and the memory, both less those of an empty run.
pub(crate) struct Curve {
    pub(crate) case: &'static Case,
    pub(crate) seconds: Vec<(f64, f64)>,
    pub(crate) bytes: Vec<(f64, f64)>,
}

fn main() -> ExitCode {
    if std::env::var_os(AS_SEAMLINE).is_some() {
        return Seamline::new().congestion_control(&fixed::ALGORITHM, fixed::keys).main();
    }
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if arguments.first().is_some_and(|word| word == ONE) {
        measure::report(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    let svg =
        arguments.iter().position(|it| it == "--svg").map(|at| arguments.drain(at..).nth(1).expect("a file"));
    let wanted =
        |case: &&Case| arguments.is_empty() || arguments.iter().any(|word| case.name.contains(word.as_str()));
    let nothing = least(&|| cost(&["--version".to_owned()], &std::env::temp_dir()));
    println!(
        "| what grows | sizes | time at each size | memory at each size | exponent of time | of memory |"
    );
    println!("|---|---|---|---|---|---|");
    let curves: Vec<Curve> = CASES.iter().filter(wanted).map(|case| measured(case, nothing)).collect();
    if let Some(file) = svg {
        std::fs::write(file, picture::draw(&curves)).expect("the picture can be written");
    }
    let is_steep = |curve: &&Curve| exponent(&curve.seconds).is_some_and(|it| it > MOST_EXPONENT);
    let steep: Vec<&str> = curves.iter().filter(is_steep).map(|curve| curve.case.name).collect();
    if steep.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("faster than n log n: {}", steep.join("; "));
    ExitCode::FAILURE
}

fn measured(case: &'static Case, nothing: Cost) -> Curve {
    let mut curve = Curve { case, seconds: Vec::new(), bytes: Vec::new() };
    let mut cells = [Vec::new(), Vec::new(), Vec::new()];
    for &size in case.sizes {
        let it = least(&|| {
            let folder = tempfile::tempdir().expect("there is room for a folder");
            let arguments = (case.prepare)(size, folder.path());
            cost(&arguments, folder.path())
        });
        let x = size as f64;
        let share = 1.0 / (case.times)(size);
        if it.seconds > nothing.seconds * ABOVE_NOTHING {
            curve.seconds.push((x, (it.seconds - nothing.seconds) * share));
        }
        if it.bytes > nothing.bytes * 1.5 {
            curve.bytes.push((x, it.bytes - nothing.bytes));
        }
        cells[0].push(size.to_string());
        cells[1].push(time((it.seconds - nothing.seconds).max(0.0) * share));
        cells[2].push(format!("{:.0} MB", it.bytes / 1e6));
    }
    let shown = |points: &[(f64, f64)]| exponent(points).map_or("-".to_owned(), |it| format!("{it:.2}"));
    let [sizes, times, memory] = cells.map(|it| it.join(", "));
    println!(
        "| {} | {sizes} {} | {times} | {memory} | {} | {} |",
        case.name,
        case.unit,
        shown(&curve.seconds),
        shown(&curve.bytes)
    );
    curve
}

/// The least of several runs, or one long one.
fn least(run: &dyn Fn() -> Cost) -> Cost {
    let mut least = run();
    for _ in 0..2 {
        if least.seconds < LONG_S {
            let again = run();
            least = Cost { seconds: least.seconds.min(again.seconds), bytes: least.bytes.min(again.bytes) };
        }
    }
    least
}

fn time(seconds: f64) -> String {
    match seconds {
        it if it < 1e-3 => format!("{:.3} ms", it * 1e3),
        it if it < 1.0 => format!("{:.1} ms", it * 1e3),
        it => format!("{it:.1} s"),
    }
}
