//! Ratcheting: which part of a new object is an unchanged part of the old one, by the correlation of the schema.
//!
//! Members correlate by name where the schema describes them, elements of a list only when it has keys. A walk carries
//! a chain of [`Correlated`] and asks, where it found something, whether that part is [unchanged](Correlated::unchanged).
//! Nothing is looked up or compared before it is asked. Walks ask from the inside out and what has a changed part is
//! changed, so a value is compared at most once for each part around it in which something else was found.
//!
//! Where objects are known to differ in nothing but metadata, parts near the root are worth comparing before a walk goes
//! into them: a walk that [only wants errors](Correlated::is_settled) has none to find in what is unchanged.

use std::cell::{Cell, OnceCell};

use sprag_value::Value;

use crate::keyed::KeyedList;
use crate::node::Node;
use crate::trail::{Step, Trail};

/// A part of the new object with the means to find its counterpart in the old one.
///
/// `'d` is that of the objects and their schema, `'c` that of the chain.
pub(crate) struct Correlated<'c, 'd> {
    parent: Option<&'c Correlated<'c, 'd>>,
    step: Step<'d>,
    /// Its position among its siblings, where the old one is likely to be too.
    place: usize,
    node: &'d Node,
    new: &'d Value,
    old: OnceCell<Option<&'d Value>>,
    unchanged: Cell<Option<bool>>,
    /// The number of levels from here on that are worth comparing before validation.
    ahead: u8,
    /// The old list by key, when this is a list with keys.
    by_key: OnceCell<Option<KeyedList<'d>>>,
}

/// Number of levels of objects that look unchanged which are compared ahead, so that a value is compared that often at most.
const AHEAD: u8 = 4;

impl<'c, 'd> Correlated<'c, 'd> {
    /// Whole objects.
    pub(crate) fn root(node: &'d Node, new: &'d Value, old: &'d Value) -> Self {
        Self {
            parent: None,
            step: Step::Root,
            place: 0,
            node,
            new,
            old: OnceCell::from(Some(old)),
            unchanged: Cell::new(None),
            ahead: 0,
            by_key: OnceCell::new(),
        }
    }

    /// The same for objects that are known to differ in nothing but metadata.
    pub(crate) fn expecting_no_change(self) -> Self {
        Self { ahead: AHEAD, ..self }
    }

    /// Reports whether this part has none or few changes.
    pub(crate) fn expects_no_change(&self) -> bool {
        self.ahead > 0
    }

