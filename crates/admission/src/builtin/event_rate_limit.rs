//! The plug-in `EventRateLimit`: so many events a second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use sprag_field::{BadValue, Error, Path};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, Result};
use sprag_value::Value;

use super::request::{aggregate, creates, is, judged, updates};

/// Default number of buckets of a limit.
const DEFAULT_CACHE: usize = 4096;

/// Refuses events beyond the limits of its configuration.
// As upstream's plugin/pkg/admission/eventratelimit.
pub struct EventRateLimit(Vec<Limit>);

struct Limit {
    kind: Kind,
    /// Tokens that come back in a second.
    rate: f64,
    /// Tokens of a bucket that is full.
    burst: f64,
    /// Buckets of this limit that are kept.
    most: usize,
    buckets: Mutex<HashMap<String, Bucket>>,
}

/// The scope of a bucket of tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Server,
    Namespace,
    User,
    SourceAndObject,
}

impl Kind {
    const ALL: [(Kind, &str); 4] = [
        (Kind::Namespace, "Namespace"),
        (Kind::Server, "Server"),
        (Kind::SourceAndObject, "SourceAndObject"),
        (Kind::User, "User"),
    ];

    fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// Tokens, as Go's `rate.Limiter` counts them.
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl EventRateLimit {
    /// The plug-in of a configuration, `eventratelimit.admission.k8s.io/v1alpha1`; the error is upstream's.
    // As upstream's validation.ValidateConfiguration.
    pub fn new(configuration: &Value) -> std::result::Result<EventRateLimit, String> {
        let path = Path::new("limits");
        let mut errors = Vec::new();
        let limits = configuration.list("limits");
        if limits.is_empty() {
            errors.push(Error::invalid(&path, BadValue::Json("null".into()), "must not be empty"));
        }
        let limits =
            limits.iter().enumerate().filter_map(|(at, limit)| Limit::read(&path.index(at), limit, &mut errors));
        let limits = limits.collect();
        match aggregate(errors.iter().map(ToString::to_string).collect()) {
            Some(why) => Err(why),
            None => Ok(EventRateLimit(limits)),
        }
    }

    fn check(&self, attributes: &Attributes<'_>) -> Result<()> {
        let now = Instant::now();
        let reached = self.0.iter().filter_map(|limit| {
            let key = limit.key(attributes);
            let is_left = limit.takes(&key, now);
            let kind = limit.kind.name();
            (!is_left).then(|| format!("limit reached on type {kind} for key {key}"))
        });
        // Every limit counts the event, also when an earlier one refuses it.
        match aggregate(reached.collect()) {
            Some(why) => Err(ApiError::new(429, "TooManyRequests", format!("Too many requests: {why}"), None)),
            None => Ok(()),
        }
    }
}

impl AdmissionPlugin for EventRateLimit {
    fn mutates(&self) -> bool {
        false
    }

    // Events of the group events.k8s.io are of another kind, which upstream does not limit.
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        (creates(attributes) || updates(attributes))
            && is(attributes, "", "events")
            && !attributes.operation.is_dry_run()
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        judged(self.check(&attributes))
    }
}

impl Limit {
    fn read(path: &Path<'_>, limit: &Value, errors: &mut Vec<Error>) -> Option<Limit> {
        let number = |member: &str| limit.get(member).and_then(Value::as_i64).unwrap_or_default();
        let name = limit.text("type");
        let kind = Kind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
        if kind.is_none() {
            let known = Kind::ALL.map(|(_, name)| name);
            errors.push(Error::not_supported(&path.child("type"), name, &known));
        }
        for member in ["burst", "qps"] {
            if number(member) <= 0 {
                errors.push(Error::invalid(&path.child(member), number(member), "must be positive"));
            }
        }
        if kind != Some(Kind::Server) && number("cacheSize") < 0 {
            errors.push(Error::invalid(&path.child("cacheSize"), number("cacheSize"), "must not be negative"));
        }
        let amount = |member: &str| f64::from(i32::try_from(number(member)).unwrap_or(i32::MAX));
        let most = usize::try_from(number("cacheSize")).ok().filter(|most| *most > 0).unwrap_or(DEFAULT_CACHE);
        let rate = amount("qps");
        let burst = amount("burst");
        Some(Limit { kind: kind?, rate, burst, most, buckets: Mutex::default() })
    }

