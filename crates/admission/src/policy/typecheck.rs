//! Type checking of policies: whether their expressions fit the kinds they are about.
//!
//! Policies see objects without types when they run. Type errors found against the schemas of the matched kinds are reported in the status of
//! the policy and reject nothing.

use std::sync::Arc;

use sprag_cel::{DeclField, DeclType, Encoding, ListKind, Type};
use sprag_kinds::admissionregistration::expression::{Compiler, KnownTypes, Scope};
use sprag_registry::Registry;
use sprag_rest::{Definition, split_api_version};
use sprag_schema::cel_name;
use sprag_shape::{Kind, Shapes, TypeId};
use sprag_value::Value;

/// Maximum number of kinds checked per rule, as upstream's `maxTypesToCheck`.
const MAX_KINDS: usize = 10;

/// A warning about an expression of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionWarning {
    /// The field of the policy.
    pub field_ref: String,
    /// The type errors, kind by kind.
    pub warning: String,
}

/// Checks the expressions of a validating policy against the types of matched kinds.
// As upstream's validating.TypeChecker.Check.
pub fn check_types(registry: &Registry, policy: &Value) -> Vec<ExpressionWarning> {
    let Some(spec) = policy.get("spec") else { return Vec::new() };
    let definitions = registry.definitions();
    let kinds: Vec<(String, Arc<DeclType>)> = kinds_of(&definitions, spec)
        .into_iter()
        .filter_map(|(definition, version)| {
            let group = definition.group();
            let kind = &definition.kind;
            Some((format!("{group}/{version}, Kind={kind}"), declare(&definition, &version, kind)?))
        })
        .collect();
    let param_kind = spec.get("paramKind").filter(|kind| !kind.is_null());
    let params = param_kind.and_then(|kind| {
        let (group, version) = split_api_version(kind.text("apiVersion"));
        let is_kind =
            |definition: &&Arc<Definition>| definition.group() == group && definition.kind == kind.text("kind");
        declare(definitions.iter().find(is_kind)?, version, "params")
    });
    let scope = Scope { params: param_kind.is_some(), authorizer: true, patches: false };
    let compilers: Vec<(&str, Compiler)> = kinds
        .iter()
        .map(|(name, object)| {
            let known = KnownTypes { object: object.clone(), params: params.clone() };
            let mut compiler = Compiler::for_types(known, registry.gates().release());
            for variable in list(spec, "variables") {
                // An error in a variable is reported by the expressions that use it.
                let _ = compiler.define(variable.text("name"), variable.text("expression"), scope, true);
            }
            (name.as_str(), compiler)
        })
        .collect();
    let mut warnings = Vec::new();
    for (index, validation) in list(spec, "validations").enumerate() {
        for member in ["expression", "messageExpression"] {
            let expression = validation.text(member);
            if member == "messageExpression" && expression.is_empty() {
                continue;
            }
            let issues = compilers
                .iter()
                .filter_map(|(name, compiler)| Some(format!("{name}: {}\n", compiler.issues(expression, scope)?)));
            let issues: Vec<String> = issues.collect();
            if !issues.is_empty() {
                let field_ref = format!("spec.validations[{index}].{member}");
                warnings.push(ExpressionWarning { field_ref, warning: issues.join("\n") });
            }
        }
    }
    warnings
}

fn list<'v>(spec: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    spec.get(member).and_then(Value::as_array).into_iter().flatten()
}

