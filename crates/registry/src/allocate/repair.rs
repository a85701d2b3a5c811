//! Brings the records of allocated values back in step with the objects that hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sprag_rest::{Allocator, ApiError, Claim, Holder, Record, Request, Result, User, meta};
use sprag_storage::{Entry, Revision};

use super::numbers::Numbers;
use super::{record_request, server};
use crate::registry::{Installed, Registry, Target};

/// Makes records that are missing and erases those that nobody needs, which servers leave behind that stop in the middle of a write.
///
/// A record that no object needs is erased by the second pass that sees it: it may be that of an object which is not stored yet. So
/// there should be a minute between passes, twice the time that an object may take to be stored.
// As upstream's controller.RepairIPAddress and portallocator controller.Repair.
#[derive(Default)]
pub struct AllocationRepair {
    /// Records that no object needed in the last pass, with the revision that tells them from later ones of the same value.
    unneeded: BTreeMap<(String, Claim), Revision>,
    /// The state of the store in which there was nothing to do.
    clean: Option<Revision>,
}

impl AllocationRepair {
    /// Makes a pass over all resources whose objects are given values; returns what it did, for the log.
    pub async fn run(&mut self, registry: &Registry) -> Result<Vec<String>> {
        let revision = registry.0.store.revision().await.map_err(ApiError::internal)?;
        if self.clean == Some(revision) {
            return Ok(Vec::new());
        }
        let mut done = Vec::new();
        let mut unneeded = BTreeMap::new();
        for installed in registry.all() {
            if let Some(allocator) = installed.definition.allocator.clone() {
                let pass = Pass { registry, installed: &installed, allocator: &*allocator, before: &self.unneeded };
                unneeded.extend(pass.run(&mut done).await?);
            }
        }
        self.unneeded = unneeded;
        self.clean = Some(revision).filter(|_| self.unneeded.is_empty() && done.is_empty());
        Ok(done)
    }
}

/// A pass over the objects of one resource.
struct Pass<'p> {
    registry: &'p Registry,
    installed: &'p Installed,
    allocator: &'p dyn Allocator,
    before: &'p BTreeMap<(String, Claim), Revision>,
}

