//! Workloads of `extensions/v1beta1` and the beta versions of `apps`: `apps/v1` derives no selector, and has other defaults.

use sprag_value::{Object, Value};

use super::{Conversion, Subject};
use crate::op::{Op, Path};

/// The value that means without a limit.
const UNLIMITED: i64 = i32::MAX as i64;

/// The defaults of a version that `apps/v1` has otherwise.
struct Defaults {
    /// The selector and the labels of the object are those of the template.
    labels: bool,
    /// Of `spec.updateStrategy.type`.
    strategy: Option<&'static str>,
    /// Of a deployment.
    rolling: Option<i64>,
    history: Option<i64>,
    deadline: Option<i64>,
    /// Members that `apps/v1` does not have.
    gone: &'static [&'static str],
}

// As upstream's SetDefaults_* of these versions.
fn defaults(group: &str, version: &str, kind: &str) -> Defaults {
    let none = Defaults {
        labels: version == "v1beta1",
        strategy: None,
        rolling: None,
        history: None,
        deadline: None,
        gone: &[],
    };
    match (group, version, kind) {
        ("extensions", _, "Deployment") => Defaults {
            rolling: Some(1),
            history: Some(UNLIMITED),
            deadline: Some(UNLIMITED),
            gone: &["rollbackTo"],
            ..none
        },
        ("apps", "v1beta1", "Deployment") => Defaults { history: Some(2), gone: &["rollbackTo"], ..none },
        ("extensions", _, "DaemonSet") => {
            Defaults { strategy: Some("OnDelete"), gone: &["templateGeneration"], ..none }
        }
        ("apps", "v1beta1", "StatefulSet") => Defaults { strategy: Some("OnDelete"), ..none },
        ("apps", _, "DaemonSet") => Defaults { gone: &["templateGeneration"], ..none },
        _ => none,
    }
}

pub(super) fn convert(subject: &Subject<'_>) -> Result<Conversion, String> {
    let Subject { object, at, removal, kind } = *subject;
    let defaults = defaults(removal.group, removal.version, kind);
    let spec = object.get("spec").filter(|spec| spec.as_object().is_some()).ok_or("it has no spec")?;
    if spec.get("template").is_none() {
        return Err("it has no spec.template".to_owned());
    }
    let mut change = Changes { at: at.key("spec"), spec, ops: Vec::new(), notes: Vec::new() };
    for key in defaults.gone.iter().filter(|key| spec.get(key).is_some()) {
        change.ops.push(Op::Remove { parent: change.at.clone(), key });
        change.notes.push(format!("spec.{key} was removed: apps/v1 does not have it"));
    }
    if defaults.labels {
        add_labels(object, at, &mut change)?;
    }
    let was = removal.api_version();
    if let Some(deadline) = defaults.deadline {
        change.add_default("progressDeadlineSeconds", deadline, &was);
    }
    if let Some(history) = defaults.history {
        change.add_default("revisionHistoryLimit", history, &was);
    }
    if let Some(steps) = defaults.rolling {
        add_steps(steps, &mut change);
    }
    if let Some(strategy) = defaults.strategy {
        add_strategy(strategy, &mut change)?;
    }
    Ok(Conversion { phases: vec![change.ops], notes: change.notes })
}

/// The changes of a workload so far.
struct Changes<'a> {
    at: Path,
    spec: &'a Value,
    ops: Vec<Op>,
    notes: Vec<String>,
}

impl Changes<'_> {
    /// Adds a member of `spec` above the template.
    fn add(&mut self, key: &'static str, value: Value) {
        self.ops.push(Op::Insert { parent: self.at.clone(), key, value, above: "template" });
    }

    fn add_default(&mut self, key: &'static str, value: i64, was: &str) {
        if self.spec.get(key).is_none_or(Value::is_null) {
            self.add(key, Value::from(value));
            self.notes.push(format!("spec.{key} is what {was} defaulted to"));
        }
    }
}

