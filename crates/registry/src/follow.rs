//! What has to know some stored objects at any time, as policies and the rules of RBAC do.

use sprag_storage::Key;
use sprag_value::Value;

/// Knows the stored objects of some resources. What this server writes is known before the write is answered.
pub trait Follower: Send + Sync {
    /// The resources, by group and plural name.
    fn resources(&self) -> &[(&'static str, &'static str)];

    /// Takes over all stored objects, in the storage version, in place of those it knew.
    fn replace(&self, objects: Vec<(Key, Value)>);

    /// Takes over one object, or forgets it.
    fn set(&self, key: &Key, object: Option<Value>);
}
