//! The file by which clients find the server.

use sprag_decode::yaml;
use sprag_value::{Object, Value, base64};

/// The text of a kubeconfig for a server at an address, with the certificate of who vouches for it and a token.
pub(crate) fn kubeconfig(server: &str, authority: &str, token: &str) -> String {
    const NAME: &str = "sprag";
    let one = |key: &'static str, value: Object| -> Value {
        [Value::Object(Object::from([("name", Value::from(NAME)), (key, Value::Object(value))]))].into_iter().collect()
    };
    let authority = base64::encode(authority.as_bytes());
    let config = Object::from([
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("Config")),
        ("clusters", one("cluster", Object::from([("server", server), ("certificate-authority-data", &authority)]))),
        ("users", one("user", Object::from([("token", token)]))),
        ("contexts", one("context", Object::from([("cluster", NAME), ("user", NAME)]))),
        ("current-context", Value::from(NAME)),
    ]);
    yaml::to_string(&Value::Object(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_find_everything_in_it() {
        let config = yaml::decode(kubeconfig("https://127.0.0.1:1", "PEM", "t").as_bytes()).unwrap();
        let text = |list: &str, path: [&str; 2]| {
            config.get(list).and_then(|list| list.at(0)?.lookup(&path)?.as_str()).unwrap_or_default().to_owned()
        };
        assert_eq!(text("clusters", ["cluster", "server"]), "https://127.0.0.1:1");
        assert_eq!(text("clusters", ["cluster", "certificate-authority-data"]), "UEVN");
        assert_eq!(text("users", ["user", "token"]), "t");
        assert_eq!(text("contexts", ["context", "cluster"]), "sprag");
    }
}
