//! A server before it starts and while it runs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::HeaderValue;
use sprag_admission::ClaimAccess;
use sprag_admission::builtin::{DefaultTolerationSeconds, EscalationCheck, PodCertificateSigning, QuotaNamespaces};
use sprag_admission::matching::Namespaces;
use sprag_admission::policy::{ParamAccess, PolicyObserver};
use sprag_admission::webhook::WebhookObserver;
use sprag_authorization::{Access, AuthorizationMode};
use sprag_controllers::{
    DefinitionController, FollowedStore, Followers, IdentityLease, KubernetesService, NamespaceAccounts, PolicyChanges,
    RbacFollower, ServiceCidrFollower, Services, bootstrap, service_cidr,
};
use sprag_discovery::openapi::{Documents, Options};
use sprag_kinds::authentication::TokenReviewer;
use sprag_kinds::{ServiceCidrs, ServiceRanges};
use sprag_registry::{AllocationRepair, Builder, Follower, Registry, SystemEntropy};
use sprag_rest::{Definition, Entropy, FeatureGates, GroupResource, Stage, TokenIssuer};
use sprag_storage::{Clock, Store, SystemClock};
use sprag_value::Value;
use sprag_webhook::Client;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::admission::Configured;
use crate::audit::{Audit, AuditOptions};
use crate::authentication::{Anonymous, AnyCertificate, Authentication, Authenticator, ServiceAccountTokens};
use crate::certificates::ServingCertificate;
use crate::components::Components;
use crate::conversions::{self, Conversions};
use crate::error::Error;
use crate::folder::write_private;
use crate::hold;
use crate::identity::{self, Identity};
use crate::in_process::InProcess;
use crate::kubeconfig::{Credentials, kubeconfig};
use crate::limits::{self, InFlight, Limits};
use crate::metrics::Metrics;
use crate::own_state::OwnState;
use crate::reviews::OwnTokens;
use crate::runtime_config::RuntimeConfig;
use crate::unread::Unread;
use crate::version::Reported;
use crate::{admission, certificates, connection, filter, folder, in_process, upkeep};

/// The plug-in and its gate.
const MUTATING_POLICIES: &str = "MutatingAdmissionPolicy";
/// The gate of users' uids in headers of a front proxy.
const UID_HEADERS: &str = "RemoteRequestHeaderUID";
/// Namespaces that every server has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
/// The field manager that loads definitions.
const LOADER: &str = "sprag-serve";
/// The length of the longest id of a request.
const ID_BYTES: usize = 22;
/// Grace period for open requests after the server is asked to stop.
const DRAIN: Duration = Duration::from_secs(10);

/// A server before it starts.
pub struct Server {
    store: Arc<dyn Store>,
    gates: FeatureGates,
    switches: String,
    definitions: Vec<Definition>,
    crds: Vec<(String, Value)>,
    listen: SocketAddr,
    data_dir: Option<PathBuf>,
    token: Option<String>,
    advertised: Option<String>,
    names: Vec<String>,
    authentication: Authentication,
    authorization: Vec<AuthorizationMode>,
    controllers: bool,
    service_ranges: ServiceRanges,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    limits: Limits,
    serving: Option<ServingCertificate>,
    admission: Vec<&'static str>,
    configured: Configured,
    tolerations: DefaultTolerationSeconds,
    versions: RuntimeConfig,
    kubernetes_service: KubernetesService,
    namespace_accounts: bool,
    identity_lease: Option<Duration>,
    drain: Duration,
    audit: Option<AuditOptions>,
    version: Reported,
}

