//! The metrics of a live part at one time.

use seamline_host::metrics::{Sample, labels, samples};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The parts, and what they have in front of the names of their metrics.
const PARTS: [(&str, &str); 3] =
    [("agent", "seamline_agent_"), ("mobile", "seamline_mobile_"), ("sender", "seamline_sender_")];

/// By name without prefix, and labels as in the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Scrape {
    pub(super) part: &'static str,
    values: BTreeMap<String, f64>,
    times: BTreeMap<String, Times>,
    about: Vec<(String, String)>,
    names: BTreeMap<String, Vec<(String, String)>>,
}

/// A histogram: upper bounds in seconds, and how many were at most that long.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times {
    buckets: Vec<(f64, f64)>,
    sum: f64,
}

impl Scrape {
    /// # Errors
    /// When the text is none of a live part.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut scrape = Scrape::default();
        for sample in samples(text)? {
            let found =
                PARTS.iter().find_map(|(part, prefix)| Some((part, sample.name.strip_prefix(prefix)?)));
            let Some((part, name)) = found else { continue };
            scrape.part = part;
            scrape.add(name, &sample);
        }
        if scrape.values.is_empty() {
            return Err("there are no metrics of a Seamline program".to_owned());
        }
        Ok(scrape)
    }

    fn add(&mut self, name: &str, sample: &Sample) {
        let pairs: Vec<(&str, &str)> =
            sample.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        if name == "build_info" {
            self.about.clone_from(&sample.labels);
        } else if let Some((name, bound)) = name.strip_suffix("_bucket").zip(sample.label("le")) {
            let others: Vec<(&str, &str)> = pairs.into_iter().filter(|(name, _)| *name != "le").collect();
            let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap_or(f64::INFINITY) };
            let key = format!("{name}{}", labels(&others));
            self.times.entry(key).or_default().buckets.push((bound, sample.value));
        } else if let Some(times) = name
            .strip_suffix("_sum")
            .and_then(|name| self.times.get_mut(&format!("{name}{}", labels(&pairs))))
        {
            times.sum = sample.value;
        } else if !name.ends_with("_count") {
            let key = format!("{name}{}", labels(&pairs));
            self.names.insert(key.clone(), sample.labels.clone());
            self.values.insert(key, sample.value);
        }
    }

    /// A counter or gauge.
    pub(super) fn value(&self, key: &str) -> Option<f64> {
        self.values.get(key).copied()
    }
    /// A histogram.
    pub(super) fn times(&self, key: &str) -> Option<&Times> {
        self.times.get(key)
    }
    /// A label of the process.
    pub(super) fn about(&self, name: &str) -> Option<&str> {
        self.about.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
    /// When the process began, in seconds since 1970.
    pub(super) fn began(&self) -> Option<f64> {
        self.value("start_time_seconds")
    }
    /// The values of a label of a metric, in the order of the text's keys.
    pub(super) fn values_of_label(&self, name: &str, label: &str) -> Vec<&str> {
        let of_name = self.names.iter().filter(|(key, _)| key.split('{').next() == Some(name));
        of_name
            .filter_map(|(_, labels)| labels.iter().find(|(own, _)| own == label))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// Everything, as one object.
    pub(super) fn json(&self) -> Value {
        let about: Map<String, Value> =
            self.about.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let times: Map<String, Value> = self
            .times
            .iter()
            .map(|(key, it)| {
                let quantile = |share| it.quantile(share);
                let value = json!({
                    "count": it.count(), "sum_s": it.sum, "median_s": quantile(0.5), "p95_s": quantile(0.95)
                });
                (key.clone(), value)
            })
            .collect();
        json!({ "about": about, "metrics": self.values, "times": times })
    }
}

impl Times {
    pub(super) fn count(&self) -> f64 {
        self.buckets.last().map_or(0.0, |(_, count)| *count)
    }
    /// What has come since an earlier look.
    pub(super) fn since(&self, before: &Times) -> Times {
        let grown = self.buckets.iter().zip(&before.buckets);
        let buckets = grown.map(|((bound, now), (_, then))| (*bound, now - then)).collect();
        Times { buckets, sum: self.sum - before.sum }
    }
    /// In seconds: so great a share was shorter, as Prometheus' `histogram_quantile` computes it. Times longer than the last bound count as that long.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = self.count() * share;
        if self.count() == 0.0 {
            return None;
        }
        let mut below = (0.0, 0.0);
        for &(bound, count) in &self.buckets {
            if count >= wanted {
                if bound.is_infinite() {
                    return Some(below.0);
                }
                let within = if count > below.1 { (wanted - below.1) / (count - below.1) } else { 1.0 };
                return Some(below.0 + (bound - below.0) * within);
            }
            below = (bound, count);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
seamline_agent_build_info{version=\"1.2.3\",agent=\"snoop\"} 1
seamline_agent_flows 7
seamline_agent_interface_running{interface=\"b0\"} 1
seamline_agent_interface_running{interface=\"b\\\"1\"} 0
seamline_agent_rtt_seconds_bucket{side=\"wired\",le=\"0.01\"} 10
seamline_agent_rtt_seconds_bucket{side=\"wired\",le=\"0.02\"} 30
seamline_agent_rtt_seconds_bucket{side=\"wired\",le=\"+Inf\"} 40
seamline_agent_rtt_seconds_sum{side=\"wired\"} 1.5
seamline_agent_rtt_seconds_count{side=\"wired\"} 40
";

    #[test]
    fn metrics_are_found_by_name_and_labels() {
        let scrape = Scrape::read(TEXT).unwrap();
        assert_eq!((scrape.value("flows"), scrape.about("agent")), (Some(7.0), Some("snoop")));
        assert_eq!(scrape.values_of_label("interface_running", "interface"), ["b0", "b\"1"]);
        let times = scrape.times("rtt_seconds{side=\"wired\"}").unwrap();
        assert_eq!(
            (times.count(), times.quantile(0.5), times.quantile(0.95)),
            (40.0, Some(0.015), Some(0.02))
        );
        let json = scrape.json();
        assert_eq!(json["times"]["rtt_seconds{side=\"wired\"}"]["median_s"], 0.015);
        assert_eq!((&json["metrics"]["flows"], &json["about"]["version"]), (&7.0.into(), &"1.2.3".into()));
        assert_eq!(times.since(times).quantile(0.5), None);
    }

    #[test]
    fn what_is_no_text_of_a_live_part_is_refused() {
        assert!(Scrape::read("node_load1 0.5\n").unwrap_err().contains("no metrics of a Seamline program"));
        assert!(Scrape::read("<html>\n").is_err());
    }
}
