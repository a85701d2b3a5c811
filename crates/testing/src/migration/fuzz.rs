//! Random objects and changes of them, judged by both sides.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sprag_checks::{Op, Request};
use sprag_field::{Error, Errors};
use sprag_program::{Check, DeclaredRule, Program, Resource};
use sprag_rest::{FeatureGates, SubresourceKind};
use sprag_value::{Value, json};

use super::Migration;
use super::compare::{Comparison, Difference, is_declared};
use super::generate::breaks::Pair;
use super::generate::places::{Target, targets};
use super::generate::{Filling, Generator, Random};
use super::judge::{Bench, Captured, Seen, Setting};

/// Pairs that are made and judged together, so that a run does not depend on the number of threads.
const CHUNK: usize = 2_500;
/// Maximum number of mismatches that are kept.
const KEPT: usize = 5;

/// The number and choice of objects to try.
#[derive(Clone, Copy, Debug)]
pub struct Fuzz {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The number of objects, each alone or with the one that it replaces.
    pub pairs: usize,
}

impl Fuzz {
    /// Number of pairs that a test on every commit has time for; `SPRAG_FULL=1` asks for all of them.
    pub fn from_env() -> Fuzz {
        let full = std::env::var_os("SPRAG_FULL").is_some_and(|value| value == "1");
        Fuzz { seed: 1, pairs: if full { 200_000 } else { 5_000 } }
    }
}

/// An object about which the two sides differ.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The version.
    pub version: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// The object.
    pub new: Value,
    /// The object that it replaces.
    pub old: Option<Value>,
    /// The differences.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let old = self.old.as_ref().map_or("none".to_owned(), json::to_string);
        write!(f, "{} {}\nnew: {}\nold: {old}", self.version, self.subresource, json::to_string(&self.new))?;
        self.differences.iter().try_for_each(|difference| write!(f, "\n- {difference}"))
    }
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Fuzzed {
    /// The pairs that were judged.
    pub pairs: usize,
    /// Those in which neither side found anything.
    pub valid: usize,
    /// The number of findings of each rule.
    pub triggered: BTreeMap<String, u64>,
    /// The number of pairs about which the two sides differ.
    pub mismatches: usize,
    /// The first of them.
    pub examples: Vec<Mismatch>,
    /// Accepted differences that no pair has.
    pub unused_exceptions: Vec<String>,
}

impl Fuzzed {
    /// Checks that the two sides agree, that enough objects are valid and that every rule found something often enough.
    ///
    /// # Panics
    ///
    /// If not.
    #[track_caller]
    pub fn assert_sound(&self, valid_percent: usize, triggers: u64) {
        assert!(
            self.mismatches == 0,
            "{} of {} pairs differ; the first: {}",
            self.mismatches,
            self.pairs,
            self.examples.first().map(ToString::to_string).unwrap_or_default()
        );
        assert!(self.valid * 100 >= self.pairs * valid_percent, "{} of {} pairs are valid", self.valid, self.pairs);
        let rare: Vec<_> = self.triggered.iter().filter(|(_, count)| **count < triggers).collect();
        assert!(rare.is_empty(), "rules that found something fewer than {triggers} times: {rare:#?}");
        assert!(self.unused_exceptions.is_empty(), "no longer needed: {:?}", self.unused_exceptions);
    }

    fn add(&mut self, other: Fuzzed) {
        self.pairs += other.pairs;
        self.valid += other.valid;
        self.mismatches += other.mismatches;
        for (rule, count) in other.triggered {
            *self.triggered.entry(rule).or_default() += count;
        }
        self.examples.extend(other.examples);
        self.examples.truncate(KEPT);
    }
}

