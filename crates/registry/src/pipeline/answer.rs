//! Objects that are answered when they are posted, and never stored.

use sprag_rest::{
    AnswerCreate, AnswerSubresource, Body, Fact, Input, Referenced, Request, Result, SubresourceKind, WriteOptions,
    meta,
};
use sprag_value::Value;

use crate::registry::{Answer, Registry, Target, with_warnings};

impl Target<'_> {
    /// The handler of a subresource whose POST changes nothing.
    pub(crate) fn answering(&self) -> Result<Option<&dyn AnswerSubresource>> {
        Ok(match self.write.subresource()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Create(sub)) => sub.answers(),
            _ => None,
        })
    }

    /// Answers an object that is never stored. Namespaces need not exist: nothing is put into them.
    // Upstream's lifecycle.Lifecycle.Admit lets access reviews pass for the same reason.
    pub(crate) async fn answer_create(
        &self,
        answer: &dyn AnswerCreate,
        body: Body,
        options: &WriteOptions,
    ) -> Result<Answer> {
        let mut input = self.write.create_input(body, options)?;
        let warnings = input.take_warnings();
        with_warnings(self.answer_input(answer, &input).await, warnings)
    }

    async fn answer_input(&self, answer: &dyn AnswerCreate, input: &Input<'_>) -> Result<Answer> {
        let request = self.write.request;
        let mut read = self.write.read(input, None)?;
        // As upstream's rest.EnsureObjectNamespaceMatchesRequestNamespace, which has refused another namespace.
        match request.namespace {
            "" => meta::remove(&mut read.object, "namespace"),
            namespace => meta::set(&mut read.object, "namespace", namespace),
        }
        let read = self.mutate(read, None, input).await?;
        let object = read.object;
        let mut warnings = read.warnings;
        self.write.guarded(|| answer.check(request, &object))??;
        warnings.extend(self.ask_plugins(&object, None, input).await?);
        let mut object = answer.answer(request, self.registry.now(), object).await?;
        if self.registry.gates().release().has(Fact::WritesNoCreationTime) {
            write_creation_time(&mut object);
        }
        Ok(Answer { object, warnings, created: true, line: None })
    }
}

/// Writes that an object which is not stored was never created.
fn write_creation_time(object: &mut Value) {
    let Some(members) = object.as_object_mut() else { return };
    let metadata = members.get_or_insert("metadata");
    if metadata.is_null() {
        *metadata = Value::object();
    }
    if metadata.get("creationTimestamp").is_none() {
        metadata.insert("creationTimestamp", Value::Null);
    }
}

impl Registry {
    /// Answers a body that is posted below an object. The body was checked on its own.
    pub(crate) async fn answer_below(
        &self,
        target: &Target<'_>,
        sub: &dyn AnswerSubresource,
        mut body: Value,
        options: &WriteOptions,
    ) -> Result<Answer> {
        let request = target.write.request;
        let parent = target.get().await?;
        target.write.guarded(|| sub.complete(&target.write.cx(), &mut body, &parent))??;
        let admitted = target.admit_below(&body, options).await?;
        let mut found = Vec::new();
        while let Some(reference) = target.write.guarded(|| sub.reference(&target.write.cx(), &body, &found))?? {
            found.push(self.referenced(request, &reference).await?);
        }
        let answered = target.write.guarded(|| sub.answer(&target.write.cx(), body, &parent, &found))?;
        let (object, warnings) = answered?;
        Ok(Answer { object, warnings, created: true, line: None }.with_warnings(admitted))
    }

    async fn referenced(&self, request: &Request<'_>, reference: &Referenced) -> Result<Option<Value>> {
        let Referenced { resource, namespace, name, may_be_missing } = reference;
        let request = Request { group: "", version: "v1", resource, namespace, name, subresource: "", ..*request };
        match self.get(&request, "").await {
            Ok(object) => Ok(Some(object)),
            Err(error) if *may_be_missing && error.code() == 404 => Ok(None),
            Err(error) => Err(error),
        }
    }
}
