//! Bearer tokens of the service: each belongs to an owner, and only its hash is kept.
//!
//! They lie in `tokens.json` in the data folder. A running service sees a change of that file at its next request.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use rand::TryRngCore as _;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::exit::{Problem, Result};

const FILE: &str = "tokens.json";

/// By which a token is recognised, in a log or by a scanner for leaked secrets.
const PREFIX: &str = "fathom_";

const SECRET_BYTES: usize = 32;
const ID_DIGITS: usize = 10;
const OWNER_CHARS: usize = 64;

/// One token as the file keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredToken {
    /// By which it is listed and revoked: the beginning of its hash.
    pub id: String,
    /// Whose runs it opens.
    pub owner: String,
    /// SHA-256 of the token, in hexadecimal digits.
    hash: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// What the owner may use; the same in all tokens of one owner.
    #[serde(default, skip_serializing_if = "OwnerCaps::is_empty")]
    pub caps: OwnerCaps,
}

/// What an owner may use. A cap that is not set is the operator's setting, and without one there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnerCaps {
    /// Runs under way at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_runs: Option<usize>,
    /// Tokens that the runs of 24 hours spend together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// What the runs of 24 hours cost together, in millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_micros: Option<u64>,
}

impl OwnerCaps {
    /// Whether nothing is capped.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These caps, and the others where these say nothing.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            max_runs: self.max_runs.or(others.max_runs),
            max_tokens: self.max_tokens.or(others.max_tokens),
            max_cost_micros: self.max_cost_micros.or(others.max_cost_micros),
        }
    }
}

/// The file of tokens.
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    /// The tokens of a data folder.
    pub fn in_home(home: &Path) -> Self {
        Self {
            path: home.join(FILE),
        }
    }

    /// Every token, the oldest first.
    pub fn list(&self) -> Result<Vec<StoredToken>> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.unusable("read", &error)),
        };
        serde_json::from_slice(&text).map_err(|error| self.unusable("read", &error))
    }

    /// Adds a token for an owner. The token itself is told once, here. Caps that are given hold for all tokens of the
    /// owner, and those that they have hold for the new one.
    pub fn add(&self, owner: &str, caps: OwnerCaps) -> Result<(StoredToken, String)> {
        check_owner(owner)?;
        let mut bytes = [0; SECRET_BYTES];
        OsRng.try_fill_bytes(&mut bytes).map_err(Problem::failed)?;
        let token = format!("{PREFIX}{}", hex(&bytes));
        let hash = hex(&hashed(&token));
        let stored = StoredToken {
            id: hash.chars().take(ID_DIGITS).collect(),
            owner: owner.to_owned(),
            hash,
            created_at: Timestamp::now(),
            caps: OwnerCaps::default(),
        };
        let mut tokens = self.list()?;
        let caps = caps.or(caps_of(&tokens, owner));
        tokens.push(stored.clone());
        set_caps(&mut tokens, owner, caps);
        self.write(&tokens)?;
        Ok((stored, token))
    }

    /// Changes the caps of an owner, in all their tokens, and tells what they are now.
    pub fn limit(
        &self,
        owner: &str,
        change: impl FnOnce(OwnerCaps) -> OwnerCaps,
    ) -> Result<OwnerCaps> {
        let mut tokens = self.list()?;
        let caps = change(caps_of(&tokens, owner));
        if set_caps(&mut tokens, owner, caps) == 0 {
            return Err(Problem::usage(format!("{owner} has no token"))
                .advise("List tokens with: fathom token list"));
        }
        self.write(&tokens)?;
        Ok(caps)
    }

    /// Removes a token by its id and tells whose it was.
    pub fn revoke(&self, id: &str) -> Result<StoredToken> {
        let mut tokens = self.list()?;
        let place = tokens.iter().position(|token| token.id == id);
        let place = place.ok_or_else(|| {
            Problem::usage(format!("there is no token {id}"))
                .advise("List tokens with: fathom token list")
        })?;
        let revoked = tokens.remove(place);
        self.write(&tokens)?;
        Ok(revoked)
    }

    /// Replaces the file; nobody but its owner may read it.
    fn write(&self, tokens: &[StoredToken]) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let write = || -> std::io::Result<()> {
            fathom_store::create_private_folder(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&serde_json::to_vec_pretty(tokens)?)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| self.unusable("written", &error))
    }

    fn unusable(&self, done: &str, error: &dyn std::fmt::Display) -> Problem {
        let path = self.path.display();
        Problem::failed(format!("the tokens in {path} cannot be {done}: {error}"))
    }
}

fn caps_of(tokens: &[StoredToken], owner: &str) -> OwnerCaps {
    let mut of_owner = tokens.iter().filter(|token| token.owner == owner);
    of_owner.next().map(|token| token.caps).unwrap_or_default()
}

