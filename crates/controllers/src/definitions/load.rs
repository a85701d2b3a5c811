//! Definitions that are given to a server rather than sent by a client.

use sprag_registry::Registry;
use sprag_rest::{Request, Result, User, WriteOptions, meta};
use sprag_schema::crd::prepare;
use sprag_value::Value;

use sprag_crd::{GROUP, PLURAL, VERSION};

/// Creates a definition, or brings the stored one of its name up to date: its spec is replaced, and labels and annotations are
/// added to. Nothing is written when that changes nothing.
pub async fn load(registry: &Registry, mut definition: Value, manager: &str) -> Result<()> {
    let name = meta::name(&definition).to_owned();
    let user = User { name: manager.to_owned(), ..User::default() };
    let request = |name| Request {
        group: GROUP,
        version: VERSION,
        resource: PLURAL,
        namespace: "",
        name,
        subresource: "",
        user: &user,
    };
    let options = WriteOptions::by(manager);
    let stored = match registry.get(&request(&name), "").await {
        Ok(stored) => stored,
        Err(error) if error.is_not_found() => {
            definition.remove("status");
            return registry.create(&request(""), definition, &options).await.map(drop);
        }
        Err(error) => return Err(error),
    };
    prepare::set_defaults(&mut definition);
    let mut new = stored.clone();
    new.insert("spec", definition.get("spec").cloned().unwrap_or_default());
    for member in ["labels", "annotations"] {
        add(&mut new, &definition, member);
    }
    if new == stored {
        return Ok(());
    }
    registry.update(&request(&name), new, &options).await.map(drop)
}

/// Adds the members of a map in the metadata.
fn add(new: &mut Value, given: &Value, member: &str) {
    let Some(given) = meta::get(given, member).and_then(Value::as_object) else { return };
    let mut all = meta::get(new, member).cloned().unwrap_or_else(Value::object);
    for (key, value) in given {
        all.insert(key.as_str(), value.clone());
    }
    meta::set(new, member, all);
}
