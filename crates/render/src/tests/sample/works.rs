//! Sources with all that makes a list of references hard.

use super::hash;
use crate::report::source::{CitedSource, SourceId, SourceKind, StoredText};

fn source(id: u32, kind: SourceKind, location: &str, work: CitedSource) -> CitedSource {
    CitedSource {
        number: SourceId(id),
        kind,
        location: location.to_owned(),
        relevance: 0.8,
        quality: 0.5,
        snapshot: Some(StoredText {
            text: hash(location.as_bytes()),
            words: 1_204,
            language: "en".to_owned(),
            taken_at: super::at("2026-11-16T04:00:00Z"),
            lost: vec![],
        }),
        snippet: "Shade from street trees lowers the heat people feel.".to_owned(),
        ..work
    }
}

fn work(title: &str, authors: &[&str], published: Option<&str>) -> CitedSource {
    CitedSource {
        number: SourceId(0),
        kind: SourceKind::Web,
        location: String::new(),
        title: title.to_owned(),
        authors: authors.iter().map(|name| (*name).to_owned()).collect(),
        published: published.map(str::to_owned),
        venue: None,
        doi: None,
        citations: None,
        retracted: false,
        relevance: 0.0,
        quality: 0.0,
        snippet: String::new(),
        snapshot: None,
        unread: None,
        reference: String::new(),
    }
}

/// Works with all that makes reference lists hard.
pub(crate) fn sources() -> Vec<CitedSource> {
    let trial = CitedSource {
        venue: Some("Journal of Urban Shade".to_owned()),
        doi: Some("doi:10.5555/jus.2023.0117".to_owned()),
        citations: Some(41),
        ..work(
            "Cooling by row planting: the Alder Street trial",
            &["Ada van der Berg", "Lind, Bo Carl", "Moss D"],
            Some("2023-05-17"),
        )
    };
    let retracted = CitedSource {
        venue: Some("Annals of Paving".to_owned()),
        doi: Some("https://doi.org/10.5555/ap.2019.4".to_owned()),
        retracted: true,
        ..work(
            "Do trees heat streets at night?",
            &[
                "J.-P. Morel",
                "Íris Östberg",
                "A. Ito",
                "B. Ito",
                "C. Ito",
                "D. Ito",
                "E. Ito et al.",
            ],
            Some("2019-03"),
        )
    };
    let page = CitedSource {
        venue: Some("Orsby Town Council".to_owned()),
        ..work(
            "Heat plan [draft *2*] | shade & water",
            &["Orsby Town Council"],
            Some("2024-06-02"),
        )
    };
    let mut unread = source(
        5,
        SourceKind::News,
        "https://news.example/heat?id=7&lang=en",
        work("City swelters", &[], None),
    );
    unread.snapshot = None;
    unread.unread = Some("The page answered 403.".to_owned());
    let long = format!(
        "A very long title {}",
        "about shade and its many forms ".repeat(14)
    );
    vec![
        source(
            1,
            SourceKind::Academic,
            "https://journal.example/117",
            trial,
        ),
        source(
            2,
            SourceKind::Academic,
            "https://journal.example/4",
            retracted,
        ),
        source(3, SourceKind::Web, "https://orsby.example/heat_plan", page),
        source(
            4,
            SourceKind::Local,
            "notes/2022-stadtbäume_lennbrück.md",
            work("", &[], None),
        ),
        unread,
        source(
            6,
            SourceKind::Web,
            "https://例え.example/木",
            work(
                "街路樹と暑さ",
                &["王小明", "دينا خليل"],
                Some("Spring 2019"),
            ),
        ),
        source(
            7,
            SourceKind::Local,
            "reports/long.pdf",
            work(&long, &["University of Halvern"], Some("2021")),
        ),
    ]
}