impl Migration {
    /// Judges random objects and changes in every version and compares hand-written code with rules, and both ways to run the
    /// rules with each other. The same numbers yield the same objects.
    ///
    /// # Panics
    ///
    /// If the program does not know a version of the resource, or the resource depends on a gate that is not declared.
    pub fn fuzz_equivalence(&self, fuzz: Fuzz) -> Fuzzed {
        let chunks = fuzz.pairs.div_ceil(CHUNK);
        let next = AtomicUsize::new(0);
        let work = || {
            let worker = Worker::new(self);
            let mut done = Vec::new();
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks {
                    return done;
                }
                let pairs = CHUNK.min(fuzz.pairs - chunk * CHUNK);
                done.push((chunk, worker.chunk(fuzz.seed, chunk, pairs)));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(chunks.max(1));
        let mut all: Vec<(usize, Fuzzed)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|_| panic!("a thread panicked")))
                .collect()
        });
        all.sort_by_key(|(chunk, _)| *chunk);
        let mut total = Fuzzed::default();
        for (_, chunk) in all {
            total.add(chunk);
        }
        total.unused_exceptions = self.exceptions.unused().into_iter().map(str::to_owned).collect();
        total
    }

    /// The number of pairs after which the two sides differ for the first time; none if they do not.
    pub fn first_difference(&self, fuzz: Fuzz) -> Option<usize> {
        let worker = Worker::new(self);
        let mut state = State::new(&worker);
        (0..fuzz.pairs).find(|at| {
            let (_, tried) = worker.step(fuzz.seed, *at, &mut state);
            !worker.differences(&tried).is_empty()
        })
    }

    /// The rules whose removal no pair shows: each is taken out of the program in turn, and hand-written code is compared with what
    /// is left. A native rule, which hand-written code does not have, is compared with the resource's own.
    pub fn unnoticed_rules(&self, fuzz: Fuzz) -> Vec<String> {
        let worker = Worker::new(self);
        let mut state = State::new(&worker);
        let native: BTreeSet<&str> = worker.kinds.iter().flat_map(Kind::native_rules).collect();
        let mut left: Vec<(String, Arc<Program>)> =
            self.rules().into_iter().map(|name| (name.clone(), self.without_rule(&name))).collect();
        for at in 0..fuzz.pairs {
            let (kind, tried) = worker.step(fuzz.seed, at, &mut state);
            if left.is_empty() {
                break;
            }
            let comparison = worker.comparison();
            left.retain(|(name, program)| {
                let declared = kind.run(program, self, (&tried.seen.captured, worker.gates(&tried)), None);
                if native.contains(name.as_str()) {
                    return tried.declared().eq(&declared);
                }
                comparison.differences(tried.by_hand(), declared.iter()).is_empty()
            });
        }
        left.into_iter().map(|(name, _)| name).collect()
    }
}

/// The state of one thread.
struct Worker<'m> {
    migration: &'m Migration,
    kinds: Vec<Kind<'m>>,
    /// By whether the API's own features are on.
    benches: Vec<(Bench, Option<Bench>)>,
}

/// One version of the kind.
pub(super) struct Kind<'m> {
    pub(super) version: &'m str,
    resource: &'m Resource,
    pub(super) generator: Generator<'m>,
    pub(super) rules: Vec<DeclaredRule<'m>>,
    targets: Vec<Vec<Target<'m>>>,
    /// The position of each rule by the address of its check.
    positions: BTreeMap<usize, usize>,
    /// The subresources that write a part of the object.
    parts: Vec<&'m str>,
}

/// The number of times each rule of each version was triggered.
struct State(Vec<Vec<u64>>);

/// A pair that both sides judged.
struct Tried {
    features: usize,
    subresource: String,
    pair: Pair,
    seen: Seen,
    /// The errors of the plan interpreter.
    interpreted: Vec<Error>,
    /// The errors of the reference, if there is one.
    reference: Option<Vec<Error>>,
}

impl Tried {
    fn by_hand(&self) -> impl Iterator<Item = &Error> {
        let errors = self.reference.as_ref().unwrap_or(&self.seen.captured.errors);
        errors.iter().filter(|error| !is_declared(error))
    }

    fn declared(&self) -> impl Iterator<Item = &Error> {
        self.seen.captured.errors.iter().filter(|error| is_declared(error))
    }
}

impl State {
    fn new(worker: &Worker<'_>) -> State {
        State(worker.kinds.iter().map(|kind| vec![0; kind.rules.len()]).collect())
    }
}

impl<'m> Worker<'m> {
    fn new(migration: &'m Migration) -> Worker<'m> {
        let kinds = migration.versions().into_iter().map(|(version, resource)| Kind::new(migration, version, resource));
        let bench = |features: &bool| {
            let gates = || Setting::On.gates(&migration.gates, *features);
            let reference = migration.reference.as_ref().map(|reference| Bench::new(reference, gates()));
            (Bench::new(&migration.definition, gates()), reference)
        };
        Worker { migration, kinds: kinds.collect(), benches: migration.features().iter().map(bench).collect() }
    }

    fn comparison(&self) -> Comparison<'_> {
        Comparison::new(&self.migration.normalization, &self.migration.exceptions)
    }

