//! The plug-ins that upstream compiles in, one file each.
