//! Lists: made by the expression, or views of the input.

use std::collections::{BTreeMap, BTreeSet};

use sprag_value::Array;

use super::map::ByKey;
use super::{Const, Val};
use crate::cx::{Cx, Outcome, Trap};
use crate::decl::{DeclType, ListKind};

/// Sums up to this many elements are copied; longer ones refer to their parts.
const COPIED_SUM: usize = 256;

/// No sum is longer, whatever its parts share. Going through one that is would cost more than a rule may.
const MAX_SUM: usize = 1 << 21;

/// A list value.
#[derive(Clone, Copy, Debug)]
pub enum List<'a> {
    /// Elements the expression made.
    Made(&'a [Val<'a>]),
    /// Elements the program carries.
    Const(&'a [Const]),
    /// A list of the input with its declared type.
    Json(&'a Array, &'a DeclType),
    /// The sum of two lists.
    Sum(&'a Sum<'a>),
    /// Elements made from a list that is a set or has keys.
    Keyed(&'a Keyed<'a>),
}

/// Two lists one after the other, so that adding long lists copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct Sum<'a> {
    left: List<'a>,
    right: List<'a>,
    len: usize,
}

impl Sum<'_> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Elements with the list kind they inherited.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a> {
    /// The elements.
    pub elements: &'a [Val<'a>],
    /// The kind.
    pub kind: &'a ListKind,
}

impl<'a> List<'a> {
    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Made(elements) => elements.len(),
            Self::Const(elements) => elements.len(),
            Self::Json(array, _) => array.len(),
            Self::Sum(sum) => sum.len,
            Self::Keyed(keyed) => keyed.elements.len(),
        }
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, if there is one. It can be an error when the input does not fit its declared type.
    #[inline]
    pub fn get(&self, cx: &Cx<'a>, mut index: usize) -> Option<Outcome<'a>> {
        let mut list = *self;
        loop {
            match list {
                Self::Made(elements) => return elements.get(index).copied().map(Ok),
                Self::Keyed(keyed) => return keyed.elements.get(index).copied().map(Ok),
                Self::Const(elements) => return elements.get(index).map(|element| Ok(element.val())),
                Self::Json(array, decl) => return array.get(index).map(|value| cx.read(value, decl.part())),
                Self::Sum(sum) if index < sum.left.len() => list = sum.left,
                Self::Sum(sum) => {
                    index -= sum.left.len();
                    list = sum.right;
                }
            }
        }
    }

    /// The elements in order.
    pub fn iter<'c>(self, cx: &'c Cx<'a>) -> Elements<'c, 'a> {
        Elements { cx, list: self, at: 0, later: Vec::new() }
    }

    /// The elements as one slice, copied unless they are one already.
    pub fn to_slice(self, cx: &Cx<'a>) -> Result<&'a [Val<'a>], Trap<'a>> {
        match self {
            Self::Made(elements) => Ok(elements),
            Self::Keyed(keyed) => Ok(keyed.elements),
            _ => cx.collect(self.len(), self.iter(cx)).map(|elements| &*elements),
        }
    }

    /// The list type: atomic, set or map.
    pub(super) fn kind(&self) -> &'a ListKind {
        match self {
            Self::Json(_, decl) => &decl.list,
            Self::Keyed(keyed) => keyed.kind,
            Self::Made(_) | Self::Const(_) | Self::Sum(_) => &ListKind::Atomic,
        }
    }

    /// The sum `self + other`, by the kind of `self`.
    pub(crate) fn add(self, cx: &Cx<'a>, other: List<'a>) -> Outcome<'a> {
        match self.kind() {
            ListKind::Atomic => self.concat(cx, other),
            ListKind::Set => self.union(cx, other),
            ListKind::Map(keys) => self.merge(cx, other, keys),
        }
    }

    fn concat(self, cx: &Cx<'a>, other: List<'a>) -> Outcome<'a> {
        let len = self.len() + other.len();
        if len <= COPIED_SUM {
            let mut elements = Vec::with_capacity(len);
            for element in self.iter(cx).chain(other.iter(cx)) {
                elements.push(element?);
            }
            return cx.list(&elements);
        }
        if other.is_empty() || self.is_empty() {
            return Ok((if other.is_empty() { self } else { other }).to_val());
        }
        if len > MAX_SUM {
            return Err(Trap::MemoryLimit);
        }
        cx.keep(Sum { left: self, right: other, len }).map(Val::SumList)
    }

    fn union(self, cx: &Cx<'a>, other: List<'a>) -> Outcome<'a> {
        let mut elements = Vec::with_capacity(self.len());
        let mut known = BTreeSet::new();
        for element in self.iter(cx) {
            let element = element?;
            known.insert(set_element(cx, element)?);
            elements.push(element);
        }
        for element in other.iter(cx) {
            let element = element?;
            if known.insert(set_element(cx, element)?) {
                elements.push(element);
            }
        }
        self.keyed(cx, &elements)
    }

    fn merge(self, cx: &Cx<'a>, other: List<'a>, keys: &[String]) -> Outcome<'a> {
        let mut elements: Vec<Val<'a>> = self.iter(cx).collect::<Result<_, _>>()?;
        let mut places = BTreeMap::new();
        for (place, element) in elements.iter().enumerate() {
            places.insert(list_key(cx, *element, keys)?, place);
        }
        for element in other.iter(cx) {
            let element = element?;
            match places.get(&list_key(cx, element, keys)?) {
                Some(place) => elements[*place] = element,
                None => elements.push(element),
            }
        }
        self.keyed(cx, &elements)
    }

    fn keyed(self, cx: &Cx<'a>, elements: &[Val<'a>]) -> Outcome<'a> {
        let elements = cx.slice(elements)?;
        cx.keep(Keyed { elements, kind: self.kind() }).map(Val::KeyedList)
    }

    fn to_val(self) -> Val<'a> {
        match self {
            Self::Made(elements) => Val::List(elements),
            Self::Const(elements) => Val::ConstList(elements),
            Self::Json(array, decl) => Val::JsonList(array, decl),
            Self::Sum(sum) => Val::SumList(sum),
            Self::Keyed(keyed) => Val::KeyedList(keyed),
        }
    }
}