    /// The bucket that an event takes its token from.
    fn key(&self, attributes: &Attributes<'_>) -> String {
        let event = attributes.new_object();
        match self.kind {
            Kind::Server => String::new(),
            Kind::Namespace => attributes.namespace().to_owned(),
            Kind::User => attributes.request.user.name.clone(),
            Kind::SourceAndObject => [
                ["source", "component"],
                ["source", "host"],
                ["involvedObject", "kind"],
                ["involvedObject", "namespace"],
                ["involvedObject", "name"],
                ["involvedObject", "uid"],
                ["involvedObject", "apiVersion"],
            ]
            .iter()
            .map(|path| event.text_at(path))
            .collect(),
        }
    }

    /// Takes a token; false if none is left.
    fn takes(&self, key: &str, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(key) {
            self.make_room(&mut buckets);
            buckets.insert(key.to_owned(), Bucket { tokens: self.burst, at: now });
        }
        let Some(bucket) = buckets.get_mut(key) else { return true };
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + since * self.rate).min(self.burst);
        bucket.at = bucket.at.max(now);
        let is_left = bucket.tokens >= 1.0;
        if is_left {
            bucket.tokens -= 1.0;
        }
        is_left
    }

    /// Forgets the bucket that was not used for the longest time, if there are too many.
    fn make_room(&self, buckets: &mut HashMap<String, Bucket>) {
        if buckets.len() < self.most {
            return;
        }
        let oldest = buckets.iter().min_by_key(|(_, bucket)| bucket.at).map(|(key, _)| key.clone());
        if let Some(oldest) = oldest {
            buckets.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sprag_value::json;

    use super::*;

    fn new(text: &str) -> std::result::Result<EventRateLimit, String> {
        EventRateLimit::new(&json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn tokens_come_back_with_time() {
        let plugin = new(r#"{"limits":[{"type":"Namespace","qps":2,"burst":3,"cacheSize":2}]}"#).unwrap();
        let limit = &plugin.0[0];
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        assert_eq!([0; 4].map(|_| limit.takes("a", start)), [true, true, true, false]);
        assert!(limit.takes("b", start), "another bucket is full");
        assert_eq!([at(499), at(500), at(501)].map(|at| limit.takes("a", at)), [false, true, false]);
        assert_eq!([0; 4].map(|_| limit.takes("a", at(60_000))), [true, true, true, false]);
        // The third bucket takes the place of the one that was not used for the longest time, which is full when it comes back.
        assert!(limit.takes("c", at(60_000)) && limit.takes("b", at(60_000)));
        assert_eq!(limit.buckets.lock().unwrap().len(), 2);
    }

    #[test]
    fn configurations_are_checked() {
        let why = |text: &str| new(text).err().unwrap_or_default();
        assert_eq!(why("{}"), "limits: Invalid value: null: must not be empty");
        assert_eq!(
            why(r#"{"limits":[{"type":"Pod","qps":1,"burst":1}]}"#),
            "limits[0].type: Unsupported value: \"Pod\": supported values: \"Namespace\", \"Server\", \"SourceAndObject\", \"User\""
        );
        assert_eq!(
            why(r#"{"limits":[{"type":"User","cacheSize":-1}]}"#),
            "[limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive, \
             limits[0].cacheSize: Invalid value: -1: must not be negative]"
        );
        assert_eq!(why(r#"{"limits":[{"type":"Server","qps":1,"burst":1,"cacheSize":-1}]}"#), "");
    }
}
