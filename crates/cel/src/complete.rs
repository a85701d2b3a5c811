//! Completion of an expression that is being typed: fields, functions, macros.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{DeclType, Env, Sig, Type};

/// Loops within loops whose variables are looked up.
const MAX_LOOPS: u32 = 16;

/// The names that an expression may use.
pub struct Completion {
    variables: Vec<(&'static str, Arc<DeclType>)>,
    env: &'static Env,
}

impl Completion {
    /// Takes the variables with their types.
    pub fn new(env: &'static Env, variables: Vec<(&'static str, Arc<DeclType>)>) -> Completion {
        Completion { variables, env }
    }

    /// Returns the start of the last word of a text, and its completions; those of functions end with a parenthesis.
    pub fn complete(&self, text: &str) -> (usize, Vec<String>) {
        let start = text.rfind(|char: char| !is_word(char)).map_or(0, |at| at + char_len(text, at));
        let (before, word) = text.split_at(start);
        let candidates = match before.strip_suffix('.').or_else(|| before.strip_suffix(".?")) {
            Some(receiver) => self.members(receiver),
            None => self.globals(),
        };
        (start, candidates.into_iter().filter(|candidate| candidate.starts_with(word)).collect())
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

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}
