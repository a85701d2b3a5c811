//! The objects as they were: an index by group, kind, namespace and name.

use std::collections::HashMap;

use sprag_rest::DEFAULT_NAMESPACE;
use sprag_value::Value;

use crate::batch::{Batch, Batches};
use crate::document::Documents;
use crate::report::Identity;
use crate::source::Source;
use crate::workers;

/// Old objects, all in memory.
#[derive(Default)]
pub struct OldObjects {
    objects: HashMap<OldKey, Value>,
}

/// The group, kind, namespace and name by which an object is found again.
#[derive(PartialEq, Eq, Hash)]
pub struct OldKey {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl OldKey {
    /// The key of an object.
    pub fn of(identity: &Identity) -> OldKey {
        OldKey {
            group: identity.group().to_owned(),
            kind: identity.kind.clone(),
            // As kubectl fills it in; kinds that are not namespaced have none at all.
            namespace: Some(&identity.namespace).filter(|name| *name != DEFAULT_NAMESPACE).cloned().unwrap_or_default(),
            name: identity.name.clone(),
        }
    }
}

impl OldObjects {
    /// Reads a source with so many threads. Documents that cannot be decoded yield a warning; their objects count as new.
    pub fn read(source: &dyn Source, threads: usize, warnings: &mut Vec<String>) -> OldObjects {
        let mut old = OldObjects::default();
        let never = workers::in_order(
            threads,
            Batches::of(source),
            |batch| objects(&batch),
            |(objects, problems)| {
                for object in objects {
                    let identity = Identity::of(&object);
                    // Objects whose name is generated are new every time.
                    if object.lookup(&["metadata", "name"]).is_some() {
                        old.objects.insert(OldKey::of(&identity), object);
                    }
                }
                warnings.extend(problems);
                Ok::<(), std::convert::Infallible>(())
            },
        );
        match never {
            Ok(()) => old,
        }
    }

    /// The keys of all objects, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &OldKey> {
        self.objects.keys()
    }

    /// The object that this one replaces.
    pub fn find(&self, identity: &Identity) -> Option<&Value> {
        if self.objects.is_empty() { None } else { self.objects.get(&OldKey::of(identity)) }
    }
}

fn objects(batch: &Batch) -> (Vec<Value>, Vec<String>) {
    let mut objects = Vec::new();
    let mut problems = Vec::new();
    let problem = |reason: &str| format!("old {}: {reason}", batch.file);
    match &batch.content {
        Err(reason) => problems.push(problem(reason)),
        Ok(bytes) => {
            for document in Documents::new(bytes, batch.line) {
                match document.objects() {
                    Ok(found) => objects.extend(found.into_iter().map(|object| object.value)),
                    Err(finding) => problems.push(problem(&finding.message)),
                }
            }
        }
    }
    (objects, problems)
}
