//! Declared types: what a schema tells the checker, the cost estimate and the evaluator about a value.

use std::sync::Arc;

use crate::types::{Name, Type};

/// How elements of a list are told apart, which decides what `==` and `+` mean.
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

/// A field of an object type.
#[derive(Clone, Debug)]
pub struct DeclField {
    /// The name in expressions, already escaped.
    pub name: String,
    /// The member of the JSON object.
    pub key: String,
    /// What is in it.
    pub ty: Arc<DeclType>,
}

/// A declared type: the type of a value together with what its schema promises about size and list semantics.
///
/// It decides how a JSON value is read: a string declared as [`Type::Timestamp`] is parsed on access, an integer
/// declared as [`Type::Double`] is converted, a member that is null counts as absent.
#[derive(Clone, Debug)]
pub struct DeclType {
    /// The type in expressions.
    pub ty: Type,
    /// Fields of an object, sorted by [`DeclField::name`].
    fields: Vec<DeclField>,
    /// Elements of a list or values of a map.
    pub element: Option<Arc<DeclType>>,
    /// Keys of a map.
    pub key: Option<Arc<DeclType>>,
    /// Upper bound on the size: elements of a list, entries of a map, bytes of a string, 1 for scalars.
    pub max_elements: u64,
    /// How list elements are told apart.
    pub list: ListKind,
}

/// A value without a declared type.
pub(crate) static DYN: DeclType = DeclType {
    ty: Type::Dyn,
    fields: Vec::new(),
    element: None,
    key: None,
    max_elements: u64::MAX,
    list: ListKind::Atomic,
};

impl DeclType {
    /// A type without parts.
    pub fn scalar(ty: Type, max_elements: u64) -> Self {
        Self { ty, max_elements, ..DYN.clone() }
    }

    /// An untyped value.
    pub fn dynamic() -> Self {
        DYN.clone()
    }

    /// `list(element)`.
    pub fn list(element: Arc<DeclType>, max_elements: u64, list: ListKind) -> Self {
        Self { ty: Type::list(element.ty.clone()), element: Some(element), max_elements, list, ..DYN.clone() }
    }

    /// `map(key, value)`.
    pub fn map(key: Arc<DeclType>, value: Arc<DeclType>, max_elements: u64) -> Self {
        let ty = Type::map(key.ty.clone(), value.ty.clone());
        Self { ty, key: Some(key), element: Some(value), max_elements, ..DYN.clone() }
    }

    /// An object type with these fields.
    pub fn object(name: Name, mut fields: Vec<DeclField>, max_elements: u64) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self { ty: Type::Object(name), fields, max_elements, ..DYN.clone() }
    }

    /// The fields, sorted by name.
    pub fn fields(&self) -> &[DeclField] {
        &self.fields
    }

    /// The field with this (escaped) name.
    pub fn field(&self, name: &str) -> Option<&DeclField> {
        let at = self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
        Some(&self.fields[at])
    }
}

/// What the checker and the cost estimate ask about types that no library declares.
pub trait TypeProvider {
    /// The object type with this name.
    fn object(&self, name: &str) -> Option<&DeclType>;

    /// The declared type of a variable, where the cost estimate starts to look for sizes.
    fn variable(&self, name: &str) -> Option<&DeclType>;
}
