//! Whether a JSON value fits a type: JSON kinds, integer ranges, unknown fields.
//!
//! Knows no tag. Types it cannot look into fit anything.

#[cfg(test)]
mod tests;
mod well_known;

use std::collections::{BTreeMap, VecDeque};

use sprag_field::{BadValue, Error, Errors, Path, Warning, quote};
use sprag_idl::model::{Builtin, Language, Variant};
use sprag_plan::{DefId, TypeId};
use sprag_rules::types::{DefKind, Type, Universe};
use sprag_value::{ByteString, Object, Value, from_value};

use self::well_known::WellKnown;

/// Compares a value with a declared type: misfits are errors, unknown fields warnings.
pub(crate) fn conform(universe: &Universe, def: DefId, value: &Value, errors: &mut Errors) {
    let Some(ty) = universe.type_of_def(def) else { return };
    Walker { universe, members: BTreeMap::new(), errors }.value(ty, &Path::ROOT, value);
}

struct Walker<'u, 'e> {
    universe: &'u Universe,
    members: BTreeMap<DefId, Members<'u>>,
    errors: &'e mut Errors,
}

/// The members that an object of a struct type may have.
#[derive(Clone, Default)]
struct Members<'u> {
    /// Their types, where known.
    types: BTreeMap<&'u str, Option<TypeId>>,
    /// Some come from a type that is not known.
    open: bool,
}