/// An element of a set; only scalars can be.
pub(super) fn set_element<'a>(cx: &Cx<'a>, element: Val<'a>) -> Result<ByKey<'a>, Trap<'a>> {
    if element.as_list().is_some() || element.as_map().is_some() {
        return Err(cx.fail("listSet operations are only supported on lists of scalar values"));
    }
    Ok(ByKey(element))
}

/// The values of the members that identify an element.
pub(super) type ListKey<'a> = Vec<Option<ByKey<'a>>>;

pub(super) fn list_key<'a>(cx: &Cx<'a>, element: Val<'a>, keys: &[String]) -> Result<ListKey<'a>, Trap<'a>> {
    let Some(map) = element.as_map() else { return Ok(Vec::new()) };
    keys.iter().map(|key| Ok(map.get_str(cx, key)?.map(ByKey))).collect()
}

/// The elements of a list in order.
pub struct Elements<'c, 'a> {
    cx: &'c Cx<'a>,
    list: List<'a>,
    at: usize,
    /// Parts of sums that come after the current list, next one last.
    later: Vec<List<'a>>,
}

impl<'a> Iterator for Elements<'_, 'a> {
    type Item = Outcome<'a>;

    #[inline]
    fn next(&mut self) -> Option<Outcome<'a>> {
        loop {
            while let List::Sum(sum) = self.list {
                self.later.push(sum.right);
                self.list = sum.left;
            }
            if let Some(element) = self.list.get(self.cx, self.at) {
                self.at += 1;
                return Some(element);
            }
            self.list = self.later.pop()?;
            self.at = 0;
        }
    }
}
