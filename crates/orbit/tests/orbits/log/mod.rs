//! Reading the logs of LeoEM with their nodes, which a schedule leaves out.

use flate2::read::GzDecoder;
use seamline_testing::recording;
use std::io::Read;

/// A row of a log.
pub(crate) struct Logged {
    /// -1, the satellites by number, -2.
    pub(crate) nodes: Vec<i64>,
    /// The delay of each hop in seconds.
    pub(crate) delays: Vec<f64>,
}

/// The rows of a log, second by second; `None` for those without a path. Nothing when the log is not there.
pub(crate) fn logged(test: &str, name: &str) -> Option<Vec<Option<Logged>>> {
    let path = recording(test, &format!("leoem/Starlink_{name}_path.log.gz"))?;
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    Some(text.lines().map(row).collect())
}

fn row(line: &str) -> Option<Logged> {
    let fields: Vec<&str> = line.split('$').collect();
    let [_, nodes, _, delays, _] = fields[..] else { return None };
    let list =
        |field: &str| field.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect::<Vec<String>>();
    Some(Logged {
        nodes: list(nodes).iter().map(|node| node.parse().unwrap()).collect(),
        delays: list(delays).iter().map(|delay| delay.parse().unwrap()).collect(),
    })
}
