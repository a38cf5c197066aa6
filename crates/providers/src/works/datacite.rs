//! A work in DataCite's JSON: datasets, software, preprints.

use serde_json::Value;

use super::fields;
use super::work::Work;
use crate::lenient::{count, list};
use crate::{Doi, PublicationDate};

pub(super) fn work(answer: &Value, asked: &Doi) -> Option<Work> {
    let record = answer.pointer("/data/attributes")?;
    let doi = fields::doi(record, "doi", asked)?;
    let titles = list(&record["titles"]);
    let container = &record["container"];
    Some(Work {
        title: titles.iter().find_map(|title| fields::text(title, "title")),
        authors: fields::authors(
            list(&record["creators"]),
            ["familyName", "givenName", "name"],
        ),
        published: published(record),
        venue: fields::text(container, "title"),
        publisher: publisher(record),
        volume: fields::text(container, "volume"),
        issue: fields::text(container, "issue"),
        pages: pages(container),
        kind: fields::text(&record["types"], "resourceTypeGeneral"),
        url: doi.url(),
        // DataCite has no field that says so.
        notice: None,
        citations: count(&record["citationCount"]),
        doi,
    })
}

/// Since 2024 it is an object where it was a string.
fn publisher(record: &Value) -> Option<String> {
    fields::text(&record["publisher"], "name").or_else(|| fields::text(record, "publisher"))
}

/// The day it was issued, if that is told; else the year.
fn published(record: &Value) -> Option<PublicationDate> {
    let dates = list(&record["dates"]).iter();
    let issued = dates
        .filter(|date| date["dateType"] == "Issued")
        .find_map(|date| date["date"].as_str()?.parse().ok());
    let year = || i16::try_from(count(&record["publicationYear"])?).ok();
    issued.or_else(|| PublicationDate::new(year()?, None, None))
}

fn pages(container: &Value) -> Option<String> {
    let first = fields::text(container, "firstPage")?;
    match fields::text(container, "lastPage") {
        Some(last) => Some(format!("{first}-{last}")),
        None => Some(first),
    }
}
