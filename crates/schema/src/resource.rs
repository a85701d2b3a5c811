//! A custom resource: what the API server does with an object of it, from the decoded body to the verdict.
//!
//! [`CustomResource::decode`] and [`CustomResource::default`] make the object; [`CustomResource::create`],
//! [`CustomResource::update`] and [`CustomResource::update_status`] prepare and judge it.

mod finalizers;
mod prepare;

use std::sync::Arc;

use sprag_field::{Error, Errors, Path, Warning};
use sprag_validate::object_meta::{self, Rules, dns_subdomain};
use sprag_value::{Object, Text, Value};

use crate::crd::{Crd, Scale};
use crate::default::TooManyDefaults;
use crate::metadata::{self, Malformed};
use crate::prune::prune;
use crate::ratchet::Correlated;
use crate::rules::{self, Ratcheting};
use crate::schema::Schema;
use crate::validate::{Findings, validate};
use crate::{embedded, list_type, scale};

/// One version of a custom resource.
pub struct CustomResource {
    group: Text,
    kind: Text,
    api_version: String,
    namespaced: bool,
    has_status: bool,
    scale: Option<Scale>,
    schema: Option<Arc<Schema>>,
    /// The schemas of all versions: an object is decoded by the version that it claims to have.
    schemas: Arc<[(Text, Arc<Schema>)]>,
    ratcheting: Ratcheting,
    lists_forgiven: bool,
}

/// An object that was decoded.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The object as far as the schema describes it.
    pub object: Value,
    /// Paths of what was dropped: those in its metadata, then the others, then those in the metadata of embedded
    /// resources; each part sorted.
    pub unknown_fields: Vec<String>,
}

/// Why an object is no custom resource: Go's text about the first wrong type in its metadata.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(String);

/// What the API server says of an object.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The object as it would be stored.
    pub object: Value,
    /// What is wrong with it, in the order of the checks and of its members.
    pub errors: Vec<Error>,
    /// What the schema says against parts that have not changed, if it is [listed](CustomResource::listing_forgiven).
    pub forgiven: Vec<Error>,
    /// What rules say against parts that have not changed. These are also [`warnings`](Verdict::warnings).
    pub forgiven_rules: Vec<Error>,
    /// What a client is told even if the object is accepted.
    pub warnings: Vec<String>,
    /// What its rules cost.
    pub cost: u64,
}

impl Verdict {
    /// Whether the object is accepted.
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }
}

impl CustomResource {
    /// All versions of a definition, in its order.
    pub fn versions(crd: &Crd) -> Vec<CustomResource> {
        let schema = |version: &crate::crd::Version| {
            let props = version.schema.as_ref()?.open_api_v3_schema.clone()?;
            Some((version.name.clone(), Arc::new(Schema::new(props))))
        };
        let schemas: Arc<[(Text, Arc<Schema>)]> = crd.versions.iter().filter_map(schema).collect();
        let resource = |version: &crate::crd::Version| CustomResource {
            group: crd.group.clone(),
            kind: crd.names.kind.clone(),
            api_version: format!("{}/{}", crd.group, version.name),
            namespaced: crd.scope == "Namespaced",
            has_status: version.subresources.as_ref().is_some_and(|subresources| subresources.status),
            scale: version.subresources.as_ref().and_then(|subresources| subresources.scale.clone()),
            schema: find(&schemas, &version.name).cloned(),
            schemas: schemas.clone(),
            ratcheting: Ratcheting::On,
            lists_forgiven: false,
        };
        crd.versions.iter().map(resource).collect()
    }

    /// The same with the feature `CRDValidationRatcheting` on or off.
    #[must_use]
    pub fn with_ratcheting(self, enabled: bool) -> Self {
        Self { ratcheting: if enabled { Ratcheting::On } else { Ratcheting::Off }, ..self }
    }

    /// The same with [`Verdict::forgiven`] filled in, for which parts that have not changed must be judged as well.
    #[must_use]
    pub fn listing_forgiven(self) -> Self {
        Self { lists_forgiven: true, ..self }
    }

