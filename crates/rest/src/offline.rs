//! Writes without a server: its verdict on an object, created or as an update of an old one.
//!
//! Clock and randomness are fixed, so the answer is the same on every run.

use std::sync::Arc;

use sprag_decode::{Finding, Format};
use sprag_value::{Time, Value};

use crate::body::Body;
use crate::counters::Counters;
use crate::definition::Definition;
use crate::error::{ApiError, Result};
use crate::gates::FeatureGates;
use crate::info::ResourceInfo;
use crate::meta;
use crate::names::{Entropy, split_api_version};
use crate::observer::Observer;
use crate::options::WriteOptions;
use crate::request::{Context, NoOtherKinds, Request};
use crate::strategy::User;
use crate::write::{Judged, Old, Write, type_member};

/// The namespace of namespaced objects that name none, as kubectl has it.
pub const DEFAULT_NAMESPACE: &str = "default";

/// The time of every write: the start of the year 2000.
const NOW: i64 = 946_684_800;

/// Judges objects without a server.
///
/// ```
/// # use sprag_rest::{Offline, Definition};
/// # fn example(widgets: Definition, widget: sprag_value::Value) -> sprag_rest::Result<()> {
/// let offline = Offline::default();
/// let widgets = offline.resource(widgets);
/// let outcome = offline.judge(&widgets, "v1", widget, None)?;
/// for error in &outcome.judged.errors {
///     println!("{error}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Offline {
    gates: FeatureGates,
    counters: Arc<Counters>,
    user: User,
    leaves_out_managed_fields: bool,
    observer: Option<Arc<dyn Observer>>,
}

/// The result of validating an object offline.
#[derive(Debug)]
pub struct Outcome {
    /// Findings of strict decoding: unknown and duplicate fields.
    pub findings: Vec<Finding>,
    /// Everything else, with what ratcheting forgave.
    pub judged: Judged,
}

impl Offline {
    /// Judges with these feature gates.
    pub fn new(gates: FeatureGates) -> Offline {
        Offline { gates, ..Offline::default() }
    }

    /// The same for callers that read verdicts only: managed fields are not computed.
    #[must_use]
    pub fn without_managed_fields(self) -> Offline {
        Offline { leaves_out_managed_fields: true, ..self }
    }

