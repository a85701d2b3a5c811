//! Tokens of service accounts that a kubelet asks for.

use sprag_field::quote;
use sprag_rest::{Result, meta};
use sprag_value::Value;

use super::super::members::spec;
use super::super::request::aggregate;
use super::Caller;
use super::pods::{PODS, projected};

const CLAIMS: (&str, &str, &str) = ("", "v1", "persistentvolumeclaims");
const VOLUMES: (&str, &str, &str) = ("", "v1", "persistentvolumes");
const DRIVERS: (&str, &str, &str) = ("storage.k8s.io", "v1", "csidrivers");

/// Volumes that a CSI driver has taken over, with the driver.
// As upstream's csitrans.CSITranslator.
const MIGRATED: [(&str, &str); 7] = [
    ("gcePersistentDisk", "pd.csi.storage.gke.io"),
    ("awsElasticBlockStore", "ebs.csi.aws.com"),
    ("cinder", "cinder.csi.openstack.org"),
    ("azureDisk", "disk.csi.azure.com"),
    ("azureFile", "file.csi.azure.com"),
    ("vsphereVolume", "csi.vsphere.vmware.com"),
    ("portworxVolume", "pxd.portworx.com"),
];

impl Caller<'_> {
    // As upstream's Plugin.admitServiceAccount.
    pub(super) async fn check_token(self) -> Result<()> {
        let request = self.attributes.new_object();
        let bound = spec(request).get("boundObjectRef").unwrap_or(&Value::Null);
        let name = bound.text("name");
        let uid = bound.text("uid");
        if (bound.text("apiVersion"), bound.text("kind")) != ("v1", "Pod") || name.is_empty() {
            return self.refuse("node requested token not bound to a pod");
        }
        if uid.is_empty() {
            return self.refuse("node requested token with a pod binding without a uid");
        }
        let pod = self.get(PODS, self.attributes.namespace(), name).await?;
        if uid != meta::text(&pod, "uid") {
            return self.refuse(&format!(
                "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been \
                 deleted and then recreated"
            ));
        }
        if !self.runs(&pod) {
            return self.refuse("node requested token bound to a pod scheduled on a different node");
        }
        if !self.attributes.registry.gates().enabled("ServiceAccountNodeAudienceRestriction") {
            return Ok(());
        }
        let audience = match spec(request).list("audiences") {
            [] => "",
            [audience] => audience.as_str().unwrap_or_default(),
            _ => return self.refuse("node may only request 0 or 1 audiences"),
        };
        self.check_audience(&pod, audience).await
    }

    // As upstream's Plugin.validateNodeServiceAccountAudience.
    async fn check_audience(self, pod: &Value, audience: &str) -> Result<()> {
        let quoted = quote::go(audience);
        match self.uses_audience(pod, audience).await {
            Err(why) => return self.refuse(&format!("error validating audience {quoted}: {why}")),
            Ok(true) => return Ok(()),
            Ok(false) => {}
        }
        if self.may("request-serviceaccounts-token-audience", audience, self.attributes.name()) {
            return Ok(());
        }
        let user = &self.attributes.request.user.name;
        self.refuse(&format!("{user} is not authorized to request tokens for audience {quoted}"))
    }

    /// True if a volume of a pod needs a token for an audience.
    // As upstream's Plugin.podReferencesAudience.
    async fn uses_audience(self, pod: &Value, audience: &str) -> Result<bool, String> {
        let needs = |source: &Value| source.get("serviceAccountToken").is_some_and(|t| t.text("audience") == audience);
        if projected(pod).any(needs) {
            return Ok(true);
        }
        let mut errors = Vec::new();
        for volume in spec(pod).list("volumes") {
            match self.driver_needs(pod, volume, audience).await {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => errors.push(error.to_string()),
            }
        }
        aggregate(errors).map_or(Ok(false), Err)
    }

    /// True if the driver of a volume wants tokens for an audience.
    async fn driver_needs(self, pod: &Value, volume: &Value, audience: &str) -> Result<bool> {
        let ephemeral = volume.lookup(&["ephemeral", "volumeClaimTemplate"]);
        let claim = volume.get("persistentVolumeClaim");
        let driver = if ephemeral.is_some() {
            let claim = format!("{}-{}", meta::name(pod), volume.text("name"));
            self.driver_of_claim(&claim).await?
        } else if let Some(claim) = claim {
            self.driver_of_claim(claim.text("claimName")).await?
        } else {
            driver_of(volume).to_owned()
        };
        if driver.is_empty() {
            return Ok(false);
        }
        let driver = self.get(DRIVERS, "", &driver).await?;
        let mut requests = driver.list_at(&["spec", "tokenRequests"]).iter();
        Ok(requests.any(|request| request.text("audience") == audience))
    }

    /// The driver of the volume behind a claim.
    // As upstream's Plugin.getCSIFromPVC.
    async fn driver_of_claim(self, claim: &str) -> Result<String> {
        let claim = self.get(CLAIMS, self.attributes.namespace(), claim).await?;
        let volume = self.get(VOLUMES, "", claim.text_at(&["spec", "volumeName"])).await?;
        Ok(driver_of(spec(&volume)).to_owned())
    }
}

/// The driver of a volume by its source; empty for those without.
fn driver_of(source: &Value) -> &str {
    if let Some(csi) = source.get("csi") {
        return csi.text("driver");
    }
    let migrated = MIGRATED.iter().find(|(member, _)| source.get(member).is_some_and(|source| !source.is_null()));
    migrated.map_or("", |(_, driver)| *driver)
}
