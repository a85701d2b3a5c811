//! From a document, and the object it replaces, to findings: the only place that knows the engines.
//!
//! [`Judge`] is set up once and asked from many threads. Definitions of custom resources are compiled when their first
//! object comes.

mod built_in;
mod catalog;
mod definition;
mod document;
mod identity;
mod native;
mod old;
mod policies;
mod policy;
mod resource;

use std::sync::OnceLock;

use anyhow::bail;
use sprag_value::Value;

use crate::input::{Batch, Found, STDIN};
use crate::report::{FileReport, Finding, Identity, Origin, Resource, Rules, Severity, Status};
use crate::suggest::nearest;

pub(crate) use self::catalog::{Catalog, Definition, Take};
pub(crate) use self::definition::{Advice, advise, judge as judge_definition, lint_batch as lint_definitions, written};
pub(crate) use self::document::{Document, Documents, Object};
pub(crate) use self::native::Native;
pub(crate) use self::native::types;
use self::old::OldObjects;
use self::policies::Policies;
pub(crate) use self::policy::Policy;
use self::policy::Ruling;
use self::resource::Known;
pub(crate) use self::resource::{OFFLINE, set_gates};

/// The status of an object, the rules that apply, and the findings.
type Verdict = (Status, Option<Rules>, Vec<Finding>);

/// The definitions, types, policies and old objects to validate by.
pub(crate) struct Setup {
    /// Files with definitions of custom resources.
    pub(crate) definitions: Vec<Found>,
    pub(crate) types: Option<Native>,
    /// Files with the objects as they were.
    pub(crate) old: Option<Vec<Found>>,
    /// The files that will be judged, which may have definitions of their own.
    pub(crate) manifests: Vec<Found>,
    /// Files with admission policies and bindings.
    pub(crate) policies: Vec<Found>,
    pub(crate) policy: Policy,
}

/// Judges documents.
pub(crate) struct Judge {
    /// The definitions that were given.
    catalog: Catalog,
    manifests: Vec<Found>,
    /// The definitions among the manifests, which are looked for when the first object comes that needs one.
    found: OnceLock<Catalog>,
    types: Option<Native>,
    old: OldObjects,
    /// The admission policies, if there are any.
    policies: Option<Policies>,
    policy: Policy,
    warnings: Vec<String>,
}

impl Judge {
    /// An error says which of the given definitions cannot be used.
    pub(crate) fn new(setup: Setup) -> anyhow::Result<Judge> {
        let Setup { definitions, types, old, manifests, policies, policy } = setup;
        let mut warnings: Vec<String> = types.iter().flat_map(Native::warnings).collect();
        let are_given = !definitions.is_empty();
        let catalog = Catalog::read(definitions, Take::Accepted, &mut warnings)?;
        if are_given && catalog.is_empty() && !policy.allow_empty {
            bail!("no definitions of custom resources in the files of --crds; --allow-empty accepts that");
        }
        let old = OldObjects::read(old, &mut warnings);
        let mut judge =
            Judge { catalog, manifests, found: OnceLock::new(), types, old, policies: None, policy, warnings };
        if !policies.is_empty() {
            let manifests = judge.manifests.clone();
            judge.policies = Some(Policies::read(policies, manifests, judge.all_kinds())?);
        }
        Ok(judge)
    }

    /// The built-in kinds, and those that definitions define.
    fn all_kinds(&self) -> Vec<sprag_rest::Definition> {
        let custom = self.catalog.all().chain(self.found().all()).map(|found| (*found.resource().definition).clone());
        let mut kinds = built_in::definitions();
        kinds.extend(custom);
        kinds
    }

    /// The definition of a kind: one that was given, or else one among the manifests. Those cannot define built-in kinds, which
    /// the API server has before all others.
    fn definition(&self, group: &str, kind: &str) -> Option<&Definition> {
        let among = || if built_in::knows(group, kind) { None } else { self.found().find(group, kind) };
        self.catalog.find(group, kind).or_else(among)
    }

    fn found(&self) -> &Catalog {
        self.found.get_or_init(|| Catalog::among(self.manifests.clone()))
    }

