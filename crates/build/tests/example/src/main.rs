//! Checks one lamp.

mod api;
mod checks;
mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}

use sprag_validate::{Errors, Request, Validate};

fn main() {
    let lamp = api::Lamp { shade: "#ff0000".into(), bulbs: vec!["#00ff00".into(), "green".into()], watts: 0 };
    let mut errors = Errors::new();
    api::Lamp::validate(&Request::create(), &lamp, None, &mut errors);
    for error in &errors {
        println!("{error}");
    }
    println!("{} validators", generated::VALIDATORS.len());
}
