//! A key or token. It prints as `[secret]`, is wiped when dropped, and can be struck from text that came back.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use secrecy::{ExposeSecret, SecretString};

/// What stands where a secret stood.
const MARK: &str = "[secret]";

/// Real keys are longer than this, and those that are not much longer hold a digit. Local servers take any word for a
/// key, such as `local` or `x`, and striking that from an answer would destroy the answer.
const REAL_LEAST_CHARS: usize = 8;
const REAL_SURELY_CHARS: usize = 16;

/// A key or token, which never prints itself.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// The secret in `raw`, without the blanks around it; none if nothing else is there.
    pub fn parse(raw: &str) -> Option<Self> {
        let trimmed = raw.trim();
        (!trimmed.is_empty()).then(|| Self(SecretString::from(trimmed)))
    }

    /// The secret itself, for the header of a request and nothing else.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The text without this secret: some servers repeat the key that they refuse. A placeholder is no secret.
    pub fn strike<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_real() && memmem::find(text.as_bytes(), self.expose().as_bytes()).is_some() {
            Cow::Owned(text.replace(self.expose(), MARK))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Whether it can be a key that somebody gave out, and no word that stands for none.
    fn is_real(&self) -> bool {
        let key = self.expose();
        let length = key.chars().count();
        length >= REAL_SURELY_CHARS
            || (length >= REAL_LEAST_CHARS && key.bytes().any(|byte| byte.is_ascii_digit()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_prints_itself() {
        let secret = Secret::parse(" canary-4711 \n").unwrap();
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "[secret] Some([secret])"
        );
        assert_eq!(secret.expose(), "canary-4711");
        assert_eq!(
            secret.strike("key canary-4711 refused"),
            "key [secret] refused"
        );
        assert!(Secret::parse(" \t").is_none());
    }

    #[test]
    fn a_word_that_stands_for_no_key_is_left_in_answers() {
        for placeholder in ["x", "local", "ollama", "none", "lm-studio", "not-needed"] {
            let secret = Secret::parse(placeholder).unwrap();
            let answer = "The local ollama of lm-studio is not-needed; x is none.";
            assert_eq!(secret.strike(answer), answer, "{placeholder}");
        }
        let long = Secret::parse("correct-horse-battery-staple").unwrap();
        assert_eq!(long.strike("correct-horse-battery-staple"), MARK);
    }
}
