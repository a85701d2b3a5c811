//! Impersonation: the `Impersonate-` headers and their authorization.
//!
//! Upstream tries several modes, and so does this, in the same order: an associated node, any node, a service account, another user,
//! and last what impersonation was before there were modes (`impersonate` on users, groups and so on). The error of the first mode
//! that applies is returned.
// As upstream's impersonation.WithConstrainedImpersonation and allImpersonationModes. Upstream remembers for 10 s who was
// allowed what, and which mode was the last to allow somebody something; this server asks each time.

use std::borrow::Cow;
use std::fmt::Write as _;

use http::HeaderMap;
use sprag_authorization::{Attributes, Authorizer, Decision, MASTERS, ResourceTarget, Target};
use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::quote;
use sprag_rest::{ApiError, FeatureGates, User};

use crate::authentication::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, extra_of};

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA: &str = "impersonate-extra-";

/// The group of what is impersonated, but for users and groups before there were modes.
const AUTHENTICATION: &str = "authentication.k8s.io";
/// Number of groups or values that are asked for at once first.
// As upstream's manyAuthorizationChecksInLoop.
const MANY: usize = 4;
/// Characters allowed in the path of a key.
// As upstream's validation.httpPathFmt.
const PATH_CHARS: &str = "/-._~%!$&'()*+,;=:";

/// A user that another one may act as.
pub(crate) struct Impersonated {
    pub(crate) user: User,
    /// The verb of the mode that permits it; empty for that without constraints.
    pub(crate) constraint: Cow<'static, str>,
}

/// An impersonation mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    UserInfo,
    Legacy,
}

const MODES: [Mode; 5] =
    [Mode::AssociatedNode, Mode::ArbitraryNode, Mode::ServiceAccount, Mode::UserInfo, Mode::Legacy];

/// The user that the headers of a request ask for; none if they do not.
// As upstream's processImpersonationHeaders.
pub(crate) fn wanted(headers: &HeaderMap) -> Result<Option<User>, ApiError> {
    // The usual request pays for one look.
    if !headers.keys().any(|name| name.as_str().starts_with("impersonate-")) {
        return Ok(None);
    }
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let first = |name: &str| headers.get(name).map(text).unwrap_or_default();
    let user = User {
        name: first(USER),
        uid: first(UID),
        groups: headers.get_all(GROUP).iter().map(text).collect(),
        extra: extra_of(headers, &[EXTRA.to_owned()]),
    };
    if !user.name.is_empty() {
        return Ok(Some(user));
    }
    if user.uid.is_empty() && user.groups.is_empty() && user.extra.is_empty() {
        return Ok(None);
    }
    Err(ApiError::bad_request(format!("requested {} without impersonating a user name", go_syntax(&user))))
}

/// The user that a request is made as, if its maker may.
///
/// # Errors
///
/// The reason.
// As upstream's impersonationModesTracker.getImpersonatedUser.
pub(crate) fn impersonate(
    authorizer: &dyn Authorizer,
    gates: &FeatureGates,
    request: &Attributes<'_>,
    wanted: &User,
) -> Result<Impersonated, ApiError> {
    let mut first = None;
    // As upstream's DefaultBuildHandlerChain, which installs WithImpersonation where the gate is off.
    let is_served = |mode: &Mode| *mode == Mode::Legacy || gates.enabled("ConstrainedImpersonation");
    for mode in MODES.into_iter().filter(is_served).filter(|mode| mode.applies(wanted, request.user)) {
        match (Check { mode, authorizer, requester: request.user }).check(request, wanted) {
            Ok(user) => {
                let constraint = if mode.is_constrained() { mode.verb() } else { Cow::Borrowed("") };
                return Ok(Impersonated { user, constraint });
            }
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| ApiError::internal("all impersonation modes failed")))
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Mode::AssociatedNode => "associated-node",
            Mode::ArbitraryNode => "arbitrary-node",
            Mode::ServiceAccount => "serviceaccount",
            Mode::UserInfo => "user-info",
            Mode::Legacy => "",
        }
    }

    /// True if the wanted user can be impersonated in this mode.
    fn applies(self, wanted: &User, requester: &User) -> bool {
        let is_bare = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        let node = node_name(&wanted.name);
        let account = account_name(&wanted.name);
        match self {
            Mode::AssociatedNode => is_bare && node.is_some_and(|node| is_on_node(requester, node)),
            Mode::ArbitraryNode => is_bare && node.is_some(),
            Mode::ServiceAccount => is_bare && account.is_some(),
            Mode::UserInfo => node.is_none() && account.is_none(),
            Mode::Legacy => true,
        }
    }

    const fn is_constrained(self) -> bool {
        !matches!(self, Mode::Legacy)
    }

    fn verb(self) -> Cow<'static, str> {
        match self {
            Mode::Legacy => Cow::Borrowed("impersonate"),
            mode => Cow::Owned(format!("impersonate:{}", mode.name())),
        }
    }
}

