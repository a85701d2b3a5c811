//! Plans and their rules.

use sprag_checks::format::Format;
use sprag_checks::update::Constraint;
use sprag_field::Stage;
use sprag_regexp::Regexp;

use crate::wire::WireError;
use crate::wire::buffer::{Reader, Wire, Writer, wire_enum, wire_struct};
use crate::{
    BoundSide, Check, Cohort, Demand, DependentRule, EnumRule, Exclusion, FieldPlan, Hook, HookArg, HookCall, Identity,
    IntegerBoundByField, Literal, MemberPath, Members, Mode, ModeRule, PathStep, Plan, Root, Rule, Term, TypePlan,
    UnionRule, UpdateRule, Warning,
};

wire_struct!(Plan { types, roots, hooks, patterns });
wire_struct!(Root { def, go_type, registered_by, subresources });
wire_struct!(Hook { name, ty });
wire_struct!(TypePlan { cohorts, descend, fields, called });
wire_struct!(FieldPlan { field, ty, step, cohorts, descend, changes, calls, ends_unset, called });
wire_enum!(PathStep { 0 = Child(name), 1 = Inline(name) });
wire_struct!(Check { rule, short_circuit, non_error, stage, native, warning, releases });
wire_struct!(Warning { message });
wire_enum!(Stage { 0 = Stable, 1 = Alpha, 2 = Beta });

impl Wire for Cohort {
    fn write(&self, to: &mut Writer) {
        let Self { name, checks, stops } = self;
        name.write(to);
        checks.write(to);
        stops.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let name = Wire::read(from)?;
        let checks = Vec::read(from)?;
        let stops = usize::read(from)?;
        if stops > checks.len() {
            return Err(WireError::Damaged("a group has fewer checks than stop it"));
        }
        Ok(Cohort { name, checks, stops })
    }
}

wire_enum!(Rule {
    0 = Required,
    1 = Optional,
    2 = Forbidden,
    3 = MinLength(limit),
    4 = MaxLength(limit),
    5 = MaxBytes(limit),
    6 = MinItems(limit),
    7 = MaxItems(limit),
    8 = MinProperties(limit),
    9 = MaxProperties(limit),
    10 = IntegerBound(side, bound),
    11 = IntegerBoundByField(bound),
    12 = NotEqual(literal),
    13 = Format(format),
    14 = Pattern(pattern),
    15 = Enum(values),
    16 = Immutable,
    17 = Monotonic,
    18 = Update(update),
    19 = Unique(identity),
    20 = NoNilElements,
    21 = Fixed { passes, message },
    22 = Custom(call),
    23 = Type(def),
    24 = EachKey(check),
    25 = EachVal(identity, check),
    26 = Item(terms, check),
    27 = ItemKept(terms),
    28 = Subfield(field, check),
    29 = IfOption { option, enabled, check },
    30 = IfSubresource { path, matches, check },
    31 = Union(union),
    32 = Mode(mode),
    33 = Dependent(dependent),
    34 = FeatureGate(gate),
    35 = IfFeature { gate, check },
    36 = IntegerBoundOfOwner(side),
    37 = IfSet(check),
});
wire_enum!(BoundSide { 0 = Minimum, 1 = Maximum, 2 = ExclusiveMinimum, 3 = ExclusiveMaximum });
wire_struct!(IntegerBoundByField { side, bound, check });
wire_enum!(Literal { 0 = String(text), 1 = Int(number), 2 = Bool(truth) });
wire_struct!(HookCall { name, tag, words, args });
wire_enum!(HookArg { 0 = Required(value), 1 = Optional(value) });
wire_struct!(EnumRule { values, exclusions });
wire_struct!(Exclusion { value, option, when });
wire_struct!(UpdateRule { constraints, identity, scoped_to_parent, labels_items });
wire_enum!(Constraint { 0 = NoSet, 1 = NoUnset, 2 = NoModify, 3 = NoAddItem, 4 = NoRemoveItem });
wire_enum!(Identity { 0 = Value, 1 = Keys(keys) });
wire_struct!(Term { field, value });
wire_struct!(UnionRule { demand, labels, members });
wire_enum!(Demand { 0 = ExactlyOne, 1 = AtMostOne, 2 = Discriminated { field, name, values } });
wire_enum!(Members { 0 = Fields(fields), 1 = Items(items), 2 = Paths(paths) });
wire_struct!(MemberPath { fields, item });
wire_struct!(ModeRule { discriminator, field, name, modes, forbidden_stage });
wire_struct!(Mode { value, stage, checks });
wire_struct!(DependentRule { trigger, dependent, required });

/// Formats are written by name, which is part of the API.
impl Wire for Format {
    fn write(&self, to: &mut Writer) {
        self.name().to_owned().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        String::read(from)?.parse().map_err(|_| WireError::Damaged("an unknown format"))
    }
}

/// Patterns are written as text and compiled when they are read.
impl Wire for Regexp {
    fn write(&self, to: &mut Writer) {
        self.as_str().to_owned().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Regexp::new(&String::read(from)?).map_err(|_| WireError::Damaged("a pattern is not a regular expression"))
    }
}
