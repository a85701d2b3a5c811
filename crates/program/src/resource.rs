//! Resources: facts in the declaration of a type that serving its objects needs.

use sprag_release::Releases;
use sprag_shape::TypeId as ShapeId;

use crate::DefId;

/// A type whose values are validated as whole objects.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The type.
    pub def: DefId,
    /// The API group; `None` where the package does not name one.
    pub group: Option<String>,
    /// The API version; `None` where the package is not named like one.
    pub version: Option<String>,
    /// The kind.
    pub kind: String,
    /// The type as Go prints a pointer to it: `*v1.Pod`.
    pub go_type: String,
    /// Its shape in [`Program::shapes`](crate::Program::shapes).
    pub shape: ShapeId,
    /// The releases of Kubernetes that have it.
    pub releases: Releases,
    /// The facts in its declaration.
    pub facts: ResourceFacts,
}

impl Resource {
    /// The plural of its kind in lower case, as long as nobody gave it another.
    // As upstream's meta.UnsafeGuessKindToResource.
    pub fn plural(&self) -> String {
        let singular = self.kind.to_lowercase();
        match singular.chars().last() {
            Some('s') => singular + "es",
            Some('y') => singular[..singular.len() - 1].to_owned() + "ies",
            _ => singular + "s",
        }
    }
}

/// The facts in the declaration of a resource's type, beside its rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceFacts {
    /// Namespaced or not; `None` where the declaration does not say.
    pub scope: Option<ResourceScope>,
    /// The form of names; `None` where the declaration does not say.
    pub name_format: Option<NameFormat>,
    /// True if it has a `spec`.
    pub has_spec: bool,
    /// True if it has a `status`.
    pub has_status: bool,
    /// The fields that belong to a feature gate.
    pub gated: Vec<GatedField>,
    /// The paths of fields that selectors may name.
    pub selectable: Vec<Vec<String>>,
    /// The columns of tables.
    pub columns: Vec<Column>,
}

/// A form of the names of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFormat {
    /// A DNS subdomain.
    DnsSubdomain,
    /// A DNS label.
    DnsLabel,
    /// A segment of a URL's path.
    PathSegment,
}

impl NameFormat {
    /// All forms.
    pub const ALL: [NameFormat; 3] = [NameFormat::DnsSubdomain, NameFormat::DnsLabel, NameFormat::PathSegment];

    /// The name that declarations know it by.
    pub fn name(self) -> &'static str {
        match self {
            NameFormat::DnsSubdomain => "dns-subdomain",
            NameFormat::DnsLabel => "dns-label",
            NameFormat::PathSegment => "path-segment",
        }
    }
}

/// The scope of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceScope {
    /// Each object is in a namespace.
    Namespaced,
    /// Objects are in no namespace.
    Cluster,
}

/// A field that belongs to a feature gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatedField {
    /// The feature gate.
    pub gate: String,
    /// The way to the field.
    pub path: Vec<GatedStep>,
}

/// A step on the way to a gated field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatedStep {
    /// A member of this JSON name.
    Field(String),
    /// Every element of a list or map.
    Each,
}

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// The type of the cells.
    pub ty: ColumnType,
    /// The format of the cells.
    pub format: String,
    /// Prose about what it shows.
    pub description: String,
    /// 0 for columns that narrow tables show, too.
    pub priority: i32,
    /// The path of the field.
    pub path: Vec<String>,
}

/// The type of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Text.
    String,
}

impl ColumnType {
    /// The name in `OpenAPI`.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Boolean => "boolean",
            ColumnType::Integer => "integer",
            ColumnType::Number => "number",
            ColumnType::String => "string",
        }
    }
}
