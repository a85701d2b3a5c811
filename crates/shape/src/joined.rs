//! The fields of a struct beside the members of an object.

use std::cmp::Ordering;
use std::slice;

use sprag_value::{Entry, MAX_DEPTH, Object, Value, key_order};

use crate::shapes::type_id;
use crate::zero::is_omitted;
use crate::{Field, Shapes, Slot, TypeId};

/// The fields of all structs of a table, as [`Joined`] passes them.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// One struct after the other, the fields of each sorted by JSON name.
    fields: Box<[PassedField]>,
    /// The position behind the last field of each type.
    ends: Box<[usize]>,
}

/// The facts of a field that passing it takes: most fields are absent, and nothing else of them is read.
#[derive(Clone, Copy, Debug)]
struct PassedField {
    name: Start,
    slot: Slot,
    /// The start of the name of a field that Go leaves out of JSON when it is absent; the last of all starts for another.
    left_out_before: u64,
}

impl Passed {
    pub(crate) fn new(shapes: &Shapes) -> Self {
        let mut fields = Vec::new();
        let mut ends = Vec::with_capacity(shapes.types().len());
        for at in 0..shapes.types().len() {
            for (slot, field) in
                shapes.lookup(type_id(at)).iter().filter_map(|slot| Some((*slot, shapes.field_at(*slot)?)))
            {
                let name = Start::of(&field.json);
                let is_left_out = is_omitted(shapes, field, None, MAX_DEPTH);
                let left_out_before = if is_left_out { name.bytes } else { u64::MAX };
                fields.push(PassedField { name, slot, left_out_before });
            }
            ends.push(fields.len());
        }
        Self { fields: fields.into(), ends: ends.into() }
    }

    fn of(&self, id: TypeId) -> &[PassedField] {
        let at = id.0 as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(at).and_then(|end| self.fields.get(start..*end)).unwrap_or_default()
    }
}

/// See [`Shapes::joined`].
pub struct Joined<'s, 'm> {
    shapes: &'s Shapes,
    id: TypeId,
    /// Those that the struct declares itself.
    own: &'s [Field],
    fields: slice::Iter<'s, PassedField>,
    members: &'m [Entry],
    /// The number of members that were passed.
    at: usize,
    /// The name of the member that comes next, if there is one.
    name: Option<Start>,
    undeclared: usize,
    /// True if absent fields that Go leaves out are skipped.
    is_printed: bool,
}

impl<'s, 'm> Joined<'s, 'm> {
    #[inline]
    pub(crate) fn new(shapes: &'s Shapes, id: TypeId, members: &'m Object, is_printed: bool) -> Self {
        let own = shapes.get(id).fields();
        let fields = shapes.passed().of(id).iter();
        let members = members.entries();
        let name = members.first().map(|member| Start::of(member.key()));
        Self { shapes, id, own, fields, members, at: 0, name, undeclared: 0, is_printed }
    }

    /// The number of members in front of the one that comes next.
    pub fn passed(&self) -> usize {
        self.at
    }

    /// The number of members without a field, once all fields were asked for.
    pub fn undeclared(&self) -> usize {
        self.undeclared + self.members.len() - self.at
    }

    /// Passes the fields up to one that may be that of the next member or is printed without one.
    #[inline]
    fn skip_left_out(&mut self) {
        let fields = self.fields.as_slice();
        let next = self.name.map_or(u64::MAX, |name| name.bytes);
        let end = fields.iter().position(|field| field.left_out_before >= next).unwrap_or(fields.len());
        self.fields = fields[end..].iter();
    }

    #[inline]
    fn field(&self, Slot { owner, field }: Slot) -> Option<&'s Field> {
        if owner == self.id { self.own.get(usize::from(field)) } else { self.shapes.field_at(Slot { owner, field }) }
    }

    /// The order of a name, which is that of the next member, and of the one of a field.
    #[inline]
    fn order(&self, name: Start, field: &PassedField) -> Ordering {
        name.bytes.cmp(&field.name.bytes).then_with(|| {
            if name.is_all() && field.name.is_all() {
                return name.len.cmp(&field.name.len);
            }
            self.order_of_long(field)
        })
    }

    /// The same for names that begin alike.
    #[inline(never)]
    fn order_of_long(&self, field: &PassedField) -> Ordering {
        let name = self.members[self.at].key();
        let json = self.field(field.slot).map_or("", |field| &field.json);
        if *name == *json { Ordering::Equal } else { key_order(name.as_bytes(), json.as_bytes()) }
    }
}

