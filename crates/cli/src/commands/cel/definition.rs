//! The types and rules of a definition at one place of its schema.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use sprag_analysis::files::{Discovery, IgnorePatterns, Place};
use sprag_analysis::workers;
use sprag_analysis::{BuiltIn, Catalog, Definition, Identity, Take};
use sprag_rest::Release;
use sprag_schema::{CustomResource, PlaceStep, RuleScope};
use sprag_value::Value;

use crate::output::Terminal;

/// A place in the schema of a definition.
pub(super) struct DefinedPlace {
    pub(super) scope: RuleScope,
    /// The custom resource of the chosen version.
    resource: CustomResource,
    steps: Vec<PlaceStep>,
}

impl DefinedPlace {
    /// The place that a path leads to. The definition is that of the object, or the only one; the version is that of the object,
    /// or the one that is stored.
    pub(super) fn find(
        crds: &Place,
        path: &str,
        object: Option<&Value>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<DefinedPlace> {
        let ignored = IgnorePatterns::default();
        let files = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false }
            .find(std::slice::from_ref(crds))
            .context("--crd")?;
        let mut warnings = Vec::new();
        let catalog = Catalog::read(&files, Take::Readable, &BuiltIn::default(), workers::all_cores(), &mut warnings)?;
        for warning in &warnings {
            terminal.warning(warning);
        }
        let identity = object.map(Identity::of).unwrap_or_default();
        let definition = choose(&catalog, &identity).with_context(|| format!("--crd {crds}"))?;
        let crd = definition.crd();
        let is_own = identity.kind == crd.names.kind.as_str() && identity.group() == crd.group.as_str();
        let version = if is_own {
            let missing = || anyhow!("{} has no version {}", crd.names.kind, identity.version());
            crd.version(identity.version()).ok_or_else(missing)?
        } else {
            crd.storage_version().or(crd.versions.first()).context("the definition has no versions")?
        };
        let props = version.props().with_context(|| format!("version {} has no schema", version.name))?;
        let steps = steps(path).with_context(|| format!("--path {path}"))?;
        let scope = RuleScope::at(props, &steps, Release::NEWEST).with_context(|| format!("--path {path}"))?;
        let api_version = format!("{}/{}", crd.group, version.name);
        let mut resources = CustomResource::versions(crd, Release::NEWEST).into_iter();
        let resource = resources.find(|resource| resource.api_version() == api_version);
        Ok(DefinedPlace { scope, resource: resource.context("the version cannot be read")?, steps })
    }

    /// Returns the value at the path in a whole object, after defaulting; a value that is not an object of the kind is
    /// used as it is.
    pub(super) fn value(&self, given: Value) -> anyhow::Result<Value> {
        let identity = Identity::of(&given);
        if identity.kind.is_empty() || identity.api_version.is_empty() {
            return Ok(given);
        }
        if identity.api_version != self.resource.api_version() {
            bail!("{identity} is not in version {}", self.resource.api_version());
        }
        let mut object = self.resource.decode(given)?.object;
        self.resource.default(&mut object)?;
        let mut value = &object;
        for (depth, step) in self.steps.iter().enumerate() {
            let part = match step {
                PlaceStep::Member(name) => value.get(name),
                PlaceStep::Element(index) => value.as_array().and_then(|list| list.as_slice().get(*index)),
            };
            value = part.ok_or_else(|| anyhow!("{identity} has no {}", shown(&self.steps[..=depth])))?;
        }
        Ok(value.clone())
    }
}

fn choose<'c>(catalog: &'c Catalog, identity: &Identity) -> anyhow::Result<&'c Definition> {
    if let Some(own) = catalog.find(identity.group(), &identity.kind) {
        return Ok(own);
    }
    let all: Vec<&Definition> = catalog.all().collect();
    match all.as_slice() {
        [] => bail!("no definitions of custom resources here"),
        [only] => Ok(only),
        several => {
            let kinds: Vec<&str> = several.iter().map(|definition| definition.crd().names.kind.as_str()).collect();
            bail!("several definitions ({}); --self with an object says which", kinds.join(", "))
        }
    }
}

/// The steps of a path: `spec.list[0].name`, `spec.map[key]`.
fn steps(path: &str) -> anyhow::Result<Vec<PlaceStep>> {
    let mut steps = Vec::new();
    let mut rest = path.trim_start_matches('.');
    while !rest.is_empty() {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end > 0 {
            steps.push(PlaceStep::Member(rest[..end].to_owned()));
        }
        rest = &rest[end..];
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, after) = inner.split_once(']').context("a bracket is not closed")?;
            steps.push(match key.parse() {
                Ok(index) => PlaceStep::Element(index),
                Err(_) => PlaceStep::Member(key.trim_matches(['\'', '"']).to_owned()),
            });
            rest = after;
        }
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() || after.starts_with(['.', '[']) {
                bail!("a name is missing after a dot");
            }
            rest = after;
        }
    }
    Ok(steps)
}

fn shown(steps: &[PlaceStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PlaceStep::Member(name) if text.is_empty() => text.clone_from(name),
            PlaceStep::Member(name) => text = format!("{text}.{name}"),
            PlaceStep::Element(index) => text = format!("{text}[{index}]"),
        }
    }
    text
}

/// True if an argument is a path and not the value itself.
pub(super) fn is_file(text: &str) -> bool {
    !text.starts_with(['{', '[']) || Path::new(text).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_into_lists_and_maps() {
        let read = |path: &str| steps(path).map(|steps| format!("{steps:?}")).map_err(|error| error.to_string());
        assert_eq!(read(""), Ok("[]".to_owned()));
        assert_eq!(
            read(".spec.list[2].map['a.b']"),
            Ok(r#"[Member("spec"), Member("list"), Element(2), Member("map"), Member("a.b")]"#.to_owned())
        );
        assert_eq!(read("spec[0"), Err("a bracket is not closed".to_owned()));
        assert_eq!(read("spec..a"), Err("a name is missing after a dot".to_owned()));
    }
}
