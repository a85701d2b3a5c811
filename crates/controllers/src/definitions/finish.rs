//! The end of a definition: first its objects go, then its finalizer, and it with that.

use std::borrow::Cow;

use sprag_rest::{Definition, DeleteOptions, GroupResource, ListOptions, Request, Result, meta};
use sprag_value::Value;

use super::{DefinitionController, has_cleanup_finalizer};
use sprag_crd::CLEANUP_FINALIZER;
use sprag_crd::condition::{self, Condition};

const IN_PROGRESS: Condition = Condition {
    ty: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: Cow::Borrowed("CustomResource deletion is in progress"),
};
const COMPLETED: Condition = Condition {
    status: "False",
    reason: "InstanceDeletionCompleted",
    message: Cow::Borrowed("removed all instances"),
    ..IN_PROGRESS
};
const NEVER_ESTABLISHED: Condition = Condition {
    status: "False",
    reason: "NeverEstablished",
    message: Cow::Borrowed("resource was never established"),
    ..IN_PROGRESS
};
const BUILT_IN: Condition = Condition {
    status: "False",
    reason: "OverlappingBuiltInResource",
    message: Cow::Borrowed("instances overlap with built-in resources in storage"),
    ..IN_PROGRESS
};

impl DefinitionController {
    /// Continues the deletion of a definition, if it is being deleted; returns whether it is complete.
    pub(super) async fn finish(&self, name: &str) -> Result<bool> {
        let definition = self.known().get(name).map(|known| known.definition.clone());
        let is_ending = |definition: &Value| meta::is_deleting(definition) && has_cleanup_finalizer(definition);
        let Some(mut definition) = definition.filter(is_ending) else { return Ok(false) };
        if !IN_PROGRESS.holds(&definition) {
            condition::set(&mut definition, &IN_PROGRESS, self.registry.now());
            match self.update_status(definition).await? {
                Some(updated) => definition = updated,
                None => return Ok(true),
            }
        }
        let outcome = match self.served(name) {
            _ if !condition::is_true(&definition, "Established") => NEVER_ESTABLISHED,
            None => BUILT_IN,
            Some(resource) if self.delete_instances(&resource).await? => COMPLETED,
            Some(_) => return Ok(false),
        };
        condition::set(&mut definition, &outcome, self.registry.now());
        let others = meta::finalizers(&definition).filter(|finalizer| *finalizer != CLEANUP_FINALIZER);
        let others: Vec<String> = others.map(str::to_owned).collect();
        meta::set(&mut definition, "finalizers", others);
        self.update_status(definition).await?;
        Ok(true)
    }

    /// The resource that is served for a definition.
    fn served(&self, name: &str) -> Option<GroupResource> {
        self.known().get(name)?.served.as_ref().map(|served| served.resource.clone())
    }

    /// Deletes all objects of a resource; tells whether none is left.
    async fn delete_instances(&self, resource: &GroupResource) -> Result<bool> {
        let Some(installed) = self.registry.definition(resource) else { return Ok(true) };
        let version = match installed.versions.iter().find(|version| version.served) {
            Some(version) => version.name.clone(),
            None => self.serve_stored_version(&installed),
        };
        let request = Request {
            group: installed.group(),
            version: &version,
            resource: &installed.resource.resource,
            ..self.request("", "")
        };
        let all = ListOptions::default();
        for object in self.registry.list(&request, &all).await?.items {
            let request = Request { namespace: meta::namespace(&object), name: meta::name(&object), ..request };
            match self.registry.delete(&request, &DeleteOptions::default()).await {
                Err(error) if !matches!(error.code(), 404 | 409) => return Err(error),
                _ => {}
            }
        }
        Ok(self.registry.list(&request, &ListOptions { limit: 1, ..all }).await?.items.is_empty())
    }

    /// Objects of which no version is served any more can only go by the one they are stored in.
    fn serve_stored_version(&self, definition: &Definition) -> String {
        let mut definition = definition.clone();
        let stored = definition.storage_version.clone();
        for version in definition.versions.iter_mut().filter(|version| version.name == stored) {
            version.served = true;
        }
        self.registry.install(definition);
        stored
    }
}
