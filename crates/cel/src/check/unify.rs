//! Type unification: assignability, and the bindings of free type variables.

use super::intern::{Kind, TypeId, Types};

/// Steps one expression may take to compare and substitute types. Types can share parts, and a walk over such a type
/// can take exponentially longer than its text.
pub(crate) const MAX_STEPS: u32 = 2_000_000;

/// The bindings of free type variables.
#[derive(Default)]
pub(super) struct Mapping {
    bound: Vec<Option<TypeId>>,
    /// The previous bindings of variables, newest last.
    trail: Vec<(u32, Option<TypeId>)>,
    steps: u32,
}

impl Mapping {
    /// A fresh variable, or as many as asked for; the number of the first.
    #[expect(clippy::cast_possible_truncation, reason = "limited by the number of nodes")]
    pub(super) fn fresh(&mut self, count: usize) -> u32 {
        let first = self.bound.len() as u32;
        self.bound.resize(self.bound.len() + count, None);
        first
    }

    /// True if so many steps have been taken that the result cannot be trusted.
    pub(super) fn exhausted(&self) -> bool {
        self.steps > MAX_STEPS
    }

    fn find(&self, kind: Kind) -> Option<TypeId> {
        if let Kind::Var(var) = kind { self.bound[var as usize] } else { None }
    }

    fn bind(&mut self, types: &Types, var: TypeId, to: TypeId) {
        if let Kind::Var(var) = types.kind(var) {
            self.trail.push((var, self.bound[var as usize]));
            self.bound[var as usize] = Some(to);
        }
    }

    /// True if a value of one type may stand where the other is expected; binds variables only if so.
    pub(super) fn assignable(&mut self, types: &mut Types, expected: TypeId, actual: TypeId) -> bool {
        self.attempt(|this| this.fits(types, expected, actual))
    }