/// Authorizes impersonation in one mode.
struct Check<'c> {
    mode: Mode,
    authorizer: &'c dyn Authorizer,
    requester: &'c User,
}

impl Check<'_> {
    // As upstream's constrainedImpersonationModeState.check and impersonationModeState.check.
    fn check(&self, request: &Attributes<'_>, wanted: &User) -> Result<User, ApiError> {
        if self.mode.is_constrained() {
            let verb = format!("impersonate-on:{}:{}", self.mode.name(), request.verb);
            self.ask(&Attributes { verb: &verb, ..*request })?;
        }
        let mut user = wanted.clone();
        self.check_name(wanted, &mut user)?;
        if !wanted.uid.is_empty() {
            self.ask_for(ResourceTarget { name: &wanted.uid, ..self.target(AUTHENTICATION, "uids") })?;
        }
        self.check_groups(&wanted.groups)?;
        self.check_extra(&wanted.extra)?;
        let has = |group: &str| user.groups.iter().any(|known| known == group);
        let group = match user.name.as_str() {
            ANONYMOUS => Some(UNAUTHENTICATED),
            _ if has(UNAUTHENTICATED) => None,
            _ => Some(AUTHENTICATED),
        };
        if let Some(group) = group.filter(|group| !has(group)) {
            user.groups.push(group.to_owned());
        }
        Ok(user)
    }

    /// Asks for the name. Nodes (but not before there were modes) and service accounts have groups of their own.
    // As upstream's impersonationModeState.authorizeUsername.
    fn check_name(&self, wanted: &User, user: &mut User) -> Result<(), ApiError> {
        let group = self.group();
        if let Some(node) = node_name(&wanted.name).filter(|_| self.mode.is_constrained()) {
            user.groups = vec!["system:nodes".to_owned()];
            let name = if self.mode == Mode::AssociatedNode { "*" } else { node };
            return self.ask_for(ResourceTarget { name, ..self.target(group, "nodes") });
        }
        if let Some((namespace, name)) = account_name(&wanted.name) {
            if wanted.groups.is_empty() {
                user.groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
            }
            return self.ask_for(ResourceTarget { namespace, name, ..self.target(group, "serviceaccounts") });
        }
        self.ask_for(ResourceTarget { name: &wanted.name, ..self.target(group, "users") })
    }

    // As upstream's impersonationModeState.authorizeGroups.
    fn check_groups(&self, groups: &[String]) -> Result<(), ApiError> {
        let target = self.target(self.group(), "groups");
        if self.mode.is_constrained() {
            if groups.iter().any(String::is_empty) {
                return Err(self.refused(target, "impersonating the empty string group is not allowed"));
            }
            if groups.iter().any(|group| group == MASTERS) {
                let target = ResourceTarget { name: MASTERS, ..target };
                return Err(self.refused(target, "impersonating the system:masters group is not allowed"));
            }
            if groups.len() >= MANY && self.ask_for(ResourceTarget { name: "*", ..target }).is_ok() {
                return Ok(());
            }
        }
        groups.iter().try_for_each(|group| self.ask_for(ResourceTarget { name: group, ..target }))
    }

    // As upstream's impersonationModeState.authorizeExtra.
    fn check_extra(&self, extra: &[(String, Vec<String>)]) -> Result<(), ApiError> {
        if extra.is_empty() {
            return Ok(());
        }
        let target = self.target(AUTHENTICATION, "userextras");
        if self.mode.is_constrained() {
            if let Some(flaw) = extra.iter().find_map(|(key, values)| extra_flaw(key, values)) {
                return Err(self.refused(target, &flaw));
            }
            let values: usize = extra.iter().map(|(_, values)| values.len()).sum();
            let all = ResourceTarget { subresource: "*", name: "*", ..target };
            if (extra.len() >= MANY || values >= MANY) && self.ask_for(all).is_ok() {
                return Ok(());
            }
        }
        for (key, values) in extra {
            for value in values {
                self.ask_for(ResourceTarget { subresource: key, name: value, ..target })?;
            }
        }
        Ok(())
    }

    /// The group of users, groups, nodes and service accounts.
    const fn group(&self) -> &'static str {
        if self.mode.is_constrained() { AUTHENTICATION } else { "" }
    }

    #[expect(clippy::unused_self, reason = "it reads as one of the questions")]
    fn target<'a>(&self, group: &'a str, resource: &'a str) -> ResourceTarget<'a> {
        ResourceTarget { group, resource, ..ResourceTarget::default() }
    }

    fn ask_for(&self, target: ResourceTarget<'_>) -> Result<(), ApiError> {
        let verb = self.mode.verb();
        self.ask(&Attributes { user: self.requester, verb: &verb, target: Target::Resource(target) })
    }

    fn refused(&self, target: ResourceTarget<'_>, why: &str) -> ApiError {
        let verb = self.mode.verb();
        Attributes { user: self.requester, verb: &verb, target: Target::Resource(target) }.refusal(why)
    }

    // As upstream's checkAuthorization.
    fn ask(&self, attributes: &Attributes<'_>) -> Result<(), ApiError> {
        if self.authorizer.allows(attributes) {
            return Ok(());
        }
        match self.authorizer.authorize(attributes) {
            Decision::Allow(_) => Ok(()),
            Decision::Deny(reason) | Decision::NoOpinion(reason) => Err(attributes.refusal(&reason)),
        }
    }
}

