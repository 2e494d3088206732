//! `seamline kernel list`

use crate::Outcome;
use crate::format::FormatOption;
use crate::terminal::json;
use seamline_kernel::{Kernel, Origin, Store};
use seamline_report::export::table::Table;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    format: FormatOption,
}

pub(super) fn run(store: &Store, arguments: &Arguments) -> Outcome {
    let (kernels, unfinished) = (store.list(), store.unfinished());
    let document = serde_json::json!({ "kernels": kernels, "unfinished": unfinished });
    arguments.format.print(|| text(store, &kernels, &unfinished), || table(&kernels), || json(&document))
}

fn text(store: &Store, kernels: &[Kernel], unfinished: &[String]) -> String {
    let mut text: String = kernels.iter().map(entry).collect();
    if kernels.is_empty() {
        let missing = store.newest().err().map(|it| it.to_string()).unwrap_or_default();
        text = format!("{missing}\n");
    }
    if !unfinished.is_empty() {
        let names = unfinished.join(", ");
        text += &format!("Sources and objects are kept of {names} (seamline kernel remove NAME)\n");
    }
    text
}

/// A row for each kernel.
fn table(kernels: &[Kernel]) -> Table {
    let rows = || kernels.iter();
    Table::new("kernels")
        .text("kernel", rows().map(|it| it.name.clone()))
        .text("release", rows().map(|it| it.release.clone()))
        .whole("timer_hz", rows().map(|it| u64::from(it.hz)))
        .whole("size_bytes", rows().map(|it| it.size))
        .text("built", rows().map(|it| date(it.built)))
        .text("origin", rows().map(|it| origin(&it.origin)))
        .text("congestion_controls", rows().map(|it| it.congestion_controls.join(" ")))
        .text("image", rows().map(|it| it.image.display().to_string()))
}

fn entry(kernel: &Kernel) -> String {
    let names = file_names(&kernel.modules);
    let mut text = format!(
        "{}\n  Linux {}, {} Hz, {:.1} MB, built {} from {}\n  congestion controls: {}\n",
        kernel.name,
        kernel.release,
        kernel.hz,
        kernel.size as f64 / 1e6,
        date(kernel.built),
        origin(&kernel.origin),
        kernel.congestion_controls.join(" "),
    );
    if !names.is_empty() {
        text += &format!("  modules: {}\n", names.join(" "));
    }
    if !kernel.missing_options.is_empty() {
        text += &format!("  without: {}\n", kernel.missing_options.join(" "));
    }
    text + &format!("  {}\n", kernel.image.display())
}

/// The names of files without their folders.
pub(super) fn file_names(files: &[PathBuf]) -> Vec<String> {
    files.iter().filter_map(|it| Some(it.file_name()?.to_string_lossy().into_owned())).collect()
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Package { package, version, suite } => format!("{package} {version} ({suite})"),
        Origin::Tarball(path) | Origin::Tree(path) => path.display().to_string(),
    }
}

/// The date of a time in seconds since 1970, in UTC: 2024-02-29 12:30. By the algorithm of Howard Hinnant (days from civil).
fn date(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{of_month:02} {:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_767_225_599), "2025-12-31 23:59 UTC");
    }
}
