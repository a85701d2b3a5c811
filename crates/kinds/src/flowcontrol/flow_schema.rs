//! Flow schemas: which requests belong to which priority level.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::{Column, Definition, Release, StrategyConfig, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::{GROUP, mandatory, validate_conditions};
use crate::columns::{integer, text};
use crate::core::internal::{Form, internal_struct, internal_value, same_struct};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::flowcontrol_v1::{
    FlowSchema, FlowSchemaSpec, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule,
    ServiceAccountSubject, Subject,
};

const METHODS: &[&str] = &["ByNamespace", "ByUser"];
const SUBJECT_KINDS: &[&str] = &["Group", "ServiceAccount", "User"];
const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const MAX_PRECEDENCE: i64 = 10_000;
const EXEMPT: &str = "exempt";

/// The definition of `flowschemas`.
pub(super) fn flow_schemas(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .no_metadata_as_changed()
        .prepare_for_update(|_, new, old| super::keep_metadata(new, old))
        .validate_update(|cx, new, _, errors| validate_status(schema(new), &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .no_metadata_as_changed()
        .validate(|cx, new, errors| validate(new, &cx.root(), errors))
        .validate_update(|cx, new, _, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate(new, &cx.root(), errors);
        })
        .status(status);
    let resource = program::resource(release, GROUP, "v1", "FlowSchema");
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn schema(object: &Value) -> FlowSchema<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateFlowSchema`.
fn validate(new: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new, errors);
    let at = root.child("spec");
    let schema = schema(new);
    let name = meta::name(new);
    validate_spec(name, schema.spec(), &at, errors);
    let fixed = mandatory::flow_schema_spec(name);
    let spec = schema.spec().as_value();
    if fixed.is_some_and(|fixed| !same_struct("v1.FlowSchemaSpec", spec, &fixed)) {
        let detail = format!("spec of '{name}' must equal the fixed value");
        errors.push(Error::invalid(&at, internal_struct(errors.release(), "v1.FlowSchemaSpec", Some(spec)), detail));
    }
    validate_status(schema, root, errors);
}

fn validate_status(schema: FlowSchema<'_>, root: &At<'_>, errors: &mut Errors) {
    let conditions = schema.status().conditions();
    let check = |index, at: &At<'_>, errors: &mut Errors| {
        if let Some(condition) = conditions.get(index) {
            condition.check_kind(at, errors);
        }
    };
    validate_conditions(conditions.iter().map(|condition| condition.kind()), check, root, errors);
}

/// As upstream's `validation.ValidateFlowSchemaSpec`.
fn validate_spec(name: &str, spec: FlowSchemaSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    validate_precedence(name, spec.matching_precedence(), &at.child("matchingPrecedence"), errors);
    let method = spec.distinguisher_method();
    if let Some(method) = method.filter(|method| !METHODS.contains(&method.kind())) {
        // Upstream shows the method where it names the type.
        let value = internal_struct(errors.release(), "v1.FlowDistinguisherMethod", Some(method.as_value()));
        let at = at.child("distinguisherMethod");
        errors.push(Error::not_supported(&at.child("type"), value, METHODS));
    }
    spec.priority_level_configuration().check_name(&at.child("priorityLevelConfiguration"), errors);
    let at = at.child("rules");
    for (index, rule) in spec.rules().iter().enumerate() {
        validate_rule(rule, &at.index(index), errors);
    }
}

fn validate_precedence(name: &str, precedence: i64, at: &At<'_>, errors: &mut Errors) {
    let mut refuse = |detail: &'static str| errors.push(Error::invalid(at, precedence, detail));
    if precedence <= 0 {
        refuse("must be a positive value");
    }
    if precedence > MAX_PRECEDENCE {
        refuse("must not be greater than 10000");
    }
    if precedence == 1 && name != EXEMPT {
        refuse("only the schema named 'exempt' may have matchingPrecedence 1");
    }
}

/// As upstream's `validation.ValidateFlowSchemaPolicyRulesWithSubjects`.
fn validate_rule(rule: PolicyRulesWithSubjects<'_>, at: &At<'_>, errors: &mut Errors) {
    rule.check_subjects(at, errors);
    let at_subjects = at.child("subjects");
    for (index, subject) in rule.subjects().iter().enumerate() {
        validate_subject(subject, &at_subjects.index(index), errors);
    }
    if rule.resource_rules().is_empty() && rule.non_resource_rules().is_empty() {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.push(Error::required(at, detail));
    }
    let at_rules = at.child("resourceRules");
    for (index, rule) in rule.resource_rules().iter().enumerate() {
        validate_resource_rule(rule, &at_rules.index(index), errors);
    }
    let at_rules = at.child("nonResourceRules");
    for (index, rule) in rule.non_resource_rules().iter().enumerate() {
        validate_non_resource_rule(rule, &at_rules.index(index), errors);
    }
}

/// As upstream's `validation.ValidateFlowSchemaSubject`.
fn validate_subject(subject: Subject<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = subject.kind();
    match kind {
        "ServiceAccount" => {
            subject.check_service_account(at, errors);
            if let Some(account) = subject.service_account() {
                validate_service_account(account, &at.child("serviceAccount"), errors);
            }
        }
        "User" => {
            subject.check_user(at, errors);
            if let Some(user) = subject.user() {
                user.check_name(&at.child("user"), errors);
            }
        }
        "Group" => {
            subject.check_group(at, errors);
            if let Some(group) = subject.group() {
                group.check_name(&at.child("group"), errors);
            }
        }
        _ => return errors.push(Error::not_supported(&at.child("kind"), BadValue::json_str(kind), SUBJECT_KINDS)),
    }
    if kind != "ServiceAccount" && subject.service_account().is_some() {
        let detail = "serviceAccount is forbidden when subject kind is not 'ServiceAccount'";
        errors.push(Error::forbidden(&at.child("serviceAccount"), detail));
    }
    if kind != "User" && subject.user().is_some() {
        errors.push(Error::forbidden(&at.child("user"), "user is forbidden when subject kind is not 'User'"));
    }
    if kind != "Group" && subject.group().is_some() {
        errors.push(Error::forbidden(&at.child("group"), "group is forbidden when subject kind is not 'Group'"));
    }
}

/// As upstream's `validation.ValidateServiceAccountSubject`.
fn validate_service_account(account: ServiceAccountSubject<'_>, at: &At<'_>, errors: &mut Errors) {
    let name = account.name();
    let at_name = at.child("name");
    match name {
        "" => errors.push(Error::required(&at_name, "")),
        "*" => {}
        _ => dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&at_name, name, detail))),
    }
    account.check_namespace(at, errors);
}

/// As upstream's `validation.ValidateFlowSchemaResourcePolicyRule`.
fn validate_resource_rule(rule: ResourcePolicyRule<'_>, at: &At<'_>, errors: &mut Errors) {
    let members = |name| internal_value(rule.as_value().get(name), Form::Plain);
    rule.check_verbs(at, errors);
    validate_verbs(rule.verbs(), members("verbs"), &at.child("verbs"), errors);
    rule.check_api_groups(at, errors);
    if is_crowded(rule.api_groups()) {
        let detail = "if '*' is present, must not specify other api groups";
        errors.push(Error::invalid(&at.child("apiGroups"), members("apiGroups"), detail));
    }
    rule.check_resources(at, errors);
    if is_crowded(rule.resources()) {
        let detail = "if '*' is present, must not specify other resources";
        errors.push(Error::invalid(&at.child("resources"), members("resources"), detail));
    }
    let at = at.child("namespaces");
    let namespaces = rule.namespaces();
    if namespaces.is_empty() && !rule.cluster_scope() {
        let detail = "resource rules that are not cluster scoped must supply at least one namespace";
        errors.push(Error::required(&at, detail));
    } else if is_crowded(namespaces) {
        let detail = "if '*' is present, must not specify other namespaces";
        errors.push(Error::invalid(&at, members("namespaces"), detail));
    } else if !has_wildcard(namespaces) {
        for (index, namespace) in namespaces.iter().enumerate() {
            let at = at.index(index);
            dns_label(namespace, Usage::Name, &mut |detail| {
                let detail = format!("each member of this list must be '*' or a DNS-1123 label; {detail}");
                errors.push(Error::invalid(&at, namespace, detail));
            });
        }
    }
}

/// As upstream's `validation.ValidateFlowSchemaNonResourcePolicyRule`.
fn validate_non_resource_rule(rule: NonResourcePolicyRule<'_>, at: &At<'_>, errors: &mut Errors) {
    let members = |name| internal_value(rule.as_value().get(name), Form::Plain);
    rule.check_verbs(at, errors);
    validate_verbs(rule.verbs(), members("verbs"), &at.child("verbs"), errors);
    rule.check_non_resource_urls(at, errors);
    let at = at.child("nonResourceURLs");
    let urls = rule.non_resource_urls();
    if is_crowded(urls) {
        let detail = "if '*' is present, must not specify other non-resource URLs";
        errors.push(Error::invalid(&at, members("nonResourceURLs"), detail));
    } else if !has_wildcard(urls) {
        for (index, url) in urls.iter().enumerate() {
            if let Some(flaw) = flaw_of_path(url) {
                errors.push(Error::invalid(&at.index(index), url, flaw));
            }
        }
    }
}

/// Judges verbs of a list that is not empty.
fn validate_verbs(verbs: List<'_, &str>, value: BadValue, at: &At<'_>, errors: &mut Errors) {
    if is_crowded(verbs) {
        errors.push(Error::invalid(at, value, "if '*' is present, must not specify other verbs"));
    } else if !has_wildcard(verbs) && !verbs.iter().all(|verb| VERBS.contains(&verb)) {
        errors.push(Error::not_supported(at, value, VERBS));
    }
}

fn has_wildcard(members: List<'_, &str>) -> bool {
    members.iter().any(|member| member == "*")
}

/// Tells if a wildcard is not alone.
fn is_crowded(members: List<'_, &str>) -> bool {
    members.len() > 1 && has_wildcard(members)
}

/// As upstream's `validation.ValidateNonResourceURLPath`.
fn flaw_of_path(path: &str) -> Option<&'static str> {
    let stars = path.matches('*').count();
    match path {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !path.starts_with('/') => Some("must start with slash"),
        _ if path.contains(' ') => Some("must not contain white-space"),
        _ if path.contains("//") => Some("must not contain double slash"),
        _ if stars > 1 || (stars == 1 && !path.ends_with("/*")) => Some("wildcard can only do suffix matching"),
        _ => None,
    }
}

/// As upstream's `printers.printFlowSchema`.
fn columns() -> Vec<Column> {
    vec![
        text("PriorityLevel", "Priority level of the requests.", |object| {
            schema(object).spec().priority_level_configuration().name().into()
        }),
        Column {
            kind: "string".into(),
            ..integer("MatchingPrecedence", "Order in which schemas are tried.", &["spec", "matchingPrecedence"])
        },
        text("DistinguisherMethod", "How requests are grouped into flows.", |object| {
            schema(object).spec().distinguisher_method().map_or("<none>", |method| method.kind()).into()
        }),
        Column::age(),
        text("MissingPL", "Whether the priority level is broken or does not exist.", |object| {
            let mut conditions = schema(object).status().conditions().iter();
            conditions.find(|condition| condition.kind() == "Dangling").map_or("?", |found| found.status()).into()
        }),
    ]
}
