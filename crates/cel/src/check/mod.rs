//! The type checker: names, types and overloads of every node, or what is wrong in the words of cel-go.

mod call;
mod format;
mod intern;
mod literal;
mod names;
mod unify;

use std::sync::Arc;

use sprag_value::Text;

pub(crate) use self::intern::{FastHasher, Kind, TypeId, Types};
use self::unify::Mapping;
use crate::decl::{DeclField, DeclType, TypeProvider};
use crate::env::Env;
use crate::overload::Overload;
use crate::syntax::{Ast, Comprehension, Entry, Expr, ExprId, Field, Issues, Literal, is_optional};
use crate::types::{Name, Type};

/// A variable an expression may use.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, which may contain dots.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

impl Variable {
    /// A variable.
    pub fn new(name: &str, ty: Type) -> Self {
        Self { name: name.into(), ty }
    }
}

/// The declarations of variables and types that an expression is checked against.
#[derive(Clone, Copy)]
pub struct Declarations<'d> {
    /// Variables; their order is the order of values at evaluation.
    pub variables: &'d [Variable],
    /// Object types.
    pub types: &'d dyn TypeProvider,
    /// The namespace in which names are looked up first; empty for none.
    pub container: &'d str,
}

/// The referent of a node.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// Nothing.
    None,
    /// An undeclared name, which fails only when it is evaluated.
    Unknown,
    /// The declared variable with this number.
    Variable(u32),
    /// The loop variable in this slot.
    Local(u32),
    /// The type with this name.
    Type(Name),
    /// The overloads a call may mean.
    Overloads(Box<[&'static Overload]>),
    /// A field of a declared object type.
    Field(Arc<DeclField>),
}

/// An expression with its types.
pub struct Checked {
    pub(crate) source: Arc<str>,
    pub(crate) ast: Ast,
    pub(crate) types: Types,
    node_types: Vec<TypeId>,
    references: Vec<Reference>,
    pub(crate) env: &'static Env,
    /// Loop variables alive at the same time, at most.
    pub(crate) locals: u32,
    /// Names of the declared variables.
    pub(crate) variables: Arc<[Name]>,
}

impl Checked {
    /// The type of the whole expression.
    pub fn result_type(&self) -> Type {
        self.types.resolve(self.ty(self.ast.root()))
    }

    /// True if the variable with this number is used.
    pub fn uses(&self, variable: usize) -> bool {
        self.references.iter().any(|used| matches!(used, Reference::Variable(at) if *at as usize == variable))
    }

    pub(crate) fn ty(&self, id: ExprId) -> TypeId {
        self.node_types[id.index()]
    }

    pub(crate) fn kind(&self, id: ExprId) -> Kind {
        self.types.kind(self.ty(id))
    }

    pub(crate) fn reference(&self, id: ExprId) -> &Reference {
        &self.references[id.index()]
    }
}

impl Env {
    /// Parses and checks an expression.
    pub fn compile(&'static self, source: &str, declarations: Declarations<'_>) -> Result<Checked, Issues> {
        let ast = self.parse(source)?;
        self.check(source, ast, declarations)
    }

    /// Checks a parsed expression.
    pub fn check(&'static self, source: &str, ast: Ast, declarations: Declarations<'_>) -> Result<Checked, Issues> {
        let source: Arc<str> = Arc::from(source);
        let mut checker = Checker::new(self, &source, ast, declarations);
        let root = checker.ast.root();
        checker.check(root);
        let checked = checker.finish(source)?;
        literal::validate(&checked)?;
        Ok(checked)
    }
}

/// A loop variable in scope.
struct Local {
    name: Text,
    ty: TypeId,
}

struct Checker<'d> {
    env: &'static Env,
    declarations: Declarations<'d>,
    ast: Ast,
    types: Types,
    mapping: Mapping,
    node_types: Vec<TypeId>,
    references: Vec<Reference>,
    locals: Vec<Local>,
    max_locals: usize,
    /// True if order comparisons of different number types are hidden. Upstream forgets this setting once a loop has
    /// been checked.
    hide_cross_type: bool,
    issues: Issues,
    /// Memory for qualified names.
    buffer: String,
}

