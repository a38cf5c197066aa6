//! The links of a page, found by code: the only URLs besides search results and the user's own that
//! may be fetched next.
//!
//! Reads tags, not a tree: a standard tree takes quadratic time on hostile nesting, and links need
//! none. Takes decoded text; gives targets that our rules let us fetch, each once, in page order.

use std::{cell::RefCell, collections::HashSet};

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};
use url::Url;

use super::{AllowList, FetchTarget};

const LINKS_MAX: usize = 1_000;
const TEXT_MAX_CHARS: usize = 200;

/// A link as a reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub target: FetchTarget,
    /// The words that are linked, blanks folded.
    pub text: String,
}

/// The fetchable links of a page that was found at `page`.
pub fn links(html: &str, page: &Url, allow: &AllowList) -> Vec<Link> {
    let found = tags(html);
    let base = found.base.as_deref().and_then(|base| page.join(base).ok());
    let base = base.as_ref().unwrap_or(page);
    let mut seen = HashSet::from([without_fragment(page.clone())]);
    let mut links = Vec::new();
    for anchor in found.anchors {
        let Ok(url) = base.join(anchor.href.trim()) else {
            continue;
        };
        let Ok(target) = FetchTarget::check(url, allow) else {
            continue;
        };
        if links.len() < LINKS_MAX && seen.insert(target.url().clone()) {
            let text = fold(&anchor.text);
            links.push(Link { target, text });
        }
    }
    links
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn fold(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(TEXT_MAX_CHARS).collect()
}

#[derive(Default)]
struct Found {
    base: Option<String>,
    anchors: Vec<Anchor>,
    inside: bool,
}

struct Anchor {
    href: String,
    text: String,
}

fn tags(html: &str) -> Found {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.found.into_inner()
}

#[derive(Default)]
struct Sink {
    found: RefCell<Found>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut found = self.found.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                found.open(&tag);
                after(&tag)
            }
            Token::TagToken(tag) => {
                found.inside &= &*tag.name != "a";
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                found.say(&text);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Found {
    fn open(&mut self, tag: &Tag) {
        let href = tag.attrs.iter().find(|a| &*a.name.local == "href");
        let Some(href) = href.map(|a| a.value.to_string()) else {
            return;
        };
        match &*tag.name {
            "base" if self.base.is_none() => self.base = Some(href),
            "a" | "area" => {
                self.inside = &*tag.name == "a";
                let text = String::new();
                self.anchors.push(Anchor { href, text });
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        // Blanks count here too: four bytes for each character that may be kept are ample.
        let last = self.anchors.last_mut().filter(|_| self.inside);
        if let Some(anchor) = last.filter(|anchor| anchor.text.len() < TEXT_MAX_CHARS * 4) {
            anchor.text.push_str(text);
        }
    }
}

/// What a browser takes for text after these tags is no markup, and must not give links.
fn after(tag: &Tag) -> TokenSinkResult<()> {
    match &*tag.name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}
