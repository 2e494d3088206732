//! Metrics as a page of text.

use super::scrape::Scrape;
use seamline_wire::Instant;

/// What a line shows. Lines whose metric a part does not have are left out.
enum Row {
    /// A blank line, and the heads of the columns for what follows.
    Head(&'static str, Columns),
    Gauge(&'static str, &'static str),
    Counter(&'static str, &'static str),
    /// A gauge of bytes, and the gauge that limits it.
    Memory(&'static str, [&'static str; 2]),
    Times(&'static str, &'static str),
    /// Of each of this label's values: a gauge that is 0 or 1, and counters.
    Each(&'static str, &'static str, &'static [(&'static str, &'static str)]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    Numbers,
    Times,
}

use Row::{Counter, Each, Gauge, Head, Memory, Times};

const ROWS: &[Row] = &[
    Each(
        "interface",
        "interface_running",
        &[
            ("received", "interface_received_total"),
            ("sent", "interface_sent_total"),
            ("lost: receive queue full", "interface_overrun_total"),
            ("lost: send queue full or down", "interface_unsent_total"),
            ("lost: longer than the MTU", "interface_too_long_total"),
        ],
    ),
    Each("interface", "link_up", &[]),
    Head("connections", Columns::Numbers),
    Gauge("known now", "flows"),
    Gauge("known now", "connections"),
    Gauge("owed help", "waiting"),
    Gauge("frozen now", "freezing"),
    Gauge("split now", "split_open"),
    Counter("split", "split_begun_total"),
    Counter("passed unsplit: rate limit", "split_passed_total"),
    Counter("refused by servers", "split_refused_total"),
    Counter("reset", "split_reset_total"),
    Counter("became known", "flows_known_total"),
    Counter("forgotten: idle", "flows_expired_total"),
    Counter("forgotten: others needed the room", "flows_evicted_total"),
    Counter("segments without room", "flows_no_room_total"),
    Memory("packets kept", ["kept_bytes", "memory_bytes"]),
    Head("help", Columns::Numbers),
    Counter("retransmitted by the agent", "local_retransmissions_total"),
    Counter("acknowledgments suppressed", "suppressed_acknowledgments_total"),
    Counter("acknowledgments marked", "marked_acknowledgments_total"),
    Counter("bytes relayed to the wired side", "split_bytes_to_wired_total"),
    Counter("bytes relayed to the wireless side", "split_bytes_to_wireless_total"),
    Counter("connections repeated to", "repeated_total"),
    Counter("acknowledgments sent", "acknowledgments_total"),
    Counter("connections made to send again", "kicked_total"),
    Counter("freezes", "frozen_total"),
    Counter("failures", "failures_total"),
    Counter("timeouts of senders", "timeouts_total"),
    Counter("windows restored", "windows_restored_total"),
    Counter("windows taken back after losses", "windows_taken_back_total"),
    Counter("recoveries that kept the window", "recoveries_window_kept_total"),
    Head("losses and data", Columns::Numbers),
    Counter("data to wireless", "data_segments_total{direction=\"to_wireless\"}"),
    Counter("  lost on the wired side", "lost_segments_total{direction=\"to_wireless\",side=\"wired\"}"),
    Counter(
        "  lost on the wireless side",
        "lost_segments_total{direction=\"to_wireless\",side=\"wireless\"}",
    ),
    Counter("data to wired", "data_segments_total{direction=\"to_wired\"}"),
    Counter("  lost on the wireless side", "lost_segments_total{direction=\"to_wired\",side=\"wireless\"}"),
    Counter("  lost on the wired side", "lost_segments_total{direction=\"to_wired\",side=\"wired\"}"),
    Counter("segments to wireless", "split_segments_total{side=\"wireless\"}"),
    Counter("  sent again", "split_retransmitted_segments_total{side=\"wireless\"}"),
    Counter("segments to wired", "split_segments_total{side=\"wired\"}"),
    Counter("  sent again", "split_retransmitted_segments_total{side=\"wired\"}"),
    Head("forwarded without the agent", Columns::Numbers),
    Counter("nothing for it to do: by the kernel", "kernel_forwarded_total"),
    Counter("help switched off", "paused_frames_total"),
    Counter("overload", "overload_total"),
    Counter("times others had to forward", "bypasses_total"),
    Counter("frames that they forwarded", "bypassed_total"),
    Counter("times that the relay stalled", "split_bypasses_total"),
    Head("times", Columns::Times),
    Times("round trip, wired side", "rtt_seconds{side=\"wired\"}"),
    Times("round trip, wireless side", "rtt_seconds{side=\"wireless\"}"),
    Times("repair by the agent", "repair_seconds{direction=\"to_wireless\",by=\"agent\"}"),
    Times("repair by senders, to wireless", "repair_seconds{direction=\"to_wireless\",by=\"sender\"}"),
    Times("repair by senders, to wired", "repair_seconds{direction=\"to_wired\",by=\"sender\"}"),
    Times("stalls of data to wireless", "stall_seconds{direction=\"to_wireless\"}"),
    Times("stalls of data to wired", "stall_seconds{direction=\"to_wired\"}"),
    Times("outages of links", "outage_seconds"),
];

/// The page. `before` is an earlier look, and how many seconds ago that was: then there are rates, and times are those since.
pub(super) fn view(newest: &Scrape, before: Option<(&Scrape, f64)>, wall: Instant) -> String {
    let mut page =
        Page { newest, before, lines: vec![title(newest, wall), format!("state: {}", state(newest))] };
    let mut head = None;
    for row in ROWS {
        if let Head(name, columns) = row {
            head = Some((*name, *columns));
        } else {
            page.add(row, &mut head);
        }
    }
    page.lines.join("\n") + "\n"
}

fn title(it: &Scrape, wall: Instant) -> String {
    let what = match (it.about("agent"), it.about("in"), it.about("out")) {
        (Some(agent), Some(wired), Some(wireless)) => {
            format!("agent {agent}, {wired} (in) - {wireless} (out)")
        }
        _ => it.part.to_owned(),
    };
    let version = it.about("version").unwrap_or("unknown");
    let up = it.began().map_or(0.0, |began| (wall.as_secs_f64() - began).max(0.0));
    format!("{what}, version {version}, up {}", span(up))
}

/// What keeps it from helping now.
fn state(it: &Scrape) -> String {
    let is = |name: &str, value: f64| it.value(name) == Some(value);
    let mut troubles = Vec::new();
    for name in it.values_of_label("interface_running", "interface") {
        if is(&keyed("interface_running", name), 0.0) {
            troubles.push(format!("{name} is down"));
        }
    }
    if is("paused", 1.0) {
        troubles.push("help is switched off (agent resume)".to_owned());
    }
    if is("bypass", 1.0) {
        troubles.push("the guard forwards, nothing is helped".to_owned());
    }
    if is("split_bypass", 1.0) {
        troubles.push("the relay stalls, new connections are not split".to_owned());
    }
    if let Some((kept, limit)) = it.value("kept_bytes").zip(it.value("memory_bytes"))
        && kept > 0.9 * limit
    {
        troubles.push("the memory for packets is nearly full".to_owned());
    }
    let mode = if it.about("mode") == Some("dry-run") { "dry run, nothing is changed" } else { "helping" };
    if troubles.is_empty() { mode.to_owned() } else { troubles.join("; ") }
}

fn keyed(name: &str, interface: &str) -> String {
    name.to_owned() + &seamline_host::metrics::labels(&[("interface", interface)])
}

struct Page<'a> {
    newest: &'a Scrape,
    before: Option<(&'a Scrape, f64)>,
    lines: Vec<String>,
}

impl Page<'_> {
    fn add(&mut self, row: &Row, head: &mut Option<(&'static str, Columns)>) {
        let lines: Vec<String> = match row {
            Head(..) => Vec::new(),
            Gauge(label, key) => {
                self.newest.value(key).map(|now| line(label, &[number(now)])).into_iter().collect()
            }
            Counter(label, key) => self.counter(label, key).into_iter().collect(),
            Memory(label, [key, limit]) => self.memory(label, key, limit).into_iter().collect(),
            Times(label, key) => self.times(label, key).into_iter().collect(),
            Each(label, state, counters) => return self.each(label, state, counters),
        };
        if let Some((name, columns)) = head.take_if(|_| !lines.is_empty()) {
            self.head(name, columns);
        }
        self.lines.extend(lines);
    }

    fn head(&mut self, name: &str, columns: Columns) {
        let heads: &[&str] = match (columns, self.before) {
            (Columns::Numbers, Some(_)) => &["total", "per second"],
            (Columns::Numbers, None) => &["total"],
            (Columns::Times, _) => &["median", "95 %", "count"],
        };
        let when = match (columns, self.before) {
            (Columns::Times, Some((_, seconds))) => format!("{name} (last {})", span(seconds)),
            (Columns::Times, None) => format!("{name} (since the start)"),
            _ => name.to_owned(),
        };
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        self.lines.extend([String::new(), line_of(&when, &heads)]);
    }

    fn counter(&self, label: &str, key: &str) -> Option<String> {
        let now = self.newest.value(key)?;
        let rate = self.before.and_then(|(before, seconds)| Some((now - before.value(key)?) / seconds));
        let columns = [
            Some(number(now)),
            rate.map(|rate| if rate == 0.0 { "-".to_owned() } else { format!("{rate:.1}") }),
        ];
        Some(line(label, &columns.into_iter().flatten().collect::<Vec<_>>()))
    }

    fn memory(&self, label: &str, key: &str, limit: &str) -> Option<String> {
        let (kept, limit) = self.newest.value(key).zip(self.newest.value(limit))?;
        let mebi = |bytes: f64| format!("{:.1} MiB", bytes / f64::from(1 << 20));
        Some(line(&format!("{label}, of {}", mebi(limit)), &[mebi(kept)]))
    }

    fn times(&self, label: &str, key: &str) -> Option<String> {
        let all = self.newest.times(key)?;
        let recent = self.before.and_then(|(before, _)| Some(all.since(before.times(key)?)));
        let times = recent.as_ref().unwrap_or(all);
        let shown = |share| times.quantile(share).map_or_else(|| "-".to_owned(), short);
        Some(line(label, &[shown(0.5), shown(0.95), number(times.count())]))
    }

    fn each(&mut self, label: &'static str, state: &str, counters: &[(&'static str, &str)]) {
        for name in self.newest.values_of_label(state, label) {
            let is_up = self.newest.value(&keyed(state, name)) == Some(1.0);
            let title = format!("{label} {name}: {}", if is_up { "up" } else { "down" });
            if counters.is_empty() {
                self.lines.push(title);
                continue;
            }
            self.head(&title, Columns::Numbers);
            let lines: Vec<String> =
                counters.iter().filter_map(|(label, key)| self.counter(label, &keyed(key, name))).collect();
            self.lines.extend(lines);
        }
    }
}

fn line(label: &str, columns: &[String]) -> String {
    line_of(&format!("  {label}"), columns)
}

fn line_of(label: &str, columns: &[String]) -> String {
    let columns: String = columns.iter().map(|column| format!("{column:>12}")).collect();
    format!("{label:<40}{columns}")
}

/// With a comma between thousands.
fn number(value: f64) -> String {
    let digits = format!("{value:.0}");
    let first = (digits.len() + 2) % 3 + 1;
    let (head, tail) = digits.split_at(first.min(digits.len()));
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    std::iter::once(head.to_owned()).chain(groups).collect::<Vec<_>>().join(",")
}

/// A short time, from seconds.
fn short(seconds: f64) -> String {
    match seconds {
        long if long >= 10.0 => format!("{long:.0} s"),
        some if some >= 1.0 => format!("{some:.1} s"),
        little => format!("{:.1} ms", little * 1000.0),
    }
}

/// A long time, from seconds, in its two largest units.
fn span(seconds: f64) -> String {
    let all = seconds.round() as u64;
    let (days, hours, minutes) = (all / 86_400, all / 3600 % 24, all / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{all} s"),
        (0, 0, _) => format!("{minutes} min {} s", all % 60),
        (0, ..) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests;