    /// Group and version as objects write them.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The compiled schema, if the version has one.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }

    /// Reads the body of a request: drops what the schema does not describe and brings metadata into form.
    pub fn decode(&self, object: Value) -> Result<Decoded, DecodeError> {
        self.coerce(object, Malformed::Refused)
    }

    /// Reads an object from storage, like [`CustomResource::decode`] but leniently: malformed metadata is dropped and
    /// a missing generation is repaired.
    pub fn decode_stored(&self, object: Value) -> Result<Decoded, DecodeError> {
        self.coerce(object, Malformed::Dropped)
    }

    fn coerce(&self, mut object: Value, malformed: Malformed) -> Result<Decoded, DecodeError> {
        let mut unknown_fields = Vec::new();
        let Some(members) = object.as_object_mut() else { return Ok(Decoded { object, unknown_fields }) };
        let kind = type_field(members, "kind")?;
        let api_version = type_field(members, "apiVersion")?;
        let mut coerced = match members.get("metadata") {
            Some(found) => Some(metadata::coerce(found, malformed).map_err(DecodeError)?),
            None => None,
        };
        if let Some(coerced) = &mut coerced {
            let unknown = std::mem::take(&mut coerced.unknown);
            unknown_fields.extend(unknown.into_iter().map(|path| format!("metadata.{path}")));
        }
        let (group, version) = group_version(&api_version)?;
        if group == self.group.as_str() && kind == self.kind {
            let schema = find(&self.schemas, version);
            unknown_fields.extend(prune(schema.map(|schema| schema.root()), members));
            if let Some(schema) = schema {
                let unknown = embedded::coerce(schema.root(), members, malformed);
                unknown_fields.extend(unknown.map_err(|error| DecodeError(error.to_string()))?);
            }
            if let Some(coerced) = &mut coerced
                && malformed == Malformed::Dropped
            {
                prepare::repair_generation(&mut coerced.metadata);
            }
        }
        if let Some(coerced) = coerced {
            members.insert("metadata", coerced.metadata);
        }
        Ok(Decoded { object, unknown_fields })
    }

    /// Brings the metadata of an applied object into form; what is malformed is dropped.
    pub fn restore_metadata(object: &mut Value) {
        let coerced = object.get("metadata").map(|found| metadata::coerce(found, Malformed::Dropped));
        if let Some(Ok(coerced)) = coerced {
            object.insert("metadata", coerced.metadata);
        }
    }

