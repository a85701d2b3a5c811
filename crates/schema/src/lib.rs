//! Custom resources: acceptance of definitions, defaulting, pruning, validation and ratcheting.