impl Pass<'_> {
    /// Returns the records that are to be erased by the next pass if they are not needed by then.
    async fn run(&self, done: &mut Vec<String>) -> Result<BTreeMap<(String, Claim), Revision>> {
        let definition = &self.installed.definition;
        let resource = &definition.resource;
        let user = server();
        let request = Request {
            group: &resource.group,
            version: &definition.storage_version,
            resource: &resource.resource,
            namespace: "",
            name: "",
            subresource: "",
            user: &user,
        };
        let target = self.registry.resolve_stored(&request)?;
        // Records come first: what is stored after they were read has records that are not seen, and none is missed.
        let records = self.records(&user).await?;
        let numbers = target.taken_numbers(self.allocator).await?;
        let needed = self.needed(&target, (&records, &numbers), done).await?;
        let is_unneeded = |claim: &Claim| !needed.contains(claim);
        let mut unneeded = BTreeMap::new();
        let mut erased = BTreeMap::new();
        let managed = records.into_iter().filter(|(_, found)| found.is_managed());
        let found = managed.map(|(claim, found)| (claim, (found.created, Some(found))));
        let numbers = numbers.iter().map(|(number, since)| (self.allocator.numbered(*number), (*since, None)));
        for (claim, (since, object)) in found.chain(numbers).filter(|(claim, _)| is_unneeded(claim)) {
            let place = (resource.to_string(), claim);
            if self.before.get(&place) != Some(&since) {
                unneeded.insert(place, since);
                continue;
            }
            match object {
                None => drop(erased.insert(claim, since)),
                Some(found) => {
                    let erased = target.erase_record(self.allocator.records(), &found.name, found.revision).await;
                    let outcome = erased.map_or_else(|error| error.to_string(), |()| "erased".to_owned());
                    done.push(format!("{} {} was recorded and no object holds it: {outcome}", claim.pool, found.name));
                }
            }
        }
        if !erased.is_empty() {
            target.end_epoch(self.allocator).await?;
            let is_erased = |number, since| erased.get(&self.allocator.numbered(number)) == Some(&since);
            target.drop_numbers(self.allocator, is_erased).await?;
            done.extend(
                erased.keys().map(|it| format!("{} {} was recorded and no object holds it: erased", it.pool, it.value)),
            );
        }
        Ok(unneeded)
    }

    /// The record objects.
    async fn records(&self, user: &User) -> Result<BTreeMap<Claim, Found>> {
        let records = self.allocator.records();
        let request = record_request(records, "", user);
        let target = self.registry.resolve_stored(&request)?;
        let mut found = BTreeMap::new();
        let add = |entry: &Arc<Entry>| {
            let name = entry.key.name();
            if let Some(claim) = self.allocator.named(name) {
                let holder = self.allocator.holder(&target.decode(entry)?);
                let name = name.to_owned();
                found.insert(claim, Found { name, created: entry.created, revision: entry.revision, holder });
            }
            Ok(())
        };
        target.each_entry(add).await?;
        Ok(found)
    }

    /// The values whose records are needed; missing records are made.
    async fn needed(
        &self,
        target: &Target<'_>,
        (records, numbers): (&BTreeMap<Claim, Found>, &Numbers),
        done: &mut Vec<String>,
    ) -> Result<BTreeSet<Claim>> {
        let mut needed = BTreeSet::new();
        let mut missing = BTreeMap::new();
        let mut missing_objects = Vec::new();
        let definition = &self.installed.definition;
        let look = |entry: &Arc<Entry>| {
            let namespace = entry.key.namespace().unwrap_or_default();
            let name = entry.key.name();
            let index = self.installed.cache.get(definition, entry)?;
            for &claim in index.held(definition, entry)? {
                let found = records.get(&claim);
                if found.is_some_and(|found| found.is_of(namespace, name)) || !self.allocator.is_allocatable(claim) {
                    needed.insert(claim);
                    continue;
                }
                match (self.allocator.record(claim, &target.decode(entry)?), found) {
                    (Record::Number(number), _) => {
                        needed.insert(claim);
                        if !numbers.contains_key(&number) {
                            missing.insert(number, format!("{} {number} of {namespace}/{name}", claim.pool));
                        }
                    }
                    (Record::Object(_), Some(found)) => {
                        let what = (claim.pool, &found.name);
                        done.push(format!("{} {} of {namespace}/{name} is recorded for another", what.0, what.1));
                    }
                    (Record::Object(record), None) => {
                        let what = format!("{} {} of {namespace}/{name}", claim.pool, meta::name(&record));
                        missing_objects.push((record, what));
                    }
                }
            }
            Ok(())
        };
        target.each_entry(look).await?;
        for (record, what) in missing_objects {
            match target.create_record(self.allocator.records(), record).await {
                Ok(_) => done.push(format!("{what} was not recorded: mended")),
                // The object is newer than the records that were read.
                Err(error) if error.is_already_exists() => {}
                Err(error) => done.push(format!("{what} was not recorded: {error}")),
            }
        }
        if !missing.is_empty() {
            let mut added = Vec::new();
            let add = |numbers: &mut Numbers, now: Revision| {
                added.clear();
                for number in missing.keys().filter(|number| !numbers.contains_key(number)) {
                    added.push(*number);
                }
                numbers.extend(added.iter().map(|number| (*number, now)));
                !added.is_empty()
            };
            target.change_numbers(self.allocator, add).await?;
            let what = added.iter().filter_map(|number| missing.get(number));
            done.extend(what.map(|what| format!("{what} was not recorded: mended")));
        }
        Ok(needed)
    }
}

/// A record object.
struct Found {
    name: String,
    created: Revision,
    revision: Revision,
    holder: Option<Holder>,
}

impl Found {
    fn is_managed(&self) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.is_managed)
    }

    fn is_of(&self, namespace: &str, name: &str) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.namespace == namespace && holder.name == name)
    }
}
