//! Checks one lamp.

mod api;
mod checks;
mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}

use sprag_checks::{Errors, Request, Validate};

fn main() {
    let bulbs = vec!["#101010".into(), "#00ff00".into(), "green".into()];
    let lamp = api::Lamp { shade: "#ff0000".into(), bulbs, watts: -4 };
    let mut errors = Errors::new();
    api::Lamp::validate(&Request::create(), &lamp, None, &mut errors);
    for error in &errors {
        println!("{error}");
    }
    println!("{} validators", generated::VALIDATORS.len());
}
