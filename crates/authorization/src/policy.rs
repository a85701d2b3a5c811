//! Roles and bindings, indexed by whom they are for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use sprag_field::quote;
use sprag_rest::User;
use sprag_value::Value;

use crate::attributes::Attributes;
use crate::rule::{MAX_COMPARED, MAX_MISSING, PolicyRule, describe, items, missing_within, quoted};

/// Maximum number of texts in the rules that a review lists: roles are bound as often as somebody likes.
const MAX_LISTED: usize = 100_000;
/// Maximum number of errors about roles that a reason lists.
const MAX_ERRORS: usize = 100;

/// The group whose members may do everything, as upstream's `user.SystemPrivilegedGroup`.
pub const MASTERS: &str = "system:masters";

/// The decision about a request, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may be made.
    Allow(String),
    /// It must not be made, whatever others say.
    Deny(String),
    /// No rule allows it.
    NoOpinion(String),
}

/// Decides about requests, as upstream's `authorizer.Authorizer` and `authorizer.RuleResolver`.
pub trait Authorizer: Send + Sync {
    /// True if a request may be made, and why.
    fn authorize(&self, attributes: &Attributes<'_>) -> Decision;

    /// True if a request may be made. Cheaper than [`Authorizer::authorize`], which puts the reason into words.
    fn allows(&self, attributes: &Attributes<'_>) -> bool {
        matches!(self.authorize(attributes), Decision::Allow(_))
    }

    /// Returns the rules of a user in a namespace.
    fn rules_for(&self, user: &User, namespace: &str) -> UserRules;
}

/// The rules of a user, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserRules {
    /// The rules.
    pub rules: Vec<PolicyRule>,
    /// True if the user may do more than the rules say.
    pub incomplete: bool,
    /// The errors of resolving them.
    pub error: Option<String>,
}

/// The roles and bindings of a cluster: what upstream's `rbac.RBACAuthorizer` knows.
///
/// Bindings are found by the names of users and groups, so a decision does not depend on how many there are for others.
#[derive(Clone, Debug, Default)]
pub struct Rbac {
    cluster_roles: HashMap<String, Arc<[PolicyRule]>>,
    roles: HashMap<String, HashMap<String, Arc<[PolicyRule]>>>,
    cluster_bindings: Bindings,
    bindings: HashMap<String, Bindings>,
}

/// The bindings of one namespace, or of the cluster.
#[derive(Clone, Debug, Default)]
struct Bindings {
    names: BTreeMap<String, Arc<Binding>>,
    users: HashMap<String, Vec<Arc<Binding>>>,
    groups: HashMap<String, Vec<Arc<Binding>>>,
}

/// A binding.
#[derive(Debug)]
struct Binding {
    name: String,
    role: RoleRef,
    subjects: Vec<Subject>,
}

/// The role of a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleRef {
    /// Its group.
    pub group: String,
    /// `Role` or `ClusterRole`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A subject of a binding.
#[derive(Debug)]
struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

/// A rule that applies to a user, and where it comes from.
struct Granted<'p> {
    rules: &'p [PolicyRule],
    binding: &'p Binding,
    namespace: &'p str,
}

impl Rbac {
    /// Updates the policy with a stored object of the group `rbac.authorization.k8s.io`, or removes it.
    pub fn set(&mut self, kind: &str, namespace: &str, name: &str, object: Option<&Value>) {
        let rules = |object: &Value| -> Arc<[PolicyRule]> { PolicyRule::list(object).into() };
        match kind {
            "ClusterRole" => put(&mut self.cluster_roles, name, object.map(rules)),
            "Role" => put(self.roles.entry(namespace.to_owned()).or_default(), name, object.map(rules)),
            "ClusterRoleBinding" => self.cluster_bindings.set("", name, object),
            "RoleBinding" => self.bindings.entry(namespace.to_owned()).or_default().set(namespace, name, object),
            _ => {}
        }
    }