impl Server {
    /// A server over a store, for this machine only, on a free port, with certificates and a token of its own.
    pub fn new(store: Arc<dyn Store>) -> Server {
        Server {
            store,
            gates: crate::gates::gates(),
            switches: String::new(),
            definitions: Vec::new(),
            crds: Vec::new(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            data_dir: None,
            token: None,
            advertised: None,
            names: Vec::new(),
            authentication: Authentication::default(),
            authorization: AuthorizationMode::AlwaysAllow.into(),
            controllers: true,
            service_ranges: ServiceRanges::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            limits: Limits::default(),
            serving: None,
            admission: Vec::new(),
            configured: Configured::default(),
            tolerations: DefaultTolerationSeconds::default(),
            versions: RuntimeConfig::default(),
            kubernetes_service: KubernetesService::default(),
            namespace_accounts: false,
            identity_lease: None,
            drain: DRAIN,
            audit: None,
            version: Reported::default(),
        }
    }

    /// Keeps objects in another store.
    #[must_use]
    pub fn store(self, store: Arc<dyn Store>) -> Server {
        Server { store, ..self }
    }

    /// Reports another version than its own.
    #[must_use]
    pub(crate) fn version(self, version: Reported) -> Server {
        Server { version, ..self }
    }

    /// Adds a feature that can be switched.
    #[must_use]
    pub fn feature_gate(self, name: impl Into<String>, stage: Stage) -> Server {
        Server { gates: self.gates.with(name, stage), ..self }
    }

    /// Switches features, once all are known: `Name=true,Other=false`.
    #[must_use]
    pub fn switch_features(self, switches: impl Into<String>) -> Server {
        Server { switches: switches.into(), ..self }
    }

    /// Sets all features at once, with the release to answer as. Begin with [`gates`](crate::gates()) or [`gates_of`](crate::gates_of).
    #[must_use]
    pub fn gates(self, gates: FeatureGates) -> Server {
        let version = Reported::of(gates.release()).emulating(gates.emulated());
        Server { gates, version, ..self }
    }

    /// Serves a resource beside those that every server has.
    #[must_use]
    pub fn resource(mut self, definition: Definition) -> Server {
        self.definitions.push(definition);
        self
    }

    /// Creates or updates a custom resource definition before it listens. `origin` is named in errors.
    #[must_use]
    pub fn crd(mut self, origin: impl Into<String>, definition: Value) -> Server {
        self.crds.push((origin.into(), definition));
        self
    }

    /// Listens there.
    #[must_use]
    pub fn listen(self, listen: SocketAddr) -> Server {
        Server { listen, ..self }
    }

    /// Keeps certificates, the token and a kubeconfig in a folder.
    #[must_use]
    pub fn data_dir(self, folder: impl Into<PathBuf>) -> Server {
        Server { data_dir: Some(folder.into()), ..self }
    }

    /// Takes this token in place of one of its own.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Server {
        Server { token: Some(token.into()), ..self }
    }

    /// Tells clients to connect to this host name or address, which is in its certificate.
    #[must_use]
    pub fn advertise(self, host: impl Into<String>) -> Server {
        Server { advertised: Some(host.into()), ..self }
    }

    /// Adds a host name or address to its certificate.
    #[must_use]
    pub fn certificate_name(mut self, name: impl Into<String>) -> Server {
        self.names.push(name.into());
        self
    }

    /// Says how clients prove who they are, beside the token of the administrator.
    #[must_use]
    pub fn authentication(self, authentication: Authentication) -> Server {
        Server { authentication, ..self }
    }

    /// Says who may do what: by one mode, or by several in order. Without this, everybody whose credentials are known may do
    /// everything.
    #[must_use]
    pub fn authorization(self, modes: impl Into<Vec<AuthorizationMode>>) -> Server {
        Server { authorization: modes.into(), ..self }
    }

    /// True if the server empties deleted namespaces and collects garbage, which in a cluster the controller manager
    /// does.
    #[must_use]
    pub fn controllers(self, controllers: bool) -> Server {
        Server { controllers, ..self }
    }

    /// True if the server keeps the service account `default` and the config map `kube-root-ca.crt` in every namespace, which in a
    /// cluster the controller manager does.
    #[must_use]
    pub fn namespace_accounts(self, namespace_accounts: bool) -> Server {
        Server { namespace_accounts, ..self }
    }

    /// Keeps a lease in the namespace `kube-system` that shows that this server runs, and renews it this often.
    #[must_use]
    pub fn identity_lease(self, every: Duration) -> Server {
        Server { identity_lease: Some(every), ..self }
    }