    /// A part one step further down, which stands at `place` and is described by `node`.
    pub(crate) fn child<'s>(
        &'s self,
        step: Step<'d>,
        place: usize,
        node: &'d Node,
        new: &'d Value,
    ) -> Correlated<'s, 'd> {
        Correlated {
            parent: Some(self),
            step,
            place,
            node,
            new,
            old: OnceCell::new(),
            unchanged: Cell::new(None),
            ahead: self.ahead.saturating_sub(1),
            by_key: OnceCell::new(),
        }
    }

    /// True if this is the whole object.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The place of the part; empty for the whole object.
    pub(crate) fn place(&self) -> String {
        let mut place = String::new();
        self.with_trail(&mut |trail| place = trail.unknown());
        place
    }

    fn with_trail(&self, read: &mut dyn FnMut(&Trail<'_>)) {
        match self.parent {
            None => read(&Trail::ROOT),
            Some(parent) => parent.with_trail(&mut |trail| read(&trail.step(self.step))),
        }
    }

    /// The part around this one.
    pub(crate) fn around(&self) -> Option<&'c Correlated<'c, 'd>> {
        self.parent
    }

    /// This part or the nearest around it that correlates. Nothing below `apiVersion` and `kind` of the whole does:
    /// old and new objects are converted to one version, so these always look unchanged.
    pub(crate) fn nearest<'s>(&'s self) -> Option<&'s Correlated<'s, 'd>> {
        let steps = || std::iter::successors(Some(self as &'s Correlated<'s, 'd>), |part| part.parent);
        let is_converted = |part: &Correlated<'_, '_>| {
            part.parent.is_some_and(Correlated::is_root)
                && matches!(part.step, Step::Property("apiVersion" | "kind") | Step::Entry("apiVersion" | "kind"))
        };
        if steps().any(is_converted) { None } else { steps().find(|part| part.old().is_some()) }
    }

    /// The correlated old value, if any.
    pub(crate) fn old(&self) -> Option<&'d Value> {
        *self.old.get_or_init(|| self.parent?.old_part(self.step, self.place, self.new))
    }

    /// The old part that one at `step` correlates with.
    fn old_part(&self, step: Step<'_>, place: usize, new: &Value) -> Option<&'d Value> {
        match step {
            Step::Root => None,
            Step::Property(name) | Step::Entry(name) => self.old()?.as_object()?.get_near(name, place),
            Step::Index(_) => self.by_key()?.get(new, place),
        }
    }

    /// True if a part without parts, one step further down, correlates with an old one that it equals.
    ///
    /// It stands at `place` among the parts of this one.
    #[cold]
    pub(crate) fn has_unchanged(&self, step: Step<'d>, place: usize, new: &Value) -> bool {
        let answer = self.old_part(step, place, new) == Some(new);
        if !answer && self.correlates(step) {
            self.note_change();
        }
        answer
    }

    fn by_key(&self) -> Option<&KeyedList<'d>> {
        self.by_key.get_or_init(|| KeyedList::of(self.node, self.old()?)).as_ref()
    }

    /// True if this part correlates with an old one that it equals.
    #[inline(never)]
    pub(crate) fn unchanged(&self) -> bool {
        if let Some(known) = self.unchanged.get() {
            return known;
        }
        let answer = self.old().is_some_and(|old| same(self.node, self.new, old));
        self.unchanged.set(Some(answer));
        if !answer
            && let Some(around) = self.parent
            && around.correlates(self.step)
        {
            around.note_change();
        }
        answer
    }

    /// True if this part is unchanged, if that can be expected; elsewhere it is cheaper to ask when something is found.
    pub(crate) fn is_settled(&self) -> bool {
        self.expects_no_change() && self.unchanged()
    }

    /// True if the schema says which old part the one at `step` would belong to.
    fn correlates(&self, step: Step<'_>) -> bool {
        !matches!(step, Step::Index(_)) || self.node.list.keys().is_some()
    }

    /// Marks the value and its parents as changed.
    fn note_change(&self) {
        let mut part = Some(self);
        while let Some(changed) = part.filter(|part| part.unchanged.get() != Some(false)) {
            changed.unchanged.set(Some(false));
            part = changed.parent;
        }
    }
}

/// Equality through correlation: what the schema does not describe is never equal, lists with keys are equal in any
/// order.
fn same(node: &Node, new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::Array(new_items), Value::Array(old_items)) => {
            new_items.len() == old_items.len()
                && match node.list.keys() {
                    Some(_) => new_items.is_empty() || same_by_key(node, new_items, old),
                    None => new_items == old_items,
                }
        }
        (Value::Object(new_members), Value::Object(old_members)) => {
            let mut properties = node.properties.cursor();
            new_members.len() == old_members.len()
                && new_members.iter().zip(old_members).all(|((name, new), (old_name, old))| {
                    // Members are sorted, so equal names stand side by side.
                    let schema = properties.find(name).or_else(|| node.additional.schema());
                    name == old_name && schema.is_some_and(|node| same(node, new, old))
                })
        }
        _ => new == old,
    }
}

fn same_by_key(node: &Node, new: &[Value], old: &Value) -> bool {
    let (Some(items), Some(by_key)) = (node.items.as_deref(), KeyedList::of(node, old)) else { return false };
    new.iter().enumerate().all(|(at, new)| by_key.get(new, at).is_some_and(|old| same(items, new, old)))
}

#[cfg(test)]
mod tests;
