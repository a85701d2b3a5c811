//! Validation of an object, beside its metadata.

use sprag_field::{Error, Errors, Path, Warning};
use sprag_value::Value;

use super::{CustomResource, finalizers, metadata, prepare};
use crate::ratchet::Correlated;
use crate::rules::{self, Ratcheting};
use crate::schema::Schema;
use crate::validate::{Findings, validate};
use crate::{embedded, go_syntax, list_type, scale};

impl CustomResource {
    /// Checks a new object that was prepared and is of the right type. `errors` has what was found in its metadata.
    pub fn validate_create(&self, object: &Value, errors: &mut Errors) {
        let mut checks = Checks::new(self, std::mem::take(errors));
        if checks.type_meta(object) {
            checks.new_values(object);
        }
        checks.new_parts(object);
        *errors = checks.into_errors();
    }

    /// The same for an object that replaces `old`. What rules say against parts that have not changed are warnings.
    pub fn validate_update(&self, object: &Value, old: &Value, errors: &mut Errors) {
        let mut checks = Checks::new(self, std::mem::take(errors));
        let correlated = self.correlated(object, old, prepare::has_changed(object, old));
        if checks.type_meta(object) {
            checks.changed_values(object, correlated.as_ref());
        }
        checks.changed_parts(object, old, correlated.as_ref());
        *errors = checks.into_errors();
    }

    /// The same for an object whose status replaces that of `old`.
    pub fn validate_status(&self, object: &Value, old: &Value, errors: &mut Errors) {
        let mut checks = Checks::new(self, std::mem::take(errors));
        checks.status_values(object, old);
        checks.status_parts(object, old);
        *errors = checks.into_errors();
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

/// The checks of one object.
struct Checks<'r> {
    resource: &'r CustomResource,
    /// The number of errors that were found in metadata before.
    mark: usize,
    errors: Errors,
    forgiven: Errors,
    forgiven_rules: Errors,
}

impl<'r> Checks<'r> {
    fn new(resource: &'r CustomResource, errors: Errors) -> Self {
        let mark = errors.len();
        Self { resource, mark, errors, forgiven: Errors::new(), forgiven_rules: Errors::new() }
    }

    /// The errors, with ratcheted rules as warnings.
    fn into_errors(mut self) -> Errors {
        let release = self.resource.release;
        go_syntax::convert(release, self.errors.since_mut(self.mark));
        go_syntax::convert(release, self.forgiven.since_mut(0));
        go_syntax::convert(release, self.forgiven_rules.since_mut(0));
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

    /// True if the object is of the right type, without which its metadata and values are not checked.
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
        self.errors.append(findings.errors);
        self.forgiven.append(findings.forgiven);
    }

    fn status(&mut self, schema: &Schema, object: &Value, old: &Value) {
        let (Some(node), Some(status)) = (schema.root().properties.get("status"), object.get("status")) else { return };
        let correlated = Correlated::root(node, status, old.get("status").unwrap_or(&Value::Null));
        let mut findings = self.findings();
        validate(node, status, self.ratcheted(Some(&correlated)), &mut findings);
        for error in findings.errors.since_mut(0).iter_mut().chain(findings.forgiven.since_mut(0)) {
            error.field = match error.field.as_str() {
                "<nil>" => "status".to_owned(),
                field => format!("status.{field}"),
            };
            if let Some(part) = &mut error.forgiven_while_unchanged {
                part.path = match part.path.as_str() {
                    "" => "status".to_owned(),
                    path => format!("status.{path}"),
                };
            }
        }
        self.errors.append(findings.errors);
        self.forgiven.append(findings.forgiven);
    }

    fn findings(&self) -> Findings {
        if self.errors.lists_tolerated() { Findings::listing_forgiven() } else { Findings::default() }
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
        // Errors that were only counted may be of any kind.
        if self.errors.omitted() > 0 || self.errors.iter().any(|error| blocks_rules(error.kind)) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing \
                          errors to complete validation";
            return self.errors.push(Error::invalid(&Path::ROOT, sprag_field::BadValue::Nil, detail));
        }
        let findings = rules::run(tree, schema.root(), object, old, self.resource.ratcheting);
        self.errors.append(findings.errors);
        self.forgiven_rules.append(findings.forgiven);
    }
}

/// True if rules could stumble over a value with such an error.
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
