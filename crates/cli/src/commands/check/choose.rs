//! The type and subresource that a check applies to.

use anyhow::{Context, anyhow, bail};
use sprag_analysis::declared::{Declared, selected};
use sprag_analysis::{nearest, some_of};
use sprag_build::load::Loaded;
use sprag_idl::model::Package;
use sprag_program::DefId;
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, group_version};
use sprag_value::Value;

/// A type by package path and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) package: String,
    pub(super) name: String,
}

/// The type with this name, or else the one that the object's `kind` names, in one of the given packages.
pub(super) fn find_type(loaded: &Loaded, name: Option<&str>, object: &Value) -> anyhow::Result<Choice> {
    let kind = || object.get("kind").and_then(Value::as_str).filter(|kind| !kind.is_empty());
    let is_named_by_user = name.is_some();
    let name = name.or_else(kind).context("the object has no kind: name its type with --type")?;
    let (package, short) = split(name);
    let mut candidates: Vec<Choice> = given_types(loaded)
        .filter(|ty| ty.name == short && package.is_none_or(|package| is_named(&ty.package, package)))
        .collect();
    if let Some(said) = object.get("apiVersion").and_then(Value::as_str).filter(|_| !is_named_by_user) {
        let others = candidates.clone();
        candidates.retain(|ty| ty.is_of(loaded, said));
        if let ([], Some(other)) = (candidates.as_slice(), others.first()) {
            let Choice { package, name: ty } = other;
            bail!("no type here is {name} of {said}: {package}.{ty} is of another group or version");
        }
    }
    match candidates.as_slice() {
        [] => Err(unknown(loaded, name, short, is_named_by_user)),
        [only] => Ok(only.clone()),
        several => {
            let names: Vec<String> = several.iter().map(|ty| format!("{}.{}", ty.package, ty.name)).collect();
            bail!("type {name} is in several packages: {}; use one of these names", names.join(", "))
        }
    }
}

impl Choice {
    /// True if objects of this API version are of the type, as far as its package says what it declares.
    fn is_of(&self, loaded: &Loaded, api_version: &str) -> bool {
        let (group, version) = sprag_rest::split_api_version(api_version);
        let Some(package) = loaded.packages.iter().find(|package| package.path == self.package) else { return false };
        let (own_group, own_version) = group_version(package);
        own_group.is_none_or(|own| own == group) && own_version.is_none_or(|own| own == version)
    }

    /// True if the `+k8s:validation-gen` tags of the packages select the type, so that `sprag gen` makes a validator of it.
    pub(super) fn is_selected(&self, packages: &[Package], dialect: Option<Dialect>) -> bool {
        let universe = Universe::new(packages.to_vec(), |_| true);
        let selected = selected(&universe, dialect);
        universe.find(&self.package, &self.name).is_some_and(|def| selected.contains(&def))
    }

    /// Returns a note on a type that is not selected.
    pub(super) fn left_out(&self) -> String {
        let Choice { package, name } = self;
        format!(
            "+k8s:validation-gen of {package} does not select {name}: sprag gen makes no validator of it without --all-kinds"
        )
    }

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

/// Reports whether a package's path is this one, or ends with it.
fn is_named(path: &str, wanted: &str) -> bool {
    let rest = path.strip_suffix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || rest.ends_with("::"))
}

fn unknown(loaded: &Loaded, name: &str, short: &str, is_named_by_user: bool) -> anyhow::Error {
    let known: Vec<Choice> = given_types(loaded).collect();
    let names = known.iter().map(|ty| ty.name.as_str());
    let hint = match nearest(short, names.clone()) {
        Some(known) => format!("; did you mean {known}?"),
        None if known.is_empty() => String::new(),
        None => format!("; the types here are {}", some_of(names)),
    };
    let origin = if is_named_by_user { "" } else { " (the object's kind; --type names another)" };
    anyhow!(
        "there is no type {name}{origin} in {}{hint}",
        loaded.given.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    )
}

/// The subresource path of a request, which the type has to answer for.
pub(super) fn subresource(declared: &Declared, def: DefId, name: Option<&str>) -> anyhow::Result<String> {
    let path = format!("/{}", name.unwrap_or_default().trim_matches('/'));
    if let Some(root) = declared.program.plan().root(def)
        && !root.subresources.contains(&path)
    {
        let ty = &declared.universe.def(def).name;
        let known = root.subresources.join(", ");
        bail!("type {ty} has no rules for subresource {path}, only for {known} (see +k8s:supportsSubresource)");
    }
    Ok(path)
}
