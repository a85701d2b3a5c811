//! The types as rules see them: each field and type with its tags and markers, read once.

use std::collections::BTreeSet;

use sprag_idl::model::{Field, Language, TagLine};
use sprag_idl::{Finding, Scalar, Sources, Span, Tag, TagValue, raw_value, tag_name};
use sprag_program::{DefId, TypeId};
use sprag_tags::kubebuilder::{Found, Marker, find};
use sprag_tags::types::{Def, DefKind, FieldDef, PackageInfo, Type, Universe};
use sprag_tags::{Dialect, Registry, is_resource};

use crate::rule::Profile;
use crate::walk::{dialect_of, parse};

/// The settings of the author of the types.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Names of markers that may not be used.
    pub forbidden: Vec<String>,
    /// Names of markers with the ones to use instead.
    pub preferred: Vec<(String, String)>,
    /// Parts of names of fields with the ones to use instead.
    pub naming: Vec<(String, String)>,
    /// Lines of the file of exceptions to `versions-differ`.
    pub exceptions: Vec<String>,
    /// The profile of all packages, in place of the one that each shows by its markers.
    pub profile: Option<Profile>,
}

/// Types with all that rules ask for.
pub struct Model<'a> {
    /// The types.
    pub universe: &'a Universe,
    /// The tags.
    pub registry: &'a Registry,
    /// The types that are validated as whole objects.
    pub roots: &'a [DefId],
    /// The sources, for edits.
    pub sources: &'a Sources,
    /// The findings of readers and lowering.
    pub reported: &'a [Finding],
    /// True if a package, by its path, is to be looked at.
    pub is_given: &'a dyn Fn(&str) -> bool,
    /// The author's settings.
    pub settings: &'a Settings,
    /// The packages that use markers of controller-gen.
    marked: BTreeSet<String>,
}

/// The types to lint, beside the settings.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The types.
    pub universe: &'a Universe,
    /// The tags.
    pub registry: &'a Registry,
    /// The types that are validated as whole objects.
    pub roots: &'a [DefId],
    /// The sources, for edits.
    pub sources: &'a Sources,
    /// The findings of readers and lowering.
    pub reported: &'a [Finding],
}

impl<'a> Model<'a> {
    /// Types with all that rules ask for; `is_given` says of the path of a package whether to look at it.
    pub fn new(input: Input<'a>, is_given: &'a dyn Fn(&str) -> bool, settings: &'a Settings) -> Model<'a> {
        let Input { universe, registry, roots, sources, reported } = input;
        let is_marked = |lines: &[TagLine]| lines.iter().any(|line| line.text.starts_with("kubebuilder:object:"));
        let packages =
            universe.packages().iter().filter(|package| is_marked(&package.tags)).map(|package| &package.path);
        let of_types = universe.defs().filter(|(_, def)| {
            is_marked(&def.tags) || is_marked(&def.detached_tags) || has_marked_field(def, &is_marked)
        });
        let of_types = of_types.map(|(_, def)| &universe.packages()[def.package].path);
        let marked = packages.chain(of_types).cloned().collect();
        Model { universe, registry, roots, sources, reported, is_given, settings, marked }
    }

    /// The profile of a package: as set, or `crd` where controller-gen makes code or definitions of its types.
    pub fn profile(&self, package: &PackageInfo) -> Profile {
        let is_crd = || self.marked.contains(&package.path);
        self.settings.profile.unwrap_or_else(|| if is_crd() { Profile::Crd } else { Profile::Kubernetes })
    }

    /// The declared types to look at: those of given packages, each once.
    pub(crate) fn types(&self) -> impl Iterator<Item = (DefId, &'a Def)> + '_ {
        let universe = self.universe;
        let given: BTreeSet<usize> =
            (0..universe.packages().len()).filter(|at| (self.is_given)(&universe.packages()[*at].path)).collect();
        universe.defs().filter(move |(_, def)| given.contains(&def.package) && !def.alias)
    }

    /// The spot of a type.
    pub(crate) fn type_spot(&'a self, def: DefId) -> Option<Spot<'a>> {
        let data = self.universe.def(def);
        let ty = self.universe.type_of_def(def)?;
        Some(self.spot(def, None, data.tags.as_slice(), ty, data.span))
    }

    /// The spots of the fields of a struct that are on the wire.
    pub(crate) fn field_spots(&'a self, def: DefId) -> Vec<Spot<'a>> {
        // A flattened typedef repeats the fields of its target.
        if !self.universe.def(def).chain.is_empty() {
            return Vec::new();
        }
        let fields = self.universe.fields(def).iter().filter(|field| field.field.exported && !field.field.ignored);
        fields
            .map(|field| self.spot(def, Some(field), field.field.tags.as_slice(), field.ty, field.field.span))
            .collect()
    }

    fn spot(
        &'a self,
        def: DefId,
        field: Option<&'a FieldDef>,
        lines: &'a [TagLine],
        ty: TypeId,
        span: Span,
    ) -> Spot<'a> {
        let tags = if lines.is_empty() { Vec::new() } else { parse(dialect_of(self.universe, def), lines) };
        let markers = lines.iter().filter_map(|line| match find(line) {
            Found::Known(marker) => Some(marker),
            _ => None,
        });
        Spot {
            model: self,
            def,
            data: self.universe.def(def),
            field,
            lines,
            tags,
            markers: markers.collect(),
            ty,
            span,
        }
    }

    /// The structs that are the status of a kind.
    pub(crate) fn statuses(&self) -> BTreeSet<DefId> {
        let of_kind = |def: DefId| {
            let status = self.universe.member(def, "status")?;
            self.universe.struct_of(self.universe.field(status).ty)
        };
        self.types().filter(|(def, _)| is_resource(self.universe, *def)).filter_map(|(def, _)| of_kind(def)).collect()
    }
}

fn has_marked_field(def: &Def, is_marked: &dyn Fn(&[TagLine]) -> bool) -> bool {
    matches!(&def.kind, DefKind::Struct(fields) if fields.iter().any(|field| is_marked(&field.field.tags)))
}

/// A field or a type, with its tags and markers.
pub(crate) struct Spot<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) def: DefId,
    pub(crate) data: &'a Def,
    /// Nothing for the type itself.
    pub(crate) field: Option<&'a FieldDef>,
    pub(crate) lines: &'a [TagLine],
    /// The tags that can be read, sorted by name.
    pub(crate) tags: Vec<Tag>,
    pub(crate) markers: Vec<Marker<'a>>,
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

/// The names that say that a field may be left out.
pub(crate) const OPTIONAL: [&str; 3] = ["optional", "k8s:optional", "kubebuilder:validation:Optional"];

/// The names that say that a field must be there.
pub(crate) const REQUIRED: [&str; 3] = ["required", "k8s:required", "kubebuilder:validation:Required"];

impl<'a> Spot<'a> {
    pub(crate) fn universe(&self) -> &'a Universe {
        self.model.universe
    }

    pub(crate) fn package(&self) -> &'a PackageInfo {
        self.model.universe.package_of(self.def)
    }

