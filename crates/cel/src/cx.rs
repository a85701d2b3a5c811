//! The context of a running function: memory for its result, errors, compiled patterns.

use std::cell::RefCell;
use std::fmt;

use bumpalo::Bump;
use sprag_effort::{Stopped, charge_pattern};
use sprag_regexp::Regexp;
use sprag_release::{Fact, Release};
use sprag_value::Quantity;
use typed_arena::Arena;

use crate::program::Pattern;
use crate::value::{Const, Val, sort_entries};

/// The memory one evaluation may take for values it makes, in bytes.
pub const MEMORY_LIMIT: usize = 48 << 20;

/// The reasons why an evaluation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap<'a> {
    /// An error of the expression, which `&&`, `||`, `all` and `exists` may absorb.
    ///
    /// The text is behind one more reference to keep results small enough for registers.
    Error(&'a &'a str),
    /// The cost limit is used up.
    CostLimit,
    /// [`MEMORY_LIMIT`] is used up.
    MemoryLimit,
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for Trap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error(text) => text,
            Self::CostLimit | Self::MemoryLimit => "operation cancelled: actual cost limit exceeded",
            Self::Cancelled => "operation interrupted",
        })
    }
}

impl From<Stopped> for Trap<'_> {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Slice => Self::Cancelled,
            Stopped::Patterns => Self::CostLimit,
        }
    }
}

/// A value, or the error that prevented it.
pub type Outcome<'a> = Result<Val<'a>, Trap<'a>>;

/// Memory for the values of an evaluation. Make one, use it for many evaluations, [`reset`](Scratch::reset) between.
///
/// It takes no memory until a value is made that does not borrow from the input.
pub struct Scratch {
    bump: Bump,
    quantities: Arena<Quantity>,
}

impl Default for Scratch {
    fn default() -> Self {
        let bump = Bump::new();
        bump.set_allocation_limit(Some(MEMORY_LIMIT));
        Self { bump, quantities: Arena::with_capacity(0) }
    }
}

impl Scratch {
    /// A context to look into values with.
    pub fn cx(&self) -> Cx<'_> {
        Cx::new(self, &[], Release::NEWEST)
    }

    /// Frees what earlier evaluations made, and keeps the memory for the next.
    pub fn reset(&mut self) {
        self.bump.reset();
        if self.quantities.len() > 0 {
            self.quantities = Arena::with_capacity(0);
        }
    }
}

