//! From a document, and the object it replaces, to findings.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use sprag_rest::Definition as ResourceDefinition;
use sprag_value::Value;

use crate::batch::Batch;
use crate::built_in::BuiltIn;
use crate::catalog::{Catalog, Definition, Take};
use crate::choices::{Choices, Ruling};
use crate::definition;
use crate::document::{Document, Documents, Object};
use crate::files::SchemaLocation;
use crate::finding::{Finding, Origin, Severity};
use crate::groups::{self, Missing};
use crate::merge::merge;
use crate::old::OldObjects;
use crate::policies::Policies;
use crate::report::{FileReport, Identity, Resource, Rules, Status};
use crate::schemas::Schemas;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::source::Source;
use crate::standing::{Passed, Standing};
use crate::types::Types;

/// The rules that apply to an object, and the findings.
type Verdict = (Rules, Vec<Finding>);

/// Fills in what is found about an object.
type Judge = fn(&Analysis, &mut Resource, &Object<'_, '_>, Option<&Value>, Standing);

/// Verdicts on the objects of a snapshot.
///
/// It is set up once and asked from many threads. Definitions of custom resources are compiled when their first object comes.
pub struct Analysis {
    /// What is asked of each release, the newest first.
    pub(crate) releases: Vec<Asked>,
    /// The definitions that were given.
    catalog: Catalog,
    manifests: Arc<dyn Source>,
    /// The definitions among the manifests, which are looked for when the first object comes that needs one.
    found: OnceLock<Catalog>,
    types: Option<Arc<Types>>,
    /// JSON schemas, for kinds that nothing else defines.
    schemas: Schemas,
    old: OldObjects,
    pub(crate) choices: Choices,
    threads: usize,
    warnings: Vec<String>,
}

/// A release of Kubernetes that is asked for its verdict.
pub(crate) struct Asked {
    pub(crate) built_in: Arc<BuiltIn>,
    /// The admission policies, if there are any.
    policies: Option<Policies>,
}

