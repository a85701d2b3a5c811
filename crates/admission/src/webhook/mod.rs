//! Validating and mutating admission webhooks, called.
