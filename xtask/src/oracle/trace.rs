//! A packet-by-packet reference trace (family b): a comment line with the run's settings and totals,
//! a line of column names, and one row per event.

use super::chain::Chain;
use super::layout;
use super::setup::Setup;
use std::fmt;
use std::path::{Path, PathBuf};

/// What happened in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The sender took in a cumulative acknowledgment.
    Ack,
    /// The sender sent a packet for the first time.
    Send,
    /// The sender sent a packet again.
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

/// The sender's variables after everything at one instant; windows in packets, times in seconds. Not a
/// number where ns-2 had not reported a value yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variables {
    /// Congestion window.
    pub(super) cwnd: f64,
    /// Slow start threshold.
    pub(super) ssthresh: f64,
    /// Duplicate acknowledgments in a row.
    pub(super) dupacks: f64,
    /// Smoothed round-trip time.
    pub(super) srtt: f64,
    /// Round-trip time variation.
    pub(super) rttvar: f64,
    /// Back-off factor of the retransmission timeout.
    pub(super) backoff: f64,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// Seconds.
    pub(super) time: f64,
    /// What happened.
    pub(super) kind: Kind,
    /// Packet number; with a SYN, the SYN is packet 0.
    pub(super) seq: i64,
    /// The sender's variables.
    pub(super) variables: Variables,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variables { cwnd, ssthresh, dupacks, srtt, rttvar, backoff } = self.variables;
        let kind = self.kind.name();
        write!(
            f,
            "{:.6},{kind},{},{cwnd:.3},{ssthresh:.0},{dupacks:.0},{srtt:.3},{rttvar:.3},{backoff:.0}",
            self.time, self.seq
        )
    }
}

/// Totals at the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Packets acknowledged cumulatively, a SYN included.
    pub(super) acked: i64,
    /// Packets sent, with retransmissions.
    pub(super) sent: i64,
    /// Packets sent again.
    pub(super) rexmit: i64,
    /// Expirations of the retransmission timer.
    pub(super) timeouts: i64,
}

/// A reference trace.
#[derive(Debug)]
pub(super) struct Trace {
    /// Where it was read.
    pub(super) path: PathBuf,
    /// The run's settings.
    pub(super) setup: Setup,
    /// Its totals.
    pub(super) totals: Totals,
    /// Its rows, in order.
    pub(super) rows: Vec<Row>,
    /// Number of the line that holds the first row.
    pub(super) first_line: usize,
    /// Words of the comment line that no rule here knows.
    pub(super) not_understood: Vec<String>,
}

impl Trace {
    /// Read a trace.
    ///
    /// # Errors
    /// When the file cannot be read or is not in this form.
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
    for row in rows.iter_mut().take_while(|row| row.variables.srtt == 0.0) {
        row.variables.rttvar = f64::NAN;
    }
}

/// ` Reno droplist={14 28} acked=217 ... config: tick=0.01 ...`
fn settings(comment: &str) -> Result<(Setup, Totals, Vec<String>), String> {
    let mut setup = Setup { window: 28, dur: 6.0, ..Setup::common(Chain::ListedDrops) };
    let (mut totals, mut not_understood) = (Totals::default(), Vec::new());
    let (before, rest) = comment.split_once("droplist={").ok_or("no droplist")?;
    let (list, after) = rest.split_once('}').ok_or("droplist has no end")?;
    setup.set("variant", before.trim())?;
    setup.set("droplist", list)?;
    for word in after.split_whitespace() {
        let known = match word.split_once('=') {
            Some((name, value)) => match totals.field(name) {
                Some(field) => {
                    *field = value.parse().map_err(|_| format!("{word}: not a number"))?;
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

impl Totals {
    fn field(&mut self, name: &str) -> Option<&mut i64> {
        match name {
            "acked" => Some(&mut self.acked),
            "sent" => Some(&mut self.sent),
            "rexmit" => Some(&mut self.rexmit),
            "timeouts" => Some(&mut self.timeouts),
            _ => None,
        }
    }
    /// Names and values, as in the files.
    pub(super) fn named(&self) -> [(&'static str, i64); 4] {
        [("acked", self.acked), ("sent", self.sent), ("rexmit", self.rexmit), ("timeouts", self.timeouts)]
    }
}

/// At which place of a row each column stands.
struct Columns([usize; 9]);

impl Columns {
    fn find(names: &str) -> Result<Columns, String> {
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        let place = |wanted: &str| {
            names.iter().position(|name| *name == wanted).ok_or_else(|| format!("no column \"{wanted}\""))
        };
        let mut places = [0; 9];
        const WANTED: [&str; 9] =
            ["time", "event", "seq", "cwnd", "ssthresh", "dupacks", "srtt", "rttvar", "backoff"];
        for (found, wanted) in places.iter_mut().zip(WANTED) {
            *found = place(wanted)?;
        }
        Ok(Columns(places))
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
        Ok(Row {
            time: value(0)?,
            kind: kind.ok_or_else(|| format!("unknown event \"{event}\""))?,
            seq: value(2)? as i64,
            variables: Variables {
                cwnd: value(3)?,
                ssthresh: value(4)?,
                dupacks: value(5)?,
                srtt: value(6)?,
                rttvar: value(7)?,
                backoff: value(8)?,
            },
        })
    }
}