impl<'d> Checker<'d> {
    fn new(env: &'static Env, source: &Arc<str>, ast: Ast, declarations: Declarations<'d>) -> Self {
        let count = ast.len();
        Self {
            env,
            declarations,
            ast,
            types: Types::new(),
            mapping: Mapping::default(),
            node_types: vec![TypeId::ERROR; count],
            references: vec![Reference::None; count],
            locals: Vec::new(),
            max_locals: 0,
            hide_cross_type: !env.cross_type_numeric,
            issues: Issues::new(Arc::clone(source)),
            buffer: String::new(),
        }
    }

    fn finish(mut self, source: Arc<str>) -> Result<Checked, Issues> {
        for at in 0..self.node_types.len() {
            self.node_types[at] = self.mapping.finish(&mut self.types, self.node_types[at]);
        }
        if self.mapping.exhausted() || self.types.too_deep {
            // Whatever was found after giving up on types is not worth showing.
            self.issues = Issues::new(Arc::clone(&source));
            self.issues.report(None, "types of the expression are too complex");
        }
        if !self.issues.is_empty() {
            return Err(self.issues);
        }
        Ok(Checked {
            source,
            ast: self.ast,
            types: self.types,
            node_types: self.node_types,
            references: self.references,
            env: self.env,
            locals: u32::try_from(self.max_locals).unwrap_or(u32::MAX),
            variables: self.declarations.variables.iter().map(|variable| variable.name.clone()).collect(),
        })
    }

    fn report(&mut self, at: ExprId, message: String) {
        let offset = self.ast.offset(at);
        self.issues.report(Some(offset), message);
    }

    fn get(&self, id: ExprId) -> TypeId {
        self.node_types[id.index()]
    }

    fn set(&mut self, id: ExprId, ty: TypeId) {
        self.node_types[id.index()] = if self.env.untyped { TypeId::DYN } else { ty };
    }

    fn refer(&mut self, id: ExprId, reference: Reference) {
        self.references[id.index()] = reference;
    }

    fn assignable(&mut self, expected: TypeId, actual: TypeId) -> bool {
        self.mapping.assignable(&mut self.types, expected, actual)
    }

    fn substituted(&mut self, id: ExprId) -> TypeId {
        let ty = self.get(id);
        self.mapping.substitute(&mut self.types, ty)
    }

    fn fresh(&mut self) -> TypeId {
        let var = self.mapping.fresh(1);
        self.types.add(Kind::Var(var))
    }

    fn mismatch(&mut self, at: ExprId, expected: TypeId, actual: TypeId) {
        let message = format!("expected type '{}' but found '{}'", self.types.show(expected), self.types.show(actual));
        self.report(at, message);
    }

    fn undeclared(&mut self, at: ExprId, name: &str) {
        if self.env.untyped {
            self.set(at, TypeId::DYN);
            self.refer(at, Reference::Unknown);
            return;
        }
        let message = format!("undeclared reference to '{name}' (in container '{}')", self.declarations.container);
        self.report(at, message);
        self.set(at, TypeId::ERROR);
    }

    fn check(&mut self, id: ExprId) {
        match self.ast.expr(id) {
            Expr::Unspecified => {}
            Expr::Literal(literal) => {
                let ty = literal_type(literal);
                self.set(id, ty);
            }
            Expr::Ident(_) => self.check_ident(id),
            &Expr::Select { operand, ref field, test } => {
                let field = field.clone();
                self.check_select(id, operand, &field, test);
            }
            Expr::Call { .. } => self.check_call(id),
            Expr::List { .. } => self.check_list(id),
            Expr::Map(_) => self.check_map(id),
            Expr::Struct { .. } => self.check_struct(id),
            Expr::Comprehension(fold) => {
                let fold = fold.clone();
                self.check_comprehension(id, &fold);
            }
        }
    }

