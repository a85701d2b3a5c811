//! What the controller does.
