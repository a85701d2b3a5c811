//! Objects that have a say in what is created below another: pod disruption budgets in evictions.

use sprag_rest::{ApiError, Details, ListOptions, Request, Result, SubresourceKind, User, WriteOptions, meta};

use crate::registry::Target;

/// Maximum retries of guards after a conflict.
// As upstream's storage.EvictionsRetry.
const MAX_CONFLICTS: usize = 20;

/// The field manager of writes to guards.
const MANAGER: &str = "kube-apiserver";

impl Target<'_> {
    /// Asks the guards of a subresource, and stores what becomes of them unless nothing is to be stored.
    pub(crate) async fn ask_guards(&self, options: &WriteOptions) -> Result<()> {
        let Some(SubresourceKind::Create(sub)) = self.write.subresource()?.map(|subresource| &subresource.kind) else {
            return Ok(());
        };
        let Some(guards) = sub.guards().filter(|guards| self.registry.definition(guards).is_some()) else {
            return Ok(());
        };
        let user = User { name: "system:apiserver".into(), ..User::default() };
        let mut name = String::new();
        for _ in 0..MAX_CONFLICTS {
            let parent = self.registry.get(&Request { subresource: "", ..*self.write.request }, "").await?;
            let listed = Request {
                group: &guards.group,
                version: "v1",
                resource: &guards.resource,
                namespace: meta::namespace(&parent),
                name: "",
                subresource: "",
                user: &user,
            };
            let items = self.registry.list(&listed, &ListOptions::default()).await?.items;
            let asked = self.write.guarded(|| sub.ask_guards(&self.write.cx(), &parent, items))??;
            let Some(guard) = asked.filter(|_| !options.is_dry_run()) else { return Ok(()) };
            name = meta::name(&guard).to_owned();
            let status = Request { name: &name, subresource: "status", ..listed };
            match self.registry.update(&status, guard, &WriteOptions::by(MANAGER)).await {
                Err(error) if error.is_conflict() => {}
                written => return written.map(drop),
            }
        }
        // As upstream's EvictionREST.Create.
        let message = format!("Timeout: couldn't update PodDisruptionBudget \"{name}\" due to conflicts");
        let details = Details { retry_after_seconds: 10, ..Details::default() };
        Err(ApiError::new(504, "Timeout", message, Some(details)))
    }
}
