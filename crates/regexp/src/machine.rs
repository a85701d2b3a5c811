//! Runs programs: all ways through a program at once, one character after the other, as Go's `regexp` does.
//!
//! The time of a search is bounded by the length of the text times the number of instructions, and is asked for in advance.

use std::ops::Range;
use std::sync::Arc;

use regex_syntax::hir::Look;
use sprag_effort::Stopped;

use crate::program::{Operation, Place, Program};

/// Asks for work. After an error it must not be done.
pub(crate) type Spend = fn(u64) -> Result<(), Stopped>;

/// Steps between two questions whether to go on.
const STEPS_AT_ONCE: u64 = 1000;

/// The kind of match that is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Any.
    Any,
    /// The leftmost, and among those the one that earlier alternatives and greedy repetitions lead to.
    Leftmost,
}

/// A program and the memory to run it.
pub(crate) struct Machine {
    program: Arc<Program>,
    spend: Spend,
    /// Steps that were not asked for yet.
    steps: u64,
    now: Threads,
    /// Those before the last character, whose memory is used again.
    before: Threads,
    stack: Vec<Place>,
    /// The answer of each class about one character, and the number of that.
    members: Vec<(u64, bool)>,
    character: u64,
}

/// Places in a program, the preferred first, with where each match would begin.
struct Threads {
    list: Vec<(Place, usize)>,
    /// Where in the list a place is, if it is there.
    index: Vec<u32>,
}

impl Threads {
    fn new(size: usize) -> Threads {
        Threads { list: Vec::new(), index: vec![0; size] }
    }

    /// Adds a place that is not there yet.
    fn add(&mut self, place: Place, start: usize) -> bool {
        let Some(index) = self.index.get_mut(place as usize) else { return false };
        if self.list.get(*index as usize).is_some_and(|(known, _)| *known == place) {
            return false;
        }
        *index = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push((place, start));
        true
    }
}

/// A place between two characters.
#[derive(Clone, Copy)]
struct Between {
    before: Option<char>,
    after: Option<char>,
}

impl Machine {
    pub(crate) fn new(program: Arc<Program>, spend: Spend) -> Result<Machine, Stopped> {
        let size = program.instructions.len();
        spend(size as u64 / 4)?;
        Ok(Machine {
            members: vec![(0, false); program.classes.len()],
            program,
            spend,
            steps: 0,
            now: Threads::new(size),
            before: Threads::new(size),
            stack: Vec::new(),
            character: 0,
        })
    }

    /// The first match that begins at `from` or later.
    pub(crate) fn search(&mut self, text: &str, from: usize, goal: Goal) -> Result<Option<Range<usize>>, Stopped> {
        let mut rest = text.get(from..).unwrap_or_default().chars();
        let mut here =
            Between { before: text.get(..from).and_then(|text| text.chars().next_back()), after: rest.next() };
        let mut at = from;
        let mut found = None;
        self.now.list.clear();
        loop {
            if found.is_none() && (!self.program.anchored || at == 0) {
                self.follow(self.program.start, at, here);
            }
            if self.now.list.is_empty() && (found.is_some() || self.program.anchored) {
                break;
            }
            let there = Between { before: here.after, after: rest.next() };
            if let Some(start) = self.step(here.after, there) {
                found = Some(start..at);
                if goal == Goal::Any {
                    break;
                }
            }
            if self.steps >= STEPS_AT_ONCE {
                self.pay()?;
            }
            let Some(c) = here.after else { break };
            at += c.len_utf8();
            here = there;
        }
        self.pay()?;
        Ok(found)
    }

    fn pay(&mut self) -> Result<(), Stopped> {
        (self.spend)(std::mem::take(&mut self.steps))
    }

    /// Lets all threads read a character; says where a match begins that ends before it. Threads after that are dropped.
    fn step(&mut self, c: Option<char>, there: Between) -> Option<usize> {
        self.character += 1;
        self.steps += 1 + self.now.list.len() as u64;
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.list.clear();
        let threads = std::mem::take(&mut self.before.list);
        let mut matched = None;
        for &(place, start) in &threads {
            let Some(&instruction) = self.program.instructions.get(place as usize) else { continue };
            let passes = match instruction.operation {
                Operation::Match => {
                    matched = Some(start);
                    break;
                }
                Operation::Char(wanted) => c == Some(wanted),
                Operation::Class(class) => c.is_some_and(|c| self.contains(class, c)),
                Operation::Look(_) | Operation::Split(_) => false,
            };
            if passes {
                self.follow(instruction.next, start, there);
            }
        }
        self.before.list = threads;
        matched
    }

    fn contains(&mut self, class: u32, c: char) -> bool {
        let Some(member) = self.members.get_mut(class as usize) else { return false };
        if member.0 != self.character {
            *member = (self.character, self.program.classes.get(class as usize).is_some_and(|class| class.contains(c)));
        }
        member.1
    }

    /// Adds a place to the present threads, and all that it leads to without a character.
    fn follow(&mut self, place: Place, start: usize, here: Between) {
        self.stack.push(place);
        while let Some(place) = self.stack.pop() {
            self.steps += 1;
            if !self.now.add(place, start) {
                continue;
            }
            let Some(&instruction) = self.program.instructions.get(place as usize) else { continue };
            match instruction.operation {
                Operation::Split(other) => self.stack.extend([other, instruction.next]),
                Operation::Look(look) if here.allows(look) => self.stack.push(instruction.next),
                _ => {}
            }
        }
    }
}

impl Between {
    fn allows(self, look: Look) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_ascii_alphanumeric());
        let is_boundary = is_word(self.before) != is_word(self.after);
        match look {
            Look::Start => self.before.is_none(),
            Look::End => self.after.is_none(),
            Look::StartLF => matches!(self.before, None | Some('\n')),
            Look::EndLF => matches!(self.after, None | Some('\n')),
            Look::WordAscii => is_boundary,
            Look::WordAsciiNegate => !is_boundary,
            // The parser makes no others.
            _ => false,
        }
    }
}