    pub(crate) fn is_go(&self) -> bool {
        self.package().language == Language::Go
    }

    /// The full name.
    pub(crate) fn subject(&self) -> String {
        let name = self.universe().def_name(self.def);
        match self.field {
            Some(field) => format!("{name}.{}", field.field.path_name()),
            None => name,
        }
    }

    /// The field as read.
    pub(crate) fn source(&self) -> Option<&'a Field> {
        self.field.map(|field| &field.field)
    }

    /// The first line with a tag of this name.
    pub(crate) fn line(&self, name: &str) -> Option<&'a TagLine> {
        self.lines.iter().find(|line| tag_name(&line.text) == Some(name))
    }

    /// The first line with a tag of one of these names.
    pub(crate) fn line_of(&self, names: &[&str]) -> Option<&'a TagLine> {
        names.iter().find_map(|name| self.line(name))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.line(name).is_some()
    }

    /// The text after the `=` of a tag.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.line(name).map(|line| raw_value(&line.text).unwrap_or_default().trim().trim_matches('"'))
    }

    pub(crate) fn is_optional(&self) -> bool {
        self.line_of(&OPTIONAL).is_some() || self.tags.iter().any(|tag| mentions(tag, "k8s:optional"))
    }

    pub(crate) fn is_required(&self) -> bool {
        self.line_of(&REQUIRED).is_some()
    }

    /// The default value's line.
    pub(crate) fn default_line(&self) -> Option<&'a TagLine> {
        self.line_of(&["default", "k8s:default", "kubebuilder:default"])
    }

    /// The marker of controller-gen with this name.
    pub(crate) fn marker(&self, name: &str) -> Option<&Marker<'a>> {
        self.markers.iter().find(|marker| !marker.items && marker.spec.name == name)
    }

    /// The list type that is declared, in any notation.
    pub(crate) fn list_type(&self) -> Option<&'a str> {
        self.text("listType").or_else(|| self.text("k8s:listType"))
    }

    /// The declared type that the type of the field names, pointers removed.
    pub(crate) fn named_type(&self) -> Option<DefId> {
        let mut ty = self.field?.ty;
        loop {
            match self.universe().ty(ty) {
                Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) => ty = *inner,
                Type::Def(def) => return Some(*def),
                _ => return None,
            }
        }
    }

    pub(crate) fn is_pointer(&self) -> bool {
        self.universe().is_pointer(self.ty)
    }

    /// True if the struct is a list of objects as the API serves it.
    pub(crate) fn is_in_list(&self) -> bool {
        let is_meta = |field: &FieldDef| self.universe().type_name(field.ty).ends_with("/meta/v1.ListMeta");
        self.universe().fields(self.def).iter().any(is_meta)
    }

    /// Returns the dialect of the rules.
    pub(crate) fn dialect(&self) -> Dialect {
        dialect_of(self.universe(), self.def)
    }

    pub(crate) fn profile(&self) -> Profile {
        self.model.profile(self.package())
    }
}

/// Reports whether a tag or one inside it has this name.
pub(crate) fn mentions(tag: &Tag, name: &str) -> bool {
    std::iter::successors(Some(tag), |tag| tag.inner()).any(|tag| tag.name == name)
}

/// The text of a tag's literal.
pub(crate) fn literal(tag: &Tag) -> Option<String> {
    match &tag.value {
        TagValue::Scalar(Scalar::String(text) | Scalar::Int(text)) => Some(text.clone()),
        TagValue::Scalar(other) => Some(other.text()),
        _ => None,
    }
}
