//! The path of a walk through an object: a borrowed chain of steps, rendered only when something is found.

use std::fmt;

use sprag_field::{Error, Path};

/// Most places print in no more bytes.
const TYPICAL_LEN: usize = 64;

/// A place in an object, as a chain on the stack that borrows its parents.
#[derive(Clone, Copy)]
pub(crate) struct Trail<'a> {
    parent: Option<&'a Trail<'a>>,
    step: Step<'a>,
}

/// One step of a [`Trail`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// The start of the walk.
    Root,
    /// A member that the schema names.
    Property(&'a str),
    /// A member that only `additionalProperties` describes.
    Entry(&'a str),
    /// An element of a list.
    Index(usize),
}

impl<'a> Trail<'a> {
    pub(crate) const ROOT: Trail<'static> = Trail { parent: None, step: Step::Root };

    pub(crate) const fn property(&'a self, name: &'a str) -> Trail<'a> {
        Trail { parent: Some(self), step: Step::Property(name) }
    }

    pub(crate) const fn entry(&'a self, key: &'a str) -> Trail<'a> {
        Trail { parent: Some(self), step: Step::Entry(key) }
    }

    pub(crate) const fn index(&'a self, index: usize) -> Trail<'a> {
        Trail { parent: Some(self), step: Step::Index(index) }
    }

    pub(crate) const fn step(&'a self, step: Step<'a>) -> Trail<'a> {
        Trail { parent: Some(self), step }
    }

    pub(crate) const fn is_root(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    /// As value validation prints places: names joined with dots whatever is in them, `spec.ports[0].a/b`.
    ///
    /// The root is empty. An entry of the root starts with a dot, a property of it does not.
    pub(crate) fn joined(&self) -> String {
        let mut text = String::with_capacity(TYPICAL_LEN);
        self.write_joined(&mut text);
        text
    }

    fn write_joined(&self, text: &mut String) {
        if let Some(parent) = self.parent {
            parent.write_joined(text);
        }
        match self.step {
            Step::Root => {}
            Step::Property(name) if text.is_empty() => text.push_str(name),
            Step::Property(name) | Step::Entry(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Index(index) => push_index(text, index),
        }
    }

    /// As unknown fields print: like [`Trail::joined`], and no name of the root has a dot.
    pub(crate) fn unknown(&self) -> String {
        let joined = self.joined();
        joined.strip_prefix('.').map_or_else(|| joined.clone(), str::to_owned)
    }

    /// An error at this place.
    pub(crate) fn error(&self, make: impl FnOnce(&Path<'_>) -> Error) -> Error {
        make(&Path::new(&self.to_string()))
    }

    fn steps(&self) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut next = Some(*self);
        while let Some(trail) = next {
            steps.push(trail.step);
            next = trail.parent.copied();
        }
        steps.reverse();
        steps
    }
}

fn push_index(text: &mut String, index: usize) {
    text.push('[');
    sprag_value::json::write_int(text, i64::try_from(index).unwrap_or(i64::MAX));
    text.push(']');
}

/// As field paths print: `spec.ports[0].labels[a/b]`; the root is `<nil>`.
impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str("<nil>");
        }
        for (position, step) in self.steps().into_iter().skip(1).enumerate() {
            match step {
                // A field without a name looks like a subscript without a key, as it does upstream.
                Step::Root | Step::Property("") => f.write_str("[]")?,
                Step::Property(name) if position == 0 => f.write_str(name)?,
                Step::Property(name) => write!(f, ".{name}")?,
                Step::Entry(key) => write!(f, "[{key}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Trail;

    #[test]
    fn entries_print_in_two_ways() {
        let root = Trail::ROOT;
        let spec = root.property("spec");
        let labels = spec.property("labels");
        let entry = labels.entry("a/b");
        let item = entry.index(3);
        assert_eq!((item.joined().as_str(), item.to_string().as_str()), ("spec.labels.a/b[3]", "spec.labels[a/b][3]"));
    }

    #[test]
    fn entries_of_the_root_start_with_a_dot() {
        let root = Trail::ROOT;
        let entry = root.entry("k");
        assert_eq!((entry.joined().as_str(), entry.to_string().as_str()), (".k", "[k]"));
        assert_eq!(entry.unknown(), "k");
        assert_eq!((root.joined().as_str(), root.to_string().as_str()), ("", "<nil>"));
    }
}
