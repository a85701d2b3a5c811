//! A complete typed API: widgets in two versions, every hook shown once.

pub mod v1;
pub mod v1beta1;

/// The code that `build.rs` generates from the types.
pub mod generated {
    sprag::include_generated!();
}

use sprag::field::{Error, Path};
use sprag::{Definition, FeatureGates, RestConfig, ScalePaths, Stage, StatusConfig, StrategyConfig};
use v1::Widget;

/// The features of this API.
pub fn gates() -> FeatureGates {
    FeatureGates::default().with("WidgetPriority", Stage::Alpha)
}

/// The resource, in one expression.
pub fn widgets() -> Definition {
    RestConfig::new("example.dev", "v1", "widgets")
        .version("v1beta1", Widget::from, v1beta1::Widget::from)
        .short_names(["wg"])
        .scale(ScalePaths::default())
        .strategy(hooks())
        .define()
}

/// Returns the strategy of widgets: each hook once.
fn hooks() -> StrategyConfig<Widget> {
    let spec = Path::new("spec");
    StrategyConfig::<Widget>::new()
        .prepare_for_create(|cx, new| new.spec.owner.clone_from(&cx.user.name))
        .prepare_for_update(|_, new, old| new.spec.owner.clone_from(&old.spec.owner))
        .drop_disabled_fields(|gates, new, old| {
            if !gates.enabled("WidgetPriority") && old.is_none() {
                new.spec.parts.retain(|part| part.name != "priority");
            }
        })
        .validate(move |_, new, errors| {
            if new.spec.class == "void" {
                errors.push(Error::forbidden(&spec.child("class"), "there is nothing in the void"));
            }
        })
        .validate_update(move |_, new, old, errors| {
            if new.spec.parts.len() < old.spec.parts.len() {
                errors.push(Error::forbidden(&spec.child("parts"), "parts may not be taken away"));
            }
        })
        .warnings_on_create(|_, new| Vec::from_iter(new.spec.parts.is_empty().then(|| "spec.parts: none".into())))
        .warnings_on_update(|_, new, _| Vec::from_iter(new.spec.parts.is_empty().then(|| "spec.parts: none".into())))
        .status(StatusConfig::<Widget>::new().prepare_for_update(|_, new, _| {
            new.status.phase = new.status.phase.trim().to_owned();
        }))
}
