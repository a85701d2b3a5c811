//! The path of an error in an object: a borrowed chain of steps, rendered only when an error is made.

use std::fmt::{self, Write as _};

/// A place in an object, as a chain on the stack that borrows its parents.
///
/// Making and extending a path never allocates; rendering does where there are many steps, because it needs them in reverse.
///
/// ```
/// use sprag_field::Path;
///
/// let spec = Path::new("spec");
/// let volumes = spec.child("volumes");
/// assert_eq!(volumes.index(0).to_string(), "spec.volumes[0]");
/// assert_eq!(volumes.key("a/b").to_string(), "spec.volumes[a/b]");
/// assert_eq!(Path::ROOT.to_string(), "<nil>");
/// assert_eq!(Path::ROOT.child("spec").to_string(), "spec");
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Name(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    /// The object itself: renders as `<nil>`, and its children render as plain names.
    pub const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    /// The same as [`Path::ROOT`].
    pub const fn root() -> Path<'static> {
        Path::ROOT
    }

    /// A top-level field.
    pub const fn new(name: &'a str) -> Path<'a> {
        Path { parent: None, step: Step::Name(name) }
    }

    /// The field `name` of the value at this path.
    pub const fn child(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Name(name) }
    }

    /// The list element at `index`.
    pub const fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    /// The map value under `key`, rendered without quotes.
    pub const fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Key(key) }
    }

    /// True if this is the object itself.
    pub const fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str("<nil>");
        }
        let mut few = [Step::Root; FEW_STEPS];
        let mut many = Vec::new();
        let mut count = 0;
        let mut next = Some(self);
        while let Some(path) = next {
            if !path.is_root() {
                match few.get_mut(count) {
                    Some(slot) => *slot = path.step,
                    None => many.push(path.step),
                }
                count += 1;
            }
            next = path.parent;
        }
        let steps = many.iter().rev().chain(few[..count.min(FEW_STEPS)].iter().rev());
        // Written at once: a formatter takes as long for a dot as for a name.
        let mut text = String::with_capacity(USUAL_BYTES);
        for step in steps {
            match step {
                // A field without a name looks like a subscript without a key, as it does upstream.
                Step::Root | Step::Name("") => text.push_str("[]"),
                Step::Name(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Step::Index(index) => write!(text, "[{index}]")?,
                Step::Key(key) => {
                    text.push('[');
                    text.push_str(key);
                    text.push(']');
                }
            }
        }
        f.write_str(&text)
    }
}

/// The length that few texts of paths exceed.
const USUAL_BYTES: usize = 96;

/// Maximum number of steps that are put in order without an allocation.
const FEW_STEPS: usize = 16;

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl Default for Path<'_> {
    fn default() -> Self {
        Path::ROOT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_with_dots() {
        let a = Path::new("a");
        let b = a.child("b");
        assert_eq!(b.child("c").to_string(), "a.b.c");
    }

    #[test]
    fn subscripts_follow_without_a_dot() {
        let a = Path::new("a");
        let first = a.index(0);
        let key = first.key("x.y/z");
        assert_eq!(key.child("b").to_string(), "a[0][x.y/z].b");
    }

    #[test]
    fn children_of_the_root_stand_alone() {
        let root = Path::root();
        assert!(root.is_root());
        assert_eq!(root.child("a").to_string(), "a");
        assert_eq!(root.index(3).to_string(), "[3]");
        assert_eq!(root.key("k").child("b").to_string(), "[k].b");
    }

    #[test]
    fn an_empty_name_renders_as_an_empty_subscript() {
        let a = Path::new("a");
        assert_eq!(a.child("").to_string(), "a[]");
        assert_eq!(a.key("").to_string(), "a[]");
        assert_eq!(Path::new("").to_string(), "[]");
    }

    #[test]
    fn a_path_may_outlive_a_longer_one() {
        let spec = Path::new("spec");
        let kept = {
            let inner = String::from("x");
            spec.child(&inner).to_string()
        };
        assert_eq!(kept, "spec.x");
    }
}
