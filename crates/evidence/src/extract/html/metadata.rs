//! What a page says about itself: title, authors, date, language.
//!
//! Pages say it in many places. Those meant for libraries (`citation_…`) come first, then structured
//! data, then those meant for social networks, then what a reader sees.

use std::collections::BTreeMap;

use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

use crate::date;
use crate::document::DocumentMetadata;

/// Objects of structured data that are looked at.
const DATA_MAX: usize = 2_000;

/// Names of authors that are kept, since each is compared with all before it. The largest
/// collaborations sign with about as many.
const NAMES_MAX: usize = 5_000;

/// A longer name is a sentence.
const NAME_MAX_CHARS: usize = 100;

/// Places on the page that are looked at for a name or a date.
const PLACES_MAX: usize = 20;

const TITLE_KEYS: &[&str] = &[
    "citation_title",
    "dc.title",
    "dcterms.title",
    "eprints.title",
];
const SOCIAL_TITLE_KEYS: &[&str] = &["og:title", "twitter:title"];
const AUTHOR_KEYS: &[&str] = &[
    "citation_author",
    "citation_authors",
    "dc.creator",
    "dcterms.creator",
    "eprints.creators_name",
    "dc.contributor.author",
];
const LOOSE_AUTHOR_KEYS: &[&str] = &[
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "byl",
    "byline",
    "twitter:creator",
];
const DATE_KEYS: &[&str] = &[
    "citation_publication_date",
    "citation_date",
    "citation_online_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "prism.publicationdate",
    "article:published_time",
    "og:published_time",
    "parsely-pub-date",
    "sailthru.date",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "article.published",
    "date",
    "citation_year",
];

const DOI_KEYS: &[&str] = &[
    "citation_doi",
    "dc.identifier",
    "dc.identifier.doi",
    "prism.doi",
    "doi",
];

pub(super) fn read_metadata(page: &Html) -> DocumentMetadata {
    let meta = MetaTags::new(page);
    let data = structured(page);
    DocumentMetadata {
        title: title(page, &meta, &data),
        authors: authors(page, &meta, &data),
        published: published(page, &meta, &data),
        doi: meta
            .all(DOI_KEYS)
            .find(|value| value.contains("10."))
            .cloned(),
        language: language(page, &meta),
    }
}

/// The `<meta>` elements by lower-case name, each with its values in order.
struct MetaTags(BTreeMap<String, Vec<String>>);

impl MetaTags {
    fn new(page: &Html) -> Self {
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for element in select(page, "meta[content]") {
            let value = |name| element.attr(name);
            let name = value("name").or(value("property")).or(value("itemprop"));
            if let (Some(name), Some(content)) = (name, value("content")) {
                let name = name.trim().to_ascii_lowercase();
                all.entry(name).or_default().push(content.trim().to_owned());
            }
        }
        Self(all)
    }

    fn all<'m>(&'m self, keys: &'m [&str]) -> impl Iterator<Item = &'m String> {
        let values = keys.iter().filter_map(|key| self.0.get(*key));
        values.flatten().filter(|value| !value.is_empty())
    }

    /// The values of the first key that has any.
    fn first(&self, keys: &[&str]) -> Vec<String> {
        let mut values = keys.iter().filter_map(|key| self.0.get(*key));
        values
            .find(|values| !values.is_empty())
            .cloned()
            .unwrap_or_default()
    }
}

fn select<'h>(page: &'h Html, selector: &str) -> Vec<ElementRef<'h>> {
    match Selector::parse(selector) {
        Ok(selector) => page.select(&selector).collect(),
        Err(_) => Vec::new(),
    }
}

/// The words in an element, without a mark at their end that only leads to the place.
fn text(element: &ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    words.trim_end_matches([' ', '¶', '§', '#']).to_owned()
}

fn title(page: &Html, meta: &MetaTags, data: &[Value]) -> Option<String> {
    let told = meta.all(TITLE_KEYS).next().cloned();
    let headline = || {
        data.iter()
            .find_map(|item| item.get("headline")?.as_str().map(str::to_owned))
    };
    let social = || meta.all(SOCIAL_TITLE_KEYS).next().cloned();
    let tab = select(page, "title")
        .first()
        .map(text)
        .filter(|title| !title.is_empty());
    // A page's one heading is its title; the tab adds the site's name to it.
    let headings = || select(page, "h1");
    let heading = || match headings().as_slice() {
        [only] => Some(text(only)).filter(|title| !title.is_empty()),
        _ => None,
    };
    told.or_else(headline)
        .or_else(social)
        .or_else(heading)
        .or(tab)
}

