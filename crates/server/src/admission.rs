//! Selects the admission plug-ins, by the flags of upstream's server.

mod configuration;

use std::sync::Arc;

use sprag_admission::AuditSink;
use sprag_admission::builtin::{self, DefaultTolerationSeconds, QuotaNamespaces};
use sprag_admission::matching::Namespaces;
use sprag_admission::policy::{MutatingPolicies, PolicyObserver, ValidatingPolicies};
use sprag_admission::webhook::{MutatingWebhooks, ValidatingWebhooks, WebhookObserver, Webhooks};
use sprag_authorization::Access;
use sprag_registry::{AdmissionPlugin, Follower};
use sprag_rest::{Release, Releases};
use sprag_webhook::Client;

pub(crate) use self::configuration::Configured;
use crate::audit::CurrentRecord;
use crate::error::Error;

/// The parts of the server that admission plug-ins use.
pub(crate) struct Parts<'a> {
    /// The release of the server.
    pub(crate) release: Release,
    /// The authorizer.
    pub(crate) access: &'a Arc<Access>,
    /// All namespaces.
    pub(crate) namespaces: &'a Arc<Namespaces>,
    /// Counts evaluations of policies for metrics.
    pub(crate) policies: &'a Arc<dyn PolicyObserver>,
    /// Calls webhooks.
    pub(crate) client: &'a Arc<Client>,
    /// Counts calls of webhooks for metrics.
    pub(crate) webhooks: &'a Arc<dyn WebhookObserver>,
    /// All quotas.
    pub(crate) quotas: &'a Arc<QuotaNamespaces>,
    /// Tolerations of the plug-in `DefaultTolerationSeconds`.
    pub(crate) tolerations: DefaultTolerationSeconds,
    /// Plug-ins that are made of their configuration.
    pub(crate) configured: &'a Configured,
    /// True if there is an audit log to annotate.
    pub(crate) is_audited: bool,
}

/// A plug-in, and what keeps it in step with stored objects if it has to know some.
pub(crate) struct Made {
    pub(crate) plugin: Arc<dyn AdmissionPlugin>,
    pub(crate) follower: Option<Arc<dyn Follower>>,
}

/// The plug-in of a name, if it is one that can be switched.
pub(crate) fn plugin(name: &str, parts: &Parts<'_>) -> Option<Made> {
    match known(name, parts.release)? {
        On(make) | Off(make) => make(parts),
        Always | Missing | Idle => None,
    }
}

impl Parts<'_> {
    fn webhooks(
        &self,
        of: impl FnOnce(Arc<Namespaces>, Arc<Access>, Arc<Client>, Arc<dyn WebhookObserver>) -> Webhooks,
    ) -> Webhooks {
        let webhooks = of(self.namespaces.clone(), self.access.clone(), self.client.clone(), self.webhooks.clone())
            .of_release(self.release);
        match self.audit() {
            Some(audit) => webhooks.audited_by(audit),
            None => webhooks,
        }
    }

    fn audit(&self) -> Option<Arc<dyn AuditSink>> {
        self.is_audited.then(|| Arc::new(CurrentRecord) as Arc<dyn AuditSink>)
    }
}

/// A plug-in that knows stored objects.
#[expect(clippy::unnecessary_wraps, reason = "a plug-in that is not configured is not made")]
fn followed<P: AdmissionPlugin + Follower + 'static>(plugin: P) -> Option<Made> {
    let plugin = Arc::new(plugin);
    Some(Made { follower: Some(plugin.clone()), plugin })
}

/// A plug-in that knows none.
#[expect(clippy::unnecessary_wraps, reason = "a plug-in that is not configured is not made")]
fn alone(plugin: impl AdmissionPlugin + 'static) -> Option<Made> {
    Some(Made { plugin: Arc::new(plugin), follower: None })
}

fn event_rate_limit(parts: &Parts<'_>) -> Option<Made> {
    Some(Made { plugin: parts.configured.events.clone()?, follower: None })
}

fn mutating_policies(parts: &Parts<'_>) -> Option<Made> {
    let namespaces = parts.namespaces.clone();
    let policies = parts.policies.clone();
    let plugin = MutatingPolicies::new(namespaces, parts.access.clone(), policies);
    followed(plugin.of_release(parts.release))
}