    fn chunk(&self, seed: u64, chunk: usize, pairs: usize) -> Fuzzed {
        let mut state = State::new(self);
        let mut found = Fuzzed::default();
        for at in 0..pairs {
            let (kind, tried) = self.step(seed, chunk * CHUNK + at, &mut state);
            found.pairs += 1;
            found.valid += usize::from(tried.seen.captured.errors.is_empty() && tried.seen.failed.is_none());
            let differences = self.differences(&tried);
            if !differences.is_empty() {
                found.mismatches += 1;
                if found.examples.len() < KEPT {
                    let Tried { subresource, pair: Pair { new, old }, .. } = tried;
                    let version = kind.version.to_owned();
                    found.examples.push(Mismatch { version, subresource, new, old, differences });
                }
            }
        }
        for (kind, counts) in self.kinds.iter().zip(&state.0) {
            for (rule, count) in kind.rules.iter().zip(counts) {
                *found.triggered.entry(rule.name.clone()).or_default() += count;
            }
        }
        found
    }

    /// Makes and judges one pair.
    fn step(&self, seed: u64, at: usize, state: &mut State) -> (&Kind<'m>, Tried) {
        let mut random = Random::new(seed, at as u64);
        let chosen = random.below(self.kinds.len());
        let kind = &self.kinds[chosen];
        let counts = &mut state.0[chosen];
        let pair = kind.pair(&mut random, counts);
        let subresource = kind.part(&mut random, &pair).to_owned();
        let features = random.below(self.benches.len());
        let (bench, reference) = &self.benches[features];
        let judge = |bench: &Bench| bench.judge(kind.version, &subresource, &pair.new, pair.old.as_ref());
        let reference = reference.as_ref().map(|bench| judge(bench).captured.errors);
        let seen = judge(bench);
        let arguments = (&seen.captured, bench.gates());
        let interpreted = kind.run(&self.migration.program, self.migration, arguments, Some(counts));
        (kind, Tried { features, subresource, pair, seen, interpreted, reference })
    }

    /// The differences between the two sides, and between the two ways to run rules.
    fn differences(&self, tried: &Tried) -> Vec<Difference> {
        if let Some(why) = &tried.seen.failed {
            return vec![Difference::Failed(why.clone())];
        }
        let mut found = Vec::new();
        if !self.migration.rules_alone {
            found = self.comparison().differences(tried.by_hand(), tried.declared());
        }
        if !tried.declared().eq(&tried.interpreted) {
            let one_says = texts(tried.declared());
            let other_says = texts(tried.interpreted.iter());
            let [one, other] = ["the resource", "the plan interpreter"].map(str::to_owned);
            found.push(Difference::Answers { one, one_says, other, other_says });
        }
        found
    }

    /// The gates that a pair was judged with.
    fn gates(&self, tried: &Tried) -> &FeatureGates {
        self.benches[tried.features].0.gates()
    }
}

fn texts<'e>(errors: impl Iterator<Item = &'e Error>) -> Vec<String> {
    errors.map(|error| format!("{error} ({}, {}, native {})", error.origin, error.stage.name(), error.native)).collect()
}

