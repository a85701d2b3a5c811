//! One operation of a patch.

use sprag_value::Text;
use sprag_value::json::{Event, Scanner};

use super::MAX_COPIED_BYTES;
use super::pointer::{Place, find, index, invalid_index};
use crate::raw::{Members, Node};

/// One operation, its members not yet looked at.
#[derive(Debug, Default)]
pub(super) struct Operation<'a> {
    members: Members<'a>,
}

impl<'a> From<Members<'a>> for Operation<'a> {
    fn from(members: Members<'a>) -> Self {
        Self { members }
    }
}

impl<'a> Operation<'a> {
    /// Changes the document; `copied` counts the bytes that copies added.
    pub(super) fn run(self, document: &mut Node<'a>, copied: &mut usize) -> Result<(), String> {
        match self.text("op").as_deref() {
            Ok("add") => self.add(document),
            Ok("remove") => self.remove(document),
            Ok("replace") => self.replace(document),
            Ok("move") => self.move_value(document),
            Ok("test") => self.test(document),
            Ok("copy") => self.copy(document, copied),
            Ok(other) => Err(format!("Unexpected kind: {other}")),
            Err(_) => Err("Unexpected kind: unknown".into()),
        }
    }

    fn add(mut self, document: &mut Node<'a>) -> Result<(), String> {
        let path = self.text("path").map_err(|_| "add operation failed to decode path: missing value")?;
        let value = self.value().unwrap_or(Node::Null);
        let place = find(document, &path, value.height())
            .ok_or_else(|| format!("add operation does not apply: doc is missing path: \"{path}\": missing value"))?;
        place.add(value).map_err(|error| format!("error in add for path: '{path}': {error}"))
    }

    fn remove(self, document: &mut Node<'a>) -> Result<(), String> {
        let path = self.text("path").map_err(|_| "remove operation failed to decode path: missing value")?;
        let place = find(document, &path, 0).ok_or_else(|| {
            format!("remove operation does not apply: doc is missing path: \"{path}\": missing value")
        })?;
        place.remove().map(drop).map_err(|error| format!("error in remove for path: '{path}': {error}"))
    }

    fn replace(mut self, document: &mut Node<'a>) -> Result<(), String> {
        let path = self.text("path").map_err(|error| format!("replace operation failed to decode path: {error}"))?;
        let mut value = self.value().unwrap_or(Node::Null);
        if path.is_empty() {
            value.open();
            if !matches!(value, Node::Object(_) | Node::Array(_)) {
                // As upstream's Patch.replace: it formats a nil error.
                return Err("replace operation value must be object or array: %!w(<nil>)".into());
            }
            *document = value;
            return Ok(());
        }
        let place = find(document, &path, value.height())
            .ok_or_else(|| format!("replace operation does not apply: doc is missing path: {path}: missing value"))?;
        place
            .set(value)
            .map_err(|_| format!("replace operation does not apply: doc is missing key: {path}: missing value"))
    }