impl<'u> Walker<'u, '_> {
    /// Recurses once per level of the value, whose depth its reader limits.
    fn value(&mut self, ty: TypeId, path: &Path<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        let universe = self.universe;
        let base = universe.native(ty).base;
        match universe.ty(base) {
            Type::Builtin(builtin) => self.builtin(*builtin, path, value),
            Type::Def(def) => self.def(*def, path, value),
            Type::Foreign(name) => self.opaque(name, path, value),
            Type::List(elem) | Type::Array(_, elem) if self.is_byte(*elem) => self.bytes(path, value),
            Type::List(elem) | Type::Array(_, elem) => self.list(*elem, path, value),
            Type::Map(_, _, elem) => self.map(*elem, path, value),
            Type::Interface | Type::Unsupported(..) | Type::Pointer(_) | Type::Boxed(_) | Type::Nullable(_) => {}
        }
    }

    fn def(&mut self, def: DefId, path: &Path<'_>, value: &Value) {
        match &self.universe.def(def).kind {
            DefKind::Struct(_) => self.object(def, path, value),
            DefKind::Enum(variants) => self.variant(variants, path, value),
            DefKind::Opaque(_) => self.opaque(&self.universe.def_name(def), path, value),
            DefKind::Typedef(target) => self.value(*target, path, value),
        }
    }

    fn object(&mut self, def: DefId, path: &Path<'_>, value: &Value) {
        let Some(object) = self.expect_object(path, value) else { return };
        let members = self.members(def);
        for (key, value) in object {
            let path = path.child(key.as_str());
            match members.types.get(key.as_str()) {
                Some(Some(ty)) => self.value(*ty, &path, value),
                Some(None) => {}
                None if members.open => {}
                None => {
                    let field = path.to_string();
                    let message = format!("unknown field {}", quote::go(&field)).into();
                    self.errors.warnings.push(Warning { field, message });
                }
            }
        }
    }

    fn members(&mut self, def: DefId) -> Members<'u> {
        if let Some(known) = self.members.get(&def) {
            return known.clone();
        }
        let members = members(self.universe, def);
        self.members.insert(def, members.clone());
        members
    }

    fn list(&mut self, elem: TypeId, path: &Path<'_>, value: &Value) {
        let Value::Array(array) = value else { return self.misfit(path, value, "a list") };
        for (index, value) in array.as_slice().iter().enumerate() {
            self.value(elem, &path.index(index), value);
        }
    }

    fn map(&mut self, elem: TypeId, path: &Path<'_>, value: &Value) {
        let Some(object) = self.expect_object(path, value) else { return };
        for (key, value) in object {
            self.value(elem, &path.key(key.as_str()), value);
        }
    }

    fn expect_object<'v>(&mut self, path: &Path<'_>, value: &'v Value) -> Option<&'v Object> {
        let object = value.as_object();
        if object.is_none() {
            self.misfit(path, value, "an object");
        }
        object
    }

    fn variant(&mut self, variants: &[Variant], path: &Path<'_>, value: &Value) {
        let Value::String(text) = value else { return self.misfit(path, value, "a string") };
        if variants.iter().all(|variant| variant.json != text.as_str()) {
            let names: Vec<&str> = variants.iter().map(|variant| variant.json.as_str()).collect();
            self.errors.push(Error::not_supported(path, text.as_str(), &names));
        }
    }

    fn builtin(&mut self, builtin: Builtin, path: &Path<'_>, value: &Value) {
        match (builtin, value) {
            (Builtin::String, Value::String(_))
            | (Builtin::Bool, Value::Bool(_))
            | (Builtin::Float32 | Builtin::Float64, Value::Int(_) | Value::Float(_)) => {}
            (Builtin::String, _) => self.misfit(path, value, "a string"),
            (Builtin::Bool, _) => self.misfit(path, value, "true or false"),
            (Builtin::Float32 | Builtin::Float64 | Builtin::Complex, _) => self.misfit(path, value, "a number"),
            (integer, _) => self.integer(integer, path, value),
        }
    }

    fn integer(&mut self, builtin: Builtin, path: &Path<'_>, value: &Value) {
        let (bits, signed) = builtin.int_bits().unwrap_or((64, true));
        let (min, max) =
            if signed { (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
        let number = match value {
            Value::Int(number) => i128::from(*number),
            Value::Float(number) if number.fract() == 0.0 && number.abs() >= BEYOND_I64 => {
                #[expect(clippy::cast_possible_truncation, reason = "casts saturate, far outside any range")]
                let whole = *number as i128;
                // The largest unsigned number has no float of its own and is read as the next one.
                if whole == 1 << 64 { whole - 1 } else { whole }
            }
            _ => return self.misfit(path, value, "an integer"),
        };
        if !(min..=max).contains(&number) {
            let detail = format!("must be between {min} and {max} ({})", builtin.go_name());
            self.errors.push(Error::type_invalid(path, bad_value(value), detail));
        }
    }

    fn is_byte(&self, elem: TypeId) -> bool {
        matches!(self.universe.ty(self.universe.native(elem).base), Type::Builtin(Builtin::Uint8))
    }

    fn bytes(&mut self, path: &Path<'_>, value: &Value) {
        match value {
            Value::String(_) if from_value::<ByteString>(value).is_ok() => {}
            Value::String(_) => {
                self.errors.push(Error::type_invalid(path, bad_value(value), "must be base64 text"));
            }
            // Go takes numbers for bytes as well.
            Value::Array(_) => {}
            _ => self.misfit(path, value, "base64 text"),
        }
    }

    fn opaque(&mut self, name: &str, path: &Path<'_>, value: &Value) {
        if let Some(Err(problem)) = WellKnown::named(name).map(|known| known.check(value)) {
            self.errors.push(Error::type_invalid(path, bad_value(value), problem));
        }
    }

    fn misfit(&mut self, path: &Path<'_>, value: &Value, wanted: &str) {
        let detail = format!("must be {wanted}, not {}", kind(value));
        self.errors.push(Error::type_invalid(path, bad_value(value), detail));
    }
}

/// Whole numbers from here on (2^63) are read as floats.
const BEYOND_I64: f64 = 9_223_372_036_854_775_808.0;

/// Members of a struct with those of its embedded structs; the nearest one wins, as in Go.
fn members(universe: &Universe, def: DefId) -> Members<'_> {
    let mut members = Members::default();
    let mut work = VecDeque::from([def]);
    while let Some(def) = work.pop_front() {
        let is_go = universe.package_of(def).language == Language::Go;
        for field in universe.fields(def).iter().filter(|field| !field.field.ignored) {
            if field.field.inline {
                match (universe.struct_of(field.ty), well_known::embedded_members(&universe.type_name(field.ty))) {
                    (Some(inner), _) => work.push_back(inner),
                    (None, Some(names)) => members.types.extend(names.map(|name| (name, None))),
                    (None, None) => members.open = true,
                }
            } else if field.field.exported || !is_go {
                members.types.entry(field.field.path_name()).or_insert(Some(field.ty));
            }
        }
    }
    members
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) => "an integer",
        Value::Float(_) => "a float",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn bad_value(value: &Value) -> BadValue {
    match value {
        Value::Null => BadValue::Nil,
        Value::Bool(value) => BadValue::Bool(*value),
        Value::Int(value) => BadValue::Int(*value),
        Value::Float(value) => BadValue::Float(*value),
        Value::String(text) => BadValue::Str(text.to_string()),
        Value::Array(_) | Value::Object(_) => BadValue::Omitted,
    }
}