    /// The rules of the role of a binding, as upstream's `DefaultRuleResolver.GetRoleReferenceRules`.
    ///
    /// # Errors
    ///
    /// If there is no such role.
    pub fn rules_of(&self, role: &RoleRef, namespace: &str) -> Result<&[PolicyRule], NoRole> {
        self.known_rules(role, namespace).ok_or_else(|| match role.kind.as_str() {
            "ClusterRole" => NoRole::Missing { resource: "clusterrole", name: role.name.clone() },
            "Role" => NoRole::Missing { resource: "role", name: role.name.clone() },
            kind => NoRole::Kind(kind.to_owned()),
        })
    }

    fn known_rules(&self, role: &RoleRef, namespace: &str) -> Option<&[PolicyRule]> {
        let found = match role.kind.as_str() {
            "ClusterRole" => self.cluster_roles.get(&role.name),
            "Role" => self.roles.get(namespace).and_then(|roles| roles.get(&role.name)),
            _ => None,
        };
        found.map(AsRef::as_ref)
    }

    /// The bindings that count in a namespace, those of the cluster first, and where they are.
    fn places<'p>(&'p self, namespace: &'p str) -> impl Iterator<Item = (&'p Bindings, &'p str)> {
        let local = self.bindings.get(namespace).filter(|_| !namespace.is_empty());
        std::iter::once((&self.cluster_bindings, "")).chain(local.map(|local| (local, namespace)))
    }

    /// Returns the error if a user lacks the rules to grant these, as upstream's `ConfirmNoEscalation` words it.
    pub fn escalation(&self, user: &User, namespace: &str, rules: &[PolicyRule]) -> Option<String> {
        let mut own = Vec::new();
        let mut errors = Vec::new();
        let mut seen = HashSet::new();
        self.visit(user, namespace, &mut |granted| {
            match granted {
                // A role that is bound many times gives no more.
                Ok(granted) if seen.insert(granted.rules.as_ptr()) => own.extend(granted.rules),
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
            true
        });
        let name = quote::go(&user.name);
        let groups = quoted(&user.groups);
        let Some(missing) = missing_within(&own, rules, MAX_COMPARED, MAX_MISSING) else {
            return Some(format!(
                "the rules have too many verbs, groups, resources and names together to be compared with those of user {name}"
            ));
        };
        if missing.is_empty() {
            return None;
        }
        let lines: Vec<String> = describe(missing).into_iter().collect();
        let lines = lines.join("\n");
        let errors =
            if errors.is_empty() { String::new() } else { format!("; resolution errors: [{}]", aggregate(&errors)) };
        Some(format!(
            "user {name} (groups={groups}) is attempting to grant RBAC permissions not currently held:\n{lines}{errors}"
        ))
    }

    /// Shows the rules of each binding that applies, cluster-wide ones first, until the visitor stops.
    fn visit<'p>(&'p self, user: &User, namespace: &'p str, see: &mut dyn FnMut(Result<Granted<'p>, String>) -> bool) {
        for (bindings, namespace) in self.places(namespace) {
            for binding in bindings.of(user) {
                let granted = self.rules_of(&binding.role, namespace);
                let granted =
                    granted.map(|rules| Granted { rules, binding, namespace }).map_err(|error| error.to_string());
                if !see(granted) {
                    return;
                }
            }
        }
    }
}

impl Authorizer for Rbac {
    /// As upstream's `RBACAuthorizer.Authorize`.
    fn authorize(&self, attributes: &Attributes<'_>) -> Decision {
        let mut errors = Vec::new();
        let mut allowed = None;
        let mut seen = HashSet::new();
        self.visit(attributes.user, attributes.namespace(), &mut |granted| match granted {
            Ok(granted) if !seen.insert(granted.rules.as_ptr()) => true,
            Ok(granted) if granted.rules.iter().any(|rule| rule.allows(attributes)) => {
                allowed = Some(granted.describe(attributes.user));
                false
            }
            Ok(_) => true,
            Err(error) => {
                errors.push(error);
                true
            }
        });
        match allowed {
            Some(source) => Decision::Allow(format!("RBAC: allowed by {source}")),
            None if errors.is_empty() => Decision::NoOpinion(String::new()),
            None => Decision::NoOpinion(format!("RBAC: {}", aggregate(&errors))),
        }
    }

