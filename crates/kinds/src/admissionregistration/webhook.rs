//! Configurations of webhooks.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_1035_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Cx, Definition, Release};
use sprag_schema::accept::webhook::{validate_service, validate_url};
use sprag_schema::crd::Service;
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::match_condition::{expressions, validate_match_conditions};
use super::rule::validate_rule;
use super::{define, strategy};
use crate::columns::text;
use crate::core::internal::{Form, internal_value};
use crate::core::pod::Seen;
use crate::meta::{is_valid_selector, validate_label_selector};
use crate::views::admissionregistration_v1::{MutatingWebhook, MutatingWebhookConfiguration, WebhookClientConfig};

const SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun", "Some", "Unknown"];
const NO_SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun"];
/// The versions of reviews that servers of the release before understand.
const REVIEW_VERSIONS: &[&str] = &["v1", "v1beta1"];
/// Resources that webhooks are not called for.
const EXCLUDED: &[(&str, &str)] = &[
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
];

/// The definition of `validatingwebhookconfigurations`.
pub(super) fn validating_webhook_configurations(release: Release) -> Definition {
    webhook_configurations(release, "ValidatingWebhookConfiguration")
}

/// The definition of `mutatingwebhookconfigurations`.
pub(super) fn mutating_webhook_configurations(release: Release) -> Definition {
    webhook_configurations(release, "MutatingWebhookConfiguration")
}

fn webhook_configurations(release: Release, kind: &str) -> Definition {
    let strategy = strategy(validate, excluded_warnings).generation_of("webhooks").counts_unprinted();
    let mut definition = define(release, kind, strategy);
    let count = text("Webhooks", "Number of webhooks.", |object| {
        i64::try_from(webhooks(object).len()).unwrap_or(i64::MAX).into()
    });
    definition.versions[0].columns = vec![Column { kind: "integer".into(), ..count }, Column::age()];
    definition
}

/// The webhooks of a configuration of either kind: mutating ones have all fields of validating ones.
fn webhooks(object: &Value) -> List<'_, MutatingWebhook<'_>> {
    MutatingWebhookConfiguration::view(Some(object)).webhooks()
}

/// The relaxations for values that the old object already has, as upstream's `validation.validationOptions`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each off or on")]
struct Options<'v> {
    ignore_match_conditions: bool,
    require_no_side_effects: bool,
    require_recognized_version: bool,
    require_unique_names: bool,
    allow_bad_label_values: bool,
    known: Vec<&'v str>,
}

impl<'v> Options<'v> {
    fn new(new: &Value, old: Option<&'v Value>, root: &At<'_>) -> Options<'v> {
        let Some(old) = old else {
            return Options {
                ignore_match_conditions: false,
                require_no_side_effects: true,
                require_recognized_version: true,
                require_unique_names: true,
                allow_bad_label_values: false,
                known: Vec::new(),
            };
        };
        let new = webhooks(new);
        let old = webhooks(old);
        let same_conditions = |(new, old): (MutatingWebhook<'_>, MutatingWebhook<'_>)| {
            new.as_value().get("matchConditions") == old.as_value().get("matchConditions")
        };
        let mut names = Seen::new();
        let is_bad = |hook: MutatingWebhook<'_>| {
            let mut selectors = [hook.namespace_selector(), hook.object_selector()].into_iter().flatten();
            selectors.any(|selector| !is_valid_selector(selector, root))
        };
        Options {
            ignore_match_conditions: new.len() == old.len() && new.iter().zip(old.iter()).all(same_conditions),
            require_no_side_effects: old
                .iter()
                .all(|hook| hook.side_effects().is_some_and(|effects| NO_SIDE_EFFECTS.contains(&effects))),
            require_recognized_version: old.iter().all(|hook| {
                let versions = hook.admission_review_versions();
                versions.is_empty() || versions.iter().any(|version| REVIEW_VERSIONS.contains(&version))
            }),
            require_unique_names: old.iter().all(|hook| names.insert(hook.name())),
            allow_bad_label_values: old.iter().any(is_bad),
            known: old.iter().flat_map(|hook| expressions(hook.match_conditions())).collect(),
        }
    }
}

/// As upstream's `validation.validateValidatingWebhookConfiguration` and `validateMutatingWebhookConfiguration`.
fn validate(new: &Value, old: Option<&Value>, root: &At<'_>, errors: &mut Errors) {
    let options = Options::new(new, old, root);
    let at = root.child("webhooks");
    let mut names = Seen::new();
    for (index, hook) in webhooks(new).iter().enumerate() {
        let at = at.index(index);
        validate_webhook(hook, &options, &at, errors);
        if !hook.check_admission_review_versions(&at, errors) {
            validate_review_versions(hook, &options, &at.child("admissionReviewVersions"), errors);
        }
        if options.require_unique_names && !hook.name().is_empty() && !names.insert(hook.name()) {
            errors.push(Error::duplicate(&at.child("name"), hook.name()));
        }
    }
}

