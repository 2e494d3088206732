//! A packet-by-packet reference trace (family b): a comment line with the run's settings and totals,
//! a line of column names, and one row per event.

use super::layout;
use super::setup::{Chain, Setup};
use std::fmt;
use std::path::{Path, PathBuf};

/// What happened in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    const ALL: [(Kind, &'static str); 4] =
        [(Kind::Ack, "ack"), (Kind::Send, "send"), (Kind::Rexmit, "rexmit"), (Kind::Drop, "drop")];

    /// Its name in the files.
    pub(super) fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
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
        Trace::parse(path, &text).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn parse(path: &Path, text: &str) -> Result<Trace, String> {
        let mut lines = text.lines();
        let comment = lines.next().and_then(|line| line.strip_prefix('#')).ok_or("no comment line")?;
        let (setup, totals, not_understood) = settings(comment)?;
        let columns = Columns::find(lines.next().ok_or("no column names")?)?;
        const FIRST_LINE: usize = 3;
        let row =
            |(n, line): (usize, &str)| columns.row(line).map_err(|e| format!("line {}: {e}", n + FIRST_LINE));
        let mut rows: Vec<Row> =
            lines.enumerate().filter(|(_, line)| !line.is_empty()).map(row).collect::<Result<_, _>>()?;
        forget_initial_variation(&mut rows);
        let mut setup = setup;
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

/// The index of each column in a row of the file: time, event and sequence number, then the variables.
struct Columns(Vec<usize>);

impl Columns {
    fn find(names: &str) -> Result<Columns, String> {
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        let wanted = ["time", "event", "seq"].into_iter().chain(VARIABLES.map(|(name, _)| name));
        let index = |wanted: &str| {
            names.iter().position(|name| *name == wanted).ok_or_else(|| format!("no column \"{wanted}\""))
        };
        wanted.map(index).collect::<Result<_, _>>().map(Columns)
    }

    fn row(&self, line: &str) -> Result<Row, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let text = |n: usize| fields.get(self.0[n]).copied().ok_or_else(|| "too few columns".to_owned());
        let value = |n: usize| {
            let field = text(n)?;
            field.parse::<f64>().map_err(|_| format!("\"{field}\" is not a number"))
        };
        let event = text(1)?;
        let kind = Kind::ALL.iter().find(|(_, name)| *name == event).map(|(kind, _)| *kind);
        let mut variables = [f64::NAN; VARIABLES.len()];
        for (n, variable) in variables.iter_mut().enumerate() {
            *variable = value(3 + n)?;
        }
        Ok(Row {
            time: value(0)?,
            kind: kind.ok_or_else(|| format!("unknown event \"{event}\""))?,
            seq: value(2)? as i64,
            variables,
        })
    }
}