/// Validates keys of `extra`, in all modes but the legacy one.
// As upstream's impersonation.validateExtra.
fn extra_flaw(key: &str, values: &[String]) -> Option<String> {
    if key.is_empty() {
        return Some("impersonating the empty string key in extra is not allowed".to_owned());
    }
    if let Some(flaw) = domain_prefixed_path_flaw(key) {
        return Some(format!("impersonating an invalid key in extra is not allowed: {flaw}"));
    }
    if key != key.to_lowercase() {
        return Some(format!("impersonating a non-lowercase key in extra is not allowed: {}", quote::go(key)));
    }
    if values.is_empty() {
        return Some("impersonating empty values in extra is not allowed".to_owned());
    }
    let is_blank = values.iter().any(String::is_empty);
    is_blank.then(|| "impersonating the empty string value in extra is not allowed".to_owned())
}

// As upstream's validation.IsDomainPrefixedPath.
fn domain_prefixed_path_flaw(key: &str) -> Option<String> {
    let invalid = |value: &str, why: &str| format!("extra.key: Invalid value: {}: {why}", quote::go(value));
    let Some((host, path)) = key.split_once('/').filter(|(host, path)| !host.is_empty() && !path.is_empty()) else {
        return Some(invalid(key, "must be a domain-prefixed path (such as \"acme.io/foo\")"));
    };
    let mut flaws = Vec::new();
    dns_subdomain(host, Usage::Name, &mut |flaw| flaws.push(invalid(host, &flaw)));
    if !path.chars().all(|c| c.is_ascii_alphanumeric() || PATH_CHARS.contains(c)) {
        let why = r"Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')";
        flaws.push(invalid(path, why));
    }
    match flaws.as_slice() {
        [] => None,
        [flaw] => Some(flaw.clone()),
        flaws => Some(format!("[{}]", flaws.join(", "))),
    }
}

/// The node whose user has this name.
// As upstream's isNodeUsername.
fn node_name(user: &str) -> Option<&str> {
    let name = user.strip_prefix("system:node:")?;
    is_named(name, &dns_subdomain).then_some(name)
}

/// Namespace and name of the service account whose user has this name.
// As upstream's serviceaccount.SplitUsername.
fn account_name(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (is_named(namespace, &dns_label) && is_named(name, &dns_subdomain)).then_some((namespace, name))
}

