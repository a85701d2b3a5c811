//! Variables, selections, indexes and presence tests.

use sprag_value::{Object, Value};

use super::{Machine, Slot};
use crate::cx::{Outcome, Trap};
use crate::decl::DYN;
use crate::program::{Attribute, FieldName, Key, Path, Root, Step};
use crate::value::{List, Made, Map, Val, go_type, plain, show};

impl<'a> Machine<'_, 'a> {
    pub(super) fn attribute(&mut self, attribute: &'a Attribute) -> Outcome<'a> {
        let outcome = self.resolve(attribute);
        if !matches!(attribute.root, Root::Choice { .. }) {
            self.cost += 1;
        }
        outcome
    }

    /// A variable and fields of it.
    #[inline]
    pub(super) fn path(&mut self, path: &'a Path) -> Outcome<'a> {
        let place = path.place as usize;
        let root = if path.is_local {
            match self.slots.get(place) {
                Some(Slot::Value(value)) => value,
                _ => return self.unusual_path(path),
            }
        } else {
            match self.variables.get(place) {
                Some(value) => value,
                None => return self.unusual_path(path),
            }
        };
        let (Val::JsonMap(object, decl), [init @ .., last]) = (root, &*path.fields) else {
            return self.unusual_path(path);
        };
        let mut object = *object;
        if decl.is_bare() && last.declared.is_none() {
            return self.undeclared_path(object, path);
        }
        for field in init {
            let Some(Value::Object(next)) = field.declared.as_ref().and_then(|declared| declared.find(object)) else {
                return self.unusual_path(path);
            };
            object = next;
        }
        match last.declared.as_ref().and_then(|declared| Some((declared.find(object)?, declared))) {
            Some((json, declared)) => {
                self.cost += 1 + path.fields.len() as u64;
                self.cx.read(json, &declared.ty)
            }
            None => self.unusual_path(path),
        }
    }

    /// A path into an object of which nothing is declared.
    #[inline]
    fn undeclared_path(&mut self, mut object: &'a Object, path: &'a Path) -> Outcome<'a> {
        let mut fields = path.fields.iter();
        while let Some(value) = fields.next().and_then(|field| object.get(&field.name)) {
            match value {
                value if fields.as_slice().is_empty() => {
                    self.cost += 1 + path.fields.len() as u64;
                    return Ok(plain(value, &DYN));
                }
                Value::Object(next) => object = next,
                _ => break,
            }
        }
        self.unusual_path(path)
    }

    /// A path where something is not an object of a declared type, or lacks a field.
    #[inline(never)]
    fn unusual_path(&mut self, path: &'a Path) -> Outcome<'a> {
        self.cost += 1;
        let root = if path.is_local { self.local(path.place)? } else { self.variable(path.place)? };
        if path.fields.is_empty() { Ok(root) } else { self.fields(root, &path.fields) }
    }

    /// Selects fields one after the other.
    fn fields(&mut self, root: Val<'a>, fields: &'a [FieldName]) -> Outcome<'a> {
        let (mut value, optional) = match root {
            Val::Optional(None) => return Ok(root),
            Val::Optional(Some(inner)) => (*inner, true),
            value => (value, false),
        };
        for field in fields {
            let found = self.field(value, field, optional);
            if optional && !matches!(found, Ok(Some(_))) {
                return found.map(|_| Val::Optional(None));
            }
            self.cost += 1;
            value = found?.unwrap_or(Val::Null);
        }
        if optional { self.cx.some(value) } else { Ok(value) }
    }

    /// `has(...)` costs its steps only.
    pub(super) fn test(&mut self, attribute: &'a Attribute) -> Outcome<'a> {
        match self.resolve(attribute)? {
            Val::Optional(value) => Ok(Val::Bool(value.is_some())),
            value => Ok(value),
        }
    }

    /// The value of an attribute; charges its steps, not its root.
    fn resolve(&mut self, attribute: &'a Attribute) -> Outcome<'a> {
        let root = match &attribute.root {
            Root::Variable(number) => self.variable(*number)?,
            Root::Local(slot) => self.local(*slot)?,
            Root::Value(node) => self.eval(*node)?,
            Root::Choice { condition, truthy, falsy } => match self.eval(*condition)? {
                Val::Bool(true) => self.resolve(truthy)?,
                Val::Bool(false) => self.resolve(falsy)?,
                _ => return Err(self.cx.no_such_overload()),
            },
        };
        if attribute.steps.is_empty() { Ok(root) } else { self.walk(root, &attribute.steps) }
    }

    #[inline]
    fn variable(&self, number: u32) -> Outcome<'a> {
        if let Some(Some(trap)) = self.unreadable.get(number as usize) {
            return Err(*trap);
        }
        self.variables.get(number as usize).copied().ok_or_else(|| self.no_such_variable(number))
    }

    #[cold]
    fn no_such_variable(&self, number: u32) -> Trap<'a> {
        let name = self.program.variables.get(number as usize).map_or("", |name| name);
        self.cx.error(format_args!("no such attribute(s): {name}"))
    }

    #[inline]
    fn local(&mut self, slot: u32) -> Outcome<'a> {
        match self.slots[slot as usize] {
            Slot::Value(value) => Ok(value),
            _ => self.unusual_local(slot),
        }
    }

    #[inline(never)]
    fn unusual_local(&mut self, slot: u32) -> Outcome<'a> {
        match self.slots[slot as usize] {
            Slot::Value(value) => Ok(value),
            Slot::Failed(trap) => Err(trap),
            Slot::Empty => Err(self.cx.fail("no such attribute(s)")),
            Slot::Lazy(init) => {
                let outcome = self.eval(init);
                self.slots[slot as usize] = outcome.into();
                outcome
            }
        }
    }

    /// Takes the steps. From an optional on, a step that finds nothing ends the walk with none.
    fn walk(&mut self, root: Val<'a>, steps: &'a [Step]) -> Outcome<'a> {
        let (mut value, mut optional) = match root {
            Val::Optional(None) => return Ok(root),
            Val::Optional(Some(inner)) => (*inner, true),
            value => (value, false),
        };
        for step in steps {
            optional |= step.optional;
            let found = self.step(value, step, optional || step.test);
            if optional && !matches!(found, Ok(Some(_))) {
                return found.map(|_| Val::Optional(None));
            }
            self.cost += 1;
            value = match found? {
                found if step.test && !optional => Val::Bool(found.is_some()),
                Some(value) => value,
                None => return Ok(Val::Optional(None)),
            };
        }
        if optional { self.cx.some(value) } else { Ok(value) }
    }

    /// One step. Nothing is found only if absence is allowed.
    #[inline]
    fn step(&mut self, value: Val<'a>, step: &'a Step, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        match &step.key {
            Key::Field(field) => self.field(value, field, may_lack),
            Key::Const(key) => self.lookup(value, key.val(), may_lack),
            Key::Attribute(attribute) => {
                let key = self.resolve(attribute)?;
                self.checked_lookup(value, key, may_lack)
            }
            Key::Value(node) => {
                let key = self.eval(*node)?;
                self.checked_lookup(value, key, may_lack)
            }
        }
    }

    fn field(&self, value: Val<'a>, field: &'a FieldName, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        let (object, declared) = match (value, &field.declared) {
            (Val::JsonMap(object, _), Some(declared)) => (object, declared),
            (Val::JsonMap(object, decl), None) if decl.is_bare() => {
                return match object.get(&field.name) {
                    None if !may_lack => Err(self.no_such_key(Val::String(&field.name))),
                    found => Ok(found.map(|value| plain(value, &DYN))),
                };
            }
            _ => return self.lookup(value, Val::String(&field.name), may_lack),
        };
        match declared.find(object) {
            Some(json) => self.cx.read(json, &declared.ty).map(Some),
            None if may_lack => Ok(None),
            None => Err(self.no_such_key(Val::String(&field.name))),
        }
    }

    fn checked_lookup(&self, value: Val<'a>, key: Val<'a>, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        match key {
            Val::String(_) | Val::Int(_) | Val::Uint(_) | Val::Bool(_) | Val::Double(_) => {
                self.lookup(value, key, may_lack)
            }
            key => Err(self.cx.error(format_args!("invalid qualifier type: {}", go_type(key)))),
        }
    }

    fn lookup(&self, value: Val<'a>, key: Val<'a>, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        if let Some(map) = value.as_map() {
            return self.lookup_key(map, key, may_lack);
        }
        if let Some(list) = value.as_list() {
            return self.lookup_index(list, key, may_lack);
        }
        match (value, key) {
            (Val::Made(made), Val::String(name)) => return Ok(made_field(made, name, may_lack)),
            (Val::Lazy, Val::String(name)) => {
                if let Some(field) = self.lazy.and_then(|lazy| lazy.get(name)) {
                    return field.map(Some);
                }
            }
            _ => {}
        }
        if may_lack { Ok(None) } else { Err(self.no_such_key(key)) }
    }

    fn lookup_key(&self, map: Map<'a>, key: Val<'a>, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        match map.get(&self.cx, key)? {
            None if !may_lack => Err(self.no_such_key(key)),
            found => Ok(found),
        }
    }

    fn lookup_index(&self, list: List<'a>, key: Val<'a>, may_lack: bool) -> Result<Option<Val<'a>>, Trap<'a>> {
        let index = self.index(key)?;
        match index.and_then(|index| list.get(&self.cx, index)) {
            Some(element) => element.map(Some),
            None if may_lack => Ok(None),
            None => Err(self.cx.error(format_args!("index out of bounds: {}", show(&self.cx, key)))),
        }
    }

    /// The position a key stands for; nothing when it is before the first element.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
    fn index(&self, key: Val<'a>) -> Result<Option<usize>, Trap<'a>> {
        match key {
            Val::Int(index) => Ok(usize::try_from(index).ok()),
            Val::Uint(index) if i64::try_from(index).is_ok() => Ok(usize::try_from(index).ok()),
            Val::Double(index) if index.fract() == 0.0 && index.abs() < 9_223_372_036_854_775_808.0 => {
                Ok((index >= 0.0).then_some(index as usize))
            }
            Val::Uint(_) | Val::Double(_) => {
                Err(self.cx.error(format_args!("unsupported index value {} in list", show(&self.cx, key))))
            }
            key => Err(self.cx.error(format_args!("unsupported index type '{}' in list", key.type_name()))),
        }
    }

    #[cold]
    fn no_such_key(&self, key: Val<'a>) -> Trap<'a> {
        self.cx.error(format_args!("no such key: {}", show(&self.cx, key)))
    }
}

/// A field of an object that the expression made. One that is not set is null, or empty where only text may be.
// As upstream's dynamic.ObjectType.Field and mutation.JSONPatchVal.Get.
fn made_field<'a>(made: &Made<'a>, name: &str, may_lack: bool) -> Option<Val<'a>> {
    let is_text = made.name == "JSONPatch" && name != "value";
    made.get(name).or((!may_lack).then_some(if is_text { Val::String("") } else { Val::Null }))
}