    /// Gives services addresses and ports of these ranges.
    #[must_use]
    pub fn service_ranges(self, service_ranges: ServiceRanges) -> Server {
        Server { service_ranges, ..self }
    }

    /// Takes the time of objects from here.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Server {
        Server { clock, ..self }
    }

    /// Takes the randomness of names, UIDs, addresses and ports of objects from here.
    #[must_use]
    pub fn entropy(self, entropy: Arc<dyn Entropy>) -> Server {
        Server { entropy, ..self }
    }

    /// Sets what clients may use up.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Server {
        Server { limits, ..self }
    }

    /// Shows clients this certificate in place of one of its own.
    #[must_use]
    pub fn serving_certificate(self, certificate: ServingCertificate) -> Server {
        Server { serving: Some(certificate), ..self }
    }

    /// Lets these plug-ins change and refuse objects.
    #[must_use]
    pub(crate) fn admission(self, admission: Vec<&'static str>, configured: Configured) -> Server {
        Server { admission, configured, ..self }
    }

    /// Runs the admission plug-ins that are on in upstream's server, with these switched on and those off beside. Without this call
    /// there are none but what keeps namespaces.
    pub fn admission_plugins(self, on: &[&str], off: &[&str]) -> Result<Server, Error> {
        self.configured_admission_plugins(on, off, None)
    }

    /// The same with a file of configurations, as upstream's `--admission-control-config-file`.
    pub fn configured_admission_plugins(self, on: &[&str], off: &[&str], file: Option<&Path>) -> Result<Server, Error> {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let plugins = admission::plugins(&names(on), &names(off), self.gates.release())?;
        let configured = Configured::read(&plugins, file)?;
        Ok(self.admission(plugins, configured))
    }

    /// Tolerations of the plug-in `DefaultTolerationSeconds`.
    #[must_use]
    pub(crate) fn tolerations(self, tolerations: DefaultTolerationSeconds) -> Server {
        Server { tolerations, ..self }
    }

    /// Serves or hides versions of the API, as upstream's flag `--runtime-config` says it: `batch/v1=false`.
    pub fn switch_versions(self, switches: &[String]) -> Result<Server, Error> {
        Ok(Server { versions: RuntimeConfig::parse(switches)?, ..self })
    }

    /// Names this address in the endpoints of the `kubernetes` service, in place of one that it finds itself.
    #[must_use]
    pub fn endpoint_address(mut self, address: IpAddr) -> Server {
        self.kubernetes_service.address = Some(address);
        self
    }

    /// Leaves the endpoints of the `kubernetes` service to others.
    #[must_use]
    pub fn without_endpoints(mut self) -> Server {
        self.kubernetes_service.has_endpoints = false;
        self
    }

    /// Gives the `kubernetes` service this port of nodes.
    #[must_use]
    pub fn kubernetes_node_port(mut self, port: u16) -> Server {
        self.kubernetes_service.node_port = port;
        self
    }

    /// Grace period for open requests after the server is asked to stop.
    #[must_use]
    pub fn drain(self, drain: Duration) -> Server {
        Server { drain, ..self }
    }

    /// Records requests in an audit log, as a policy says.
    #[must_use]
    pub fn audit(self, options: AuditOptions) -> Server {
        Server { audit: Some(options), ..self }
    }

    /// Loads everything, and answers requests of this process only: without sockets, TLS and controllers.
    pub async fn in_process(mut self) -> Result<InProcess, Error> {
        self.switch()?;
        let tokens = ServiceAccountTokens::new(&self.authentication.service_accounts)?;
        let state = Arc::new(self.state(in_process::TOKEN, None, tokens)?);
        state.load(&self.crds, &self.authentication).await?;
        Ok(InProcess::new(state))
    }

    /// Loads everything, then listens. The server is ready when this returns.
    pub async fn start(mut self) -> Result<Running, Error> {
        self.switch()?;
        let address = self.listen;
        let failed = |source| Error::Listen { address, source };
        let identity = self.identity()?;
        let accounts = &self.authentication.service_accounts;
        let tokens = match &self.data_dir {
            Some(folder) => ServiceAccountTokens::in_folder(folder, accounts)?,
            None => ServiceAccountTokens::new(accounts)?,
        };
        let state = Arc::new(self.state(&identity.token, Some(identity.authority.certificate()), tokens)?);
        let clients = AnyCertificate { hints: state.authenticator.certificate_hints() };
        let tls = match &self.serving {
            Some(ServingCertificate { chain, key }) => certificates::tls_of(chain, key, clients)?,
            None => certificates::tls(identity.authority.clone(), self.certificate_names(), identity::now, clients)?,
        };
        let tls = TlsAcceptor::from(tls);
        state.load(&self.crds, &self.authentication).await?;
        let listener = connection::listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let advertised = match &self.advertised {
            Some(host) => authority_of(host, address.port()),
            None => reachable(address).to_string(),
        };
        let url = format!("https://{advertised}");
        state.set_address(advertised);
        let authority = match &self.serving {
            Some(serving) => serving.chain.clone(),
            None => identity.authority.certificate().to_owned(),
        };
        self.kubernetes_service.ensure(&state.registry, &self.service_ranges, address).await?;
        let kubeconfig = match &self.data_dir {
            Some(folder) => {
                let path = folder.join("kubeconfig");
                write_private(&path, &kubeconfig(&url, &authority, Credentials::Token(&identity.token)))?;
                Some(path)
            }
            None => None,
        };
        if self.controllers {
            // What a server has from the start is complete before anybody reads it.
            upkeep::look_at_service_cidrs(&state).await;
        }
        let mut tasks = vec![
            hold::spawn(upkeep::bookmarks(state.clone())),
            hold::spawn(upkeep::definitions(state.clone())),
            hold::spawn(upkeep::followers(state.clone())),
            hold::spawn(upkeep::addresses(state.clone())),
            hold::spawn(upkeep::kubernetes_service(state.clone(), self.kubernetes_service.clone(), address)),
            hold::spawn(upkeep::unread(state.clone())),
            hold::spawn(upkeep::memory(state.clone())),
        ];
        if self.namespace_accounts {
            let accounts = NamespaceAccounts::new(state.registry.clone(), authority.clone());
            accounts.sync_all().await?;
            tasks.push(hold::spawn(upkeep::accounts(state.clone(), accounts)));
        }
        if let Some(every) = self.identity_lease.filter(|_| self.gates.enabled(crate::gates::IDENTITY)) {
            let lease = IdentityLease::new(state.registry.clone(), crate::clock::now)?;
            tasks.push(hold::spawn(upkeep::identity(state.clone(), lease, every)));
        }
        if self.controllers {
            tasks.push(hold::spawn(upkeep::controllers(state.clone())));
            tasks.push(hold::spawn(upkeep::aggregated_roles(state.clone())));
            tasks.push(hold::spawn(upkeep::quotas(state.clone())));
            tasks.push(hold::spawn(upkeep::policy_status(state.clone())));
            tasks.push(hold::spawn(upkeep::service_cidrs(state.clone())));
        }
        tasks.push(hold::spawn(connection::serve(listener, tls, state.clone(), self.drain)));
        Ok(Running { address, url, authority, token: identity.token, kubeconfig, state, tasks })
    }

    fn switch(&mut self) -> Result<(), Error> {
        self.gates.set(&self.switches).map_err(|error| Error::Usage(format!("feature gates: {error}")))?;
        self.gates.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
        let header = self.authentication.request_header.as_ref();
        if header.is_some_and(|header| !header.uid_headers.is_empty()) && !self.gates.enabled(UID_HEADERS) {
            // As upstream's RequestHeaderAuthenticationOptions.Validate.
            return Err(Error::Usage(format!(
                "--requestheader-uid-headers requires the {UID_HEADERS:?} feature to be enabled"
            )));
        }
        let checked = self.definitions.iter().try_for_each(|definition| self.gates.check_declared(definition));
        checked.map_err(|error| Error::Usage(error.to_string()))
    }

    fn identity(&self) -> Result<Identity, Error> {
        match &self.data_dir {
            Some(folder) => {
                folder::prepare(folder)?;
                Identity::in_folder(folder, self.token.clone())
            }
            None => Identity::new(self.token.clone()),
        }
    }

    /// The names in the certificate.
    pub(crate) fn certificate_names(&self) -> Vec<String> {
        let listened = Some(self.listen.ip()).filter(|address| !address.is_unspecified());
        let more = listened.map(|address| address.to_string()).into_iter().chain(self.advertised.clone());
        certificates::server_names(more.chain(self.names.iter().cloned()))
    }

    /// Treatment of requests without credentials. Under `AlwaysAllow` they may only ask for health and version.
    // Upstream's BuiltInAuthenticationOptions.ApplyAuthorization refuses them altogether then.
    fn anonymous(&self) -> Anonymous {
        match self.authentication.anonymous {
            Some(false) => Anonymous::Refused,
            _ if self.authorization.contains(&AuthorizationMode::AlwaysAllow) => Anonymous::HealthOnly,
            _ => Anonymous::Allowed,
        }
    }

    /// The built-in kinds as the flags have them.
    fn kinds(&self, cidrs: &ServiceCidrs, issuer: &Arc<dyn TokenIssuer>) -> Vec<Definition> {
        let mut kinds =
            sprag_kinds::definitions_following(self.gates.release(), self.service_ranges.clone(), cidrs.clone());
        sprag_kinds::remove_disabled(&mut kinds, &self.gates);
        sprag_kinds::issue_tokens(&mut kinds, issuer);
        self.versions.apply(&mut kinds);
        kinds
    }

    /// Calls webhooks. Two of them that wait for one another leave a fifth of the requests that write to others.
    fn webhook_client(&self, services: Arc<Services>) -> Client {
        Client::new(services, self.version.user_agent()).calls_at_once(self.limits.writes * 2 / 5)
    }

    /// A registry over a store, without resources and plug-ins.
    fn registry(&self, store: Arc<dyn Store>, metrics: Arc<Metrics>, in_flight: &InFlight) -> Builder {
        Registry::builder(store)
            .gates(self.gates.clone())
            .clock(self.clock.clone())
            .entropy(self.entropy.clone())
            .observer(metrics)
            .sleep(Arc::new(|time| Box::pin(tokio::time::sleep(time))))
            .offload(limits::offload(in_flight.heavy.clone()))
            .conversion_turn(conversions::conversion_turns())
            .reserve(in_flight.memory.reserve())
    }

    /// The admission plug-ins that run.
    fn plugins(&self, parts: &admission::Parts<'_>) -> Vec<admission::Made> {
        // As upstream's mutating.Plugin, which does nothing while the gate of its name is off.
        let is_served = |name: &str| name != MUTATING_POLICIES || self.gates.enabled(MUTATING_POLICIES);
        let runs = |name: &&&str| is_served(name) && admission::is_known(name, self.gates.release());
        self.admission.iter().filter(runs).filter_map(|name| admission::plugin(name, parts)).collect()
    }

    /// Discovery and `OpenAPI` of what a registry serves.
    fn documents(&self, registry: &Registry) -> Documents {
        let options = Options {
            version: self.version.as_str().to_owned(),
            field_validation: crate::gates::has_field_validation(&self.gates),
            enums: self.gates.enabled("OpenAPIEnums"),
            release: self.gates.release(),
        };
        Documents::new(registry.definitions(), options)
    }

    fn state(&self, token: &str, authority: Option<&str>, tokens: ServiceAccountTokens) -> Result<State, Error> {
        let tokens = Arc::new(tokens);
        let metrics = Arc::new(Metrics::new());
        metrics.set_features(&self.gates);
        let audit = self.audit.as_ref().map(|options| Audit::open(options, metrics.clone())).transpose()?.map(Arc::new);
        let own = self.definitions.iter().cloned().chain([sprag_crd::definitions_of(self.gates.release())]);
        let policy = Arc::new(RbacFollower::new(Access::new(self.authorization.clone())));
        let namespaces = Arc::new(Namespaces::default());
        let policies: Arc<dyn PolicyObserver> = metrics.clone();
        let webhooks: Arc<dyn WebhookObserver> = metrics.clone();
        let services = Arc::new(Services::default());
        let client = Arc::new(self.webhook_client(services.clone()));
        let quotas = Arc::new(QuotaNamespaces::default());
        let parts = admission::Parts {
            release: self.gates.release(),
            access: &policy.access,
            namespaces: &namespaces,
            policies: &policies,
            client: &client,
            webhooks: &webhooks,
            quotas: &quotas,
            tolerations: self.tolerations,
            configured: &self.configured,
            is_audited: audit.is_some(),
        };
        let plugins = self.plugins(&parts);
        let policy_changes = Arc::new(PolicyChanges::default());
        let cidrs = ServiceCidrs::default();
        let service_cidrs = Arc::new(ServiceCidrFollower::new(cidrs.clone()));
        let mut followers: Vec<Arc<dyn Follower>> =
            vec![policy.clone(), namespaces, services, policy_changes.clone(), quotas.clone(), service_cidrs.clone()];
        followers.extend(plugins.iter().filter_map(|plugin| plugin.follower.clone()));
        let followers = Arc::new(Followers::new(followers));
        let store =
            Arc::new(FollowedStore { store: self.store.clone(), followers: followers.clone(), quotas: quotas.clone() });
        let in_flight = InFlight::new(&self.limits);
        let mut registry = self.registry(store.clone(), metrics.clone(), &in_flight);
        let access = policy.access.clone();
        registry = registry.authorize_create(Arc::new(move |request| filter::authorize_create(&access, request)));
        let issuer: Arc<dyn TokenIssuer> = tokens.clone();
        let kinds = self.kinds(&cidrs, &issuer);
        let this = Arc::new(OwnState::default());
        let reviewer: Arc<dyn TokenReviewer> = Arc::new(OwnTokens(this.clone()));
        let reviews = sprag_kinds::reviews(self.gates.release(), &policy.access, &reviewer);
        let components = Arc::new(Components(this.clone()));
        let unstored = reviews.into_iter().chain([sprag_kinds::component_statuses(self.gates.release(), components)]);
        for definition in kinds.into_iter().chain(unstored).chain(own) {
            registry = registry.resource(definition);
        }
        registry = registry.admission(Arc::new(ParamAccess(policy.access.clone())));
        registry = registry.admission(Arc::new(ClaimAccess(policy.access.clone())));
        registry = registry.admission(Arc::new(PodCertificateSigning(policy.access.clone())));
        for made in plugins {
            registry = registry.admission(made.plugin);
        }
        let registry = registry.admission(Arc::new(EscalationCheck(policy.access.clone()))).build();
        let authenticator = Authenticator::new(
            token.to_owned(),
            authority,
            &self.authentication,
            tokens.clone(),
            self.anonymous(),
            registry.clone(),
        )?;
        Ok(State {
            this,
            controller: DefinitionController::new(registry.clone())
                .with_conversions(Arc::new(Conversions::new(client))),
            documents: RwLock::new(Arc::new(self.documents(&registry))),
            authenticator,
            accounts: tokens,
            registry,
            policy,
            policy_changes,
            service_cidrs,
            followers,
            quotas,
            store,
            audit,
            metrics,
            version: self.version.clone(),
            deleted: watch::Sender::new(()),
            stop: watch::Sender::new(false),
            service_ranges: self.service_ranges.clone(),
            allocations: Mutex::default(),
            address: std::sync::OnceLock::new(),
            ids: AtomicU64::new(0),
            in_flight,
            unread: Unread::new(),
            limits: self.limits,
        })
    }
}

