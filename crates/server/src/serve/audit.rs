//! Flags of the audit log, under kube-apiserver's names.

use std::path::PathBuf;

use clap::Args;

use crate::audit::{AuditOptions, Format};

/// Flags of the audit log.
#[derive(Args, Clone, Debug, Default)]
pub struct AuditArgs {
    /// Which requests are recorded, and how much of them: a `Policy` of audit.k8s.io/v1
    #[arg(long, value_name = "FILE")]
    pub audit_policy_file: Option<PathBuf>,

    /// Record requests in this file; `-` is standard output
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub audit_log_path: Option<PathBuf>,

    /// Form of the lines
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub audit_log_format: Format,

    /// Megabytes after which the file is put aside and another begun; 0 for never
    #[arg(long, value_name = "MEGABYTES", default_value_t = 100)]
    pub audit_log_maxsize: u64,

    /// Files put aside that are kept; 0 for all
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub audit_log_maxbackup: u64,

    /// Days for which files put aside are kept; 0 for ever
    #[arg(long, value_name = "DAYS", default_value_t = 366)]
    pub audit_log_maxage: u64,
}

impl AuditArgs {
    /// The options of the log, if there is to be one.
    // As upstream's AuditOptions.ApplyTo, which says so and starts if one of both is missing.
    pub(super) fn options(&self) -> Option<AuditOptions> {
        match (&self.audit_policy_file, &self.audit_log_path) {
            (Some(policy_file), Some(log_path)) => Some(AuditOptions {
                policy_file: policy_file.clone(),
                log_path: log_path.clone(),
                format: self.audit_log_format,
                max_size: self.audit_log_maxsize,
                max_backups: self.audit_log_maxbackup,
                max_age: self.audit_log_maxage,
            }),
            (Some(_), None) => {
                tracing::warn!("--audit-policy-file without --audit-log-path: no events will be recorded");
                None
            }
            (None, Some(_)) => {
                tracing::warn!("No audit policy file provided, no events will be recorded for log backend");
                None
            }
            (None, None) => None,
        }
    }
}
