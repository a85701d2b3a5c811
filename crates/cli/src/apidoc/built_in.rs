//! Built-in kinds: which one a name means, and trees of them, read from the embedded program.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{anyhow, bail};
use sprag_analysis::nearest;
use sprag_kinds::KindReference;
use sprag_rest::Releases;
use sprag_shape::TypeId;

use super::Node;
use sprag_analysis::apidoc::Reader;

/// The fields that only some releases have, read once.
static RANGES: LazyLock<BTreeMap<(TypeId, String), Releases>> = LazyLock::new(sprag_kinds::ranges);

/// A built-in kind that was asked for.
pub(crate) struct Found {
    /// The kind with everything below it.
    pub(crate) node: Node,
    /// The names of fields that were asked for.
    pub(crate) fields: Vec<String>,
    /// The API version.
    pub(crate) api_version: String,
    /// Other API versions that have the kind.
    pub(crate) others: Vec<String>,
}

/// The kind that a name such as `Deployment.spec`, `pods.spec.containers`, `apps/v1/Deployment` or `events.events.k8s.io` means.
pub(crate) fn find(what: &str) -> anyhow::Result<Found> {
    let kinds = sprag_kinds::reference();
    let (api_version, rest) = split_version(what);
    let mut parts: Vec<&str> = rest.split('.').collect();
    let name = parts.remove(0);
    let named = |kind: &&KindReference| is_called(kind, name) && api_version.is_none_or(|v| kind.api_version == v);
    let mut fitting: Vec<&KindReference> = kinds.iter().filter(named).collect();
    if fitting.is_empty() {
        bail!(unknown(&kinds, name, api_version));
    }
    if let Some((chosen, used)) = of_group(&fitting, &parts.join(".")) {
        (fitting, parts) = (chosen, parts.split_off(used));
    }
    fitting.sort_by_key(|kind| (kind.api_version.contains('/'), std::cmp::Reverse(&kind.api_version)));
    let (kind, others) = fitting.split_first().ok_or_else(|| anyhow!("there is no kind {name:?}"))?;
    Ok(Found {
        node: node(kind, true).ok_or_else(|| anyhow!("{} has no declaration", kind.kind))?,
        fields: parts.into_iter().map(str::to_owned).collect(),
        api_version: kind.api_version.clone(),
        others: others.iter().map(|kind| kind.api_version.clone()).collect(),
    })
}

/// All kinds of an API version such as `apps/v1`, or of a group, sorted.
pub(crate) fn of_version(wanted: &str) -> anyhow::Result<Vec<Node>> {
    let kinds = sprag_kinds::reference();
    let group = |kind: &KindReference| kind.api_version.rsplit_once('/').map(|(group, _)| group.to_owned());
    let is_wanted = |kind: &&KindReference| kind.api_version == wanted || group(kind).as_deref() == Some(wanted);
    let nodes = kinds.iter().filter(is_wanted).filter_map(|kind| {
        let mut node = node(kind, false)?;
        node.name = format!("{} {}", kind.api_version, kind.kind);
        Some(node)
    });
    let nodes: Vec<Node> = nodes.collect();
    if nodes.is_empty() {
        let mut versions: Vec<&str> = kinds.iter().map(|kind| kind.api_version.as_str()).collect();
        versions.dedup();
        bail!("no built-in kind is in {wanted:?}; there are {}", versions.join(", "))
    }
    Ok(nodes)
}

/// An API version in front of a kind: `apps/v1/Deployment`, `apps/v1.Deployment`, `v1/Pod`.
fn split_version(what: &str) -> (Option<&str>, &str) {
    let Some((front, rest)) = what.rsplit_once('/') else { return (None, what) };
    let is_version = |text: &str| {
        let digits = text.strip_prefix('v').unwrap_or_default();
        digits.starts_with(|first: char| first.is_ascii_digit())
    };
    match rest.split_once('.') {
        Some((version, kind)) if is_version(version) => (Some(&what[..=front.len() + version.len()]), kind),
        _ => (Some(front), rest),
    }
}

/// Tells if a kind or its resource has this name; case does not count, as for kubectl.
fn is_called(kind: &KindReference, name: &str) -> bool {
    let names = [&kind.kind, &kind.resource];
    names.into_iter().chain(&kind.other_names).any(|known| known.eq_ignore_ascii_case(name))
}

/// The kinds of the group, or version and group, that the rest of a name begins with, and how many parts that takes.
fn of_group<'k>(kinds: &[&'k KindReference], rest: &str) -> Option<(Vec<&'k KindReference>, usize)> {
    let prefix = |kind: &KindReference| {
        let (group, version) = kind.api_version.rsplit_once('/')?;
        let forms = [format!("{version}.{group}"), group.to_owned()];
        let begins =
            |form: &&String| rest.strip_prefix(form.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('.'));
        forms.iter().find(begins).map(|form| form.split('.').count())
    };
    let used = kinds.iter().filter_map(|kind| prefix(kind)).max()?;
    Some((kinds.iter().copied().filter(|kind| prefix(kind) == Some(used)).collect(), used))
}

fn unknown(kinds: &[KindReference], name: &str, api_version: Option<&str>) -> String {
    let place = api_version.map_or(String::new(), |version| format!(" in {version}"));
    let elsewhere: Vec<&str> = kinds.iter().filter(|k| is_called(k, name)).map(|k| k.api_version.as_str()).collect();
    if !elsewhere.is_empty() {
        return format!("there is no built-in kind {name:?}{place}; it is in {}", elsewhere.join(", "));
    }
    let known = kinds.iter().flat_map(|kind| [kind.kind.as_str(), kind.resource.as_str()]);
    let hint = nearest(name, known).map_or(String::new(), |known| format!("; did you mean {known}?"));
    format!(
        "there is no built-in kind {name:?}{place}{hint}\nTypes and definitions are named PATH::TYPE, such as ./api/v1::Widget."
    )
}

fn node(kind: &KindReference, enters_metadata: bool) -> Option<Node> {
    let (group, version) = kind.api_version.rsplit_once('/').unwrap_or(("", &kind.api_version));
    let program = sprag_kinds::program();
    let resource = program.find(group, version, &kind.kind)?;
    let ranges = &*RANGES;
    Some(Reader { program, enters_metadata, ranges }.resource(resource))
}