/// The address as clients on this machine reach it.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())),
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::from((Ipv6Addr::LOCALHOST, address.port())),
        _ => address,
    }
}

/// Host and port as they stand in a URL.
fn authority_of(host: &str, port: u16) -> String {
    match host.parse::<IpAddr>() {
        Ok(address) => SocketAddr::new(address, port).to_string(),
        Err(_) => format!("{host}:{port}"),
    }
}

/// A server that listens. Dropping it stops it at once.
pub struct Running {
    address: SocketAddr,
    url: String,
    authority: String,
    token: String,
    kubeconfig: Option<PathBuf>,
    state: Arc<State>,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for clients: `https://127.0.0.1:6443`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate of who vouches for the server, as PEM.
    pub fn ca(&self) -> &str {
        &self.authority
    }

    /// The token of the administrator.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The file by which clients find the server, if it has a folder.
    pub fn kubeconfig(&self) -> Option<&PathBuf> {
        self.kubeconfig.as_ref()
    }

    /// The text of that file.
    pub fn kubeconfig_text(&self) -> String {
        kubeconfig(&self.url, &self.authority, Credentials::Token(&self.token))
    }

    /// The resources that it serves.
    pub fn registry(&self) -> &Registry {
        &self.state.registry
    }

    /// Ends watches, waits for requests that are under way, and stops.
    pub async fn shutdown(mut self) {
        self.state.stop.send_replace(true);
        for task in std::mem::take(&mut self.tasks) {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task of the server failed");
            }
        }
        if let Some(audit) = &self.state.audit {
            audit.flush().await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.state.stop.send_replace(true);
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// State shared by all requests.
pub(crate) struct State {
    pub(crate) registry: Registry,
    pub(crate) controller: DefinitionController,
    documents: RwLock<Arc<Documents>>,
    pub(crate) authenticator: Authenticator,
    pub(crate) accounts: Arc<ServiceAccountTokens>,
    pub(crate) policy: Arc<RbacFollower>,
    pub(crate) followers: Arc<Followers>,
    pub(crate) quotas: Arc<QuotaNamespaces>,
    this: Arc<OwnState>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) policy_changes: Arc<PolicyChanges>,
    pub(crate) service_cidrs: Arc<ServiceCidrFollower>,
    /// The audit log, if there is one.
    pub(crate) audit: Option<Arc<Audit>>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) version: Reported,
    /// Something was deleted.
    pub(crate) deleted: watch::Sender<()>,
    stop: watch::Sender<bool>,
    pub(crate) service_ranges: ServiceRanges,
    /// Held while the records of addresses and ports are repaired.
    allocations: Mutex<AllocationRepair>,
    address: std::sync::OnceLock<String>,
    ids: AtomicU64,
    pub(crate) limits: Limits,
    pub(crate) in_flight: InFlight,
    pub(crate) unread: Arc<Unread>,
}

