//! The text form of metrics, reduced to their families.

use std::collections::{BTreeMap, BTreeSet};

use sprag_value::{Object, Value};

/// The metrics that are kept: families that begin with one of these or contain one of those.
const PREFIXES: [&str; 9] = [
    "apiextensions_",
    "apiserver_request",
    "declarative_validation_",
    "apiserver_validation",
    "apiserver_cel_",
    "apiserver_warning",
    "apiserver_admission",
    "field_validation",
    "apiserver_crd",
];
const PARTS: [&str; 2] = ["validation", "crd"];

#[derive(Default)]
struct Family<'a> {
    help: &'a str,
    kind: &'a str,
    labels: BTreeSet<&'a str>,
}

/// The families of a text: name, help, type and the names of labels.
pub(super) fn families(text: &str) -> Value {
    let mut families: BTreeMap<&str, Family<'_>> = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|line| line.split_once(' ')) {
            families.entry(name).or_default().help = help;
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|line| line.split_once(' ')) {
            families.entry(name).or_default().kind = kind;
        } else if !line.starts_with('#') {
            let name = line.split(['{', ' ']).next().unwrap_or_default();
            if let Some(family) = family_of(&mut families, name) {
                family.labels.extend(label_names(line));
            }
        }
    }
    families.retain(|name, _| {
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || PARTS.iter().any(|part| name.contains(part))
    });
    let shown = families.into_iter().map(|(name, family)| (name, family.shown()));
    Value::Object(shown.collect())
}

/// Samples of a histogram or summary bear the name of their family and a suffix.
fn family_of<'a, 'b>(families: &'b mut BTreeMap<&'a str, Family<'a>>, name: &str) -> Option<&'b mut Family<'a>> {
    let bases = ["_bucket", "_sum", "_count"].iter().filter_map(|suffix| name.strip_suffix(suffix));
    let found = std::iter::once(name).chain(bases).find(|name| families.contains_key(name))?.to_owned();
    families.get_mut(found.as_str())
}

/// The names before `="` between the braces; texts of labels may hold anything, with quotes escaped.
fn label_names(line: &str) -> Vec<&str> {
    let Some((_, mut rest)) = line.split_once('{') else { return Vec::new() };
    let mut names = Vec::new();
    while let Some((name, after)) = rest.split_once("=\"") {
        names.push(name.trim_start_matches(','));
        let mut escaped = false;
        let end = after.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some(end) = end else { break };
        rest = &after[end + 1..];
    }
    names
}

impl Family<'_> {
    fn shown(self) -> Value {
        let mut shown = Object::new();
        shown.insert("help", self.help);
        shown.insert("type", self.kind);
        shown.insert("labels", self.labels.into_iter().collect::<Value>());
        Value::Object(shown)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use sprag_value::json;

    use super::*;

    #[test]
    fn families_are_named_with_their_labels() {
        let text = "# HELP apiserver_request_total Requests.\n# TYPE apiserver_request_total counter\n\
                    apiserver_request_total{code=\"2\\\"}00\",verb=\"GET\"} 1\n\
                    # HELP field_validation_s Seconds.\n# TYPE field_validation_s histogram\n\
                    field_validation_s_bucket{le=\"1\"} 1\nfield_validation_s_sum 1\n\
                    # HELP go_info Not kept.\n# TYPE go_info gauge\ngo_info 1\n";
        let shown = json::to_string(&families(text));
        expect![[
            r#"{"apiserver_request_total":{"help":"Requests.","labels":["code","verb"],"type":"counter"},"field_validation_s":{"help":"Seconds.","labels":["le"],"type":"histogram"}}"#
        ]]
        .assert_eq(&shown);
    }
}