/// The context of a function call.
pub struct Cx<'a> {
    scratch: &'a Scratch,
    patterns: &'a [Pattern],
    /// The release whose language it is.
    release: Release,
    /// The pattern that was read last.
    last: RefCell<Option<(&'a str, Regexp)>>,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(scratch: &'a Scratch, patterns: &'a [Pattern], release: Release) -> Self {
        Self { scratch, patterns, release, last: RefCell::new(None) }
    }

    /// The same context for use beside this one.
    pub(crate) fn share(&self) -> Self {
        Self::new(self.scratch, self.patterns, self.release)
    }

    /// True if a fact holds in the release whose language it is.
    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.release.has(fact)
    }

    pub(crate) fn bump(&self) -> &'a Bump {
        &self.scratch.bump
    }

    /// An error with a fixed text.
    pub fn fail(&self, text: &'static str) -> Trap<'a> {
        self.keep(text).map_or_else(|trap| trap, Trap::Error)
    }

    /// An error with a text made on the spot: `cx.error(format_args!("index out of range: {i}"))`.
    pub fn error(&self, text: fmt::Arguments<'_>) -> Trap<'a> {
        let text = self.str(&text.to_string()).and_then(|text| self.keep(text));
        text.map_or_else(|trap| trap, Trap::Error)
    }

    /// The error of a function that has no overload for its arguments.
    pub fn no_such_overload(&self) -> Trap<'a> {
        Trap::Error(&"no such overload")
    }

    /// Copies a string into the memory of the evaluation.
    pub fn str(&self, text: &str) -> Result<&'a str, Trap<'a>> {
        match self.scratch.bump.try_alloc_str(text) {
            Ok(text) => Ok(text),
            Err(_) => Err(Trap::MemoryLimit),
        }
    }

    /// Two strings one after the other.
    pub fn concat(&self, a: &str, b: &str) -> Result<&'a str, Trap<'a>> {
        let bytes = self.concat_bytes(a.as_bytes(), b.as_bytes())?;
        // Two strings in a row are a string, so nothing is ever lost.
        Ok(std::str::from_utf8(bytes).unwrap_or_default())
    }

    /// Two byte strings one after the other.
    pub fn concat_bytes(&self, a: &[u8], b: &[u8]) -> Result<&'a [u8], Trap<'a>> {
        let mut bytes = bumpalo::collections::Vec::new_in(&self.scratch.bump);
        if bytes.try_reserve_exact(a.len() + b.len()).is_err() {
            return Err(Trap::MemoryLimit);
        }
        bytes.extend_from_slice_copy(a);
        bytes.extend_from_slice_copy(b);
        Ok(bytes.into_bump_slice())
    }

    /// Copies bytes into the memory of the evaluation.
    pub fn bytes(&self, bytes: &[u8]) -> Result<&'a [u8], Trap<'a>> {
        match self.scratch.bump.try_alloc_slice_copy(bytes) {
            Ok(bytes) => Ok(bytes),
            Err(_) => Err(Trap::MemoryLimit),
        }
    }

    /// Keeps a small `Copy` value for the time of the evaluation.
    pub fn keep<T: Copy>(&self, value: T) -> Result<&'a T, Trap<'a>> {
        match self.scratch.bump.try_alloc(value) {
            Ok(value) => Ok(value),
            Err(_) => Err(Trap::MemoryLimit),
        }
    }

    /// Copies a slice into the memory of the evaluation.
    pub fn slice<T: Copy>(&self, values: &[T]) -> Result<&'a [T], Trap<'a>> {
        match self.scratch.bump.try_alloc_slice_copy(values) {
            Ok(values) => Ok(values),
            Err(_) => Err(Trap::MemoryLimit),
        }
    }

    /// A copy of a constant that lives as long as the evaluation.
    pub(crate) fn copy_const(&self, constant: &Const) -> Outcome<'a> {
        Ok(match constant {
            Const::String(text) => Val::String(self.str(text)?),
            Const::Bytes(bytes) => Val::Bytes(self.bytes(bytes)?),
            Const::Type(name) => Val::Type(self.str(name)?),
            Const::List(elements) => {
                let elements =
                    elements.iter().map(|element| self.copy_const(element)).collect::<Result<Vec<_>, _>>()?;
                Val::List(self.slice(&elements)?)
            }
            Const::Map(entries) => {
                let copy = |(key, value): &(Const, Const)| Ok((self.copy_const(key)?, self.copy_const(value)?));
                let entries = entries.iter().map(copy).collect::<Result<Vec<_>, Trap<'a>>>()?;
                Val::Map(self.slice(&entries)?)
            }
            Const::Null => Val::Null,
            Const::Bool(value) => Val::Bool(*value),
            Const::Int(value) => Val::Int(*value),
            Const::Uint(value) => Val::Uint(*value),
            Const::Double(value) => Val::Double(*value),
            Const::Timestamp(time) => Val::Timestamp(*time),
            Const::Duration(nanos) => Val::Duration(*nanos),
        })
    }

    /// Keeps a quantity for the time of the evaluation.
    pub fn quantity(&self, quantity: Quantity) -> &'a Quantity {
        self.scratch.quantities.alloc(quantity)
    }

    /// A string value with this text.
    pub fn string(&self, text: &str) -> Outcome<'a> {
        self.str(text).map(Val::String)
    }

    /// A list value of these elements.
    pub fn list(&self, elements: &[Val<'a>]) -> Outcome<'a> {
        self.slice(elements).map(Val::List)
    }

    /// Elements gathered in the memory of the evaluation, so that they count from the first one; `len` is how many to
    /// expect.
    pub fn collect(
        &self,
        len: usize,
        elements: impl Iterator<Item = Outcome<'a>>,
    ) -> Result<&'a mut [Val<'a>], Trap<'a>> {
        let mut collected = bumpalo::collections::Vec::new_in(&self.scratch.bump);
        if collected.try_reserve_exact(len).is_err() {
            return Err(Trap::MemoryLimit);
        }
        for element in elements {
            if collected.try_reserve(1).is_err() {
                return Err(Trap::MemoryLimit);
            }
            collected.push(element?);
        }
        Ok(collected.into_bump_slice_mut())
    }

    /// A map value of these entries; of equal keys the last one counts.
    pub fn map(&self, mut entries: Vec<(Val<'a>, Val<'a>)>) -> Outcome<'a> {
        sort_entries(&mut entries);
        self.slice(&entries).map(Val::Map)
    }

    /// The present optional around a value.
    pub fn some(&self, value: Val<'a>) -> Outcome<'a> {
        self.keep(value).map(|value| Val::Optional(Some(value)))
    }

    /// A pattern: from the program when it is one of its constants, otherwise read now.
    ///
    /// The error is Go's: ``error parsing regexp: missing closing ]: `[` ``. `prefix` is what the function says before it.
    pub fn regexp(&self, pattern: &'a str, prefix: &str) -> Result<Regexp, Trap<'a>> {
        if let Some(known) = self.patterns.iter().find(|known| std::ptr::eq(&raw const *known.text, pattern)) {
            return Ok(known.regexp.clone());
        }
        if let Some((text, regexp)) = &*self.last.borrow()
            && *text == pattern
        {
            return Ok(regexp.clone());
        }
        charge_pattern(Regexp::reading(pattern))?;
        let regexp = Regexp::new(pattern).map_err(|error| self.error(format_args!("{prefix}{error}")))?;
        *self.last.borrow_mut() = Some((pattern, regexp.clone()));
        Ok(regexp)
    }

    /// A buffer for a string of unknown length that stops at the memory limit.
    pub fn buffer(&self) -> Buffer<'_, 'a> {
        Buffer { cx: self, text: String::new() }
    }
}

/// The longest string that a function builds, in bytes. Touching each of them once costs more than a rule may.
const MAX_BUILT: usize = MEMORY_LIMIT / 4;

/// Builds a string, no longer than is sensible.
pub struct Buffer<'c, 'a> {
    cx: &'c Cx<'a>,
    text: String,
}

impl<'a> Buffer<'_, 'a> {
    /// Appends text.
    pub fn push_str(&mut self, text: &str) -> Result<(), Trap<'a>> {
        if self.text.len() + text.len() > MAX_BUILT {
            return Err(Trap::MemoryLimit);
        }
        self.text.push_str(text);
        Ok(())
    }

    /// The finished string value.
    pub fn finish(self) -> Outcome<'a> {
        self.cx.string(&self.text)
    }
}
