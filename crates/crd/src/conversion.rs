//! Conversion webhooks: `ConversionReview`, and what upstream checks of what comes back.

mod review;

use std::sync::Arc;

use sprag_checks::object_meta::{validate_annotations, validate_labels};
use sprag_field::{Errors, Path, quote, status};
use sprag_rest::{NotConverted, api_version, meta, split_api_version};
use sprag_value::{Object, Value, json};

const GROUP: &str = "apiextensions.k8s.io";
const REVIEW: &str = "ConversionReview";

/// Calls conversion webhooks, and waits for their answers.
pub trait ConversionClient: Send + Sync {
    /// A random uid for a review.
    fn uid(&self) -> String;

    /// Posts a review to where a `clientConfig` leads, and has the text of the object that is answered read; or the error of the call.
    fn post(
        &self,
        client_config: &Value,
        review: String,
        read: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(), NotConverted<String>>;
}

/// The webhook that converts the objects of a definition.
// As upstream's webhookConverter.
pub struct Converter {
    client: Arc<dyn ConversionClient>,
    client_config: Value,
    group: String,
    /// The first version of reviews that it takes and that is known.
    review: Option<&'static str>,
}

impl Converter {
    /// The converter of a definition; none if its versions differ in nothing but their names.
    pub fn of(definition: &Value, client: &Arc<dyn ConversionClient>) -> Option<Converter> {
        let conversion = definition.lookup(&["spec", "conversion"])?;
        if conversion.get("strategy").and_then(Value::as_str) != Some("Webhook") {
            return None;
        }
        let webhook = conversion.get("webhook")?;
        let versions = webhook.get("conversionReviewVersions").and_then(Value::as_array).into_iter().flatten();
        let known = |version: &Value| ["v1", "v1beta1"].into_iter().find(|known| version.as_str() == Some(known));
        Some(Converter {
            client: client.clone(),
            client_config: webhook.get("clientConfig").cloned().unwrap_or_default(),
            group: definition.lookup(&["spec", "group"]).and_then(Value::as_str).unwrap_or_default().to_owned(),
            review: versions.into_iter().find_map(known),
        })
    }

    /// Objects of one version in another.
    pub(crate) fn convert(&self, mut objects: Vec<Value>, to: &str) -> Result<Vec<Value>, NotConverted<String>> {
        let desired = api_version(&self.group, to);
        let is_sent = |object: &Value| object.text("apiVersion") != desired && !is_empty(object);
        let sent: Vec<&Value> = objects.iter().filter(|object| is_sent(object)).collect();
        let Some(first) = sent.first() else {
            for object in &mut objects {
                object.insert("apiVersion", desired.as_str());
            }
            return Ok(objects);
        };
        let (group, version) = split_api_version(first.text("apiVersion"));
        let webhook = format!("conversion webhook for {group}/{version}, Kind={}", first.text("kind"));
        let converted = self.call(&sent, &desired).map_err(|NotConverted { error, is_unreachable }| NotConverted {
            error: format!("{webhook} failed: {error}"),
            is_unreachable,
        })?;
        if converted.len() != sent.len() {
            return Err(format!("{webhook} returned {} objects, expected {}", converted.len(), sent.len()).into());
        }
        let mut converted = converted.into_iter();
        for object in &mut objects {
            if is_sent(object) {
                let new = converted.next().unwrap_or_default();
                *object = checked(object, new, &desired, &webhook)?;
            } else {
                object.insert("apiVersion", desired.as_str());
            }
        }
        Ok(objects)
    }

