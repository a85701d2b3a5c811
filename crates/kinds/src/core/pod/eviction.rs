//! `/eviction`: the deletion of a pod that pod disruption budgets may forbid.

use std::sync::Arc;

use sprag_field::{Error, Path};
use sprag_rest::{
    ApiError, CreateSubresource, Cx, DeleteOptions, GroupResource, GroupVersionKind, Release, Result, WriteOptions,
    meta,
};
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::conditions::set_condition;
use crate::policy::ask_budgets;
use crate::program;
use crate::views::policy_v1::Eviction;

const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// The subresource `eviction`.
pub(super) struct EvictionSubresource {
    shape: (Arc<Shapes>, TypeId),
}

impl EvictionSubresource {
    pub(super) fn new(release: Release) -> EvictionSubresource {
        EvictionSubresource { shape: program::resource(release, "policy", "v1", "Eviction").shape() }
    }
}

impl CreateSubresource for EvictionSubresource {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("policy", "v1", "Eviction")
    }

    fn takes(&self, kind: &GroupVersionKind) -> bool {
        *kind == GroupVersionKind::new("policy", "v1beta1", "Eviction")
    }

    fn shape(&self) -> Option<(&Shapes, TypeId)> {
        Some((&self.shape.0, self.shape.1))
    }

    fn check(&self, cx: &Cx<'_>, body: &Value) -> Result<()> {
        if meta::name(body) != cx.name {
            return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
        }
        if body.lookup(&["deleteOptions", IGNORE_READ_ERROR]).and_then(Value::as_bool) == Some(true) {
            let at = Path::new("deleteOptions");
            let detail = "can not be set for pod eviction, try after removing the option";
            let error = Error::invalid(&at.child(IGNORE_READ_ERROR), true, detail);
            return Err(ApiError::invalid("Eviction", "policy", cx.name, &[error]));
        }
        Ok(())
    }

    fn apply(&self, cx: &Cx<'_>, _: &Value, parent: &mut Value) -> Result<()> {
        let mut condition = Value::object();
        condition.insert("type", "DisruptionTarget");
        condition.insert("status", "True");
        condition.insert("reason", "EvictionByEvictionAPI");
        condition.insert("message", "Eviction API: evicting");
        let mut status = parent.remove("status").filter(|status| !status.is_null()).unwrap_or_else(Value::object);
        set_condition(&mut status, condition, cx.now);
        parent.insert("status", status);
        Ok(())
    }

    fn guards(&self) -> Option<GroupResource> {
        Some(GroupResource::new("policy", "poddisruptionbudgets"))
    }

    fn ask_guards(&self, cx: &Cx<'_>, parent: &Value, guards: Vec<Value>) -> Result<Option<Value>> {
        ask_budgets(parent, guards, cx.now, &cx.root())
    }

    fn deletes_parent(&self, _: &Cx<'_>, body: &Value, options: &WriteOptions) -> Result<Option<DeleteOptions>> {
        let eviction: Eviction<'_> = View::view(Some(body));
        let null = Value::Null;
        let sent = eviction.delete_options().map_or(&null, |options| options.as_value());
        let mut delete = delete_options(sent);
        // As upstream's propagateDryRun.
        if delete.dry_run.is_empty() {
            delete.dry_run.clone_from(&options.dry_run);
        } else if !options.dry_run.is_empty() && delete.dry_run != options.dry_run {
            let list = |texts: &[String]| format!("[{}]", texts.join(" "));
            return Err(ApiError::unknown(format!(
                "Non-matching dry-run options in request and content: {} and {}",
                list(&options.dry_run),
                list(&delete.dry_run)
            )));
        }
        Ok(Some(delete))
    }
}

fn delete_options(sent: &Value) -> DeleteOptions {
    let text = |path: &[&str]| sent.lookup(path).and_then(Value::as_str).map(str::to_owned);
    let dry_run: List<'_, &str> = View::view(sent.get("dryRun"));
    DeleteOptions {
        dry_run: dry_run.iter().map(str::to_owned).collect(),
        grace_period_seconds: View::view(sent.get("gracePeriodSeconds")),
        uid: text(&["preconditions", "uid"]),
        resource_version: text(&["preconditions", "resourceVersion"]),
        orphan_dependents: View::view(sent.get("orphanDependents")),
        propagation_policy: text(&["propagationPolicy"]),
        ignore_store_read_error: None,
    }
}