    fn move_value(self, document: &mut Node<'a>) -> Result<(), String> {
        let from = self.text("from").map_err(|error| format!("move operation failed to decode from: {error}"))?;
        let place = find(document, &from, 0)
            .ok_or_else(|| format!("move operation does not apply: doc is missing from path: {from}: missing value"))?;
        let value = place.remove().map_err(|error| format!("error in move for path: '{from}': {error}"))?;
        let path = self.text("path").map_err(|error| format!("move operation failed to decode path: {error}"))?;
        let place = find(document, &path, value.height()).ok_or_else(|| {
            format!("move operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        place.add(value).map_err(|error| format!("error in move for path: '{path}': {error}"))
    }

    fn test(mut self, document: &mut Node<'a>) -> Result<(), String> {
        let path = self.text("path").map_err(|error| format!("test operation failed to decode path: {error}"))?;
        let mut value = self.value().unwrap_or(Node::Null);
        let same = if path.is_empty() {
            document.same(&mut value)
        } else {
            let place = find(document, &path, 0)
                .ok_or_else(|| format!("test operation does not apply: is missing path: {path}: missing value"))?;
            let found = place.get().map_err(|error| format!("error in test for path: '{path}': {error}"))?;
            found.unwrap_or(&mut Node::Null).same(&mut value)
        };
        if same { Ok(()) } else { Err(format!("testing value {path} failed: test failed")) }
    }

    fn copy(self, document: &mut Node<'a>, copied: &mut usize) -> Result<(), String> {
        let from = self.text("from").map_err(|error| format!("copy operation failed to decode from: {error}"))?;
        let place = find(document, &from, 0)
            .ok_or_else(|| format!("copy operation does not apply: doc is missing from path: {from}: missing value"))?;
        let found = place.get().map_err(|error| format!("error in copy for from: '{from}': {error}"))?;
        let value = found.map_or(Node::Null, |node| node.to_raw());
        *copied += value.len();
        if *copied > MAX_COPIED_BYTES {
            return Err(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {MAX_COPIED_BYTES}"
            ));
        }
        let path = self.text("path").map_err(|_| "copy operation failed to decode path: missing value")?;
        let place = find(document, &path, value.height()).ok_or_else(|| {
            format!("copy operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        place.add(value).map_err(|error| format!("error while adding value during copy: {error}"))
    }

    /// A member that has to be text.
    fn text(&self, name: &str) -> Result<String, String> {
        let missing = || format!("operation missing {name} field: missing value");
        let mut text = String::new();
        self.members.get(name).ok_or_else(missing)?.write(&mut text);
        match Scanner::new(text.as_bytes()).and_then(|mut scanner| scanner.next()) {
            Ok(Event::String(text)) => Ok(text.into_owned()),
            Ok(Event::Null) => Err(missing()),
            _ => Err(format!("the {name} of an operation has to be a string")),
        }
    }

    fn value(&mut self) -> Option<Node<'a>> {
        self.members.remove("value")
    }
}

impl<'d, 'a> Place<'d, 'a, '_> {
    fn get(self) -> Result<Option<&'d mut Node<'a>>, String> {
        match self.container {
            Node::Object(object) => Ok(object.items.get_mut(&*self.key)),
            Node::Array(array) => {
                let at = index(&self.key, array.items.len())?;
                array.items.get_mut(at).map(Some).ok_or_else(|| invalid_index(at))
            }
            Node::Null | Node::Raw(_) => Ok(None),
        }
    }

    fn add(self, value: Node<'a>) -> Result<(), String> {
        match self.container {
            Node::Object(object) => {
                object.items.insert(Text::from(self.key), value);
            }
            Node::Array(array) if self.key == "-" => array.items.push(value),
            Node::Array(array) => {
                // A negative index counts from the end of the list as it will be.
                let at = index(&self.key, array.items.len() + 1)
                    .map_err(|error| format!("value was not a proper array index: '{}': {error}", self.key))?;
                if at > array.items.len() {
                    return Err(invalid_index(at));
                }
                array.items.insert(at, value);
            }
            Node::Null | Node::Raw(_) => {}
        }
        Ok(())
    }

    fn set(self, value: Node<'a>) -> Result<(), String> {
        if let Node::Object(object) = self.container {
            object.items.insert(Text::from(self.key), value);
        } else if let Some(element) = self.get()? {
            *element = value;
        }
        Ok(())
    }

    fn remove(self) -> Result<Node<'a>, String> {
        match self.container {
            Node::Object(object) => object
                .items
                .remove(&*self.key)
                .ok_or_else(|| format!("Unable to remove nonexistent key: {}: missing value", self.key)),
            Node::Array(array) => {
                let at = index(&self.key, array.items.len())?;
                array.items.remove(at).ok_or_else(|| invalid_index(at))
            }
            Node::Null | Node::Raw(_) => Ok(Node::Null),
        }
    }
}
