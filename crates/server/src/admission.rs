//! Which admission plug-ins run, by the flags of upstream's server.

use std::sync::Arc;

use sprag_kinds::ServiceAccountAdmission;
use sprag_registry::AdmissionPlugin;

use crate::error::Error;

/// An admission plug-in.
pub(crate) type Plugin = Arc<dyn AdmissionPlugin>;

/// What is known about a plug-in of upstream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It can be switched here, and is on.
    Here,
    /// Part of the server, and cannot be switched off.
    Always,
    /// On in upstream's server, and missing here.
    MissingOn,
    /// Off in upstream's server, and missing here.
    MissingOff,
}

use Known::{Always, Here, MissingOff, MissingOn};

/// Upstream's plug-ins in the order in which they run, as its `options.AllOrderedPlugins` and `DefaultOffAdmissionPlugins` have them.
const PLUGINS: [(&str, Known); 39] = [
    ("AlwaysAdmit", MissingOff),
    ("NamespaceAutoProvision", MissingOff),
    ("NamespaceLifecycle", Always),
    ("NamespaceExists", Always),
    ("LimitPodHardAntiAffinityTopology", MissingOff),
    ("LimitRanger", MissingOn),
    ("ServiceAccount", Here),
    ("NodeRestriction", MissingOff),
    ("TaintNodesByCondition", MissingOn),
    ("AlwaysPullImages", MissingOff),
    ("ImagePolicyWebhook", MissingOff),
    ("PodSecurity", MissingOn),
    ("PodNodeSelector", MissingOff),
    ("Priority", MissingOn),
    ("DefaultTolerationSeconds", MissingOn),
    ("PodTolerationRestriction", MissingOff),
    ("EventRateLimit", MissingOff),
    ("ExtendedResourceToleration", MissingOff),
    ("DefaultStorageClass", MissingOn),
    ("StorageObjectInUseProtection", MissingOn),
    ("PodGroupProtection", MissingOn),
    ("OwnerReferencesPermissionEnforcement", MissingOff),
    ("PersistentVolumeClaimResize", MissingOn),
    ("RuntimeClass", MissingOn),
    ("CertificateApproval", MissingOn),
    ("CertificateSigning", MissingOn),
    ("ClusterTrustBundleAttest", MissingOn),
    ("CertificateSubjectRestriction", MissingOn),
    ("DefaultIngressClass", MissingOn),
    ("DenyServiceExternalIPs", MissingOff),
    ("PodTopologyLabels", MissingOn),
    ("NodeDeclaredFeatureValidator", MissingOn),
    ("PodResizeValidator", MissingOn),
    ("MutatingAdmissionPolicy", MissingOn),
    ("MutatingAdmissionWebhook", MissingOn),
    ("ValidatingAdmissionPolicy", MissingOn),
    ("ValidatingAdmissionWebhook", MissingOn),
    ("ResourceQuota", MissingOn),
    ("AlwaysDeny", MissingOff),
];

/// The plug-ins that run when these are switched on and those off.
pub(crate) fn plugins(on: &[String], off: &[String]) -> Result<Vec<Plugin>, Error> {
    let names =
        |list: &[String]| list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let (on, off): (Vec<String>, Vec<String>) = (names(on), names(off));
    // The texts of upstream's AdmissionOptions.Validate.
    for (flag, names) in [("enable-admission-plugins", &on), ("disable-admission-plugins", &off)] {
        if let Some(name) = names.iter().find(|name| known(name).is_none()) {
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
    for name in &on {
        match known(name) {
            Some(MissingOff) => {
                return Err(Error::Usage(format!("--enable-admission-plugins: {name} is not supported: leave it out")));
            }
            Some(MissingOn) => tracing::warn!("--enable-admission-plugins: {name} is not supported and does nothing"),
            _ => {}
        }
    }
    if let Some(name) = off.iter().find(|name| known(name) == Some(Always)) {
        return Err(Error::Usage(format!("--disable-admission-plugins: {name} cannot be switched off: leave it out")));
    }
    let mut plugins: Vec<Plugin> = Vec::new();
    if !off.iter().any(|name| name == "ServiceAccount") {
        plugins.push(Arc::new(ServiceAccountAdmission));
    }
    Ok(plugins)
}

fn known(name: &str) -> Option<Known> {
    PLUGINS.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(on: &str, off: &str, expected: Result<usize, &str>) {
        let list = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
        let outcome = plugins(&list(on), &list(off)).map(|plugins| plugins.len()).map_err(|error| error.to_string());
        assert_eq!(outcome, expected.map_err(str::to_owned), "on {on}, off {off}");
    }

    #[test]
    fn plugins_are_switched_by_name() {
        check("", "", Ok(1));
        check("", "ServiceAccount", Ok(0));
        check("ServiceAccount,NamespaceLifecycle,MutatingAdmissionWebhook", "", Ok(1));
        check("", "PodSecurity,ServiceAccount", Ok(0));
        check("Nonsense", "", Err("enable-admission-plugins plugin \"Nonsense\" is unknown"));
        check("", "serviceaccount", Err("disable-admission-plugins plugin \"serviceaccount\" is unknown"));
        check(
            "ServiceAccount",
            "ServiceAccount",
            Err("[ServiceAccount] in enable-admission-plugins and disable-admission-plugins overlapped"),
        );
        check("AlwaysDeny", "", Err("--enable-admission-plugins: AlwaysDeny is not supported: leave it out"));
        let lifecycle = "--disable-admission-plugins: NamespaceLifecycle cannot be switched off: leave it out";
        check("", "NamespaceLifecycle", Err(lifecycle));
    }
}