fn validating_policies(parts: &Parts<'_>) -> Option<Made> {
    let namespaces = parts.namespaces.clone();
    let policies = parts.policies.clone();
    let plugin = ValidatingPolicies::new(namespaces, parts.access.clone(), policies).of_release(parts.release);
    followed(match parts.audit() {
        Some(audit) => plugin.audited_by(audit),
        None => plugin,
    })
}

/// Support for one of upstream's plug-ins.
#[derive(Clone, Copy)]
enum Known {
    /// It can be switched, and is on.
    On(Make),
    /// It can be switched, and is off.
    Off(Make),
    /// Part of the server, and cannot be switched off.
    Always,
    /// Off in upstream's server, and missing here.
    Missing,
    /// On, and without effect: its feature is off and cannot be switched.
    Idle,
}

/// Makes a plug-in; nothing where it is configured and has no configuration.
type Make = fn(&Parts<'_>) -> Option<Made>;

use Known::{Always, Idle, Missing, Off, On};

/// Upstream's plug-ins in the order in which they run, with how each is made: the one list of them. As upstream's `options.AllOrderedPlugins` and `DefaultOffAdmissionPlugins` have them, with the
/// releases that know them.
const PLUGINS: [(&str, Known, Releases); 41] = [
    ("AlwaysAdmit", Off(|_| alone(builtin::AlwaysAdmit)), Releases::ALL),
    ("NamespaceAutoProvision", Off(|_| alone(builtin::NamespaceAutoProvision)), Releases::ALL),
    ("NamespaceLifecycle", Always, Releases::ALL),
    ("NamespaceExists", Always, Releases::ALL),
    ("LimitPodHardAntiAffinityTopology", Off(|_| alone(builtin::LimitPodHardAntiAffinityTopology)), Releases::ALL),
    ("LimitRanger", On(|_| alone(builtin::LimitRanger)), Releases::ALL),
    ("ServiceAccount", On(|_| alone(builtin::ServiceAccount)), Releases::ALL),
    ("NodeRestriction", Off(|parts| alone(builtin::NodeRestriction(parts.access.clone()))), Releases::ALL),
    ("TaintNodesByCondition", On(|_| alone(builtin::TaintNodesByCondition)), Releases::ALL),
    ("AlwaysPullImages", Off(|_| alone(builtin::AlwaysPullImages)), Releases::ALL),
    ("ImagePolicyWebhook", Missing, Releases::ALL),
    ("PodSecurity", On(|parts| alone(builtin::PodSecurity::new(parts.audit()))), Releases::ALL),
    ("PodNodeSelector", Off(|_| alone(builtin::PodNodeSelector)), Releases::ALL),
    ("Priority", On(|_| alone(builtin::Priority)), Releases::ALL),
    ("DefaultTolerationSeconds", On(|parts| alone(parts.tolerations)), Releases::ALL),
    ("PodTolerationRestriction", Off(|_| alone(builtin::PodTolerationRestriction)), Releases::ALL),
    ("EventRateLimit", Off(event_rate_limit), Releases::ALL),
    ("ExtendedResourceToleration", Off(|_| alone(builtin::ExtendedResourceToleration)), Releases::ALL),
    ("DefaultStorageClass", On(|_| alone(builtin::DefaultStorageClass)), Releases::ALL),
    ("StorageObjectInUseProtection", On(|_| alone(builtin::StorageObjectInUseProtection)), Releases::ALL),
    ("PodGroupProtection", On(|_| alone(builtin::PodGroupProtection)), Releases::since(Release::V1_36)),
    (
        "OwnerReferencesPermissionEnforcement",
        Off(|parts| alone(builtin::OwnerReferencesPermissionEnforcement(parts.access.clone()))),
        Releases::ALL,
    ),
    ("PersistentVolumeClaimResize", On(|_| alone(builtin::PersistentVolumeClaimResize)), Releases::ALL),
    ("RuntimeClass", On(|_| alone(builtin::RuntimeClass)), Releases::ALL),
    ("CertificateApproval", On(|parts| alone(builtin::CertificateApproval(parts.access.clone()))), Releases::ALL),
    ("CertificateSigning", On(|parts| alone(builtin::CertificateSigning(parts.access.clone()))), Releases::ALL),
    (
        "ClusterTrustBundleAttest",
        On(|parts| alone(builtin::ClusterTrustBundleAttest(parts.access.clone()))),
        Releases::ALL,
    ),
    ("CertificateSubjectRestriction", On(|_| alone(builtin::CertificateSubjectRestriction)), Releases::ALL),
    ("DefaultIngressClass", On(|_| alone(builtin::DefaultIngressClass)), Releases::ALL),
    ("DenyServiceExternalIPs", Off(|_| alone(builtin::DenyServiceExternalIps)), Releases::ALL),
    ("PodTopologyLabels", On(|_| alone(builtin::PodTopologyLabels)), Releases::ALL),
    (
        "NodeDeclaredFeatureValidator",
        On(|_| alone(builtin::NodeDeclaredFeatureValidator)),
        Releases::since(Release::V1_35),
    ),
    ("PodGroupWorkloadExists", Idle, Releases::only(Release::V1_36)),
    ("JobValidation", Idle, Releases::only(Release::V1_36)),
    ("PodResizeValidator", On(|_| alone(builtin::PodResizeValidator)), Releases::since(Release::V1_36)),
    ("MutatingAdmissionPolicy", On(mutating_policies), Releases::ALL),
    (
        "MutatingAdmissionWebhook",
        On(|parts| followed(MutatingWebhooks::new(parts.webhooks(Webhooks::mutating)))),
        Releases::ALL,
    ),
    ("ValidatingAdmissionPolicy", On(validating_policies), Releases::ALL),
    (
        "ValidatingAdmissionWebhook",
        On(|parts| followed(ValidatingWebhooks::new(parts.webhooks(Webhooks::validating)))),
        Releases::ALL,
    ),
    ("ResourceQuota", On(|parts| alone(builtin::ResourceQuota::new(parts.quotas.clone()))), Releases::ALL),
    ("AlwaysDeny", Off(|_| alone(builtin::AlwaysDeny)), Releases::ALL),
];

/// The names of the plug-ins that run in a release when these are switched on and those off, in the order in which they run.
pub(crate) fn plugins(on: &[String], off: &[String], release: Release) -> Result<Vec<&'static str>, Error> {
    let names =
        |list: &[String]| list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let (on, off): (Vec<String>, Vec<String>) = (names(on), names(off));
    // The texts of upstream's AdmissionOptions.Validate.
    for (flag, names) in [("enable-admission-plugins", &on), ("disable-admission-plugins", &off)] {
        if let Some(name) = names.iter().find(|name| known(name, release).is_none()) {
            return Err(Error::Usage(format!("{flag} plugin {name:?} is unknown")));
        }
    }
    let both: Vec<&str> = off.iter().filter(|name| on.contains(name)).map(String::as_str).collect();
    if !both.is_empty() {
        let both = both.join(" ");
        return Err(Error::Usage(format!(
            "[{both}] in enable-admission-plugins and disable-admission-plugins overlapped"
        )));
    }
    if let Some(name) = on.iter().find(|name| matches!(known(name, release), Some(Missing))) {
        return Err(Error::Usage(format!("--enable-admission-plugins: {name} is not supported: leave it out")));
    }
    if let Some(name) = off.iter().find(|name| matches!(known(name, release), Some(Always))) {
        return Err(Error::Usage(format!("--disable-admission-plugins: {name} cannot be switched off: leave it out")));
    }
    let runs = |(name, known, releases): &(&'static str, Known, Releases)| match known {
        _ if !releases.contains(release) => false,
        On(_) => !off.iter().any(|off| off == name),
        Off(_) => on.iter().any(|on| on == name),
        Always | Missing | Idle => false,
    };
    Ok(PLUGINS.iter().filter(|plugin| runs(plugin)).map(|(name, ..)| *name).collect())
}