    /// The same with an observer of the findings of hand-written code and rules.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn Observer>) -> Offline {
        Offline { observer: Some(observer), ..self }
    }

    /// Counters of internal problems.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The feature gates.
    pub fn gates(&self) -> &FeatureGates {
        &self.gates
    }

    /// A resource to judge objects of.
    pub fn resource(&self, definition: Definition) -> Arc<ResourceInfo> {
        Arc::new(ResourceInfo::new(definition, &self.gates, &self.counters))
    }

    /// Validates the text of an object, including duplicate fields, which only strict decoding finds.
    pub fn judge_text(
        &self,
        resource: &Arc<ResourceInfo>,
        version: &str,
        (text, format): (&[u8], Format),
        object: &Value,
        old: Option<&Value>,
    ) -> Result<Outcome> {
        self.with_write(resource, version, "", object, old, |write| write.decode_text(text, format))
    }

    /// Validates an object as a create, or as an update of an old one. If that is a manifest, without a uid, or says what
    /// `kubectl apply` applied last, the update is the one of `kubectl apply`, which keeps fields that the server set.
    ///
    /// An error is an answer that does not come from validation, as for an object that cannot be decoded.
    pub fn judge(
        &self,
        resource: &Arc<ResourceInfo>,
        version: &str,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Outcome> {
        self.judge_subresource(resource, version, "", object, old)
    }

    /// The same for a subresource: `status` and the like.
    pub fn judge_subresource(
        &self,
        resource: &Arc<ResourceInfo>,
        version: &str,
        subresource: &str,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Outcome> {
        let named = object.clone();
        self.with_write(resource, version, subresource, &named, old, |write| write.decode_object(object))
    }

    /// Judges what `decode` reads for a write of the object that `named` is.
    fn with_write(
        &self,
        resource: &Arc<ResourceInfo>,
        version: &str,
        subresource: &str,
        named: &Value,
        old: Option<&Value>,
        decode: impl FnOnce(&Write<'_>) -> Result<(Body, Vec<Finding>)>,
    ) -> Result<Outcome> {
        let request = Request {
            namespace: namespace(&resource.definition, named),
            name: if old.is_some() { meta::name(named) } else { "" },
            subresource,
            ..self.request(resource, version)
        };
        self.write(resource, &request).outcome(decode, old)
    }

    /// A request to a collection, in no namespace.
    fn request<'a>(&'a self, resource: &'a ResourceInfo, version: &'a str) -> Request<'a> {
        let definition = &*resource.definition;
        let group = definition.group();
        let plural = &definition.resource.resource;
        Request { group, version, resource: plural, namespace: "", name: "", subresource: "", user: &self.user }
    }

    /// Validates an object by the strategy of a resource alone, for tests of a strategy: [`Offline::judge`] without the
    /// checks that are the same for all kinds.
    #[cfg(feature = "testing")]
    pub fn judge_by_strategy(
        &self,
        resource: &Arc<ResourceInfo>,
        version: &str,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Judged> {
        let namespace = meta::namespace(&object).to_owned();
        let request = Request { namespace: &namespace, ..self.request(resource, version) };
        let write = self.write(resource, &request);
        let old = old.map(|old| write.old_manifest(old.clone())).transpose()?;
        let (body, _) = write.decode_object(object)?;
        let mut new = body.into_object();
        if let Some(old) = &old {
            meta::copy(&mut new, &old.hub, "resourceVersion");
        }
        write.complete(&mut new, &[])?;
        write.judge_by_strategy(&new, old.as_ref())
    }

    /// A write whose steps the caller takes one by one.
    pub fn write<'a>(&'a self, resource: &Arc<ResourceInfo>, request: &'a Request<'a>) -> Write<'a> {
        let context = Context {
            gates: &self.gates,
            now: Time::from_unix(NOW, 0),
            entropy: &Constant,
            counters: &self.counters,
            observer: self.observer.as_deref(),
            kinds: &NoOtherKinds,
            lists_tolerated: true,
            manages_fields: !self.leaves_out_managed_fields,
        };
        Write::new(resource.clone(), request, context)
    }
}

fn namespace<'v>(definition: &Definition, object: &'v Value) -> &'v str {
    match meta::namespace(object) {
        _ if !definition.namespaced() => "",
        "" => DEFAULT_NAMESPACE,
        namespace => namespace,
    }
}

impl Write<'_> {
    fn outcome(
        &self,
        decode: impl FnOnce(&Self) -> Result<(Body, Vec<Finding>)>,
        old: Option<&Value>,
    ) -> Result<Outcome> {
        let mut old_object = old.map(|old| self.old_manifest(old.clone())).transpose()?;
        let (body, findings) = decode(self)?;
        // Nothing is stored, and values are given as they are given to a dry run.
        let options = WriteOptions { dry_run: vec!["All".to_owned()], ..WriteOptions::default() };
        let mut object = body.into_object();
        let mut input = if let (Some(old), Some(given)) = (&mut old_object, old) {
            // A client that applies a manifest sends a patch, which is about the state that is stored.
            self.keep_created_fields(old, given, &mut object)?;
            meta::copy(&mut object, &old.hub, "resourceVersion");
            self.update_input(object, &options)?
        } else {
            self.create_input(object, &options)?
        };
        let old = old_object;
        let mut warnings = input.take_warnings();
        let judged = self.effort.whole(|| {
            let read = self.read(&input, old.as_ref().map(|old| &old.requested))?;
            self.judge(&input, read, old.as_ref())
        });
        match judged {
            Ok(mut judged) => {
                warnings.append(&mut judged.warnings);
                Ok(Outcome { findings, judged: Judged { warnings, ..judged } })
            }
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// An object from a manifest as it would be read from the store, had it been written some time ago.
    pub fn old_manifest(&self, manifest: Value) -> Result<Old> {
        let definition = self.definition();
        let refused = |error: String| ApiError::bad_request(format!("old object: {error}"));
        let (_, version) = split_api_version(type_member(&manifest, "apiVersion"));
        let version = definition.version(version).map_or(self.request.version, |version| version.name.as_str());
        let mut object = definition.scheme.read_stored(version, manifest).map_err(refused)?;
        object.insert("apiVersion", self.info.api_version(version));
        let namespace = self.namespace();
        meta::set(&mut object, "namespace", Value::from((!namespace.is_empty()).then_some(namespace)));
        if meta::text(&object, "resourceVersion").is_empty() {
            meta::set(&mut object, "resourceVersion", "1");
        }
        self.old(definition.present(object)?)
    }
}

/// Randomness that yields generated names that end in `xxxxx`.
struct Constant;

impl Entropy for Constant {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(18);
    }
}