    /// Fills in defaults.
    pub fn default(&self, object: &mut Value) -> Result<(), TooManyDefaults> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let Ok((group, version)) = group_version(text("apiVersion")) else { return Ok(()) };
        let is_own = group == self.group.as_str() && text("kind") == self.kind.as_str();
        match find(&self.schemas, version).filter(|_| is_own) {
            Some(schema) => schema.default(object),
            None => Ok(()),
        }
    }

    /// Drops what this version does not describe, from an object whose metadata is in form.
    pub fn prune(&self, object: &mut Value) {
        let Some(members) = object.as_object_mut() else { return };
        prune(self.schema.as_ref().map(|schema| schema.root()), members);
        if let Some(schema) = &self.schema {
            // What is malformed is dropped, so nothing is ever refused.
            let _ = embedded::coerce(schema.root(), members, Malformed::Dropped);
        }
    }

    /// Brings a new object into order: it has no status yet, where that has an address of its own, and the first
    /// generation.
    pub fn prepare_create(&self, object: &mut Value) {
        prepare::create(object, self.has_status);
    }

    /// Brings an object that replaces `old` into order: the status stays, where that has an address of its own, and the
    /// generation counts changes of anything but metadata.
    pub fn prepare_update(&self, object: &mut Value, old: &Value) {
        prepare::update(object, old, self.has_status);
    }

    /// Brings an object whose status replaces that of `old` into order: nothing but its status is taken from it.
    pub fn prepare_status(&self, object: &mut Value, old: &Value) {
        prepare::update_status(object, old);
    }

    /// Judges a new object.
    pub fn create(&self, mut object: Value) -> Verdict {
        self.prepare_create(&mut object);
        let mut judge = Judge::new(self, Errors::new());
        if judge.type_meta(&object) {
            let rules = Rules { namespaced: self.namespaced, name: &dns_subdomain };
            object_meta::validate_create(metadata(&object), &rules, &Path::new("metadata"), &mut judge.errors);
            object_meta::drop_repeated(&mut judge.errors, 0);
            judge.new_values(&object);
        }
        judge.new_parts(&object);
        judge.warnings.extend(Self::finalizer_warnings(&object, None));
        judge.verdict(object)
    }

    /// Judges an object that replaces `old`, which comes from [`CustomResource::decode_stored`] with defaults.
    pub fn update(&self, mut object: Value, old: &Value) -> Verdict {
        let has_changed = prepare::update(&mut object, old, self.has_status);
        let mut judge = Judge::new(self, Errors::new());
        let correlated = self.correlated(&object, old, has_changed);
        if judge.type_meta(&object) {
            judge.changed_metadata(&object, old);
            judge.changed_values(&object, correlated.as_ref());
        }
        judge.changed_parts(&object, old, correlated.as_ref());
        judge.warnings.extend(Self::finalizer_warnings(&object, Some(old)));
        drop(correlated);
        judge.verdict(object)
    }

    /// Judges an object whose status replaces that of `old`; nothing but its status is taken from it.
    pub fn update_status(&self, mut object: Value, old: &Value) -> Verdict {
        self.prepare_status(&mut object, old);
        let mut judge = Judge::new(self, Errors::new());
        if judge.type_meta(&object) {
            judge.changed_metadata(&object, old);
            judge.status_values(&object, old);
        }
        judge.status_parts(&object, old);
        judge.verdict(object)
    }

    /// Checks a new object that was prepared and is of the right type. `errors` has what was found in its metadata.
    pub fn validate_create(&self, object: &Value, errors: &mut Errors) {
        let mut judge = Judge::new(self, std::mem::take(errors));
        if judge.type_meta(object) {
            judge.new_values(object);
        }
        judge.new_parts(object);
        *errors = judge.into_errors();
    }

    /// The same for an object that replaces `old`. What rules say against parts that have not changed are warnings.
    pub fn validate_update(&self, object: &Value, old: &Value, errors: &mut Errors) {
        let mut judge = Judge::new(self, std::mem::take(errors));
        let correlated = self.correlated(object, old, prepare::has_changed(object, old));
        if judge.type_meta(object) {
            judge.changed_values(object, correlated.as_ref());
        }
        judge.changed_parts(object, old, correlated.as_ref());
        *errors = judge.into_errors();
    }

    /// The same for an object whose status replaces that of `old`.
    pub fn validate_status(&self, object: &Value, old: &Value, errors: &mut Errors) {
        let mut judge = Judge::new(self, std::mem::take(errors));
        judge.status_values(object, old);
        judge.status_parts(object, old);
        *errors = judge.into_errors();
    }

    /// Warnings about finalizers that an object has and `old` has not.
    pub fn finalizer_warnings(object: &Value, old: Option<&Value>) -> Vec<String> {
        finalizers::warnings(metadata(object), old.map_or(&Value::Null, metadata))
    }

    /// The objects by the schema. `has_changed` says whether they differ in anything but metadata.
    fn correlated<'d>(&'d self, object: &'d Value, old: &'d Value, has_changed: bool) -> Option<Correlated<'d, 'd>> {
        let root = Correlated::root(self.schema.as_deref()?.root(), object, old);
        Some(if has_changed { root } else { root.expecting_no_change() })
    }
}

fn find<'s>(schemas: &'s [(Text, Arc<Schema>)], version: &str) -> Option<&'s Arc<Schema>> {
    schemas.iter().find(|(name, _)| name.as_str() == version).map(|(_, schema)| schema)
}

