//! The request info that authorization decides on, before the resource is looked up.

use std::borrow::Cow;

use http::Method;
use sprag_authorization::{Attributes, ResourceTarget, Target};
use sprag_rest::User;
use sprag_rest::selector::{FieldSelector, LabelSelector};

use crate::query::Query;
use crate::route::{Segments, segments};

/// The parts of a namespace, which are not resources in it.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["status", "finalize"];

/// A request as upstream's `RequestInfoFactory.NewRequestInfo` reads it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestInfo<'r> {
    pub(crate) verb: Cow<'r, str>,
    pub(crate) path: &'r str,
    /// None for a path that is not one of a resource.
    pub(crate) resource: Option<ResourceInfo<'r>>,
}

/// The resource that a request names, which need not be there. Empty texts stand for none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceInfo<'r> {
    pub(crate) group: &'r str,
    pub(crate) version: &'r str,
    pub(crate) resource: &'r str,
    pub(crate) subresource: &'r str,
    pub(crate) namespace: &'r str,
    pub(crate) name: Cow<'r, str>,
}

/// A path that begins like a resource's but has no resource: upstream answers with an internal error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoKind;

impl<'r> RequestInfo<'r> {
    /// Reads method, path and parameters.
    pub(crate) fn new(method: &Method, path: &'r str, query: &Query<'_>) -> Result<RequestInfo<'r>, NoKind> {
        let other = |path| {
            let verb = match *method {
                Method::GET => Cow::Borrowed("get"),
                _ => Cow::Owned(method.as_str().to_ascii_lowercase()),
            };
            Ok(RequestInfo { verb, path, resource: None })
        };
        let mut parts = segments(path.trim_matches('/'));
        let group = match parts.next() {
            Some("api") => "",
            Some("apis") => parts.next().unwrap_or_default(),
            _ => return other(path),
        };
        let (Some(version), Some(first)) = (parts.next(), parts.next()) else { return other(path) };
        let (verb, first) = match first {
            "watch" | "proxy" => (first, parts.next().ok_or(NoKind)?),
            first => (verb_of(method), first),
        };
        let resource = ResourceInfo { group, version, ..ResourceInfo::below(first, parts, verb) };
        Ok(RequestInfo { verb: Cow::Borrowed(verb), path, resource: Some(resource) }.with_query(query))
    }

    /// Tells lists, watches and collections from single objects.
    fn with_query(mut self, query: &Query<'_>) -> RequestInfo<'r> {
        let Some(resource) = self.resource.as_mut().filter(|resource| resource.name.is_empty()) else { return self };
        match &*self.verb {
            "get" => {
                let is_watch = query.switch("watch") == Some(true);
                self.verb = Cow::Borrowed(if is_watch { "watch" } else { "list" });
                if let Some(name) = selected_name(query) {
                    resource.name = Cow::Owned(name);
                }
            }
            "delete" => self.verb = Cow::Borrowed("deletecollection"),
            _ => {}
        }
        self
    }

    /// True for requests that go on.
    // As upstream's BasicLongRunningRequestCheck in kube-apiserver.
    pub(crate) fn is_long_running(&self) -> bool {
        let subresource = self.resource.as_ref().map_or("", |resource| resource.subresource);
        matches!(&*self.verb, "watch" | "proxy")
            || matches!(subresource, "attach" | "exec" | "proxy" | "log" | "portforward")
    }

    /// The request with a user.
    pub(crate) fn attributes<'a>(&'a self, user: &'a User) -> Attributes<'a> {
        let target = match &self.resource {
            None => Target::Path(self.path),
            Some(ResourceInfo { group, resource, subresource, namespace, name, .. }) => {
                Target::Resource(ResourceTarget { group, resource, subresource, namespace, name })
            }
        };
        Attributes { user, verb: &self.verb, target }
    }
}

impl<'r> ResourceInfo<'r> {
    /// Reads what follows the version. A namespace is in itself.
    fn below(first: &'r str, mut parts: Segments<'r>, verb: &str) -> ResourceInfo<'r> {
        let mut info = ResourceInfo { resource: first, ..ResourceInfo::default() };
        let mut name = parts.next();
        if first == "namespaces"
            && let Some(namespace) = name
        {
            info.namespace = namespace;
            let below = parts.clone().next();
            if let Some(resource) = below.filter(|below| !NAMESPACE_SUBRESOURCES.contains(below)) {
                parts.next();
                info.resource = resource;
                name = parts.next();
            }
        }
        info.name = Cow::Borrowed(name.unwrap_or_default());
        // As upstream's specialVerbsNoSubresources.
        if verb != "proxy" {
            info.subresource = parts.next().unwrap_or_default();
        }
        info
    }
}

fn verb_of(method: &Method) -> &'static str {
    match *method {
        Method::POST => "create",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "",
    }
}

