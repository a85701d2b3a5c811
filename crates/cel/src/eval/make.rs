//! Values that expressions make.

use super::Machine;
use crate::cost::{LIST_CREATE, MAP_CREATE, STRUCT_CREATE};
use crate::cx::{Outcome, Trap};
use crate::program::{EntryNodes, FieldNodes, NodeId};
use crate::value::{Made, Val, show};

/// Lists with up to this many elements are put together on the stack.
const INLINE_ELEMENTS: usize = 8;

impl<'a> Machine<'_, 'a> {
    pub(super) fn list(&mut self, elements: &'a [NodeId], optional: &'a [bool]) -> Outcome<'a> {
        let outcome = if elements.len() <= INLINE_ELEMENTS && optional.is_empty() {
            self.short_list(elements)
        } else {
            self.long_list(elements, optional)
        };
        self.charge(LIST_CREATE)?;
        outcome
    }

    fn short_list(&mut self, elements: &'a [NodeId]) -> Outcome<'a> {
        let mut values = [Val::Null; INLINE_ELEMENTS];
        for (value, element) in values.iter_mut().zip(elements) {
            *value = self.eval(*element)?;
        }
        self.cx.list(&values[..elements.len()])
    }

    fn long_list(&mut self, elements: &'a [NodeId], optional: &'a [bool]) -> Outcome<'a> {
        let mut values = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let value = self.eval(*element)?;
            if !optional.get(index).is_some_and(|optional| *optional) {
                values.push(value);
                continue;
            }
            match value {
                Val::Optional(Some(value)) => values.push(*value),
                Val::Optional(None) => {}
                value => {
                    return Err(self.cx.error(format_args!(
                        "cannot initialize optional list element from non-optional value {}",
                        show(&self.cx, value)
                    )));
                }
            }
        }
        self.cx.list(&values)
    }

    pub(super) fn map(&mut self, entries: &'a [EntryNodes]) -> Outcome<'a> {
        let made = self.entries(entries);
        self.charge(MAP_CREATE)?;
        self.cx.map(made?)
    }

    fn entries(&mut self, entries: &'a [EntryNodes]) -> Result<Vec<(Val<'a>, Val<'a>)>, Trap<'a>> {
        let mut made = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.eval(entry.key)?;
            let value = self.eval(entry.value)?;
            match value {
                value if !entry.optional => made.push((key, value)),
                Val::Optional(Some(value)) => made.push((key, *value)),
                // An absent entry also takes back an earlier one with its key.
                Val::Optional(None) => made.retain(|(known, _)| crate::value::key_order(*known, key).is_ne()),
                value => {
                    return Err(self.cx.error(format_args!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        show(&self.cx, key),
                        show(&self.cx, value)
                    )));
                }
            }
        }
        Ok(made)
    }

    pub(super) fn unknown(&mut self, function: &str, args: &'a [NodeId]) -> Outcome<'a> {
        for arg in args {
            self.eval(*arg)?;
        }
        Err(self.cx.error(format_args!("no such overload: {function}")))
    }

    /// Objects of types without declared fields, and operations of JSON patches.
    // As upstream's mutation.DynamicTypeResolver; any other type cannot be made by expressions that only read it.
    pub(super) fn object(&mut self, name: &'a str, fields: &'a [FieldNodes]) -> Outcome<'a> {
        let made = self.object_fields(fields);
        self.charge(STRUCT_CREATE)?;
        let mut made = made?;
        if !is_makable(name) {
            return Err(self.cx.error(format_args!("unknown type '{name}'")));
        }
        made.sort_by_key(|(name, _)| *name);
        let fields = self.cx.slice(&made)?;
        self.cx.keep(Made { name, fields }).map(Val::Made)
    }

    fn object_fields(&mut self, fields: &'a [FieldNodes]) -> Result<Vec<(&'a str, Val<'a>)>, Trap<'a>> {
        let mut made: Vec<(&'a str, Val<'a>)> = Vec::with_capacity(fields.len());
        for field in fields {
            let value = match self.eval(field.value)? {
                value if !field.optional => value,
                Val::Optional(Some(value)) => *value,
                Val::Optional(None) => {
                    made.retain(|(known, _)| **known != *field.name);
                    continue;
                }
                value => {
                    return Err(self.cx.error(format_args!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        field.name,
                        show(&self.cx, value)
                    )));
                }
            };
            made.retain(|(known, _)| **known != *field.name);
            made.push((&field.name, value));
        }
        Ok(made)
    }
}

fn is_makable(name: &str) -> bool {
    name == "JSONPatch" || name.strip_prefix("Object").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
