//! All resources of a server over one store, and what every request needs to be done.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::Poll;
use std::time::Duration;

use sprag_rest::{
    ApiError, Body, Context, Counters, Definition, Entropy, FeatureGates, Format, GroupResource, Input, Judged, Kinds,
    Observer, Old, Read, Request, ResourceInfo, Result, Write, WriteOptions,
};
use sprag_storage::{Clock, Health, Store, SystemClock};
use sprag_value::{Time, Value};

use crate::admission::AdmissionPlugin;
use crate::allocate::Allocations;
use crate::cache::Cache;
use crate::encoded::{Line, Prefix, RecentLines};
use crate::entropy::SystemEntropy;
use crate::pipeline::HEAVY_BYTES;

/// Lets time pass.
pub type Sleep = dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Work that may take long.
pub type Work<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;

/// Does work of a user on so many bytes where it keeps nothing else waiting, once it is that user's turn; what it returns is
/// left to do.
pub type Offload = dyn for<'w> Fn(&'w str, usize, Work<'w>) -> Work<'w> + Send + Sync;

/// Waits until objects of a resource may be converted by its webhook; the turn ends when what is returned is dropped.
pub type ConversionTurn = dyn Fn(&GroupResource) -> Pin<Box<dyn Future<Output = Box<dyn Send>> + Send>> + Send + Sync;

/// Rejects an update of an object that does not exist by a user who may not create it.
// As upstream's handlers.withAuthorization.
pub type AuthorizeCreate = dyn Fn(&Request<'_>) -> Result<()> + Send + Sync;

/// Reserves memory for a user's work on so many bytes, and waits for it if need be.
pub type Reserve = dyn for<'w> Fn(&'w str, usize) -> Reserving<'w> + Send + Sync;
/// A reservation that is made or refused.
pub type Reserving<'w> = Pin<Box<dyn Future<Output = Result<Reservation>> + Send + 'w>>;
/// Memory that is reserved until this is dropped.
pub type Reservation = Box<dyn Send + Sync>;

/// Work on less than this needs no reservation: as many such requests as there may be fit into a few dozen megabytes.
pub const LIGHT: usize = 256 << 10;

/// The response to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The object, or a status.
    pub object: Value,
    /// Warnings for the client.
    pub warnings: Vec<String>,
    /// True if the object is new.
    pub created: bool,
    /// The text of the object, where it is what was stored.
    pub line: Option<Line>,
}

impl Answer {
    /// The same with warnings before those it has.
    pub(crate) fn with_warnings(mut self, mut warnings: Vec<String>) -> Answer {
        if !warnings.is_empty() {
            warnings.append(&mut self.warnings);
            self.warnings = warnings;
        }
        self
    }
}

/// An outcome with warnings before those it has: they are sent whatever becomes of the write.
pub(crate) fn with_warnings(outcome: Result<Answer>, warnings: Vec<String>) -> Result<Answer> {
    match outcome {
        Ok(answer) => Ok(answer.with_warnings(warnings)),
        Err(error) => Err(error.with_warnings(warnings)),
    }
}

/// All resources of a server over one store. Clones share everything.
#[derive(Clone)]
pub struct Registry(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) gates: FeatureGates,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) sleep: Option<Arc<Sleep>>,
    pub(crate) offload: Option<Arc<Offload>>,
    pub(crate) conversion_turn: Option<Arc<ConversionTurn>>,
    pub(crate) reserve: Option<Arc<Reserve>>,
    pub(crate) authorize_create: Option<Arc<AuthorizeCreate>>,
    pub(crate) admission: Vec<Arc<dyn AdmissionPlugin>>,
    recent: Arc<RecentLines>,
    /// Sorted by group and plural name.
    resources: RwLock<Vec<Arc<Installed>>>,
}

/// A resource that is served.
pub(crate) struct Installed {
    pub(crate) definition: Arc<Definition>,
    pub(crate) info: Arc<ResourceInfo>,
    pub(crate) cache: Cache,
    /// The encoded beginning of stored objects.
    pub(crate) prefix: Prefix,
    /// Recently encoded watch events of all resources.
    pub(crate) recent: Arc<RecentLines>,
    /// What is known of the values that objects hold.
    pub(crate) allocations: Allocations,
    /// True if another definition has taken its place.
    replaced: AtomicBool,
}

impl Installed {
    /// True if another definition has taken its place.
    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }
}

