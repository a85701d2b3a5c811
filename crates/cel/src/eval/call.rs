//! Function calls.

use super::Machine;
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Binding, Charge, Overload};
use crate::program::Call;
use crate::types::Sig;
use crate::value::{List, Map, Val};

/// Calls with up to this many arguments need no memory for them.
const INLINE_ARGS: usize = 4;

impl<'a> Machine<'_, 'a> {
    pub(super) fn call(&mut self, call: &'a Call) -> Outcome<'a> {
        match call.args.len() {
            1 => self.call_one(call),
            2 if !call.early => self.call_two(call),
            count if count <= INLINE_ARGS => {
                let mut outcomes = [Ok(Val::Null); INLINE_ARGS];
                let mut values = [Val::Null; INLINE_ARGS];
                self.call_many(call, &mut outcomes[..count], &mut values[..count])
            }
            count => {
                let mut outcomes = vec![Ok(Val::Null); count];
                let mut values = vec![Val::Null; count];
                self.call_many(call, &mut outcomes, &mut values)
            }
        }
    }

    fn call_one(&mut self, call: &'a Call) -> Outcome<'a> {
        let arg = self.eval(call.args[0]);
        let result = match arg {
            Ok(value) => call.apply(&self.cx, &[value]),
            Err(trap) => Err(trap),
        };
        self.charge_call(call, &[arg], result)
    }

    /// Both arguments are evaluated even if the first fails.
    fn call_two(&mut self, call: &'a Call) -> Outcome<'a> {
        let args = [self.eval(call.args[0]), self.eval(call.args[1])];
        let result = match args {
            [Ok(left), Ok(right)] => call.apply(&self.cx, &[left, right]),
            [Err(trap), _] | [_, Err(trap)] => Err(trap),
        };
        self.charge_call(call, &args, result)
    }

    /// Evaluation stops at the first argument that fails, and then the call costs nothing unless that was the last.
    fn call_many(&mut self, call: &'a Call, outcomes: &mut [Outcome<'a>], values: &mut [Val<'a>]) -> Outcome<'a> {
        let last = outcomes.len().saturating_sub(1);
        for (index, arg) in call.args.iter().enumerate() {
            outcomes[index] = self.eval(*arg);
            match outcomes[index] {
                Ok(value) => values[index] = value,
                Err(trap) if index < last => return Err(trap),
                Err(trap) => return self.charge_call(call, outcomes, Err(trap)),
            }
        }
        let result = call.apply(&self.cx, values);
        self.charge_call(call, outcomes, result)
    }

    fn charge_call(&mut self, call: &Call, args: &[Outcome<'a>], result: Outcome<'a>) -> Outcome<'a> {
        let rule = call.overload.or(call.all.first().copied()).map_or(Charge::One, |overload| overload.charge);
        let charge = match rule {
            Charge::ByName(charge) => charge(&self.cx, args, &result),
            Charge::ByOverload(charge) if call.charged_by_overload => charge(&self.cx, args, &result),
            Charge::One | Charge::ByOverload(_) => 1,
        };
        self.charge(charge)?;
        result
    }
}

impl Call {
    /// Runs the function on values.
    pub(crate) fn apply<'a>(&self, cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
        if self.constant_pattern && !matches!(args[0], Val::String(_)) {
            return Err(cx.no_such_overload());
        }
        match self.overload {
            Some(overload) if overload.binding == Binding::Singleton => (overload.call)(cx, args),
            Some(overload) if !self.guarded || fits(cx, overload, args) => (overload.call)(cx, args),
            Some(_) => Err(self.no_overload(cx, args)),
            None => match self.all.iter().find(|overload| !overload.guarded || fits(cx, overload, args)) {
                Some(overload) => (overload.call)(cx, args),
                None => Err(self.no_overload(cx, args)),
            },
        }
    }

    #[cold]
    fn no_overload<'a>(&self, cx: &Cx<'a>, args: &[Val<'a>]) -> Trap<'a> {
        let types: Vec<&str> = args.iter().map(Val::type_name).collect();
        cx.error(format_args!("no such overload: {}({})", self.function, types.join(", ")))
    }
}

/// True if values have the argument types of an overload. Of lists and maps the first element counts.
fn fits<'a>(cx: &Cx<'a>, overload: &Overload, args: &[Val<'a>]) -> bool {
    overload.args.len() == args.len() && overload.args.iter().zip(args).all(|(sig, value)| has_type(cx, *sig, *value))
}

fn has_type<'a>(cx: &Cx<'a>, sig: Sig, value: Val<'a>) -> bool {
    match sig {
        Sig::Dyn | Sig::Param(_) => true,
        Sig::List(element) => value.as_list().is_some_and(|list| first_fits(cx, list, *element)),
        Sig::Map(key, part) => value.as_map().is_some_and(|map| first_entry_fits(cx, map, *key, *part)),
        Sig::Null => matches!(value, Val::Null),
        Sig::Bool => matches!(value, Val::Bool(_)),
        Sig::Int => matches!(value, Val::Int(_)),
        Sig::Uint => matches!(value, Val::Uint(_)),
        Sig::Double => matches!(value, Val::Double(_)),
        Sig::String => matches!(value, Val::String(_)),
        Sig::Bytes => matches!(value, Val::Bytes(_)),
        Sig::Duration => matches!(value, Val::Duration(_)),
        Sig::Timestamp => matches!(value, Val::Timestamp(_)),
        Sig::TypeOf(_) => matches!(value, Val::Type(_)),
        Sig::Optional(_) => matches!(value, Val::Optional(_)),
        Sig::Object(name) | Sig::Opaque(name) => value.type_name() == name,
    }
}

fn first_fits<'a>(cx: &Cx<'a>, list: List<'a>, element: Sig) -> bool {
    match list.get(cx, 0) {
        None => true,
        Some(first) => first.is_ok_and(|first| has_type(cx, element, first)),
    }
}

fn first_entry_fits<'a>(cx: &Cx<'a>, map: Map<'a>, key: Sig, part: Sig) -> bool {
    match map.iter(cx).next() {
        None => true,
        Some((k, v)) => has_type(cx, key, k) && v.is_ok_and(|v| has_type(cx, part, v)),
    }
}
