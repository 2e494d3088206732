//! The time-sequence graph of a connection for xplot, with the drawing commands and colours of tcptrace (`tcptrace -S`):
//! white segments, red ones with an R that were sent before, the green line of acknowledgments with ticks for
//! duplicates, the yellow line of the window, purple blocks of selective acknowledgments.

use crate::series::{Acknowledgment, FlowSeries, SegmentSent, SelectiveBlock};
use std::fmt::Write;

const SEGMENT: &str = "white";
const RETRANSMISSION: &str = "red";
const ACKNOWLEDGED: &str = "green";
const WINDOW: &str = "yellow";
const SELECTIVE: &str = "purple";

/// A connection as an xplot file. Sequence numbers are positions: they begin at zero. `remark` ends the title.
pub fn xplot(flow: &FlowSeries, remark: &str) -> String {
    let mut text = format!("timeval double\ntitle\n{}", in_one_line(&flow.flow));
    if !remark.is_empty() {
        text += &format!(" ({})", in_one_line(remark));
    }
    text += " (time sequence graph)\nxlabel\ntime\nylabel\nsequence number\n";
    flow.segments.iter().for_each(|sent| segment(&mut text, sent));
    let pairs = flow.acknowledgments.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.for_each(|(before, now)| acknowledgment(&mut text, before, now));
    flow.selective.iter().for_each(|block| selective(&mut text, block));
    text + "go\n"
}

fn segment(text: &mut String, &SegmentSent { time_s, start, length, retransmission }: &SegmentSent) {
    let end = start + u64::from(length);
    let colour = if retransmission { RETRANSMISSION } else { SEGMENT };
    let at = seconds(time_s);
    let _ = write!(text, "{colour}\ndarrow {at} {start}\nuarrow {at} {end}\nline {at} {start} {at} {end}\n");
    if retransmission {
        let _ = write!(text, "{RETRANSMISSION}\natext {at} {end}\nR\n");
    }
}

/// Steps from the acknowledgment before to this one. What repeats the one before is a tick.
fn acknowledgment(text: &mut String, before: Acknowledgment, now: Acknowledgment) {
    step(text, (ACKNOWLEDGED, "dtick"), (before.time_s, before.position), (now.time_s, now.position));
    step(text, (WINDOW, "utick"), (before.time_s, before.window_edge), (now.time_s, now.window_edge));
}

fn step(text: &mut String, (colour, tick): (&str, &str), before: (f64, u64), now: (f64, u64)) {
    let (from, at) = (seconds(before.0), seconds(now.0));
    let _ = write!(text, "{colour}\nline {from} {0} {at} {0}\n", before.1);
    let _ = match before.1 == now.1 {
        true => writeln!(text, "{tick} {at} {}", now.1),
        false => writeln!(text, "line {at} {} {at} {}", before.1, now.1),
    };
}

fn selective(text: &mut String, &SelectiveBlock { time_s, start, end }: &SelectiveBlock) {
    let at = seconds(time_s);
    let _ = write!(
        text,
        "{SELECTIVE}\nline {at} {start} {at} {end}\nhtick {at} {start}\nhtick {at} {end}\natext {at} {end}\nS\n"
    );
}

/// xplot reads microseconds.
fn seconds(time_s: f64) -> String {
    format!("{time_s:.6}")
}

/// A title ends at the end of its line.
fn in_one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
