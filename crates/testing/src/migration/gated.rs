//! Fields of feature gates: dropped while the feature is off, kept when it is on or when the object uses them already.

use sprag_program::{GatedField, GatedStep};
use sprag_value::Value;

use super::Migration;
use super::generate::{Filling, Generator, Random};
use super::judge::{Bench, Setting};

/// Objects that are made to have a field set.
const ATTEMPTS: u64 = 200;

impl Migration {
    /// Checks every field with `+k8s:featureGate`, in every version, below lists and in the status: with the feature off it is dropped
    /// from an object that does not use it and kept in one that does; with the feature on it is kept. Returns the fields.
    ///
    /// # Panics
    ///
    /// If a field is dropped or kept where it should not be.
    #[track_caller]
    pub fn assert_gated_fields(&self) -> Vec<String> {
        let mut tested = Vec::new();
        for (version, resource) in self.versions() {
            let generator = self.generator(version, resource);
            for field in &resource.facts.gated {
                let path = field.path.iter().map(|step| match step {
                    GatedStep::Field(name) => format!(".{name}"),
                    GatedStep::Each => "[*]".to_owned(),
                });
                let name = format!("{version}{} ({})", path.collect::<String>(), field.gate);
                if let Err(problem) = self.check_gated(&generator, version, field) {
                    panic!("{name}: {problem}");
                }
                tested.push(name);
            }
        }
        tested
    }

    fn check_gated(&self, generator: &Generator<'_>, version: &str, field: &GatedField) -> Result<(), String> {
        let (using, without) = pair(generator, field).ok_or("no object was found that uses the field")?;
        let [off, on] =
            [false, true].map(|features| Bench::new(&self.definition, Setting::On.gates(&self.gates, features)));
        let in_status = matches!(field.path.first(), Some(GatedStep::Field(name)) if name == "status");
        let subresource = if in_status { "status" } else { "" };
        let uses = |bench: &Bench, new: &Value, old: Option<&Value>| {
            let seen = bench.judge(version, subresource, new, old);
            match seen.failed {
                Some(why) => Err(why),
                None => Ok(is_used(&seen.object, &field.path)),
            }
        };
        let expect = |used: Result<bool, String>, expected: bool, when: &str| match used {
            Ok(used) if used == expected => Ok(()),
            Ok(true) => Err(format!("is kept {when}")),
            Ok(false) => Err(format!("is dropped {when}")),
            Err(why) => Err(format!("{when}: {why}")),
        };
        if !in_status {
            expect(uses(&off, &using, None), false, "in a new object while the feature is off")?;
            expect(uses(&on, &using, None), true, "in a new object while the feature is on")?;
        }
        expect(uses(&off, &using, Some(&without)), false, "in an object that did not use it while the feature is off")?;
        expect(uses(&off, &using, Some(&using)), true, "in an object that uses it already while the feature is off")?;
        expect(uses(&on, &using, Some(&without)), true, "in a changed object while the feature is on")
    }
}

/// An object that uses a field, and the same without it.
fn pair(generator: &Generator<'_>, field: &GatedField) -> Option<(Value, Value)> {
    let using = (0..ATTEMPTS)
        .map(|at| generator.valid(&mut Random::new(3, at), Filling::Full))
        .find(|object| is_used(object, &field.path))?;
    let mut without = using.clone();
    unset(&mut without, &field.path);
    Some((using, without))
}

fn is_used(value: &Value, path: &[GatedStep]) -> bool {
    match path {
        [] => !is_zero(value),
        [GatedStep::Field(name), rest @ ..] => value.get(name).is_some_and(|value| is_used(value, rest)),
        [GatedStep::Each, rest @ ..] => elements(value).any(|value| is_used(value, rest)),
    }
}

fn elements(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.as_slice().iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.as_slice().is_empty(),
        Value::Object(_) => false,
    }
}

fn unset(value: &mut Value, path: &[GatedStep]) {
    match path {
        [] => {}
        [GatedStep::Field(name)] => {
            value.remove(name);
        }
        [GatedStep::Field(name), rest @ ..] => {
            if let Some(value) = value.get_mut(name) {
                unset(value, rest);
            }
        }
        [GatedStep::Each, rest @ ..] => match value {
            Value::Array(items) => items.as_mut_slice().iter_mut().for_each(|value| unset(value, rest)),
            Value::Object(members) => members.iter_mut().for_each(|(_, value)| unset(value, rest)),
            _ => {}
        },
    }
}
