//! For each rule an object that breaks just it, as upstream's generated `zz_generated.validations_test.go`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use sprag_checks::{Op, Request};
use sprag_field::{Error, Stage};
use sprag_value::{Object, Value, json};

use super::fuzz::Kind;
use super::generate::breaks::Pair;
use super::generate::{Filling, Random};
use super::judge::{Bench, Setting};
use super::{Migration, coverage};

/// Objects that are tried for one rule.
const ATTEMPTS: u64 = 300;

/// An object that breaks one rule, or none.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The version.
    pub version: String,
    /// The name of the rule; empty for a valid object.
    pub rule: String,
    /// The object.
    pub new: Value,
    /// The object that it replaces.
    pub old: Option<Value>,
    /// The errors of rules.
    pub errors: Vec<Error>,
}

impl Migration {
    /// For each version a valid object, and for each rule a small one that breaks it and no other, as far as there is one.
    pub fn fixtures(&self) -> Vec<Fixture> {
        let bench = Bench::new(&self.definition, Setting::On.gates(&self.gates, true));
        let mut fixtures = Vec::new();
        for (version, resource) in self.versions() {
            let kind = Kind::new(self, version, resource);
            let maker = Maker { migration: self, kind: &kind, bench: &bench };
            fixtures.push(maker.valid());
            fixtures.extend((0..kind.rules.len()).filter_map(|rule| maker.breaking(rule)));
        }
        fixtures
    }

    /// Compares a file of tests with the fixtures of now, and judges each in every version. `sprag test` runs the same file.
    /// `UPDATE_EXPECT=1` writes it.
    ///
    /// # Panics
    ///
    /// If the file is not current, or if hand-written code and rules differ.
    #[track_caller]
    pub fn assert_fixtures(&self, path: impl AsRef<Path>, types: &str) {
        let path = path.as_ref();
        let fixtures = self.fixtures();
        let current = render(&fixtures, types);
        if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
            std::fs::write(path, &current).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == current, "{} is not current: UPDATE_EXPECT=1 writes it", path.display());
        let missing: Vec<String> = {
            let have: BTreeSet<&str> = fixtures.iter().map(|fixture| fixture.rule.as_str()).collect();
            self.rules().into_iter().filter(|rule| !have.contains(rule.as_str())).collect()
        };
        assert!(missing.is_empty(), "no object was found that breaks just one of: {missing:#?}");
        for fixture in &fixtures {
            let old = fixture.old.as_ref().map(json::to_string);
            self.assert_equivalent(&json::to_string(&fixture.new), old.as_deref());
        }
    }
}

struct Maker<'a> {
    migration: &'a Migration,
    kind: &'a Kind<'a>,
    bench: &'a Bench,
}

