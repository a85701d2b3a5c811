//! Running all plug-ins on a request, one after the other.

use std::sync::Arc;

use sprag_rest::{
    DeleteOptions, Input, Judged, Old, Read, Result, ScalePaths, SubresourceKind, Write, WriteOptions, meta, read_scale,
};
use sprag_value::Value;

use super::{AdmissionPlugin, Attributes, Mutation, Operation, Reinvocation};
use crate::registry::Target;

impl Target<'_> {
    pub(crate) fn plugins(&self) -> &[Arc<dyn AdmissionPlugin>] {
        &self.registry.0.admission
    }

    /// Lets mutating plug-ins change an object.
    pub(crate) async fn mutate(&self, read: Read, old: Option<&Old>, input: &Input<'_>) -> Result<Read> {
        if self.plugins().is_empty() || self.creates_below()? {
            return Ok(read);
        }
        let reinvocation = Reinvocation::default();
        let old = old.map(|old| &old.requested);
        let attributes = Attributes {
            version: self.write.request.version,
            name: self.admission_name(input),
            is_patch: input.is_patch(),
            ..self.attributes(write(old, input.options()), old, &reinvocation)
        };
        let mut written = Written { write: &self.write, read, old, fields: None };
        let mut warnings = Vec::new();
        let outcome = self.run_mutating(&mut written, attributes, &mut warnings).await;
        let Written { mut read, fields, .. } = written;
        read.warnings.append(&mut warnings);
        if let (Ok(()), Some(fields)) = (&outcome, fields) {
            self.write.check_mutated_fields(fields, &mut read);
        }
        match outcome {
            Ok(()) => Ok(read),
            Err(error) => Err(error.with_warnings(read.warnings)),
        }
    }

    /// Lets mutating plug-ins change what is posted below an object, which is never stored itself.
    // As upstream's handlers.createHandler and the `Create` of subresources.
    pub(crate) async fn mutate_below(
        &self,
        body: &Value,
        options: &WriteOptions,
    ) -> Result<(Option<Value>, Vec<String>)> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Create(options), None, &reinvocation);
        let attributes = Attributes { version: self.write.request.version, ..attributes };
        let mut posted = Posted { body, changed: None };
        let mut warnings = Vec::new();
        match self.run_mutating(&mut posted, attributes, &mut warnings).await {
            Ok(()) => Ok((posted.changed, warnings)),
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// Lets mutating plug-ins change something, one after the other, and once more if one of them asks for it.
    // As upstream's admission.reinvoker.Admit.
    async fn run_mutating(
        &self,
        subject: &mut impl Mutable,
        attributes: Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        loop {
            for plugin in self.plugins() {
                let (object, old) = subject.shown();
                let attributes = Attributes { object: Some(object), old, ..attributes };
                if !plugin.mutates() || !plugin.handles(&attributes) {
                    continue;
                }
                let Mutation { object, warnings: more } = plugin.mutate(attributes).await?;
                if let Some(object) = object {
                    subject.take(object, plugin.keeps_form())?;
                }
                warnings.extend(more);
            }
            subject.finish()?;
            if !attributes.reinvocation.take_request() {
                return Ok(());
            }
        }
    }

    /// Asks validating plug-ins about what is posted below an object.
    pub(crate) async fn admit_below(&self, body: &Value, options: &WriteOptions) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Create(options), None, &reinvocation);
        self.validate(Attributes { version: self.write.request.version, object: Some(body), ..attributes }).await
    }

    /// Asks all plug-ins about a connection with these options.
    // As upstream's handlers.ConnectResource.
    pub(crate) async fn admit_connect(&self, options: &Value) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Connect, None, &reinvocation);
        self.admit_unchanged(Attributes { version: self.write.request.version, object: Some(options), ..attributes })
            .await
    }

    /// Reports whether the request posts something below an object, about which plug-ins are asked in place of the
    /// object.
    fn creates_below(&self) -> Result<bool> {
        let subresource = self.write.subresource()?.map(|subresource| &subresource.kind);
        Ok(matches!(subresource, Some(SubresourceKind::Create(_))))
    }

    /// Asks validating plug-ins about an object that is valid.
    pub(crate) async fn admit(&self, mut judged: Judged, old: Option<&Old>, input: &Input<'_>) -> Result<Judged> {
        if self.plugins().is_empty() || self.creates_below()? {
            return Ok(judged);
        }
        if let Some(SubresourceKind::Scale(paths)) = self.write.subresource()?.map(|subresource| &subresource.kind) {
            judged.warnings.extend(self.admit_scale(paths, &judged.object, old, input).await?);
            return Ok(judged);
        }
        match self.ask_plugins(&judged.object, old.map(|old| &old.hub), input).await {
            Ok(warnings) => judged.warnings.extend(warnings),
            Err(error) => return Err(error.with_warnings(judged.warnings)),
        }
        Ok(judged)
    }

    /// Asks validating plug-ins about the `Scale` of an object that is valid.
    // As upstream's toScaleUpdateValidation.
    async fn admit_scale(
        &self,
        paths: &ScalePaths,
        object: &Value,
        old: Option<&Old>,
        input: &Input<'_>,
    ) -> Result<Vec<String>> {
        let version = self.write.request.version;
        let object = self.definition().convert(object.clone(), self.write.hub(), version)?;
        let new = read_scale(&object, paths)?.0;
        let old = old.map(|old| read_scale(&old.requested, paths)).transpose()?.map(|(scale, _)| scale);
        let reinvocation = Reinvocation::default();
        let operation = write(old.as_ref(), input.options());
        let attributes =
            Attributes { version, object: Some(&new), ..self.attributes(operation, old.as_ref(), &reinvocation) };
        self.validate(attributes).await
    }

    /// The warnings of validating plug-ins about an object.
    pub(crate) async fn ask_plugins(
        &self,
        object: &Value,
        old: Option<&Value>,
        input: &Input<'_>,
    ) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(write(old, input.options()), old, &reinvocation);
        // As upstream's rest.AdmissionToValidateObjectFunc: names are generated by now.
        let name = Some(self.admission_name(input)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| meta::name(object));
        self.validate(Attributes { name, is_patch: input.is_patch(), object: Some(object), ..attributes }).await
    }

    /// The name by which plug-ins know the object of a write: that of the request, or that in the body of a create.
    // As upstream's handlers.createHandler, before names are generated.
    fn admission_name<'a>(&'a self, input: &'a Input<'_>) -> &'a str {
        match self.write.request.name {
            "" => input.name(),
            name => name,
        }
    }

    /// Asks all plug-ins about an object that is to be deleted, in the version of the hub; returns their warnings.
    // As upstream's rest.AdmissionToValidateObjectDeleteFunc.
    pub(crate) async fn admit_delete(
        &self,
        object: &Value,
        options: &DeleteOptions,
        name: &str,
    ) -> Result<Vec<String>> {
        let reinvocation = Reinvocation::default();
        let attributes = self.attributes(Operation::Delete(options), Some(object), &reinvocation);
        let attributes = Attributes { name, ..attributes };
        self.admit_unchanged(attributes).await
    }

    /// Asks all plug-ins, none of which can change anything.
    async fn admit_unchanged(&self, attributes: Attributes<'_>) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for plugin in self.plugins().iter().filter(|plugin| plugin.mutates() && plugin.handles(&attributes)) {
            match plugin.mutate(attributes).await {
                Ok(mutation) => warnings.extend(mutation.warnings),
                Err(error) => return Err(error.with_warnings(warnings)),
            }
        }
        match self.validate(attributes).await {
            Ok(more) => warnings.extend(more),
            Err(error) => return Err(error.with_warnings(warnings)),
        }
        Ok(warnings)
    }

    async fn validate(&self, attributes: Attributes<'_>) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for plugin in self.plugins().iter().filter(|plugin| plugin.validates() && plugin.handles(&attributes)) {
            match plugin.validate(attributes).await {
                Ok(more) => warnings.extend(more),
                Err(error) => return Err(error.with_warnings(warnings)),
            }
        }
        Ok(warnings)
    }

    /// Returns the attributes that plug-ins see of the request, without its new object, in the version of the hub.
    fn attributes<'a>(
        &'a self,
        operation: Operation<'a>,
        old: Option<&'a Value>,
        reinvocation: &'a Reinvocation,
    ) -> Attributes<'a> {
        Attributes {
            registry: self.registry,
            definition: self.definition(),
            request: self.write.request,
            operation,
            is_patch: false,
            now: self.write.context.now,
            version: self.write.hub(),
            name: self.write.request.name,
            object: None,
            old,
            reinvocation,
            write: &self.write,
        }
    }
}

