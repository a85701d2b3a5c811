//! Modules of several files: child modules in files of their own whose items the parent re-exports.

use std::collections::BTreeSet;

use crate::span::FileId;

use super::lexer::{Kind, lex};
use super::parser::{Parser, State};

/// A child module in a file of its own, declared `mod name;`, whose items the parent re-exports with `pub use name::*;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustPart {
    /// The child module's name.
    pub name: String,
    /// The cargo feature without which it is not compiled, from `#[cfg(feature = "…")]`.
    pub feature: Option<String>,
}

/// The child modules of a module whose types belong to the module itself, in the order of their declarations.
pub fn rust_parts(text: &str) -> Vec<RustPart> {
    let tokens = lex(text).tokens;
    let mut parser =
        Parser { text, file: FileId(0), tokens, at: 0, findings: Vec::new(), state: State::new("", BTreeSet::new()) };
    let mut declared = Vec::new();
    let mut reexported = BTreeSet::new();
    let mut feature = None;
    while !parser.at_end() {
        let start = parser.at;
        if parser.is("#") {
            feature = parser.cfg_feature().or(feature);
        } else if let Some(name) = parser.file_module() {
            declared.push(RustPart { name, feature: feature.take() });
        } else if let Some(name) = parser.glob_reexport() {
            reexported.insert(name);
            feature = None;
        } else {
            let belongs_to_next = parser.token().kind == Kind::OuterDoc || parser.is_any(&["pub", "("]);
            feature = feature.filter(|_| belongs_to_next);
            let _ = parser.skip_tree();
        }
        parser.at = parser.at.max(start + 1);
    }
    declared.retain(|part| reexported.contains(&part.name));
    declared
}

impl Parser<'_> {
    /// Steps over an attribute; the feature that it asks for.
    fn cfg_feature(&mut self) -> Option<String> {
        let start = self.at;
        self.bump();
        let feature = (self.is("[") && self.is_at(start + 2, "cfg") && self.is_at(start + 4, "feature"))
            .then(|| self.text_of(self.token_at(start + 6)).trim_matches('"').to_owned());
        let _ = self.skip_tree();
        feature
    }

    /// Steps over `mod name;`.
    fn file_module(&mut self) -> Option<String> {
        let found = self.is("mod") && self.is_word_at(self.at + 1) && self.is_at(self.at + 2, ";");
        let name = found.then(|| self.name_of(self.token_at(self.at + 1)).to_owned())?;
        self.at += 3;
        Some(name)
    }

    /// Steps over `pub use name::*;` and `pub use self::name::*;`.
    fn glob_reexport(&mut self) -> Option<String> {
        if !(self.is("pub") && self.is_at(self.at + 1, "use")) {
            return None;
        }
        let mut name = self.at + 2;
        if self.is_at(name, "self") && self.is_path_sep(name + 1) {
            name += 3;
        }
        let found = self.is_word_at(name) && self.is_path_sep(name + 1) && self.is_at(name + 3, "*");
        let text = found.then(|| self.name_of(self.token_at(name)).to_owned())?;
        self.at = name + 5;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<&str>)]) {
        let parts = rust_parts(text);
        let parts: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.feature.as_deref())).collect();
        assert_eq!(parts, expected);
    }

    #[test]
    fn only_children_that_are_reexported_whole_are_parts() {
        check("mod pod;\npub use pod::*;", &[("pod", None)]);
        check("mod pod;\npub use self::pod::*;", &[("pod", None)]);
        check("mod pod;\nuse pod::*;", &[]);
        check("mod pod;\npub use pod::Pod;", &[]);
        check("mod pod {}\npub use pod::*;", &[]);
        check("pub use other::*;", &[]);
        check("mod a;\nmod b;\npub use b::*;\npub use a::*;", &[("a", None), ("b", None)]);
    }

    #[test]
    fn the_feature_is_that_of_the_declaration() {
        let text = "mod a;\n#[cfg(feature = \"types\")]\nmod b;\nmod c;\n\
                    pub use a::*;\n#[cfg(feature = \"types\")]\npub use b::*;\npub use c::*;";
        check(text, &[("a", None), ("b", Some("types")), ("c", None)]);
        check("#[cfg(feature = \"types\")]\n/// Docs.\npub mod b;\npub use b::*;", &[("b", Some("types"))]);
        check("#[cfg(feature = \"types\")]\nstruct A;\nmod b;\npub use b::*;", &[("b", None)]);
    }

    #[test]
    fn broken_source_ends() {
        for text in ["#", "#[", "mod", "pub use", "pub use a::", "}", "#[cfg(feature"] {
            check(text, &[]);
        }
    }
}
