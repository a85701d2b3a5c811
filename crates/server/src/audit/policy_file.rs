//! Reads `--audit-policy-file`, a `Policy` of `audit.k8s.io/v1`.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use sprag_checks::format::Format as Rule;
use sprag_decode::{Format, locate, object, typed};
use sprag_field::status::aggregate;
use sprag_field::{BadValue, Error as FieldError, Path as FieldPath};
use sprag_rest::{GroupVersionKind, split_api_version};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::{Value, json};

use super::policy::{self, Config, GroupResources, Level, Policy, Stage};
use crate::error::Error;

/// Upstream's place of the scheme of audit types.
const SCHEME: &str = "k8s.io/apiserver/pkg/audit/scheme.go:30";

/// The reason why a file is not a policy: upstream's text, and the fields it is about.
#[derive(Debug)]
pub(super) struct Flaw {
    text: String,
    fields: Vec<String>,
}

impl Flaw {
    fn new(text: impl Into<String>) -> Flaw {
        Flaw { text: text.into(), fields: Vec::new() }
    }

    fn decoding(why: &impl std::fmt::Display) -> Flaw {
        Flaw::new(format!("failed decoding: {why}"))
    }
}

/// The policy of a file.
// As upstream's policy.LoadPolicyFromFile.
pub(crate) fn read(path: &Path) -> Result<Policy, Error> {
    let usage = |why: String| Error::Usage(format!("--audit-policy-file: loading audit policy file: {why}"));
    let text = fs::read(path).map_err(|error| {
        let path = path.display().to_string();
        usage(format!("failed to read file path {}: {error}", sprag_field::quote::go(&path)))
    })?;
    parse(&text).map_err(|flaw| usage(format!("{}: from file {}{}", flaw.text, path.display(), flaw.lines(&text))))
}

impl Flaw {
    /// The lines of the fields in the text, as `, line 3` or `, lines 3, 5`.
    fn lines(&self, text: &[u8]) -> String {
        let places = self.fields.iter().filter_map(|field| locate::locate(Format::Yaml, text, field));
        let mut lines: Vec<usize> = places.map(|place| place.span().start.line).collect();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        match lines.as_slice() {
            [] => String::new(),
            [line] => format!(", line {line}"),
            lines => format!(", lines {}", lines.join(", ")),
        }
    }
}

/// The policy of a text.
// As upstream's policy.LoadPolicyFromBytes.
pub(super) fn parse(text: &[u8]) -> Result<Policy, Flaw> {
    let declared = object::declared(Format::Yaml, text).map_err(|error| Flaw::decoding(&error.unquoted()))?;
    check_kind(&declared)?;
    let decoded = typed::decode_yaml(&TYPES.shapes, TYPES.policy, text).map_err(|error| {
        let fields =
            if let typed::TypedError::Misfit(misfit) = &error { vec![misfit.path.clone()] } else { Vec::new() };
        Flaw { fields, ..Flaw::decoding(&error) }
    })?;
    if !decoded.findings.is_empty() {
        let findings: Vec<String> = decoded.findings.iter().map(ToString::to_string).collect();
        let why = findings.join(", ");
        tracing::warn!("Audit policy contains errors, falling back to lenient decoding: strict decoding error: {why}");
    }
    let policy = &decoded.value;
    let errors = validate(policy);
    if !errors.is_empty() {
        let fields = errors.iter().map(|error| error.field.clone()).collect();
        return Err(Flaw { text: aggregate(&errors), fields });
    }
    let read = read_policy(policy);
    if read.rules.is_empty() {
        return Err(Flaw::new("loaded illegal policy with 0 rules"));
    }
    Ok(read)
}