impl State {
    /// Sets up what every server has, and the definitions that it was given.
    async fn load(self: &Arc<State>, crds: &[(String, Value)], trust: &Authentication) -> Result<(), Error> {
        self.this.set(self);
        self.followers.load(&*self.store).await?;
        let namespaces = NAMESPACES.map(|namespace| self.registry.ensure_namespace(namespace));
        for made in join_all(namespaces).await {
            made?;
        }
        if self.policy.access.modes().contains(&AuthorizationMode::Rbac) {
            bootstrap::ensure_policy(&self.registry).await?;
        }
        bootstrap::ensure_priority_classes(&self.registry).await?;
        self.ensure_service_cidr().await;
        self.repair_allocations().await;
        bootstrap::publish_trust(&self.registry, trust.published()).await?;
        self.controller.sync().await?;
        if crds.is_empty() {
            return Ok(());
        }
        let loads = crds.iter().cloned().map(|(origin, definition)| {
            let registry = self.registry.clone();
            hold::spawn(async move {
                let loaded = sprag_controllers::load(&registry, definition, LOADER).await;
                loaded.map_err(|error| Error::Definition { origin, message: error.to_string() })
            })
        });
        for loaded in join_all(loads.collect::<Vec<_>>()).await {
            loaded.map_err(|error| Error::Task(error.to_string()))??;
        }
        Ok(self.controller.sync().await?)
    }

