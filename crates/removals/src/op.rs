//! Changes of an object, which are made twice: to its value and to its text. What the text says afterwards has to be the value.

use std::fmt::Write as _;

use sprag_value::Value;

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(&'static str),
    Index(usize),
}

/// The place of a value in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

impl Path {
    /// The place of a member.
    pub(crate) fn key(&self, key: &'static str) -> Path {
        self.with(Step::Key(key))
    }

    /// The place of an element.
    pub(crate) fn index(&self, index: usize) -> Path {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Path {
        Path(self.0.iter().cloned().chain([step]).collect())
    }

    /// As `sprag_decode::locate` takes it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            // Writing to a string does not fail.
            let _ = match step {
                Step::Key(key) if text.is_empty() => write!(text, "{key}"),
                Step::Key(key) => write!(text, ".{key}"),
                Step::Index(index) => write!(text, "[{index}]"),
            };
        }
        text
    }

    /// The value at this place.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.at(*index),
        })
    }

    fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.as_array_mut()?.get_mut(*index),
        })
    }
}

/// One change. Members are named by the mapping they are in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    /// Another text for a member that is a text.
    Set { parent: Path, key: &'static str, text: &'static str },
    /// Another name for a member.
    Rename { parent: Path, key: &'static str, name: &'static str },
    /// A member less.
    Remove { parent: Path, key: &'static str },
    /// A member more, above one that is there.
    Insert { parent: Path, key: &'static str, value: Value, above: &'static str },
    /// Neighbours put into a mapping of their own.
    Wrap { parent: Path, keys: Vec<&'static str>, name: &'static str },
}

impl Op {
    /// Makes the change to a value. Nothing if what it is about is not there.
    pub(crate) fn apply(&self, value: &mut Value) -> Option<()> {
        match self {
            Op::Set { parent, key, text } => {
                *parent.find_mut(value)?.get_mut(key)? = Value::from(*text);
            }
            Op::Rename { parent, key, name } => {
                let members = parent.find_mut(value)?;
                let member = members.remove(key)?;
                members.insert(*name, member);
            }
            Op::Remove { parent, key } => drop(parent.find_mut(value)?.remove(key)?),
            Op::Insert { parent, key, value: new, .. } => {
                parent.find_mut(value)?.insert(*key, new.clone());
            }
            Op::Wrap { parent, keys, name } => {
                let members = parent.find_mut(value)?;
                let mut inner = Value::Object(sprag_value::Object::default());
                for key in keys {
                    inner.insert(*key, members.remove(key)?);
                }
                members.insert(*name, inner);
            }
        }
        Some(())
    }
}
