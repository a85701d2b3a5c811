//! The rows of the table. Every constructor is `const`, so that a generator can print them as `static` data.

use std::borrow::Cow;
use std::mem::{forget, replace};

/// Text that is either part of the program or built at run time.
pub type Str = Cow<'static, str>;
/// A list of texts that is either part of the program or built at run time.
pub type Strs = Cow<'static, [Str]>;

/// The position of a type in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// The use of a type in a field, list or map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// The type.
    pub id: TypeId,
    /// True if unset and the zero value are distinct, as with a Go pointer.
    pub nullable: bool,
}

impl TypeRef {
    /// The type by value.
    pub const fn value(id: TypeId) -> Self {
        Self { id, nullable: false }
    }

    /// The type behind a pointer.
    pub const fn pointer(id: TypeId) -> Self {
        Self { id, nullable: true }
    }
}

/// The kind of a type's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Text.
    String,
    /// True or false.
    Bool,
    /// A whole number.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// True if it can be negative.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// Bytes, base64 text in JSON.
    Bytes,
    /// A list.
    List {
        /// The elements.
        elem: TypeRef,
        /// The list type; a field may override it.
        list: ListType,
    },
    /// A map with keys that are text in JSON.
    Map {
        /// The keys.
        key: TypeRef,
        /// The values.
        value: TypeRef,
    },
    /// Named fields.
    Struct {
        /// The fields in declared order, embedded ones as one field each.
        fields: Cow<'static, [Field]>,
        /// All fields sorted by JSON name, those of embedded structs included. [`Shapes::new`](crate::Shapes::new)
        /// fills it in.
        lookup: Cow<'static, [Slot]>,
    },
    /// Anything.
    Any,
    /// A text, number or boolean.
    Scalar,
    /// A 32-bit integer or text.
    IntOrString,
    /// A resource quantity.
    Quantity,
    /// A point in time with a precision of seconds.
    Time,
    /// A point in time with a precision of microseconds.
    MicroTime,
    /// A span of time in Go's notation.
    Duration,
    /// An object of a type that is not known here.
    RawExtension,
}

impl Kind {
    /// A struct whose lookup is not filled in yet.
    pub const fn of_fields(fields: Cow<'static, [Field]>) -> Self {
        Self::Struct { fields, lookup: Cow::Borrowed(&[]) }
    }
}

/// The list type, which decides how lists are merged and compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ListType {
    /// Not declared; the list is one value.
    #[default]
    Unset,
    /// The list is one value.
    Atomic,
    /// Elements are their own keys and occur once.
    Set,
    /// Elements are objects and these fields, by JSON name, are their key.
    Map(Strs),
}

/// The treatment of a map or struct by server-side apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapType {
    /// Not declared; as its type says, else member by member.
    #[default]
    Unset,
    /// The map or struct is one value.
    Atomic,
    /// Each member has owners of its own, even if the type is declared atomic.
    Granular,
}

/// The treatment of members that a struct does not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFields {
    /// They are dropped.
    #[default]
    Prune,
    /// They are kept.
    Preserve,
    /// They are an error.
    Reject,
}

/// The treatment of a field by a strategic merge patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Elements or members are merged; otherwise the value is replaced.
    pub merge: bool,
    /// Members that the patch does not list are dropped.
    pub retain_keys: bool,
    /// An object is replaced as a whole, and not merged member by member.
    pub replaces_object: bool,
    /// The field that is the key of list elements, by JSON name; empty for lists of plain values.
    pub merge_key: Str,
}

impl Patch {
    /// The value is replaced.
    pub const REPLACE: Self =
        Self { merge: false, retain_keys: false, replaces_object: false, merge_key: Cow::Borrowed("") };

    /// Elements are merged by this key; empty for members of an object and for lists of plain values.
    pub const fn merge(merge_key: &'static str) -> Self {
        Self { merge: true, retain_keys: false, replaces_object: false, merge_key: Cow::Borrowed(merge_key) }
    }

