//! Rules compiled when they are first asked: from the text of a definition to programs.

use std::sync::{Arc, OnceLock};

use sprag_cel::{Checked, DeclType, Declarations, Env, Program, Type, Variable};
use sprag_effort::{Stopped, charge};

use sprag_regexp::Regexp;
use sprag_release::Release;

use super::{OLD_SELF, Root, SELF};
use crate::field_path::{Brackets, resolve};
use crate::props::{Props, Rule};

/// The work of compiling a byte of a rule.
const COMPILING_COST: u64 = 100;

/// The scope of the rules of one schema node.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) release: Release,
    /// The scope of object types.
    pub(crate) types: Arc<DeclType>,
    /// The type of `self`.
    pub(crate) this: Arc<DeclType>,
}

/// A rule, compiled on first use.
pub(crate) struct LazyRule {
    pub(crate) rule: Rule,
    /// The field that the rule reports, below its own place.
    pub(crate) field: Option<String>,
    scope: Scope,
    compiled: OnceLock<Result<Compiled, String>>,
}

/// The programs of a rule.
pub(crate) struct Compiled {
    pub(crate) program: Program,
    pub(crate) uses_old_self: bool,
    /// The `messageExpression`.
    pub(crate) message: Option<Program>,
    /// True if errors are reported at the field of the rule; upstream forgets it when the message does not compile.
    pub(crate) reports_field: bool,
}

impl LazyRule {
    /// Nothing for a rule without text. `props` is the schema that the rule stands at.
    pub(crate) fn new(rule: &Rule, props: &Props, scope: &Scope) -> Option<Self> {
        if rule.rule.trim().is_empty() {
            return None;
        }
        let field = if rule.field_path.is_empty() {
            None
        } else {
            resolve(&rule.field_path, Some(props), Brackets::Allowed).ok()
        };
        let field = field.map(|path| path.to_string());
        Some(Self { rule: rule.clone(), field, scope: scope.clone(), compiled: OnceLock::new() })
    }

    /// The programs; an error is what is wrong with the text, which acceptance would have refused.
    pub(crate) fn compiled(&self) -> Result<&Compiled, &str> {
        if self.compiled.get().is_none() {
            self.charge().map_err(|_| "interrupted")?;
        }
        self.compiled.get_or_init(|| self.compile()).as_ref().map_err(String::as_str)
    }

    /// Asks for the work of compiling it.
    fn charge(&self) -> Result<(), Stopped> {
        let work = |text: &str| text.len() as u64 * COMPILING_COST + Regexp::reading(text);
        charge(work(&self.rule.rule) + work(&self.rule.message_expression))
    }

    fn compile(&self) -> Result<Compiled, String> {
        let checked = self.check(&self.rule.rule).map_err(|issues| format!("compilation failed: {issues}"))?;
        if checked.result_type() != Type::Bool {
            return Err("cel expression must evaluate to a bool".into());
        }
        let program = Program::new(&checked).map_err(|error| format!("program instantiation failed: {error}"))?;
        let has_message = !self.rule.message_expression.is_empty();
        let message = if has_message { self.message() } else { None };
        let reports_field = message.is_some() || !has_message;
        Ok(Compiled { program, uses_old_self: checked.uses(1), message, reports_field })
    }

    /// A message that does not compile is as good as none.
    fn message(&self) -> Option<Program> {
        let checked = self.check(&self.rule.message_expression).ok()?;
        Program::new(&checked).ok().filter(|_| checked.result_type() == Type::String)
    }

    fn check(&self, text: &str) -> Result<Checked, sprag_cel::syntax::Issues> {
        let Scope { release, types, this } = &self.scope;
        let old = match self.rule.optional_old_self {
            Some(true) => Type::optional(this.ty.clone()),
            _ => this.ty.clone(),
        };
        let variables = [Variable::new(SELF, this.ty.clone()), Variable::new(OLD_SELF, old)];
        let types = Root { types, scope: this };
        Env::stored(*release).compile(text, Declarations { variables: &variables, types: &types, container: "" })
    }

    /// The release whose language it is written in.
    pub(crate) fn release(&self) -> Release {
        self.scope.release
    }

    /// The name of the rule in errors.
    pub(crate) fn name(&self) -> &str {
        if self.rule.message.is_empty() { self.rule.rule.trim() } else { self.rule.message.trim() }
    }

    /// Returns the message of a failed rule if no expression gives one.
    pub(crate) fn default_message(&self) -> String {
        if self.rule.message.is_empty() { format!("failed rule: {}", self.name()) } else { self.name().to_owned() }
    }
}
