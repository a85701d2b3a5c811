//! Custom resources: definitions served as resources, and the resources they define.
//!
//! [`definitions`] is `customresourcedefinitions.apiextensions.k8s.io` itself, [`resource`] what one of its objects defines.
//!
//! What the API server says of definitions and objects is known to `sprag-schema`; this crate makes resources of it.
//! Schemas are compiled when the first object needs them.
//!
//! Does not know: registries, HTTP, conversion webhooks.
//!
//! ```
//! use sprag_decode::yaml;
//! use sprag_rest::{FeatureGates, Offline};
//! use sprag_value::json;
//!
//! let definition = yaml::decode(b"
//! apiVersion: apiextensions.k8s.io/v1
//! kind: CustomResourceDefinition
//! metadata: {name: widgets.example.dev}
//! spec:
//!   group: example.dev
//!   scope: Namespaced
//!   names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
//!   versions:
//!   - name: v1
//!     served: true
//!     storage: true
//!     schema:
//!       openAPIV3Schema:
//!         type: object
//!         properties: {size: {type: integer, maximum: 10}}
//! ")?;
//! let offline = Offline::new(FeatureGates::default());
//! let widgets = offline.resource(sprag_crd::resource(&definition, offline.gates())?);
//! let widget = br#"{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"w"},"size":20}"#;
//! let judged = offline.judge(&widgets, "v1", json::parse(widget)?, None)?.judged;
//! assert_eq!(judged.errors[0].to_string(), "size: Invalid value: 20: size in body should be less than or equal to 10");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod condition;
mod conversion;
mod definition;
mod instance;
mod json_path;

pub use crate::conversion::{ConversionClient, Converter};
pub use crate::definition::{CLEANUP_FINALIZER, GROUP, PLURAL, VERSION, definitions, definitions_of};
pub use crate::instance::{Compiled, compiled_resource, resource, resource_of, without_schemas};
