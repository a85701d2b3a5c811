//! A definition in upstream's internal form, where what all versions share stands at the top.

use std::collections::HashMap;

use crate::crd::{Column, Crd, Subresources, Version, VersionSchema};
use crate::props::Props;
use sprag_value::Text;

/// A definition with what all versions share moved out of them.
pub(super) struct Hub<'c> {
    pub(super) crd: &'c Crd,
    /// `spec.version`: the name of the first version.
    pub(super) version: &'c str,
    /// `spec.validation`.
    pub(super) validation: Option<&'c VersionSchema>,
    /// `spec.subresources`.
    pub(super) subresources: Option<&'c Subresources>,
    /// `spec.additionalPrinterColumns`.
    pub(super) columns: &'c [Column],
    /// `spec.selectableFields`.
    pub(super) selectable_fields: &'c [Text],
    shared: Shared,
}

/// Settings shared by all versions.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one per member that can be shared")]
struct Shared {
    schema: bool,
    subresources: bool,
    columns: bool,
    selectable_fields: bool,
}

impl<'c> Hub<'c> {
    pub(super) fn new(crd: &'c Crd) -> Self {
        let Some((first, rest)) = crd.versions.split_first() else {
            return Hub {
                crd,
                version: "",
                validation: None,
                subresources: None,
                columns: &[],
                selectable_fields: &[],
                shared: Shared::default(),
            };
        };
        let shared = Shared {
            schema: rest.iter().all(|version| version.schema == first.schema),
            subresources: rest.iter().all(|version| version.subresources == first.subresources),
            columns: rest.iter().all(|version| version.columns() == first.columns()),
            selectable_fields: rest.iter().all(|version| version.selectable() == first.selectable()),
        };
        Hub {
            crd,
            version: &first.name,
            validation: first.schema.as_ref().filter(|_| shared.schema),
            subresources: first.subresources.as_ref().filter(|_| shared.subresources),
            columns: if shared.columns { first.columns() } else { &[] },
            selectable_fields: if shared.selectable_fields { first.selectable() } else { &[] },
            shared,
        }
    }

    /// The schema that stands at the top.
    pub(super) fn props(&self) -> Option<&'c Props> {
        self.validation?.open_api_v3_schema.as_deref()
    }

    /// Returns the remaining versions.
    pub(super) fn versions(&self) -> impl Iterator<Item = HubVersion<'c>> {
        let shared = self.shared;
        self.crd.versions.iter().map(move |version| HubVersion {
            version,
            schema: version.schema.as_ref().filter(|_| !shared.schema),
            subresources: version.subresources.as_ref().filter(|_| !shared.subresources),
            columns: if shared.columns { &[] } else { version.columns() },
            selectable_fields: if shared.selectable_fields { &[] } else { version.selectable() },
        })
    }

    /// Every schema, at the top or in versions.
    pub(super) fn all_props(&self) -> impl Iterator<Item = &'c Props> {
        self.props().into_iter().chain(self.versions().filter_map(|version| version.props()))
    }

    /// The schema of each version by its name, where the first with a name counts. When versions have no schemas of their
    /// own, all have the shared one and none is listed.
    pub(super) fn schemas(&self) -> Schemas<'c> {
        let mut own = HashMap::new();
        if self.versions().any(|version| version.schema.is_some()) {
            for version in self.versions() {
                own.entry(version.version.name.as_str()).or_insert(version.schema);
            }
        }
        Schemas { shared: self.validation, own }
    }

    /// The versions as upstream would print them.
    pub(super) fn printed_versions(&self) -> Vec<Version> {
        let shared = self.shared;
        let strip = |version: &'c Version| {
            let mut version = version.clone();
            version.schema = version.schema.filter(|_| !shared.schema);
            version.subresources = version.subresources.filter(|_| !shared.subresources);
            version.columns = version.columns.filter(|_| !shared.columns);
            version.selectable_fields = version.selectable_fields.filter(|_| !shared.selectable_fields);
            version
        };
        self.crd.versions.iter().map(strip).collect()
    }
}

/// The schemas of versions by their names.
pub(super) struct Schemas<'c> {
    shared: Option<&'c VersionSchema>,
    own: HashMap<&'c str, Option<&'c VersionSchema>>,
}

/// There is no version with the name.
struct NoVersion;

impl Schemas<'_> {
    /// True if the version with this name has the same schema here and there.
    pub(super) fn agree(&self, other: &Schemas<'_>, name: &str) -> bool {
        matches!((self.get(name), other.get(name)), (Ok(this), Ok(that)) if this == that)
    }

    fn get(&self, name: &str) -> Result<Option<&VersionSchema>, NoVersion> {
        if self.own.is_empty() { Ok(self.shared) } else { self.own.get(name).copied().ok_or(NoVersion) }
    }
}

/// A version without what all versions share.
#[derive(Clone, Copy)]
pub(super) struct HubVersion<'c> {
    pub(super) version: &'c Version,
    pub(super) schema: Option<&'c VersionSchema>,
    pub(super) subresources: Option<&'c Subresources>,
    pub(super) columns: &'c [Column],
    pub(super) selectable_fields: &'c [Text],
}

impl<'c> HubVersion<'c> {
    pub(super) fn props(&self) -> Option<&'c Props> {
        self.schema?.open_api_v3_schema.as_deref()
    }
}

impl Version {
    fn columns(&self) -> &[Column] {
        self.columns.as_deref().unwrap_or_default()
    }

    fn selectable(&self) -> &[Text] {
        self.selectable_fields.as_deref().unwrap_or_default()
    }
}
