//! Counters of internal problems: panics of hooks, write conflicts, mismatches of rules and hand-written code.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sprag_checks::object_meta::FieldRules;
use sprag_decode::{Decoded, Format};
use sprag_field::Error;
use sprag_program::{DefId, Program};
use sprag_shape::{Shapes, TypeId};
use sprag_value::{Time, Value};

use crate::error::PANICKED;
use crate::gates::FeatureGates;
use crate::names::GroupResource;
use crate::strategy::{NotConverted, Scheme};
use crate::unreadable::Unreadable;

/// Counters of internal problems.
#[derive(Debug, Default)]
pub struct Counters {
    panics: AtomicU64,
    retries: AtomicU64,
    mismatches: Mutex<ByIdentifier>,
    rule_panics: Mutex<ByIdentifier>,
}

/// Counts by kind, subresource and operation.
pub type ByIdentifier = BTreeMap<String, u64>;

impl Counters {
    /// Number of panics in hooks and conversions.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Number of writes retried after a conflict.
    pub fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    /// Number of errors that only one of hand-written code and rules found although both should.
    pub fn mismatches(&self) -> ByIdentifier {
        lock(&self.mismatches).clone()
    }

    /// Number of panics in rules.
    pub fn rule_panics(&self) -> ByIdentifier {
        lock(&self.rule_panics).clone()
    }

    /// Counts a write that has to be tried again.
    pub fn count_retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_mismatches(&self, identifier: &str, count: usize) {
        *lock(&self.mismatches).entry(identifier.to_owned()).or_default() += count as u64;
    }

    /// Runs rules; what a panic said, which is counted, if there was one.
    pub(crate) fn guarded_rules(
        &self,
        identifier: impl FnOnce() -> String,
        rules: impl FnOnce(),
    ) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(rules)).map_err(|panic| {
            *lock(&self.rule_panics).entry(identifier()).or_default() += 1;
            said(&*panic)
        })
    }

    /// Runs code of an API author; nothing if it panicked, which is counted.
    pub fn guarded<R>(&self, code: impl FnOnce() -> R) -> Option<R> {
        let outcome = catch_unwind(AssertUnwindSafe(code)).ok();
        if outcome.is_none() {
            self.panics.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

fn lock(counts: &Mutex<ByIdentifier>) -> std::sync::MutexGuard<'_, ByIdentifier> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A scheme whose panics are errors.
pub(crate) struct GuardedScheme {
    scheme: Arc<dyn Scheme>,
    counters: Arc<Counters>,
}

impl GuardedScheme {
    pub(crate) fn new(scheme: Arc<dyn Scheme>, counters: Arc<Counters>) -> GuardedScheme {
        GuardedScheme { scheme, counters }
    }
}

impl Scheme for GuardedScheme {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        self.scheme.hub(requested)
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        self.scheme.shape(version)
    }

    fn rules(&self, version: &str) -> Option<(Arc<Program>, DefId)> {
        self.scheme.rules(version)
    }

    fn metadata_rules(&self) -> &dyn FieldRules {
        self.scheme.metadata_rules()
    }

    fn show_values(&self, errors: &mut [Error]) {
        self.scheme.show_values(errors);
    }

    fn declares_name(&self) -> bool {
        self.scheme.declares_name()
    }

    fn read(&self, version: &str, text: &[u8], format: Format, strict: bool) -> Result<Decoded, Unreadable> {
        let read = || self.scheme.read(version, text, format, strict);
        self.counters.guarded(read).unwrap_or_else(|| Err(PANICKED.to_owned().into()))
    }

    fn read_object(&self, version: &str, object: Value) -> Result<Decoded, Unreadable> {
        let read = || self.scheme.read_object(version, object);
        self.counters.guarded(read).unwrap_or_else(|| Err(PANICKED.to_owned().into()))
    }

    fn read_stored(&self, version: &str, object: Value) -> Result<Value, String> {
        let read = || self.scheme.read_stored(version, object);
        self.counters.guarded(read).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn read_value(&self, version: &str, value: &dyn Fn() -> Option<Value>) -> Option<Value> {
        self.counters.guarded(|| self.scheme.read_value(version, value)).flatten()
    }

    fn read_applied(&self, version: &str, object: Value) -> Result<Decoded, String> {
        let read = || self.scheme.read_applied(version, object);
        self.counters.guarded(read).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.counters.guarded(|| self.scheme.complete(version, object)).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn stamp(&self, object: &mut Value, now: Time) {
        self.scheme.stamp(object, now);
    }

    fn complete_stored(&self, version: &str, object: &mut Value) -> Result<(), String> {
        let complete = || self.scheme.complete_stored(version, object);
        self.counters.guarded(complete).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn completes_by_empty_lists(&self) -> bool {
        self.scheme.completes_by_empty_lists()
    }

    fn canonicalize(&self, object: &mut Value) {
        self.scheme.canonicalize(object);
    }

    fn field_annotations(&self) -> &'static [&'static str] {
        self.scheme.field_annotations()
    }

    fn place_in_source(&self) -> &'static str {
        self.scheme.place_in_source()
    }

    fn stored_as(&self) -> Option<&GroupResource> {
        self.scheme.stored_as()
    }

    fn adopt(&self, object: Value) -> Result<Value, String> {
        self.counters.guarded(|| self.scheme.adopt(object)).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn convert(&self, object: Value, from: &str, to: &str) -> Result<Value, String> {
        self.counters.guarded(|| self.scheme.convert(object, from, to)).unwrap_or_else(|| Err(PANICKED.to_owned()))
    }

    fn convert_all(&self, objects: Vec<Value>, from: &str, to: &str) -> Result<Vec<Value>, NotConverted<String>> {
        let converted = self.counters.guarded(|| self.scheme.convert_all(objects, from, to));
        converted.unwrap_or_else(|| Err(PANICKED.to_owned().into()))
    }

    fn converts_remotely(&self) -> bool {
        self.scheme.converts_remotely()
    }

    fn with_gates(&self, gates: &FeatureGates) -> Option<Arc<dyn Scheme>> {
        self.scheme.with_gates(gates)
    }

    fn generation(&self) -> u64 {
        self.scheme.generation()
    }
}