/// Sets up a [`Registry`].
pub struct Builder {
    store: Arc<dyn Store>,
    gates: FeatureGates,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    observer: Option<Arc<dyn Observer>>,
    sleep: Option<Arc<Sleep>>,
    offload: Option<Arc<Offload>>,
    conversion_turn: Option<Arc<ConversionTurn>>,
    reserve: Option<Arc<Reserve>>,
    authorize_create: Option<Arc<AuthorizeCreate>>,
    admission: Vec<Arc<dyn AdmissionPlugin>>,
    definitions: Vec<Definition>,
}

impl Builder {
    /// Switches features.
    #[must_use]
    pub fn gates(mut self, gates: FeatureGates) -> Builder {
        self.gates = gates;
        self
    }

    /// Takes the time from here.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Builder {
        self.clock = clock;
        self
    }

    /// Takes randomness from here.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Builder {
        self.entropy = entropy;
        self
    }

    /// Tells how long things take.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Builder {
        self.observer = Some(observer);
        self
    }

    /// Lets requests for a state that does not exist yet wait for it this way; without, they are refused at once.
    #[must_use]
    pub fn sleep(mut self, sleep: Arc<Sleep>) -> Builder {
        self.sleep = Some(sleep);
        self
    }

    /// Lets work on much data, or that turned out to take long, run this way; without, it runs where requests do.
    #[must_use]
    pub fn offload(mut self, offload: Arc<Offload>) -> Builder {
        self.offload = Some(offload);
        self
    }

    /// Lets requests that a webhook converts for wait here; without, they do not wait.
    #[must_use]
    pub fn conversion_turn(mut self, turn: Arc<ConversionTurn>) -> Builder {
        self.conversion_turn = Some(turn);
        self
    }

    /// Limits the memory of all requests together this way; without, there is no limit.
    #[must_use]
    pub fn reserve(mut self, reserve: Arc<Reserve>) -> Builder {
        self.reserve = Some(reserve);
        self
    }

    /// Authorizes a PUT or an apply that creates its object. Without this, whoever may change an object may create it so.
    #[must_use]
    pub fn authorize_create(mut self, authorize: Arc<AuthorizeCreate>) -> Builder {
        self.authorize_create = Some(authorize);
        self
    }

    /// Lets a plug-in change and refuse objects, after the plug-ins that were added before.
    #[must_use]
    pub fn admission(mut self, plugin: Arc<dyn AdmissionPlugin>) -> Builder {
        self.admission.push(plugin);
        self
    }

    /// Serves a resource.
    #[must_use]
    pub fn resource(mut self, definition: Definition) -> Builder {
        self.definitions.push(definition);
        self
    }

    /// The finished registry.
    pub fn build(self) -> Registry {
        let registry = Registry(Arc::new(Inner {
            store: self.store,
            gates: self.gates,
            clock: self.clock,
            entropy: self.entropy,
            counters: Arc::default(),
            observer: self.observer,
            sleep: self.sleep,
            offload: self.offload,
            conversion_turn: self.conversion_turn,
            reserve: self.reserve,
            authorize_create: self.authorize_create,
            admission: self.admission,
            recent: Arc::default(),
            resources: RwLock::default(),
        }));
        for definition in self.definitions {
            registry.install(definition);
        }
        registry
    }
}

impl Registry {
    /// A registry over a store, with the machine's clock and randomness.
    pub fn builder(store: Arc<dyn Store>) -> Builder {
        Builder {
            store,
            gates: FeatureGates::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            observer: None,
            sleep: None,
            offload: None,
            conversion_turn: None,
            reserve: None,
            authorize_create: None,
            admission: Vec::new(),
            definitions: Vec::new(),
        }
    }

    /// The source of randomness.
    pub fn entropy(&self) -> &dyn Entropy {
        &*self.0.entropy
    }

    /// Does work of a user on so many bytes: off the threads of the runtime when they are many. Nothing if it was given up.
    pub async fn heavy<T: Send>(&self, user: &str, bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
        let Some(offload) = self.0.offload.as_ref().filter(|_| bytes >= HEAVY_BYTES) else { return Some(work()) };
        let mut outcome = None;
        offload(user, bytes, Box::pin(async { outcome = Some(work()) })).await;
        outcome
    }

