//! Namespaces: what others ask of them, and the end of one with everything in it.

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sprag_rest::{
    ApiError, Cause, DeleteOptions, GroupResource, ListOptions, Propagation, Request, Result, User, WriteOptions, meta,
};
use sprag_value::{Object, Value};

use crate::registry::{Registry, Target};

/// Maximum number of namespaces that are emptied at the same time.
// As upstream's --concurrent-namespace-syncs.
const EMPTIED_AT_ONCE: usize = 10;
/// Namespaces that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

fn resource() -> GroupResource {
    GroupResource::new("", "namespaces")
}

impl Registry {
    /// Creates a namespace unless it exists.
    pub async fn ensure_namespace(&self, name: &str) -> Result<()> {
        let user = User::default();
        let request = Request { name: "", ..namespace_request(name, "", &user) };
        let body = meta::bare("v1", "Namespace", name);
        match self.create(&request, body, &WriteOptions::by("kube-apiserver")).await {
            Err(error) if !error.is_already_exists() => Err(error),
            _ => Ok(()),
        }
    }

    /// Empties the namespaces that are being deleted, and removes those that are empty. Returns how many are gone.
    /// Objects that are held back by finalizers hold back their namespace: call again later. One that cannot be emptied, for instance
    /// because a webhook does not answer, holds back no other; the error of the first is returned.
    pub async fn finish_namespaces(&self) -> Result<usize> {
        let user = &User { name: "system:serviceaccount:kube-system:namespace-controller".into(), ..User::default() };
        let terminating = ListOptions { field_selector: "status.phase=Terminating".into(), ..ListOptions::default() };
        let namespaces = self.list(&namespace_request("", "", user), &terminating).await?.items;
        let mut namespaces = namespaces.into_iter();
        let mut running = FuturesUnordered::new();
        let (mut finished, mut failed) = (0, None);
        loop {
            while running.len() < EMPTIED_AT_ONCE
                && let Some(namespace) = namespaces.next()
            {
                running.push(self.finish_namespace(namespace, user));
            }
            match running.next().await {
                Some(Ok(is_finished)) => finished += usize::from(is_finished),
                Some(Err(error)) => failed = failed.or(Some(error)),
                None => return failed.map_or(Ok(finished), Err),
            }
        }
    }

    /// Empties a namespace, and removes it if nothing is left; whether it is gone.
    async fn finish_namespace(&self, namespace: Value, user: &User) -> Result<bool> {
        let is_empty = self.empty_namespace(meta::name(&namespace), user).await?;
        if is_empty {
            self.finalize_namespace(namespace, user).await?;
        }
        Ok(is_empty)
    }

    /// Deletes what is in a namespace; whether nothing is left. Objects of one kind that cannot be deleted hold back none of others.
    async fn empty_namespace(&self, namespace: &str, user: &User) -> Result<bool> {
        let (mut empty, mut failed) = (true, None);
        for definition in self.definitions().into_iter().filter(|definition| definition.namespaced()) {
            let request = Request {
                group: definition.group(),
                version: &definition.storage_version,
                resource: &definition.resource.resource,
                namespace,
                name: "",
                subresource: "",
                user,
            };
            let options = DeleteOptions::propagation(Propagation::Background);
            if definition.version(&definition.storage_version).is_none_or(|version| !version.served) {
                continue;
            }
            if let Err(error) = self.delete_collection(&request, &options, &ListOptions::default()).await {
                failed = failed.or(Some(error));
            }
            empty &= self.count_all(&request).await? == 0;
        }
        failed.map_or(Ok(empty), Err)
    }

    /// The number of objects of a resource in a namespace.
    async fn count_all(&self, request: &Request<'_>) -> Result<usize> {
        let target = self.resolve(request)?;
        let Some(scope) = target.scope(request.namespace) else { return Ok(0) };
        self.0.store.count(&scope).await.map_err(|error| target.store_error(error, "list"))
    }

