//! A work in DataCite's JSON: datasets, software, preprints.

use serde_json::Value;

use super::fields;
use super::work::{Published, Work};
use crate::Doi;

pub(super) fn work(answer: &Value, asked: &Doi) -> Option<Work> {
    let record = answer.pointer("/data/attributes")?;
    let doi = fields::text(record, "doi")?;
    let doi = Doi::parse(&doi).unwrap_or_else(|_| asked.clone());
    let titles = fields::list(record, "titles");
    let container = record.get("container").unwrap_or(&Value::Null);
    let types = record.get("types").unwrap_or(&Value::Null);
    Some(Work {
        title: titles.iter().find_map(|title| fields::text(title, "title")),
        authors: fields::authors(
            fields::list(record, "creators"),
            ["familyName", "givenName", "name"],
        ),
        published: published(record),
        venue: fields::text(container, "title"),
        publisher: publisher(record),
        volume: fields::text(container, "volume"),
        issue: fields::text(container, "issue"),
        pages: pages(container),
        kind: fields::text(types, "resourceTypeGeneral"),
        url: doi.url(),
        // DataCite has no field that says so.
        notice: None,
        citations: fields::count(record, "citationCount"),
        doi,
    })
}

/// Since 2024 it is an object where it was a string.
fn publisher(record: &Value) -> Option<String> {
    let name = record
        .get("publisher")
        .and_then(|p| fields::text(p, "name"));
    name.or_else(|| fields::text(record, "publisher"))
}

/// The day it was issued, if that is told; else the year.
fn published(record: &Value) -> Option<Published> {
    let issued = fields::list(record, "dates").iter().find_map(|date| {
        let issued = date.get("dateType")?.as_str()? == "Issued";
        let text = date.get("date")?.as_str()?;
        issued.then(|| fields::date_in_words(text)).flatten()
    });
    let year = || i64::try_from(fields::count(record, "publicationYear")?).ok();
    issued.or_else(|| fields::published(year()?, None, None))
}

fn pages(container: &Value) -> Option<String> {
    let first = fields::text(container, "firstPage")?;
    match fields::text(container, "lastPage") {
        Some(last) => Some(format!("{first}-{last}")),
        None => Some(first),
    }
}
