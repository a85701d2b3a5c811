//! Feature gates, subresources and enums of an API, each in the combinations that authors write.

pub mod bare;
pub mod v1;

/// The code that `build.rs` generates from the types.
pub mod generated {
    sprag::include_generated!();
}

use sprag::{Definition, FeatureGates, RestConfig, Stage, SubresourceConfig};
use v1::Turbine;

/// The features of this API.
pub fn gates() -> FeatureGates {
    FeatureGates::default().with("TurbineBlades", Stage::Alpha)
}

/// The resource. `/resize` writes one field, and `/tune`, which has no call here, everything but status and metadata.
pub fn turbines() -> Definition {
    RestConfig::new("example.dev", "v1", "turbines")
        .part(
            "resize",
            SubresourceConfig::<Turbine>::new()
                .writes(["spec.size"])
                .prepare_for_update(|_, new, _| new.status.resizes += 1)
                .warnings_on_update(|_, new, _| vec![format!("resized {} times", new.status.resizes)]),
        )
        .define()
}
