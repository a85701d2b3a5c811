//! Declared types: what a schema tells the checker, the cost estimate and the evaluator about a value.

use std::sync::Arc;

use crate::syntax::RESERVED;
use crate::types::{Name, Type};

/// The list type (atomic, set or map), which decides what `==` and `+` mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListKind {
    /// By position.
    #[default]
    Atomic,
    /// By value: equality ignores order, `+` is the union.
    Set,
    /// By the values of these members: equality goes by key, `+` replaces in place and appends what is new.
    Map(Vec<String>),
}

/// The encoding of a value of another type as a string of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The value is what it is.
    #[default]
    Plain,
    /// `2006-01-02`, for [`Type::Timestamp`].
    Date,
    /// `2006-01-02T15:04:05Z` and relatives, for [`Type::Timestamp`].
    DateTime,
    /// `1h`, `2 days`, for [`Type::Duration`].
    Duration,
    /// Base 64, for [`Type::Bytes`].
    Base64,
    /// Left as it is in the input, whatever the type: upstream checks `namespaceObject` by a type and reads it without.
    Unread,
}

/// A field of an object type.
#[derive(Clone, Debug)]
pub struct DeclField {
    /// The name in expressions, already escaped.
    pub name: String,
    /// The member of the JSON object.
    pub key: String,
    /// The type of its elements.
    pub ty: Arc<DeclType>,
}

/// A declared type: the type of a value together with what its schema promises about size and list semantics.
///
/// It decides how a JSON value is read: a string declared as [`Type::Timestamp`] is parsed on access, an integer
/// declared as [`Type::Double`] is converted, a field that is null counts as absent.
#[derive(Clone, Debug)]
pub struct DeclType {
    /// The type in expressions.
    pub ty: Type,
    /// Fields of an object, sorted by [`DeclField::name`].
    fields: Vec<Arc<DeclField>>,
    /// Elements of a list or values of a map.
    pub element: Option<Arc<DeclType>>,
    /// Keys of a map.
    pub key: Option<Arc<DeclType>>,
    /// Upper bound on the size: elements of a list, entries of a map, bytes of a string, 1 for scalars.
    pub max_elements: u64,
    /// The list type: atomic, set or map.
    pub list: ListKind,
    /// The encoding of strings.
    pub encoding: Encoding,
    /// True if null is a value of this type.
    pub nullable: bool,
}

/// A value without a declared type.
pub(crate) static DYN: DeclType = DeclType {
    ty: Type::Dyn,
    fields: Vec::new(),
    element: None,
    key: None,
    max_elements: u64::MAX,
    list: ListKind::Atomic,
    encoding: Encoding::Plain,
    nullable: true,
};

impl DeclType {
    /// Returns the type of a value of which nothing is known.
    pub fn untyped() -> Self {
        DYN.clone()
    }

    /// A type without parts.
    pub fn scalar(ty: Type, max_elements: u64) -> Self {
        Self { ty, max_elements, nullable: false, ..DYN.clone() }
    }

    /// A type without parts that is written as a string.
    pub fn encoded(ty: Type, encoding: Encoding, max_elements: u64) -> Self {
        Self { encoding, ..Self::scalar(ty, max_elements) }
    }

    /// An integer or a string, which expressions tell apart when they run.
    pub fn int_or_string(max_elements: u64) -> Self {
        Self::scalar(Type::Dyn, max_elements)
    }

    /// `list(element)`.
    pub fn list(element: Arc<DeclType>, max_elements: u64, list: ListKind) -> Self {
        let ty = Type::list(element.ty.clone());
        Self { element: Some(element), list, ..Self::scalar(ty, max_elements) }
    }

    /// `map(key, value)`.
    pub fn map(key: Arc<DeclType>, value: Arc<DeclType>, max_elements: u64) -> Self {
        let ty = Type::map(key.ty.clone(), value.ty.clone());
        Self { key: Some(key), element: Some(value), ..Self::scalar(ty, max_elements) }
    }

    /// An object type with these fields.
    pub fn object(name: Name, fields: Vec<DeclField>, max_elements: u64) -> Self {
        let mut fields: Vec<Arc<DeclField>> = fields.into_iter().map(Arc::new).collect();
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self { fields, ..Self::scalar(Type::Object(name), max_elements) }
    }

    /// The same type, where null is a value.
    #[must_use]
    pub fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// The fields, sorted by name.
    pub fn fields(&self) -> &[Arc<DeclField>] {
        &self.fields
    }

    /// The field with this (escaped) name.
    pub fn field(&self, name: &str) -> Option<&Arc<DeclField>> {
        let at = self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
        Some(&self.fields[at])
    }

    /// The field with this name, or with the escaped form of a word that is reserved in expressions.
    pub(crate) fn field_or_keyword(&self, name: &str) -> Option<&Arc<DeclField>> {
        self.field(name).or_else(|| RESERVED.contains(&name).then(|| self.field(&format!("__{name}__")))?)
    }

    /// The field of this member of the JSON object.
    pub(crate) fn field_of_key(&self, key: &str) -> Option<&Arc<DeclField>> {
        // Few names are escaped, so the name is nearly always the key.
        self.field(key).filter(|field| field.key == key).or_else(|| self.fields.iter().find(|field| field.key == key))
    }

    /// Returns the type of a list's elements or of a map's values.
    pub(crate) fn part(&self) -> &DeclType {
        self.element.as_deref().unwrap_or(&DYN)
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.ty, Type::Object(_))
    }

    /// True if there is no schema at all.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.ty, Type::Dyn) && self.max_elements == u64::MAX
    }

    /// True if nothing is declared of a value and of what is in it.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.is_unknown() && self.element.is_none() && self.encoding == Encoding::Plain
    }

    /// True if nothing is declared, so that values behave as they do without a schema.
    pub(crate) fn is_dyn(&self) -> bool {
        self.is_unknown() || (self.ty == Type::Dyn && self.element.is_none())
    }
}

/// Access to types that no library declares, for the checker and the cost estimate.
pub trait TypeProvider {
    /// The object type with this name.
    fn object(&self, name: &str) -> Option<&DeclType>;

    /// Tells if there are objects with this name, of which nothing is known: every field exists and may be anything.
    fn is_open(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// The declared type where the cost estimate starts to look for sizes. Like upstream it starts there for every
    /// variable, since in custom resources there are only `self` and `oldSelf`.
    fn sizes(&self) -> Option<&DeclType>;

    /// The declared type where the cost estimate starts for a variable.
    fn variable_sizes(&self, name: &str) -> Option<&DeclType> {
        let _ = name;
        self.sizes()
    }

    /// The declared type that the cost estimate takes for a member of a value.
    fn member_sizes<'t>(&'t self, of: &'t DeclType, name: &str) -> Option<&'t DeclType> {
        of.field(name).map(|field| &*field.ty)
    }
}

/// Declares nothing.
pub struct NoTypes;

impl TypeProvider for NoTypes {
    fn object(&self, _: &str) -> Option<&DeclType> {
        None
    }

    fn sizes(&self) -> Option<&DeclType> {
        None
    }
}
