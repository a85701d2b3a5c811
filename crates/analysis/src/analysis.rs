//! From a document, and the object it replaces, to findings.

use std::sync::{Arc, OnceLock};

use sprag_rest::Definition as ResourceDefinition;
use sprag_value::Value;

use crate::batch::Batch;
use crate::built_in::BuiltIn;
use crate::catalog::{Catalog, Definition, Take};
use crate::choices::{Choices, Ruling};
use crate::definition;
use crate::document::{Document, Documents, Object};
use crate::finding::{Finding, Origin, Severity};
use crate::known::Known;
use crate::old::OldObjects;
use crate::policies::Policies;
use crate::report::{FileReport, Identity, Resource, Rules, Status};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::source::Source;
use crate::suggest::nearest;
use crate::types::Types;

/// The status of an object, the rules that apply, and the findings.
type Verdict = (Status, Option<Rules>, Vec<Finding>);

/// Verdicts on the objects of a snapshot.
///
/// It is set up once and asked from many threads. Definitions of custom resources are compiled when their first object comes.
pub struct Analysis {
    built_in: Arc<BuiltIn>,
    /// The definitions that were given.
    catalog: Catalog,
    manifests: Arc<dyn Source>,
    /// The definitions among the manifests, which are looked for when the first object comes that needs one.
    found: OnceLock<Catalog>,
    types: Option<Types>,
    old: OldObjects,
    /// The admission policies, if there are any.
    policies: Option<Policies>,
    choices: Choices,
    threads: usize,
    warnings: Vec<String>,
}

impl Analysis {
    /// Reads all but the manifests. An error says which definitions or policies cannot be used.
    pub fn new(snapshot: Snapshot) -> Result<Analysis, SnapshotError> {
        let Snapshot { built_in, definitions, types, old, manifests, policies, policy_engine, choices, threads } =
            snapshot;
        let of_types = types.iter().flat_map(|types| &types.warnings);
        let mut warnings: Vec<String> = of_types.map(|warning| format!("types: {warning}")).collect();
        let catalog = Catalog::read(&*definitions, Take::Accepted, &built_in, threads, &mut warnings)?;
        if !definitions.is_empty() && catalog.is_empty() && !choices.allow_empty {
            return Err(SnapshotError::NoDefinitions);
        }
        let old = OldObjects::read(&*old, threads, &mut warnings);
        let found = OnceLock::new();
        let mut analysis =
            Analysis { built_in, catalog, manifests, found, types, old, policies: None, choices, threads, warnings };
        if !policies.is_empty() {
            let engine = policy_engine.ok_or(SnapshotError::NoPolicyEngine)?;
            let kinds = analysis.all_kinds();
            analysis.policies = Some(Policies::read(&*policies, &*analysis.manifests, kinds, engine)?);
        }
        Ok(analysis)
    }

    /// The built-in kinds, and those that definitions define.
    fn all_kinds(&self) -> Vec<ResourceDefinition> {
        let custom = self.catalog.all().chain(self.found().all());
        let custom = custom.map(|found| (*found.resource(&self.built_in).definition).clone());
        let mut kinds = self.built_in.kinds();
        kinds.extend(custom);
        kinds
    }

    /// The definition of a kind: one that was given, or else one among the manifests. Those cannot define built-in kinds, which
    /// the API server has before all others.
    fn definition(&self, group: &str, kind: &str) -> Option<&Definition> {
        let among = || if self.built_in.knows(group, kind) { None } else { self.found().find(group, kind) };
        self.catalog.find(group, kind).or_else(among)
    }

    fn found(&self) -> &Catalog {
        self.found.get_or_init(|| Catalog::among(&*self.manifests, &self.built_in, self.threads))
    }

    /// Returns warnings about types, definitions and old objects.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns notes on parts of declared types that are not validated.
    pub fn notes(&self) -> Vec<String> {
        self.types.as_ref().map(|types| types.kinds.notes()).unwrap_or_default()
    }

    /// Judges all documents of a batch.
    pub fn batch(&self, batch: Batch) -> FileReport {
        let Batch { file, line, content, last, is_rendered } = batch;
        match content {
            Ok(bytes) => {
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
    pub fn one(&self, object: &Object<'_, '_>, old: Option<&Value>) -> Resource {
        self.identified(Identity::of(&object.value), object, old)
    }

    fn identified(&self, identity: Identity, object: &Object<'_, '_>, old: Option<&Value>) -> Resource {
        let (status, rules, mut findings) = match self.choices.ruling(&identity) {
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
            (Rules::BuiltIn, definition::findings(object, old, &self.choices, &self.built_in))
        } else if let Some(found) = self.definition(identity.group(), &identity.kind) {
            if let Err(reason) = found.check_version(identity.version()) {
                return self.missing(object, &reason);
            }
            let version = identity.version();
            let resource = found.resource(&self.built_in);
            let known = Known { offline: self.built_in.offline(), resource, version, origin: Origin::Schema };
            (Rules::Definition, known.findings(object, old, &self.choices))
        } else if let Some(findings) =
            self.types.as_ref().and_then(|types| types.findings(identity, object, old, &self.choices))
        {
            (Rules::Types, findings)
        } else if let Some(findings) = self.built_in.findings(identity, object, old, &self.choices) {
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
        if let Some(served) = self.built_in.served_versions(group, kind) {
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
        let known = self.catalog.kinds(group).chain(self.found().kinds(group)).chain(self.built_in.names(group));
        let hint = nearest(kind, known).map(|near| format!("did you mean {near}? Otherwise ")).unwrap_or_default();
        let skip = format!("pass over it with --skip {kind} or --ignore-missing-schemas");
        format!("could not find schema for {kind}; {hint}{help}, or {skip}")
    }

    fn missing(&self, object: &Object<'_, '_>, reason: &str) -> Verdict {
        if self.choices.ignore_missing_schemas {
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