    /// Bindings of the user alone are looked at first: most requests are allowed by one of those.
    fn allows(&self, attributes: &Attributes<'_>) -> bool {
        let user = attributes.user;
        let namespace = attributes.namespace();
        let gives = |namespace: &str, bindings: &[Arc<Binding>]| {
            let mut seen = HashSet::new();
            bindings.iter().any(|binding| {
                let rules = self.known_rules(&binding.role, namespace).unwrap_or_default();
                // A role may be bound many times.
                let is_new = bindings.len() == 1 || seen.insert(rules.as_ptr());
                is_new && rules.iter().any(|rule| rule.allows(attributes))
            })
        };
        let by_name = |(bindings, namespace): (&Bindings, &str)| {
            bindings.users.get(&user.name).is_some_and(|bindings| gives(namespace, bindings))
        };
        let by_group = |(bindings, namespace): (&Bindings, &str)| {
            let mut found = user.groups.iter().filter_map(|group| bindings.groups.get(group));
            found.any(|bindings| gives(namespace, bindings))
        };
        self.places(namespace).any(by_name) || self.places(namespace).any(by_group)
    }

    /// As upstream's `DefaultRuleResolver.RulesFor`.
    fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        let mut rules = Vec::new();
        let mut errors = Vec::new();
        let mut size = 0;
        let mut incomplete = false;
        self.visit(user, namespace, &mut |granted| {
            match granted {
                Ok(granted) => {
                    for rule in granted.rules {
                        size += rule.size();
                        incomplete |= size > MAX_LISTED;
                        if !incomplete {
                            rules.push(rule.clone());
                        }
                    }
                }
                Err(error) => errors.push(error),
            }
            !incomplete
        });
        if incomplete {
            errors.push(format!("there are more rules: they have more than {MAX_LISTED} texts"));
        }
        UserRules { rules, incomplete, error: (!errors.is_empty()).then(|| aggregate(&errors)) }
    }
}

/// The reasons why a binding grants nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRole {
    /// There is no role of this name.
    Missing {
        /// The singular of its resource.
        resource: &'static str,
        /// Its name.
        name: String,
    },
    /// There are no roles of this kind.
    Kind(String),
}

impl std::fmt::Display for NoRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoRole::Missing { resource, name } => {
                write!(f, "{resource}.rbac.authorization.k8s.io {} not found", quote::go(name))
            }
            NoRole::Kind(kind) => write!(f, "unsupported role reference kind: {}", quote::go(kind)),
        }
    }
}

impl RoleRef {
    /// The role that a binding names.
    pub fn of(binding: &Value) -> RoleRef {
        let text = |name| text(binding.get("roleRef"), name);
        RoleRef { group: text("apiGroup"), kind: text("kind"), name: text("name") }
    }
}

impl Bindings {
    fn set(&mut self, namespace: &str, name: &str, object: Option<&Value>) {
        if let Some(old) = self.names.remove(name) {
            for (index, name) in old.subjects.iter().filter_map(Subject::key) {
                let index = self.index(&index);
                let Some(bindings) = index.get_mut(&name) else { continue };
                bindings.retain(|binding| !Arc::ptr_eq(binding, &old));
                if bindings.is_empty() {
                    index.remove(&name);
                }
            }
        }
        let Some(object) = object else { return };
        let subjects = items(object, "subjects").map(|subject| Subject::read(subject, namespace)).collect();
        let binding = Arc::new(Binding { name: name.to_owned(), role: RoleRef::of(object), subjects });
        for subject in &binding.subjects {
            let Some((index, name)) = subject.key() else { continue };
            let bindings = self.index(&index).entry(name).or_default();
            if !bindings.iter().any(|known| Arc::ptr_eq(known, &binding)) {
                bindings.push(binding.clone());
            }
        }
        self.names.insert(name.to_owned(), binding);
    }