/// Adds the selector and labels that were derived from those of the template.
fn add_labels(object: &Value, at: &Path, change: &mut Changes<'_>) -> Result<(), String> {
    let labels = change.spec.lookup(&["template", "metadata", "labels"]).filter(|labels| !is_empty(labels));
    let Some(labels) = labels else {
        let has_selector = change.spec.get("selector").is_some_and(|selector| !selector.is_null());
        return if has_selector { Ok(()) } else { Err("neither spec.selector nor labels of the template".to_owned()) };
    };
    match change.spec.get("selector") {
        None => {
            let mut selector = Value::Object(Object::default());
            selector.insert("matchLabels", labels.clone());
            change.add("selector", selector);
            change.notes.push("spec.selector is the labels of the template, which it was derived from".to_owned());
        }
        Some(selector) if selector.is_null() => return Err("spec.selector is null".to_owned()),
        Some(_) => {}
    }
    let own = object.lookup(&["metadata", "labels"]);
    if own.is_none() && object.lookup(&["metadata", "name"]).is_some() {
        let parent = at.key("metadata");
        change.ops.push(Op::Insert { parent, key: "labels", value: labels.clone(), above: "name" });
        change.notes.push("metadata.labels is the labels of the template, which it was derived from".to_owned());
    }
    Ok(())
}

/// Adds how many pods of a deployment may be missing or too many.
fn add_steps(steps: i64, change: &mut Changes<'_>) {
    let strategy = change.spec.get("strategy").filter(|strategy| !is_empty(strategy));
    let kind = strategy.and_then(|strategy| strategy.get("type")).and_then(Value::as_str);
    let rolling = strategy.and_then(|strategy| strategy.get("rollingUpdate")).filter(|rolling| !is_empty(rolling));
    let missing = ["maxSurge", "maxUnavailable"].into_iter();
    let missing = missing.filter(|key| rolling.is_none_or(|rolling| rolling.get(key).is_none()));
    let missing: Vec<&'static str> = missing.collect();
    if missing.is_empty() || kind.is_some_and(|kind| kind != "RollingUpdate") {
        return;
    }
    let mut update = Value::Object(Object::default());
    for key in &missing {
        update.insert(*key, Value::from(steps));
    }
    let at = change.at.key("strategy");
    match (strategy, rolling) {
        (Some(_), Some(rolling)) => {
            let first = rolling.as_object().and_then(|members| members.keys().next());
            let above = if first.is_some_and(|key| key.as_str() == "maxSurge") { "maxSurge" } else { "maxUnavailable" };
            for key in missing {
                let value = Value::from(steps);
                change.ops.push(Op::Insert { parent: at.key("rollingUpdate"), key, value, above });
            }
        }
        (Some(strategy), None) if strategy.get("rollingUpdate").is_none() => {
            change.ops.push(Op::Insert { parent: at, key: "rollingUpdate", value: update, above: "type" });
        }
        _ => {
            if change.spec.get("strategy").is_some() {
                change.ops.push(Op::Remove { parent: change.at.clone(), key: "strategy" });
            }
            let mut strategy = Value::Object(Object::default());
            strategy.insert("rollingUpdate", update);
            change.add("strategy", strategy);
        }
    }
    change.notes.push("maxSurge and maxUnavailable are what extensions/v1beta1 defaulted to".to_owned());
}

/// Adds the kind of updates.
fn add_strategy(kind: &'static str, change: &mut Changes<'_>) -> Result<(), String> {
    match change.spec.get("updateStrategy") {
        None => {
            let mut strategy = Value::Object(Object::default());
            strategy.insert("type", Value::from(kind));
            change.add("updateStrategy", strategy);
        }
        Some(strategy) if strategy.get("type").is_some() => return Ok(()),
        Some(_) => return Err("spec.updateStrategy has no type".to_owned()),
    }
    change.notes.push(format!("spec.updateStrategy.type: {kind} is what it defaulted to"));
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Object::is_empty)
}
