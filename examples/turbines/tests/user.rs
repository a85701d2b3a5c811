//! Generated code in the crate of a user who depends on `sprag` and looks at every warning. Nothing refers to the generated
//! items here, the module around them is private, and one of the packages has kinds without rules.

#![deny(warnings)]

#[path = "../src/bare.rs"]
#[expect(unreachable_pub, reason = "a lint of this workspace, about the author's own types")]
mod bare;
mod generated {
    sprag::include_generated!();
}
#[path = "../src/v1.rs"]
#[expect(unreachable_pub, reason = "a lint of this workspace, about the author's own types")]
mod v1;

use sprag::testing::Api;
use sprag::{RestConfig, Stage};

#[test]
fn every_kind_is_served() {
    let api = Api::builder()
        .gates(sprag::FeatureGates::default().with("TurbineBlades", Stage::Alpha))
        .resource(RestConfig::<bare::Marker>::new("example.dev", "v1", "markers"))
        .resource(RestConfig::<bare::Plain>::new("example.dev", "v1", "plains"))
        .resource(RestConfig::<bare::Gauge>::new("example.dev", "v1", "gauges"))
        .resource(RestConfig::<v1::Turbine>::new("example.dev", "v1", "turbines"))
        .build();
    for resource in ["markers", "plains", "gauges"] {
        let client = api.client("example.dev/v1", resource);
        client.create(r#"{"metadata":{"name":"a"}}"#).unwrap_or_else(|error| panic!("{resource}: {error}"));
    }
    let gauges = api.client("example.dev/v1", "gauges");
    let written =
        gauges.status().merge_patch("a", r#"{"metadata":{"labels":{"a":"b"}},"status":{"value":7}}"#).unwrap();
    assert_eq!((written.json("status"), written.json("metadata.labels")), (r#"{"value":7}"#.into(), "null".into()));
    assert_eq!(written.json("metadata.generation"), "null");
    assert_eq!(api.client("example.dev/v1", "markers").status().get("a").unwrap_err().code(), 404);
}