#[cfg(test)]
mod tests {
    use sprag_decode::Decoded;
    use sprag_shape::{Shapes, TypeId};
    use sprag_value::json;

    use super::*;
    use crate::conventions::Conventions;
    use crate::definition::{Scope, Version};
    use crate::names::{GroupResource, SimpleNameGenerator};
    use crate::strategy::{Cx, Scheme, Strategy};
    use crate::unreadable::Unreadable;

    /// A kind whose hook panics at the name `panics`.
    struct Panics;

    impl Strategy for Panics {
        fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
            assert_ne!(meta::name(new), "panics");
        }
    }

    impl Scheme for Panics {
        fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
            requested
        }

        fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
            None
        }

        fn read(&self, _: &str, text: &[u8], _: Format, _: bool) -> Result<Decoded, Unreadable> {
            let value = json::parse(text).map_err(|error| error.to_string())?;
            Ok(Decoded::new(value, Vec::new()))
        }

        fn complete(&self, _: &str, _: &mut Value) -> Result<(), String> {
            Ok(())
        }

        fn convert(&self, object: Value, _: &str, _: &str) -> Result<Value, String> {
            Ok(object)
        }
    }

    fn widgets() -> Definition {
        let panics = Arc::new(Panics);
        Definition {
            resource: GroupResource::new("example.com", "widgets"),
            kind: "Widget".to_owned(),
            list_kind: "WidgetList".to_owned(),
            singular: "widget".to_owned(),
            short_names: Vec::new(),
            categories: Vec::new(),
            scope: Scope::Cluster,
            versions: vec![Version::new("v1")],
            storage_version: "v1".to_owned(),
            storage_prefix: String::new(),
            name_rule: Arc::new(|_, _, _| ()),
            name_generator: Arc::new(SimpleNameGenerator),
            scheme: panics.clone(),
            create: panics.clone(),
            update: panics.clone(),
            delete: panics,
            returns_deleted_object: false,
            unstored: None,
            is_cached: true,
            allocator: None,
            feature_gates: Vec::new(),
            gated_fields: Vec::new(),
            has_own_strategy: true,
            conventions: &Conventions::CUSTOM,
        }
    }

    #[test]
    fn warnings_go_with_a_failure() {
        let offline = Offline::default();
        let owner = r#"{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}"#;
        let widget = format!(
            r#"{{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {{"name": "panics", "ownerReferences": [{owner}, {owner}]}}}}"#
        );
        let widget = json::parse(widget.as_bytes()).unwrap();
        let error = offline.judge(&offline.resource(widgets()), "v1", widget, None).unwrap_err();
        assert_eq!(error.code(), 500);
        let [warning] = error.parts().warnings.as_slice() else { panic!("{error:?}") };
        assert!(warning.contains("duplicate UID(s) observed: u"), "{warning}");
    }
}
