//! The API of `docs/first-api.md`.

pub mod v1;

/// The generated validators and shapes.
pub mod generated {
    sprag::include_generated!();
}

use sprag::field::{Error, Path};
use sprag::{Definition, RestConfig, StrategyConfig};
use v1::Gadget;

/// The resource `gadgets.workshop.example.com`.
pub fn gadgets() -> Definition {
    let spec = Path::new("spec");
    let hooks = StrategyConfig::<Gadget>::new().validate(move |_, new, errors| {
        if new.spec.model == "perpetuum-mobile" {
            errors.push(Error::forbidden(&spec.child("model"), "this model cannot be built"));
        }
    });
    RestConfig::new("workshop.example.com", "v1", "gadgets").short_names(["gd"]).strategy(hooks).define()
}
