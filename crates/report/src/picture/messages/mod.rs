//! A handover, or a loss and its repair, as a message chart: nodes are columns, time runs downwards, and packets are arrows from node to node.

mod rows;

use super::Picture;
use super::frame::{Key, legend, legend_height, titled};
use super::style::{self, Mark};
use super::svg::{Anchor, FAINT, Svg, TEXT, px, width_of};
use super::topology::head;
use crate::messages::{HandoverMessages, Message, MessageKind};
use crate::series::RunSeries;
use rows::{Packets, Row, rows};

/// More rows are not drawn.
const MOST_ROWS: usize = 70;
/// From one row to the next; more where time passes in between.
const ROW: f64 = 22.0;
const SMALL: f64 = 11.0;
/// The room for the times.
const TIMES: f64 = 76.0;
const ABOVE: f64 = 92.0;
const MARGIN: f64 = 16.0;

/// All kinds, in the order of the legend, each with its name there.
const KINDS: [(MessageKind, &str); 6] = [
    (MessageKind::Data, "data"),
    (MessageKind::Retransmission, "data again"),
    (MessageKind::Acknowledgment, "acknowledgment (ACK)"),
    (MessageKind::Marked, "with a mark or flag"),
    (MessageKind::Signalling, "signalling"),
    (MessageKind::Advertisement, "advertisement"),
];

/// The message chart of a run's first handover, or of its first loss; nothing without one.
pub fn of_run(run: &RunSeries) -> Option<Picture> {
    let handover = run.messages.as_ref().filter(|handover| !handover.messages.is_empty())?;
    let name = format!("handover-messages-{}", run.cell + 1);
    let remark = if run.name.is_empty() { String::new() } else { format!("{}; ", run.name) };
    let remark = format!(
        "{remark}flow {}, seed {}\ntime runs downwards, not to scale; data is numbered by segments from 0",
        handover.flow, run.seed
    );
    let what = match &handover.link {
        Some(link) => format!("Handover of {link}"),
        None => "First loss".to_owned(),
    };
    let title = format!("{what} at {} s, message by message", px(handover.start_s));
    Some(chart(handover, name, &title, &remark))
}

/// The chart of a handover or a loss.
pub fn chart(handover: &HandoverMessages, name: String, title: &str, remark: &str) -> Picture {
    let mut rows = rows(handover);
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let chart = Chart::new(handover, rows);
    let mut caption = format!(
        "Follow {} from {}; a thick arrow stands for several packets.",
        handover.flow,
        match handover.link {
            Some(_) => "the shaded handover down to the first data behind it",
            None => "the first loss down to the last repair, which ends the shaded time",
        }
    );
    if left_out > 0 {
        caption += &format!(" {left_out} later rows are not drawn.");
    }
    Picture { svg: chart.draw(&name, title, remark), name, caption }
}

#[derive(Debug)]
struct Chart<'a> {
    handover: &'a HandoverMessages,
    rows: Vec<Row>,
    /// By row.
    heights: Vec<f64>,
    /// From column to column.
    spacing: f64,
}

impl<'a> Chart<'a> {
    fn new(handover: &'a HandoverMessages, rows: Vec<Row>) -> Self {
        let mut y = ABOVE + 26.0;
        let mut heights = Vec::with_capacity(rows.len());
        let mut before = rows.first().map_or(0.0, Row::at_s);
        for row in &rows {
            y += passed(row.at_s() - before);
            heights.push(y);
            (y, before) = (y + ROW, row.at_s());
        }
        let needed = rows.iter().map(|row| match row {
            Row::Note(note) => (width_of(&note.text, SMALL) + 24.0) / 1.4,
            Row::Packets(packets) => {
                let columns = packets.first.from.abs_diff(packets.first.to).max(1);
                (width_of(&packets.label(), SMALL) + 20.0) / columns as f64
            }
        });
        let spacing = needed.fold(130.0, f64::max).min(250.0);
        Chart { handover, rows, heights, spacing }
    }

