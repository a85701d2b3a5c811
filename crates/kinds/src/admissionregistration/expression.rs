//! Expressions of webhooks and policies: what they may use and what they have to evaluate to.
//!
//! Upstream estimates no cost of these before they run; the budget is that of a request.
//!
//! ```
//! use sprag_rest::Release;
//! use sprag_kinds::admissionregistration::expression::{Compiler, Returns, Scope};
//!
//! let mut compiler = Compiler::with_variables(Release::NEWEST);
//! let scope = Scope { params: true, authorizer: true, patches: false };
//! compiler.define("limit", "params.limit > 3 ? 3 : 1", scope, false)?;
//! compiler.compile("variables.limit < 2", scope, Returns::Bool, false)?;
//! let error = compiler.compile("variables.limit", scope, Returns::Bool, false).err().unwrap();
//! assert_eq!(error.to_string(), "must evaluate to bool but got int");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod types;

use std::sync::Arc;

use sprag_cel::{Checked, DeclField, DeclType, Declarations, Env, ListKind, Program, Type, TypeProvider, Variable};
use sprag_rest::Release;

pub use self::types::{NAMESPACE, REQUEST, object_type};

/// The name of the type of `variables`.
const VARIABLES: &str = "kubernetes.variables";
/// The type that fields of applied objects are part of.
const OBJECT: &str = "Object";
/// The type of an operation of a JSON patch.
const PATCH: &str = "JSONPatch";
/// The longest printed type, in parts.
const MAX_SHOWN_PARTS: usize = 4096;

/// The variables of an expression beside `object`, `oldObject`, `request` and `namespaceObject`, as upstream's
/// `cel.OptionalVariableDeclarations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// `params`.
    pub params: bool,
    /// `authorizer` and `authorizer.requestResource`.
    pub authorizer: bool,
    /// The types `Object`, `Object.spec` and so on and `JSONPatch`, and `jsonpatch.escapeKey`.
    pub patches: bool,
}

/// The required result type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Anything, as variables do.
    Anything,
    /// `bool`.
    Bool,
    /// `string`.
    String,
    /// `string` or null.
    StringOrNull,
    /// `Object`, whose fields are applied.
    Object,
    /// A list of `JSONPatch` operations.
    Patches,
}

impl Returns {
    fn types(self) -> Vec<Type> {
        match self {
            Returns::Anything => Vec::new(),
            Returns::Bool => vec![Type::Bool],
            Returns::String => vec![Type::String],
            Returns::StringOrNull => vec![Type::String, Type::Null],
            Returns::Object => vec![Type::Object(OBJECT.into())],
            Returns::Patches => vec![Type::list(Type::Object(PATCH.into()))],
        }
    }
}

/// Errors of expressions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The expression is wrong.
    #[error("{0}")]
    Invalid(String),
    /// The expression is right but cannot be run.
    #[error("{0}")]
    Internal(String),
}

/// Compiles the expressions of one webhook or policy, in the order in which they are written.
pub struct Compiler {
    /// The release whose language it is.
    release: Release,
    /// The type of `variables`, if there are such.
    variables: Option<DeclType>,
    /// The types of objects, if expressions are checked for kinds.
    known: Option<KnownTypes>,
}

/// The types of objects and parameters that expressions are checked for.
#[derive(Clone)]
pub struct KnownTypes {
    /// The type of `object` and `oldObject`. Object types within it are named by their place: `Deployment.spec`.
    pub object: Arc<DeclType>,
    /// The type of `params`, if it is known.
    pub params: Option<Arc<DeclType>>,
}

impl Compiler {
    /// Expressions that have no `variables`, as match conditions.
    pub fn without_variables(release: Release) -> Compiler {
        Compiler { release, variables: None, known: None }
    }

    /// Expressions that can use variables once they are defined, as upstream's `cel.CompositedCompiler`.
    pub fn with_variables(release: Release) -> Compiler {
        Compiler { release, variables: Some(DeclType::object(VARIABLES.into(), Vec::new(), u64::MAX)), known: None }
    }

    /// Expressions that are checked for objects of a kind, as upstream's `validating.TypeChecker` does. They have no
    /// `authorizer.requestResource` there.
    pub fn for_types(known: KnownTypes, release: Release) -> Compiler {
        Compiler { known: Some(known), ..Compiler::with_variables(release) }
    }

    /// Returns the checker's errors about an expression for objects of the known types; `None` if there are none.
    pub fn issues(&self, text: &str, scope: Scope) -> Option<String> {
        let types = Types { variables: self.variables.as_ref(), has_patches: false, known: self.known.as_ref() };
        let variables = self.variables(scope);
        let declarations = Declarations { variables: &variables, types: &types, container: "" };
        Env::stored(self.release).compile(text, declarations).err().map(|issues| issues.to_string())
    }

