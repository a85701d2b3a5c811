//! Hand-written checks that generated code calls: which there are, and stubs for those that are not written.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use sprag_codegen::hook_name;
use sprag_program::Plan;
use sprag_tags::types::Universe;

/// A hand-written check that generated code calls.
pub(super) struct Hook {
    /// Its name in Go.
    name: String,
    /// The function that generated code calls.
    function: String,
    /// The type of the value it judges, as Go names it.
    ty: String,
}

/// The checks that a plan calls, each once, sorted.
pub(super) fn hooks(universe: &Universe, plan: &Plan) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = plan
        .hooks
        .iter()
        .map(|hook| Hook { name: hook.name.clone(), function: hook_name(&hook.name), ty: universe.type_name(hook.ty) })
        .collect();
    hooks.sort_by(|a, b| a.name.cmp(&b.name));
    hooks.dedup_by(|a, b| a.name == b.name);
    hooks
}

impl Hook {
    /// Returns the note on it.
    pub(super) fn note(&self, module: &str) -> String {
        let Hook { name, function, ty } = self;
        format!("generated code calls {module}::{function}, the hand-written check {name} of a {ty}")
    }

    /// A function that fails until it is implemented, so that a missing check never accepts an object.
    fn stub(&self) -> String {
        let Hook { name, function, ty } = self;
        let mut text = format!(
            "\n/// Judges a `{ty}`, as upstream's `{name}` does. Put the Rust type of the value in place of `T`.\n"
        );
        let _ = write!(
            text,
            "pub fn {function}<T: ?Sized>(at: &At<'_>, _new: Option<&T>, _old: Option<&T>, errors: &mut Errors) -> bool {{\n    \
             errors.push(Error::internal(&at.path, \"hand-written check {name} is not written yet\"));\n    true\n}}\n"
        );
        text
    }
}

/// Adds a stub to a file for each check that it does not have; returns the functions that were added.
pub(super) fn add_stubs<'h>(file: &Path, hooks: &'h [Hook], runtime: &str) -> anyhow::Result<Vec<&'h str>> {
    let found = match fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let is_new = found.is_none();
    let mut text = found.unwrap_or_else(|| head(runtime));
    let missing: Vec<&Hook> = hooks.iter().filter(|hook| !has_function(&text, &hook.function)).collect();
    for hook in &missing {
        text.push_str(&hook.stub());
    }
    if is_new || !missing.is_empty() {
        crate::output::replace(file, text.as_bytes()).with_context(|| file.display().to_string())?;
    }
    Ok(missing.into_iter().map(|hook| hook.function.as_str()).collect())
}

/// The head of a new file; errors are in the crate that has the functions validators call, or beside it.
fn head(runtime: &str) -> String {
    let field = match runtime.strip_suffix("checks") {
        Some(root) if root.ends_with("::") => format!("{root}field"),
        _ => "sprag_field".to_owned(),
    };
    format!("//! Hand-written checks.\n\nuse {field}::Error;\nuse {runtime}::{{At, Errors}};\n")
}

fn has_function(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("fn ") {
        let after = after.trim_start();
        if after.strip_prefix(name).is_some_and(|next| next.trim_start().starts_with(['(', '<'])) {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_whole_name() {
        let text = "pub fn validate_a_b(at: &At<'_>) {}\nfn  generic<T>() {}\n";
        assert!(has_function(text, "validate_a_b") && has_function(text, "generic"));
        assert!(!has_function(text, "validate_a") && !has_function(text, "a_b"));
    }

    #[test]
    fn errors_are_imported_from_beside_the_functions() {
        assert!(head("::sprag::checks").contains("use ::sprag::field::Error;"));
        assert!(head("sprag_checks").contains("use sprag_field::Error;"));
    }
}
