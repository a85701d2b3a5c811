//! The audit log: which requests it has, at which level, and what it says about them.
//!
//! A [`Policy`] of a file says at which level a request is recorded. Its [`Record`] goes with the task that answers it and gathers what
//! is known; at each stage the event is written as a line ([`Log`]). Without a policy and a log there are no records.

mod bodies;
mod event;
mod file;
mod log;
mod policy;
mod policy_file;
mod record;
mod source_ips;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::HeaderValue;

pub(crate) use self::bodies::MAX_BODY;
pub(crate) use self::policy::Level;
pub(crate) use self::record::{
    Completion, CurrentRecord, Ended, Record, answered, answered_text, boxed, current, with,
};

use self::file::{File, Rotation};
use self::log::{Log, Output};
use self::policy::Policy;
use crate::error::Error;
use crate::metrics::Metrics;

/// The form of lines in the audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// An event of `audit.k8s.io/v1` as JSON.
    #[default]
    Json,
    /// A line of text.
    Legacy,
}

/// Options of the audit log.
#[derive(Clone, Debug, Default)]
pub struct AuditOptions {
    /// The file of the policy.
    pub policy_file: PathBuf,
    /// The file of the log; `-` is standard output.
    pub log_path: PathBuf,
    /// The form of its lines.
    pub format: Format,
    /// Megabytes after which the file is put aside; 0 for never.
    pub max_size: u64,
    /// Files put aside that are kept; 0 for all.
    pub max_backups: u64,
    /// Days for which they are kept; 0 for ever.
    pub max_age: u64,
}

/// A policy and its log.
pub(crate) struct Audit {
    policy: Policy,
    log: Log,
    format: Format,
    metrics: Arc<Metrics>,
}

impl Audit {
    /// Reads the policy and opens the log.
    pub(crate) fn open(options: &AuditOptions, metrics: Arc<Metrics>) -> Result<Audit, Error> {
        let policy = policy_file::read(&options.policy_file)?;
        let failed = |error| Error::file("write", &options.log_path, error).of_flag("--audit-log-path");
        let output = if options.log_path == Path::new("-") {
            Output::Standard
        } else {
            let AuditOptions { max_size: megabytes, max_backups: backups, max_age: days, .. } = *options;
            Output::File(File::open(&options.log_path, Rotation { megabytes, backups, days }).map_err(failed)?)
        };
        let log = Log::start(output, metrics.clone()).map_err(failed)?;
        Ok(Audit { policy, log, format: options.format, metrics })
    }

    /// Waits until all events are written, but not for long.
    pub(crate) async fn flush(&self) {
        self.log.write("", String::new()).await;
    }

    /// Begins the record of a request.
    pub(crate) fn record(self: &Arc<Self>, id: &HeaderValue) -> Arc<Record> {
        Arc::new(Record::new(self.clone(), id))
    }
}
