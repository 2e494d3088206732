//! Lines that were run, of those that could.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Of a file, or of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) name: String,
    pub(super) covered: u64,
    pub(super) all: u64,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.covered as f64 / self.all as f64;
        write!(f, "{:>6} of {:>6} lines {share:>4.0} %", self.covered, self.all)
    }
}

/// From the summary that llvm-cov exports: the files below a folder, without tests.
pub(super) fn read(exported: &str, root: &Path) -> Result<Vec<Lines>, String> {
    let json: Value = serde_json::from_str(exported).map_err(|error| format!("llvm-cov: {error}"))?;
    let files = json["data"][0]["files"].as_array().ok_or("llvm-cov: no files")?;
    let lines = files.iter().filter_map(|file| {
        let name = Path::new(file["filename"].as_str()?).strip_prefix(root).ok()?.to_str()?;
        let count = |key: &str| file["summary"]["lines"][key].as_u64();
        let is_of_crate = name.starts_with("crates/") && name.contains("/src/");
        is_of_crate.then_some(Lines {
            name: name.to_owned(),
            covered: count("covered")?,
            all: count("count")?,
        })
    });
    Ok(lines.collect())
}

/// The sums, in the order of the crates' names.
pub(super) fn by_crate(files: &[Lines]) -> Vec<Lines> {
    let mut sums: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for Lines { name, covered, all } in files {
        let sum = sums.entry(name.split('/').nth(1).unwrap_or(name)).or_default();
        *sum = [sum[0] + covered, sum[1] + all];
    }
    let lines = |(name, [covered, all]): (&str, [u64; 2])| Lines { name: name.to_owned(), covered, all };
    sums.into_iter().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_crates_are_summed_and_others_are_left_out() {
        let file = |name: &str, covered: u64, all: u64| {
            let lines = serde_json::json!({ "count": all, "covered": covered, "percent": 0.0 });
            serde_json::json!({ "filename": name, "summary": { "lines": lines } })
        };
        let files = [
            file("/root/crates/wire/src/a.rs", 3, 10),
            file("/root/crates/wire/src/codec/b.rs", 2, 10),
            file("/root/crates/agent/src/c.rs", 0, 7),
            file("/root/crates/agent/tests/d.rs", 7, 7),
            file("/root/fuzz/targets/src/e.rs", 7, 7),
            file("/elsewhere/crates/wire/src/f.rs", 7, 7),
        ];
        let exported = serde_json::json!({ "data": [{ "files": files }] }).to_string();
        let lines = by_crate(&read(&exported, Path::new("/root")).unwrap());
        let shown: Vec<String> = lines.iter().map(|it| format!("{} {it}", it.name)).collect();
        assert_eq!(shown, ["agent      0 of      7 lines    0 %", "wire      5 of     20 lines   25 %"]);
    }

    #[test]
    fn what_is_no_summary_is_an_error() {
        assert!(read("{}", Path::new("/")).is_err() && read("text", Path::new("/")).is_err());
    }
}
