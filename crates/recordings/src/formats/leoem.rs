//! Path logs of LeoEM (Cao and Zhang, INFOCOM 2023): where an end-to-end path over satellites runs in each
//! second, `second$[nodes]$count$[hop delays in s]$total in s`, or `second$NULL` when there is no path.

use crate::file::quoted;
use crate::{ImportError, Recording};
use seamline_net::schedule::{Fates, Handover, Handovers, Schedule, Steps};
use seamline_wire::{Duration, Instant};

const EXPECTED: &str = "second$[node ids]$count$[hop delays in s]$total in s, or second$NULL";

/// The latest second accepted: enough for times after 1970.
const LATEST_SECOND: u64 = u32::MAX as u64;

/// What a path log does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeoemOptions {
    /// How long an access handover interrupts the path. It is cut short where the next one begins.
    pub interruption: Duration,
    /// What becomes of packets at a handover.
    pub fates: Fates,
}

impl Default for LeoemOptions {
    /// The median interruption measured in 5G NSA low band (Hassan et al., ACM SIGCOMM 2022). Nothing is lost: packets in flight
    /// over the old satellite still land.
    fn default() -> Self {
        LeoemOptions { interruption: Duration::from_millis(50), fates: Fates::SEAMLESS }
    }
}

/// One second of a log.
struct Row {
    second: u64,
    path: Option<Path>,
}

struct Path {
    one_way_delay: Duration,
    /// The satellites that serve the two ground stations.
    access: (i64, i64),
}

/// Whether the first line has fields between dollar signs, after a number.
pub fn looks_like(recording: &Recording) -> bool {
    let first = recording.lines().next().and_then(|(_, text)| text.split_once('$'));
    first.is_some_and(|(second, _)| second.trim().parse::<u64>().is_ok())
}

/// Read a path log: its one-way delay, and a handover wherever the first or last satellite changes.
///
/// Time zero is the second of the first row. While there is no path, the link is down: a handover that
/// lasts until a path is back, and at least as long as any other.
///
/// # Errors
/// When a row does not have this form, seconds do not increase, or there is no path at all.
pub fn parse(recording: &Recording, options: LeoemOptions) -> Result<Schedule, ImportError> {
    let rows = rows(recording)?;
    let Some(start) = rows.first().map(|row| row.second) else { return Err(recording.empty(EXPECTED)) };
    let at = |row: &Row| Instant::from_secs(row.second - start);
    let mut delays: Vec<(Instant, Duration)> = Vec::new();
    let mut handovers: Vec<Handover> = Vec::new();
    let mut access = None;
    let mut missing_since = None;
    for row in &rows {
        let Some(path) = &row.path else {
            missing_since.get_or_insert(at(row));
            continue;
        };
        let moved = access.is_some_and(|access| access != path.access);
        if let Some(since) = missing_since.take() {
            let interruption = at(row).saturating_since(since).max(options.interruption);
            handovers.push(Handover { at: since, interruption, fates: options.fates });
        } else if moved {
            let interruption = options.interruption;
            handovers.push(Handover { at: at(row), interruption, fates: options.fates });
        }
        access = Some(path.access);
        delays.push((at(row), path.one_way_delay));
    }
    if let Some(since) = missing_since {
        let last = rows.last().map_or(since, |row| at(row) + Duration::from_secs(1));
        let interruption = last.saturating_since(since);
        handovers.push(Handover { at: since, interruption, fates: options.fates });
    }
    if delays.is_empty() {
        return Err(recording.empty(EXPECTED));
    }
    cut_short(&mut handovers);
    let schedule_error = |why| recording.no_schedule(why);
    Ok(Schedule {
        one_way_delay: Some(Steps::new(delays).map_err(schedule_error)?),
        handovers: Handovers::new(handovers).map_err(schedule_error)?,
        ..Schedule::default()
    })
}

/// A handover ends at the latest where the next one begins.
fn cut_short(handovers: &mut [Handover]) {
    for index in 1..handovers.len() {
        let next = handovers[index].at;
        let this = &mut handovers[index - 1];
        this.interruption = this.interruption.min(next.saturating_since(this.at));
    }
}

fn rows(recording: &Recording) -> Result<Vec<Row>, ImportError> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, text) in recording.lines() {
        let row = row(recording, line, text)?;
        if let Some(last) = rows.last().filter(|last| row.second <= last.second) {
            let found = format!("{} after {}", row.second, last.second);
            let help = "the file may be two logs in one; keep one of them";
            return Err(recording.at(line, Some("second"), found, "seconds that increase", help));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn row(recording: &Recording, line: u64, text: &str) -> Result<Row, ImportError> {
    let wrong = |field: &str, found: &str| {
        recording.at(line, Some(field), quoted(found), EXPECTED, "correct or remove the line")
    };
    let fields: Vec<&str> = text.splitn(6, '$').collect();
    let whole = fields[0].trim().parse().ok().filter(|second| *second <= LATEST_SECOND);
    let second: u64 = whole.ok_or_else(|| wrong("second", fields[0]))?;
    match fields[1..] {
        ["NULL"] => Ok(Row { second, path: None }),
        [nodes, _, _, total] => {
            let access = access(nodes).ok_or_else(|| wrong("node ids", nodes))?;
            let one_way_delay = recording.seconds(line, "total", total, 1.0)?;
            Ok(Row { second, path: Some(Path { one_way_delay, access }) })
        }
        _ => Err(recording.at(line, None, quoted(text), EXPECTED, "correct or remove the line")),
    }
}

/// The nodes next to the two ends.
fn access(nodes: &str) -> Option<(i64, i64)> {
    let inner = nodes.trim().strip_prefix('[')?.strip_suffix(']')?;
    let ids: Vec<&str> = inner.split(',').collect();
    let id = |text: &&str| text.trim().parse().ok();
    match ids[..] {
        [_, first, .., last, _] => Some((id(&first)?, id(&last)?)),
        [_, only, _] => Some((id(&only)?, id(&only)?)),
        _ => None,
    }
}
