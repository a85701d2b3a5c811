//! The addresses of webhooks, and the authorities to trust there.

use sprag_value::{Value, base64};

use crate::url::{Url, cleaned};

/// The port of a service that a configuration leaves out.
const DEFAULT_PORT: i64 = 443;

/// The `clientConfig` of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientConfig {
    /// The URL, without a query. That of a service has its name in the cluster.
    url: String,
    /// The service behind the URL.
    pub(crate) service: Option<Service>,
    /// The certificates that may sign the webhook's, as PEM; nothing for those that the system trusts.
    pub(crate) ca_bundle: Vec<u8>,
}

/// A service in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Service {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) port: i64,
}

/// Knows the addresses of services.
// As upstream's webhook.ServiceResolver.
pub trait ResolveService: Send + Sync {
    /// The `host:port` of a port of a service, or why it cannot be reached.
    fn resolve(&self, namespace: &str, name: &str, port: i64) -> Result<String, String>;
}

impl ClientConfig {
    /// Reads a `clientConfig`.
    // As upstream's ClientManager.hookClientConfig.
    pub fn read(config: Option<&Value>) -> Result<ClientConfig, String> {
        let text = |value: Option<&Value>, name: &str| {
            value.and_then(|value| value.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let ca_bundle = base64::decode(&text(config, "caBundle")).unwrap_or_default();
        // As upstream's webhookClientConfigForCRD: blanks are not a bundle.
        let ca_bundle = if ca_bundle.trim_ascii().is_empty() { Vec::new() } else { ca_bundle };
        if let Some(service) = config.and_then(|config| config.get("service")).filter(|service| !service.is_null()) {
            let namespace = text(Some(service), "namespace");
            let name = text(Some(service), "name");
            let port = service.get("port").and_then(Value::as_i64).filter(|port| *port != 0).unwrap_or(DEFAULT_PORT);
            let path = cleaned(&text(Some(service), "path"));
            let url = format!("https://{name}.{namespace}.svc:{port}{path}");
            return Ok(ClientConfig { url, service: Some(Service { namespace, name, port }), ca_bundle });
        }
        let url = text(config, "url");
        if url.is_empty() {
            return Err("webhook configuration must have either service or URL".to_owned());
        }
        let parsed = Url::parse(&url).ok_or_else(|| format!("Unparsable URL: {url}"))?;
        let url = Url { path: cleaned(&parsed.path), query: String::new(), ..parsed };
        Ok(ClientConfig { url: url.to_string(), service: None, ca_bundle })
    }

    pub(crate) fn url(&self) -> Option<Url> {
        Url::parse(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(config: &str, expected: Result<&str, &str>) {
        let config = json::parse(config.as_bytes()).unwrap();
        let read = ClientConfig::read(Some(&config));
        assert_eq!(read.as_ref().map(|read| read.url.as_str()).map_err(String::as_str), expected);
    }

    #[test]
    fn urls_and_services_are_read() {
        check(r#"{"url":"https://a.example:9443/x/"}"#, Ok("https://a.example:9443/x"));
        check(r#"{"service":{"namespace":"n","name":"s"}}"#, Ok("https://s.n.svc:443/"));
        check(r#"{"service":{"namespace":"n","name":"s","port":8443,"path":"p"}}"#, Ok("https://s.n.svc:8443/p"));
        check("{}", Err("webhook configuration must have either service or URL"));
        check(r#"{"url":"nonsense"}"#, Err("Unparsable URL: nonsense"));
    }
}