    fn column(&self, node: usize) -> f64 {
        TIMES + MARGIN + 50.0 + self.spacing * node as f64
    }

    /// The height of a time: that of the first row then, or between rows in proportion.
    fn height(&self, at_s: f64) -> f64 {
        let next = self.rows.iter().position(|row| row.at_s() >= at_s);
        let place = |row: usize| (self.rows[row].at_s(), self.heights[row]);
        match next {
            Some(0) => self.heights[0],
            Some(next) if self.rows[next].at_s() > at_s => {
                let ((t0, y0), (t1, y1)) = (place(next - 1), place(next));
                y0 + (y1 - y0) * (at_s - t0) / (t1 - t0)
            }
            Some(next) => self.heights[next],
            None => self.rows.len().checked_sub(1).map_or(ABOVE, |last| {
                let (at, y) = place(last);
                y + ROW * 0.8 + passed(at_s - at)
            }),
        }
    }

    fn bottom(&self) -> f64 {
        let arrivals = self.rows.iter().filter_map(|row| match row {
            Row::Packets(packets) => packets.first.arrived_s.map(|at| self.height(at)),
            Row::Note(_) => None,
        });
        arrivals.chain(self.heights.iter().copied()).fold(ABOVE, f64::max) + 18.0
    }

    fn draw(&self, name: &str, title: &str, remark: &str) -> String {
        let (keys, names) = self.keys();
        let width = (self.column(self.handover.nodes.len() - 1) + 50.0 + MARGIN).max(480.0);
        let bottom = self.bottom();
        let height = bottom + legend_height(&names, width - 2.0 * MARGIN) + 22.0;
        let mut svg = titled(width, height, title, remark);
        self.draw_columns(&mut svg, bottom);
        for (row, y) in self.rows.iter().zip(&self.heights) {
            if let Row::Packets(packets) = row {
                self.draw_arrow(&mut svg, packets, *y);
            }
        }
        for (place, (row, y)) in self.rows.iter().zip(&self.heights).enumerate() {
            self.draw_time(&mut svg, place, *y);
            self.draw_text(&mut svg, row, *y);
        }
        legend(&mut svg, name, &keys, &names, (MARGIN, bottom + 10.0), width - 2.0 * MARGIN);
        svg.finish()
    }

    fn draw_columns(&self, svg: &mut Svg, bottom: f64) {
        let from = self.height(self.handover.start_s);
        let to = self.handover.end_s.map_or(bottom, |end_s| self.height(end_s).min(bottom));
        style::band(svg, (TIMES, from), (12.0, (to - from).max(3.0)));
        for (place, node) in self.handover.nodes.iter().enumerate() {
            let x = self.column(place);
            svg.line((x, ABOVE), (x, bottom), &format!("class=\"faint-line lifeline\" stroke=\"{FAINT}\""));
            let wide = (width_of(node, TEXT) * 1.1 + 16.0).max(44.0);
            let style = "class=\"ground axis node\" fill=\"#ffffff\" stroke=\"#1f2430\" stroke-width=\"1.4\"";
            svg.rect((x - wide / 2.0, ABOVE - 26.0), (wide, 26.0), style);
            svg.text((x, ABOVE - 9.0), Anchor::Middle, node, "class=\"label\" font-weight=\"bold\"");
        }
        svg.text((MARGIN, ABOVE - 9.0), Anchor::Start, "time (s)", "");
    }

    /// The time of a row, unless the row before it says the same.
    fn draw_time(&self, svg: &mut Svg, row: usize, y: f64) {
        let text = |row: usize| format!("{:.4}", self.rows[row].at_s());
        if row == 0 || text(row) != text(row - 1) {
            let style = format!("class=\"tick\" font-size=\"{SMALL}\"");
            svg.text((MARGIN, y + 4.0), Anchor::Start, &text(row), &style);
        }
    }

