//! Prometheus text, metric by metric.

use crate::Line;
use seamline_wire::{Histogram, Instant};
use std::fmt::Write;

/// A metric with one name, and how to read its value.
#[derive(Clone, Copy, Debug)]
pub struct Metric<T> {
    /// Without the prefix, and without the `_total` of a counter.
    pub name: &'static str,
    kind: &'static str,
    suffix: &'static str,
    help: &'static str,
    /// Its value.
    pub of: fn(&T) -> u64,
}

/// A metric that only grows. Its name in the text ends in `_total`.
pub const fn counter<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Metric<T> {
    Metric { name, kind: "counter", suffix: "_total", help, of }
}

/// A metric with a current value.
pub const fn gauge<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Metric<T> {
    Metric { name, kind: "gauge", suffix: "", help, of }
}

/// Add all values to a line of the log.
pub fn with_all<T>(line: Line, metrics: &[Metric<T>], it: &T) -> Line {
    metrics.iter().fold(line, |line, metric| line.with(metric.name, (metric.of)(it)))
}

/// Labels as they follow a name; nothing for none.
pub fn labels(pairs: &[(&str, &str)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// What runs, and since when.
#[derive(Clone, Debug, Default)]
pub struct Process {
    labels: String,
    began: Instant,
}

impl Process {
    /// A process of this version of Seamline with further labels, which began at `wall`, the time since 1970.
    pub fn new(further: &[(&str, &str)], wall: Instant) -> Self {
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        Process { labels: labels(&[&version, further].concat()), began: wall }
    }
}

/// Text with the metrics of one live part, whose names all begin alike.
#[derive(Clone, Debug)]
pub struct Text {
    prefix: &'static str,
    out: String,
}

impl Text {
    /// Begin with the version and the start time of the process. The prefix ends in `_`.
    pub fn new(prefix: &'static str, process: &Process) -> Self {
        let mut text = Text { prefix, out: String::new() };
        text.begin("build_info", "gauge", "1, with the version and what runs as labels.");
        text.sample("build_info", &process.labels, 1);
        text.begin("start_time_seconds", "gauge", "When the process began, in seconds since 1970.");
        text.sample("start_time_seconds", "", process.began.as_secs_f64());
        text
    }

    /// Add metrics, each with a sample for each of these, after its [`labels`].
    pub fn add<T>(&mut self, metrics: &[Metric<T>], samples: &[(&str, &T)]) {
        for Metric { name, kind, suffix, help, of } in metrics {
            let name = &format!("{name}{suffix}");
            self.begin(name, kind, help);
            samples.iter().for_each(|(labels, it)| self.sample(name, labels, of(it)));
        }
    }

    /// Add a counter with a value for each of these sets of labels.
    pub fn counter(&mut self, name: &str, help: &str, samples: &[(&[(&str, &str)], u64)]) {
        let name = &format!("{name}_total");
        self.begin(name, "counter", help);
        samples.iter().for_each(|(pairs, value)| self.sample(name, &labels(pairs), value));
    }

    /// Add a histogram, in seconds, for each of these sets of labels.
    pub fn histogram(&mut self, name: &str, help: &str, samples: &[(&[(&str, &str)], &Histogram)]) {
        self.begin(name, "histogram", help);
        for (pairs, histogram) in samples {
            for (bound, count) in histogram.cumulative() {
                let bound = bound.map_or_else(|| "+Inf".to_owned(), |bound| bound.as_secs_f64().to_string());
                let pairs = [*pairs, &[("le", &bound)]].concat();
                self.sample(&format!("{name}_bucket"), &labels(&pairs), count);
            }
            self.sample(&format!("{name}_sum"), &labels(pairs), histogram.sum().as_secs_f64());
            self.sample(&format!("{name}_count"), &labels(pairs), histogram.count());
        }
    }

    /// All that was added.
    pub fn into_string(self) -> String {
        self.out
    }

    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        let name = format_args!("{}{name}", self.prefix);
        let _ = writeln!(self.out, "# HELP {name} {}\n# TYPE {name} {kind}", help.trim());
    }
    fn sample(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.out, "{}{name}{labels} {value}", self.prefix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::samples;
    use seamline_wire::Duration;

    #[test]
    fn a_histogram_has_cumulative_buckets_a_sum_and_a_count() {
        let mut histogram = Histogram::default();
        [2, 3, 700, 100_000].into_iter().for_each(|ms| histogram.observe(Duration::from_millis(ms)));
        let process = Process::new(&[("kind", "a\"b")], Instant::from_millis(1500));
        let mut text = Text::new("x_", &process);
        text.histogram("rtt_seconds", "Round trips.", &[(&[("side", "wired")], &histogram)]);
        text.counter("lost", "Lost.", &[(&[], 7)]);
        let text = text.into_string();
        let version = env!("CARGO_PKG_VERSION");
        for line in [
            &format!("x_build_info{{version=\"{version}\",kind=\"a\\\"b\"}} 1"),
            "x_start_time_seconds 1.5",
            "# TYPE x_rtt_seconds histogram",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"0.001\"} 0",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"0.0025\"} 1",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"0.005\"} 2",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"1\"} 3",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"60\"} 3",
            "x_rtt_seconds_bucket{side=\"wired\",le=\"+Inf\"} 4",
            "x_rtt_seconds_sum{side=\"wired\"} 100.705",
            "x_rtt_seconds_count{side=\"wired\"} 4",
            "x_lost_total 7",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in:\n{text}");
        }
        assert_eq!(samples(&text).unwrap().len(), 2 + 16 + 2 + 1);
    }
}