impl<'m> Kind<'m> {
    pub(super) fn new(migration: &'m Migration, version: &'m str, resource: &'m Resource) -> Kind<'m> {
        let program = &*migration.program;
        let rules = program.rules(resource.def);
        let positions =
            rules.iter().enumerate().map(|(at, rule)| (std::ptr::from_ref(rule.check).addr(), at)).collect();
        let subresources = migration.definition.version(version).map_or(&[][..], |version| &version.subresources);
        let parts = subresources.iter().filter(|part| matches!(part.kind, SubresourceKind::Part(_)));
        Kind {
            version,
            resource,
            generator: migration.generator(version, resource),
            targets: rules.iter().map(|rule| targets(program, rule)).collect(),
            positions,
            parts: parts.map(|part| part.name.as_str()).collect(),
            rules,
        }
    }

    /// The names of the rules without a hand-written counterpart.
    fn native_rules(&self) -> impl Iterator<Item = &str> {
        let native = self.rules.iter().filter(|rule| rule.check.native || rule.around.iter().any(|check| check.native));
        native.map(|rule| rule.name.as_str())
    }

    /// An object, or a change of one: valid, with one rule broken, or anything.
    fn pair(&self, random: &mut Random, counts: &[u64]) -> Pair {
        let roll = random.below(100);
        if roll < 45 || self.rules.is_empty() {
            self.valid_pair(random)
        } else if roll < 85 {
            let least = counts.iter().min().copied().unwrap_or_default();
            let rare: Vec<usize> = (0..counts.len()).filter(|at| counts[*at] == least).collect();
            let at = random.pick(&rare).copied().unwrap_or_default();
            // A rule that cannot be reached must not keep others from being tried.
            let at = if random.percent(60) { at } else { random.below(counts.len()) };
            self.breaking(random, at)
        } else {
            self.wild_pair(random)
        }
    }

    fn valid_pair(&self, random: &mut Random) -> Pair {
        let filling = filling(random);
        let old = self.generator.valid(random, filling);
        if random.percent(40) {
            return Pair { new: old, old: None };
        }
        let all = self.all_targets(random);
        for _ in 0..3 {
            let mut new = old.clone();
            self.generator.disturb(random, &mut new, all);
            if self.generator.keeps_rules(&new, Some(&old)) {
                return Pair { new, old: Some(old) };
            }
        }
        Pair { new: relabelled(random, &old), old: Some(old) }
    }

    pub(super) fn breaking(&self, random: &mut Random, rule: usize) -> Pair {
        let base = self.generator.valid(random, Filling::Full);
        let transition = self.rules[rule].check.rule.judges_transitions();
        let is_update = transition || random.percent(50);
        let mut pair = Pair { old: is_update.then(|| base.clone()), new: base };
        self.generator.break_rule(random, &mut pair, &self.targets[rule]);
        pair
    }

    /// Several rules broken at once, in the old object, too.
    fn wild_pair(&self, random: &mut Random) -> Pair {
        let filling = filling(random);
        let mut pair = Pair { new: self.generator.valid(random, filling), old: None };
        for _ in 0..random.below(3) {
            let targets = self.all_targets(random);
            self.generator.break_rule(random, &mut pair, targets);
        }
        if random.percent(75) {
            pair.old = Some(pair.new.clone());
            for _ in 0..random.below(3) {
                let targets = self.all_targets(random);
                self.generator.disturb(random, &mut pair.new, targets);
            }
            if random.percent(40) {
                let targets = self.all_targets(random);
                self.generator.break_rule(random, &mut pair, targets);
            }
        }
        pair
    }

    /// The places of some rule.
    fn all_targets(&self, random: &mut Random) -> &[Target<'m>] {
        self.targets.get(random.below(self.targets.len())).map_or(&[], Vec::as_slice)
    }

    /// The subresource to write through: one that the change is about, or now and then any.
    fn part(&self, random: &mut Random, pair: &Pair) -> &'m str {
        let Some(old) = &pair.old else { return "" };
        let differs = |member: &str| pair.new.get(member) != old.get(member);
        if differs("status") && self.parts.contains(&"status") && random.percent(80) {
            return "status";
        }
        if random.percent(10) { random.pick(&self.parts).copied().unwrap_or_default() } else { "" }
    }

    /// Runs rules on the arguments that the resource's own rules had; counts those that find something.
    pub(super) fn run(
        &self,
        program: &Program,
        migration: &Migration,
        (captured, gates): (&Captured, &FeatureGates),
        counts: Option<&mut [u64]>,
    ) -> Vec<Error> {
        let Captured { new, old, subresource, .. } = captured;
        if new.is_null() {
            return Vec::new();
        }
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options: gates.options(), subresource, beta: true };
        let mut errors = Errors::new();
        let seen = RefCell::new(BTreeSet::new());
        let trace = |check: &Check| {
            seen.borrow_mut().insert(std::ptr::from_ref(check).addr());
        };
        let hooks = &*migration.hooks;
        let root = self.resource.def;
        program.validate_traced((hooks, &trace), &request, root, new, old.as_ref(), &mut errors);
        if let Some(counts) = counts {
            for address in seen.into_inner() {
                if let Some(at) = self.positions.get(&address) {
                    counts[*at] += 1;
                }
            }
        }
        errors.into_vec()
    }
}

fn filling(random: &mut Random) -> Filling {
    if random.percent(50) { Filling::Some } else { Filling::Full }
}

/// The same object with another label.
fn relabelled(random: &mut Random, object: &Value) -> Value {
    let mut new = object.clone();
    let mut labels = Value::object();
    labels.insert("turn", random.below(1000).to_string());
    if let Some(metadata) = new.get_mut("metadata") {
        metadata.insert("labels", labels);
    }
    new
}
