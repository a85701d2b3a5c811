//! Custom resources: acceptance of definitions, defaulting, pruning, validation and ratcheting.
//!
//! Values in, values and findings out; answers are those of the Kubernetes API server. Does not know: HTTP, storage,
//! bytes.
//!
//! Reading order: [`props`] is a schema as a definition spells it, [`crd`] the definition around it, [`accept`] what the
//! API server says of that. [`CustomResource`] says what the API server does with an object, by means of a compiled
//! [`Schema`].
//!
//! ```
//! use sprag_decode::yaml;
//! use sprag_field::Errors;
//! use sprag_release::Release;
//! use sprag_schema::CustomResource;
//! use sprag_schema::accept;
//! use sprag_schema::crd::{Crd, prepare};
//! use sprag_value::json;
//!
//! let mut definition = yaml::decode(b"
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
//! prepare::set_defaults(&mut definition);
//! prepare::for_create(&mut definition);
//! let crd = Crd::read(&definition)?;
//! assert!(accept::create(&crd, Release::NEWEST).errors.is_empty());
//!
//! let widgets = &CustomResource::versions(&crd, Release::NEWEST)[0];
//! let widget = br#"{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"w"},"size":20}"#;
//! let widget = widgets.decode(json::parse(widget)?)?.object;
//! let mut errors = Errors::new();
//! widgets.validate_create(&widget, &mut errors);
//! assert_eq!(errors.iter().next().unwrap().to_string(), "size: Invalid value: 20: size in body should be less than or equal to 10");
//!
//! // What was stored before the limit may stay as it is.
//! let mut errors = Errors::new();
//! widgets.validate_update(&widget, &widget, &mut errors);
//! assert!(errors.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accept;
pub mod crd;
mod default;
mod embedded;
mod enumeration;
mod field_path;
mod format;
mod go_syntax;
mod keyed;
mod list_type;
mod metadata;
mod node;
mod number;
mod pattern;
mod printed;
pub mod props;
mod prune;
mod ratchet;
mod resource;
mod rules;
mod scale;
mod schema;
mod shapes;
mod trail;
mod validate;

pub use crate::default::{MAX_DEFAULTED, TooManyDefaults};
pub use crate::format::is_known_for as is_checked_format;
pub use crate::props::Props;
pub use crate::resource::{CustomResource, DecodeError, Decoded};
pub use crate::rules::{OBJECT_COST_LIMIT, PlaceStep, RULE_ORIGIN, RuleScope, ScopeError, cel_name, is_cel_reserved};
pub use crate::schema::Schema;