    fn check_select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) {
        if !test && self.resolve_qualified(id) {
            return;
        }
        let ty = self.select_field(id, operand, field, false);
        let ty = if test { TypeId::BOOL } else { self.mapping.substitute(&mut self.types, ty) };
        self.set(id, ty);
    }

    /// The type of a field of the operand, which is checked first.
    fn select_field(&mut self, at: ExprId, operand: ExprId, field: &str, optional: bool) -> TypeId {
        self.check(operand);
        let operand = self.substituted(operand);
        let (target, wrapped) = self.unwrap_optional(operand);
        let result = match self.types.kind(target) {
            Kind::Map(_, value) => value,
            Kind::Object(name) => {
                let name = self.types.name(name).clone();
                let found = self.field_type(self.ast.offset(at), &name, field);
                match found {
                    Some((ty, field)) => {
                        self.refer(at, Reference::Field(field));
                        ty
                    }
                    None => TypeId::ERROR,
                }
            }
            Kind::Var(_) => {
                self.assignable(TypeId::DYN, target);
                TypeId::DYN
            }
            Kind::Dyn | Kind::Any | Kind::Error => TypeId::DYN,
            _ => {
                let message = format!("type '{}' does not support field selection", self.types.show(target));
                self.report(at, message);
                TypeId::DYN
            }
        };
        if wrapped || optional { self.types.optional(result) } else { result }
    }

    /// The type of a field of an object type, and the field; reports an unknown field.
    fn field_type(&mut self, offset: u32, object: &str, field: &str) -> Option<(TypeId, Arc<DeclField>)> {
        let Some(declared) = self.declarations.types.object(object) else {
            if self.declarations.types.is_open(object) {
                let name = field.to_owned();
                let key = field.to_owned();
                return Some((TypeId::DYN, Arc::new(DeclField { name, key, ty: Arc::new(DeclType::untyped()) })));
            }
            self.issues.report(Some(offset), format!("unexpected failed resolution of '{object}'"));
            return None;
        };
        let found = if self.env.keyword_fields { declared.field_or_keyword(field) } else { declared.field(field) };
        let Some(field) = found else {
            self.issues.report(Some(offset), format!("undefined field '{field}'"));
            return None;
        };
        Some((self.types.intern(&field.ty.ty), Arc::clone(field)))
    }

    fn unwrap_optional(&self, ty: TypeId) -> (TypeId, bool) {
        if let Kind::Optional(inner) = self.types.kind(ty) { (inner, true) } else { (ty, false) }
    }

    /// The type of a value given as optional: what is inside.
    fn optional_part(&mut self, id: ExprId) -> TypeId {
        let (ty, wrapped) = self.unwrap_optional(self.get(id));
        if !wrapped && ty != TypeId::DYN && ty != TypeId::ANY {
            let expected = self.types.optional(ty);
            self.mismatch(id, expected, ty);
        }
        ty
    }

    fn check_list(&mut self, id: ExprId) {
        let Expr::List { elements, optional } = self.ast.expr(id) else { return };
        let elements = elements.clone();
        let optional = optional.clone();
        let mut joined = None;
        for (index, &element) in elements.iter().enumerate() {
            self.check(element);
            let ty = if is_optional(&optional, index) { self.optional_part(element) } else { self.get(element) };
            joined = Some(self.join(joined, ty));
        }
        let element = joined.unwrap_or_else(|| self.fresh());
        let list = self.types.list(element);
        self.set(id, list);
    }

    fn check_map(&mut self, id: ExprId) {
        let Expr::Map(entries) = self.ast.expr(id) else { return };
        let entries = entries.clone();
        let mut keys = None;
        let mut values = None;
        for Entry { key, value, optional } in entries {
            self.check(key);
            let ty = self.get(key);
            keys = Some(self.join(keys, ty));
            self.check(value);
            let ty = if optional { self.optional_part(value) } else { self.get(value) };
            values = Some(self.join(values, ty));
        }
        let key = keys.unwrap_or_else(|| self.fresh());
        let value = values.unwrap_or_else(|| self.fresh());
        let map = self.types.map(key, value);
        self.set(id, map);
    }

    /// The common type of elements seen so far and the next one.
    fn join(&mut self, previous: Option<TypeId>, current: TypeId) -> TypeId {
        let Some(previous) = previous else { return current };
        if self.assignable(previous, current) {
            return self.mapping.most_general(&self.types, previous, current);
        }
        TypeId::DYN
    }

    fn check_struct(&mut self, id: ExprId) {
        let Expr::Struct { name, fields } = self.ast.expr(id) else { return };
        let name = name.clone();
        let fields = fields.clone();
        let Some(object) = self.resolve_object(&name) else {
            self.undeclared(id, &name);
            return;
        };
        let ty = self.types.object(&object);
        self.set(id, ty);
        self.refer(id, Reference::Type(object.clone()));
        for Field { name, value, optional, offset } in fields {
            self.check(value);
            // As upstream's mutation.JSONPatchType.Field, which has a type without a name for fields it does not know.
            if &*object == "JSONPatch" && !matches!(&*name, "op" | "path" | "from" | "value") {
                let actual = self.get(value);
                let actual = self.types.show(actual);
                let message = format!("expected type of field '{name}' is '' but provided type is '{actual}'");
                self.issues.report(Some(offset), message);
                continue;
            }
            let declared = self.field_type(offset, &object, &name).map_or(TypeId::ERROR, |(ty, _)| ty);
            let actual = if optional { self.optional_part(value) } else { self.get(value) };
            if !self.assignable(declared, actual) {
                let declared = self.types.show(declared);
                let actual = self.types.show(actual);
                let message =
                    format!("expected type of field '{name}' is '{declared}' but provided type is '{actual}'");
                self.issues.report(Some(offset), message);
            }
        }
    }

    fn check_comprehension(&mut self, id: ExprId, fold: &Comprehension) {
        self.check(fold.range);
        self.check(fold.init);
        let range = self.substituted(fold.range);
        let accu = self.get(fold.init);
        self.hide_cross_type = false;
        let (first, second) = self.iteration_types(fold, range);
        let scope = self.locals.len();
        self.declare(&fold.accu, accu);
        self.declare(&fold.var, first);
        if let Some(var2) = &fold.var2 {
            self.declare(var2, second);
        }
        self.check(fold.condition);
        self.assert_type(fold.condition, TypeId::BOOL);
        self.check(fold.step);
        self.assert_type(fold.step, accu);
        self.locals.truncate(scope + 1);
        self.check(fold.result);
        self.locals.truncate(scope);
        let result = self.substituted(fold.result);
        self.set(id, result);
    }

    /// The types of the loop variables. With one variable the second is not used.
    fn iteration_types(&mut self, fold: &Comprehension, range: TypeId) -> (TypeId, TypeId) {
        match self.types.kind(range) {
            Kind::List(element) if fold.var2.is_some() => (TypeId::INT, element),
            Kind::List(element) => (element, element),
            Kind::Map(key, value) => (key, value),
            Kind::Dyn | Kind::Error | Kind::Var(_) => {
                self.assignable(TypeId::DYN, range);
                (TypeId::DYN, TypeId::DYN)
            }
            _ => {
                let message = format!(
                    "expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                    self.types.show(range)
                );
                self.report(fold.range, message);
                (TypeId::ERROR, TypeId::ERROR)
            }
        }
    }

    fn declare(&mut self, name: &Text, ty: TypeId) {
        self.locals.push(Local { name: name.clone(), ty });
        self.max_locals = self.max_locals.max(self.locals.len());
    }

    fn assert_type(&mut self, id: ExprId, expected: TypeId) {
        let actual = self.get(id);
        if !self.assignable(expected, actual) {
            self.mismatch(id, expected, actual);
        }
    }
}

fn literal_type(literal: &Literal) -> TypeId {
    match literal {
        Literal::Null => TypeId::NULL,
        Literal::Bool(_) => TypeId::BOOL,
        Literal::Int(_) => TypeId::INT,
        Literal::Uint(_) => TypeId::UINT,
        Literal::Double(_) => TypeId::DOUBLE,
        Literal::String(_) => TypeId::STRING,
        Literal::Bytes(_) => TypeId::BYTES,
    }
}