    async fn finalize_namespace(&self, mut namespace: Value, user: &User) -> Result<()> {
        let name = meta::name(&namespace).to_owned();
        if let Some(spec) = namespace.get_mut("spec") {
            spec.remove("finalizers");
        }
        let request = namespace_request(&name, "finalize", user);
        match self.update(&request, namespace, &WriteOptions::by("kube-controller-manager")).await {
            Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }
}

fn namespace_request<'a>(name: &'a str, subresource: &'a str, user: &'a User) -> Request<'a> {
    Request { group: "", version: "v1", resource: "namespaces", namespace: "", name, subresource, user }
}

/// Some namespaces cannot be deleted.
pub(crate) fn refuse_delete(request: &Request<'_>) -> Result<()> {
    if request.group.is_empty() && request.resource == "namespaces" && IMMORTAL.contains(&request.name) {
        return Err(ApiError::forbidden(&resource(), request.name, "this namespace may not be deleted"));
    }
    Ok(())
}

impl Target<'_> {
    /// Reads the labels of the namespace where rules depend on them. A namespace that is not there has none.
    pub(crate) async fn learn_namespace(&self) -> Result<()> {
        let definition = self.definition();
        if !definition.create.reads_namespace() || !definition.namespaced() {
            return Ok(());
        }
        let Some(namespaces) = self.registry.installed("", "namespaces") else { return Ok(()) };
        let Ok(key) = sprag_storage::Key::cluster("", "namespaces", self.write.request.namespace) else {
            return Ok(());
        };
        let found = self.registry.0.store.get(&key).await.map_err(|error| self.store_error(error, "get"))?;
        let labels = match found.entry {
            Some(entry) => namespaces.cache.get(&namespaces.definition, &entry)?.labels().clone(),
            None => Value::object(),
        };
        self.write.learn_namespace_labels(labels);
        Ok(())
    }

    /// New objects need a namespace that is there to stay, if there are namespaces at all. One that is missing may be created.
    pub(crate) async fn check_namespace(&self, name: &str, dry_run: bool) -> Result<()> {
        let definition = self.definition();
        if !definition.namespaced() {
            return Ok(());
        }
        let Some(namespaces) = self.registry.installed("", "namespaces") else { return Ok(()) };
        let namespace = self.write.request.namespace;
        let missing = || ApiError::not_found(&resource(), namespace);
        let key = sprag_storage::Key::cluster("", "namespaces", namespace).map_err(|_| missing())?;
        let found = self.registry.0.store.get(&key).await.map_err(|error| self.store_error(error, "get"))?;
        let Some(entry) = found.entry else {
            let is_provided = !dry_run && self.plugins().iter().any(|plugin| plugin.provisions_namespaces());
            return if is_provided { self.provide_namespace(name).await } else { Err(missing()) };
        };
        if !namespaces.cache.get(&namespaces.definition, &entry)?.deleting {
            return Ok(());
        }
        let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
        Err(ApiError::forbidden(&definition.resource, name, &why).with_cause(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        }))
    }

    /// Creates the namespace of the request.
    // As upstream's autoprovision.Provision.Admit.
    async fn provide_namespace(&self, name: &str) -> Result<()> {
        let user = User { name: "system:apiserver".into(), groups: vec!["system:masters".into()], ..User::default() };
        let group = "";
        let version = "v1";
        let resource = "namespaces";
        let request = Request { group, version, resource, namespace: "", name: "", subresource: "", user: &user };
        let types = [("apiVersion", Value::from("v1")), ("kind", Value::from("Namespace"))];
        let mut namespace = Value::Object(Object::from(types));
        namespace.insert("metadata", Object::from([("name", Value::from(self.write.request.namespace))]));
        let options = WriteOptions::by("kube-apiserver");
        match Box::pin(self.registry.create(&request, namespace, &options)).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_already_exists() => Ok(()),
            Err(error) => Err(ApiError::forbidden(&self.definition().resource, name, &error.to_string())),
        }
    }
}
