//! Fields that a user takes out of objects before they are judged.

use std::str::FromStr;

use sprag_value::Value;

use crate::report::Identity;

/// A field to take out of objects: a JSON pointer such as `/sops`, or `v1/Secret:/sops` for those of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedPath {
    /// A kind, with or without its API version; empty for all.
    scope: String,
    steps: Vec<String>,
}

impl FromStr for SkippedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scope, pointer) = match text.split_once(":/") {
            Some((scope, pointer)) if !text.starts_with('/') => (scope, pointer),
            _ => ("", text.strip_prefix('/').ok_or_else(|| format!("{text:?} is not of the form [KIND:]/PATH"))?),
        };
        let steps: Vec<String> = pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        if steps.iter().any(String::is_empty) {
            return Err(format!("{text:?} has an empty part"));
        }
        // Without these fields it would be another object.
        if matches!(steps[0].as_str(), "apiVersion" | "kind") {
            return Err(format!("{text:?}: apiVersion and kind say what an object is; --skip KIND skips it"));
        }
        Ok(SkippedPath { scope: scope.to_owned(), steps })
    }
}

impl SkippedPath {
    /// Takes the field out of an object; false if it has none.
    pub(crate) fn remove(&self, object: &mut Value, identity: &Identity) -> bool {
        let is_meant = self.scope.is_empty()
            || self.scope == identity.kind
            || self.scope == format!("{}/{}", identity.api_version, identity.kind);
        let Some((last, parents)) = self.steps.split_last().filter(|_| is_meant) else { return false };
        let parent = parents.iter().try_fold(object, |value, step| match value {
            Value::Array(elements) => elements.get_mut(step.parse().ok()?),
            value => value.get_mut(step),
        });
        match parent {
            Some(Value::Array(elements)) => last.parse().is_ok_and(|index| elements.remove(index).is_some()),
            Some(parent) => parent.remove(last).is_some(),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_decode::yaml;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let identity = Identity { api_version: "v1".to_owned(), kind: "Secret".to_owned(), ..Identity::default() };
        let mut object = yaml::decode(b"{sops: {mac: m}, a/b: 1, list: [{c: 1}, 2]}").unwrap();
        let whole = object.clone();
        let is_changed = path.parse::<SkippedPath>().unwrap().remove(&mut object, &identity);
        assert_eq!(object, yaml::decode(expected.as_bytes()).unwrap(), "{path}");
        assert_eq!(is_changed, object != whole);
    }

    #[test]
    fn pointers_name_fields_of_some_kinds() {
        check("/sops", "{a/b: 1, list: [{c: 1}, 2]}");
        check("Secret:/sops", "{a/b: 1, list: [{c: 1}, 2]}");
        check("v1/Secret:/sops/mac", "{sops: {}, a/b: 1, list: [{c: 1}, 2]}");
        check("v2/Secret:/sops", "{sops: {mac: m}, a/b: 1, list: [{c: 1}, 2]}");
        check("/a~1b", "{sops: {mac: m}, list: [{c: 1}, 2]}");
        check("/list/0/c", "{sops: {mac: m}, a/b: 1, list: [{}, 2]}");
        check("/list/1", "{sops: {mac: m}, a/b: 1, list: [{c: 1}]}");
        check("/list/x", "{sops: {mac: m}, a/b: 1, list: [{c: 1}, 2]}");
    }

    #[test]
    fn other_texts_are_refused() {
        let error = |text: &str| text.parse::<SkippedPath>().unwrap_err();
        assert_eq!(error("sops"), "\"sops\" is not of the form [KIND:]/PATH");
        assert_eq!(error("Secret:sops"), "\"Secret:sops\" is not of the form [KIND:]/PATH");
        assert_eq!(error("/"), "\"/\" has an empty part");
        assert_eq!(error("/kind"), "\"/kind\": apiVersion and kind say what an object is; --skip KIND skips it");
    }
}
