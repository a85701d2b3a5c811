//! The audit policy: which requests are recorded, and how much of them.

use sprag_authorization::{Attributes, ResourceTarget, Target};

/// The level at which a request is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Metadata,
    Request,
    RequestResponse,
}

impl Level {
    pub(super) const ALL: [Level; 4] = [Level::None, Level::Metadata, Level::Request, Level::RequestResponse];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Level::None => "None",
            Level::Metadata => "Metadata",
            Level::Request => "Request",
            Level::RequestResponse => "RequestResponse",
        }
    }
}

/// The point of a request at which an event is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    RequestReceived,
    /// The head of an answer that goes on is sent.
    ResponseStarted,
    ResponseComplete,
    Panic,
}

impl Stage {
    pub(super) const ALL: [Stage; 4] =
        [Stage::RequestReceived, Stage::ResponseStarted, Stage::ResponseComplete, Stage::Panic];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Stage::RequestReceived => "RequestReceived",
            Stage::ResponseStarted => "ResponseStarted",
            Stage::ResponseComplete => "ResponseComplete",
            Stage::Panic => "Panic",
        }
    }
}

/// A policy of `audit.k8s.io/v1`.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    pub(super) rules: Vec<Rule>,
}

/// One of its rules. Empty lists match everything.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) config: Config,
    pub(super) users: Vec<String>,
    pub(super) user_groups: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) resources: Vec<GroupResources>,
    pub(super) namespaces: Vec<String>,
    pub(super) non_resource_urls: Vec<String>,
}

/// Resources of a group.
#[derive(Debug)]
pub(super) struct GroupResources {
    pub(super) group: String,
    pub(super) resources: Vec<String>,
    pub(super) resource_names: Vec<String>,
}

/// The decision of a policy about one request.
// As upstream's audit.RequestAuditConfig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) level: Level,
    /// Stages that are not recorded, by their place in [`Stage::ALL`].
    pub(super) omitted: [bool; 4],
    pub(crate) omit_managed_fields: bool,
}

impl Config {
    /// Requests that no rule matches.
    const NONE: Config = Config { level: Level::None, omitted: [false; 4], omit_managed_fields: false };

    pub(crate) fn omits(self, stage: Stage) -> bool {
        self.omitted[stage as usize]
    }
}

impl Policy {
    /// The decision of the first rule that matches.
    // As upstream's policyRuleEvaluator.EvaluatePolicyRule.
    pub(crate) fn evaluate(&self, attributes: &Attributes<'_>) -> Config {
        self.rules.iter().find(|rule| rule.matches(attributes)).map_or(Config::NONE, |rule| rule.config)
    }
}

impl Rule {
    // As upstream's policy.ruleMatches.
    fn matches(&self, attributes: &Attributes<'_>) -> bool {
        let user = attributes.user;
        if !self.users.is_empty() && !self.users.contains(&user.name) {
            return false;
        }
        if !self.user_groups.is_empty() && !user.groups.iter().any(|group| self.user_groups.contains(group)) {
            return false;
        }
        if !self.verbs.is_empty() && !has(&self.verbs, attributes.verb) {
            return false;
        }
        if !self.namespaces.is_empty() || !self.resources.is_empty() {
            return matches!(&attributes.target, Target::Resource(target) if self.matches_resource(target));
        }
        if !self.non_resource_urls.is_empty() {
            return matches!(attributes.target, Target::Path(path) if self.matches_path(path));
        }
        true
    }

    fn matches_path(&self, path: &str) -> bool {
        self.non_resource_urls.iter().any(|given| {
            given == "*" || given == path || given.ends_with('*') && path.starts_with(given.trim_end_matches('*'))
        })
    }

    // As upstream's policy.ruleMatchesResource.
    fn matches_resource(&self, target: &ResourceTarget<'_>) -> bool {
        if !self.namespaces.is_empty() && !has(&self.namespaces, target.namespace) {
            return false;
        }
        self.resources.is_empty() || self.resources.iter().any(|resources| resources.matches(target))
    }
}

impl GroupResources {
    fn matches(&self, target: &ResourceTarget<'_>) -> bool {
        if self.group != target.group && self.group != "*" {
            return false;
        }
        if self.resources.is_empty() {
            return true;
        }
        (self.resource_names.is_empty() || has(&self.resource_names, target.name))
            && self.resources.iter().any(|given| is_resource(given, target))
    }
}

