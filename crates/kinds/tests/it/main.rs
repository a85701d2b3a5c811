//! All kinds through the whole pipeline, in process.

mod api;
mod config_maps;