    /// Returns warnings about types, definitions and old objects.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns notes on parts of declared types that are not validated.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.types.as_ref().map(Native::notes).unwrap_or_default()
    }

    /// Judges all documents of a batch.
    pub(crate) fn batch(&self, batch: Batch) -> FileReport {
        let Batch { file, line, content, last } = batch;
        match content {
            Ok(bytes) => {
                // Templates are rendered to standard input only; a file is where its text is.
                let is_rendered = *file == *STDIN;
                let resources = Documents::new(&bytes, line).flat_map(|document| {
                    let mut resources = self.document(&document);
                    if let Some(source) = document.helm_source().filter(|_| is_rendered) {
                        for resource in &mut resources {
                            resource.source = Some(source.clone());
                        }
                    }
                    resources
                });
                FileReport { resources: resources.collect(), file, last, unreadable: false }
            }
            Err(reason) => FileReport { resources: vec![Resource::unreadable(reason)], file, last, unreadable: true },
        }
    }

    /// A document is one object, a list of them, or nothing.
    fn document(&self, document: &Document<'_>) -> Vec<Resource> {
        match document.objects() {
            Ok(objects) => objects.iter().map(|object| self.object(object)).collect(),
            Err(finding) => vec![Resource::undecodable(*finding)],
        }
    }

    fn object(&self, object: &Object<'_, '_>) -> Resource {
        let identity = Identity::of(&object.value);
        let old = self.old.find(&identity);
        self.identified(identity, object, old)
    }

    /// Judges one object, as an update if there is an old one.
    pub(crate) fn one(&self, object: &Object<'_, '_>, old: Option<&Value>) -> Resource {
        self.identified(Identity::of(&object.value), object, old)
    }

    fn identified(&self, identity: Identity, object: &Object<'_, '_>, old: Option<&Value>) -> Resource {
        let (status, rules, mut findings) = match self.policy.ruling(&identity) {
            Ruling::Skip => (Status::Skipped, None, Vec::new()),
            Ruling::Reject => (Status::Error, None, vec![prohibited(&identity, object)]),
            Ruling::Judge => self.known(&identity, object, old),
        };
        findings.sort_by_key(|finding| finding.severity);
        Resource { identity, status, rules, findings, source: None }
    }

    /// Judges an object by the first schema that is there for its kind.
    fn known(&self, identity: &Identity, object: &Object<'_, '_>, old: Option<&Value>) -> Verdict {
        let (rules, findings) = if definition::is_definition(identity) {
            (Rules::BuiltIn, definition::findings(object, old, &self.policy))
        } else if let Some(found) = self.definition(identity.group(), &identity.kind) {
            if let Err(reason) = found.check_version(identity.version()) {
                return self.missing(object, &reason);
            }
            let version = identity.version();
            let known = Known { offline: &OFFLINE, resource: found.resource(), version, origin: Origin::Schema };
            (Rules::Definition, known.findings(object, old, &self.policy))
        } else if let Some(findings) =
            self.types.as_ref().and_then(|types| types.findings(identity, object, old, &self.policy))
        {
            (Rules::Types, findings)
        } else if let Some(findings) = built_in::findings(identity, object, old, &self.policy) {
            (Rules::BuiltIn, findings)
        } else {
            return self.missing(object, &self.unknown_kind(identity));
        };
        let has_errors = |findings: &[Finding]| findings.iter().any(|finding| finding.severity == Severity::Error);
        let mut findings = findings;
        // Policies see valid objects only.
        if let Some(policies) = self.policies.as_ref().filter(|_| !has_errors(&findings)) {
            findings.extend(policies.findings(object, old));
        }
        let is_invalid = has_errors(&findings);
        (if is_invalid { Status::Invalid } else { Status::Valid }, Some(rules), findings)
    }

    /// kubeconform's words, and what helps.
    fn unknown_kind(&self, identity: &Identity) -> String {
        let (group, kind) = (identity.group(), &identity.kind);
        if let Some(served) = built_in::served_versions(group, kind) {
            return format!("no matches for kind \"{kind}\" in version \"{}\"; served: {served}", identity.api_version);
        }
        // As upstream's apihelpers.IsProtectedCommunityGroup, and the groups that have no dot.
        let is_native = !group.contains('.') || group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
        let help = if is_native {
            let package = if group.is_empty() { "core" } else { group.split('.').next().unwrap_or(group) };
            format!("name its Go types with --types, a folder such as k8s.io/api/{package}/{}", identity.version())
        } else {
            "name its definition with --crds".to_owned()
        };
        let known = self.catalog.kinds(group).chain(self.found().kinds(group)).chain(built_in::kinds(group));
        let hint = nearest(kind, known).map(|near| format!("did you mean {near}? Otherwise ")).unwrap_or_default();
        let skip = format!("pass over it with --skip {kind} or --ignore-missing-schemas");
        format!("could not find schema for {kind}; {hint}{help}, or {skip}")
    }

    fn missing(&self, object: &Object<'_, '_>, reason: &str) -> Verdict {
        if self.policy.ignore_missing_schemas {
            return (Status::Skipped, None, Vec::new());
        }
        let finding = Finding::new(Severity::Error, Origin::Lookup, reason);
        (Status::Error, None, vec![finding.at(object.place("kind"))])
    }
}

fn prohibited(identity: &Identity, object: &Object<'_, '_>) -> Finding {
    let message = format!("prohibited resource kind {}", identity.kind);
    Finding::new(Severity::Error, Origin::Lookup, message).at(object.place("kind"))
}
