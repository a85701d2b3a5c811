//! Brings the records of allocated values back in step with the objects that hold them.

use std::collections::{BTreeMap, BTreeSet};

use sprag_rest::{Allocator, ApiError, Claim, Holder, Record, Request, Result, User, meta};
use sprag_storage::{ListOptions, Revision};

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
        let Some(scope) = target.scope("") else { return Ok(BTreeMap::new()) };
        let page = self.registry.0.store.list(&scope, ListOptions::default()).await;
        let mut found = BTreeMap::new();
        for entry in page.map_err(|error| target.store_error(error, "list"))?.entries {
            let name = entry.key.name();
            let Some(claim) = self.allocator.named(name) else { continue };
            let holder = self.allocator.holder(&target.decode(&entry)?);
            let name = name.to_owned();
            found.insert(claim, Found { name, created: entry.created, revision: entry.revision, holder });
        }
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
        let Some(scope) = target.scope("") else { return Ok(needed) };
        let page = self.registry.0.store.list(&scope, ListOptions::default()).await;
        for entry in page.map_err(|error| target.store_error(error, "list"))?.entries {
            let definition = &self.installed.definition;
            let (namespace, name) = (entry.key.namespace().unwrap_or_default(), entry.key.name());
            let held = self.installed.cache.get(definition, &entry)?;
            for &claim in held.held(definition, &entry)? {
                let is_held = records.get(&claim).is_some_and(|found| found.is_of(namespace, name));
                if is_held || !self.allocator.is_allocatable(claim) {
                    needed.insert(claim);
                    continue;
                }
                let holder = target.decode(&entry)?;
                match self.allocator.record(claim, &holder) {
                    Record::Number(number) if numbers.contains_key(&number) => drop(needed.insert(claim)),
                    Record::Number(number) => {
                        needed.insert(claim);
                        missing.insert(number, format!("{} {number} of {namespace}/{name}", claim.pool));
                    }
                    Record::Object(_) if let Some(found) = records.get(&claim) => {
                        let what = (claim.pool, &found.name);
                        done.push(format!("{} {} of {namespace}/{name} is recorded for another", what.0, what.1));
                    }
                    Record::Object(record) => {
                        let record_name = meta::name(&record).to_owned();
                        match target.create_record(self.allocator.records(), record).await {
                            Ok(_) => {
                                let what = format!("{} {record_name} of {namespace}/{name}", claim.pool);
                                done.push(format!("{what} was not recorded: mended"));
                            }
                            // The service is newer than the records that were read.
                            Err(error) if error.is_already_exists() => {}
                            Err(error) => return Err(error),
                        }
                    }
                }
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