/// A kind that is missing is taken for a policy, a version is not.
// As upstream's json.Serializer.Decode into the internal type.
fn check_kind(declared: &object::Declared) -> Result<(), Flaw> {
    let api_version = declared.api_version.as_str();
    let kind = declared.kind.as_str();
    match (api_version, kind) {
        ("audit.k8s.io/v1", "" | "Policy") => Ok(()),
        ("audit.k8s.io/v1", "Event" | "EventList" | "PolicyList") => {
            Err(Flaw::decoding(&format_args!("converting (v1.{kind}) to (audit.Policy): unknown conversion")))
        }
        ("", "" | "Policy") => {
            Err(Flaw::new("unknown group version field audit.k8s.io/__internal, Kind=Policy in policy"))
        }
        _ => {
            let (group, version) = match api_version {
                "" => ("audit.k8s.io", "__internal"),
                given => split_api_version(given),
            };
            let kind = if kind.is_empty() { "Policy" } else { kind };
            Err(Flaw::decoding(&GroupVersionKind::new(group, version, kind).not_registered(SCHEME)))
        }
    }
}

fn items<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value.get(member).and_then(Value::as_array).map(|items| &items[..]).unwrap_or_default()
}

fn texts(value: &Value, member: &str) -> Vec<String> {
    items(value, member).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The flaws of a policy.
// As upstream's validation.ValidatePolicy.
fn validate(policy: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let rules = FieldPath::new("rules");
    validate_stages(policy, &FieldPath::new("omitStages"), &mut errors);
    for (at, rule) in items(policy, "rules").iter().enumerate() {
        validate_rule(rule, &rules.index(at), &mut errors);
    }
    errors
}

fn validate_rule(rule: &Value, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    match rule.text("level") {
        "" => errors.push(FieldError::required(&path.child("level"), "")),
        level if level_of(level).is_some() => {}
        level => {
            let known = Level::ALL.map(Level::name);
            errors.push(FieldError::not_supported(&path.child("level"), level, &known));
        }
    }
    let urls = path.child("nonResourceURLs");
    for (at, url) in texts(rule, "nonResourceURLs").iter().enumerate().filter(|(_, url)| *url != "*") {
        if !url.starts_with('/') {
            let why = "non-resource URL rules must begin with a '/' character";
            errors.push(FieldError::invalid(&urls.index(at), url.as_str(), why));
        }
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            let why = "non-resource URL wildcards '*' must be the final character of the rule";
            errors.push(FieldError::invalid(&urls.index(at), url.as_str(), why));
        }
    }
    for resources in items(rule, "resources") {
        validate_resources(resources, &path.child("resources"), errors);
    }
    validate_stages(rule, &path.child("omitStages"), errors);
    let is_of_resources = !items(rule, "resources").is_empty() || !items(rule, "namespaces").is_empty();
    if let Some(given) =
        rule.get("nonResourceURLs").filter(|_| !items(rule, "nonResourceURLs").is_empty() && is_of_resources)
    {
        let why = "rules cannot apply to both regular resources and non-resource URLs";
        errors.push(FieldError::invalid(&urls, BadValue::Json(json::to_string_plain(given)), why));
    }
}

fn validate_resources(resources: &Value, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let group = resources.text("group");
    if !group.is_empty() && group != "*" {
        let mut flaws = Vec::new();
        Rule::LongName.check(group, &mut |flaw| flaws.push(flaw.detail));
        if !flaws.is_empty() {
            errors.push(FieldError::invalid(&path.child("group"), group, flaws.join(",")));
        }
    }
    if let Some(names) = resources.get("resourceNames").filter(|_| items(resources, "resources").is_empty()) {
        let why = "using resourceNames requires at least one resource";
        errors.push(FieldError::invalid(
            &path.child("resourceNames"),
            BadValue::Json(json::to_string_plain(names)),
            why,
        ));
    }
}

fn validate_stages(parent: &Value, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    for (at, stage) in texts(parent, "omitStages").iter().enumerate() {
        if stage_of(stage).is_none() {
            let why = format!("allowed stages are {}", Stage::ALL.map(Stage::name).join(","));
            errors.push(FieldError::invalid(&path.index(at), stage.as_str(), why));
        }
    }
}

fn level_of(name: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| level.name() == name)
}

fn stage_of(name: &str) -> Option<usize> {
    Stage::ALL.iter().position(|stage| stage.name() == name)
}

