//! Patterns as programs over characters, as large as Go's: one instruction per character, class or operator.
//!
//! An automaton over bytes needs hundreds of states for a class such as `\pL`, and as many again for each repetition.

use std::collections::BTreeMap;

use regex_syntax::hir::{self, ClassUnicode, Hir, HirKind, Look};

/// The number of an instruction.
pub(crate) type Place = u32;

/// A compiled pattern.
pub(crate) struct Program {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) classes: Vec<Class>,
    pub(crate) start: Place,
    /// True if matches begin at the beginning of the text only.
    pub(crate) anchored: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) next: Place,
}

#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// Goes on after this character.
    Char(char),
    /// Goes on after a character of this class.
    Class(u32),
    /// Goes on where this holds.
    Look(Look),
    /// Goes on at the next instruction, or else at this one.
    Split(Place),
    /// The pattern has matched.
    Match,
}

/// The characters of a class.
pub(crate) struct Class {
    ascii: u128,
    ranges: Box<[(char, char)]>,
}

impl Class {
    pub(crate) fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let at = self.ranges.partition_point(|(_, high)| *high < c);
        self.ranges.get(at).is_some_and(|(low, _)| *low <= c)
    }
}

/// The size of what a pattern compiles to, with repetitions written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Instructions of a [`Program`].
    pub(crate) instructions: u64,
    /// States of an automaton over bytes, at most.
    pub(crate) states: u64,
}

impl Size {
    /// Computed before anything is compiled.
    // As upstream's `regexp/syntax.parser.calcSize`, without groups, which are not kept.
    pub(crate) fn of(hir: &Hir) -> Size {
        let size = match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Size::new(1, 1),
            HirKind::Literal(literal) => {
                let bytes = literal.0.len() as u64;
                Size::new(std::str::from_utf8(&literal.0).map_or(bytes, |text| text.chars().count() as u64), bytes)
            }
            HirKind::Class(class) => Size::new(1, states(&unicode(class))),
            HirKind::Capture(capture) => Size::of(&capture.sub),
            HirKind::Concat(parts) => parts.iter().map(Size::of).fold(Size::new(0, 0), Size::plus),
            HirKind::Alternation(parts) => {
                let splits = parts.len() as u64;
                parts.iter().map(Size::of).fold(Size::new(splits, splits), Size::plus)
            }
            HirKind::Repetition(repetition) => {
                let min = u64::from(repetition.min);
                let max = repetition.max.map(u64::from);
                let copies = max.unwrap_or(min).max(1);
                let splits = max.map_or(2, |max| max - min);
                Size::of(&repetition.sub).times(copies).plus(Size::new(splits, splits))
            }
        };
        Size { instructions: size.instructions.max(1), ..size }
    }

    fn new(instructions: u64, states: u64) -> Size {
        Size { instructions, states }
    }

    fn plus(self, other: Size) -> Size {
        Size {
            instructions: self.instructions.saturating_add(other.instructions),
            states: self.states.saturating_add(other.states),
        }
    }

    fn times(self, count: u64) -> Size {
        Size { instructions: self.instructions.saturating_mul(count), states: self.states.saturating_mul(count) }
    }
}

/// The states that a class needs at most: one for each byte of each range.
fn states(class: &ClassUnicode) -> u64 {
    class.ranges().iter().map(|range| range.end().len_utf8() as u64).sum()
}

impl Program {
    pub(crate) fn new(hir: &Hir) -> Program {
        let mut builder = Builder::default();
        let tree = builder.tree(hir);
        let end = builder.add(Operation::Match, 0);
        let start = builder.emit(&tree, end);
        let anchored = hir.properties().look_set_prefix().contains(Look::Start);
        Program { instructions: builder.instructions, classes: builder.classes, start, anchored }
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let ranges: usize = self.classes.iter().map(|class| size_of::<Class>() + size_of_val(&*class.ranges)).sum();
        self.instructions.capacity() * size_of::<Instruction>() + ranges
    }
}

/// A pattern whose classes are known by number, so that those of copies are not looked up again.
enum Tree {
    Empty,
    Text(Box<str>),
    Class(u32),
    Look(Look),
    Concat(Vec<Tree>),
    Alternate(Vec<Tree>),
    Repeat { sub: Box<Tree>, min: u32, max: Option<u32>, greedy: bool, matches_empty: bool },
}

#[derive(Default)]
struct Builder {
    instructions: Vec<Instruction>,
    classes: Vec<Class>,
    known: BTreeMap<Box<[(char, char)]>, u32>,
}

