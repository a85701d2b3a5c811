//! Completion of a line: fields, functions, macros, commands.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_cel::{DeclType, Env, Sig, Type};

use super::session::Session;

/// Loops within loops whose variables are looked up.
const MAX_LOOPS: u32 = 16;

/// The names known to a session, owned.
pub(super) struct Completion {
    variables: Vec<(&'static str, Arc<DeclType>)>,
    env: &'static Env,
    commands: Vec<&'static str>,
}

impl Completion {
    pub(super) fn new(session: &Session, commands: Vec<&'static str>) -> Completion {
        let variables = session.names().into_iter().filter_map(|name| Some((name, session.type_of(name)?))).collect();
        Completion { variables, env: session.env, commands }
    }

    /// Returns the start of the last word of a line, and its completions.
    pub(super) fn complete(&self, line: &str) -> (usize, Vec<String>) {
        if line.starts_with(':') && !line.contains(' ') {
            return (0, starting(line, self.commands.iter().map(|command| (*command).to_owned())));
        }
        let start = line.rfind(|char: char| !is_word(char)).map_or(0, |at| at + char_len(line, at));
        let (before, word) = line.split_at(start);
        let candidates = match before.strip_suffix('.').or_else(|| before.strip_suffix(".?")) {
            Some(receiver) => self.members(receiver),
            None => self.globals(),
        };
        (start, starting(word, candidates.into_iter()))
    }

    /// Returns completions after a dot.
    fn members(&self, receiver: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let chain = &receiver[chain_start(receiver)..];
        let prefix = format!("{chain}.");
        for overload in self.env.callable() {
            if let Some(rest) = overload.function.strip_prefix(&prefix) {
                names.insert(format!("{rest}("));
            }
        }
        if !names.is_empty() && !chain.is_empty() {
            return names;
        }
        let ty = self.resolve(receiver, MAX_LOOPS);
        let kind = ty.as_ref().map_or(&Type::Dyn, |ty| &ty.ty);
        if let Some(ty) = &ty {
            names.extend(ty.fields().iter().map(|field| field.name.clone()));
        }
        if matches!(kind, Type::List(_) | Type::Map(_) | Type::Dyn) {
            names.extend(self.env.dialect().receiver_macros().into_iter().map(|name| format!("{name}(")));
        }
        let members = self.env.callable().into_iter().filter(|overload| overload.member);
        let fitting = members.filter(|overload| overload.args.first().is_some_and(|sig| accepts(*sig, kind)));
        names.extend(fitting.map(|overload| format!("{}(", overload.function)));
        names
    }

    /// Returns completions at the start of an expression; the first part of qualified functions.
    fn globals(&self) -> BTreeSet<String> {
        let functions = self.env.callable().into_iter().filter(|overload| !overload.member);
        let mut names: BTreeSet<String> = functions
            .map(|overload| match overload.function.split_once('.') {
                Some((namespace, _)) => format!("{namespace}."),
                None => format!("{}(", overload.function),
            })
            .collect();
        names.extend(self.variables.iter().map(|(name, _)| (*name).to_owned()));
        names.extend(["has(", "true", "false", "null"].map(str::to_owned));
        names
    }

    /// The type of the chain of names and indexes at the end of a text.
    fn resolve(&self, text: &str, loops: u32) -> Option<Arc<DeclType>> {
        let start = chain_start(text);
        let chain = &text[start..];
        let end = chain.find(|char: char| !is_word(char)).unwrap_or(chain.len());
        let (root, mut rest) = chain.split_at(end);
        let mut ty = self.variable(root).or_else(|| self.loop_variable(&text[..start], root, loops))?;
        while !rest.is_empty() {
            let part;
            (part, rest) = next_part(rest)?;
            ty = match part {
                Part::Index => ty.element.clone()?,
                Part::Field(name) => ty.field(name).map(|field| field.ty.clone()).or_else(|| ty.element.clone())?,
            };
        }
        Some(ty)
    }

    fn variable(&self, name: &str) -> Option<Arc<DeclType>> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.clone())
    }

    /// The type of `i` after `self.items.all(i, `.
    fn loop_variable(&self, before: &str, name: &str, loops: u32) -> Option<Arc<DeclType>> {
        if name.is_empty() || loops == 0 {
            return None;
        }
        let call = &before[..before.rfind(&format!("({name},"))?];
        let (range, _) = call.rsplit_once('.')?;
        let ty = self.resolve(range, loops - 1)?;
        ty.key.clone().or_else(|| ty.element.clone())
    }
}