/// A policy that is valid.
fn read_policy(policy: &Value) -> Policy {
    let omitted = stages(policy, [false; 4]);
    let omits_fields = policy.get("omitManagedFields").and_then(Value::as_bool).unwrap_or_default();
    let rule = |rule: &Value| policy::Rule {
        config: Config {
            level: level_of(rule.text("level")).unwrap_or(Level::None),
            omitted: stages(rule, omitted),
            omit_managed_fields: rule.get("omitManagedFields").and_then(Value::as_bool).unwrap_or(omits_fields),
        },
        users: texts(rule, "users"),
        user_groups: texts(rule, "userGroups"),
        verbs: texts(rule, "verbs"),
        resources: items(rule, "resources")
            .iter()
            .map(|resources| GroupResources {
                group: resources.text("group").to_owned(),
                resources: texts(resources, "resources"),
                resource_names: texts(resources, "resourceNames"),
            })
            .collect(),
        namespaces: texts(rule, "namespaces"),
        non_resource_urls: texts(rule, "nonResourceURLs"),
    };
    Policy { rules: items(policy, "rules").iter().map(rule).collect() }
}

fn stages(parent: &Value, mut omitted: [bool; 4]) -> [bool; 4] {
    for at in texts(parent, "omitStages").iter().filter_map(|stage| stage_of(stage)) {
        omitted[at] = true;
    }
    omitted
}

