//! Subresources: which one a request means, and those with bodies of their own.

use sprag_field::Errors;
use sprag_patch::apply::ScaleFields;
use sprag_value::Value;

use super::Update;
use crate::definition::Version;
use crate::error::{ApiError, Details, Result, success};
use crate::managed::scale_resource;
use crate::meta;
use crate::names::GroupVersionKind;
use crate::options::WriteOptions;
use crate::registry::{Answer, Target};
use crate::scale::{self, ScalePaths};
use crate::subresource::{Subresource, SubresourceKind};

impl Target<'_> {
    /// The subresource of the request; none for the object itself.
    pub(crate) fn subresource(&self) -> Result<Option<&Subresource>> {
        let name = self.request.subresource;
        if name.is_empty() {
            return Ok(None);
        }
        // Upstream claims that the object itself is missing.
        let found = self.version().and_then(|version| version.subresource(name));
        found.map(Some).ok_or_else(|| ApiError::not_found(&self.definition().resource, self.request.name))
    }

    /// Creates what a subresource creates, or checks the options of a connection.
    pub(crate) async fn create_below(&self, body: Value, options: &WriteOptions) -> Result<Answer> {
        let definition = self.definition();
        let mut errors = Errors::new();
        match self.subresource()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Options(options)) => {
                self.registry.guarded(|| options.validate(&self.cx(), &body, &mut errors))?;
                refuse(&options.gvk(), &body, errors)?;
                Ok(Answer { object: body, warnings: Vec::new(), created: false, line: None })
            }
            Some(SubresourceKind::Create(sub)) => {
                self.registry.guarded(|| sub.validate(&self.cx(), &body, &mut errors))?;
                refuse(&sub.gvk(), &body, errors)?;
                let change = |old: Option<&Value>, _: &mut Vec<String>| {
                    let mut parent = old.cloned().unwrap_or_default();
                    self.registry.guarded(|| sub.apply(&self.cx(), &body, &mut parent))??;
                    Ok(self.owned(old, parent, options))
                };
                let answer = self.update(&self.below(&change, meta::uid(&body), options)).await?;
                Ok(Answer { object: success(&Details::default()), created: true, line: None, ..answer })
            }
            _ => Err(ApiError::method_not_supported(&definition.resource, "create")),
        }
    }

    /// Writes the number of replicas that a `Scale` wants.
    pub(crate) async fn update_scale(&self, paths: &ScalePaths, body: Value, options: &WriteOptions) -> Result<Answer> {
        let mut body = body;
        meta::match_namespace(&mut body, self.namespace())?;
        self.check_name(&body)?;
        let change = |scale: &Value, _: &mut Vec<String>| {
            Ok(scale_resource().update(Some(scale), body.clone(), &options.field_manager, self.now))
        };
        self.change_scale(paths, &change, meta::uid(&body), options).await
    }

    /// Changes the `Scale` of an object, and the object with it. What `change` returns says who owns its fields.
    pub(crate) async fn change_scale(
        &self,
        paths: &ScalePaths,
        change: &(dyn Fn(&Value, &mut Vec<String>) -> Result<Value> + Send + Sync),
        uid: &str,
        options: &WriteOptions,
    ) -> Result<Answer> {
        let change = |old: Option<&Value>, warnings: &mut Vec<String>| {
            let parent = old.ok_or_else(|| ApiError::not_found(&self.definition().resource, self.request.name))?;
            let (mut scale, is_set) = scale::read(parent, paths)?;
            if !is_set {
                scale::mark_unset(&mut scale);
            }
            let replicas = self.replica_paths();
            let replicas = replicas.iter().map(|(version, path)| (version.as_str(), path.as_deref())).collect();
            let fields = ScaleFields { api_version: self.api_version(), replicas: &replicas };
            meta::set_managers(&mut scale, fields.to_scale(parent).map_err(ApiError::internal)?);
            let new = change(&scale, warnings)?;
            scale::refuse_unset(&new, paths)?;
            if paths.checked {
                scale::validate(&new)?;
            }
            let mut changed = parent.clone();
            scale::write(&mut changed, paths, scale::replicas(&new))?;
            // A `Scale` without a resource version takes the object as it is.
            if !meta::text(&new, "resourceVersion").is_empty() {
                meta::copy(&mut changed, &new, "resourceVersion");
            }
            meta::set_managers(&mut changed, fields.to_parent(parent, &new).map_err(ApiError::internal)?);
            Ok(changed)
        };
        let mut answer = self.update(&self.below(&change, uid, options)).await?;
        answer.object = scale::read(&answer.object, paths)?.0;
        answer.line = None;
        Ok(answer)
    }

    /// Where each version of the resource has its replicas.
    fn replica_paths(&self) -> Vec<(String, Option<Vec<&str>>)> {
        let definition = self.definition();
        let path = |version: &Version| (definition.api_version(&version.name), None);
        let mut paths: Vec<_> = definition.versions.iter().map(path).collect();
        for (version, (_, path)) in definition.versions.iter().zip(&mut paths) {
            *path = version.subresources.iter().find_map(|subresource| match &subresource.kind {
                SubresourceKind::Scale(paths) => Some(scale::parts(&paths.spec_replicas).collect()),
                _ => None,
            });
        }
        paths
    }

    fn below<'c>(
        &'c self,
        change: &'c super::update::Change<'c>,
        uid: &'c str,
        options: &'c WriteOptions,
    ) -> Update<'c> {
        Update {
            strategy: &*self.definition().update,
            change,
            is_read: false,
            uid,
            create: false,
            unconditional: true,
            options,
        }
    }
}

fn refuse(gvk: &GroupVersionKind, body: &Value, errors: Errors) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(&gvk.kind, &gvk.group, meta::name(body), &errors.into_vec()))
}
