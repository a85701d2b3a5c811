//! Validating and mutating admission webhooks, called.
//!
//! Configurations are compiled when they change (`source`). A request finds the webhooks whose rules can match it in one lookup,
//! and is sent to those that do match as an `AdmissionReview` (`call`, `review`): to mutating ones in turn (`mutating`), to
//! validating ones at once (`validating`).

mod audit;
mod call;
mod metrics;
mod mutating;
mod review;
mod source;
mod validating;

pub use self::metrics::{Called, WebhookObserver};
pub use self::mutating::MutatingWebhooks;
pub use self::source::Webhooks;
pub use self::validating::ValidatingWebhooks;
