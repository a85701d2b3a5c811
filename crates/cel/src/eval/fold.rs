//! Loops.

use bumpalo::collections::Vec as BumpVec;

use super::{CHECK_INTERVAL, Machine, Slot};
use crate::cost::LIST_CREATE;
use crate::cx::{Outcome, Trap};
use crate::program::{Fold, FoldKind, NodeId};
use crate::value::{Val, go_type, has_equals, key_order, show};

/// The continuation of a loop.
enum Flow {
    Continue,
    Break,
}

type Stepped<'a> = Result<Flow, Trap<'a>>;

/// An accumulator that survives errors: they end up in the result, but the loop goes on.
type Accumulator<'a, T> = Result<T, Trap<'a>>;

impl<'a> Machine<'_, 'a> {
    pub(super) fn fold(&mut self, fold: &'a Fold) -> Outcome<'a> {
        let range = self.eval(fold.range)?;
        match &fold.kind {
            FoldKind::All(predicate) => self.quantifier(fold, range, *predicate, false).map(Val::Bool),
            FoldKind::Exists(predicate) => self.quantifier(fold, range, *predicate, true).map(Val::Bool),
            FoldKind::ExistsOne(predicate) => self.exists_one(fold, range, *predicate),
            FoldKind::Collect { filter, element, constant } => self.collect(fold, range, *filter, *element, *constant),
            FoldKind::Insert { filter, value } => self.insert(fold, range, *filter, *value),
            FoldKind::InsertEntries { filter, entries } => self.insert_entries(fold, range, *filter, *entries),
        }
    }

    /// `all` and `exists`.
    pub(super) fn quantified(&mut self, fold: &'a Fold) -> Result<bool, Trap<'a>> {
        let range = self.eval(fold.range)?;
        match &fold.kind {
            FoldKind::All(predicate) => self.quantifier(fold, range, *predicate, false),
            FoldKind::Exists(predicate) => self.quantifier(fold, range, *predicate, true),
            _ => Err(self.cx.no_such_overload()),
        }
    }

    /// Runs `step` for each element, with the variables set.
    fn each(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        mut step: impl FnMut(&mut Self) -> Stepped<'a>,
    ) -> Result<(), Trap<'a>> {
        let slot = fold.slot as usize + 1;
        if let Val::JsonList(array, decl) = range
            && !fold.two_variables
        {
            let part = decl.part();
            for value in array {
                self.slots[slot] = self.cx.read(value, part).into();
                if let Flow::Break = step(self)? {
                    return Ok(());
                }
                self.tick()?;
            }
            return Ok(());
        }
        if range.as_list().is_some() {
            self.each_element(fold, range, step)
        } else {
            self.each_entry(fold, range, step)
        }
    }

    fn each_element(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        mut step: impl FnMut(&mut Self) -> Stepped<'a>,
    ) -> Result<(), Trap<'a>> {
        let Some(list) = range.as_list() else { return Ok(()) };
        let slot = fold.slot as usize + 1;
        let cx = self.cx.share();
        for (index, element) in list.iter(&cx).enumerate() {
            if fold.two_variables {
                self.slots[slot] = Slot::Value(Val::Int(i64::try_from(index).unwrap_or(i64::MAX)));
                self.slots[slot + 1] = element.into();
            } else {
                self.slots[slot] = element.into();
            }
            if let Flow::Break = step(self)? {
                return Ok(());
            }
            self.tick()?;
        }
        Ok(())
    }

    fn each_entry(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        mut step: impl FnMut(&mut Self) -> Stepped<'a>,
    ) -> Result<(), Trap<'a>> {
        let Some(map) = range.as_map() else { return Err(self.no_range(fold, range)) };
        let slot = fold.slot as usize + 1;
        let cx = self.cx.share();
        for (key, value) in map.iter(&cx) {
            self.slots[slot] = Slot::Value(key);
            if fold.two_variables {
                self.slots[slot + 1] = value.into();
            }
            if let Flow::Break = step(self)? {
                return Ok(());
            }
            self.tick()?;
        }
        Ok(())
    }

    #[cold]
    fn no_range(&self, fold: &Fold, range: Val<'a>) -> Trap<'a> {
        let kind = go_type(range);
        if fold.two_variables {
            self.cx.error(format_args!("unsupported comprehension range type: {kind}"))
        } else {
            self.cx.error(format_args!("got '{kind}', expected iterable type"))
        }
    }

    /// Counts a step, and stops when the budget is used up or the caller wants no more.
    #[inline]
    fn tick(&mut self) -> Result<(), Trap<'a>> {
        self.check_budget()?;
        self.steps += 1;
        if self.steps >= CHECK_INTERVAL {
            self.steps = 0;
            if self.limits.cancelled.is_some_and(|cancelled| cancelled()) {
                return Err(Trap::Cancelled);
            }
        }
        Ok(())
    }

    /// `all` and `exists`: stop at the element that decides, go on after errors.
    ///
    /// Per step the condition costs 2 or 3 and the accumulator 1, the result costs 1.
    fn quantifier(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        predicate: NodeId,
        decisive: bool,
    ) -> Result<bool, Trap<'a>> {
        let condition = if decisive { 3 } else { 2 };
        let mut accumulator: Accumulator<'a, bool> = Ok(!decisive);
        self.each(fold, range, |this| {
            this.cost += condition;
            if accumulator == Ok(decisive) {
                return Ok(Flow::Break);
            }
            this.cost += 1;
            match this.eval_bool(predicate) {
                Ok(value) if value == decisive => accumulator = Ok(decisive),
                Ok(_) => {}
                Err(trap @ Trap::Error(_)) => accumulator = accumulator.and(Err(trap)),
                Err(trap) => return Err(trap),
            }
            Ok(Flow::Continue)
        })?;
        self.cost += 1;
        accumulator
    }

    /// A hit costs 2 for counting; the result costs 2.
    fn exists_one(&mut self, fold: &'a Fold, range: Val<'a>, predicate: NodeId) -> Outcome<'a> {
        let mut hits: Accumulator<'a, u64> = Ok(0);
        self.each(fold, range, |this| {
            match this.eval_bool(predicate) {
                Ok(true) => {
                    this.cost += 2;
                    hits = hits.map(|hits| hits + 1);
                }
                Ok(false) => {}
                Err(trap @ Trap::Error(_)) => hits = Err(trap),
                Err(trap) => return Err(trap),
            }
            Ok(Flow::Continue)
        })?;
        self.cost += 2;
        hits.map(|hits| Val::Bool(hits == 1))
    }

    /// Reports whether the filter of a loop holds. An error replaces the accumulator.
    fn passes<T>(&mut self, filter: Option<NodeId>, accumulator: &mut Accumulator<'a, T>) -> Result<bool, Trap<'a>> {
        let Some(filter) = filter else { return Ok(true) };
        match self.eval_bool(filter) {
            Ok(passes) => Ok(passes),
            Err(trap @ Trap::Error(_)) => {
                *accumulator = Err(trap);
                Ok(false)
            }
            Err(trap) => Err(trap),
        }
    }

    /// Per element 1 for the accumulator, 10 for a list of one and 1 for adding it; the result costs 1.
    fn collect(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        filter: Option<NodeId>,
        element: NodeId,
        constant: bool,
    ) -> Outcome<'a> {
        let mut elements = BumpVec::new_in(self.cx.bump());
        let mut state: Accumulator<'a, ()> = Ok(());
        self.each(fold, range, |this| {
            if !this.passes(filter, &mut state)? {
                return Ok(Flow::Continue);
            }
            this.cost += 1;
            let outcome = this.eval(element);
            this.charge(if constant { 0 } else { LIST_CREATE })?;
            this.cost += 1;
            match outcome {
                Ok(value) if state.is_ok() => {
                    if elements.try_reserve(1).is_err() {
                        return Err(Trap::MemoryLimit);
                    }
                    elements.push(value);
                }
                Ok(_) => {}
                Err(trap @ Trap::Error(_)) => state = state.and(Err(trap)),
                Err(trap) => return Err(trap),
            }
            Ok(Flow::Continue)
        })?;
        self.cost += 1;
        state?;
        Ok(Val::List(elements.into_bump_slice()))
    }

    /// Per entry 1 for the accumulator, 1 for the key and 1 for the insertion; the result costs 1.
    fn insert(&mut self, fold: &'a Fold, range: Val<'a>, filter: Option<NodeId>, value: NodeId) -> Outcome<'a> {
        let mut table: Accumulator<'a, Table<'a>> = Ok(Table::default());
        let key_slot = fold.slot as usize + 1;
        self.each(fold, range, |this| {
            if !this.passes(filter, &mut table)? {
                return Ok(Flow::Continue);
            }
            this.cost += 1;
            if table.is_err() {
                return Ok(Flow::Continue);
            }
            this.cost += 1;
            let outcome = match this.slots[key_slot] {
                Slot::Value(key) => this.eval(value).map(|value| (key, value)),
                _ => Err(this.cx.fail("no such attribute(s)")),
            };
            this.cost += 1;
            match outcome {
                Ok((key, value)) => this.add_entry(&mut table, key, value),
                Err(trap @ Trap::Error(_)) => table = Err(trap),
                Err(trap) => return Err(trap),
            }
            Ok(Flow::Continue)
        })?;
        self.finish_table(table)
    }

    /// Per step 1 for the accumulator and 1 for the insertion; the result costs 1.
    fn insert_entries(
        &mut self,
        fold: &'a Fold,
        range: Val<'a>,
        filter: Option<NodeId>,
        entries: NodeId,
    ) -> Outcome<'a> {
        let mut table: Accumulator<'a, Table<'a>> = Ok(Table::default());
        self.each(fold, range, |this| {
            if !this.passes(filter, &mut table)? {
                return Ok(Flow::Continue);
            }
            this.cost += 1;
            let outcome = this.eval(entries);
            this.cost += 1;
            match outcome {
                Ok(entries) => this.add_entries(&mut table, entries)?,
                Err(trap @ Trap::Error(_)) => {
                    if table.is_ok() {
                        table = Err(trap);
                    }
                }
                Err(trap) => return Err(trap),
            }
            Ok(Flow::Continue)
        })?;
        self.finish_table(table)
    }

    fn add_entries(&mut self, table: &mut Accumulator<'a, Table<'a>>, entries: Val<'a>) -> Result<(), Trap<'a>> {
        let Some(map) = entries.as_map() else {
            if table.is_ok() {
                let kind = entries.type_name();
                *table = Err(self.cx.error(format_args!("no such overload: cel.@mapInsert(map, {kind})")));
            }
            return Ok(());
        };
        let cx = self.cx.share();
        for (key, value) in map.iter(&cx) {
            self.add_entry(table, key, value?);
        }
        Ok(())
    }

    fn add_entry(&mut self, table: &mut Accumulator<'a, Table<'a>>, key: Val<'a>, value: Val<'a>) {
        let Ok(known) = table else { return };
        if !known.insert(key, value) {
            let key = show(&self.cx, key);
            *table = Err(self.cx.error(format_args!("insert failed: key {key} already exists")));
        }
    }

    fn finish_table(&mut self, table: Accumulator<'a, Table<'a>>) -> Outcome<'a> {
        self.cost += 1;
        self.cx.slice(&table?.entries).map(Val::Map)
    }
}

/// A map in the making, sorted by key.
#[derive(Default)]
struct Table<'a> {
    entries: Vec<(Val<'a>, Val<'a>)>,
}

impl<'a> Table<'a> {
    /// Adds an entry unless its key is known.
    fn insert(&mut self, key: Val<'a>, value: Val<'a>) -> bool {
        // Keys mostly come in order.
        let last = self.entries.last().map(|(last, _)| key_order(*last, key));
        if last.is_none_or(std::cmp::Ordering::is_lt) {
            self.entries.push((key, value));
            return true;
        }
        match self.entries.binary_search_by(|(known, _)| key_order(*known, key)) {
            Ok(_) if has_equals(key) => false,
            Ok(at) | Err(at) => {
                self.entries.insert(at, (key, value));
                true
            }
        }
    }
}