    fn index(&mut self, index: &Index) -> &mut HashMap<String, Vec<Arc<Binding>>> {
        match index {
            Index::User => &mut self.users,
            Index::Group => &mut self.groups,
        }
    }

    /// The bindings of a user, once for each of the names by which they are found.
    fn found_by<'p>(&'p self, user: &User) -> impl Iterator<Item = &'p Binding> {
        let groups = user.groups.iter().filter_map(|group| self.groups.get(group));
        self.users.get(&user.name).into_iter().chain(groups).flatten().map(AsRef::as_ref)
    }

    /// The bindings of a user, each once.
    fn of<'p>(&'p self, user: &User) -> Vec<&'p Binding> {
        let mut seen = HashSet::new();
        self.found_by(user).filter(|binding| seen.insert(std::ptr::from_ref::<Binding>(binding))).collect()
    }
}

/// By what a binding is found.
#[derive(PartialEq, Eq)]
enum Index {
    User,
    Group,
}

impl Subject {
    /// A service account without a namespace is one of the binding's.
    fn read(subject: &Value, namespace: &str) -> Subject {
        let text = |name| text(Some(subject), name);
        let own = text("namespace");
        let namespace = if own.is_empty() { namespace.to_owned() } else { own };
        Subject { kind: text("kind"), name: text("name"), namespace }
    }

    /// Returns the index and key of the subject's users, as upstream's `validation.appliesToUser`.
    fn key(&self) -> Option<(Index, String)> {
        match self.kind.as_str() {
            "User" => Some((Index::User, self.name.clone())),
            "Group" => Some((Index::Group, self.name.clone())),
            "ServiceAccount" if !self.namespace.is_empty() => {
                Some((Index::User, format!("system:serviceaccount:{}:{}", self.namespace, self.name)))
            }
            _ => None,
        }
    }

    fn is(&self, user: &User) -> bool {
        self.key().is_some_and(|(index, name)| match index {
            Index::User => name == user.name,
            Index::Group => user.groups.contains(&name),
        })
    }
}

impl Granted<'_> {
    /// As upstream's `validation.clusterRoleBindingDescriber` and `roleBindingDescriber`.
    fn describe(&self, user: &User) -> String {
        let Binding { name, role, subjects } = self.binding;
        let subject = subjects.iter().find(|subject| subject.is(user)).map(|subject| match subject.kind.as_str() {
            "ServiceAccount" => {
                format!("{} {}", subject.kind, quote::go(&format!("{}/{}", subject.name, subject.namespace)))
            }
            kind => format!("{kind} {}", quote::go(&subject.name)),
        });
        let (kind, name) = match self.namespace {
            "" => ("ClusterRoleBinding", name.clone()),
            namespace => ("RoleBinding", format!("{name}/{namespace}")),
        };
        let name = quote::go(&name);
        let role_name = quote::go(&role.name);
        format!("{kind} {name} of {} {role_name} to {}", role.kind, subject.unwrap_or_default())
    }
}

fn put<T>(map: &mut HashMap<String, T>, name: &str, value: Option<T>) {
    match value {
        Some(value) => map.insert(name.to_owned(), value),
        None => map.remove(name),
    };
}

fn text(object: Option<&Value>, name: &str) -> String {
    object.and_then(|object| object.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Several errors as one, as upstream's `errors.NewAggregate` shows them: each text once.
fn aggregate(errors: &[String]) -> String {
    let mut seen = HashSet::new();
    let texts = errors.iter().map(String::as_str).filter(|text| seen.insert(*text));
    let texts: Vec<&str> = texts.take(MAX_ERRORS).collect();
    match texts.as_slice() {
        [text] => (*text).to_owned(),
        texts => format!("[{}]", texts.join(", ")),
    }
}
