//! The names under which runs, their owners and stored bytes are known.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Error;

/// One run of a workflow. Ids made by [`RunId::new`] sort by the time they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(Uuid);

impl RunId {
    /// A fresh id, which sorts after those made before.
    #[expect(
        clippy::new_without_default,
        reason = "a fresh id is an act, not a default"
    )]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// An id that was stored.
    pub fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The id as stores keep it.
    pub fn as_uuid(&self) -> &Uuid {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RunId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match Uuid::try_parse(text) {
            Ok(uuid) => Ok(Self(uuid)),
            Err(_) => Err(Error::BadRunId {
                given: text.chars().take(80).collect(),
            }),
        }
    }
}

/// The process that holds a run. Two engines never share one, even in the same process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owner(String);

impl Owner {
    /// An owner no other engine has.
    pub fn unique() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    /// An owner by a name of the caller's choice, which nobody else may have.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name as stores keep it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of stored bytes: their BLAKE3 hash. Equal bytes have one name and are stored once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobHash([u8; 32]);

impl BlobHash {
    /// The name of these bytes.
    pub fn from_content(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// A name that was stored.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobHash({self})")
    }
}

impl FromStr for BlobHash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match blake3::Hash::from_hex(text) {
            Ok(hash) => Ok(Self(*hash.as_bytes())),
            Err(_) => Err(Error::BadBlobHash {
                given: text.chars().take(80).collect(),
            }),
        }
    }
}

impl Serialize for BlobHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlobHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
