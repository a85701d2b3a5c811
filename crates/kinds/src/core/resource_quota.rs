//! Resource quotas: how much of which resources a namespace may use.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, SubresourceConfig};
use sprag_value::view::{List, Map, View};
use sprag_value::{Quantity, Value};

use super::internal::{Field, Form, internal_value};
use super::persistent_volume_claim::member;
use super::pod::{is_standard_resource, round, validate_resource_quantity};
use crate::columns::text;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::core_v1::{ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement};

/// `core.ScopedResourceSelectorRequirement`.
const REQUIREMENT_FIELDS: &[Field] =
    &[("ScopeName", "scopeName", Form::Text), ("Operator", "operator", Form::Text), ("Values", "values", Form::Plain)];

/// `core.ScopeSelector`.
const SELECTOR_FIELDS: &[Field] = &[("MatchExpressions", "matchExpressions", Form::Structs(REQUIREMENT_FIELDS))];

/// Scopes that exclude each other.
const CONFLICTS: [(&str, &str); 2] = [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")];

const NEEDS_EXISTS: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
    ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
    ResourceQuotaScopeCrossNamespacePodAffinity";

/// The definition of `resourcequotas`.
pub(crate) fn resource_quotas(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(["metadata", "status"]).validate_update(|cx, new, _, errors| {
        validate_finalizers(new, errors);
        validate_status(quota(new), &cx.root(), errors);
    });
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(quota(new).spec(), &cx.root(), errors);
            validate_status(quota(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_spec(quota(new).spec(), &cx.root(), errors);
            validate_scopes_kept(quota(new).spec(), quota(old).spec(), errors);
        })
        .warnings_on_create(|cx, new| {
            if cx.gates.release().has(Fact::WarnsOfQuotas) { warnings(quota(new).spec()) } else { Vec::new() }
        })
        .status(status)
        .without_generation();
    let resource = program::resource(release, "", "v1", "ResourceQuota").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["quota".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns = vec![
        text("Request", "Used and allowed requests and counts.", |object| usage(quota(object), false).into()),
        text("Limit", "Used and allowed limits.", |object| usage(quota(object), true).into()),
        Column::age(),
    ];
    definition
}

fn quota(object: &Value) -> ResourceQuota<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_ResourceQuota`.
fn complete(object: &mut Value) {
    member(object, "spec", |spec| round(spec, "hard"));
    member(object, "status", |status| {
        round(status, "hard");
        round(status, "used");
    });
}

/// As upstream's `validation.ValidateResourceQuotaStatus`.
fn validate_status(quota: ResourceQuota<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let status = quota.status();
    status.check_hard(&at, errors);
    validate_amounts(status.hard(), &at.child("hard"), errors);
    status.check_used(&at, errors);
    validate_amounts(status.used(), &at.child("used"), errors);
}

fn validate_amounts(amounts: Map<'_, Quantity>, at: &Path<'_>, errors: &mut Errors) {
    for (name, amount) in amounts.iter() {
        let at = at.key(name);
        validate_name(name, &at, errors);
        validate_resource_quantity(name, &amount, &at, errors);
    }
}

/// As upstream's `validation.ValidateResourceQuotaResourceName`, after the rules of all names of resources.
fn validate_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if !name.contains('/') && !is_quota_resource(name) {
        errors.push(Error::invalid(at, BadValue::json_str(name), "must be a standard resource for quota"));
    }
}

/// As upstream's `helper.IsStandardQuotaResourceName`: all standard resources but one.
fn is_quota_resource(name: &str) -> bool {
    name != "storage" && is_standard_resource(name)
}

/// As upstream's `validation.ValidateResourceQuotaSpec`.
fn validate_spec(spec: ResourceQuotaSpec<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    spec.check_hard(&at, errors);
    validate_amounts(spec.hard(), &at.child("hard"), errors);
    validate_scopes(spec, &at.child("scopes"), errors);
    validate_scope_selector(spec, &at.child("scopeSelector"), errors);
}

/// As upstream's `validation.validateResourceQuotaScopes`.
fn validate_scopes(spec: ResourceQuotaSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let shown = || shown(spec);
    for scope in spec.scopes().iter() {
        if !is_scope(scope) {
            errors.push(Error::invalid(at, shown(), "unsupported scope"));
        }
        for _ in misplaced(spec, scope) {
            errors.push(Error::invalid(at, shown(), "unsupported scope applied to resource"));
        }
    }
    for () in conflicts(|scope| spec.scopes().iter().any(|other| other == scope)) {
        errors.push(Error::invalid(at, shown(), "conflicting scopes"));
    }
}

fn shown(spec: ResourceQuotaSpec<'_>) -> BadValue {
    internal_value(spec.as_value().get("scopes"), Form::Plain)
}

/// The pairs of scopes that exclude each other and are both there.
fn conflicts(has: impl Fn(&str) -> bool) -> impl Iterator<Item = ()> {
    CONFLICTS.into_iter().filter(move |(one, other)| has(one) && has(other)).map(|_| ())
}

/// As upstream's `helper.IsStandardResourceQuotaScope`.
fn is_scope(scope: &str) -> bool {
    matches!(
        scope,
        "Terminating"
            | "NotTerminating"
            | "BestEffort"
            | "NotBestEffort"
            | "PriorityClass"
            | "VolumeAttributesClass"
            | "CrossNamespacePodAffinity"
    )
}

/// The limited resources that a scope does not apply to.
fn misplaced<'v>(spec: ResourceQuotaSpec<'v>, scope: &'v str) -> impl Iterator<Item = &'v str> {
    spec.hard().keys().filter(move |name| is_quota_resource(name) && !applies(scope, name))
}

/// As upstream's `helper.IsResourceQuotaScopeValidForResource`.
fn applies(scope: &str, name: &str) -> bool {
    let is_compute =
        matches!(name, "cpu" | "memory" | "limits.cpu" | "limits.memory" | "requests.cpu" | "requests.memory");
    match scope {
        "Terminating" | "NotTerminating" | "NotBestEffort" | "PriorityClass" | "CrossNamespacePodAffinity" => {
            name == "pods" || is_compute
        }
        "BestEffort" => name == "pods",
        "VolumeAttributesClass" => matches!(name, "persistentvolumeclaims" | "requests.storage"),
        _ => true,
    }
}

/// As upstream's `validation.validateScopedResourceSelectorRequirement`.
fn validate_scope_selector(spec: ResourceQuotaSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let Some(selector) = spec.scope_selector() else { return };
    let at = at.child("matchExpressions");
    let requirements = selector.match_expressions();
    for requirement in requirements.iter() {
        let scope = requirement.scope_name();
        if !is_scope(scope) {
            errors.push(Error::invalid(&at.child("scopeName"), BadValue::json_str(scope), "unsupported scope"));
        }
        for _ in misplaced(spec, scope) {
            let shown = internal_value(Some(selector.as_value()), Form::Struct(SELECTOR_FIELDS));
            errors.push(Error::invalid(&at, shown, "unsupported scope applied to resource"));
        }
        validate_operator(requirement, &at, errors);
    }
    for () in conflicts(|scope| requirements.iter().any(|requirement| requirement.scope_name() == scope)) {
        // As upstream, which shows the other field.
        errors.push(Error::invalid(&at, shown(spec), "conflicting scopes"));
    }
}

fn validate_operator(requirement: ScopedResourceSelectorRequirement<'_>, at: &Path<'_>, errors: &mut Errors) {
    let scope = requirement.scope_name();
    let operator = requirement.operator();
    let invalid = |detail| Error::invalid(&at.child("operator"), BadValue::json_str(operator), detail);
    let is_flag = matches!(
        scope,
        "BestEffort" | "NotBestEffort" | "Terminating" | "NotTerminating" | "CrossNamespacePodAffinity"
    );
    if is_flag && operator != "Exists" {
        errors.push(invalid(NEEDS_EXISTS));
    }
    let values: List<'_, &str> = requirement.values();
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
            errors.push(Error::required(&at.child("values"), detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let shown = internal_value(requirement.as_value().get("values"), Form::Plain);
            let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
            errors.push(Error::invalid(&at.child("values"), shown, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => errors.push(invalid("not a valid selector operator")),
    }
}

/// The end of upstream's `validation.ValidateResourceQuotaUpdate`.
fn validate_scopes_kept(new: ResourceQuotaSpec<'_>, old: ResourceQuotaSpec<'_>, errors: &mut Errors) {
    let covers = |these: ResourceQuotaSpec<'_>, those: ResourceQuotaSpec<'_>| {
        those.scopes().iter().all(|scope| these.scopes().iter().any(|other| other == scope))
    };
    if !covers(new, old) || !covers(old, new) {
        let spec = Path::new("spec");
        errors.push(Error::invalid(&spec.child("scopes"), shown(new), "field is immutable"));
    }
}

/// As upstream's `resourcequota.resourcequotaStrategy.WarningsOnCreate`.
fn warnings(spec: ResourceQuotaSpec<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for name in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let mut request_name = format!("requests.{name}");
        let limit_name = format!("limits.{name}");
        let mut request = spec.hard().get(&request_name);
        if request.is_none() && matches!(name, "cpu" | "memory") {
            request_name = name.into();
            request = spec.hard().get(name);
        }
        let (Some(request), Some(limit)) = (request, spec.hard().get(&limit_name)) else { continue };
        if request > limit {
            out.push(format!("ResourceQuota {request_name} ({request}) should be less than {limit_name} ({limit})"));
        }
    }
    out
}

/// As upstream's `printers.printResourceQuota`: the limits, or all others.
fn usage(quota: ResourceQuota<'_>, of_limits: bool) -> String {
    let hard = quota.status().hard();
    let used = quota.status().used();
    let shown = hard.iter().filter(|(name, _)| name.starts_with("limits.") == of_limits);
    let shown = shown.map(|(name, hard)| format!("{name}: {}/{hard}", used.get(name).unwrap_or_default()));
    shown.collect::<Vec<_>>().join(", ")
}
