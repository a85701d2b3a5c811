//! Routing of request paths.

/// The route of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route<'p> {
    /// Objects of a resource.
    Resource(ResourcePath<'p>),
    /// All paths.
    Index,
    /// Discovery: `/api`, `/apis` and below.
    Discovery(Discovery<'p>),
    /// The document that old clients read.
    OpenApiV2,
    /// The list of documents, or one of them by the path of its group and version.
    OpenApiV3(&'p str),
    /// The version of the server.
    Version,
    /// Below that, where nothing is.
    BelowVersion,
    /// Health: `healthz`, `livez` or `readyz`, and one check or all.
    Health(&'p str),
    /// `/metrics`.
    Metrics,
    /// `/metrics/slis`.
    HealthMetrics,
    /// The `OpenID` discovery document.
    OpenIdConfiguration,
    /// The keys of tokens.
    KeySet,
    /// Nothing.
    Unknown,
}

/// A document of discovery.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Discovery<'p> {
    /// The versions of the group without a name.
    Core,
    /// All named groups.
    Groups,
    /// One group.
    Group(&'p str),
    /// The resources of one version of a group, which may have no name.
    Resources(&'p str, &'p str),
}

/// A resource, or what is in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath<'p> {
    pub(crate) group: &'p str,
    pub(crate) version: &'p str,
    /// Empty for none.
    pub(crate) namespace: &'p str,
    pub(crate) resource: &'p str,
    /// Empty for all.
    pub(crate) name: &'p str,
    /// Empty for the object itself.
    pub(crate) subresource: &'p str,
    /// True if the path itself asks for a watch, as it did before there were parameters for it.
    pub(crate) watch: bool,
    /// True if there is more to the path than a resource can have.
    pub(crate) excess: bool,
}

impl<'p> Route<'p> {
    /// Reads a path without escapes. As with the reference, a slash is one whether it was escaped or not.
    pub(crate) fn parse(path: &'p str) -> Route<'p> {
        if path.starts_with("//") {
            return Route::Unknown;
        }
        let trimmed = path.trim_matches('/');
        let is_exact = !path.ends_with('/');
        let (first, rest) = cut(trimmed);
        match first {
            "" => Route::Index,
            "api" => Route::api(rest),
            "apis" => Route::group(rest),
            "openapi" => match cut(rest) {
                ("v2", "") if is_exact => Route::OpenApiV2,
                ("v3", "") if !is_exact => Route::OpenApiV3("/"),
                ("v3", document) => Route::OpenApiV3(document),
                _ => Route::Unknown,
            },
            "version" if rest.is_empty() => Route::Version,
            "version" => Route::BelowVersion,
            "healthz" | "livez" | "readyz" if is_exact => Route::Health(trimmed),
            ".well-known" if rest == "openid-configuration" && is_exact => Route::OpenIdConfiguration,
            "openid" if rest == "v1/jwks" && is_exact => Route::KeySet,
            "metrics" if rest.is_empty() && is_exact => Route::Metrics,
            "metrics" if rest == "slis" && is_exact => Route::HealthMetrics,
            _ => Route::Unknown,
        }
    }

    fn api(rest: &'p str) -> Route<'p> {
        if rest.is_empty() {
            return Route::Discovery(Discovery::Core);
        }
        Route::below_group("", rest)
    }

    fn group(rest: &'p str) -> Route<'p> {
        let (group, rest) = cut(rest);
        match (group, rest) {
            ("", "") => Route::Discovery(Discovery::Groups),
            ("", _) => Route::Unknown,
            (_, "") => Route::Discovery(Discovery::Group(group)),
            _ => Route::below_group(group, rest),
        }
    }

    fn below_group(group: &'p str, rest: &'p str) -> Route<'p> {
        let (version, rest) = cut(rest);
        if rest.is_empty() {
            return Route::Discovery(Discovery::Resources(group, version));
        }
        Route::Resource(ResourcePath { group, version, ..ResourcePath::of(segments(rest)) })
    }
}

impl<'p> ResourcePath<'p> {
    /// Reads what follows the version.
    fn of(mut parts: Segments<'p>) -> ResourcePath<'p> {
        let mut below = parts.clone();
        let watch = below.next() == Some("watch") && below.clone().next().is_some();
        if watch {
            parts = below;
        }
        let mut path = ResourcePath { watch, ..ResourcePath::default() };
        let mut below = parts.clone();
        let in_namespace = below.next() == Some("namespaces")
            && below.nth(1).is_some_and(|resource| !matches!(resource, "status" | "finalize"));
        if in_namespace {
            parts.next();
            path.namespace = parts.next().unwrap_or_default();
        }
        path.resource = parts.next().unwrap_or_default();
        path.name = parts.next().unwrap_or_default();
        path.subresource = parts.next().unwrap_or_default();
        path.excess = parts.next().is_some();
        path
    }
}

/// The parts of a path between its slashes.
#[derive(Clone, Debug)]
pub(crate) struct Segments<'p>(Option<&'p str>);

/// Splits a path at its slashes. Parts are short, so that a plain loop is faster than `str::split`.
pub(crate) fn segments(path: &str) -> Segments<'_> {
    Segments(Some(path))
}

impl<'p> Iterator for Segments<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let rest = self.0.take()?;
        let Some(end) = rest.bytes().position(|byte| byte == b'/') else { return Some(rest) };
        self.0 = Some(&rest[end + 1..]);
        Some(&rest[..end])
    }
}

/// The first part of a path, and what follows the slash behind it.
fn cut(path: &str) -> (&str, &str) {
    let mut parts = segments(path);
    (parts.next().unwrap_or_default(), parts.0.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn resource(path: &str, expected: [&str; 6]) {
        let Route::Resource(found) = Route::parse(path) else { panic!("{path} is no resource") };
        let ResourcePath { group, version, namespace, resource, name, subresource, .. } = found;
        assert_eq!([group, version, namespace, resource, name, subresource], expected);
    }

    #[test]
    fn paths_of_resources() {
        resource("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]);
        resource("/api/v1/namespaces/a", ["", "v1", "", "namespaces", "a", ""]);
        resource("/api/v1/namespaces/a/finalize", ["", "v1", "", "namespaces", "a", "finalize"]);
        resource("/api/v1/namespaces/a/configmaps", ["", "v1", "a", "configmaps", "", ""]);
        resource("/apis/g/v1/namespaces/a/things/b/status", ["g", "v1", "a", "things", "b", "status"]);
        resource("/apis/g/v1/things/b c", ["g", "v1", "", "things", "b c", ""]);
        resource("/apis/g/v1/watch/namespaces/a/things", ["g", "v1", "a", "things", "", ""]);
    }

    #[test]
    fn other_paths() {
        assert_eq!(Route::parse("/"), Route::Index);
        assert_eq!(Route::parse("/api/"), Route::Discovery(Discovery::Core));
        assert_eq!(Route::parse("/apis"), Route::Discovery(Discovery::Groups));
        assert_eq!(Route::parse("/apis/g"), Route::Discovery(Discovery::Group("g")));
        assert_eq!(Route::parse("/apis/g/v1/"), Route::Discovery(Discovery::Resources("g", "v1")));
        assert_eq!(Route::parse("/openapi/v3/apis/g/v1"), Route::OpenApiV3("apis/g/v1"));
        assert_eq!(Route::parse("/healthz/ping"), Route::Health("healthz/ping"));
        assert_eq!(Route::parse("/healthz/"), Route::Unknown);
        assert_eq!(Route::parse("/openapi/v3/"), Route::OpenApiV3("/"));
        assert_eq!(Route::parse("/version/"), Route::Version);
        assert_eq!(Route::parse("/version/x"), Route::BelowVersion);
        for nothing in ["/frobnicate", "/openapi/v2/", "/metrics/", "//api", "/apis//v1"] {
            assert_eq!(Route::parse(nothing), Route::Unknown, "{nothing}");
        }
    }
}
