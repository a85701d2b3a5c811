//! The table of what was found and not validated, with the next step for each reason.

use std::fmt::Write as _;

use sprag_analysis::Passed;

use super::Totals;
use super::format::Advice;
use super::visible::visible;

/// Maximum number of kinds that are listed.
const MAX_KINDS: usize = 50;

/// The lines of the table; nothing if nothing was passed over.
pub(super) fn passed_over(totals: &Totals, advice: &Advice) -> String {
    let mut table = String::new();
    let rows: Vec<(usize, Passed)> =
        Passed::ALL.into_iter().filter_map(|passed| Some((*totals.passed.get(&passed)?, passed))).collect();
    if rows.is_empty() {
        return table;
    }
    let width = rows.iter().map(|(count, _)| count.to_string().len()).max().unwrap_or_default();
    table += "Not validated:\n";
    for (count, passed) in rows {
        // Writing to a string does not fail.
        let _ = writeln!(table, "  {count:>width$} {}", words(passed, count, advice));
        if passed == Passed::Unknown {
            kinds(totals, width, &mut table);
        }
    }
    table
}

/// The objects without a definition, kind by kind, and how to bring the definition of each.
fn kinds(totals: &Totals, width: usize, table: &mut String) {
    for ((api_version, kind), count) in totals.missing.iter().take(MAX_KINDS) {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let name = visible(&format!("{}.{group}", plural(&kind.to_lowercase()))).into_owned();
        let object = visible(&format!("{kind} ({api_version})")).into_owned();
        let _ =
            writeln!(table, "  {:width$}   {count} {object}: kubectl get crd {name} -o yaml | sprag crds add -", "");
    }
    if let Some(more) = totals.missing.len().checked_sub(MAX_KINDS).filter(|more| *more > 0) {
        let _ = writeln!(table, "  {:width$}   {more} more kinds", "");
    }
}

fn words(passed: Passed, count: usize, advice: &Advice) -> String {
    let s = if count == 1 { "" } else { "s" };
    let quoted = |folder: &Option<String>| folder.as_deref().map(|folder| visible(&shell_word(folder)).into_owned());
    match passed {
        Passed::NotManifest => format!("file{s} without apiVersion and kind"),
        Passed::Template => match quoted(&advice.chart) {
            Some(chart) => format!("template{s}: helm template {chart} | sprag validate -"),
            None => format!("template{s}: validate what they are rendered to"),
        },
        Passed::KustomizePart => match quoted(&advice.overlay) {
            Some(overlay) => format!("part{s} of kustomizations: kustomize build {overlay} | sprag validate -"),
            None => format!("part{s} of kustomizations"),
        },
        Passed::Program => format!("object{s} that programs read, not clusters: kustomize, kubectl, kind, kubeadm"),
        Passed::Answered => {
            format!("object{s} that the API server answers and does not store, such as reviews and evictions")
        }
        Passed::Unknown => {
            let whose = if count == 1 { "whose kind has" } else { "whose kinds have" };
            format!("object{s} {whose} no definition here (--require-schemas makes this an error)")
        }
        Passed::Ignored => {
            let what = if count == 1 { "file or folder" } else { "files and folders" };
            format!("{what} that .gitignore, .helmignore, a dot or vendor/modules.txt hides (--no-ignore reads all)")
        }
    }
}

/// The name of a resource as authors of definitions form it.
fn plural(kind: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| kind.ends_with(ending));
    if ends(&["s", "x", "z", "ch", "sh"]) {
        return format!("{kind}es");
    }
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{kind}s"),
    }
}

/// A path as a shell takes it.
fn shell_word(path: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '-' | '_');
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_named_after_their_kinds() {
        let named = |kind: &str| plural(kind);
        assert_eq!(named("gateway"), "gateways");
        assert_eq!(named("policy"), "policies");
        assert_eq!(named("ingress"), "ingresses");
        assert_eq!(named("widget"), "widgets");
    }

    #[test]
    fn folders_are_words_of_a_shell() {
        assert_eq!(shell_word("charts/a-b"), "charts/a-b");
        assert_eq!(shell_word("a b; rm '"), r"'a b; rm '\'''");
    }
}
