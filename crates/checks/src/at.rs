//! The context of a check: the request it belongs to and the path of the value.

use std::cmp::Ordering;
use std::ops::Deref;

use sprag_field::{Path, Stage};

/// The operation of the request on the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The object is new.
    Create,
    /// The object replaces an old one.
    Update,
}

/// Validation options, feature gates mostly. An option that is absent is undefined, which differs from off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(String, bool)>);

impl Options {
    /// Defines an option.
    pub fn set(&mut self, name: impl Into<String>, on: bool) {
        let name = name.into();
        match self.position(&name) {
            Ok(at) => self.0[at].1 = on,
            Err(at) => self.0.insert(at, (name, on)),
        }
    }

    /// Reports whether an option is on; `None` when it is not defined.
    pub fn get(&self, name: &str) -> Option<bool> {
        self.position(name).ok().map(|at| self.0[at].1)
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| by_length(known, name))
    }
}

/// The order of options: shorter names first, so that most steps of a search compare no text.
fn by_length(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl<S: Into<String>> FromIterator<(S, bool)> for Options {
    fn from_iter<I: IntoIterator<Item = (S, bool)>>(options: I) -> Self {
        let mut sorted: Vec<(String, bool)> = options.into_iter().map(|(name, on)| (name.into(), on)).collect();
        sorted.sort_by(|(a, _), (b, _)| by_length(a, b));
        // The last of equal names counts.
        sorted.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 = later.1;
            }
            is_same
        });
        Options(sorted)
    }
}

static NO_OPTIONS: Options = Options(Vec::new());

/// The request behind a validation.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The operation.
    pub op: Op,
    /// The options in force.
    pub options: &'a Options,
    /// The subresource path: `/` for the object itself, otherwise `/status` and the like.
    pub subresource: &'a str,
    /// Beta rules are enforced, as they are while `DeclarativeValidationBeta` is on; otherwise they are only observed.
    pub beta: bool,
}

impl<'a> Request<'a> {
    /// Creation of an object, without options.
    pub fn create() -> Request<'static> {
        Request { op: Op::Create, options: &NO_OPTIONS, subresource: "/", beta: true }
    }

    /// Replacement of an object, without options.
    pub fn update() -> Request<'static> {
        Request { op: Op::Update, options: &NO_OPTIONS, subresource: "/", beta: true }
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

    /// The same request where beta rules are enforced, or only observed.
    #[must_use]
    pub fn with_beta(self, beta: bool) -> Request<'a> {
        Request { beta, ..self }
    }

    /// True if rules of this stage are enforced. The others are shadowed: they find what they find, and stop nothing.
    pub fn enforces(&self, stage: Stage) -> bool {
        match stage {
            Stage::Stable => true,
            Stage::Beta => self.beta,
            Stage::Alpha => false,
        }
    }
}

/// The context of a check.
///
/// ```
/// use sprag_checks::{At, Request};
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

/// The path of the value, for functions that ask for no more.
impl<'a> Deref for At<'a> {
    type Target = Path<'a>;

    fn deref(&self) -> &Path<'a> {
        &self.path
    }
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

    /// True if the request replaces an object.
    pub fn is_update(&self) -> bool {
        self.request.op == Op::Update
    }
}
