//! The resources that the server under test serves, by its own discovery.

use std::collections::BTreeSet;

use sprag_value::{Value, json};

use super::client::Client;
use super::wire::{Step, Test};

/// The resources of a server, as `apps/v1/deployments` or `v1/pods`, and its group versions.
pub(super) struct Served {
    resources: BTreeSet<String>,
    group_versions: BTreeSet<String>,
}

impl Served {
    /// Asks the server.
    pub(super) async fn ask(client: &mut Client) -> Result<Served, String> {
        let mut served = Served { resources: BTreeSet::new(), group_versions: BTreeSet::new() };
        served.add(client, "v1", "/api/v1").await?;
        let groups = read(client, "/apis").await?;
        for group in groups.get("groups").and_then(Value::as_array).into_iter().flatten() {
            for version in group.get("versions").and_then(Value::as_array).into_iter().flatten() {
                let name = version.get("groupVersion").and_then(Value::as_str).unwrap_or_default();
                served.add(client, name, &format!("/apis/{name}")).await?;
            }
        }
        Ok(served)
    }

    async fn add(&mut self, client: &mut Client, name: &str, path: &str) -> Result<(), String> {
        let list = read(client, path).await?;
        self.group_versions.insert(name.to_owned());
        for resource in list.get("resources").and_then(Value::as_array).into_iter().flatten() {
            let plural = resource.get("name").and_then(Value::as_str).unwrap_or_default();
            self.resources.insert(format!("{name}/{plural}"));
        }
        Ok(())
    }

    /// Returns the resource that a test needs and the server does not serve, if any.
    pub(super) fn missing(&self, test: &Test) -> Option<String> {
        let defined: BTreeSet<String> = test.setup.iter().filter_map(defined_group).collect();
        let refused = test.response.code == 404 && test.response.body.lookup(&["details", "name"]).is_none();
        let steps = test.steps().take(test.setup.len() + usize::from(!refused));
        for step in steps {
            let Some((group_version, plural)) = resource_of(&step.path) else { continue };
            let group = group_version.split('/').next().unwrap_or_default();
            if defined.contains(group) || group_version.contains("example.com") {
                continue;
            }
            match plural {
                Some(plural) if !self.has(group_version, plural) => {
                    return Some(format!("{group_version} {plural} not served"));
                }
                None if !self.group_versions.contains(group_version) => {
                    return Some(format!("{group_version} not served"));
                }
                _ => {}
            }
        }
        None
    }

    /// Reports whether a resource or a subresource like `configmaps` or `deployments/scale` is served.
    pub(super) fn has(&self, group_version: &str, resource: &str) -> bool {
        self.resources.contains(&format!("{group_version}/{resource}"))
    }
}

/// The namespace that a path names.
pub(super) fn namespace_of(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/namespaces/")?;
    rest.split(['/', '?']).next()
}

async fn read(client: &mut Client, path: &str) -> Result<Value, String> {
    let answer = client.get(path).await?;
    if answer.code != 200 {
        return Err(format!("GET {path}: {}", answer.code));
    }
    json::parse(&answer.body).map_err(|error| format!("GET {path}: {error}"))
}

fn defined_group(step: &Step) -> Option<String> {
    let body = json::parse(step.body.as_deref()?.as_bytes()).ok()?;
    Some(body.lookup(&["spec", "group"])?.as_str()?.to_owned())
}

/// The group version and the plural that a path names, if it is below `/api/v1` or `/apis`.
pub(in crate::suite) fn resource_of(path: &str) -> Option<(&str, Option<&str>)> {
    let path = path.split('?').next()?.trim_end_matches('/');
    let (group_version, rest) = if let Some(rest) = path.strip_prefix("/api/v1") {
        ("v1", rest)
    } else {
        let path = path.strip_prefix("/apis/")?;
        let group = path.find('/')?;
        let end = path[group + 1..].find('/').map_or(path.len(), |at| group + 1 + at);
        path.split_at(end)
    };
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let plural = match (parts.next(), parts.next(), parts.next()) {
        (Some("namespaces"), Some(_), Some(plural)) if !matches!(plural, "status" | "finalize") => Some(plural),
        (first, _, _) => first,
    };
    Some((group_version, plural))
}

#[cfg(test)]
mod tests {
    use super::resource_of;

    #[test]
    fn paths_name_resources() {
        let rows = [
            ("/api/v1/namespaces/a/configmaps/b?x=/y", Some(("v1", Some("configmaps")))),
            ("/api/v1/namespaces/a", Some(("v1", Some("namespaces")))),
            ("/api/v1/namespaces/a/status", Some(("v1", Some("namespaces")))),
            ("/apis/apps/v1/", Some(("apps/v1", None))),
            ("/apis/apps/v1/deployments", Some(("apps/v1", Some("deployments")))),
            ("/apis/apps", None),
            ("/version", None),
        ];
        for (path, want) in rows {
            assert_eq!(resource_of(path), want, "{path}");
        }
    }
}
