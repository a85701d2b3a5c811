//! One name with its series.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

/// More series than this are not kept: labels are names of resources, and someone may make those up.
const MAX_SERIES: usize = 20_000;
/// Room for the labels of one series; there is more where that is not enough.
const LABELS_ROOM: usize = 192;

/// A name, what it means and its series by their labels.
pub(super) struct Family {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    series: Mutex<BTreeMap<String, Series>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
    /// With the upper bounds of its buckets.
    Histogram(&'static [f64]),
}

#[derive(Default)]
struct Series {
    /// Observations per bucket, not cumulative.
    buckets: Vec<u64>,
    count: u64,
    sum: f64,
}

impl Family {
    pub(super) fn counter(name: &'static str, help: &'static str) -> Family {
        Family { name, help, kind: Kind::Counter, series: Mutex::default() }
    }

    pub(super) fn gauge(name: &'static str, help: &'static str) -> Family {
        Family { name, help, kind: Kind::Gauge, series: Mutex::default() }
    }

    pub(super) fn histogram(name: &'static str, help: &'static str, bounds: &'static [f64]) -> Family {
        Family { name, help, kind: Kind::Histogram(bounds), series: Mutex::default() }
    }

    /// Shows the series without labels from the start, as those are that have no others.
    pub(super) fn without_labels(self) -> Family {
        if let Kind::Histogram(bounds) = self.kind {
            self.with("", |series| series.buckets.resize(bounds.len(), 0));
        }
        self
    }

    /// Counts one more.
    pub(super) fn add(&self, labels: &str) {
        self.with(labels, |series| series.count += 1);
    }

    /// Sets a gauge.
    pub(super) fn set(&self, labels: &str, value: u64) {
        self.with(labels, |series| series.count = value);
    }

    /// Counts a value into its bucket.
    pub(super) fn observe(&self, labels: &str, value: f64) {
        let Kind::Histogram(bounds) = self.kind else { return };
        self.with(labels, |series| {
            series.buckets.resize(bounds.len(), 0);
            let bucket = bounds.partition_point(|bound| *bound < value);
            if let Some(bucket) = series.buckets.get_mut(bucket) {
                *bucket += 1;
            }
            series.count += 1;
            series.sum += value;
        });
    }

    fn with(&self, labels: &str, change: impl FnOnce(&mut Series)) {
        let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = series.get_mut(labels) {
            return change(known);
        }
        if series.len() < MAX_SERIES {
            change(series.entry(labels.to_owned()).or_default());
        }
    }

    /// Adds all series to a text.
    pub(super) fn write(&self, out: &mut String) {
        let Family { name, help, kind, series } = self;
        let type_name = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {type_name}");
        for (labels, series) in &*series.lock().unwrap_or_else(PoisonError::into_inner) {
            let braced = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
            let Kind::Histogram(bounds) = kind else {
                let _ = writeln!(out, "{name}{braced} {}", series.count);
                continue;
            };
            let comma = if labels.is_empty() { "" } else { "," };
            let mut below = 0;
            for (bound, count) in bounds.iter().zip(&series.buckets) {
                below += count;
                let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {below}");
            }
            let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", series.count);
            let _ = writeln!(out, "{name}_sum{braced} {}\n{name}_count{braced} {}", series.sum, series.count);
        }
    }
}

/// Names and values as they identify a series.
pub(super) fn labels<'l>(pairs: impl IntoIterator<Item = (&'static str, &'l str)>) -> String {
    let mut labels = String::with_capacity(LABELS_ROOM);
    for (name, value) in pairs {
        if !labels.is_empty() {
            labels.push(',');
        }
        labels.push_str(name);
        labels.push_str("=\"");
        if value.bytes().any(|byte| matches!(byte, b'\\' | b'"' | b'\n')) {
            labels.push_str(&value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n"));
        } else {
            labels.push_str(value);
        }
        labels.push('"');
    }
    labels
}

/// The labels behind the first, whose value has no comma.
pub(super) fn without_first(labels: &str) -> &str {
    let comma = labels.bytes().position(|byte| byte == b',');
    comma.map_or("", |at| &labels[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_count_upwards() {
        let family = Family::histogram("h", "about h", &[0.5, 1.0]);
        for value in [0.1, 0.5, 0.7, 3.0] {
            family.observe("a=\"b\"", value);
        }
        let mut out = String::new();
        family.write(&mut out);
        let expected = "# HELP h about h\n# TYPE h histogram\nh_bucket{a=\"b\",le=\"0.5\"} 2\nh_bucket{a=\"b\",le=\"1\"} 3\n\
                        h_bucket{a=\"b\",le=\"+Inf\"} 4\nh_sum{a=\"b\"} 4.3\nh_count{a=\"b\"} 4\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(
            without_first(&labels([("code", "200"), ("x", "a,b"), ("y", "")])),
            labels([("x", "a,b"), ("y", "")])
        );
        assert_eq!(labels([("x", "a\"b\\c\nd"), ("y", "")]), r#"x="a\"b\\c\nd",y="""#);
    }
}
