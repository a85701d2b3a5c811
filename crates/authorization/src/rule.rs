//! Rules of roles: what a rule allows, and which rules cover others.

use std::collections::BTreeSet;
use std::fmt;

use sprag_field::quote;
use sprag_value::Value;

use crate::attributes::{Attributes, Target};

/// Stands for all verbs, groups, resources or paths.
const ALL: &str = "*";

/// A rule of a role, as upstream's `rbacv1.PolicyRule`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRule {
    /// The verbs.
    pub verbs: Vec<String>,
    /// To resources of these groups.
    pub api_groups: Vec<String>,
    /// To these resources and subresources.
    pub resources: Vec<String>,
    /// To objects of these names only, if there are any.
    pub resource_names: Vec<String>,
    /// To these paths, which are not resources.
    pub non_resource_urls: Vec<String>,
}

impl PolicyRule {
    /// The rules in the member `rules` of a role.
    pub fn list(role: &Value) -> Vec<PolicyRule> {
        items(role, "rules").map(PolicyRule::read).collect()
    }

    fn read(rule: &Value) -> PolicyRule {
        let texts = |name| items(rule, name).filter_map(Value::as_str).map(str::to_owned).collect();
        PolicyRule {
            verbs: texts("verbs"),
            api_groups: texts("apiGroups"),
            resources: texts("resources"),
            resource_names: texts("resourceNames"),
            non_resource_urls: texts("nonResourceURLs"),
        }
    }

    /// The rule as roles have it.
    pub fn to_value(&self) -> Value {
        let members = [
            ("verbs", &self.verbs),
            ("apiGroups", &self.api_groups),
            ("resources", &self.resources),
            ("resourceNames", &self.resource_names),
            ("nonResourceURLs", &self.non_resource_urls),
        ];
        let mut rule = Value::object();
        for (name, texts) in members.into_iter().filter(|(_, texts)| !texts.is_empty()) {
            rule.insert(name, texts.iter().map(String::as_str).collect::<Value>());
        }
        rule
    }

    /// True if the rule allows a request, as upstream's `rbac.RuleAllows`.
    pub fn allows(&self, attributes: &Attributes<'_>) -> bool {
        has(&self.verbs, attributes.verb)
            && match attributes.target {
                Target::Path(path) => self.non_resource_urls.iter().any(|url| url == ALL || covers_path(url, path)),
                Target::Resource(resource) => {
                    has(&self.api_groups, resource.group)
                        && self.resources.iter().any(|own| names(own, resource.resource, resource.subresource))
                        && (self.resource_names.is_empty()
                            || self.resource_names.iter().any(|own| own == resource.name))
                }
            }
    }

    /// The same as rules that have one verb, one resource and at most one name each, one after the other: a rule of 400 texts
    /// stands for a hundred million.
    // As upstream's validation.BreakdownRule.
    fn parts(&self) -> impl Iterator<Item = PolicyRule> {
        let names = || {
            let any = self.resource_names.is_empty().then(Vec::new);
            any.into_iter().chain(self.resource_names.iter().map(|name| vec![name.clone()]))
        };
        let verbs = move |group: String, resource: String| {
            self.verbs.iter().flat_map(move |verb| {
                let group = group.clone();
                let resource = resource.clone();
                names().map(move |resource_names| PolicyRule {
                    verbs: vec![verb.clone()],
                    api_groups: vec![group.clone()],
                    resources: vec![resource.clone()],
                    resource_names,
                    ..PolicyRule::default()
                })
            })
        };
        let resources = self.api_groups.iter().flat_map(move |group| {
            self.resources.iter().flat_map(move |resource| verbs(group.clone(), resource.clone()))
        });
        let with = |url: &String, verb: &String| PolicyRule {
            verbs: vec![verb.clone()],
            non_resource_urls: vec![url.clone()],
            ..PolicyRule::default()
        };
        let urls = self.non_resource_urls.iter();
        resources.chain(urls.flat_map(move |url| self.verbs.iter().map(move |verb| with(url, verb))))
    }

    /// The number of texts in the rule.
    pub(crate) fn size(&self) -> usize {
        let lists = [&self.verbs, &self.api_groups, &self.resources, &self.resource_names, &self.non_resource_urls];
        lists.into_iter().map(Vec::len).sum()
    }

