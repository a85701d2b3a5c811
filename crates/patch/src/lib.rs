//! Patches: JSON Patch, merge patch, strategic merge, server-side apply.
