//! The body of a write.

use std::sync::Arc;

use sprag_decode::typed::Unprinted;
use sprag_value::Value;

use crate::info::ResourceInfo;

/// The body of a write: an object, and where it comes from.
pub struct Body {
    object: Value,
    unprinted: Vec<Unprinted>,
    read_for: Option<Arc<ResourceInfo>>,
}

/// The parts of a body.
pub(crate) struct Parts {
    /// The object.
    pub(crate) object: Value,
    /// Values that rules see but that are not serialized.
    pub(crate) unprinted: Vec<Unprinted>,
    /// True if the object is just what the scheme of the resource made of a text.
    pub(crate) is_read: bool,
}

impl Body {
    pub(crate) fn read(object: Value, unprinted: Vec<Unprinted>, info: &Arc<ResourceInfo>) -> Body {
        Body { object, unprinted, read_for: Some(info.clone()) }
    }

    /// The object.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// The object, to do anything with.
    pub fn into_object(self) -> Value {
        self.object
    }

    /// The parts for a write of a resource.
    pub(crate) fn into_parts(self, info: &Arc<ResourceInfo>) -> Parts {
        let is_read = self.read_for.as_ref().is_some_and(|read_for| Arc::ptr_eq(read_for, info));
        Parts { object: self.object, unprinted: self.unprinted, is_read }
    }
}

impl From<Value> for Body {
    fn from(object: Value) -> Body {
        Body { object, unprinted: Vec::new(), read_for: None }
    }
}
