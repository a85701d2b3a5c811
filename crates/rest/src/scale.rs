//! `/scale`: an `autoscaling/v1` `Scale` that reads and writes fields of its parent.

use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_value::{Object, Value};

use crate::error::{ApiError, Result};
use crate::label_selector::{labels_text, selector_text};
use crate::meta;
use crate::names::GroupResource;

/// The field paths of a parent that its `Scale` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// The wanted number of replicas: `.spec.replicas`.
    pub spec_replicas: String,
    /// The actual number of replicas: `.status.replicas`.
    pub status_replicas: String,
    /// The selector, if there is one.
    pub label_selector: Option<ScaleSelector>,
    /// True if a `Scale` is checked on its own; custom resources leave that to the parent.
    pub checked: bool,
}

/// The form in which a parent keeps the selector of its `Scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleSelector {
    /// It is text already: `.status.selector`.
    Text(String),
    /// It is a `LabelSelector`: `.spec.selector`.
    Selector(String),
    /// It is a map of labels.
    Labels(String),
}

impl Default for ScalePaths {
    fn default() -> Self {
        ScalePaths {
            spec_replicas: ".spec.replicas".into(),
            status_replicas: ".status.replicas".into(),
            label_selector: None,
            checked: true,
        }
    }
}

/// The `Scale` of an object, and whether the object says how many replicas are wanted.
pub fn read(parent: &Value, paths: &ScalePaths) -> Result<(Value, bool)> {
    let wanted = number(parent, &paths.spec_replicas)?;
    let actual = number(parent, &paths.status_replicas)?.unwrap_or(0);
    let mut metadata = Object::new();
    for member in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = meta::get(parent, member) {
            metadata.insert(member, value.clone());
        }
    }
    let mut spec = Object::new();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != 0) {
        spec.insert("replicas", wanted);
    }
    let mut status = Object::from([("replicas", Value::Int(actual))]);
    if let Some(selector) = selector(parent, paths)? {
        status.insert("selector", selector);
    }
    let scale = Object::from([
        ("kind", Value::from("Scale")),
        ("apiVersion", Value::from("autoscaling/v1")),
        ("metadata", Value::Object(metadata)),
        ("spec", Value::Object(spec)),
        ("status", Value::Object(status)),
    ]);
    Ok((Value::Object(scale), wanted.is_some()))
}

/// The number of replicas of an object that says none, while its `Scale` is changed: the least that there is.
const UNSET: i64 = i32::MIN as i64;

/// Notes in a `Scale` that its object says nothing about replicas.
pub(crate) fn mark_unset(scale: &mut Value) {
    if let Some(spec) = scale.get_mut("spec") {
        spec.insert("replicas", UNSET);
    }
}

/// Refuses a change of a `Scale` that leaves the replicas unset.
pub(crate) fn refuse_unset(scale: &Value, paths: &ScalePaths) -> Result<()> {
    if replicas(scale) != UNSET {
        return Ok(());
    }
    let path = quote::go(&paths.spec_replicas);
    Err(ApiError::bad_request(format!("the spec replicas field {path} cannot be empty")))
}

/// Refuses a `Scale` that cannot be, or that names another object than its parent by uid.
// As upstream's scaleUpdatedObjectInfo.UpdatedObject of workloads.
pub(crate) fn validate(scale: &Value, parent: &Value, resource: &GroupResource) -> Result<()> {
    validate_replicas(scale)?;
    let wanted = meta::uid(scale);
    let found = meta::uid(parent);
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let resource = GroupResource::new(resource.group.as_str(), format!("{}/scale", resource.resource));
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}");
    Err(ApiError::conflict(&resource, meta::name(parent), &why))
}

fn validate_replicas(scale: &Value) -> Result<()> {
    let replicas = replicas(scale);
    if replicas >= 0 {
        return Ok(());
    }
    let mut errors = Errors::new();
    let path = Path::new("spec");
    let detail = "must be greater than or equal to 0";
    errors.push(Error::invalid(&path.child("replicas"), BadValue::Int(replicas), detail).with_origin("minimum"));
    Err(ApiError::invalid("Scale", "autoscaling", meta::name(scale), &errors.into_vec()))
}

/// The wanted number of replicas that a `Scale` says.
pub(crate) fn replicas(scale: &Value) -> i64 {
    scale.lookup(&["spec", "replicas"]).and_then(Value::as_i64).unwrap_or(0)
}