    /// The same, and members that the patch does not list are dropped.
    #[must_use]
    pub const fn retain_keys(mut self) -> Self {
        self.retain_keys = true;
        self
    }
}

/// The protobuf form of a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Message {
    /// By its kind: a struct is a message of its numbered fields, a list repeats the field.
    #[default]
    OfKind,
    /// A message with the elements of the list as field 1, as Go types with `+protobuf.nullable=true` are.
    Items,
    /// A message with JSON text as field 1, as `runtime.RawExtension` is.
    Json,
    /// A message of these fields for values that are one of several things in JSON.
    Union(Cow<'static, [Field]>),
}

/// The declaration that a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The struct that declares it.
    pub owner: TypeId,
    /// Its position among the fields there.
    pub field: u16,
}

/// A named or anonymous type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeShape {
    /// The name as Go prints it, `v1.Pod`; empty for types without one.
    pub name: Str,
    /// Prose about it.
    pub doc: Str,
    /// The kind of its values.
    pub kind: Kind,
    /// The treatment of members it does not declare.
    pub unknown: UnknownFields,
    /// True if server-side apply takes a map or struct of this type as one value.
    pub atomic: bool,
    /// All values an enumeration can have; empty for other types.
    pub enum_values: Strs,
    /// The discriminator of a `+union` struct, empty without one; `None` for other types.
    pub union: Option<Str>,
    /// Its protobuf form, if its kind does not give it.
    pub message: Message,
    /// The function that judges its values beside what tags say; empty without one.
    pub validated_by: Str,
}

impl TypeShape {
    /// A type of this name and kind, everything else left at its default.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name: Cow::Borrowed(name),
            doc: Cow::Borrowed(""),
            kind,
            unknown: UnknownFields::Prune,
            atomic: false,
            enum_values: Cow::Borrowed(&[]),
            union: None,
            message: Message::OfKind,
            validated_by: Cow::Borrowed(""),
        }
    }

    /// With prose.
    #[must_use]
    pub const fn doc(mut self, doc: &'static str) -> Self {
        forget(replace(&mut self.doc, Cow::Borrowed(doc)));
        self
    }

    /// With a policy for undeclared members.
    #[must_use]
    pub const fn unknown(mut self, unknown: UnknownFields) -> Self {
        self.unknown = unknown;
        self
    }

    /// As one value to server-side apply.
    #[must_use]
    pub const fn atomic(mut self) -> Self {
        self.atomic = true;
        self
    }

    /// As an enumeration of these values.
    #[must_use]
    pub const fn enum_values(mut self, values: &'static [Str]) -> Self {
        forget(replace(&mut self.enum_values, Cow::Borrowed(values)));
        self
    }

    /// As a union with this discriminator.
    #[must_use]
    pub const fn union(mut self, discriminator: &'static str) -> Self {
        forget(self.union.replace(Cow::Borrowed(discriminator)));
        self
    }

    /// With a function that judges its values beside what tags say.
    #[must_use]
    pub const fn validated_by(mut self, function: &'static str) -> Self {
        forget(replace(&mut self.validated_by, Cow::Borrowed(function)));
        self
    }

    /// As this in protobuf.
    #[must_use]
    pub const fn message(mut self, message: Message) -> Self {
        forget(replace(&mut self.message, message));
        self
    }

    /// True if it is a struct that is a message in protobuf.
    pub fn is_message(&self) -> bool {
        self.fields().iter().any(|field| field.protobuf != 0)
    }

    /// The declared fields; none when it is not a struct.
    pub fn fields(&self) -> &[Field] {
        if let Kind::Struct { fields, .. } = &self.kind { fields } else { &[] }
    }
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of the declaration")]
pub struct Field {
    /// The name in JSON; empty for an embedded struct.
    pub json: Str,
    /// The name in the source.
    pub name: Str,
    /// The type.
    pub ty: TypeRef,
    /// True if an empty value is left out of JSON.
    pub omit_empty: bool,
    /// True if a zero value is left out of JSON, structs and times included.
    pub omit_zero: bool,
    /// True if its own fields are members of the surrounding object.
    pub inline: bool,
    /// True if it has to be given.
    pub required: bool,
    /// The treatment of this map or struct by server-side apply, if the field overrides its type.
    pub map: MapType,
    /// The list type of the field, if it overrides that of its type.
    pub list: ListType,
    /// Its treatment by a strategic merge patch.
    pub patch: Patch,
    /// The default as JSON text; empty without one.
    pub default: Str,
    /// True if documents of the API do not show the default.
    pub hides_default: bool,
    /// Prose about it.
    pub doc: Str,
    /// The reason not to use it, and since when; empty if it is not deprecated.
    pub deprecated: Str,
    /// Its number in protobuf; 0 when it is not part of the message.
    pub protobuf: u32,
}

