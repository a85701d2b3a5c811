//! The namespaces that have quotas, and those written to since usage was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use sprag_registry::Follower;
use sprag_storage::Key;
use sprag_value::Value;
use tokio::sync::Notify;

use super::charges::Charges;

const RESOURCES: [(&str, &str); 1] = [("", "resourcequotas")];

/// Knows the quotas of all namespaces, and in which of them what is used has to be counted again.
#[derive(Default)]
pub struct QuotaNamespaces {
    /// True if there is any quota, so that servers without quotas skip the work.
    is_used: AtomicBool,
    /// The specs of quotas, by namespace and name.
    specs: RwLock<BTreeMap<String, BTreeMap<String, Value>>>,
    touched: Mutex<BTreeSet<String>>,
    touches: AtomicU64,
    changed: Notify,
    /// Charges whose objects are not stored yet.
    pub(super) charges: Charges,
}

impl QuotaNamespaces {
    /// True if a namespace has a quota.
    pub fn has_quota(&self, namespace: &str) -> bool {
        self.is_used.load(Ordering::Relaxed)
            && !namespace.is_empty()
            && self.specs.read().unwrap_or_else(PoisonError::into_inner).contains_key(namespace)
    }

    /// True if what a write changes may count for a quota: objects of their namespaces, and definitions, which say what can be
    /// counted.
    pub fn counts(&self, key: &Key) -> bool {
        let is_quota = key.group().is_empty() && key.resource() == "resourcequotas";
        match key.namespace() {
            Some(namespace) => !is_quota && self.has_quota(namespace),
            None => key.resource() == "customresourcedefinitions" && self.is_used.load(Ordering::Relaxed),
        }
    }

    /// Notes the end of such a write, whether it was stored or not: what it was charged for may have to be given back.
    pub fn written(&self, key: &Key) {
        self.charges.finish(key);
        match key.namespace() {
            Some(namespace) => self.touch(namespace),
            None => self.touch_all(),
        }
    }

    /// Lets the quotas of a namespace be counted again.
    pub fn touch(&self, namespace: &str) {
        self.touched().insert(namespace.to_owned());
        self.touches.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Lets all quotas be counted again.
    pub fn touch_all(&self) {
        let namespaces: Vec<String> =
            self.specs.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        for namespace in &namespaces {
            self.touch(namespace);
        }
    }

    /// Waits until something has to be counted.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The number of touches so far.
    pub fn touches(&self) -> u64 {
        self.touches.load(Ordering::Relaxed)
    }

    /// The namespaces to count, which are forgotten.
    pub fn take_touched(&self) -> BTreeSet<String> {
        mem::take(&mut *self.touched())
    }

    fn touched(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower for QuotaNamespaces {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &RESOURCES
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        let mut specs: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for (key, object) in objects {
            let of_namespace = specs.entry(key.namespace().unwrap_or_default().to_owned()).or_default();
            of_namespace.insert(key.name().to_owned(), object.get("spec").cloned().unwrap_or_default());
        }
        self.is_used.store(!specs.is_empty(), Ordering::Relaxed);
        *self.specs.write().unwrap_or_else(PoisonError::into_inner) = specs;
        self.touch_all();
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        let namespace = key.namespace().unwrap_or_default();
        let is_behind = object.as_ref().is_some_and(|object| {
            let hard = |part: &str| object.lookup(&[part, "hard"]).cloned().unwrap_or_default();
            hard("status") != hard("spec")
        });
        let spec = object.map(|object| object.get("spec").cloned().unwrap_or_default());
        let mut specs = self.specs.write().unwrap_or_else(PoisonError::into_inner);
        let of_namespace = specs.entry(namespace.to_owned()).or_default();
        let before = match spec.clone() {
            Some(spec) => of_namespace.insert(key.name().to_owned(), spec),
            None => of_namespace.remove(key.name()),
        };
        if of_namespace.is_empty() {
            specs.remove(namespace);
            self.charges.forget(namespace);
        }
        self.is_used.store(!specs.is_empty(), Ordering::Relaxed);
        drop(specs);
        // Usage changes with every created object: only a change of limits requires a recount.
        if is_behind || before != spec {
            self.touch(namespace);
        }
    }
}
