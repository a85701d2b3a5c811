//! Objects that are answered when they are posted, and never stored.

use sprag_rest::{AnswerSubresource, Referenced, Request, Result, SubresourceKind};
use sprag_value::Value;

use crate::registry::{Answer, Registry, Target};

impl Target<'_> {
    /// What answers a body that is posted below an object, where that changes nothing.
    pub(crate) fn answering(&self) -> Result<Option<&dyn AnswerSubresource>> {
        Ok(match self.write.subresource()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Create(sub)) => sub.answers(),
            _ => None,
        })
    }
}

impl Registry {
    /// Answers a body that is posted below an object. The body was checked on its own.
    pub(crate) async fn answer_below(
        &self,
        request: &Request<'_>,
        target: &Target<'_>,
        sub: &dyn AnswerSubresource,
        mut body: Value,
    ) -> Result<Answer> {
        let parent = target.get().await?;
        target.write.guarded(|| sub.complete(&target.write.cx(), &mut body, &parent))??;
        let mut found = Vec::new();
        while let Some(reference) = target.write.guarded(|| sub.reference(&target.write.cx(), &body, &found))?? {
            found.push(self.referenced(request, &reference).await?);
        }
        let answered = target.write.guarded(|| sub.answer(&target.write.cx(), body, &parent, &found))?;
        let (object, warnings) = answered?;
        Ok(Answer { object, warnings, created: true, line: None })
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
