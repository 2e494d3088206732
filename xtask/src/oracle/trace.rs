//! A packet-by-packet reference trace (family b): a comment line with the run's settings and totals,
//! a line of column names, and one row per event.

use super::layout;
use super::setup::{Chain, Setup};
use crate::support::at;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// What happened in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The sender took in a cumulative acknowledgment.
    Ack,
    /// The sender sent a packet for the first time.
    Send,
    /// The sender retransmitted a packet.
    Rexmit,
    /// A packet was lost before the bottleneck's queue.
    Drop,
}

impl Kind {
    /// Its name in the files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Ack => "ack",
            Kind::Send => "send",
            Kind::Rexmit => "rexmit",
            Kind::Drop => "drop",
        }
    }
    /// Rows of one instant are ordered by this: acknowledgments come before what they cause, drops last.
    pub(super) fn rank(self) -> u8 {
        match self {
            Kind::Ack => 0,
            Kind::Send | Kind::Rexmit => 1,
            Kind::Drop => 2,
        }
    }
}

/// The sender's variables in the order of the files, with the decimals that ns-2 prints. Windows are in packets, times in seconds.
pub(super) const VARIABLES: [(&str, usize); 6] =
    [("cwnd", 3), ("ssthresh", 0), ("dupacks", 0), ("srtt", 3), ("rttvar", 3), ("backoff", 0)];
const SRTT: usize = 3;
const RTTVAR: usize = 4;

/// Their values after everything at one instant; not a number where ns-2 had not reported one yet.
pub(super) type Variables = [f64; VARIABLES.len()];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// Seconds.
    pub(super) time: f64,
    pub(super) kind: Kind,
    /// Packet number; with a SYN, the SYN is packet 0.
    pub(super) seq: i64,
    pub(super) variables: Variables,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6},{},{}", self.time, self.kind.name(), self.seq)?;
        let variables = self.variables.iter().zip(VARIABLES);
        variables.into_iter().try_for_each(|(value, (_, decimals))| write!(f, ",{value:.decimals$}"))
    }
}

/// Totals at the end of a run, in packets, by their names in the files: acknowledged cumulatively, a SYN included; sent, with
/// retransmissions; retransmitted. Then the expirations of the retransmission timer.
pub(super) type Totals = [(&'static str, i64); 4];

#[derive(Debug)]
pub(super) struct Trace {
    pub(super) path: PathBuf,
    pub(super) setup: Setup,
    pub(super) totals: Totals,
    pub(super) rows: Vec<Row>,
    /// Number of the line that holds the first row.
    pub(super) first_line: usize,
    /// Words of the comment line that no rule here knows.
    pub(super) not_understood: Vec<String>,
}

impl Trace {
    pub(super) fn read(path: &Path) -> Result<Trace, String> {
        let text = layout::read(path)?;
        Trace::parse(path, &text).map_err(at(path))
    }

    fn parse(path: &Path, text: &str) -> Result<Trace, String> {
        let (comment, table) = text.split_once('\n').ok_or("no column names")?;
        let (mut setup, totals, not_understood) =
            settings(comment.strip_prefix('#').ok_or("no comment line")?)?;
        const FIRST_LINE: usize = 3;
        let mut lines = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(table.as_bytes());
        let rows = lines.deserialize().map(|line| line.map(Line::into_row)).collect::<Result<_, _>>();
        let mut rows: Vec<Row> = rows.map_err(|e| e.to_string())?;
        forget_initial_variation(&mut rows);
        if let Some(last) = rows.last() {
            setup.dur = setup.dur.max(last.time.ceil());
        }
        Ok(Trace { path: path.to_owned(), setup, totals, rows, first_line: FIRST_LINE, not_understood })
    }
}

/// Before the first round-trip time sample ns-2's variation encodes the initial timeout, in ticks of
/// before the tick was set: nothing to compare.
fn forget_initial_variation(rows: &mut [Row]) {
    for row in rows.iter_mut().take_while(|row| row.variables[SRTT] == 0.0) {
        row.variables[RTTVAR] = f64::NAN;
    }
}

/// ` Reno droplist={14 28} acked=217 ... config: tick=0.01 ...`
fn settings(comment: &str) -> Result<(Setup, Totals, Vec<String>), String> {
    let mut setup = Setup { window: 28, dur: 6.0, ..Setup::common(Chain::ListedDrops) };
    let mut totals = ["acked", "sent", "rexmit", "timeouts"].map(|name| (name, 0));
    let mut not_understood = Vec::new();
    let (before, rest) = comment.split_once("droplist={").ok_or("no droplist")?;
    let (list, after) = rest.split_once('}').ok_or("droplist has no end")?;
    setup.set("variant", before.trim())?;
    setup.set("droplist", list)?;
    for word in after.split_whitespace() {
        let known = match word.split_once('=') {
            Some((name, value)) => match totals.iter_mut().find(|(known, _)| *known == name) {
                Some((_, total)) => {
                    *total = value.parse().map_err(|_| format!("{word}: not a number"))?;
                    true
                }
                None => setup.set(name, value)?,
            },
            None => word == "config:",
        };
        if !known {
            not_understood.push(word.to_owned());
        }
    }
    Ok((setup, totals, not_understood))
}

/// A row of the file.
#[derive(Debug, Deserialize)]
struct Line {
    time: f64,
    event: Kind,
    seq: f64,
    cwnd: f64,
    ssthresh: f64,
    dupacks: f64,
    srtt: f64,
    rttvar: f64,
    backoff: f64,
}

impl Line {
    fn into_row(self) -> Row {
        let Line { time, event, seq, cwnd, ssthresh, dupacks, srtt, rttvar, backoff } = self;
        Row {
            time,
            kind: event,
            seq: seq as i64,
            variables: [cwnd, ssthresh, dupacks, srtt, rttvar, backoff],
        }
    }
}
