//! Serves gadgets, with the flags of `sprag serve`.

fn main() -> sprag::Result<()> {
    sprag::Server::new().resource(gadgets::gadgets()).serve_from_args()
}