/// The surroundings of a batch that changes while it is looked at.
pub struct Batched<'a> {
    /// Finds the object that one replaces.
    pub old: &'a dyn Fn(&Identity) -> Option<Value>,
    /// True once nobody wants the rest any more.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl Analysis {
    /// Reads all but the manifests. An error says which definitions or policies cannot be used.
    pub fn new(snapshot: Snapshot) -> Result<Analysis, SnapshotError> {
        let Snapshot { built_in, further, definitions, threads, choices, .. } = &snapshot;
        let mut warnings = Vec::new();
        let catalog = Catalog::read(&**definitions, Take::Accepted, built_in, *threads, &mut warnings)?;
        if !definitions.is_empty() && catalog.is_empty() && !choices.allow_empty {
            return Err(SnapshotError::NoDefinitions);
        }
        for release in further {
            Catalog::read(&**definitions, Take::Accepted, release, *threads, &mut Vec::new())?;
        }
        Analysis::set_up(snapshot, catalog, OnceLock::new(), warnings)
    }

    /// The same with definitions that were read before: those that are given, and those among the manifests.
    pub fn with_catalogs(snapshot: Snapshot, given: Catalog, among: Catalog) -> Result<Analysis, SnapshotError> {
        Analysis::set_up(snapshot, given, OnceLock::from(among), Vec::new())
    }

    fn set_up(
        snapshot: Snapshot,
        catalog: Catalog,
        found: OnceLock<Catalog>,
        of_definitions: Vec<String>,
    ) -> Result<Analysis, SnapshotError> {
        let Snapshot { built_in, further, types, old, manifests, policies, policy_engine, choices, threads, .. } =
            snapshot;
        let of_types = types.iter().flat_map(|types| &types.warnings);
        let mut warnings: Vec<String> = of_types.map(|warning| format!("types: {warning}")).collect();
        warnings.extend(of_definitions);
        let old = OldObjects::read(&*old, threads, &mut warnings);
        let mut releases: Vec<Asked> =
            further.into_iter().chain([built_in]).map(|built_in| Asked { built_in, policies: None }).collect();
        releases.sort_by_key(|asked| Reverse(asked.built_in.release()));
        let schemas = Schemas::default();
        let mut analysis =
            Analysis { releases, catalog, manifests, found, types, schemas, old, choices, threads, warnings };
        if !policies.is_empty() {
            let engine = policy_engine.ok_or(SnapshotError::NoPolicyEngine)?;
            let of = |asked: &Asked| {
                let kinds = analysis.all_kinds(&asked.built_in);
                Policies::read(&*policies, &*analysis.manifests, kinds, engine).map(Some)
            };
            let all = analysis.releases.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            for (asked, policies) in analysis.releases.iter_mut().zip(all) {
                asked.policies = policies;
            }
        }
        Ok(analysis)
    }

    /// Judges kinds that nothing else defines by the JSON schemas in these places, the first that has one.
    #[must_use]
    pub fn with_schemas(self, locations: Vec<SchemaLocation>) -> Analysis {
        Analysis { schemas: Schemas::new(locations), ..self }
    }

    /// The built-in kinds, and those that definitions define.
    fn all_kinds(&self, built_in: &BuiltIn) -> Vec<ResourceDefinition> {
        let custom = self.catalog.all().chain(self.found().all());
        let custom = custom.map(|found| (*found.resource(built_in).definition).clone());
        let mut kinds = built_in.kinds();
        kinds.extend(custom);
        kinds
    }

    /// The definition of an object's kind: one that was given, or else one among the manifests. Those cannot define built-in kinds,
    /// which the API server has before all others.
    pub fn definition(&self, identity: &Identity) -> Option<&Definition> {
        self.definition_of(identity, self.built_in())
    }

    /// The same beside the built-in kinds of a release.
    pub(crate) fn definition_of(&self, identity: &Identity, built_in: &BuiltIn) -> Option<&Definition> {
        let group = identity.group();
        if built_in.knows(group, &identity.kind) {
            return self.catalog.find(group, &identity.kind);
        }
        self.catalog.owner(self.found(), identity, built_in)
    }

    fn found(&self) -> &Catalog {
        self.found.get_or_init(|| Catalog::among(&*self.manifests, &self.releases[0].built_in, self.threads))
    }

    /// The built-in kinds, of the newest release that is asked.
    pub fn built_in(&self) -> &BuiltIn {
        &self.releases[0].built_in
    }

    /// The types that are declared in Go or Rust.
    pub fn types(&self) -> Option<&Types> {
        self.types.as_deref()
    }

    /// All kinds that are served, each with its API versions: those of Kubernetes, of definitions and of declared types.
    pub fn kinds(&self) -> Vec<(String, String)> {
        let mut kinds = Vec::new();
        let built_in = self.built_in();
        for (group, kind) in built_in.all() {
            kinds.extend(built_in.served(group, kind).into_iter().map(|version| (version, kind.to_owned())));
        }
        for definition in self.definitions() {
            let crd = definition.crd();
            let served = crd.versions.iter().filter(|version| version.served);
            let named = |version: &str| (format!("{}/{version}", crd.group), crd.names.kind.to_string());
            kinds.extend(served.map(|version| named(version.name.as_str())));
        }
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// The definitions of custom resources, given ones first.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.catalog.all().chain(self.found().all())
    }

    /// Returns warnings about types, definitions and old objects.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns notes on parts of declared types that are not validated.
    pub fn notes(&self) -> Vec<String> {
        let types = self.types.as_ref().map(|types| types.kinds.notes()).unwrap_or_default();
        let doubled = self.found.get().into_iter().flat_map(Catalog::notes);
        types.into_iter().chain(doubled).collect()
    }

    /// Judges all documents of a batch.
    pub fn batch(&self, batch: Batch) -> FileReport {
        self.batch_by(batch, Analysis::judge)
    }

    /// Reports what an upgrade from the oldest release that is asked to the newest means for the objects of a batch.
    pub fn upgrade(&self, batch: Batch) -> FileReport {
        self.batch_by(batch, Analysis::compare)
    }

    fn batch_by(&self, batch: Batch, judge: Judge) -> FileReport {
        let old = |identity: &Identity| self.old.find(identity).cloned();
        self.each(batch, judge, &Batched { old: &old, is_stopped: &|| false })
    }

    /// Judges the documents of a batch, as updates of what a caller finds and until it wants no more.
    pub fn batch_over(&self, batch: Batch, given: &Batched<'_>) -> FileReport {
        self.each(batch, Analysis::judge, given)
    }

    fn each(&self, batch: Batch, judge: Judge, given: &Batched<'_>) -> FileReport {
        let Batch { file, line, content, last, is_rendered, standing } = batch;
        let mut report = FileReport { resources: Vec::new(), file, last, unreadable: false, passed: Vec::new() };
        match content {
            Ok(bytes) => {
                if let Standing::Passed(passed) = standing {
                    report.passed.push(passed);
                }
                for document in Documents::new(&bytes, line).take_while(|_| !(given.is_stopped)()) {
                    if let Some(passed) = document.passed().filter(|_| standing == Standing::Found) {
                        report.passed.push(passed);
                        continue;
                    }
                    let source = document.helm_source().filter(|_| is_rendered);
                    let judged = self.document(&document, standing, judge, given);
                    report
                        .resources
                        .extend(judged.into_iter().map(|resource| Resource { source: source.clone(), ..resource }));
                }
            }
            Err(reason) => {
                report.resources.push(Resource::unreadable(reason));
                report.unreadable = true;
            }
        }
        report
    }

    /// A document is one object, a list of them, or nothing.
    fn document(
        &self,
        document: &Document<'_>,
        standing: Standing,
        judge: Judge,
        given: &Batched<'_>,
    ) -> Vec<Resource> {
        match document.objects() {
            Ok(objects) => {
                let mut judged = Vec::new();
                for object in objects {
                    if (given.is_stopped)() {
                        break;
                    }
                    judged.push(self.object(&object.without(&self.choices.skipped_paths), standing, judge, given));
                }
                judged
            }
            Err(finding) => vec![Resource::undecodable(*finding)],
        }
    }

    fn object(&self, object: &Object<'_, '_>, standing: Standing, judge: Judge, given: &Batched<'_>) -> Resource {
        let identity = Identity::of(&object.value);
        let old = (given.old)(&identity);
        self.identified(identity, object, old.as_ref(), standing, judge)
    }

    /// Judges one object, as an update if there is an old one.
    pub fn one(&self, object: &Object<'_, '_>, old: Option<&Value>) -> Resource {
        self.identified(Identity::of(&object.value), object, old, Standing::Named, Analysis::judge)
    }

    fn identified(
        &self,
        identity: Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        standing: Standing,
        judge: Judge,
    ) -> Resource {
        let mut resource = Resource { identity, ..Resource::default() };
        match self.choices.ruling(&resource.identity) {
            Ruling::Skip => resource.status = Status::Skipped,
            Ruling::Reject => {
                resource.status = Status::Error;
                resource.findings.push(prohibited(&resource.identity, object));
            }
            Ruling::Judge => judge(self, &mut resource, object, old, standing),
        }
        resource.findings.sort_by_key(|finding| finding.severity);
        resource
    }

    /// Judges an object by all releases that are asked.
    fn judge(&self, resource: &mut Resource, object: &Object<'_, '_>, old: Option<&Value>, standing: Standing) {
        let verdict = |asked: &Asked| {
            let mut verdict = Resource { identity: resource.identity.clone(), ..Resource::default() };
            self.judge_by(asked, &mut verdict, object, old, standing);
            (asked.built_in.release(), verdict)
        };
        *resource = match self.releases.as_slice() {
            [only] => verdict(only).1,
            several => merge(several.iter().map(verdict).collect()),
        };
    }

    /// Judges an object by the first schema that is there for its kind.
    pub(crate) fn judge_by(
        &self,
        asked: &Asked,
        resource: &mut Resource,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        standing: Standing,
    ) {
        match self.known(asked, &resource.identity, object, old) {
            Ok((rules, mut findings)) => {
                findings.retain(|finding| !object.hides(finding));
                let is_invalid = has_errors(&findings);
                resource.status = if is_invalid { Status::Invalid } else { Status::Valid };
                resource.rules = Some(rules);
                resource.findings = findings;
            }
            Err(Missing::NotServed(reason)) => {
                resource.status = Status::Error;
                let finding = Finding::new(Severity::Error, Origin::Lookup, reason);
                resource.findings.push(finding.at(object.place("kind")));
            }
            Err(Missing::Passed(passed)) => {
                resource.passed = Some(passed);
                let is_error = match passed {
                    Passed::Unknown | Passed::Answered => self.choices.require_schemas,
                    _ => standing == Standing::Named,
                };
                resource.status = if is_error { Status::Error } else { Status::Skipped };
                if is_error {
                    let finding =
                        Finding::new(Severity::Error, Origin::Lookup, groups::why(passed, &resource.identity));
                    resource.findings.push(finding.at(object.place("kind")));
                }
            }
        }
    }

    /// The error for a kind that differs by one letter from one that is defined for its group.
    fn slip(&self, identity: &Identity) -> Option<Missing> {
        let kinds = self.catalog.kinds(identity.group()).chain(self.found().kinds(identity.group()));
        let near = groups::slip(&identity.kind, kinds)?;
        let text = if near == identity.kind {
            format!("could not find schema for {near}: the API server would reject its definition")
        } else {
            format!("could not find schema for {}; did you mean {near}?", identity.kind)
        };
        Some(Missing::NotServed(text))
    }

    /// Judges an object by the JSON schema of its kind, or says why there is none. Those of Kubernetes have their own rules.
    fn by_schema(
        &self,
        built_in: &BuiltIn,
        identity: &Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
    ) -> Result<Vec<Finding>, Missing> {
        let missing = groups::missing(identity, built_in);
        if missing != Missing::Passed(Passed::Unknown) {
            return Err(missing);
        }
        let Some(found) = self.schemas.find(identity, built_in).map_err(Missing::NotServed)? else {
            return Err(self.slip(identity).unwrap_or(missing));
        };
        Ok(found.known_as(identity.version(), built_in).findings(object, old, &self.choices))
    }

    fn known(
        &self,
        asked: &Asked,
        identity: &Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
    ) -> Result<Verdict, Missing> {
        let built_in = &*asked.built_in;
        let (rules, mut findings) = if definition::is_definition(identity) {
            if !definition::is_served(identity) {
                return Err(groups::missing(identity, built_in));
            }
            let found = self.found.get().and_then(|found| found.same(&object.value));
            (Rules::BuiltIn, definition::findings(object, old, &self.choices, built_in, found))
        } else if let Some(found) = self.definition_of(identity, built_in) {
            let known = found.known(identity, built_in).map_err(Missing::NotServed)?;
            (Rules::Definition, known.findings(object, old, &self.choices))
        } else if let Some(findings) =
            self.types.as_ref().and_then(|types| types.findings(identity, object, old, &self.choices))
        {
            (Rules::Types, findings)
        } else if let Some(known) = built_in.known(identity) {
            (Rules::BuiltIn, known.findings(object, old, &self.choices))
        } else {
            (Rules::Schema, self.by_schema(built_in, identity, object, old)?)
        };
        // Policies see valid objects only.
        if let Some(policies) = asked.policies.as_ref().filter(|_| !has_errors(&findings)) {
            findings.extend(policies.findings(object, old));
        }
        Ok((rules, findings))
    }
}

fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

fn prohibited(identity: &Identity, object: &Object<'_, '_>) -> Finding {
    let message = format!("prohibited resource kind {}", identity.kind);
    Finding::new(Severity::Error, Origin::Lookup, message).at(object.place("kind"))
}
