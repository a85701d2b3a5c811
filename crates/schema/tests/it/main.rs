//! Custom resources from the outside: definitions and objects in, verdicts out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hostile;
mod ratcheting;
mod releases;
mod resource;

use sprag_field::{Error, Errors};
use sprag_release::Release;
use sprag_schema::CustomResource;
use sprag_schema::crd::Crd;
use sprag_value::{Value, json};

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

/// The resource `Thing` with a schema for `spec`, and `status` as subresource.
fn resource(spec: &str) -> CustomResource {
    resource_of(parse(spec))
}

fn resource_of(spec: Value) -> CustomResource {
    resource_in(Release::NEWEST, spec)
}

fn resource_in(release: Release, spec: Value) -> CustomResource {
    let mut crd = parse(
        r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Thing", "plural": "things"},
                "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                        "status": {"type": "object", "properties": {"phase": {"type": "string", "maxLength": 3}}}}}}}]}}"#,
    );
    let properties = ["spec", "versions"].iter().try_fold(&mut crd, |value, name| value.get_mut(name)).unwrap();
    let version = properties.as_array_mut().unwrap().get_mut(0).unwrap();
    let path = ["schema", "openAPIV3Schema", "properties"];
    path.iter().try_fold(version, |value, name| value.get_mut(name)).unwrap().insert("spec", spec);
    CustomResource::versions(&Crd::read(&crd).unwrap(), release).remove(0)
}

/// An object with this `spec`, decoded and defaulted.
fn object(resource: &CustomResource, spec: &str) -> Value {
    object_of(resource, parse(spec))
}

fn object_of(resource: &CustomResource, spec: Value) -> Value {
    let mut object = parse(
        r#"{"apiVersion": "example.com/v1", "kind": "Thing",
            "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"}}"#,
    );
    object.insert("spec", spec);
    let mut object = resource.decode(object).unwrap().object;
    resource.default(&mut object).unwrap();
    object
}

/// The result of validation.
struct Judged {
    object: Value,
    errors: Vec<Error>,
    forgiven: Vec<Error>,
    warnings: Vec<String>,
}

impl Judged {
    fn new(object: Value, mut errors: Errors) -> Judged {
        let warnings =
            errors.warnings.iter().map(|warning| format!("{}: {}", warning.field, warning.message)).collect();
        Judged { object, forgiven: errors.take_tolerated().forgiven, errors: errors.into_vec(), warnings }
    }

    fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }
}

fn create(resource: &CustomResource, mut object: Value) -> Judged {
    let mut errors = Errors::new();
    resource.prepare_create(&mut object);
    resource.validate_create(&object, &mut errors);
    Judged::new(object, errors)
}

fn update(resource: &CustomResource, mut object: Value, old: &Value, mut errors: Errors) -> Judged {
    resource.prepare_update(&mut object, old);
    resource.validate_update(&object, old, &mut errors);
    Judged::new(object, errors)
}

fn texts(errors: &[Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}
