//! A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`, read from its decoded form.
//!
//! [`Crd`] is what acceptance and the run time work on; [`prepare`] is what the API server does to a manifest before it
//! judges it; [`shapes`] is what the type looks like to a decoder.

pub mod prepare;
mod read;
pub mod shapes;
pub(crate) mod show;

use std::sync::Arc;

use sprag_value::{Text, Value};

use crate::props::{Props, TooDeep};

/// The group, version and kind of a definition.
pub const API_VERSION: &str = "apiextensions.k8s.io/v1";
/// The kind of a definition.
pub const KIND: &str = "CustomResourceDefinition";

/// Errors of decoding a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The object is of another type.
    #[error("not a {KIND} but {kind:?} of {api_version:?}")]
    OtherType {
        /// Its `apiVersion`.
        api_version: String,
        /// Its `kind`.
        kind: String,
    },
    /// A version of the type that Kubernetes removed in 1.22.
    #[error("{api_version} is not supported; convert the definition to {API_VERSION}")]
    OldVersion {
        /// Its `apiVersion`.
        api_version: String,
    },
    /// A schema nests too deep.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

/// A definition of a custom resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crd {
    /// `metadata` in canonical form.
    pub metadata: Value,
    /// `spec.group`.
    pub group: Text,
    /// `spec.names`.
    pub names: Names,
    /// `spec.scope`.
    pub scope: Text,
    /// `spec.versions`.
    pub versions: Vec<Version>,
    /// True if `spec.versions` is there, which matters when it is printed.
    pub(crate) has_versions: bool,
    /// `spec.conversion`.
    pub conversion: Option<Conversion>,
    /// `spec.preserveUnknownFields`.
    pub preserve_unknown_fields: bool,
    /// `status`.
    pub status: Status,
}

/// The names of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// `plural`.
    pub plural: Text,
    /// `singular`.
    pub singular: Text,
    /// `shortNames`.
    pub short_names: Vec<Text>,
    /// `kind`.
    pub kind: Text,
    /// `listKind`.
    pub list_kind: Text,
    /// `categories`.
    pub categories: Vec<Text>,
}

/// One version of the resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// `name`.
    pub name: Text,
    /// `served`.
    pub served: bool,
    /// `storage`.
    pub storage: bool,
    /// `deprecated`.
    pub deprecated: bool,
    /// `deprecationWarning`.
    pub deprecation_warning: Option<Text>,
    /// `schema`; it may lack the schema proper.
    pub schema: Option<VersionSchema>,
    /// `subresources`.
    pub subresources: Option<Subresources>,
    /// `additionalPrinterColumns`; `None` and an empty list differ only in output.
    pub columns: Option<Vec<Column>>,
    /// `selectableFields`, by their `jsonPath`.
    pub selectable_fields: Option<Vec<Text>>,
}

/// `schema` of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionSchema {
    /// `openAPIV3Schema`.
    pub open_api_v3_schema: Option<Arc<Props>>,
}

/// `subresources` of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subresources {
    /// True if there is `status`.
    pub status: bool,
    /// `scale`.
    pub scale: Option<Scale>,
}

/// The paths of the scale subresource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// `specReplicasPath`.
    pub spec_replicas_path: Text,
    /// `statusReplicasPath`.
    pub status_replicas_path: Text,
    /// `labelSelectorPath`.
    pub label_selector_path: Option<Text>,
}

/// A column of the table form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// `name`.
    pub name: Text,
    /// `type`.
    pub ty: Text,
    /// `format`.
    pub format: Text,
    /// `description`.
    pub description: Text,
    /// `priority`.
    pub priority: i64,
    /// `jsonPath`.
    pub json_path: Text,
}

/// The conversion between versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// `strategy`.
    pub strategy: Text,
    /// `webhook.clientConfig`.
    pub client_config: Option<ClientConfig>,
    /// `webhook.conversionReviewVersions`.
    pub review_versions: Vec<Text>,
}

/// The client configuration of a conversion webhook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientConfig {
    /// `url`.
    pub url: Option<Text>,
    /// `service`.
    pub service: Option<Service>,
    /// `caBundle` in base 64.
    pub ca_bundle: Text,
}

/// A service that answers conversion reviews.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// `namespace`.
    pub namespace: Text,
    /// `name`.
    pub name: Text,
    /// `path`.
    pub path: Option<Text>,
    /// `port`.
    pub port: i64,
}

/// The API server's verdict on a definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// `acceptedNames`.
    pub accepted_names: Names,
    /// `storedVersions`; `None` and an empty list differ only in output.
    pub stored_versions: Option<Vec<Text>>,
    /// True if the condition `Established` is true.
    pub established: bool,
}

impl Crd {
    /// Reads a definition from its decoded form. Members of the wrong kind count as absent: whether they are of the
    /// right kind is asked by the decoder.
    pub fn read(value: &Value) -> Result<Self, ReadError> {
        read::crd(value)
    }

    /// The version with this name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name.as_str() == name)
    }

    /// The version that objects are stored in.
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// True if objects live in namespaces.
    pub fn namespaced(&self) -> bool {
        self.scope.as_str() == "Namespaced"
    }
}

impl Version {
    /// The schema proper.
    pub fn props(&self) -> Option<&Arc<Props>> {
        self.schema.as_ref()?.open_api_v3_schema.as_ref()
    }

    /// True if `status` is a subresource.
    pub fn has_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|subresources| subresources.status)
    }
}
