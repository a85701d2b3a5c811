//! Widgets as a server: `cargo run -p widgets -- --storage memory`.

use clap::Parser;
use sprag_rest::Stage;
use sprag_server::{Error, ServeArgs};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Error> {
    ServeArgs::parse().serve(|server| server.feature_gate("WidgetPriority", Stage::Alpha).resource(widgets::widgets()))
}