    /// Lets other tasks go on, in the midst of work that never waits.
    pub async fn give_way(&self) {
        let mut is_polled = self.0.sleep.is_none();
        poll_fn(|cx| {
            if std::mem::replace(&mut is_polled, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Waits for the turn to convert between the stored and another version of a resource, if a webhook does that.
    pub(crate) async fn conversion_turn(&self, definition: &Definition, version: &str) -> Option<Box<dyn Send>> {
        let turn = self.0.conversion_turn.as_ref()?;
        if !definition.converts_remotely(&definition.storage_version, version) {
            return None;
        }
        Some(turn(&definition.resource).await)
    }

    /// Waits; whether it can.
    pub async fn pause(&self, time: Duration) -> bool {
        match &self.0.sleep {
            Some(sleep) => {
                sleep(time).await;
                true
            }
            None => false,
        }
    }

    /// Serves a resource from now on, in place of one of the same name. Watches of that one end with its next event that
    /// is not a removal: who goes on from there sees objects as the new one has them.
    pub fn install(&self, definition: Definition) {
        let info = Arc::new(ResourceInfo::new(definition, &self.0.gates, &self.0.counters));
        let installed = Installed {
            replaced: AtomicBool::new(false),
            cache: Cache::default(),
            prefix: Prefix::new(&info.definition),
            recent: self.0.recent.clone(),
            allocations: Allocations::default(),
            definition: info.definition.clone(),
            info,
        };
        let mut resources = self.0.resources.write().unwrap_or_else(PoisonError::into_inner);
        let GroupResource { group, resource } = &installed.definition.resource;
        match position(&resources, group, resource) {
            Ok(at) => {
                resources[at].replaced.store(true, Ordering::Relaxed);
                resources[at] = Arc::new(installed);
            }
            Err(at) => resources.insert(at, Arc::new(installed)),
        }
    }

    /// Does not serve a resource any more. Stored objects stay; watches end.
    pub fn remove(&self, resource: &GroupResource) {
        let mut resources = self.0.resources.write().unwrap_or_else(PoisonError::into_inner);
        if let Ok(at) = position(&resources, &resource.group, &resource.resource) {
            resources.remove(at).replaced.store(true, Ordering::Relaxed);
            drop(resources);
            // Watches notice when they hear of anything.
            self.0.store.request_progress();
        }
    }

    /// The definition of a resource.
    pub fn definition(&self, resource: &GroupResource) -> Option<Arc<Definition>> {
        self.definition_of(&resource.group, &resource.resource)
    }

    /// The definition of a resource, by group and plural name.
    pub fn definition_of(&self, group: &str, resource: &str) -> Option<Arc<Definition>> {
        self.installed(group, resource).map(|installed| installed.definition.clone())
    }

    /// All definitions, sorted by group and plural name.
    pub fn definitions(&self) -> Vec<Arc<Definition>> {
        self.all().into_iter().map(|installed| installed.definition.clone()).collect()
    }

    /// The definitions that are like this, sorted by group and plural name.
    pub fn definitions_like(&self, is_like: impl Fn(&Definition) -> bool) -> Vec<Arc<Definition>> {
        let resources = self.0.resources.read().unwrap_or_else(PoisonError::into_inner);
        let definitions = resources.iter().map(|installed| &installed.definition);
        definitions.filter(|definition| is_like(definition)).cloned().collect()
    }

    /// True if a resource of a group is like this.
    pub fn has_group(&self, group: &str, is_like: impl Fn(&Definition) -> bool) -> bool {
        self.first_of_group(group, is_like).is_some()
    }

    /// The first resource of a group that is like this, by its plural name.
    pub fn first_of_group(&self, group: &str, is_like: impl Fn(&Definition) -> bool) -> Option<Arc<Definition>> {
        let resources = self.0.resources.read().unwrap_or_else(PoisonError::into_inner);
        let start = resources.partition_point(|installed| installed.definition.group() < group);
        let in_group = resources[start..].iter().take_while(|installed| installed.definition.group() == group);
        in_group.map(|installed| &installed.definition).find(|definition| is_like(definition)).cloned()
    }

    /// Returns the feature gates.
    pub fn gates(&self) -> &FeatureGates {
        &self.0.gates
    }

    /// Checks that the store answers.
    pub async fn check_store(&self) -> Result<()> {
        self.0.store.revision().await.map(drop).map_err(|error| ApiError::internal(error.for_clients()))
    }

    /// The health of the store, without a request to it.
    pub fn store_health(&self) -> Health {
        self.0.store.health()
    }

    /// Counters of internal problems.
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    pub(crate) fn installed(&self, group: &str, resource: &str) -> Option<Arc<Installed>> {
        let resources = self.0.resources.read().unwrap_or_else(PoisonError::into_inner);
        let at = position(&resources, group, resource).ok()?;
        resources.get(at).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Installed>> {
        self.0.resources.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time, going by the clock of the registry.
    pub fn now(&self) -> Time {
        let millis = self.0.clock.now();
        Time::from_unix(i64::try_from(millis / 1000).unwrap_or(i64::MAX), 0)
    }

    pub(crate) fn resolve<'r>(&'r self, request: &'r Request<'r>) -> Result<Target<'r>> {
        let target = self.resolve_stored(request)?;
        if target.write.version().is_none_or(|version| !version.served) {
            return Err(ApiError::no_such_resource());
        }
        Ok(target)
    }

    /// The same for requests of the server's own, which may use a version that is stored and not served.
    pub(crate) fn resolve_stored<'r>(&'r self, request: &'r Request<'r>) -> Result<Target<'r>> {
        let installed = self.installed(request.group, request.resource).ok_or_else(ApiError::no_such_resource)?;
        let context = Context {
            gates: &self.0.gates,
            now: self.now(),
            entropy: &*self.0.entropy,
            counters: &self.0.counters,
            observer: self.0.observer.as_deref(),
            kinds: self,
            lists_tolerated: false,
            manages_fields: true,
        };
        Ok(Target { registry: self, write: Write::new(installed.info.clone(), request, context), installed })
    }

    /// Reads the body of a create or update and does with strict findings what the options say: refuses it, or returns them
    /// as warnings beside the body.
    pub fn decode(
        &self,
        request: &Request<'_>,
        text: &[u8],
        format: Format,
        options: &WriteOptions,
    ) -> Result<(Body, Vec<String>)> {
        self.resolve(request)?.write.decode(text, format, options)
    }

    /// Reads the body of a create or update in protobuf, of which nothing is refused strictly.
    pub fn decode_protobuf(&self, request: &Request<'_>, bytes: &[u8]) -> Result<Body> {
        self.resolve(request)?.write.decode_protobuf(bytes)
    }
}

impl Kinds for Registry {
    fn definitions(&self) -> Vec<Arc<Definition>> {
        self.definitions()
    }
}

/// The index of a resource among the installed ones, or its insertion index.
fn position(resources: &[Arc<Installed>], group: &str, resource: &str) -> Result<usize, usize> {
    resources.binary_search_by(|installed| {
        let name = &installed.definition.resource;
        (name.group.as_str(), name.resource.as_str()).cmp(&(group, resource))
    })
}

/// A request with the resource it goes to.
pub(crate) struct Target<'r> {
    pub(crate) registry: &'r Registry,
    pub(crate) write: Write<'r>,
    pub(crate) installed: Arc<Installed>,
}

impl Target<'_> {
    pub(crate) fn definition(&self) -> &Definition {
        &self.installed.definition
    }

