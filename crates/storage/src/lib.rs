//! Where objects are kept: revisions, compare-and-swap, ranges, watches.
