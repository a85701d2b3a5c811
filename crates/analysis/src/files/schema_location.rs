//! Places of JSON schemas on disk: a file for each version of a kind, at a path that is made of what objects say.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::str::FromStr;

use super::limited::read_at_most;
use crate::report::Identity;

/// Maximum length of a schema.
const MAX_SCHEMA: u64 = 32 << 20;

/// The layouts of a folder: that of catalogs of custom resources, and that of kubeconform.
const LAYOUTS: [&str; 2] = [
    "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json",
    "{{.NormalizedKubernetesVersion}}-standalone{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json",
];

/// The variables of kubeconform and of flux-schema, and what is put in their places.
const VARIABLES: [(&str, Variable); 9] = [
    ("Group", Variable::Group),
    ("GroupPrefix", Variable::GroupPrefix),
    ("Kind", Variable::Kind),
    ("KindSuffix", Variable::KindSuffix),
    ("NormalizedKubernetesVersion", Variable::Release),
    ("ResourceAPIVersion", Variable::Version),
    ("ResourceKind", Variable::Kind),
    ("StrictSuffix", Variable::Strict),
    ("Version", Variable::Version),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Group,
    GroupPrefix,
    Kind,
    KindSuffix,
    Release,
    Strict,
    Version,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Variable(Variable),
}

/// A place of schemas: a folder, or a path with variables such as `schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaLocation {
    templates: Vec<Vec<Part>>,
}

impl FromStr for SchemaLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("a path is empty".to_owned());
        }
        // As upstream's (kubeconform's) registry.New: what does not end so is a folder.
        let templates = if text.ends_with("json") {
            vec![parts(text)?]
        } else {
            let below = |layout: &str| parts(&format!("{}/{layout}", text.trim_end_matches('/')));
            LAYOUTS.iter().map(|layout| below(layout)).collect::<Result<_, _>>()?
        };
        Ok(SchemaLocation { templates })
    }
}

impl SchemaLocation {
    /// The folder that all schemas of the place are in.
    pub fn folder(&self) -> &Path {
        let Some(Part::Text(text)) = self.templates.first().and_then(|parts| parts.first()) else {
            return Path::new(".");
        };
        match text.rfind('/') {
            Some(0) => Path::new("/"),
            Some(end) => Path::new(&text[..end]),
            None => Path::new("."),
        }
    }

    /// Reads the schema of an object's kind, if there is one, with the name of its file.
    pub(crate) fn read(&self, identity: &Identity, release: &str) -> Option<(String, io::Result<Vec<u8>>)> {
        let name = self.names(identity, release).find(|name| fs::metadata(name).is_ok_and(|kind| kind.is_file()))?;
        let bytes = File::open(&name).and_then(|file| read_at_most(MAX_SCHEMA, file));
        Some((name, bytes))
    }

    /// The files that may have the schema, best first; none for an identity that could lead elsewhere.
    fn names(&self, identity: &Identity, release: &str) -> impl Iterator<Item = String> {
        let said = [identity.group(), identity.version(), &identity.kind];
        let is_plain = said.into_iter().all(is_plain);
        let all = self.templates.iter().flat_map(move |template| expand(template, identity, release));
        all.filter(move |_| is_plain)
    }
}

/// True if a folder holds schemas: files in JSON, one folder further down.
pub fn has_schemas(folder: &Path) -> bool {
    let is_json = |entry: fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "json");
    let has_json = |entry: fs::DirEntry| fs::read_dir(entry.path()).is_ok_and(|files| files.flatten().any(is_json));
    fs::read_dir(folder).is_ok_and(|folders| folders.flatten().any(has_json))
}

/// Values that are one part of a path, whatever comes before and after them.
fn is_plain(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    !text.is_empty() && !text.starts_with('.') && text.chars().all(is_plain)
}

fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or_else(|| format!("{text:?}: a variable has no end"))?;
        let name = name.trim();
        let known = VARIABLES.iter().find(|(known, _)| name.strip_prefix('.') == Some(*known));
        let Some((_, variable)) = known else {
            let known: Vec<&str> = VARIABLES.iter().map(|(known, _)| *known).collect();
            return Err(format!("{text:?}: there is no variable {name:?}; known: .{}", known.join(", .")));
        };
        parts.push(Part::Text(before.to_owned()));
        parts.push(Part::Variable(*variable));
        rest = after;
    }
    parts.push(Part::Text(rest.to_owned()));
    Ok(parts)
}

/// All that a template stands for: schemas of a release may be kept as those of no release, and strict ones apart.
fn expand(template: &[Part], identity: &Identity, release: &str) -> Vec<String> {
    let prefix = identity.group().split('.').next().unwrap_or_default().to_lowercase();
    let version = identity.version().to_lowercase();
    let mut paths = vec![String::new()];
    for part in template {
        let values = match part {
            Part::Text(text) => vec![text.clone()],
            Part::Variable(Variable::Group) => vec![identity.group().to_lowercase()],
            Part::Variable(Variable::GroupPrefix) => vec![prefix.clone()],
            Part::Variable(Variable::Kind) => vec![identity.kind.to_lowercase()],
            Part::Variable(Variable::KindSuffix) => vec![format!("-{prefix}-{version}")],
            Part::Variable(Variable::Version) => vec![version.clone()],
            Part::Variable(Variable::Release) => vec![format!("v{release}.0"), "master".to_owned()],
            Part::Variable(Variable::Strict) => vec![String::new(), "-strict".to_owned()],
        };
        paths = paths.iter().flat_map(|path| values.iter().map(move |value| format!("{path}{value}"))).collect();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(location: &str, api_version: &str, kind: &str, expected: &[&str]) {
        let identity = Identity { api_version: api_version.to_owned(), kind: kind.to_owned(), ..Identity::default() };
        let location: SchemaLocation = location.parse().unwrap();
        let names: Vec<String> = location.names(&identity, "1.37").collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn variables_are_those_of_kubeconform_and_flux_schema() {
        check(
            "a/{{ .Group }}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json",
            "cert-manager.io/v1",
            "Issuer",
            &["a/cert-manager.io/issuer_v1.json"],
        );
        check(
            "{{.Kind}}-{{.GroupPrefix}}-{{.Version}}.json",
            "cert-manager.io/v1",
            "Issuer",
            &["issuer-cert-manager-v1.json"],
        );
        assert_eq!("{{.Kind}}.json".parse::<SchemaLocation>().unwrap().folder(), Path::new("."));
        assert_eq!("a/b/x-{{.Kind}}.json".parse::<SchemaLocation>().unwrap().folder(), Path::new("a/b"));
        check(
            "a/",
            "example.com/v1",
            "Widget",
            &[
                "a/example.com/widget_v1.json",
                "a/v1.37.0-standalone/widget-example-v1.json",
                "a/v1.37.0-standalone-strict/widget-example-v1.json",
                "a/master-standalone/widget-example-v1.json",
                "a/master-standalone-strict/widget-example-v1.json",
            ],
        );
    }

    #[test]
    fn objects_cannot_lead_out_of_the_place() {
        let location = "a/{{.Group}}/{{.ResourceKind}}.json";
        check(location, "../../etc/v1", "Widget", &[]);
        check(location, "example.com/v1", "../x", &[]);
        check(location, "..", "Widget", &[]);
        check(location, "example.com/v1", "", &[]);
    }

    #[test]
    fn other_variables_are_refused() {
        let error = "a/{{.Name}}.json".parse::<SchemaLocation>().unwrap_err();
        assert!(error.starts_with("\"a/{{.Name}}.json\": there is no variable \".Name\"; known: .Group, "), "{error}");
        assert_eq!(
            "a/{{.Kind.json".parse::<SchemaLocation>().unwrap_err(),
            "\"a/{{.Kind.json\": a variable has no end"
        );
    }
}
