//! Expressions of a policy or a webhook: compiled once, evaluated for each request.

use sprag_cel::Program;
use sprag_kinds::admissionregistration::expression::{Compiler, ExpressionError, Returns, Scope};
use sprag_rest::Release;
use sprag_value::Value;

/// An expression that is ready to run, or what is wrong with it.
pub(crate) struct Expression {
    pub(crate) text: Box<str>,
    pub(crate) program: Result<Program, String>,
}

/// The variables of a policy, in the order in which they are written.
#[derive(Default)]
pub(crate) struct Variables {
    pub(crate) list: Vec<(Box<str>, Expression)>,
}

/// Compiles what one policy or webhook has.
// As upstream's cel.CompositedCompiler with environment.StoredExpressions.
pub(crate) struct Composer {
    compiler: Compiler,
    has_params: bool,
    pub(crate) variables: Variables,
    /// The variables that expressions use.
    pub(crate) uses: Uses,
}

/// Inputs that take time to make, and whether any expression uses them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) request: bool,
    pub(crate) namespace: bool,
    pub(crate) authorizer: bool,
}

impl Composer {
    pub(crate) fn new(has_params: bool, release: Release) -> Composer {
        let compiler = Compiler::with_variables(release);
        Composer { compiler, has_params, variables: Variables::default(), uses: Uses::default() }
    }

    /// Compiles `spec.variables`. One that is wrong fails whatever uses it.
    pub(crate) fn define_all(&mut self, variables: Option<&Value>) {
        for variable in variables.and_then(Value::as_array).into_iter().flatten() {
            let name = variable.text("name");
            let text = variable.text("expression");
            let scope = self.scope(true, false);
            let compiled = self.compiler.define(name, text, scope, true);
            let expression = self.finish(text, compiled);
            self.variables.list.push((name.into(), expression));
        }
    }

    /// An expression that may use `authorizer`.
    pub(crate) fn compile(&mut self, text: &str, returns: Returns) -> Expression {
        self.compile_in(text, self.scope(true, false), returns)
    }

    /// An expression that may not use `authorizer`.
    pub(crate) fn compile_message(&mut self, text: &str) -> Expression {
        self.compile_in(text, self.scope(false, false), Returns::String)
    }

    /// An expression that makes a patch.
    pub(crate) fn compile_patch(&mut self, text: &str, returns: Returns) -> Expression {
        self.compile_in(text, self.scope(true, true), returns)
    }

    fn scope(&self, authorizer: bool, patches: bool) -> Scope {
        Scope { params: self.has_params, authorizer, patches }
    }

    fn compile_in(&mut self, text: &str, scope: Scope, returns: Returns) -> Expression {
        let compiled = self.compiler.compile(text, scope, returns, true);
        self.finish(text, compiled)
    }

    fn finish(&mut self, text: &str, compiled: Result<sprag_cel::Checked, ExpressionError>) -> Expression {
        self.uses.request |= text.contains("request");
        self.uses.namespace |= text.contains("namespaceObject");
        self.uses.authorizer |= text.contains("authorizer");
        let program = compiled.map_err(|error| error.to_string()).and_then(|checked| {
            Program::new(&checked).map_err(|error| format!("program instantiation failed: {error}"))
        });
        Expression { text: text.into(), program }
    }
}
