//! Kinds that every cluster has, and definitions of custom resources, under some feature gates.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sprag_kinds::ServiceRanges;
use sprag_rest::{Definition, FeatureGates, Offline, Release, ResourceInfo};

use crate::finding::Origin;
use crate::known::Known;
use crate::report::Identity;

/// The kinds of Kubernetes. What is needed of them is made when it is first asked for.
pub struct BuiltIn {
    offline: Offline,
    /// The resources by group and kind.
    kinds: OnceLock<BTreeMap<(String, String), Arc<ResourceInfo>>>,
    /// The resource of definitions of custom resources.
    definitions: OnceLock<Arc<ResourceInfo>>,
}

impl Default for BuiltIn {
    fn default() -> Self {
        BuiltIn::new(FeatureGates::default())
    }
}

impl BuiltIn {
    /// The kinds as they are with these feature gates.
    pub fn new(gates: FeatureGates) -> BuiltIn {
        let offline = Offline::new(gates).without_managed_fields();
        BuiltIn { offline, kinds: OnceLock::new(), definitions: OnceLock::new() }
    }

    /// Validates objects of these kinds, and of custom resources.
    pub fn offline(&self) -> &Offline {
        &self.offline
    }

    /// The kinds for manifests that may be meant for any cluster.
    pub(crate) fn kinds(&self) -> Vec<Definition> {
        let mut kinds = sprag_kinds::definitions_with(self.offline.gates().release(), ServiceRanges::unknown());
        sprag_kinds::remove_disabled(&mut kinds, self.offline.gates());
        kinds
    }

    /// The resource of definitions.
    pub(crate) fn definitions(&self) -> &Arc<ResourceInfo> {
        let release = self.offline.gates().release();
        self.definitions.get_or_init(|| self.offline.resource(sprag_crd::definitions_of(release)))
    }

    fn resources(&self) -> &BTreeMap<(String, String), Arc<ResourceInfo>> {
        self.kinds.get_or_init(|| {
            let key = |kind: &Definition| (kind.group().to_owned(), kind.kind.clone());
            let definitions = self.definitions().clone();
            let mut kinds: BTreeMap<_, _> =
                self.kinds().into_iter().map(|kind| (key(&kind), self.offline.resource(kind))).collect();
            kinds.insert(key(&definitions.definition), definitions);
            kinds
        })
    }

    /// All groups and kinds.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.resources().keys().map(|(group, kind)| (group.as_str(), kind.as_str()))
    }

    /// True if there is such a kind.
    pub(crate) fn knows(&self, group: &str, kind: &str) -> bool {
        self.all().any(|known| known == (group, kind))
    }

    /// The API versions of a kind that are served.
    pub(crate) fn served(&self, group: &str, kind: &str) -> Vec<String> {
        let Some(resource) = self.resources().get(&(group.to_owned(), kind.to_owned())) else { return Vec::new() };
        let served = resource.definition.versions.iter().filter(|version| version.served);
        let full = |version: &str| if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        served.map(|version| full(version.name.as_str())).collect()
    }

    /// The release of Kubernetes whose kinds these are.
    pub fn release(&self) -> Release {
        self.offline.gates().release()
    }

    /// The resource of an object, if its kind is one of these.
    pub(crate) fn known<'a>(&'a self, identity: &'a Identity) -> Option<Known<'a>> {
        let resource = self.resources().get(&(identity.group().to_owned(), identity.kind.clone()))?;
        let version = identity.version();
        resource.definition.version(version).filter(|version| version.served)?;
        Some(Known { offline: &self.offline, resource, version, origin: Origin::Types })
    }
}