/// Writes the wanted number of replicas into an object.
pub(crate) fn write(parent: &mut Value, paths: &ScalePaths, replicas: i64) -> Result<()> {
    let mut at = parent;
    for member in parts(&paths.spec_replicas) {
        if at.is_null() {
            *at = Value::object();
        }
        let Value::Object(members) = at else {
            let message = format!("value cannot be set because {} is not a map", paths.spec_replicas);
            return Err(ApiError::unknown(message));
        };
        at = members.get_or_insert(member);
    }
    *at = Value::Int(replicas);
    Ok(())
}

fn number(parent: &Value, path: &str) -> Result<Option<i64>> {
    match find(parent, path) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Int(number)) => Ok(Some(*number)),
        Some(other) => Err(wrong_type(path, other, "int64")),
    }
}

fn selector(parent: &Value, paths: &ScalePaths) -> Result<Option<String>> {
    let text = match &paths.label_selector {
        None => return Ok(None),
        Some(ScaleSelector::Text(path)) => match find(parent, path) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.as_str().to_owned(),
            Some(other) => return Err(wrong_type(path, other, "string")),
        },
        Some(ScaleSelector::Selector(path)) => selector_text(find(parent, path)).map_err(ApiError::bad_request)?,
        Some(ScaleSelector::Labels(path)) => labels_text(find(parent, path)),
    };
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn wrong_type(path: &str, value: &Value, expected: &str) -> ApiError {
    let value = sprag_value::json::to_string_plain(value);
    ApiError::unknown(format!("{path} accessor error: {value} is of another type, expected {expected}"))
}

fn find<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    parts(path).try_fold(object, |value, member| value.get(member))
}

/// The members on the way to a field.
pub(crate) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('.').unwrap_or(path).split('.')
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    fn object(text: &str) -> Value {
        json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_scale_shows_fields_of_its_parent() {
        let parent = object(
            r#"{"metadata":{"name":"a","uid":"u","labels":{"x":"y"}},"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b"}}"#,
        );
        let paths = ScalePaths {
            label_selector: Some(ScaleSelector::Text(".status.selector".into())),
            ..ScalePaths::default()
        };
        let (scale, found) = read(&parent, &paths).unwrap();
        assert!(found);
        assert_eq!(
            json::to_string(&scale),
            r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","uid":"u"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b"}}"#
        );
        assert!(!read(&object("{}"), &paths).unwrap().1);
        assert!(read(&object(r#"{"spec":{"replicas":"x"}}"#), &paths).is_err());
    }

    #[test]
    fn a_selector_is_shown_as_text_whatever_its_form() {
        let parent = object(r#"{"spec":{"selector":{"matchLabels":{"a":"b"}},"labels":{"c":"d"}}}"#);
        let shown = |selector| {
            let paths = ScalePaths { label_selector: Some(selector), ..ScalePaths::default() };
            let scale = read(&parent, &paths).unwrap().0;
            scale.lookup(&["status", "selector"]).and_then(Value::as_str).map(str::to_owned)
        };
        assert_eq!(shown(ScaleSelector::Selector(".spec.selector".into())).as_deref(), Some("a=b"));
        assert_eq!(shown(ScaleSelector::Labels(".spec.labels".into())).as_deref(), Some("c=d"));
        assert_eq!(shown(ScaleSelector::Labels(".spec.other".into())), None);
    }

    #[test]
    fn a_scale_of_another_object_is_refused() {
        let (scale, parent) = (object(r#"{"metadata":{"uid":"1"}}"#), object(r#"{"metadata":{"name":"a","uid":"2"}}"#));
        let error = validate(&scale, &parent, &GroupResource::new("apps", "deployments")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Operation cannot be fulfilled on deployments/scale.apps \"a\": Precondition failed: UID in precondition: 1, \
             UID in object meta: 2"
        );
    }

    #[test]
    fn writing_makes_the_way() {
        let mut parent = object("{}");
        write(&mut parent, &ScalePaths::default(), 4).unwrap();
        assert_eq!(json::to_string(&parent), r#"{"spec":{"replicas":4}}"#);
        assert!(write(&mut object(r#"{"spec":7}"#), &ScalePaths::default(), 4).is_err());
    }

    #[test]
    fn a_negative_scale_is_refused() {
        let error = validate_replicas(&object(r#"{"metadata":{"name":"a"},"spec":{"replicas":-1}}"#)).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"#
        );
    }
}