fn metadata(object: &Value) -> &Value {
    object.get("metadata").unwrap_or(&Value::Null)
}

/// The text of `kind` or `apiVersion`; empty when it is absent.
fn type_field(members: &Object, name: &str) -> Result<Text, DecodeError> {
    match members.get(name) {
        None => Ok(Text::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => Err(DecodeError(scale::accessor_error(&[name], value, "string"))),
    }
}

fn group_version(api_version: &str) -> Result<(&str, &str), DecodeError> {
    match api_version.split_once('/') {
        None => Ok(("", api_version)),
        Some((_, version)) if version.contains('/') => {
            Err(DecodeError(format!("unexpected GroupVersion string: {api_version}")))
        }
        Some((group, version)) => Ok((group, version)),
    }
}

/// Collects what the checks of an object find.
struct Judge<'r> {
    resource: &'r CustomResource,
    errors: Errors,
    forgiven: Vec<Error>,
    forgiven_rules: Vec<Error>,
    warnings: Vec<String>,
    cost: u64,
}

impl<'r> Judge<'r> {
    fn new(resource: &'r CustomResource, errors: Errors) -> Self {
        let (forgiven, forgiven_rules, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Self { resource, errors, forgiven, forgiven_rules, warnings, cost: 0 }
    }

    fn verdict(self, object: Value) -> Verdict {
        Verdict {
            object,
            errors: self.errors.into_vec(),
            forgiven: self.forgiven,
            forgiven_rules: self.forgiven_rules,
            warnings: self.warnings,
            cost: self.cost,
        }
    }

    /// What was found, with forgiven rules as warnings.
    fn into_errors(mut self) -> Errors {
        let warning = |error: &Error| Warning { message: error.body().to_string().into(), field: error.field.clone() };
        self.errors.warnings.extend(self.forgiven_rules.iter().map(warning));
        self.errors.forgive(self.forgiven.into_iter().chain(self.forgiven_rules));
        self.errors
    }

    fn new_values(&mut self, object: &Value) {
        if let Some(schema) = &self.resource.schema {
            self.values(schema, object, None);
        }
        self.scale(object);
    }

    fn new_parts(&mut self, object: &Value) {
        if let Some(schema) = &self.resource.schema {
            embedded::validate(schema.root(), object, &mut self.errors);
            list_type::validate(schema.root(), object, &mut self.errors);
            self.rules(schema, object, None);
        }
    }

    fn changed_metadata(&mut self, object: &Value, old: &Value) {
        object_meta::validate_update(metadata(object), metadata(old), &Path::new("metadata"), &mut self.errors);
        object_meta::drop_repeated(&mut self.errors, 0);
    }

    fn changed_values<'d>(&mut self, object: &'d Value, old: Option<&Correlated<'_, 'd>>)
    where
        'r: 'd,
    {
        if let Some(schema) = &self.resource.schema {
            self.values(schema, object, old);
        }
        self.scale(object);
    }

