//! Sources with all that makes a list of references hard.

use fathom_workflow::BlobHash;

use crate::plan::{Kind, QueryId};
use crate::source::{Snapshot, Source, SourceId, Work};

fn source(id: u32, kind: Kind, location: &str, about: Work) -> Source {
    Source {
        id: SourceId(id),
        kind,
        location: location.to_owned(),
        key: location.to_owned(),
        found_by: vec![QueryId(0)],
        relevance: 0.8,
        quality: 0.5,
        snapshot: Some(Snapshot {
            text: BlobHash::from_content(location.as_bytes()),
            shape: BlobHash::from_content(about.title.as_bytes()),
            words: 1_204,
            language: "en".to_owned(),
            taken_at: super::at("2026-11-16T04:00:00Z"),
            lost: vec![],
        }),
        snippet: "Shade from street trees lowers the heat people feel.".to_owned(),
        unread: None,
        about,
    }
}

fn work(title: &str, authors: &[&str], published: Option<&str>) -> Work {
    Work {
        title: title.to_owned(),
        authors: authors.iter().map(|name| (*name).to_owned()).collect(),
        published: published.map(str::to_owned),
        ..Work::default()
    }
}

/// Works with all that makes reference lists hard.
pub(in crate::report) fn sources() -> Vec<Source> {
    let trial = Work {
        venue: Some("Journal of Urban Shade".to_owned()),
        doi: Some("doi:10.5555/jus.2023.0117".to_owned()),
        citations: Some(41),
        ..work(
            "Cooling by row planting: the Alder Street trial",
            &["Ada van der Berg", "Lind, Bo Carl", "Moss D"],
            Some("2023-05-17"),
        )
    };
    let retracted = Work {
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
    let page = Work {
        venue: Some("Orsby Town Council".to_owned()),
        ..work(
            "Heat plan [draft *2*] | shade & water",
            &["Orsby Town Council"],
            Some("2024-06-02"),
        )
    };
    let mut unread = source(
        5,
        Kind::News,
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
        source(1, Kind::Academic, "https://journal.example/117", trial),
        source(2, Kind::Academic, "https://journal.example/4", retracted),
        source(3, Kind::Web, "https://orsby.example/heat_plan", page),
        source(
            4,
            Kind::Local,
            "notes/2022-stadtbäume_lennbrück.md",
            work("", &[], None),
        ),
        unread,
        source(
            6,
            Kind::Web,
            "https://例え.example/木",
            work(
                "街路樹と暑さ",
                &["王小明", "دينا خليل"],
                Some("Spring 2019"),
            ),
        ),
        source(
            7,
            Kind::Local,
            "reports/long.pdf",
            work(&long, &["University of Halvern"], Some("2021")),
        ),
    ]
}
