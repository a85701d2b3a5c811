//! The file by which clients find the server.

use sprag_decode::yaml;
use sprag_value::{Object, Value, base64};

/// The credentials in a kubeconfig.
#[derive(Clone, Copy)]
pub(crate) enum Credentials<'c> {
    Token(&'c str),
    /// Both as PEM.
    Certificate {
        certificate: &'c str,
        key: &'c str,
    },
}

/// The address in a kubeconfig of ours.
pub(crate) fn server_of(config: &Value) -> Option<&str> {
    config.get("clusters")?.at(0)?.lookup(&["cluster", "server"])?.as_str()
}

/// The text of a kubeconfig for a server at an address, with the certificate of who vouches for it.
pub(crate) fn kubeconfig(server: &str, authority: &str, credentials: Credentials<'_>) -> String {
    const NAME: &str = "sprag";
    let one = |key: &'static str, value: Object| -> Value {
        [Value::Object(Object::from([("name", Value::from(NAME)), (key, Value::Object(value))]))].into_iter().collect()
    };
    let encoded = |pem: &str| base64::encode(pem.as_bytes());
    let authority = encoded(authority);
    let user = match credentials {
        Credentials::Token(token) => Object::from([("token", Value::from(token))]),
        Credentials::Certificate { certificate, key } => Object::from([
            ("client-certificate-data", Value::from(encoded(certificate))),
            ("client-key-data", Value::from(encoded(key))),
        ]),
    };
    let config = Object::from([
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("Config")),
        ("clusters", one("cluster", Object::from([("server", server), ("certificate-authority-data", &authority)]))),
        ("users", one("user", user)),
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
        let config =
            yaml::decode(kubeconfig("https://127.0.0.1:1", "PEM", Credentials::Token("t")).as_bytes()).unwrap();
        let text = |list: &str, path: [&str; 2]| {
            config.get(list).and_then(|list| list.at(0)?.lookup(&path)?.as_str()).unwrap_or_default().to_owned()
        };
        assert_eq!(text("clusters", ["cluster", "server"]), "https://127.0.0.1:1");
        assert_eq!(text("clusters", ["cluster", "certificate-authority-data"]), "UEVN");
        assert_eq!(text("users", ["user", "token"]), "t");
        assert_eq!(text("contexts", ["context", "cluster"]), "sprag");
    }
}
