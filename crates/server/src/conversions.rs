//! Calls conversion webhooks and waits for them, off the threads that serve other requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sprag_crd::ConversionClient;
use sprag_registry::{ConversionTurn, SystemEntropy};
use sprag_rest::{GroupResource, NotConverted, new_uid};
use sprag_value::Value;
use sprag_webhook::{Client, ClientConfig, deadline};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

use crate::hold;
use crate::turns;

/// The longest time that a conversion may take.
// As upstream's rest.Config of webhooks, whose timeout is 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of calls that wait at once, each on a thread of its own, of which the runtime has 512: others need some. A request waits for its turn
/// before, without a thread ([`conversion_turns`]), so that one webhook does not take all.
const MAX_WAITING: usize = 384;

/// Maximum number of requests and watches of one resource that have their turn at once.
const TURNS: usize = 32;

/// Turns to convert the objects of a resource: where its webhook does not answer, requests for it wait, and no others.
pub(crate) fn conversion_turns() -> Arc<ConversionTurn> {
    let known: Mutex<HashMap<GroupResource, Arc<Semaphore>>> = Mutex::default();
    Arc::new(move |resource| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        // Resources come and go.
        known.retain(|other, turns| other == resource || Arc::strong_count(turns) > 1);
        let turns = known.entry(resource.clone()).or_insert_with(|| Arc::new(Semaphore::new(TURNS))).clone();
        Box::pin(async move { Box::new(turns.acquire_owned().await) as Box<dyn Send> })
    })
}

/// Calls conversion webhooks.
pub(crate) struct Conversions {
    client: Arc<Client>,
    waiting: Semaphore,
}

impl Conversions {
    pub(crate) fn new(client: Arc<Client>) -> Conversions {
        Conversions { client, waiting: Semaphore::new(MAX_WAITING) }
    }

    async fn call(
        &self,
        config: &ClientConfig,
        review: String,
        read: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(), NotConverted<String>> {
        let answer = self.client.post(config, review, Some(TIMEOUT)).await;
        let answer = answer.map_err(|error| NotConverted { error: error.message, is_unreachable: true })?;
        read(answer.object().map_err(|error| error.message)?);
        Ok(())
    }
}

impl ConversionClient for Conversions {
    fn uid(&self) -> String {
        new_uid(&SystemEntropy).to_string()
    }

    fn post(
        &self,
        client_config: &Value,
        review: String,
        read: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(), NotConverted<String>> {
        let config = ClientConfig::read(Some(client_config))?;
        let Ok(_turn) = self.waiting.try_acquire() else {
            let error = format!("{MAX_WAITING} conversions of other requests have no answer yet");
            return Err(NotConverted { error, is_unreachable: true });
        };
        let call = self.call(&config, review, read);
        match Handle::try_current() {
            // Another thread takes over what this one has to do meanwhile.
            Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
                hold::aside(|| handle.block_on(turns::without(call)))
            }
            // A runtime of one thread cannot wait for itself.
            _ => std::thread::scope(|scope| {
                let call = deadline::within(deadline::current(), call);
                let alone = scope.spawn(|| {
                    let runtime = Builder::new_current_thread().enable_all().build();
                    runtime.map_err(|error| error.to_string())?.block_on(call)
                });
                alone.join().unwrap_or_else(|_| Err("the call of the webhook panicked".to_owned().into()))
            }),
        }
    }
}