    /// Makes the default range of services as the flags say. A plug-in may refuse that, which must not keep a server from starting.
    pub(crate) async fn ensure_service_cidr(&self) {
        if let Err(error) = service_cidr::ensure(&self.registry, &self.service_ranges).await {
            tracing::warn!(%error, "the default ServiceCIDR is not as the flags say");
        }
    }

    /// Brings the records of addresses and ports of services in step with the services.
    pub(crate) async fn repair_allocations(&self) {
        match self.allocations.lock().await.run(&self.registry).await {
            Ok(done) => done.iter().for_each(|done| tracing::warn!("{done}")),
            Err(error) => tracing::warn!(%error, "records of addresses and ports of services could not be repaired"),
        }
    }

    /// True if a group is the server's own, not one that only definitions make.
    pub(crate) fn has_routes(&self, group: &str) -> bool {
        self.registry.has_group(group, |definition| definition.conventions.has_routes)
    }

    /// The documents of what is served now.
    pub(crate) fn documents(&self) -> Arc<Documents> {
        let definitions = self.registry.definitions();
        let known = self.documents.read().unwrap_or_else(PoisonError::into_inner).clone();
        if known.tell_of(&definitions) {
            return known;
        }
        let new = Arc::new(known.update(definitions));
        *self.documents.write().unwrap_or_else(PoisonError::into_inner) = new.clone();
        new
    }