    fn changed_parts<'d>(&mut self, object: &'d Value, old: &Value, correlated: Option<&Correlated<'_, 'd>>)
    where
        'r: 'd,
    {
        let (Some(schema), Some(correlated)) = (&self.resource.schema, correlated) else { return };
        embedded::validate(schema.root(), object, &mut self.errors);
        // Lists outside of metadata that have not changed are fine, or were not before.
        if !correlated.expects_no_change() {
            self.changed_lists(schema, object, old);
        }
        self.rules(schema, object, Some(correlated));
    }

    fn status_values(&mut self, object: &Value, old: &Value) {
        if let Some(schema) = &self.resource.schema {
            self.status(schema, object, old);
        }
        if let Some(scale) = &self.resource.scale {
            scale::validate_status(scale, object, &mut self.errors);
        }
    }

    fn status_parts(&mut self, object: &Value, old: &Value) {
        let Some(schema) = &self.resource.schema else { return };
        self.changed_lists(schema, object, old);
        let correlated = Correlated::root(schema.root(), object, old);
        self.rules(schema, object, Some(&correlated));
    }

    /// Whether the object is of the right type, without which its metadata and values are not checked.
    fn type_meta(&mut self, object: &Value) -> bool {
        let before = self.errors.len();
        for (name, expected) in [("kind", self.resource.kind.as_str()), ("apiVersion", &self.resource.api_version)] {
            let found = object.get(name).and_then(Value::as_str).unwrap_or_default();
            if found != expected {
                self.errors.push(Error::invalid(&Path::new(name), found, format!("must be {expected}")));
            }
        }
        self.errors.len() == before
    }

    fn values<'d>(&mut self, schema: &'d Schema, object: &'d Value, old: Option<&Correlated<'_, 'd>>) {
        let mut findings = self.findings();
        validate(schema.root(), object, self.ratcheted(old), &mut findings);
        self.errors.extend(findings.errors);
        self.forgiven.extend(findings.forgiven);
    }

    fn status(&mut self, schema: &Schema, object: &Value, old: &Value) {
        let (Some(node), Some(status)) = (schema.root().properties.get("status"), object.get("status")) else { return };
        let correlated = Correlated::root(node, status, old.get("status").unwrap_or(&Value::Null));
        let mut findings = self.findings();
        validate(node, status, self.ratcheted(Some(&correlated)), &mut findings);
        let place = |error: Error| {
            let field = match error.field.as_str() {
                "<nil>" => "status".to_owned(),
                field => format!("status.{field}"),
            };
            Error { field, ..error }
        };
        self.errors.extend(findings.errors.into_iter().map(place));
        self.forgiven.extend(findings.forgiven.into_iter().map(place));
    }

    fn findings(&self) -> Findings {
        if self.resource.lists_forgiven || self.errors.lists_forgiven() {
            Findings::listing_forgiven()
        } else {
            Findings::default()
        }
    }

    fn ratcheted<'c, 'd>(&self, old: Option<&'c Correlated<'c, 'd>>) -> Option<&'c Correlated<'c, 'd>> {
        old.filter(|_| self.resource.ratcheting == Ratcheting::On)
    }

    fn scale(&mut self, object: &Value) {
        if let Some(scale) = &self.resource.scale {
            scale::validate_spec(scale, object, &mut self.errors);
            scale::validate_status(scale, object, &mut self.errors);
        }
    }

    /// Lists are only checked if all of the old ones were fine.
    fn changed_lists(&mut self, schema: &Schema, object: &Value, old: &Value) {
        let mark = self.errors.len();
        list_type::validate(schema.root(), object, &mut self.errors);
        if self.errors.len() > mark && !list_type::is_valid(schema.root(), old) {
            self.errors.truncate(mark);
        }
    }

    fn rules<'d>(&mut self, schema: &'d Schema, object: &'d Value, old: Option<&Correlated<'_, 'd>>) {
        let Some(tree) = schema.rules() else { return };
        if self.errors.iter().any(|error| blocks_rules(error.kind)) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing \
                          errors to complete validation";
            return self.errors.push(Error::invalid(&Path::ROOT, sprag_field::BadValue::Nil, detail));
        }
        let findings = rules::run(tree, schema.root(), object, old, self.resource.ratcheting);
        self.errors.extend(findings.errors);
        self.warnings.extend(findings.forgiven.iter().map(ToString::to_string));
        self.forgiven_rules.extend(findings.forgiven);
        self.cost = findings.cost;
    }
}

/// Whether rules could stumble over a value with such an error.
fn blocks_rules(kind: sprag_field::ErrorKind) -> bool {
    use sprag_field::ErrorKind;
    matches!(
        kind,
        ErrorKind::NotSupported
            | ErrorKind::Required
            | ErrorKind::TooLong
            | ErrorKind::TooMany
            | ErrorKind::TypeInvalid
    )
}
