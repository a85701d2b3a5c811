//! Which type and which subresource a check is about.

use anyhow::{Context, anyhow, bail};
use sprag_build::load::Loaded;
use sprag_plan::DefId;
use sprag_rules::types::Universe;
use sprag_value::Value;

use crate::declared::Declared;
use crate::suggest::nearest;

/// A type by package path and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) package: String,
    pub(super) name: String,
}

/// The type with this name, or else the one that the object's `kind` names, in one of the given packages.
pub(super) fn find_type(loaded: &Loaded, name: Option<&str>, object: &Value) -> anyhow::Result<Choice> {
    let kind = || object.get("kind").and_then(Value::as_str).filter(|kind| !kind.is_empty());
    let name = name.or_else(kind).context("the object has no kind: name its type with --type")?;
    let (package, short) = split(name);
    let candidates: Vec<Choice> = given_types(loaded)
        .filter(|ty| ty.name == short && package.is_none_or(|package| is_named(&ty.package, package)))
        .collect();
    match candidates.as_slice() {
        [] => Err(unknown(loaded, name, short)),
        [only] => Ok(only.clone()),
        several => {
            let names: Vec<String> = several.iter().map(|ty| format!("{}.{}", ty.package, ty.name)).collect();
            bail!("type {name} is in several packages: {}; use one of these names", names.join(", "))
        }
    }
}

impl Choice {
    /// The type in the universe that its package went into.
    pub(super) fn def(&self, universe: &Universe) -> anyhow::Result<DefId> {
        universe.find(&self.package, &self.name).with_context(|| format!("there is no type {}", self.name))
    }
}

fn given_types(loaded: &Loaded) -> impl Iterator<Item = Choice> {
    let given = loaded.packages.iter().filter(|package| loaded.is_given(package));
    given.flat_map(|package| {
        package.types.iter().map(|ty| Choice { package: package.path.clone(), name: ty.name.clone() })
    })
}

/// Package and name of `v1.Widget` or `api::v1::Widget`.
fn split(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.').or_else(|| name.rsplit_once("::")) {
        Some((package, name)) => (Some(package), name),
        None => (None, name),
    }
}

/// Whether a package's path is this one, or ends with it.
fn is_named(path: &str, wanted: &str) -> bool {
    let rest = path.strip_suffix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || rest.ends_with("::"))
}

fn unknown(loaded: &Loaded, name: &str, short: &str) -> anyhow::Error {
    let known: Vec<Choice> = given_types(loaded).collect();
    let hint = match nearest(short, known.iter().map(|ty| ty.name.as_str())) {
        Some(known) => format!("; did you mean {known}?"),
        None => String::new(),
    };
    anyhow!("there is no type {name} in {}{hint}", loaded.given().collect::<Vec<_>>().join(", "))
}

/// The subresource path of a request, which the type has to answer for.
pub(super) fn subresource(declared: &Declared, def: DefId, name: Option<&str>) -> anyhow::Result<String> {
    let path = format!("/{}", name.unwrap_or_default().trim_matches('/'));
    if let Some(root) = declared.program.plan().root(def)
        && !root.subresources.contains(&path)
    {
        let (ty, known) = (&declared.universe.def(def).name, root.subresources.join(", "));
        bail!("type {ty} has no rules for subresource {path}, only for {known} (see +k8s:supportsSubresource)");
    }
    Ok(path)
}