/// The kinds that a policy names without wildcards, sorted.
// As upstream's TypeChecker.typesToCheck.
fn kinds_of(definitions: &[Arc<Definition>], spec: &Value) -> Vec<(Arc<Definition>, String)> {
    let mut found: Vec<(Arc<Definition>, String)> = Vec::new();
    let rules = spec.get("matchConstraints").map(|constraints| list(constraints, "resourceRules"));
    for rule in rules.into_iter().flatten() {
        let names = |member: &str| {
            let mut names: Vec<&str> = list(rule, member).filter_map(Value::as_str).collect();
            names.sort_unstable();
            names
        };
        let groups = names("apiGroups");
        let versions = names("apiVersions");
        if groups.iter().chain(&versions).any(|name| name.contains('*')) {
            continue;
        }
        let mut count = 0;
        for (group, version) in groups.iter().flat_map(|group| versions.iter().map(move |version| (*group, *version))) {
            for resource in names("resources").into_iter().filter(|resource| !resource.contains(['*', '/'])) {
                let is_resource = |definition: &&Arc<Definition>| {
                    definition.group() == group
                        && definition.resource.resource == resource
                        && definition.version(version).is_some_and(|version| version.served)
                };
                let Some(definition) = definitions.iter().find(is_resource) else { continue };
                let is_known =
                    |(known, its): &(Arc<Definition>, String)| known.resource == definition.resource && its == version;
                if count < MAX_KINDS && !found.iter().any(is_known) {
                    found.push((definition.clone(), version.to_owned()));
                }
                count += 1;
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| (a.group(), x, &a.kind).cmp(&(b.group(), y, &b.kind)));
    found
}

/// The type of the objects of a kind.
// As upstream's common.SchemaDeclType over the published schema.
fn declare(definition: &Definition, version: &str, name: &str) -> Option<Arc<DeclType>> {
    let (shapes, id) = definition.scheme.shape(version)?;
    Walk { shapes, open: Vec::new() }.ty(id, name).map(Arc::new)
}

struct Walk<'s> {
    shapes: &'s Shapes,
    /// The types that the walk is in; one within itself is hidden from expressions.
    open: Vec<TypeId>,
}

impl Walk<'_> {
    /// The type; nothing for what expressions cannot see.
    fn ty(&mut self, id: TypeId, name: &str) -> Option<DeclType> {
        const MANY: u64 = u64::MAX;
        if self.open.contains(&id) {
            return None;
        }
        let shape = self.shapes.get(id);
        Some(match &shape.kind {
            Kind::String | Kind::Duration => DeclType::scalar(Type::String, MANY),
            Kind::Bool => DeclType::scalar(Type::Bool, MANY),
            Kind::Int { .. } => DeclType::scalar(Type::Int, MANY),
            Kind::Float { .. } => DeclType::scalar(Type::Double, MANY),
            Kind::Bytes => DeclType::encoded(Type::Bytes, Encoding::Base64, MANY),
            Kind::Time | Kind::MicroTime => DeclType::encoded(Type::Timestamp, Encoding::DateTime, MANY),
            Kind::IntOrString => DeclType::int_or_string(MANY),
            Kind::List { elem, .. } => {
                let element = self.ty(elem.id, &format!("{name}.@idx"))?;
                DeclType::list(Arc::new(element), MANY, ListKind::Atomic)
            }
            Kind::Map { value, .. } => {
                let value = self.ty(value.id, &format!("{name}.@elem"))?;
                let key = Arc::new(DeclType::scalar(Type::String, MANY));
                DeclType::map(key, Arc::new(value), MANY)
            }
            Kind::Struct { .. } => self.object(id, name),
            Kind::RawExtension => DeclType::object(name.into(), Vec::new(), MANY),
            // Upstream's schemas of these have no single type.
            _ => return None,
        })
    }

    fn object(&mut self, id: TypeId, name: &str) -> DeclType {
        self.open.push(id);
        let mut fields = Vec::new();
        for field in self.shapes.sorted_fields(id) {
            let Some(escaped) = cel_name(&field.json) else { continue };
            let escaped = escaped.into_owned();
            if let Some(ty) = self.ty(field.ty.id, &format!("{name}.{escaped}")) {
                fields.push(DeclField { name: escaped, key: field.json.to_string(), ty: Arc::new(ty) });
            }
        }
        self.open.pop();
        DeclType::object(name.into(), fields, u64::MAX)
    }
}