impl Builder {
    fn tree(&mut self, hir: &Hir) -> Tree {
        match hir.kind() {
            HirKind::Empty => Tree::Empty,
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => Tree::Text(text.into()),
                // The parser makes no literals but of text.
                Err(_) => Tree::Class(self.class(&ClassUnicode::empty())),
            },
            HirKind::Class(class) => Tree::Class(self.class(&unicode(class))),
            HirKind::Look(look) => Tree::Look(*look),
            HirKind::Capture(capture) => self.tree(&capture.sub),
            HirKind::Concat(parts) => Tree::Concat(parts.iter().map(|part| self.tree(part)).collect()),
            HirKind::Alternation(parts) => Tree::Alternate(parts.iter().map(|part| self.tree(part)).collect()),
            HirKind::Repetition(hir::Repetition { min, max, greedy, sub }) => Tree::Repeat {
                matches_empty: sub.properties().minimum_len() == Some(0),
                sub: Box::new(self.tree(sub)),
                min: *min,
                max: *max,
                greedy: *greedy,
            },
        }
    }

    fn class(&mut self, class: &ClassUnicode) -> u32 {
        let ranges: Box<[_]> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
        let number = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        *self.known.entry(ranges).or_insert_with_key(|ranges| {
            let contains = |code: &u8| ranges.iter().any(|(low, high)| (*low..=*high).contains(&char::from(*code)));
            let ascii = (0..128).filter(contains).fold(0, |set, code| set | 1_u128 << code);
            self.classes.push(Class { ascii, ranges: ranges.clone() });
            number
        })
    }

    fn add(&mut self, operation: Operation, next: Place) -> Place {
        // Sizes are limited before.
        let place = Place::try_from(self.instructions.len()).unwrap_or(Place::MAX);
        self.instructions.push(Instruction { operation, next });
        place
    }

    /// Adds what matches a tree and goes on at `next`; returns where it begins.
    fn emit(&mut self, tree: &Tree, next: Place) -> Place {
        match tree {
            Tree::Empty => next,
            Tree::Text(text) => text.chars().rev().fold(next, |next, c| self.add(Operation::Char(c), next)),
            Tree::Class(number) => self.add(Operation::Class(*number), next),
            Tree::Look(look) => self.add(Operation::Look(*look), next),
            Tree::Concat(parts) => parts.iter().rev().fold(next, |next, part| self.emit(part, next)),
            Tree::Alternate(parts) => {
                let mut others = None;
                for part in parts.iter().rev() {
                    let first = self.emit(part, next);
                    others = Some(others.map_or(first, |others| self.add(Operation::Split(others), first)));
                }
                others.unwrap_or(next)
            }
            Tree::Repeat { sub, min, max: Some(max), greedy, .. } => {
                let mut place = next;
                for _ in *min..*max {
                    let body = self.emit(sub, place);
                    place = self.choice(body, next, *greedy);
                }
                (0..*min).fold(place, |place, _| self.emit(sub, place))
            }
            Tree::Repeat { sub, min, max: None, greedy, matches_empty } => {
                let again = self.choice(next, next, *greedy);
                let body = self.emit(sub, again);
                self.lead(again, body, *greedy);
                match min {
                    // What matches the empty text is tried once before none is, as its other matches are preferred.
                    0 if *matches_empty => self.choice(body, next, *greedy),
                    0 => again,
                    _ => (1..*min).fold(body, |place, _| self.emit(sub, place)),
                }
            }
        }
    }

    /// Adds a choice between a body and what follows, of which a greedy one prefers the body.
    fn choice(&mut self, body: Place, after: Place, greedy: bool) -> Place {
        let (first, second) = if greedy { (body, after) } else { (after, body) };
        self.add(Operation::Split(second), first)
    }

    /// Lets a choice that was made before its body lead there.
    fn lead(&mut self, choice: Place, body: Place, greedy: bool) {
        let Some(instruction) = self.instructions.get_mut(choice as usize) else { return };
        if greedy {
            instruction.next = body;
        } else {
            instruction.operation = Operation::Split(body);
        }
    }
}

fn unicode(class: &hir::Class) -> ClassUnicode {
    match class {
        hir::Class::Unicode(class) => class.clone(),
        // The parser makes no classes of bytes, and joining them makes ASCII ones only.
        hir::Class::Bytes(class) => class.to_unicode_class().unwrap_or_else(ClassUnicode::empty),
    }
}