    /// Compiles an expression. What is stored already may use functions of any version.
    pub fn compile(
        &self,
        text: &str,
        scope: Scope,
        returns: Returns,
        is_stored: bool,
    ) -> Result<Checked, ExpressionError> {
        let env = match (scope.patches, is_stored) {
            (false, false) => Env::new_expressions(self.release),
            (false, true) => Env::stored(self.release),
            (true, false) => Env::new_patches(self.release),
            (true, true) => Env::stored_patches(self.release),
        };
        let types =
            Types { variables: self.variables.as_ref(), has_patches: scope.patches, known: self.known.as_ref() };
        let variables = self.variables(scope);
        let declarations = Declarations { variables: &variables, types: &types, container: "" };
        let compiled = env.compile(text, declarations);
        let checked = compiled.map_err(|issues| ExpressionError::Invalid(format!("compilation failed: {issues}")))?;
        check_type(&checked.result_type(), returns).map_err(ExpressionError::Invalid)?;
        Program::new(&checked)
            .map_err(|error| ExpressionError::Internal(format!("program instantiation failed: {error}")))?;
        Ok(checked)
    }

    /// Compiles a variable, and lets later expressions use it as `variables.NAME` even if it is wrong.
    pub fn define(
        &mut self,
        name: &str,
        text: &str,
        scope: Scope,
        is_stored: bool,
    ) -> Result<Checked, ExpressionError> {
        let result = self.compile(text, scope, Returns::Anything, is_stored);
        let ty = result.as_ref().map_or_else(|_| DeclType::untyped(), |checked| declared(&checked.result_type()));
        if let Some(variables) = &mut self.variables {
            let known = variables.fields().iter().filter(|field| field.name != name);
            let mut fields: Vec<DeclField> = known.map(|field| DeclField::clone(field)).collect();
            fields.push(DeclField { name: name.to_owned(), key: name.to_owned(), ty: Arc::new(ty) });
            *variables = DeclType::object(VARIABLES.into(), fields, u64::MAX);
        }
        result
    }

    fn variables(&self, scope: Scope) -> Vec<Variable> {
        let named = |name: &str| Type::Object(name.into());
        let object = self.known.as_ref().map_or(Type::Dyn, |known| known.object.ty.clone());
        let mut variables = vec![
            Variable::new("object", object.clone()),
            Variable::new("oldObject", object),
            Variable::new("namespaceObject", named(NAMESPACE)),
            Variable::new("request", named(REQUEST)),
        ];
        if scope.params {
            let params = self.known.as_ref().and_then(|known| known.params.as_ref());
            variables.push(Variable::new("params", params.map_or(Type::Dyn, |params| params.ty.clone())));
        }
        if scope.authorizer {
            variables.push(Variable::new("authorizer", named("kubernetes.authorization.Authorizer")));
            if self.known.is_none() {
                let check = named("kubernetes.authorization.ResourceCheck");
                variables.push(Variable::new("authorizer.requestResource", check));
            }
        }
        if self.variables.is_some() {
            variables.push(Variable::new("variables", named(VARIABLES)));
        }
        variables
    }
}

impl KnownTypes {
    /// The object type of this name.
    fn find(&self, name: &str) -> Option<&DeclType> {
        let roots = std::iter::once(&*self.object).chain(self.params.as_deref());
        roots.into_iter().find_map(|root| {
            let rest = name.strip_prefix(root.ty.name())?;
            let mut steps = rest.split('.').filter(|step| !step.is_empty());
            let found = steps.try_fold(root, |ty, step| match step {
                "@idx" | "@elem" => ty.element.as_deref(),
                name => ty.field(name).map(|field| &*field.ty),
            });
            found.filter(|ty| matches!(&ty.ty, Type::Object(known) if **known == *name))
        })
    }
}

/// The declared types of an expression.
struct Types<'c> {
    variables: Option<&'c DeclType>,
    has_patches: bool,
    known: Option<&'c KnownTypes>,
}

impl TypeProvider for Types<'_> {
    fn object(&self, name: &str) -> Option<&DeclType> {
        match name {
            VARIABLES => self.variables,
            PATCH => self.has_patches.then(types::patch),
            _ => object_type(name).map(|ty| &**ty).or_else(|| self.known?.find(name)),
        }
    }

    /// As upstream's `mutation.DynamicTypeResolver`.
    fn is_open(&self, name: &str) -> bool {
        let rest = name.strip_prefix(OBJECT).filter(|_| self.has_patches);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn sizes(&self) -> Option<&DeclType> {
        None
    }
}

fn check_type(actual: &Type, returns: Returns) -> Result<(), String> {
    let allowed = returns.types();
    if allowed.is_empty() || allowed.contains(actual) {
        return Ok(());
    }
    let names: Vec<String> = allowed.iter().map(show).collect();
    let actual = show(actual);
    Err(match names.as_slice() {
        [name] => format!("must evaluate to {name} but got {actual}"),
        names => format!("must evaluate to one of [{}] but got {actual}", names.join(" ")),
    })
}

/// A type as Go's `types.Type.String` prints it.
fn show(ty: &Type) -> String {
    let mut text = String::new();
    write_type(ty, &mut { MAX_SHOWN_PARTS }, &mut text);
    text
}