/// The one name that a list is limited to. What cannot be read limits nothing.
fn selected_name(query: &Query<'_>) -> Option<String> {
    let fields = query.get("fieldSelector").filter(|fields| !fields.is_empty())?;
    let options = query.list_options().ok()?;
    LabelSelector::parse(&options.label_selector).ok()?;
    let fields = FieldSelector::parse(fields).ok()?;
    let name = fields.required_value("metadata.name")?;
    // As upstream's content.IsPathSegmentName.
    let can_be_in_a_path = !matches!(name, "." | "..") && !name.contains(['/', '%']);
    can_be_in_a_path.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verb, group, resource, subresource, namespace and name; verb and path of what is not a resource.
    #[track_caller]
    fn check(method: &str, path: &str, expected: &str) {
        let (bare, query) = path.split_once('?').map_or((path, None), |(bare, query)| (bare, Some(query)));
        let method = method.parse().unwrap();
        let info = RequestInfo::new(&method, bare, &Query::parse(query)).unwrap();
        let found = match info.resource {
            None => format!("{} {}", info.verb, info.path),
            Some(ResourceInfo { group, resource, subresource, namespace, name, .. }) => {
                format!("{} {group}/{resource}/{subresource} in {namespace:?} {name:?}", info.verb)
            }
        };
        assert_eq!(found, expected, "{method} {path}");
    }

    #[test]
    fn resources() {
        check("GET", "/api/v1/pods", r#"list /pods/ in "" """#);
        check("GET", "/api/v1/namespaces/a/pods/", r#"list /pods/ in "a" """#);
        check("GET", "/api/v1/namespaces/a/pods/x", r#"get /pods/ in "a" "x""#);
        check("HEAD", "/api/v1/namespaces/a/pods/x", r#"get /pods/ in "a" "x""#);
        check("GET", "/api/v1/namespaces/a/pods/x?watch=1", r#"get /pods/ in "a" "x""#);
        check("POST", "/api/v1/namespaces/a/pods/x/exec/more", r#"create /pods/exec in "a" "x""#);
        check("PUT", "/apis/apps/v1/namespaces/a/deployments/x/scale", r#"update apps/deployments/scale in "a" "x""#);
        check("PATCH", "/apis/g/v1/things/x", r#"patch g/things/ in "" "x""#);
        check("DELETE", "/apis/g/v1/things/x", r#"delete g/things/ in "" "x""#);
        check("DELETE", "/apis/g/v1/things", r#"deletecollection g/things/ in "" """#);
        check("OPTIONS", "/api/v1/pods", r#" /pods/ in "" """#);
        check("GET", "//api/v1/pods", r#"list /pods/ in "" """#);
    }

    #[test]
    fn a_namespace_is_in_itself() {
        check("GET", "/api/v1/namespaces", r#"list /namespaces/ in "" """#);
        check("GET", "/api/v1/namespaces/a", r#"get /namespaces/ in "a" "a""#);
        check("PUT", "/api/v1/namespaces/a/finalize", r#"update /namespaces/finalize in "a" "a""#);
        check("GET", "/apis/g/v1/namespaces/a/status", r#"get g/namespaces/status in "a" "a""#);
    }

    #[test]
    fn names_of_lists() {
        check("GET", "/api/v1/pods?watch=true&fieldSelector=metadata.name%3Dx", r#"watch /pods/ in "" "x""#);
        check("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx,spec.nodeName%3Dn", r#"list /pods/ in "" "x""#);
        check("GET", "/api/v1/pods?fieldSelector=metadata.name!%3Dx", r#"list /pods/ in "" """#);
        check("GET", "/api/v1/pods?fieldSelector=metadata.name%3D..", r#"list /pods/ in "" """#);
        check("GET", "/api/v1/pods?limit=x&fieldSelector=metadata.name%3Dx", r#"list /pods/ in "" """#);
        check("GET", "/api/v1/pods?labelSelector=(&fieldSelector=metadata.name%3Dx&watch", r#"watch /pods/ in "" """#);
        check("DELETE", "/api/v1/pods?fieldSelector=metadata.name%3Dx", r#"deletecollection /pods/ in "" """#);
    }

    #[test]
    fn verbs_in_paths() {
        check("GET", "/api/v1/watch/namespaces/a/pods/x", r#"watch /pods/ in "a" "x""#);
        check("POST", "/api/v1/watch/pods", r#"watch /pods/ in "" """#);
        check("GET", "/api/v1/proxy/namespaces/a/pods/x/y", r#"proxy /pods/ in "a" "x""#);
        let nothing = RequestInfo::new(&Method::GET, "/api/v1/watch", &Query::default());
        assert_eq!(nothing, Err(NoKind));
    }

    #[test]
    fn other_paths() {
        for path in ["/", "/healthz", "/api", "/api/v1", "/apis/g/v1/", "/openapi/v3/api/v1", "/x/y/z"] {
            check("GET", path, &format!("get {path}"));
        }
        check("HEAD", "/healthz", "head /healthz");
        check("TRACE", "/apis", "trace /apis");
    }
}
