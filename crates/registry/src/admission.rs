//! Admission plug-ins: code that changes or refuses objects on their way into the store.
//!
//! A mutating plug-in sees the object that the client's write makes, before it is judged; what it changes is read again. A
//! validating plug-in sees the object that is about to be stored. Both run on every attempt of a write.

use std::pin::Pin;
use std::sync::Arc;

use sprag_rest::{Definition, Judged, Old, Read, Request, Result, WriteOptions};
use sprag_value::Value;

use crate::registry::{Registry, Target};

/// What a plug-in returns: warnings for the client, or why the request is refused.
pub type Admitted<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// What a plug-in knows of a write.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    /// All resources, for plug-ins that look at other objects.
    pub registry: &'a Registry,
    /// The resource.
    pub definition: &'a Definition,
    /// The request.
    pub request: &'a Request<'a>,
    /// Its options.
    pub options: &'a WriteOptions,
    /// The new object: in the version of the request for mutating plug-ins, in that of the hub for validating ones.
    pub object: &'a Value,
    /// The stored object in the same version; nothing when it is created.
    pub old: Option<&'a Value>,
}

/// What a mutating plug-in makes of an object.
#[derive(Clone, Debug, Default)]
pub struct Mutation {
    /// The changed object; nothing when it stays as it is.
    pub object: Option<Value>,
    /// What the client is told.
    pub warnings: Vec<String>,
}

/// An admission plug-in. Each method has a default that lets everything pass.
// As upstream's admission.MutationInterface and admission.ValidationInterface.
pub trait AdmissionPlugin: Send + Sync {
    /// Changes an object before it is judged.
    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let _ = attributes;
        Box::pin(std::future::ready(Ok(Mutation::default())))
    }

    /// Refuses an object that is valid, or adds warnings to the answer.
    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let _ = attributes;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

impl Target<'_> {
    fn plugins(&self) -> &[Arc<dyn AdmissionPlugin>] {
        &self.registry.0.admission
    }

    /// Lets mutating plug-ins change an object, one after the other.
    pub(crate) async fn mutate(&self, mut read: Read, old: Option<&Old>, options: &WriteOptions) -> Result<Read> {
        for plugin in self.plugins() {
            let old = old.map(|old| &old.requested);
            let outcome = plugin.mutate(self.attributes(&read.object, old, options)).await;
            let outcome = outcome.and_then(|Mutation { object, warnings }| {
                object.map(|object| self.write.read_mutated(&object, &mut read)).transpose()?;
                Ok(warnings)
            });
            match outcome {
                Ok(warnings) => read.warnings.extend(warnings),
                Err(error) => return Err(error.with_warnings(read.warnings)),
            }
        }
        Ok(read)
    }

    /// Asks validating plug-ins about an object that is valid.
    pub(crate) async fn admit(&self, mut judged: Judged, old: Option<&Old>, options: &WriteOptions) -> Result<Judged> {
        match self.ask_plugins(&judged.object, old.map(|old| &old.hub), options).await {
            Ok(warnings) => judged.warnings.extend(warnings),
            Err(error) => return Err(error.with_warnings(judged.warnings)),
        }
        Ok(judged)
    }

    /// The warnings of validating plug-ins about an object.
    pub(crate) async fn ask_plugins(
        &self,
        object: &Value,
        old: Option<&Value>,
        options: &WriteOptions,
    ) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        for plugin in self.plugins() {
            match plugin.validate(self.attributes(object, old, options)).await {
                Ok(more) => warnings.extend(more),
                Err(error) => return Err(error.with_warnings(warnings)),
            }
        }
        Ok(warnings)
    }

    fn attributes<'a>(
        &'a self,
        object: &'a Value,
        old: Option<&'a Value>,
        options: &'a WriteOptions,
    ) -> Attributes<'a> {
        Attributes {
            registry: self.registry,
            definition: self.definition(),
            request: self.write.request,
            options,
            object,
            old,
        }
    }
}
