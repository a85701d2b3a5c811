//! The resources of a server, by its discovery documents.

use std::collections::BTreeMap;
use std::fmt;

use sprag_rest::api_version;
use sprag_value::Value;

use super::session::Session;

/// The namespace that objects are created in.
pub(super) const NAMESPACE: &str = "enforce";

/// A resource that is served.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) namespaced: bool,
    pub(super) verbs: Vec<String>,
    /// The versions, the preferred one first.
    pub(super) versions: Vec<Version>,
}

/// A version of a resource.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) subresources: Vec<String>,
}

impl fmt::Display for Resource {
    /// As exceptions name it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => write!(f, "{}", self.name),
            group => write!(f, "{}.{group}", self.name),
        }
    }
}

impl Resource {
    /// True if objects can be created, written, read and deleted.
    pub(super) fn is_stored(&self) -> bool {
        ["create", "get", "update", "delete"].iter().all(|verb| self.verbs.iter().any(|known| known == verb))
    }

    /// True if objects have `/status`.
    pub(super) fn has_status(&self) -> bool {
        self.versions[0].subresources.iter().any(|name| name == "status")
    }

    /// Returns the `apiVersion` of the objects.
    pub(super) fn api_version(&self, version: &str) -> String {
        api_version(&self.group, version)
    }

    /// The path of the collection in a version.
    pub(super) fn collection(&self, version: &str) -> String {
        let root = root(&self.group, version);
        let within = if self.namespaced { format!("/namespaces/{NAMESPACE}") } else { String::new() };
        format!("{root}{within}/{}", self.name)
    }

    /// Returns the path of the `OpenAPI` document of a version, without `/openapi/v3/`.
    pub(super) fn document(&self, version: &str) -> String {
        root(&self.group, version).trim_start_matches('/').to_owned()
    }
}

fn root(group: &str, version: &str) -> String {
    match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    }
}

/// Every resource of a server, sorted by group and name.
pub(super) fn resources(session: &Session<'_>) -> Result<Vec<Resource>, String> {
    let mut found: BTreeMap<(String, String), Resource> = BTreeMap::new();
    for (group, version) in versions(session)? {
        let list = session.read(&root(&group, &version))?;
        let entries = list.get("resources").and_then(Value::as_array).cloned().unwrap_or_default();
        for entry in entries.iter().filter(|entry| !text(entry, "name").contains('/')) {
            let name = text(entry, "name");
            let below = format!("{name}/");
            let names = entries.iter().map(|entry| text(entry, "name"));
            let subresources = names.filter_map(|name| name.strip_prefix(&below).map(str::to_owned)).collect();
            let verbs = entry.get("verbs").and_then(Value::as_array).cloned().unwrap_or_default();
            let resource = found.entry((group.clone(), name.clone())).or_insert_with(|| Resource {
                group: group.clone(),
                name,
                kind: text(entry, "kind"),
                namespaced: entry.get("namespaced").and_then(Value::as_bool).unwrap_or_default(),
                verbs: verbs.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                versions: Vec::new(),
            });
            resource.versions.push(Version { name: version.clone(), subresources });
        }
    }
    Ok(found.into_values().collect())
}

/// Groups with their versions, the preferred one first.
fn versions(session: &Session<'_>) -> Result<Vec<(String, String)>, String> {
    let core = session.read("/api")?;
    let core = core.get("versions").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut versions: Vec<(String, String)> =
        core.iter().filter_map(Value::as_str).map(|version| (String::new(), version.to_owned())).collect();
    let groups = session.read("/apis")?;
    for group in &groups.get("groups").and_then(Value::as_array).cloned().unwrap_or_default() {
        let listed = group.get("versions").and_then(Value::as_array).cloned().unwrap_or_default();
        versions.extend(listed.iter().map(|version| (text(group, "name"), text(version, "version"))));
    }
    Ok(versions)
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