impl Field {
    /// A field with these names and type, everything else left at its default.
    pub const fn new(json: &'static str, name: &'static str, ty: TypeRef) -> Self {
        Self::owned(Cow::Borrowed(json), Cow::Borrowed(name), ty)
    }

    /// An embedded struct.
    pub const fn embedded(name: &'static str, ty: TypeRef) -> Self {
        let mut field = Self::new("", name, ty);
        field.inline = true;
        field
    }

    /// [`Field::new`] with names built at run time.
    pub const fn owned(json: Str, name: Str, ty: TypeRef) -> Self {
        Self {
            json,
            name,
            ty,
            omit_empty: false,
            omit_zero: false,
            inline: false,
            required: false,
            map: MapType::Unset,
            list: ListType::Unset,
            patch: Patch::REPLACE,
            default: Cow::Borrowed(""),
            hides_default: false,
            doc: Cow::Borrowed(""),
            deprecated: Cow::Borrowed(""),
            protobuf: 0,
        }
    }

    /// Left out of JSON when empty.
    #[must_use]
    pub const fn omit_empty(mut self) -> Self {
        self.omit_empty = true;
        self
    }

    /// Left out of JSON when zero.
    #[must_use]
    pub const fn omit_zero(mut self) -> Self {
        self.omit_zero = true;
        self
    }

    /// Has to be given.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// One value to server-side apply.
    #[must_use]
    pub const fn atomic(mut self) -> Self {
        self.map = MapType::Atomic;
        self
    }

    /// Member by member to server-side apply, though its type is one value.
    #[must_use]
    pub const fn granular(mut self) -> Self {
        self.map = MapType::Granular;
        self
    }

    /// With a list type.
    #[must_use]
    pub const fn list(mut self, list: ListType) -> Self {
        forget(replace(&mut self.list, list));
        self
    }

    /// With a patch strategy.
    #[must_use]
    pub const fn patch(mut self, patch: Patch) -> Self {
        forget(replace(&mut self.patch, patch));
        self
    }

    /// With a default as JSON text.
    #[must_use]
    pub const fn default(mut self, json: &'static str) -> Self {
        forget(replace(&mut self.default, Cow::Borrowed(json)));
        self
    }

    /// With a default as JSON text that documents of the API do not show.
    #[must_use]
    pub const fn hidden_default(mut self, json: &'static str) -> Self {
        self.hides_default = true;
        self.default(json)
    }

    /// With prose.
    #[must_use]
    pub const fn doc(mut self, doc: &'static str) -> Self {
        forget(replace(&mut self.doc, Cow::Borrowed(doc)));
        self
    }

    /// Not to be used any more, and why.
    #[must_use]
    pub const fn deprecated(mut self, why: &'static str) -> Self {
        forget(replace(&mut self.deprecated, Cow::Borrowed(why)));
        self
    }

    /// With a number in protobuf.
    #[must_use]
    pub const fn protobuf(mut self, number: u32) -> Self {
        self.protobuf = number;
        self
    }
}