/// True if a release has a plug-in of this name.
pub(crate) fn is_known(name: &str, release: Release) -> bool {
    known(name, release).is_some()
}

fn known(name: &str, release: Release) -> Option<Known> {
    let is_named = |(known, _, releases): &&(&str, Known, Releases)| *known == name && releases.contains(release);
    PLUGINS.iter().find(is_named).map(|(_, known, _)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether the plug-in `ServiceAccount` runs.
    fn check(on: &str, off: &str, expected: Result<bool, &str>) {
        let list = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
        let outcome =
            plugins(&list(on), &list(off), Release::NEWEST).map(|plugins| plugins.contains(&"ServiceAccount"));
        let outcome = outcome.map_err(|error| error.to_string());
        assert_eq!(outcome, expected.map_err(str::to_owned), "on {on}, off {off}");
    }

    #[test]
    fn every_plugin_that_can_run_is_made() {
        let access = Arc::new(Access::new(sprag_authorization::AuthorizationMode::AlwaysAllow));
        let policies: Arc<dyn PolicyObserver> = Arc::new(sprag_admission::policy::Unobserved);
        let webhooks: Arc<dyn WebhookObserver> = Arc::new(crate::metrics::Metrics::new());
        let client = Arc::new(Client::new(Arc::new(sprag_controllers::Services::default()), "test"));
        let limits = sprag_value::json::parse(br#"{"limits":[{"type":"Server","qps":1,"burst":1}]}"#).unwrap();
        let events = builtin::EventRateLimit::new(&limits).ok().map(Arc::new);
        for (name, known, _) in PLUGINS {
            let parts = Parts {
                release: Release::NEWEST,
                access: &access,
                namespaces: &Arc::default(),
                policies: &policies,
                client: &client,
                webhooks: &webhooks,
                quotas: &Arc::default(),
                tolerations: DefaultTolerationSeconds::default(),
                configured: &Configured { events: events.clone() },
                is_audited: false,
            };
            let is_made = plugin(name, &parts).is_some();
            assert_eq!(is_made, matches!(known, On(_) | Off(_)), "{name}");
        }
    }

    #[test]
    fn the_page_lists_all_plugins_in_order() {
        let page = include_str!("../../../docs/admission-plugins.md");
        let rows = page.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            Some((cells.next()?, cells.next()?)).filter(|(name, _)| *name != "plug-in")
        });
        let state = |known: Known| match known {
            On(_) => "on",
            Off(_) => "off",
            Always => "always",
            Missing => "missing (off upstream)",
            Idle => "on, without effect",
        };
        let shown = |(name, known, releases): &(&'static str, Known, Releases)| {
            let state = state(*known);
            (*name, if releases.is_all() { state.to_owned() } else { format!("{state}, {releases}") })
        };
        let expected: Vec<_> = PLUGINS.iter().map(shown).collect();
        assert_eq!(rows.map(|(name, state)| (name, state.to_owned())).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn plugins_are_switched_by_name() {
        check("", "", Ok(true));
        check("", "ServiceAccount", Ok(false));
        check("ServiceAccount,NamespaceLifecycle,MutatingAdmissionWebhook", "", Ok(true));
        check("", "PodSecurity,ServiceAccount", Ok(false));
        assert!(!plugins(&[], &[], Release::V1_34).unwrap().contains(&"PodGroupProtection"));
        let unknown = plugins(&["JobValidation".to_owned()], &[], Release::NEWEST).unwrap_err().to_string();
        assert_eq!(unknown, "enable-admission-plugins plugin \"JobValidation\" is unknown");
        assert!(plugins(&["JobValidation".to_owned()], &[], Release::V1_36).is_ok());
        check("Nonsense", "", Err("enable-admission-plugins plugin \"Nonsense\" is unknown"));
        check("", "serviceaccount", Err("disable-admission-plugins plugin \"serviceaccount\" is unknown"));
        check(
            "ServiceAccount",
            "ServiceAccount",
            Err("[ServiceAccount] in enable-admission-plugins and disable-admission-plugins overlapped"),
        );
        check(
            "ImagePolicyWebhook",
            "",
            Err("--enable-admission-plugins: ImagePolicyWebhook is not supported: leave it out"),
        );
        let lifecycle = "--disable-admission-plugins: NamespaceLifecycle cannot be switched off: leave it out";
        check("", "NamespaceLifecycle", Err(lifecycle));
    }
}