    fn draw_arrow(&self, svg: &mut Svg, packets: &Packets, y: f64) {
        let first = &packets.first;
        let (from, whole) = (self.column(first.from), self.column(first.to));
        let (to, below) = match first.arrived_s {
            Some(at) => (whole, self.height(at).max(y + 4.0)),
            // Above the text of the next row.
            None => (self.lost_at(first), y + 5.0),
        };
        let n = KINDS.iter().position(|(kind, _)| *kind == first.kind).unwrap_or(0);
        let wide = if packets.count > 1 { "3.2" } else { "1.6" };
        svg.line((from, y), (to, below), &style::stroke_of(n, "series message", wide));
        if first.arrived_s.is_some() {
            head(svg, (from, y), (to, below), n);
        } else {
            style::mark(svg, Mark::Lost, (to, below));
        }
    }

    /// Where an arrow ends that does not arrive: behind the last node that the packet passed.
    fn lost_at(&self, message: &Message) -> f64 {
        match message.lost_behind {
            None => {
                let from = self.column(message.from);
                from + (self.column(message.to) - from) * 0.55
            }
            Some(node) if message.to < message.from => self.column(node) - self.spacing * 0.55,
            Some(node) => self.column(node) + self.spacing * 0.55,
        }
    }

    /// Next to the start of an arrow, or to the line of a node.
    fn draw_text(&self, svg: &mut Svg, row: &Row, y: f64) {
        let (x, to_the_right, text, class) = match row {
            Row::Packets(packets) => {
                let first = &packets.first;
                (self.column(first.from), first.to > first.from, packets.label(), "message-label")
            }
            Row::Note(note) => {
                let x = self.column(note.node);
                svg.rect(
                    (x - 4.0, y - 4.0),
                    (8.0, 8.0),
                    "class=\"ground axis\" fill=\"#ffffff\" stroke=\"#1f2430\"",
                );
                let is_last = note.node + 1 == self.handover.nodes.len();
                (x, !is_last, note.text.to_string(), "note-label")
            }
        };
        let room = if to_the_right { svg.width() - x - 14.0 } else { x - TIMES - 26.0 };
        let size = SMALL.min(SMALL * room / width_of(&text, SMALL));
        let wide = width_of(&text, size);
        let (anchor, start, corner) = match to_the_right {
            true => (Anchor::Start, x + 9.0, x + 7.0),
            false => (Anchor::End, x - 9.0, x - 11.0 - wide),
        };
        let lift = if class == "note-label" { 4.0 } else { -3.0 };
        svg.rect((corner, y + lift - 10.0), (wide + 4.0, 13.0), "class=\"ground\" fill=\"#ffffff\"");
        let weight = if class == "note-label" { " font-style=\"italic\"" } else { "" };
        svg.text(
            (start, y + lift),
            anchor,
            &text,
            &format!("class=\"{class}\" font-size=\"{}\"{weight}", px(size)),
        );
    }

    fn keys(&self) -> (Vec<Key>, Vec<String>) {
        let packets = || {
            self.rows
                .iter()
                .filter_map(|row| if let Row::Packets(packets) = row { Some(packets) } else { None })
        };
        let mut keys = Vec::new();
        for (n, (kind, name)) in KINDS.iter().enumerate() {
            if packets().any(|packets| packets.first.kind == *kind) {
                keys.push((Key::Line(n, false), (*name).to_owned()));
            }
        }
        if packets().any(|packets| packets.first.arrived_s.is_none()) {
            keys.push((Key::Mark(Mark::Lost), "lost".to_owned()));
        }
        let band =
            if self.handover.link.is_some() { "handover" } else { "until all that was lost has arrived" };
        keys.push((Key::Band, band.to_owned()));
        keys.into_iter().unzip()
    }
}

/// How much lower a row is because of the time that has passed: more for more, but not in proportion.
fn passed(seconds: f64) -> f64 {
    (7.0 * libm::log10(1.0 + seconds.max(0.0) * 1e3)).min(30.0)
}