    /// Waits for the turn to convert for the request, if a webhook does that.
    pub(crate) async fn conversion_turn(&self) -> Option<Box<dyn Send>> {
        self.registry.conversion_turn(self.definition(), self.write.request.version).await
    }

    /// Memory for work on so many bytes.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<Option<Reservation>> {
        match &self.registry.0.reserve {
            Some(reserve) if bytes >= LIGHT => reserve(&self.write.request.user.name, bytes).await.map(Some),
            _ => Ok(None),
        }
    }

    /// Judges an object.
    pub(crate) async fn judge_object(&self, input: &Input<'_>, read: Read, old: Option<&Old>) -> Result<Judged> {
        work(self.registry, &self.write, || self.write.judge(input, read.clone(), old)).await
    }
}

/// Does work for a write: here while it is little, otherwise again from its beginning where it keeps nothing else waiting.
pub(crate) async fn work<T: Send>(registry: &Registry, write: &Write<'_>, work: impl Fn() -> T + Send + Sync) -> T {
    let Some(offload) = &registry.0.offload else { return write.effort.whole(work) };
    if let Some(done) = write.effort.slice(&work) {
        return done;
    }
    let mut done = None;
    let whole = Box::pin(async { done = Some(write.effort.whole(&work)) });
    offload(&write.request.user.name, usize::MAX, whole).await;
    done.unwrap_or_else(|| write.effort.whole(work))
}