fn authors(page: &Html, meta: &MetaTags, data: &[Value]) -> Vec<String> {
    let told = meta.first(AUTHOR_KEYS);
    if !told.is_empty() {
        return names(told.iter().flat_map(|name| name.split(';')));
    }
    let mut in_data: Vec<&str> = Vec::new();
    for item in data {
        collect_names(item.get("author").unwrap_or(&Value::Null), &mut in_data);
        if !in_data.is_empty() {
            break;
        }
    }
    let in_data = names(in_data.into_iter());
    if !in_data.is_empty() {
        return in_data;
    }
    let loose = names(
        meta.first(LOOSE_AUTHOR_KEYS)
            .iter()
            .flat_map(|name| people(name)),
    );
    if !loose.is_empty() {
        return loose;
    }
    let seen = "[rel~='author'], [itemprop='author'] [itemprop='name'], [itemprop='author'], .byline .author, .author-name";
    let seen: Vec<String> = select(page, seen)
        .iter()
        .take(PLACES_MAX)
        .map(text)
        .collect();
    names(seen.iter().flat_map(|name| people(name)))
}

/// `A. Person, B. Person and C. Person`, one by one.
fn people(text: &str) -> Vec<&str> {
    let text = text.trim();
    let said = text
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("by "));
    let text = if said { &text[3..] } else { text };
    let parts = text
        .split([';', ',', '|'])
        .flat_map(|part| part.split(" and "));
    parts.flat_map(|part| part.split(" & ")).collect()
}

/// Names that can be a person's or an institution's, each once.
fn names<'n>(told: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in told {
        let name = name.trim();
        let plausible = name.chars().any(char::is_alphabetic)
            && name.chars().count() <= NAME_MAX_CHARS
            && !name.contains("://")
            && !name.starts_with('@');
        if names.len() == NAMES_MAX {
            break;
        }
        if plausible && !names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            names.push(name.to_owned());
        }
    }
    names
}

fn published(page: &Html, meta: &MetaTags, data: &[Value]) -> Option<String> {
    let first = |keys| meta.all(keys).find_map(|value| date::iso(value));
    let in_data = || {
        let keys = ["datePublished", "dateCreated", "uploadDate"];
        let told = keys
            .iter()
            .flat_map(|key| data.iter().filter_map(|item| item.get(*key)?.as_str()));
        told.filter_map(date::iso).next()
    };
    let seen = || {
        let places =
            "[itemprop='datePublished'], time[pubdate], article time[datetime], time[datetime]";
        let places = select(page, places);
        places.iter().take(PLACES_MAX).find_map(|place| {
            let told = place.attr("datetime").or(place.attr("content"));
            told.and_then(date::iso).or_else(|| date::iso(&text(place)))
        })
    };
    first(DATE_KEYS).or_else(in_data).or_else(seen)
}

fn language(page: &Html, meta: &MetaTags) -> Option<crate::Language> {
    let root = page.root_element();
    let declared = root.attr("lang").or(root.attr("xml:lang"));
    let declared = declared.map(str::to_owned);
    let others = [
        "citation_language",
        "dc.language",
        "content-language",
        "og:locale",
    ];
    let mut told = declared.into_iter().chain(meta.all(&others).cloned());
    told.find_map(|code| code.parse().ok())
}

/// The objects of the page's structured data that describe the page, articles first.
fn structured(page: &Html) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open: Vec<Value> = Vec::new();
    for script in select(page, "script[type*='ld+json' i]") {
        let source: String = script.text().collect();
        open.extend(serde_json::from_str::<Value>(source.trim()).ok());
    }
    open.reverse();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.into_iter().rev()),
            Value::Object(mut object) => {
                for key in ["@graph", "mainEntity"] {
                    open.extend(object.remove(key));
                }
                found.push(Value::Object(object));
            }
            _ => {}
        }
        if found.len() >= DATA_MAX {
            break;
        }
    }
    found.retain(|item| describes_a_text(item).is_some());
    found.sort_by_key(describes_a_text);
    found
}

/// 0 for an article, 1 for a page; nothing for a company, a list of links or a picture.
fn describes_a_text(item: &Value) -> Option<u8> {
    let kind = match item.get("@type")? {
        Value::String(kind) => kind,
        Value::Array(kinds) => kinds.first()?.as_str()?,
        _ => return None,
    };
    let texts = [
        "Article",
        "Posting",
        "Report",
        "Thesis",
        "Book",
        "Chapter",
        "CreativeWork",
        "Review",
    ];
    if texts.iter().any(|text| kind.ends_with(text)) {
        Some(0)
    } else {
        kind.ends_with("Page").then_some(1)
    }
}

/// Names of authors, given as a text, an object with a name, or a list of these.
fn collect_names<'v>(author: &'v Value, names: &mut Vec<&'v str>) {
    match author {
        Value::String(name) => names.push(name),
        Value::Object(object) => names.extend(object.get("name").and_then(Value::as_str)),
        Value::Array(authors) => {
            for author in authors.iter().filter(|author| !author.is_array()) {
                collect_names(author, names);
            }
        }
        _ => {}
    }
}