impl Maker<'_> {
    fn valid(&self) -> Fixture {
        let pairs = (0..ATTEMPTS).map(|at| {
            let new = self.kind.generator.valid(&mut Random::new(7, at), Filling::Full);
            Pair { new, old: None }
        });
        let found = pairs.filter(|pair| self.triggered(pair).is_some_and(|rules| rules.is_empty()));
        let pair = found.min_by_key(|pair| json::to_string(&pair.new).len());
        self.fixture("", pair.unwrap_or_else(|| Pair { new: Value::object(), old: None }))
    }

    /// A small object that breaks one rule and no other.
    fn breaking(&self, rule: usize) -> Option<Fixture> {
        let name = &self.kind.rules[rule].name;
        let wanted = BTreeSet::from([name.clone()]);
        let mut found = (0..ATTEMPTS).filter_map(|at| {
            let pair = self.kind.breaking(&mut Random::new(11, at), rule);
            (self.triggered(&pair).as_ref() == Some(&wanted)).then_some(pair)
        });
        let pair = found.by_ref().take(8).min_by_key(|pair| {
            let old = pair.old.as_ref().map_or(0, |old| 10_000 + json::to_string(old).len());
            json::to_string(&pair.new).len() + old
        })?;
        Some(self.fixture(name, self.shrunk(pair, &wanted)))
    }

    /// Leaves out members as long as just the same rule finds something.
    fn shrunk(&self, mut pair: Pair, wanted: &BTreeSet<String>) -> Pair {
        loop {
            let ways = ways(&pair.new);
            let smaller = ways.iter().find_map(|way| {
                let mut smaller = pair.clone();
                remove(&mut smaller.new, way);
                if let Some(old) = &mut smaller.old {
                    remove(old, way);
                }
                (self.triggered(&smaller).as_ref() == Some(wanted)).then_some(smaller)
            });
            match smaller {
                Some(smaller) => pair = smaller,
                None => return pair,
            }
        }
    }

    fn fixture(&self, rule: &str, pair: Pair) -> Fixture {
        let seen = self.bench.judge(self.kind.version, "", &pair.new, pair.old.as_ref());
        let arguments = (&seen.captured, self.bench.gates());
        let errors = self.kind.run(&self.migration.program, self.migration, arguments, None);
        Fixture { version: self.kind.version.to_owned(), rule: rule.to_owned(), new: pair.new, old: pair.old, errors }
    }

    /// The rules that find something in a pair; none if it cannot be judged.
    fn triggered(&self, pair: &Pair) -> Option<BTreeSet<String>> {
        let seen = self.bench.judge(self.kind.version, "", &pair.new, pair.old.as_ref());
        if seen.failed.is_some() || seen.captured.new.is_null() {
            return None;
        }
        let op = if pair.old.is_some() { Op::Update } else { Op::Create };
        let options = self.bench.gates().options();
        let request = Request { op, options, subresource: &seen.captured.subresource, beta: true };
        let program = &*self.migration.program;
        let hooks = &*self.migration.hooks;
        Some(coverage::triggered(program, hooks, self.kind.generator.root, &request, &seen.captured))
    }
}

/// The members of an object and of those below, but for what makes it an object.
fn ways(value: &Value) -> Vec<Vec<String>> {
    fn below(value: &Value, way: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
        match value {
            Value::Object(members) => {
                let is_root = way.is_empty();
                for (key, value) in members.iter().filter(|(key, _)| !is_root || !IDENTITY.contains(&key.as_str())) {
                    way.push(key.as_str().to_owned());
                    found.push(way.clone());
                    below(value, way, found);
                    way.pop();
                }
            }
            Value::Array(items) => {
                for (at, value) in items.as_slice().iter().enumerate() {
                    way.push(at.to_string());
                    found.push(way.clone());
                    below(value, way, found);
                    way.pop();
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    below(value, &mut Vec::new(), &mut found);
    found
}

const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn remove(value: &mut Value, way: &[String]) {
    let Some((last, before)) = way.split_last() else { return };
    let place = before.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => step.parse().ok().and_then(|at: usize| items.get_mut(at)),
        value => value.get_mut(step),
    });
    match place {
        Some(Value::Array(items)) => {
            if let Some(at) = last.parse().ok().filter(|at: &usize| *at < items.as_slice().len()) {
                items.remove(at);
            }
        }
        Some(value) => {
            value.as_object_mut().and_then(|members: &mut Object| members.remove(last));
        }
        None => {}
    }
}

/// Fixtures as a file of tests.
fn render(fixtures: &[Fixture], types: &str) -> String {
    let mut text = format!(
        "# Made by sprag::testing::Migration::assert_fixtures: a valid object, and for each rule one that breaks just it.\n\
         apiVersion: sprag.dev/v1alpha1\nkind: Test\ntypes: [{types}]\ntests:\n"
    );
    for Fixture { version, rule, new, old, errors } in fixtures {
        let name = if rule.is_empty() { "valid" } else { rule };
        // A rule of a type that versions share is broken in each of them.
        let _ = writeln!(text, "- name: {}", json::to_string(&Value::from(format!("{version} {name}"))));
        let _ = writeln!(text, "  given: {}", json::to_string(new));
        if let Some(old) = old {
            let _ = writeln!(text, "  old: {}", json::to_string(old));
        }
        let enforced: Vec<&Error> = errors.iter().filter(|error| error.stage != Stage::Alpha).collect();
        if enforced.is_empty() {
            let _ = writeln!(text, "  valid: true");
        } else {
            let _ = writeln!(text, "  errors:");
        }
        for error in enforced {
            let _ = writeln!(text, "  - {}", json::to_string(&Value::from(error.to_string())));
        }
    }
    text
}