/// As upstream's `validation.validateValidatingWebhook` and `validateMutatingWebhook`.
fn validate_webhook(hook: MutatingWebhook<'_>, options: &Options<'_>, at: &At<'_>, errors: &mut Errors) {
    if !hook.check_name(at, errors) {
        validate_name(hook.name(), &at.child("name"), errors);
    }
    let at_rules = at.child("rules");
    for (index, rule) in hook.rules().iter().enumerate() {
        validate_rule(rule, &at_rules.index(index), errors);
    }
    hook.check_failure_policy(at, errors);
    hook.check_match_policy(at, errors);
    let at_effects = at.child("sideEffects");
    let allowed = options.side_effects();
    if hook.side_effects().is_none() {
        errors.push(Error::required(&at_effects, format!("must specify one of {}", allowed.join(", "))));
    }
    if let Some(effects) = hook.side_effects().filter(|effects| !allowed.contains(effects)) {
        errors.push(Error::not_supported(&at_effects, BadValue::json_str(effects), allowed));
    }
    if let Some(seconds) = hook.timeout_seconds().filter(|seconds| !(1..=30).contains(seconds)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(Error::invalid(&at.child("timeoutSeconds"), seconds, detail));
    }
    let selectors = [("namespaceSelector", hook.namespace_selector()), ("objectSelector", hook.object_selector())];
    for (name, selector) in selectors {
        if let Some(selector) = selector {
            validate_label_selector(selector, options.allow_bad_label_values, &at.child(name), errors);
        }
    }
    hook.check_reinvocation_policy(at, errors);
    validate_client(hook.client_config(), &at.child("clientConfig"), errors);
    if !options.ignore_match_conditions {
        hook.check_match_conditions(at, errors);
        let at = at.child("matchConditions");
        validate_match_conditions(hook.match_conditions(), false, &options.known, &at, errors);
    }
}

impl Options<'_> {
    fn side_effects(&self) -> &'static [&'static str] {
        if self.require_no_side_effects { NO_SIDE_EFFECTS } else { SIDE_EFFECTS }
    }
}

/// As upstream's `validation.IsFullyQualifiedName`.
fn validate_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let mut flaws = Vec::new();
    dns_subdomain(name, Usage::Name, &mut |flaw| flaws.push(flaw));
    if !flaws.is_empty() {
        errors.push(Error::invalid(at, name, flaws.join(",")));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(Error::invalid(at, name, detail));
    }
}

fn validate_client(client: WebhookClientConfig<'_>, at: &Path<'_>, errors: &mut Errors) {
    match (client.url(), client.service()) {
        (Some(url), None) => validate_url(url, &at.child("url"), errors),
        (None, Some(service)) => {
            let service = Service {
                namespace: service.namespace().into(),
                name: service.name().into(),
                path: service.path().map(Into::into),
                port: service.port().unwrap_or_default(),
            };
            validate_service(&service, &at.child("service"), errors);
        }
        _ => errors.push(Error::required(at, "exactly one of url or service is required")),
    }
}

/// As upstream's `validation.validateAdmissionReviewVersions`, of a list that is not empty.
fn validate_review_versions(hook: MutatingWebhook<'_>, options: &Options<'_>, at: &Path<'_>, errors: &mut Errors) {
    let versions = hook.admission_review_versions();
    let mut seen = Seen::new();
    for (index, version) in versions.iter().enumerate() {
        let at = at.index(index);
        if !seen.insert(version) {
            errors.push(Error::invalid(&at, version, "duplicate version"));
            continue;
        }
        dns_1035_label(version, Usage::Name, &mut |flaw| errors.push(Error::invalid(&at, version, flaw)));
    }
    if options.require_recognized_version && !versions.iter().any(|version| REVIEW_VERSIONS.contains(&version)) {
        let value = internal_value(hook.as_value().get("admissionReviewVersions"), Form::Plain);
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(Error::invalid(at, value, detail));
    }
}

/// As upstream's `validation.WarningsForValidatingWebhookRules` and `WarningsForMutatingWebhookRules`.
fn excluded_warnings(cx: &Cx<'_>, object: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    if !cx.gates.enabled("ExcludeAdmissionWebhookVirtualResources") {
        return warnings;
    }
    for (hook_index, hook) in webhooks(object).iter().enumerate() {
        for (index, rule) in hook.rules().iter().enumerate() {
            let groups = rule.rule().api_groups();
            let resources = rule.rule().resources();
            if groups.iter().chain(resources.iter()).any(|name| name == "*") {
                continue;
            }
            let pairs = groups.iter().flat_map(|group| resources.iter().map(move |resource| (group, resource)));
            let mut found: Vec<(&str, &str)> = Vec::new();
            for pair in pairs.filter(|pair| EXCLUDED.contains(pair)) {
                if !found.contains(&pair) {
                    found.push(pair);
                }
            }
            warnings.extend(found.into_iter().map(|(group, resource)| {
                format!(
                    "webhooks[{hook_index}].rules[{index}]: {resource}.{group} is excluded from admission webhooks; this \
                     rule will have no effect"
                )
            }));
        }
    }
    warnings
}