fn write_type(ty: &Type, left: &mut usize, out: &mut String) {
    if *left == 0 {
        return out.push_str("...");
    }
    *left -= 1;
    out.push_str(ty.name());
    let (first, second) = match ty {
        Type::List(inner) | Type::Optional(inner) | Type::Type(Some(inner)) => (&**inner, None),
        Type::Map(pair) => (&pair.0, Some(&pair.1)),
        _ => return,
    };
    out.push('(');
    write_type(first, left, out);
    if let Some(second) = second {
        out.push_str(", ");
        write_type(second, left, out);
    }
    out.push(')');
}

/// Returns the declared type of a variable, as upstream's `convertCelTypeToDeclType`: fields of objects are unknown.
fn declared(ty: &Type) -> DeclType {
    match ty {
        Type::Bool | Type::Bytes | Type::Double | Type::Duration | Type::Int | Type::Null | Type::String => {
            DeclType::scalar(ty.clone(), u64::MAX)
        }
        Type::Timestamp | Type::Uint => DeclType::scalar(ty.clone(), u64::MAX),
        Type::List(element) => DeclType::list(Arc::new(declared(element)), u64::MAX, ListKind::Atomic),
        Type::Map(pair) => DeclType::map(Arc::new(declared(&pair.0)), Arc::new(declared(&pair.1)), u64::MAX),
        _ => DeclType::untyped(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Scope = Scope { params: true, authorizer: true, patches: false };
    const PATCHES: Scope = Scope { params: true, authorizer: true, patches: true };

    #[track_caller]
    fn check(text: &str, scope: Scope, returns: Returns, expected: &str) {
        let mut compiler = Compiler::with_variables(Release::NEWEST);
        compiler.define("names", "request.userInfo.groups", ALL, false).unwrap();
        compiler.define("space", "namespaceObject.metadata", ALL, false).unwrap();
        assert!(compiler.define("broken", "1 +", ALL, false).is_err());
        let found = compiler.compile(text, scope, returns, false).err();
        let text = found.map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(text.split('\n').next().unwrap_or_default(), expected);
    }

    #[test]
    fn requests_and_namespaces_have_types() {
        check("request.namespace == 'a' && request.kind.group == ''", ALL, Returns::Bool, "");
        check("namespaceObject.metadata.labels['a'] == 'b'", ALL, Returns::Bool, "");
        check("object.spec.anything > 3 && oldObject == null", ALL, Returns::Bool, "");
        check("request.uid == ''", ALL, Returns::Bool, "compilation failed: ERROR: <input>:1:8: undefined field 'uid'");
        check("request.kind", ALL, Returns::Bool, "must evaluate to bool but got kubernetes.GroupVersionKind");
    }

    #[test]
    fn who_may_is_asked_where_there_is_an_authorizer() {
        let text = "authorizer.group('apps').resource('deployments').check('get').allowed()";
        check(text, ALL, Returns::Bool, "");
        check("authorizer.requestResource.check('get').allowed()", ALL, Returns::Bool, "");
        check(
            text,
            Scope { authorizer: false, ..ALL },
            Returns::Bool,
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')",
        );
        check(
            "params.x",
            Scope::default(),
            Returns::Anything,
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
        );
    }

    #[test]
    fn variables_keep_what_upstream_knows_of_their_types() {
        check("variables.names[0] == 'a'", ALL, Returns::Bool, "");
        check("variables.names", ALL, Returns::Bool, "must evaluate to bool but got list(string)");
        check("variables.space.nothing == 1", ALL, Returns::Bool, "");
        check("variables.broken == 1", ALL, Returns::Bool, "");
        check(
            "variables.other",
            ALL,
            Returns::Anything,
            "compilation failed: ERROR: <input>:1:10: undefined field 'other'",
        );
    }

    #[test]
    fn texts_may_be_null_where_annotations_are_left_out() {
        check("'a'", ALL, Returns::StringOrNull, "");
        check("null", ALL, Returns::StringOrNull, "");
        check("1", ALL, Returns::StringOrNull, "must evaluate to one of [string null_type] but got int");
        check(
            "timestamp('2020-01-01T00:00:00Z')",
            ALL,
            Returns::String,
            "must evaluate to string but got google.protobuf.Timestamp",
        );
    }

    #[test]
    fn patches_make_objects_of_any_field() {
        check("Object{spec: Object.spec{replicas: 3}}", PATCHES, Returns::Object, "");
        check("Object.spec{replicas: 3}", PATCHES, Returns::Object, "must evaluate to Object but got Object.spec");
        check("[JSONPatch{op: 'add', path: '/a', value: {'b': 1}}]", PATCHES, Returns::Patches, "");
        check("[]", PATCHES, Returns::Patches, "must evaluate to list(JSONPatch) but got list(dyn)");
        check(
            "JSONPatch{op: 1}",
            PATCHES,
            Returns::Patches,
            "compilation failed: ERROR: <input>:1:13: expected type of field 'op' is 'string' but provided type is 'int'",
        );
        check("'/' + jsonpatch.escapeKey('a/b')", PATCHES, Returns::String, "");
        check(
            "Object{}",
            ALL,
            Returns::Anything,
            "compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')",
        );
    }
}
