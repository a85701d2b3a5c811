//! The mathematics of signatures and keys, which the feature `ring` brings.

#[cfg(feature = "ring")]
mod ring;
#[cfg(not(feature = "ring"))]
mod trusting;

#[cfg(feature = "ring")]
pub(crate) use self::ring::{has_point, is_ecdsa_signature, is_ed25519_key, is_ed25519_signature, is_rsa_signature};
#[cfg(not(feature = "ring"))]
pub(crate) use self::trusting::{
    has_point, is_ecdsa_signature, is_ed25519_key, is_ed25519_signature, is_rsa_signature,
};
