//! The meaning of tags, from source to errors.

mod api;
mod custom_tags;
mod hostile;
mod kep_tags;
mod names;
mod patterns;
mod permutations;
mod programs;
mod protobuf;
mod ratcheting;
mod registry;
mod releases;
mod rule_list;
mod rust_types;
mod seed_sentences;
mod stages;
mod strays;
