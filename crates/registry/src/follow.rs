//! Informers: consumers that need the current state of some resources, such as policies and RBAC.

use sprag_storage::Key;
use sprag_value::Value;

/// Knows the stored objects of some resources. What this server writes is known before the write is answered.
pub trait Follower: Send + Sync {
    /// The resources, by group and plural name.
    fn resources(&self) -> &[(&'static str, &'static str)];

    /// Replaces all known objects with the stored ones, in the storage version.
    fn replace(&self, objects: Vec<(Key, Value)>);

    /// Updates or removes one object.
    fn set(&self, key: &Key, object: Option<Value>);
}
