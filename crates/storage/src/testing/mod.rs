//! For tests of this and other crates: folders and etcd servers of their own, and histories that are checked against a model.

mod etcd;
mod history;
mod load;
mod scratch;

pub use self::etcd::{EtcdCluster, etcd_is_installed};
pub use self::history::{History, Outcome};
pub use self::load::{Load, Random, Recorder};
pub use self::scratch::Scratch;
