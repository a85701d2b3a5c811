//! What is to be written.

use std::sync::Arc;

use sprag_value::Value;

use crate::info::ResourceInfo;

/// The body of a write: an object, and where it comes from.
pub struct Body {
    object: Value,
    read_for: Option<Arc<ResourceInfo>>,
}

impl Body {
    pub(crate) fn read(object: Value, info: &Arc<ResourceInfo>) -> Body {
        Body { object, read_for: Some(info.clone()) }
    }

    /// The object.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// The object, to do anything with.
    pub fn into_object(self) -> Value {
        self.object
    }

    /// The object, and whether it is just what the scheme of a resource made of a text.
    pub(crate) fn into_parts(self, info: &Arc<ResourceInfo>) -> (Value, bool) {
        let is_read = self.read_for.as_ref().is_some_and(|read_for| Arc::ptr_eq(read_for, info));
        (self.object, is_read)
    }
}

impl From<Value> for Body {
    fn from(object: Value) -> Body {
        Body { object, read_for: None }
    }
}