impl<'s, 'm> Iterator for Joined<'s, 'm> {
    type Item = (&'s Field, Option<&'m Value>);

    #[expect(clippy::inline_always, reason = "keeping the state of the walk in memory costs as much as the walk")]
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_printed {
            self.skip_left_out();
        }
        while let Some(field) = self.fields.next() {
            while let Some(name) = self.name {
                let order = self.order(name, field);
                if order == Ordering::Greater {
                    break;
                }
                let passed = self.at;
                self.at += 1;
                self.name = self.members.get(self.at).map(|member| Start::of(member.key()));
                if order == Ordering::Equal {
                    return Some((self.field(field.slot)?, Some(self.members[passed].value())));
                }
                self.undeclared += 1;
            }
            if !self.is_printed || field.left_out_before == u64::MAX {
                return Some((self.field(field.slot)?, None));
            }
        }
        None
    }
}

/// The beginning of a name.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The first eight bytes as a number, whose order is the one of names where it differs.
    bytes: u64,
    /// The length of the name, as far as it can be told.
    len: u16,
}

impl Start {
    #[inline]
    fn of(name: &str) -> Self {
        let name = name.as_bytes();
        Self { bytes: first_bytes(name), len: u16::try_from(name.len()).unwrap_or(u16::MAX) }
    }

    /// True if that is the whole name.
    fn is_all(self) -> bool {
        self.len <= 8
    }
}

#[inline]
fn first_bytes(name: &[u8]) -> u64 {
    if let Some(start) = name.first_chunk() {
        return u64::from_be_bytes(*start);
    }
    let missing = 8 * (8 - u32::try_from(name.len()).unwrap_or(0));
    if let (Some(start), Some(end)) = (name.first_chunk(), name.last_chunk()) {
        // Both overlap, and agree where they do.
        return u64::from(u32::from_be_bytes(*start)) << 32 | u64::from(u32::from_be_bytes(*end)) << missing;
    }
    name.iter().fold(0, |start, byte| start << 8 | u64::from(*byte)).checked_shl(missing).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, TypeRef, TypeShape};

    #[test]
    fn first_bytes_are_in_the_order_of_names() {
        let names = ["", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abd", "b", "ba", "é"];
        for pair in names.windows(2) {
            assert!(first_bytes(pair[0].as_bytes()) < first_bytes(pair[1].as_bytes()), "{pair:?}");
        }
        assert_eq!(first_bytes(b"abcdefgh"), first_bytes(b"abcdefghi"));
        assert_eq!(first_bytes(b"abcde"), first_bytes(b"abcde\0"));
    }

    /// The fields and members that a walk passes, and the number of members without a field.
    fn walk(names: &[&'static str], members: &[&str], is_printed: bool) -> (Vec<(String, bool)>, usize) {
        let field = |name: &&'static str| {
            let field = Field::new(name, name, TypeRef::value(TypeId(0)));
            if name.ends_with('?') { field.omit_empty() } else { field }
        };
        let fields: Vec<Field> = names.iter().map(field).collect();
        let shapes =
            Shapes::new(vec![TypeShape::new("", Kind::String), TypeShape::new("T", Kind::of_fields(fields.into()))]);
        let members: Object = members.iter().map(|name| (*name, Value::Null)).collect();
        let mut joined = Joined::new(&shapes, TypeId(1), &members, is_printed);
        let passed = joined.by_ref().map(|(field, value)| (field.json.to_string(), value.is_some())).collect();
        (passed, joined.undeclared())
    }

    #[test]
    fn members_are_found_whatever_their_names_begin_with() {
        let names = ["a", "abcdefgh", "abcdefghi", "abcdefghij?", "b?", "c"];
        let (passed, undeclared) = walk(&names, &["abcdefgha", "abcdefghi", "abcdefghk", "b?", "d"], false);
        let found: Vec<&str> = passed.iter().filter(|(_, found)| *found).map(|(name, _)| name.as_str()).collect();
        assert_eq!((found, passed.len(), undeclared), (vec!["abcdefghi", "b?"], names.len(), 3));
    }

    #[test]
    fn absent_fields_that_are_left_out_are_not_printed() {
        let name = |(name, found): &(&str, bool)| ((*name).to_owned(), *found);
        let want: Vec<_> = [("a", false), ("b?", true), ("d", false)].iter().map(name).collect();
        assert_eq!(walk(&["a", "b?", "c?", "d"], &["b?", "e"], true), (want, 1));
    }
}