    /// The same for lists of types.
    pub(super) fn all_assignable(&mut self, types: &mut Types, expected: &[TypeId], actual: &[TypeId]) -> bool {
        self.attempt(|this| {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(a, b)| this.fits(types, *a, *b))
        })
    }

    fn attempt(&mut self, run: impl FnOnce(&mut Self) -> bool) -> bool {
        let mark = self.trail.len();
        let fits = run(self) && !self.exhausted();
        if fits {
            self.trail.clear();
        }
        while self.trail.len() > mark {
            if let Some((var, old)) = self.trail.pop() {
                self.bound[var as usize] = old;
            }
        }
        fits
    }

    fn fits(&mut self, types: &Types, a: TypeId, b: TypeId) -> bool {
        self.steps = self.steps.saturating_add(1);
        if a == b {
            return true;
        }
        if self.exhausted() {
            return false;
        }
        let kind_a = types.kind(a);
        let kind_b = types.kind(b);
        if let Kind::Var(_) = kind_b {
            match self.substitutes(types, a, b) {
                Substitution::Valid => return true,
                Substitution::Contradicts => return false,
                Substitution::Circular => {}
            }
        }
        if let Kind::Var(_) = kind_a {
            return matches!(self.substitutes(types, b, a), Substitution::Valid);
        }
        if is_wildcard(kind_a) || is_wildcard(kind_b) {
            return true;
        }
        if kind_a == Kind::Null || kind_b == Kind::Null {
            return is_nullable(if kind_a == Kind::Null { kind_b } else { kind_a });
        }
        match (kind_a, kind_b) {
            (Kind::Type | Kind::TypeOf(_), Kind::Type | Kind::TypeOf(_))
            | (Kind::Param(_), _)
            | (_, Kind::Param(_)) => true,
            (Kind::List(x), Kind::List(y)) | (Kind::Optional(x), Kind::Optional(y)) => self.fits(types, x, y),
            (Kind::Map(kx, vx), Kind::Map(ky, vy)) => self.fits(types, kx, ky) && self.fits(types, vx, vy),
            _ => false,
        }
    }

    /// Tries to bind the variable `var` to `ty`, and records the binding.
    fn substitutes(&mut self, types: &Types, ty: TypeId, var: TypeId) -> Substitution {
        if ty == var {
            return Substitution::Valid;
        }
        if let Some(bound) = self.find(types.kind(var)) {
            if ty == bound {
                return Substitution::Valid;
            }
            if !self.fits(types, ty, bound) {
                return Substitution::Contradicts;
            }
            let general = self.most_general(types, ty, bound);
            if self.absent(types, var, general) {
                self.bind(types, var, general);
            }
            return Substitution::Valid;
        }
        if self.absent(types, var, ty) {
            self.bind(types, var, ty);
            return Substitution::Valid;
        }
        Substitution::Circular
    }

    /// True if the variable does not occur in the type.
    fn absent(&mut self, types: &Types, var: TypeId, within: TypeId) -> bool {
        self.steps = self.steps.saturating_add(1);
        if var == within {
            return false;
        }
        if !types.is_open(within) || self.exhausted() {
            return true;
        }
        match types.kind(within) {
            kind @ Kind::Var(_) => match self.find(kind) {
                Some(bound) => self.absent(types, var, bound),
                None => true,
            },
            Kind::List(inner) | Kind::Optional(inner) | Kind::TypeOf(inner) => self.absent(types, var, inner),
            Kind::Map(key, value) => self.absent(types, var, key) && self.absent(types, var, value),
            _ => true,
        }
    }

    /// Of two types that fit each other the one that says less.
    pub(super) fn most_general(&mut self, types: &Types, a: TypeId, b: TypeId) -> TypeId {
        if self.says_no_more(types, a, b) { a } else { b }
    }

    fn says_no_more(&mut self, types: &Types, a: TypeId, b: TypeId) -> bool {
        self.steps = self.steps.saturating_add(1);
        if a == b || self.exhausted() {
            return true;
        }
        match (types.kind(a), types.kind(b)) {
            (Kind::Dyn | Kind::Any | Kind::Var(_) | Kind::Param(_), _)
            | (Kind::Type | Kind::TypeOf(_), Kind::Type | Kind::TypeOf(_)) => true,
            (Kind::List(x), Kind::List(y)) | (Kind::Optional(x), Kind::Optional(y)) => self.says_no_more(types, x, y),
            (Kind::Map(kx, vx), Kind::Map(ky, vy)) => {
                self.says_no_more(types, kx, ky) && self.says_no_more(types, vx, vy)
            }
            _ => false,
        }
    }

    /// The type with bound variables replaced; unbound ones stay.
    pub(super) fn substitute(&mut self, types: &mut Types, id: TypeId) -> TypeId {
        self.replace(types, id, false)
    }

    /// The type with bound variables replaced and unbound ones turned into `dyn`.
    pub(super) fn finish(&mut self, types: &mut Types, id: TypeId) -> TypeId {
        self.replace(types, id, true)
    }

    fn replace(&mut self, types: &mut Types, id: TypeId, to_dyn: bool) -> TypeId {
        self.steps = self.steps.saturating_add(1);
        if !types.is_open(id) {
            return id;
        }
        if self.exhausted() {
            return TypeId::DYN;
        }
        match types.kind(id) {
            kind @ Kind::Var(_) => match self.find(kind) {
                Some(bound) => self.replace(types, bound, to_dyn),
                None if to_dyn => TypeId::DYN,
                None => id,
            },
            Kind::Param(_) if to_dyn => TypeId::DYN,
            Kind::List(inner) => {
                let inner = self.replace(types, inner, to_dyn);
                types.list(inner)
            }
            Kind::Map(key, value) => {
                let key = self.replace(types, key, to_dyn);
                let value = self.replace(types, value, to_dyn);
                types.map(key, value)
            }
            Kind::Optional(inner) => {
                let inner = self.replace(types, inner, to_dyn);
                types.optional(inner)
            }
            Kind::TypeOf(inner) => {
                let inner = self.replace(types, inner, to_dyn);
                types.add(Kind::TypeOf(inner))
            }
            _ => id,
        }
    }
}

enum Substitution {
    Valid,
    /// The variable stands for something else.
    Contradicts,
    /// The variable occurs in the type.
    Circular,
}

fn is_wildcard(kind: Kind) -> bool {
    matches!(kind, Kind::Dyn | Kind::Any | Kind::Error)
}

/// Types that `null` fits.
fn is_nullable(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Null | Kind::Optional(_) | Kind::Object(_) | Kind::Opaque(_) | Kind::Duration | Kind::Timestamp
    )
}