/// True if `pods`, `pods/log`, `pods/*`, `*/log` or `*` is the resource of a request.
fn is_resource(given: &str, target: &ResourceTarget<'_>) -> bool {
    let is_combined = match (given.split_once('/'), target.subresource) {
        (_, "") => given == target.resource,
        (None, _) => false,
        (Some((resource, subresource)), asked) => resource == target.resource && subresource == asked,
    };
    is_combined
        || given == "*"
        || (!target.subresource.is_empty() && given.strip_prefix("*/") == Some(target.subresource))
        || given.strip_suffix("/*") == Some(target.resource)
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|given| given == wanted)
}

#[cfg(test)]
mod tests {
    use sprag_rest::User;

    use super::super::policy_file;
    use super::*;

    /// The level of a request: `verb resource[/subresource] namespace name` by a user, or `verb path`.
    #[track_caller]
    fn check(rules: &str, request: &str, expected: Level) {
        let text = format!("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: {rules}\n");
        let policy = policy_file::parse(text.as_bytes()).unwrap();
        let user = User { name: "ann".to_owned(), groups: vec!["dev".to_owned()], ..User::default() };
        let parts: Vec<&str> = request.split(' ').collect();
        let target = match parts[1..] {
            [path] => Target::Path(path),
            [resource, namespace, name] => {
                let (group, resource) = resource.split_once(':').unwrap_or(("", resource));
                let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                let [namespace, name] = [namespace, name].map(|text| if text == "-" { "" } else { text });
                Target::Resource(ResourceTarget { group, resource, subresource, namespace, name })
            }
            _ => panic!("{request}"),
        };
        let config = policy.evaluate(&Attributes { user: &user, verb: parts[0], target });
        assert_eq!(config.level, expected, "{rules} on {request}");
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        check("[{level: Metadata}]", "get pods a b", Level::Metadata);
        check("[{level: None, verbs: [get]}, {level: Request}]", "get pods a b", Level::None);
        check("[{level: None, verbs: [get]}, {level: Request}]", "list pods a -", Level::Request);
        check("[{level: Request, users: [bob]}]", "get pods a b", Level::None);
        check("[{level: Request, users: [bob, ann]}]", "get pods a b", Level::Request);
        check("[{level: Request, users: [ann], userGroups: [ops]}]", "get pods a b", Level::None);
        check("[{level: Request, userGroups: [ops, dev]}]", "get pods a b", Level::Request);
    }

    #[test]
    fn resources_are_named_with_their_subresources() {
        let of =
            |resources: &str| format!("[{{level: Request, resources: [{{group: \"\", resources: [{resources}]}}]}}]");
        for (resources, request, matches) in [
            ("pods", "get pods a b", true),
            ("pods", "get pods/log a b", false),
            ("pods/log", "get pods/log a b", true),
            ("pods/log", "get pods a b", false),
            ("\"pods/*\"", "get pods/log a b", true),
            // As upstream, where `pods/*` means the resource itself, too.
            ("\"pods/*\"", "get pods a b", true),
            ("\"*/log\"", "get pods/log a b", true),
            ("\"*/log\"", "get pods a b", false),
            ("\"*\"", "get pods/log a b", true),
            ("pods", "get apps:pods a b", false),
            ("pods", "get /healthz", false),
        ] {
            check(&of(resources), request, if matches { Level::Request } else { Level::None });
        }
        check("[{level: Request, resources: [{group: apps}]}]", "get apps:pods/x a b", Level::Request);
        check(
            "[{level: Request, resources: [{group: \"*\", resources: [pods]}]}]",
            "get apps:pods a b",
            Level::Request,
        );
        let named = "[{level: Request, resources: [{group: \"\", resources: [pods], resourceNames: [b]}]}]";
        check(named, "get pods a b", Level::Request);
        check(named, "get pods a c", Level::None);
    }

    #[test]
    fn namespaces_and_paths_exclude_one_another() {
        check("[{level: Request, namespaces: [a]}]", "get pods a b", Level::Request);
        check("[{level: Request, namespaces: [a]}]", "get pods c b", Level::None);
        check("[{level: Request, namespaces: [\"\"]}]", "get nodes - b", Level::Request);
        check("[{level: Request, namespaces: [a]}]", "get /healthz", Level::None);
        check("[{level: Request, nonResourceURLs: [\"/healthz*\"]}]", "get /healthz/ping", Level::Request);
        check("[{level: Request, nonResourceURLs: [\"/healthz\"]}]", "get /healthz/ping", Level::None);
        check("[{level: Request, nonResourceURLs: [\"*\"]}]", "get /version", Level::Request);
        check("[{level: Request, nonResourceURLs: [\"*\"]}]", "get pods a b", Level::None);
    }
}