    /// Waits until the server is to stop.
    pub(crate) async fn stopped(&self) {
        // It cannot be closed: this is the sender.
        let _ = self.stop.subscribe().wait_for(|stop| *stop).await.map(drop);
    }

    fn set_address(&self, address: String) {
        let _ = self.address.set(address);
    }

    /// The address that clients use.
    pub(crate) fn address(&self) -> String {
        self.address.get().cloned().unwrap_or_default()
    }

    /// Waits for the effects of a write before it is answered; `name` is `None` for a collection.
    pub(crate) async fn after_write(&self, definition: &Definition, name: Option<&str>) {
        let outcome = if definition.resource == crds() {
            match name {
                Some(name) => self.controller.sync_definition(name).await,
                None => self.controller.sync().await,
            }
        } else if definition.create.refuses_create().is_some() {
            // The last object of a definition that is going takes it along.
            let GroupResource { group, resource } = &definition.resource;
            self.controller.sync_definition(&format!("{resource}.{group}")).await
        } else {
            return;
        };
        if let Err(error) = outcome {
            tracing::error!(%error, "definitions are not in step with what is served");
        }
    }

    /// Waits for the effects of a delete before it is answered.
    pub(crate) async fn after_delete(&self, definition: &Definition, name: Option<&str>) {
        self.after_write(definition, name).await;
        self.deleted.send_replace(());
    }

    /// A time up to `most`, so that not everything happens at once.
    pub(crate) fn jitter(&self, most: Duration) -> Duration {
        let spread = self.ids.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        most.mul_f64(f64::from(u32::try_from(spread).unwrap_or(0)) / f64::from(u32::MAX))
    }

    /// A new id for a request.
    pub(crate) fn new_id(&self) -> HeaderValue {
        if self.audit.is_some() {
            // Ids in a log are unique after the next start, too.
            let id = sprag_rest::new_uid(self.registry.entropy());
            return HeaderValue::from_str(id.as_str()).unwrap_or_else(|_| HeaderValue::from_static("sprag"));
        }
        let id = self.ids.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let digits = id.to_be_bytes().into_iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let digits = digits.skip_while(|digit| *digit == 0).map(|digit| b"0123456789abcdef"[usize::from(digit)]);
        let mut text = Vec::with_capacity(ID_BYTES);
        text.extend_from_slice(b"sprag-");
        text.extend(digits);
        HeaderValue::from_maybe_shared(Bytes::from(text)).unwrap_or_else(|_| HeaderValue::from_static("sprag"))
    }
}

/// The resource of custom resource definitions.
pub(crate) fn crds() -> GroupResource {
    GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions")
}
