//! Widgets as a server: `cargo run -p widgets -- --storage memory`.

use sprag::Stage;

fn main() -> sprag::Result<()> {
    sprag::Server::new().feature_gate("WidgetPriority", Stage::Alpha).resource(widgets::widgets()).serve_from_args()
}