/// True if a function with such a receiver can be called on a value of a type.
fn accepts(receiver: Sig, ty: &Type) -> bool {
    let same_kind = matches!(
        (receiver, ty),
        (Sig::String, Type::String) | (Sig::List(_), Type::List(_)) | (Sig::Map(..), Type::Map(_))
    );
    same_kind || *ty == Type::Dyn || matches!(receiver, Sig::Dyn | Sig::Param(_))
}

enum Part<'t> {
    Index,
    Field(&'t str),
}

/// The first of `.name`, `.?name` and `[index]`, and what follows it.
fn next_part(text: &str) -> Option<(Part<'_>, &str)> {
    if let Some(rest) = text.strip_prefix('[') {
        return Some((Part::Index, rest.split_once(']')?.1));
    }
    let rest = text.strip_prefix(".?").or_else(|| text.strip_prefix('.'))?;
    let (name, rest) = rest.split_at(rest.find(|char: char| !is_word(char)).unwrap_or(rest.len()));
    Some((Part::Field(name), rest))
}

/// Returns the start of the chain of names and indexes at the end of a text.
fn chain_start(text: &str) -> usize {
    let mut start = text.len();
    let mut in_index = false;
    for (at, char) in text.char_indices().rev() {
        match char {
            ']' if !in_index => in_index = true,
            '[' if in_index => in_index = false,
            _ if in_index => {}
            '.' | '?' => {}
            char if is_word(char) => {}
            _ => return start,
        }
        start = at;
    }
    start
}

fn starting(word: &str, candidates: impl Iterator<Item = String>) -> Vec<String> {
    candidates.filter(|candidate| candidate.starts_with(word)).collect()
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::super::session::Bound;
    use super::*;

    /// The completions of a line, at most three.
    fn complete(line: &str) -> String {
        let text = br#"{"replicas": 1, "items": [{"name": "a", "ports": [{"port": 1}]}], "labels": {"a": "b"}}"#;
        let new = Some(sprag_value::json::parse(text).expect("the value is JSON"));
        let completion = Completion::new(&Session::new(Bound::Values { new, old: None }, None), vec![":help", ":self"]);
        let (start, words) = completion.complete(line);
        let shown: Vec<String> = words.iter().take(3).map(|word| format!("{}{word}", &line[..start])).collect();
        shown.join(" ")
    }

    #[test]
    fn fields_follow_the_values() {
        assert_eq!(complete("self.re"), "self.replicas");
        assert_eq!(complete("self.items[0].na"), "self.items[0].name");
        assert_eq!(complete("self.items[0].ports[1].po"), "self.items[0].ports[1].port");
        assert_eq!(complete("1 + self.?repl"), "1 + self.?replicas");
        assert_eq!(complete("size(self.items) > 0 && sel"), "size(self.items) > 0 && self");
    }

    #[test]
    fn loop_variables_are_elements() {
        assert_eq!(complete("self.items.all(i, i.na"), "self.items.all(i, i.name");
        let nested = "self.items.all(i, i.ports.exists(p, p.po";
        assert_eq!(complete(nested), format!("{nested}rt"));
        assert_eq!(complete("x.all(i, i.por"), "");
    }

    #[test]
    fn functions_and_macros_are_known() {
        assert_eq!(complete("qu"), "quantity(");
        assert_eq!(complete("sets.c"), "sets.contains(");
        assert_eq!(complete("se"), "self semver( sets.");
        assert_eq!(complete("self.items.exi"), "self.items.exists( self.items.existsOne( self.items.exists_one(");
        assert_eq!(complete("'é'.upper"), "'é'.upperAscii(");
        assert_eq!(complete(":h"), ":help");
    }

    #[test]
    fn functions_fit_their_receiver() {
        assert_eq!(complete("self.items[0].name.si"), "self.items[0].name.size(");
        assert_eq!(complete("self.items[0].name.dist"), "");
        assert_eq!(complete("self.items.dist"), "self.items.distinct(");
        assert_eq!(complete("unknown.dist"), "unknown.distinct(");
    }

    #[test]
    fn odd_lines_complete_to_nothing() {
        for line in ["", "]", "self[", "self..", "self.items[", "é", "(i,i.", "....", ":x y"] {
            complete(line);
        }
        let nested = "(a,a.".repeat(20_000);
        complete(&nested);
    }
}
