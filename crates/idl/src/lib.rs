//! Placeholder, replaced by the first code.
