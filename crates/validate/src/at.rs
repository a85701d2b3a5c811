//! Where a check runs: the request it belongs to and the path of the value.

use std::collections::BTreeMap;

use sprag_field::Path;

/// What the request does to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The object is new.
    Create,
    /// The object replaces an old one.
    Update,
}

/// Validation options, feature gates mostly. An option that is absent is undefined, which differs from off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(BTreeMap<String, bool>);

impl Options {
    /// Defines an option.
    pub fn set(&mut self, name: impl Into<String>, on: bool) {
        self.0.insert(name.into(), on);
    }

    /// Whether an option is on; `None` when it is not defined.
    pub fn get(&self, name: &str) -> Option<bool> {
        self.0.get(name).copied()
    }
}

impl<S: Into<String>> FromIterator<(S, bool)> for Options {
    fn from_iter<I: IntoIterator<Item = (S, bool)>>(options: I) -> Self {
        Options(options.into_iter().map(|(name, on)| (name.into(), on)).collect())
    }
}

static NO_OPTIONS: Options = Options(BTreeMap::new());

/// What is known of the request behind a validation.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What it does.
    pub op: Op,
    /// The options in force.
    pub options: &'a Options,
    /// The subresource path: `/` for the object itself, otherwise `/status` and the like.
    pub subresource: &'a str,
}

impl<'a> Request<'a> {
    /// Creation of an object, without options.
    pub fn create() -> Request<'static> {
        Request { op: Op::Create, options: &NO_OPTIONS, subresource: "/" }
    }

    /// Replacement of an object, without options.
    pub fn update() -> Request<'static> {
        Request { op: Op::Update, options: &NO_OPTIONS, subresource: "/" }
    }

    /// The same request with these options.
    #[must_use]
    pub fn with_options(self, options: &'a Options) -> Request<'a> {
        Request { options, ..self }
    }

    /// The same request for this subresource path.
    #[must_use]
    pub fn with_subresource(self, subresource: &'a str) -> Request<'a> {
        Request { subresource, ..self }
    }
}

/// Where a check runs.
///
/// ```
/// use sprag_validate::{At, Request};
///
/// let request = Request::create();
/// let root = At::root(&request);
/// let spec = root.child("spec");
/// assert_eq!(spec.child("replicas").path.to_string(), "spec.replicas");
/// ```
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The request.
    pub request: &'a Request<'a>,
    /// The path of the value.
    pub path: Path<'a>,
}

impl<'a> At<'a> {
    /// The object itself.
    pub fn root(request: &'a Request<'a>) -> At<'a> {
        At { request, path: Path::ROOT }
    }

    /// A field of the value.
    #[must_use]
    pub fn child(&'a self, name: &'a str) -> At<'a> {
        At { request: self.request, path: self.path.child(name) }
    }

    /// An embedded struct: the same place, except that directly under the root it has this name, if it is not empty.
    #[must_use]
    pub fn inline(&'a self, root_name: &'a str) -> At<'a> {
        if self.path.is_root() && !root_name.is_empty() { self.child(root_name) } else { *self }
    }

    /// An element of the list.
    #[must_use]
    pub fn index(&'a self, index: usize) -> At<'a> {
        At { request: self.request, path: self.path.index(index) }
    }

    /// A value of the map.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> At<'a> {
        At { request: self.request, path: self.path.key(key) }
    }

    /// The old value, if the request replaces an object: what ratcheting compares with.
    pub fn before<T>(&self, old: Option<T>) -> Option<T> {
        old.filter(|_| self.is_update())
    }

    /// Whether the request replaces an object.
    pub fn is_update(&self) -> bool {
        self.request.op == Op::Update
    }
}
