//! The words in columns that no checksum covers. Words, not bits: a flipped bit in a word gives no
//! other word, so it is seen.

use fathom_workflow::record::Damage;
use fathom_workflow::{Error, RunId};

/// The values of the column `keep`.
const KEPT: &str = "kept";
pub(crate) const MAY_EXPIRE: &str = "may expire";

/// The values of the column `cancel`.
pub(crate) const WANTED: &str = "wanted";
const NOT_WANTED: &str = "no";

pub(crate) fn keep_word(keep: bool) -> &'static str {
    if keep { KEPT } else { MAY_EXPIRE }
}

/// What a word in `keep` says.
pub(super) fn is_kept(word: &str) -> Result<bool, Damage> {
    match word {
        KEPT => Ok(true),
        MAY_EXPIRE => Ok(false),
        _ => Err(Damage {
            what: "header".into(),
            why: "it does not say whether it may expire".into(),
        }),
    }
}

pub(crate) fn cancel_word(wanted: bool) -> &'static str {
    if wanted { WANTED } else { NOT_WANTED }
}

/// What a word in `cancel` says of a run.
pub(crate) fn is_wanted(run: RunId, word: &str) -> Result<bool, Error> {
    match word {
        WANTED => Ok(true),
        NOT_WANTED => Ok(false),
        _ => {
            let what = "header".into();
            let why = "its mark to stop is neither set nor clear".into();
            let damage = Damage { what, why };
            Err(Error::Damaged { run, damage })
        }
    }
}