    fn call(&self, objects: &[&Value], desired: &str) -> Result<Vec<Value>, NotConverted<String>> {
        let version = self.review.ok_or_else(|| "no supported conversion review versions".to_owned())?;
        let uid = self.client.uid();
        let objects: Vec<String> = objects.iter().map(|object| json::to_string(object).trim_end().to_owned()).collect();
        let review = format!(
            r#"{{"kind":"{REVIEW}","apiVersion":"{GROUP}/{version}","request":{{"uid":"{uid}","desiredAPIVersion":{},"objects":[{}]}},"response":{{"uid":"","convertedObjects":null,"result":{{"metadata":{{}}}}}}}}"#,
            quote::go(desired),
            objects.join(",")
        );
        let mut converted = Err(NotConverted::from("no answer was read".to_owned()));
        self.client.post(&self.client_config, review, &mut |answer| {
            converted = review::converted_objects(version, uid.as_str(), answer).map_err(NotConverted::from);
        })?;
        converted
    }
}

/// A converted object with the metadata that it must keep, or what is wrong with it.
// As upstream's webhookConverter.Convert, validateConvertedObject and restoreObjectMeta.
fn checked(original: &Value, mut converted: Value, desired: &str, webhook: &str) -> Result<Value, String> {
    readable(&converted)?;
    let given = converted.text("apiVersion");
    if given != desired {
        return Err(format!(
            "{webhook} returned invalid object at index 0: invalid groupVersion (expected {desired}, received {given})"
        ));
    }
    let expected = original.text("kind");
    let kind = converted.text("kind");
    if kind != expected {
        return Err(format!(
            "{webhook} returned invalid object at index 0: invalid kind (expected {expected}, received {kind})"
        ));
    }
    for (what, member) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
        let expected = meta::text(original, member);
        let given = meta::text(&converted, member);
        if expected != given {
            return Err(format!("{webhook} returned invalid object: must have the same {what}: {expected} != {given}"));
        }
    }
    restore(original, &mut converted).map_err(|why| format!("{webhook} returned invalid metadata: {why}"))?;
    Ok(converted)
}

/// Checks that a converted object is an API object.
// As upstream's unstructured.Unstructured.UnmarshalJSON.
fn readable(converted: &Value) -> Result<(), String> {
    let kind = match converted {
        // As upstream's Unstructured.GroupVersionKind: without a version that can be read there is no kind, either.
        Value::Object(_)
            if converted.text("kind").is_empty() || converted.text("apiVersion").matches('/').count() > 1 =>
        {
            return Err(format!("Object 'Kind' is missing in '{}'", json::to_string(converted).trim_end()));
        }
        Value::Object(_) => return Ok(()),
        Value::Null => return Err("unexpected end of JSON input".to_owned()),
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Array(_) => "array",
        _ => "number",
    };
    Err(format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"))
}

fn restore(original: &Value, converted: &mut Value) -> Result<(), String> {
    let Some(given) = converted.get("metadata").cloned() else {
        return Err("missing metadata in converted object".to_owned());
    };
    if given.as_object().is_none() {
        return Err(format!("invalid metadata of type {} in converted object", go_type(&given)));
    }
    let mut metadata = original.get("metadata").cloned().unwrap_or_else(Value::object);
    for name in ["labels", "annotations"] {
        // Empty maps are dropped like unset ones when metadata is read, as by upstream's schemaCoercingConverter.
        let is_unset = |new: &Value| new.is_null() || new.as_object().is_some_and(Object::is_empty);
        let Some(new) = given.get(name).filter(|new| !is_unset(new)) else {
            metadata.remove(name);
            continue;
        };
        let Some(entries) = new.as_object() else {
            return Err(format!("invalid metadata.{name} of type {} in converted object", go_type(new)));
        };
        if let Some((key, value)) = entries.iter().find(|(_, value)| value.as_str().is_none()) {
            let key = key.as_str();
            let ty = go_type(value);
            return Err(format!("metadata.{name}[{key}] must be a string, but is {ty} in converted object"));
        }
        if metadata.get(name) != Some(new) {
            let root = Path::new("metadata");
            let mut errors = Errors::default();
            match name {
                "labels" => validate_labels(Some(new), &root.child("labels"), &mut errors),
                _ => validate_annotations(Some(new), &root.child("annotation"), &mut errors),
            }
            let errors = errors.into_vec();
            if !errors.is_empty() {
                return Err(status::aggregate(&errors));
            }
        }
        metadata.insert(name, new.clone());
    }
    converted.insert("metadata", metadata);
    Ok(())
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
    }
}

/// True if an object has nothing but its type: there is nothing to convert.
// As upstream's isEmptyUnstructuredObject.
fn is_empty(object: &Value) -> bool {
    object.as_object().is_some_and(|object| object.keys().all(|key| matches!(key.as_str(), "apiVersion" | "kind")))
}

#[cfg(test)]
mod tests;
