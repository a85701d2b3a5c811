//! `ServiceCIDR`s: what the controller writes into them, and when deleted ones go.

use std::sync::Arc;
use std::time::Duration;

use expect_test::{Expect, expect};
use sprag_controllers::service_cidr;
use sprag_kinds::{ServiceRanges, definitions_with};
use sprag_registry::Registry;
use sprag_rest::{DeleteOptions, Release, Request, User, WriteOptions, meta};
use sprag_storage::{ManualClock, Memory};
use sprag_value::{Value, json};

const CIDRS: &str = "servicecidrs";
const ADDRESSES: &str = "ipaddresses";

struct World {
    registry: Registry,
    clock: Arc<ManualClock>,
    user: User,
}

impl World {
    fn new() -> World {
        let clock = Arc::new(ManualClock::default());
        clock.advance(Duration::from_secs(1_750_000_000));
        let mut builder = Registry::builder(Arc::new(Memory::new())).clock(clock.clone());
        let ranges = ServiceRanges::new("10.0.0.0/16", "30000-32767").unwrap();
        for definition in definitions_with(Release::NEWEST, ranges) {
            builder = builder.resource(definition);
        }
        World { registry: builder.build(), clock, user: User::default() }
    }

    fn request<'a>(&'a self, resource: &'a str, name: &'a str) -> Request<'a> {
        let group = "networking.k8s.io";
        Request { group, version: "v1", resource, namespace: "", name, subresource: "", user: &self.user }
    }

    async fn create(&self, resource: &str, text: &str) {
        let object = json::parse(text.as_bytes()).unwrap();
        self.registry.create(&self.request(resource, ""), object, &WriteOptions::by("test")).await.unwrap();
    }

    async fn range(&self, name: &str, cidr: &str) {
        let kind = r#""apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR""#;
        self.create(CIDRS, &format!(r#"{{{kind},"metadata":{{"name":"{name}"}},"spec":{{"cidrs":["{cidr}"]}}}}"#))
            .await;
    }

    async fn address(&self, address: &str) {
        let labels =
            r#""ipaddress.kubernetes.io/ip-family":"IPv4","ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io""#;
        let kind = r#""apiVersion":"networking.k8s.io/v1","kind":"IPAddress""#;
        let parent = r#""parentRef":{"resource":"services","namespace":"default","name":"s"}"#;
        let metadata = format!(r#"{{"name":"{address}","labels":{{{labels}}}}}"#);
        self.create(ADDRESSES, &format!(r#"{{{kind},"metadata":{metadata},"spec":{{{parent}}}}}"#)).await;
    }

    async fn delete(&self, resource: &str, name: &str) {
        self.registry.delete(&self.request(resource, name), &DeleteOptions::default()).await.unwrap();
    }

    /// One pass of the controller; the time to the next one, and the finalizers and the condition of a range after it.
    async fn check(&self, name: &str, expect: Expect) {
        let again = service_cidr::reconcile(&self.registry).await.unwrap();
        let found = self.registry.get(&self.request(CIDRS, name), "").await;
        let shown = found.map_or_else(
            |error| error.to_string(),
            |range| {
                let condition = range.list_at(&["status", "conditions"]).first().cloned().unwrap_or_default();
                let text = |member: &str| condition.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
                let finalizers: Vec<&str> = meta::finalizers(&range).collect();
                format!("{finalizers:?} {} {:?} {}", text("status"), text("reason"), text("message"))
            },
        );
        expect.assert_eq(&format!("{again:?} {shown}"));
    }
}

#[tokio::test]
async fn a_range_goes_once_no_address_of_it_is_used_and_every_server_knows() {
    let world = World::new();
    world.range("more", "10.9.0.0/30").await;
    for _ in 0..2 {
        let ready =
            expect![[r#"None ["networking.k8s.io/service-cidr-finalizer"] True "" Kubernetes Service CIDR is ready"#]];
        world.check("more", ready).await;
    }
    world.address("10.9.0.1").await;
    world.delete(CIDRS, "more").await;
    let used = expect![[
        r#"None ["networking.k8s.io/service-cidr-finalizer"] False "Terminating" There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"#
    ]];
    world.clock.advance(Duration::from_mins(1));
    world.check("more", used).await;
    world.delete(ADDRESSES, "10.9.0.1").await;
    world.check("more", expect![[r#"None servicecidrs.networking.k8s.io "more" not found"#]]).await;
}

#[tokio::test]
async fn a_range_that_nothing_uses_goes_after_the_grace_period() {
    let world = World::new();
    world.range("more", "10.9.0.0/30").await;
    service_cidr::reconcile(&world.registry).await.unwrap();
    world.delete(CIDRS, "more").await;
    world.clock.advance(Duration::from_secs(4));
    let waits =
        expect![[r#"Some(6s) ["networking.k8s.io/service-cidr-finalizer"] True "" Kubernetes Service CIDR is ready"#]];
    world.check("more", waits).await;
    world.clock.advance(Duration::from_secs(6));
    world.check("more", expect![[r#"None servicecidrs.networking.k8s.io "more" not found"#]]).await;
}

#[tokio::test]
async fn a_range_within_another_goes_although_its_addresses_are_used() {
    let world = World::new();
    world.range("part", "10.9.0.0/30").await;
    world.range("whole", "10.9.0.0/16").await;
    world.address("10.9.0.1").await;
    service_cidr::reconcile(&world.registry).await.unwrap();
    world.delete(CIDRS, "part").await;
    world.clock.advance(Duration::from_secs(10));
    world.check("part", expect![[r#"None servicecidrs.networking.k8s.io "part" not found"#]]).await;
    world.delete(CIDRS, "whole").await;
    world.clock.advance(Duration::from_secs(10));
    let used = expect![[
        r#"None ["networking.k8s.io/service-cidr-finalizer"] False "Terminating" There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"#
    ]];
    world.check("whole", used).await;
}