/// Sets the caps in all tokens of an owner, and tells how many those are.
fn set_caps(tokens: &mut [StoredToken], owner: &str, caps: OwnerCaps) -> usize {
    let of_owner = tokens.iter_mut().filter(|token| token.owner == owner);
    of_owner.map(|token| token.caps = caps).count()
}

/// Owners name folders and stand in logs, so they are plain.
fn check_owner(owner: &str) -> Result<()> {
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let fits = (1..=OWNER_CHARS).contains(&owner.len()) && owner.chars().all(plain);
    if fits {
        Ok(())
    } else {
        Err(Problem::usage(format!(
            "an owner's name has 1 to {OWNER_CHARS} small letters, digits and hyphens"
        )))
    }
}

/// The tokens as a running service knows them: read again when their file has changed.
pub struct TokenBook {
    file: TokenFile,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The file's time and length when it was read; nothing while there is no file.
    stamp: Option<(SystemTime, u64)>,
    tokens: Arc<Vec<StoredToken>>,
}

impl TokenBook {
    /// The tokens of a data folder, read now.
    pub fn open(home: &Path) -> Result<Self> {
        let book = Self {
            file: TokenFile::in_home(home),
            known: Mutex::default(),
        };
        book.tokens()?;
        Ok(book)
    }

    /// Whether there is no token at all.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.tokens()?.is_empty())
    }

    /// The owner of a token. Every stored hash is compared, each in constant time.
    pub fn owner(&self, token: &str) -> Result<Option<String>> {
        let presented = hex(&hashed(token));
        let mut owner = None;
        for stored in self.tokens()?.iter() {
            if bool::from(stored.hash.as_bytes().ct_eq(presented.as_bytes())) {
                owner = Some(stored.owner.clone());
            }
        }
        Ok(owner)
    }

    /// What an owner may use, as their tokens say.
    pub fn caps(&self, owner: &str) -> Result<OwnerCaps> {
        Ok(caps_of(&self.tokens()?, owner))
    }

    fn tokens(&self) -> Result<Arc<Vec<StoredToken>>> {
        let stamp = std::fs::metadata(&self.file.path).ok();
        let stamp = stamp.and_then(|about| Some((about.modified().ok()?, about.len())));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.stamp != stamp {
            known.tokens = Arc::new(self.file.list()?);
            known.stamp = stamp;
        }
        Ok(Arc::clone(&known.tokens))
    }
}

fn hashed(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_until_it_is_revoked_and_only_its_hash_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let file = TokenFile::in_home(home.path());
        let book = TokenBook::open(home.path()).unwrap();
        assert!(book.is_empty().unwrap());
        let (ada, token) = file.add("ada", OwnerCaps::default()).unwrap();
        file.add("bob", OwnerCaps::default()).unwrap();
        let token = token.as_str();
        assert_eq!(book.owner(token).unwrap().as_deref(), Some("ada"));
        assert_eq!(book.owner(&format!("{token}0")).unwrap(), None);
        let kept = std::fs::read_to_string(home.path().join(FILE)).unwrap();
        assert!(!kept.contains(token.strip_prefix(PREFIX).unwrap()));
        file.revoke(&ada.id).unwrap();
        assert_eq!(book.owner(token).unwrap(), None);
        assert!(file.revoke(&ada.id).is_err());
        assert_eq!(file.list().unwrap().len(), 1);
    }

    #[test]
    fn caps_are_the_owners_and_hold_for_all_their_tokens() {
        let home = tempfile::tempdir().unwrap();
        let file = TokenFile::in_home(home.path());
        let book = TokenBook::open(home.path()).unwrap();
        let tokens = |max_tokens| OwnerCaps {
            max_tokens,
            ..OwnerCaps::default()
        };
        file.add("ada", tokens(Some(10))).unwrap();
        file.add("ada", OwnerCaps::default()).unwrap();
        file.add("bob", OwnerCaps::default()).unwrap();
        assert_eq!(book.caps("ada").unwrap(), tokens(Some(10)));
        assert_eq!(book.caps("bob").unwrap(), OwnerCaps::default());
        file.limit("ada", |caps| tokens(Some(20)).or(caps)).unwrap();
        let stored = file.list().unwrap();
        let caps: Vec<Option<u64>> = stored.iter().map(|one| one.caps.max_tokens).collect();
        assert_eq!(caps, [Some(20), Some(20), None]);
        assert!(file.limit("eve", |caps| caps).is_err());
    }

    #[test]
    fn an_owner_has_a_plain_name() {
        for name in ["", "Ada", "../x", "a b", "é"] {
            assert!(check_owner(name).is_err(), "{name}");
        }
        check_owner("ada-2").unwrap();
    }

    #[test]
    fn a_damaged_file_opens_nothing() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), "[{").unwrap();
        assert!(TokenBook::open(home.path()).is_err());
    }
}