    /// True if the rule gives all that a part of another rule gives, as upstream's `validation.ruleCovers`.
    fn covers(&self, part: &PolicyRule) -> bool {
        let all = |own: &[String], asked: &[String]| asked.iter().all(|asked| has(own, asked));
        let resource = |asked: &String| {
            let (resource, subresource) = asked.split_once('/').unwrap_or((asked, ""));
            self.resources.iter().any(|own| own == asked || names(own, resource, subresource))
        };
        let named = self.resource_names.is_empty()
            || (!part.resource_names.is_empty()
                && part.resource_names.iter().all(|asked| self.resource_names.contains(asked)));
        all(&self.verbs, &part.verbs)
            && all(&self.api_groups, &part.api_groups)
            && part.resources.iter().all(resource)
            && part.non_resource_urls.iter().all(|path| self.non_resource_urls.iter().any(|own| covers_path(own, path)))
            && named
    }
}

/// As upstream's `rbacv1.CompactString`.
impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        f.write_str("{")?;
        for (at, (name, texts)) in parts.iter().filter(|(_, texts)| !texts.is_empty()).enumerate() {
            write!(f, "{}{name}:{}", if at == 0 { "" } else { ", " }, quoted(texts))?;
        }
        f.write_str("}")
    }
}

/// Maximum number of texts that are compared to find out whether rules cover others, which takes some hundredths of a second.
pub(crate) const MAX_COMPARED: usize = 5_000_000;
/// Maximum number of parts of rules that an error lists.
pub(crate) const MAX_MISSING: usize = 1000;

/// Returns the requested rules that the user's own rules do not cover, as upstream's `validation.Covers`.
pub fn missing(own: &[PolicyRule], asked: &[PolicyRule]) -> Vec<PolicyRule> {
    let own: Vec<&PolicyRule> = own.iter().collect();
    missing_within(&own, asked, usize::MAX, usize::MAX).unwrap_or_default()
}

/// The same with at most so many of them; nothing if more texts had to be compared than that.
pub(crate) fn missing_within(
    own: &[&PolicyRule],
    asked: &[PolicyRule],
    most_compared: usize,
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let sizes: Vec<usize> = own.iter().map(|own| own.size()).collect();
    let mut left = most_compared;
    let mut missing = Vec::new();
    for part in asked.iter().flat_map(PolicyRule::parts) {
        let mut is_covered = false;
        for (own, size) in own.iter().zip(&sizes) {
            left = left.checked_sub(size + 1)?;
            is_covered = own.covers(&part);
            if is_covered {
                break;
            }
        }
        if !is_covered {
            missing.push(part);
        }
        if missing.len() == most {
            break;
        }
    }
    Some(missing)
}

/// The rules as lines of text, those that differ only by verb in one, as upstream's `ConfirmNoEscalation` shows them.
pub(crate) fn describe(rules: Vec<PolicyRule>) -> BTreeSet<String> {
    let mut merged: Vec<PolicyRule> = Vec::new();
    for rule in rules {
        let same = |known: &&mut PolicyRule| {
            known.resources == rule.resources
                && known.api_groups == rule.api_groups
                && known.resource_names == rule.resource_names
        };
        match merged.iter_mut().find(same).filter(|_| rule.non_resource_urls.is_empty()) {
            Some(known) => known.verbs.extend(rule.verbs),
            None => merged.push(rule),
        }
    }
    merged.iter().map(PolicyRule::to_string).collect()
}

fn has(own: &[String], asked: &str) -> bool {
    own.iter().any(|own| own == ALL || own == asked)
}

/// True if the resource of a rule stands for one of a request, as upstream's `rbacv1.ResourceMatches`.
fn names(own: &str, resource: &str, subresource: &str) -> bool {
    if subresource.is_empty() {
        return own == ALL || own == resource;
    }
    // Reviews can ask for a resource with a slash in it, so it is not part of a rule that says where to split.
    let part = own.strip_prefix(resource).or_else(|| own.strip_prefix(ALL)).and_then(|rest| rest.strip_prefix('/'));
    own == ALL || part == Some(subresource)
}

/// True if a path with perhaps a `*` at its end covers another, as upstream's `validation.nonResourceURLCovers`.
fn covers_path(own: &str, path: &str) -> bool {
    own == path || (own.ends_with(ALL) && path.starts_with(own.trim_end_matches('*')))
}

/// Texts as Go's `%q` shows a list of them.
pub fn quoted(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quote::go(text).to_string()).collect();
    format!("[{}]", texts.join(" "))
}

/// The items of a list that an object may have.
pub(crate) fn items<'v>(object: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    object.get(name).and_then(Value::as_array).into_iter().flat_map(|items| items.iter())
}
