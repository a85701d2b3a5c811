//! The lease by which one sees which servers run on a store.

use std::time::Duration;

use ring::digest::{SHA256, digest};
use sprag_registry::Registry;
use sprag_rest::{ApiError, DeleteOptions, ListOptions, Request, Result, User, WriteOptions, meta};
use sprag_value::{MicroTime, Object, Value};

/// Renewal interval of the lease, as upstream's `IdentityLeaseRenewIntervalPeriod`.
pub const RENEWED_EVERY: Duration = Duration::from_secs(10);
/// Number of renewals between checks for expired leases: upstream checks once an hour.
pub const RENEWALS_PER_LOOK: u32 = 360;

/// As upstream's `IdentityLeaseDurationSeconds`.
const DURATION_SECONDS: i64 = 3600;
const NAMESPACE: &str = "kube-system";
const LABEL: &str = "apiserver.kubernetes.io/identity";
const HOSTNAME: &str = "kubernetes.io/hostname";
/// The component label of the lease, and its field manager.
const COMPONENT: &str = "kube-apiserver";

/// The lease of this server.
// As upstream's lease controller of kube-apiserver, and apiserverleasegc.Controller.
pub struct IdentityLease {
    registry: Registry,
    user: User,
    name: String,
    holder: String,
    hostname: String,
    clock: fn() -> MicroTime,
}

impl IdentityLease {
    /// The lease of a server on this machine. Nothing is written yet.
    pub fn new(registry: Registry, clock: fn() -> MicroTime) -> Result<IdentityLease> {
        let hostname = hostname().ok_or_else(|| ApiError::internal("this machine has no name"))?;
        let name = name(&hostname);
        let holder = format!("{name}_{}", uuid()?);
        Ok(IdentityLease { registry, user: User::default(), name, holder, hostname, clock })
    }

    /// Says that the server still runs.
    pub async fn renew(&self) -> Result<()> {
        let request = self.request(&self.name);
        let options = WriteOptions::by(COMPONENT);
        let renewed = match self.registry.get(&request, "").await {
            Ok(mut lease) => {
                self.complete(&mut lease);
                self.registry.update(&request, lease, &options).await.map(drop)
            }
            Err(error) if error.is_not_found() => {
                let mut lease = meta::bare("coordination.k8s.io/v1", "Lease", &self.name);
                lease.insert("spec", Object::from([("holderIdentity", Value::from(self.holder.as_str()))]));
                self.complete(&mut lease);
                self.registry.create(&self.request(""), lease, &options).await.map(drop)
            }
            Err(error) => Err(error),
        };
        match renewed {
            // Servers on one machine share the lease: another one has just renewed it.
            Err(error) if error.is_conflict() || error.is_already_exists() => Ok(()),
            renewed => renewed,
        }
    }

    /// Deletes the leases of servers that are gone.
    pub async fn delete_expired(&self) -> Result<()> {
        let label_selector = format!("{LABEL}={COMPONENT}");
        let options = ListOptions { label_selector, ..ListOptions::default() };
        let now = (self.clock)();
        for lease in self.registry.list(&self.request(""), &options).await?.items {
            if is_expired(&lease, now) {
                let uid = Some(meta::uid(&lease).to_owned());
                let resource_version = Some(meta::resource_version(&lease)?.to_string());
                let options = DeleteOptions { uid, resource_version, ..DeleteOptions::default() };
                match self.registry.delete(&self.request(meta::name(&lease)), &options).await {
                    Err(error) if !error.is_not_found() && !error.is_conflict() => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Sets what each renewal sets; who made the lease stays its holder.
    fn complete(&self, lease: &mut Value) {
        let mut labels = meta::get(lease, "labels").and_then(Value::as_object).cloned().unwrap_or_default();
        labels.insert(LABEL, COMPONENT);
        labels.insert(HOSTNAME, self.hostname.as_str());
        meta::set(lease, "labels", labels);
        let mut spec = lease.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
        spec.insert("leaseDurationSeconds", DURATION_SECONDS);
        spec.insert("renewTime", (self.clock)().to_string());
        lease.insert("spec", spec);
    }

    fn request<'a>(&'a self, name: &'a str) -> Request<'a> {
        Request {
            group: "coordination.k8s.io",
            version: "v1",
            resource: "leases",
            namespace: NAMESPACE,
            name,
            subresource: "",
            user: &self.user,
        }
    }
}

/// The name of the lease of a server on this machine.
// As upstream's server.NewConfig makes the APIServerID.
fn name(hostname: &str) -> String {
    let mut parts = Vec::new();
    for part in [hostname, COMPONENT] {
        let length = u16::try_from(part.len()).unwrap_or(u16::MAX);
        parts.extend(length.to_be_bytes());
        parts.extend(part.bytes());
    }
    format!("apiserver-{}", base32(&digest(&SHA256, &parts).as_ref()[..16]))
}

/// A random one, of version 4.
fn uuid() -> Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(ApiError::internal)?;
    random[6] = (random[6] & 0x0f) | 0x40;
    random[8] = (random[8] & 0x3f) | 0x80;
    let digits = format!("{:032x}", u128::from_be_bytes(random));
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}

/// Base 32 in lower case, without padding.
fn base32(bytes: &[u8]) -> String {
    const DIGITS: [u8; 32] = *b"abcdefghijklmnopqrstuvwxyz234567";
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| usize::from((byte >> (7 - at % 8)) & 1));
    let digit = |at: usize| (at..at + 5).fold(0, |digit, at| (digit << 1) | bit(at));
    (0..bytes.len() * 8).step_by(5).map(|at| char::from(DIGITS[digit(at)])).collect()
}

// As upstream's apiserverleasegc.isLeaseExpired.
fn is_expired(lease: &Value, now: MicroTime) -> bool {
    let renewed = lease.lookup(&["spec", "renewTime"]).and_then(Value::as_str).and_then(|text| text.parse().ok());
    let lasts = lease.lookup(&["spec", "leaseDurationSeconds"]).and_then(Value::as_i64);
    let (Some(renewed), Some(lasts)) = (renewed, lasts) else { return true };
    let renewed: MicroTime = renewed;
    renewed.unix_seconds().saturating_add(lasts) < now.unix_seconds()
}

#[cfg(unix)]
fn hostname() -> Option<String> {
    nix::unistd::gethostname().ok()?.into_string().ok()
}

#[cfg(not(unix))]
fn hostname() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_upstream_does() {
        // RFC 4648.
        for (bytes, text) in [("", ""), ("f", "my"), ("fo", "mzxq"), ("foobar", "mzxw6ytboi")] {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn leases_that_do_not_say_when_they_end_are_expired() {
        let lease = |text: &str| sprag_value::json::parse(text.as_bytes()).unwrap();
        let now = MicroTime::from_unix(4000, 0);
        for (text, expected) in [
            (r#"{"spec":{}}"#, true),
            (r#"{"spec":{"leaseDurationSeconds":3600}}"#, true),
            (r#"{"spec":{"leaseDurationSeconds":3600,"renewTime":"1970-01-01T00:06:39.000000Z"}}"#, true),
            (r#"{"spec":{"leaseDurationSeconds":3600,"renewTime":"1970-01-01T00:06:40.000000Z"}}"#, false),
        ] {
            assert_eq!(is_expired(&lease(text), now), expected, "{text}");
        }
    }
}