type NameCheck = dyn Fn(&str, Usage, &mut dyn FnMut(Cow<'static, str>));

fn is_named(name: &str, check: &NameCheck) -> bool {
    let mut is_valid = true;
    check(name, Usage::Name, &mut |_| is_valid = false);
    is_valid
}

/// True if a requester is a service account whose token says that it runs on a node.
// As upstream's requesterAssociatedWithRequestedNodeUsername.
fn is_on_node(requester: &User, node: &str) -> bool {
    let key = "authentication.kubernetes.io/node-name";
    let known = requester.extra.iter().find(|(known, _)| known == key);
    account_name(&requester.name).is_some() && known.is_some_and(|(_, values)| *values == [node])
}

/// A user as Go's `%#v` shows it.
fn go_syntax(user: &User) -> String {
    let list = |texts: &[String]| match texts {
        [] => "[]string(nil)".to_owned(),
        texts => {
            let texts: Vec<String> = texts.iter().map(|text| quote::go(text).to_string()).collect();
            format!("[]string{{{}}}", texts.join(", "))
        }
    };
    let mut text = format!("&user.DefaultInfo{{Name:{}, UID:{}, ", quote::go(&user.name), quote::go(&user.uid));
    let _ = write!(text, "Groups:{}, Extra:", list(&user.groups));
    if user.extra.is_empty() {
        text.push_str("map[string][]string(nil)}");
        return text;
    }
    let extra: Vec<String> =
        user.extra.iter().map(|(key, values)| format!("{}:{}", quote::go(key), list(values))).collect();
    let _ = write!(text, "map[string][]string{{{}}}}}", extra.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use sprag_authorization::{Access, AuthorizationMode};
    use sprag_value::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn headers_name_a_user() {
        assert_eq!(wanted(&headers(&[("accept", "x")])), Ok(None));
        assert_eq!(wanted(&headers(&[(USER, "")])), Ok(None));
        let found = wanted(&headers(&[(USER, "bob"), (USER, "eve"), (GROUP, "a"), (GROUP, ""), (UID, "1")])).unwrap();
        let bob = User { name: "bob".into(), uid: "1".into(), groups: vec!["a".into(), String::new()], extra: vec![] };
        assert_eq!(found, Some(bob));
        let error = wanted(&headers(&[(GROUP, "g"), ("impersonate-extra-a%2fb", "v")])).unwrap_err();
        let expected = r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string{"a/b":[]string{"v"}}} without impersonating a user name"#;
        assert_eq!((error.code(), error.to_string().as_str()), (400, expected));
        let error = wanted(&headers(&[(UID, "u")])).unwrap_err().to_string();
        assert!(
            error.ends_with("Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name")
        );
    }

    /// Somebody with these rules who reads pods as somebody else: who that is, or why not.
    #[track_caller]
    fn check(rules: &str, wanted: &User, expected: &str) {
        check_with("", rules, wanted, expected);
    }

    #[track_caller]
    fn check_with(switches: &str, rules: &str, wanted: &User, expected: &str) {
        let mut gates = FeatureGates::default();
        gates.set(switches).unwrap();
        let access = Access::new(AuthorizationMode::Rbac);
        let role = format!(r#"{{"rules":[{rules}]}}"#);
        access.set("ClusterRole", "", "r", Some(&json::parse(role.as_bytes()).unwrap()));
        let binding = br#"{"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"ann"}]}"#;
        access.set("ClusterRoleBinding", "", "b", Some(&json::parse(binding).unwrap()));
        let ann = User { name: "ann".into(), ..User::default() };
        let pods = ResourceTarget { resource: "pods", ..ResourceTarget::default() };
        let request = Attributes { user: &ann, verb: "list", target: Target::Resource(pods) };
        let found = match impersonate(&access, &gates, &request, wanted) {
            Ok(Impersonated { user, .. }) => format!("{} {}", user.name, user.groups.join(",")),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{rules} {wanted:?}");
    }

    fn user(name: &str, groups: &[&str]) -> User {
        User { name: name.into(), groups: groups.iter().map(|group| (*group).into()).collect(), ..User::default() }
    }

    const LEGACY: &str =
        r#"{"apiGroups":[""],"resources":["users","groups","serviceaccounts"],"verbs":["impersonate"]}"#;
    const USER_INFO: &str = r#"{"apiGroups":["authentication.k8s.io"],"resources":["users","groups"],"verbs":["impersonate:user-info"]},
        {"apiGroups":[""],"resources":["pods"],"verbs":["impersonate-on:user-info:list"]}"#;

    #[test]
    fn rights_of_old_and_of_modes() {
        check(LEGACY, &user("bob", &[]), "bob system:authenticated");
        check(LEGACY, &user("bob", &["a", UNAUTHENTICATED]), "bob a,system:unauthenticated");
        check(LEGACY, &user(ANONYMOUS, &[]), "system:anonymous system:unauthenticated");
        check(LEGACY, &user("bob", &[MASTERS]), "bob system:masters,system:authenticated");
        let account = "system:serviceaccount:ns:sa";
        let groups = "system:serviceaccounts,system:serviceaccounts:ns,system:authenticated";
        check(LEGACY, &user(account, &[]), &format!("{account} {groups}"));
        check(LEGACY, &user(account, &["a"]), &format!("{account} a,system:authenticated"));
        check(LEGACY, &user("system:node:n", &[]), "system:node:n system:authenticated");
        check(USER_INFO, &user("bob", &["a"]), "bob a,system:authenticated");
    }

    #[test]
    fn the_first_mode_says_why_not() {
        let on = r#"pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope"#;
        check("", &user("bob", &[]), on);
        let masters = r#"groups.authentication.k8s.io "system:masters" is forbidden: User "ann" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed"#;
        check(USER_INFO, &user("bob", &[MASTERS]), masters);
        let account = r#"pods is forbidden: User "ann" cannot impersonate-on:serviceaccount:list resource "pods" in API group "" at the cluster scope"#;
        check(USER_INFO, &user("system:serviceaccount:ns:sa", &[]), account);
    }

    #[test]
    fn only_rights_of_old_count_while_the_gate_is_off() {
        let off = "ConstrainedImpersonation=false";
        check_with(off, LEGACY, &user("bob", &["a"]), "bob a,system:authenticated");
        let refused = r#"users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope"#;
        check_with(off, USER_INFO, &user("bob", &["a"]), refused);
    }
}