/// The types of a policy.
struct Types {
    shapes: Shapes,
    policy: TypeId,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let mut types = Vec::new();
    let mut add = |name, kind| {
        types.push(TypeShape::new(name, kind));
        TypeId(u32::try_from(types.len() - 1).unwrap_or_default())
    };
    let [text, boolean, any] = [Kind::String, Kind::Bool, Kind::Any].map(|kind| add("", kind));
    let level = add("v1.Level", Kind::String);
    let stage = add("v1.Stage", Kind::String);
    let value = TypeRef::value;
    let list = |elem| Kind::List { elem: value(elem), list: ListType::Unset };
    let texts = add("", list(text));
    let stages = add("", list(stage));
    let optional = |json, name, ty| Field::new(json, name, ty).omit_empty();
    let resources = Kind::of_fields(Cow::Owned(vec![
        optional("group", "Group", value(text)),
        optional("resources", "Resources", value(texts)),
        optional("resourceNames", "ResourceNames", value(texts)),
    ]));
    let resources = add("v1.GroupResources", resources);
    let resources = add("", list(resources));
    let rule = Kind::of_fields(Cow::Owned(vec![
        Field::new("level", "Level", value(level)),
        optional("users", "Users", value(texts)),
        optional("userGroups", "UserGroups", value(texts)),
        optional("verbs", "Verbs", value(texts)),
        optional("resources", "Resources", value(resources)),
        optional("namespaces", "Namespaces", value(texts)),
        optional("nonResourceURLs", "NonResourceURLs", value(texts)),
        optional("omitStages", "OmitStages", value(stages)),
        optional("omitManagedFields", "OmitManagedFields", TypeRef::pointer(boolean)),
    ]));
    let rule = add("v1.PolicyRule", rule);
    let rules = add("", list(rule));
    let policy = Kind::of_fields(Cow::Owned(vec![
        optional("kind", "Kind", value(text)),
        optional("apiVersion", "APIVersion", value(text)),
        optional("metadata", "ObjectMeta", value(any)),
        Field::new("rules", "Rules", value(rules)),
        optional("omitStages", "OmitStages", value(stages)),
        optional("omitManagedFields", "OmitManagedFields", value(boolean)),
    ]));
    let policy = add("v1.Policy", policy);
    Types { shapes: Shapes::new(types), policy }
});

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let flaw = parse(text.as_bytes()).unwrap_err();
        assert_eq!(format!("{}{}", flaw.text, flaw.lines(text.as_bytes())), expected);
    }

    // The texts are those of kube-apiserver for the same files.
    #[test]
    fn files_that_are_no_policies_are_refused_with_upstreams_texts() {
        check("", "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy");
        check("rules:\n- level: None\n", "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy");
        check(
            "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules:\n- level: None\n",
            "failed decoding: no kind \"Policy\" is registered for version \"audit.k8s.io/v1beta1\" in scheme \
             \"k8s.io/apiserver/pkg/audit/scheme.go:30\"",
        );
        check(
            "apiVersion: audit.k8s.io/v1\nkind: Event\n",
            "failed decoding: converting (v1.Event) to (audit.Policy): unknown conversion",
        );
        check("a: [\n", "failed decoding: yaml: line 1: did not find expected node content");
        check(
            "- a\n",
            "failed decoding: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of \
             type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
             \"json:\\\"kind,omitempty\\\"\" }",
        );
        check(HEAD, "loaded illegal policy with 0 rules");
    }

    #[test]
    fn values_of_wrong_types_are_refused_with_their_line() {
        check(
            &format!("{HEAD}rules:\n- level: Metadata\n  verbs: get\n"),
            "failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.verbs of type []string, \
             line 5",
        );
        check(
            &format!("{HEAD}rules: {{a: b}}\n"),
            "failed decoding: json: cannot unmarshal object into Go struct field Policy.rules of type []v1.PolicyRule, line 3",
        );
        check(
            &format!("{HEAD}rules:\n- level: [1]\n"),
            "failed decoding: json: cannot unmarshal array into Go struct field PolicyRule.rules.level of type v1.Level, \
             line 4",
        );
        check(
            &format!("{HEAD}omitManagedFields: \"x\"\nrules:\n- level: None\n"),
            "failed decoding: json: cannot unmarshal string into Go struct field Policy.omitManagedFields of type bool, \
             line 3",
        );
    }

    #[test]
    fn invalid_rules_are_refused_with_their_lines() {
        let rules = "rules:\n- level: Nope\n  omitStages: [A]\n- users: [a]\n- level: Metadata\n  nonResourceURLs: [\"a\", \
                     \"/b*c\", \"*\", \"\"]\n  namespaces: [x]\n- level: Metadata\n  resources:\n  - group: \
                     rbac.authorization.k8s.io/v1beta1\n  - group: \"\"\n    resourceNames: [a]\nomitStages: [X, Panic]\n";
        let stages = "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic";
        check(
            &format!("{HEAD}{rules}"),
            &format!(
                "[omitStages[0]: Invalid value: \"X\": {stages}, rules[0].level: Unsupported value: \"Nope\": supported \
                 values: \"None\", \"Metadata\", \"Request\", \"RequestResponse\", rules[0].omitStages[0]: Invalid value: \
                 \"A\": {stages}, rules[1].level: Required value, rules[2].nonResourceURLs[0]: Invalid value: \"a\": \
                 non-resource URL rules must begin with a '/' character, rules[2].nonResourceURLs[1]: Invalid value: \
                 \"/b*c\": non-resource URL wildcards '*' must be the final character of the rule, \
                 rules[2].nonResourceURLs[3]: Invalid value: \"\": non-resource URL rules must begin with a '/' character, \
                 rules[2].nonResourceURLs: Invalid value: [\"a\",\"/b*c\",\"*\",\"\"]: rules cannot apply to both regular \
                 resources and non-resource URLs, rules[3].resources.group: Invalid value: \
                 \"rbac.authorization.k8s.io/v1beta1\": a lowercase RFC 1123 subdomain must consist of lower case \
                 alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
                 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), rules[3].resources.resourceNames: \
                 Invalid value: [\"a\"]: using resourceNames requires at least one resource], lines 4, 5, 6, 8, 11, 15"
            ),
        );
    }

    #[test]
    fn unknown_members_are_passed_over() {
        let text = format!("{HEAD}rules:\n- level: None\n  resources:\n  - group: a\n    verbs: [get]\n");
        assert_eq!(parse(text.as_bytes()).unwrap().rules.len(), 1);
        assert_eq!(parse(b"apiVersion: audit.k8s.io/v1\nrules:\n- level: None\n").unwrap().rules.len(), 1);
    }
}
