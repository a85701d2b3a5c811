//! Names in generated code: snake case, identifiers, module names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span};

/// Names that generated code uses itself, so modules of packages must not have them.
const RESERVED_MODULES: &[&str] = &[
    "flow",
    "format",
    "hooks",
    "integer_bounds",
    "list",
    "map",
    "presence",
    "same",
    "scalar",
    "serde",
    "resources",
    "shapes",
    "size_limits",
    "std",
    "core",
    "traits",
    "union",
    "update",
    "validation",
];

/// Type names that generated validators use themselves.
pub(crate) const RESERVED_TYPES: &[&str] = &[
    "At",
    "Box",
    "Constraint",
    "Discriminator",
    "Err",
    "Errors",
    "Exclusion",
    "Format",
    "Integer",
    "KeyHasher",
    "LazyLock",
    "None",
    "Ok",
    "Option",
    "Regexp",
    "Same",
    "Show",
    "Some",
    "Stage",
    "String",
    "Text",
    "Vec",
];

/// Words that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["self", "Self", "super", "crate", "_"];

/// A name in snake case: `PodIPs` is `pod_ips`, `HTTPGet` is `http_get`.
pub(crate) fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, &ch) in chars.iter().enumerate() {
        if ch.is_uppercase() && at > 0 && starts_word(&chars, at) {
            out.push('_');
        }
        if ch.is_alphanumeric() {
            out.extend(ch.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out
}

/// Reports whether an upper-case letter begins a word: after a small letter, or as the last capital of an acronym.
fn starts_word(chars: &[char], at: usize) -> bool {
    let before = chars[at - 1];
    if !before.is_uppercase() {
        return before.is_alphanumeric();
    }
    let Some(next) = chars.get(at + 1) else { return false };
    // The `s` of `IPs` belongs to the acronym.
    let plural = *next == 's' && chars.get(at + 2).is_none_or(|after| !after.is_lowercase());
    next.is_lowercase() && !plural
}

/// Renames a field as serde's `rename_all = "camelCase"` does.
pub(crate) fn serde_camel(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    let mut capital = false;
    for ch in field.chars() {
        match ch {
            '_' => capital = true,
            _ if capital && !out.is_empty() => {
                out.push(ch.to_ascii_uppercase());
                capital = false;
            }
            _ => {
                out.push(ch);
                capital = false;
            }
        }
    }
    out
}

/// A name as an identifier, raw where it is a keyword.
pub(crate) fn ident(name: &str) -> Ident {
    if NEVER_RAW.contains(&name) || name.is_empty() {
        return Ident::new(&format!("{name}_"), Span::call_site());
    }
    if syn::parse_str::<Ident>(name).is_ok() {
        return Ident::new(name, Span::call_site());
    }
    if name.starts_with(|ch: char| ch.is_alphabetic() || ch == '_') {
        return Ident::new_raw(name, Span::call_site());
    }
    Ident::new(&format!("_{name}"), Span::call_site())
}

/// Makes names different from each other by numbering the later ones.
#[derive(Default)]
pub(crate) struct Unique(BTreeSet<String>);

impl Unique {
    pub(crate) fn claim(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 1;
        while !self.0.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        candidate
    }
}

/// A module name for every package: as many of the last path elements as it takes to tell them apart.
pub(crate) fn modules<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    let elements: Vec<Vec<String>> = paths.map(path_elements).collect();
    let mut taken: Vec<usize> = elements.iter().map(|path| shortest(path)).collect();
    loop {
        let names: Vec<String> = elements.iter().zip(&taken).map(|(path, count)| tail(path, *count)).collect();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in &names {
            *seen.entry(name).or_default() += 1;
        }
        let mut grown = false;
        for ((path, count), name) in elements.iter().zip(&mut taken).zip(&names) {
            if (seen[name.as_str()] > 1 || RESERVED_MODULES.contains(&name.as_str())) && *count < path.len() {
                *count += 1;
                grown = true;
            }
        }
        if !grown {
            let mut unique = Unique(RESERVED_MODULES.iter().map(|name| (*name).to_owned()).collect());
            return names.iter().map(|name| unique.claim(name)).collect();
        }
    }
}

fn path_elements(path: &str) -> Vec<String> {
    path.split(['/', ':'])
        .filter(|element| !element.is_empty() && *element != "crate")
        .map(|element| {
            element.chars().map(|ch| if ch.is_ascii_alphanumeric() { ch.to_ascii_lowercase() } else { '_' }).collect()
        })
        .collect()
}

/// A version says too little alone.
fn shortest(path: &[String]) -> usize {
    let is_version = |element: &String| {
        element.strip_prefix('v').is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
    };
    if path.last().is_some_and(is_version) { path.len().min(2) } else { path.len().min(1) }
}

fn tail(path: &[String], count: usize) -> String {
    let name = path[path.len() - count..].join("_");
    let bad_start = !name.starts_with(|ch: char| ch.is_ascii_alphabetic());
    if bad_start || syn::parse_str::<Ident>(&name).is_err() { format!("p_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_snake_case() {
        let rows = [
            ("Replicas", "replicas"),
            ("PodIPs", "pod_ips"),
            ("ExternalIPsPolicy", "external_ips_policy"),
            ("HTTPGet", "http_get"),
            ("UID", "uid"),
            ("APIVersion", "api_version"),
            ("ClusterIP", "cluster_ip"),
            ("ISCSI", "iscsi"),
            ("V1Beta1", "v1_beta1"),
            ("ValidateCustom_Struct_Field", "validate_custom_struct_field"),
            ("Is", "is"),
            ("ASet", "a_set"),
        ];
        for (name, want) in rows {
            assert_eq!(snake(name), want);
        }
    }

    #[test]
    fn camel_case_is_serde_s() {
        assert_eq!(serde_camel("pod_ips"), "podIps");
        assert_eq!(serde_camel("v1_beta1"), "v1Beta1");
        assert_eq!(serde_camel("kind"), "kind");
    }

    #[test]
    fn keywords_are_escaped() {
        assert_eq!(ident("type").to_string(), "r#type");
        assert_eq!(ident("self").to_string(), "self_");
        assert_eq!(ident("kind").to_string(), "kind");
    }

    #[test]
    fn modules_are_as_short_as_they_can_be() {
        let paths = ["k8s.io/api/core/v1", "k8s.io/api/apps/v1", "a/tags/list", "b/set", "c/set", "x/mod"];
        assert_eq!(modules(paths.into_iter()), ["core_v1", "apps_v1", "tags_list", "b_set", "c_set", "p_mod"]);
    }

    #[test]
    fn same_path_twice_is_numbered() {
        assert_eq!(modules(["crate::api", "crate::api"].into_iter()), ["api", "api_2"]);
    }
}