/// The object that mutating plug-ins change.
trait Mutable: Send + Sync {
    /// The object and the stored one, as plug-ins see them.
    fn shown(&self) -> (&Value, Option<&Value>);

    /// Takes over what a plug-in made of the object.
    fn take(&mut self, object: Value, keeps_form: bool) -> Result<()>;

    /// Checks the object after all plug-ins had their turn.
    fn finish(&mut self) -> Result<()>;
}

/// The object of a write, or the `Scale` of one.
struct Written<'a> {
    write: &'a Write<'a>,
    read: Read,
    old: Option<&'a Value>,
    /// The managed fields before the first change, if there was one; null for none.
    fields: Option<Value>,
}

impl Mutable for Written<'_> {
    fn shown(&self) -> (&Value, Option<&Value>) {
        match &self.read.scale {
            Some(scale) => (&scale.new, Some(&scale.old)),
            None => (&self.read.object, self.old),
        }
    }

    fn take(&mut self, object: Value, keeps_form: bool) -> Result<()> {
        if let Some(parent) = self.old.filter(|_| self.read.scale.is_some()) {
            return self.write.read_mutated_scale(parent, &object, &mut self.read);
        }
        let before = &self.read.object;
        self.fields.get_or_insert_with(|| meta::get(before, "managedFields").cloned().unwrap_or_default());
        if keeps_form {
            self.read.object = object;
        } else {
            self.write.read_mutated(&object, &mut self.read)?;
        }
        Ok(())
    }

    // As upstream's rest.EnsureObjectNamespaceMatchesRequestNamespace, to which plug-ins are no exception.
    fn finish(&mut self) -> Result<()> {
        if self.fields.is_some() {
            meta::match_namespace(&mut self.read.object, self.write.namespace())
        } else {
            Ok(())
        }
    }
}

/// The object posted to a subresource.
struct Posted<'a> {
    body: &'a Value,
    changed: Option<Value>,
}

impl Mutable for Posted<'_> {
    fn shown(&self) -> (&Value, Option<&Value>) {
        (self.changed.as_ref().unwrap_or(self.body), None)
    }

    fn take(&mut self, object: Value, _: bool) -> Result<()> {
        self.changed = Some(object);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn write<'a>(old: Option<&Value>, options: &'a WriteOptions) -> Operation<'a> {
    if old.is_some() { Operation::Update(options) } else { Operation::Create(options) }
}
