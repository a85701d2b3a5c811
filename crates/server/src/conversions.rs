//! Calls conversion webhooks and waits for them, off the threads that serve other requests.

use std::sync::Arc;
use std::time::Duration;

use sprag_crd::ConversionClient;
use sprag_value::Value;
use sprag_webhook::{Client, ClientConfig};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};

use crate::hold;

/// The longest time that a conversion may take.
// As upstream's rest.Config of webhooks, whose timeout is 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Calls conversion webhooks.
pub(crate) struct Conversions(Arc<Client>);

impl Conversions {
    pub(crate) fn new(client: Arc<Client>) -> Conversions {
        Conversions(client)
    }

    async fn call(&self, config: &ClientConfig, review: String) -> Result<Vec<u8>, String> {
        let answer = self.0.post(config, review, Some(TIMEOUT)).await.map_err(|error| error.message)?;
        answer.object().map(<[u8]>::to_vec).map_err(|error| error.message)
    }
}

impl ConversionClient for Conversions {
    fn post(&self, client_config: &Value, review: String) -> Result<Vec<u8>, String> {
        let config = ClientConfig::read(Some(client_config))?;
        let call = self.call(&config, review);
        match Handle::try_current() {
            // Another thread takes over what this one has to do meanwhile.
            Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
                hold::aside(|| handle.block_on(call))
            }
            // A runtime of one thread cannot wait for itself.
            _ => std::thread::scope(|scope| {
                let alone = scope.spawn(|| {
                    let runtime = Builder::new_current_thread().enable_all().build();
                    runtime.map_err(|error| error.to_string())?.block_on(call)
                });
                alone.join().unwrap_or_else(|_| Err("the call of the webhook panicked".to_owned()))
            }),
        }
    }
}
