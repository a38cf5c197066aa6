//! Reports to render in tests: a full one, a partial one, and one that holds a given text wherever a text can stand.

use fathom_evidence::Span;
use fathom_evidence::citation::{Reason, Support, Supporting};
use fathom_workflow::BlobHash;
use jiff::Timestamp;

use super::{Confidence, Figures, Provenance, Report, Status};
use crate::analysis::{Contradiction, Gap, Side};
use crate::citations::{CheckedClaim, Counts, Proof};
use crate::critique::{Category, Critique, Item, Scores, Severity, Verdict};
use crate::draft::{Place, Section};
use crate::plan::{Kind, QueryId, SubQuestionId};
use crate::question::Question;
use crate::settings::CitationStyle;
use crate::source::{Snapshot, Source, SourceId, Work};
use crate::state::{ErrorEntry, Round};
use crate::stop::{Signals, Stop};

pub(super) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn source(id: u32, kind: Kind, location: &str, about: Work) -> Source {
    Source {
        id: SourceId(id),
        kind,
        location: location.to_owned(),
        found_by: vec![QueryId(0)],
        relevance: 0.8,
        quality: 0.5,
        snapshot: Some(Snapshot {
            text: BlobHash::of(location.as_bytes()),
            shape: BlobHash::of(about.title.as_bytes()),
            words: 1_204,
            language: "en".to_owned(),
            taken_at: at("2026-11-16T04:00:00Z"),
            lost: vec![],
        }),
        snippet: "Shade from street trees lowers the heat people feel.".to_owned(),
        unread: None,
        about,
    }
}

pub(super) fn work(title: &str, authors: &[&str], published: Option<&str>) -> Work {
    Work {
        title: title.to_owned(),
        authors: authors.iter().map(|name| (*name).to_owned()).collect(),
        published: published.map(str::to_owned),
        ..Work::default()
    }
}

/// Works with all that makes reference lists hard.
pub(super) fn sources() -> Vec<Source> {
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

fn claim(place: Place, words: &str, source: u32, quote: &str) -> CheckedClaim {
    let span = Span::new(120, 120 + quote.len());
    CheckedClaim {
        place,
        text: words.to_owned(),
        cites: vec![SourceId(source)],
        support: Support::Supported {
            by: vec![Supporting { source, span }],
        },
        reasons: vec![],
        proofs: vec![Proof {
            source: SourceId(source),
            snapshot: BlobHash::of(&source.to_le_bytes()),
            span,
            quote: quote.to_owned(),
        }],
    }
}

fn claims() -> Vec<CheckedClaim> {
    let mut free = claim(
        Place::Section(1),
        "Nobody has measured the effect for longer than two summers.",
        4,
        "",
    );
    free.support = Support::NotChecked {
        why: "it is put too freely to tell".to_owned(),
    };
    free.reasons = vec![Reason::LittleInCommon { share: 0.31 }];
    free.proofs = vec![];
    vec![
        claim(
            Place::Summary,
            "Rows of street trees lowered the felt temperature by 3.1 °C at noon.",
            1,
            "Felt temperature at noon fell by 3.1 °C (95 % CI 2.4–3.8) under the rows.",
        ),
        claim(
            Place::Section(0),
            "The cooling is strongest at noon and weak after dusk.",
            1,
            "Cooling peaked at noon; after dusk it was within the error of the sensors.",
        ),
        claim(
            Place::Section(0),
            "“Der Schatten wirkt sofort”, as one survey puts it.",
            4,
            "Der Schatten wirkt sofort | auch an *heißen* Tagen [siehe 3].",
        ),
        claim(
            Place::Section(1),
            "The town plans 400 trees by 2030.",
            3,
            "400 trees will be planted by 2030, subject to the water budget.",
        ),
        free,
    ]
}

fn contradictions() -> Vec<Contradiction> {
    let side = |source, quote: &str| Side {
        source: SourceId(source),
        span: Span::new(40, 40 + quote.len()),
        quote: quote.to_owned(),
    };
    vec![
        Contradiction {
            left: side(1, "After dusk no warming under the rows was seen."),
            right: side(2, "Streets with trees stayed 0.8 °C warmer at night."),
            about: "Whether trees keep streets warm at night".to_owned(),
            weighed: Some("The second source was retracted in 2021.".to_owned()),
        },
        Contradiction {
            left: side(3, "The plan costs 1.2 million."),
            right: side(6, "費用は三百万である。"),
            about: "What the plan costs".to_owned(),
            weighed: None,
        },
    ]
}

fn sections() -> Vec<Section> {
    let cooling = "The cooling is **strongest at noon** and weak after dusk [1]. “Der Schatten wirkt sofort”, as one \
        survey puts it [4].\n\n### By time of day\n\n| Time | Cooling |\n| --- | --- |\n| noon | 3.1 °C [1] |\n| dusk | \
        none \\| noise |\n\n> Cooling peaked at noon; after dusk it was within the error of the sensors. [1]\n\n1. Shade \
        comes first [1, 4].\n2. Water comes second; see <https://orsby.example/water> or [the plan](https://orsby.example/p_1).\n\
        \n   - A town may have neither.\n";
    let plans = "The town plans 400 trees by 2030 [3]. Nobody has measured the effect for longer than two summers [4]. A \
        footnote[^x] and a bracket [sic] stay as they are, and so does 2019 [2019]; a source that is not there does not \
        [99].\n\nThe sensor names are `t_air|1` and `t_globe`.\n";
    vec![
        Section {
            title: "How much do trees cool a street?".to_owned(),
            answers: vec![SubQuestionId(0)],
            text: cooling.to_owned(),
        },
        Section {
            title: "# Plans | costs_and *limits* 街".to_owned(),
            answers: vec![SubQuestionId(1)],
            text: plans.to_owned(),
        },
    ]
}

pub(super) fn full() -> Report {
    let question = Question::parse(
        "How much do street trees cool a town, and what does it cost?",
        jiff::civil::date(2026, 11, 16),
    );
    Report {
        question: question.unwrap(),
        status: Status::Complete,
        confidence: Confidence::High,
        title: "Street trees cool a town by day; what they cost is disputed".to_owned(),
        summary: "Rows of street trees lowered the felt temperature by 3.1 °C at noon [1]. Costs are disputed [3][6]."
            .to_owned(),
        sections: sections(),
        conclusion: "Plant in rows where people walk at noon [1], and measure for longer.".to_owned(),
        sources: sources(),
        citation_style: CitationStyle::Numeric,
        claims: claims(),
        contradictions: contradictions(),
        gaps: vec![Gap {
            answers: SubQuestionId(1),
            missing: "No source says what watering costs after the third year.".to_owned(),
            query: "watering cost street tree fourth year".to_owned(),
        }],
        figures: figures(),
        caveats: vec!["One cited source was retracted [2].".to_owned()],
        critique: Some(critique()),
        provenance: provenance(),
        finished_at: at("2026-11-16T04:01:23Z"),
    }
}

fn figures() -> Figures {
    Figures {
        claims: Counts {
            claims: 5,
            checked: 4,
            supported: 4,
            contradicted: 0,
            unsupported: 0,
            removed: 2,
        },
        sources_found: 31,
        sources_read: 14,
        sources_cited: 7,
        fetches_failed: 3,
        queries: 4,
        words: 1_204,
        time_ms: 83_400,
        tokens: 48_201,
        cost_micros: None,
    }
}

fn critique() -> Critique {
    Critique {
        version: 2,
        scores: Scores {
            accuracy: 9.0,
            completeness: 8.0,
            coherence: 8.0,
            citation: 9.0,
            methodology: 7.0,
            style: 8.0,
        },
        score: 8.3,
        items: vec![Item {
            category: Category::Completeness,
            severity: Severity::Major,
            place: Place::Section(1),
            description: "Costs of watering are not given.".to_owned(),
            fix: None,
            proven: false,
        }],
        verdict: Verdict::Approve,
        potential: 0.4,
        summary: "Sound, with a gap in costs.".to_owned(),
    }
}

fn provenance() -> Provenance {
    let signals = |completeness| Signals {
        iteration: 0.4,
        coverage: 0.5,
        confidence: 0.8,
        gaps: 0.8,
        completeness,
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Provenance {
        sub_questions: owned(&["How much do trees cool a street?", "What do plans cost?"]),
        queries: owned(&[
            "street tree cooling trial",
            "tree planting cost per tree",
            "heat plan #1 - draft",
        ]),
        reasoners: owned(&["gpt-4o", "extractive"]),
        rounds: vec![
            Round {
                signals: signals(0.55),
                new_evidence: 14,
                stop: None,
            },
            Round {
                signals: signals(0.81),
                new_evidence: 1,
                stop: Some(Stop::NoGaps),
            },
        ],
        drafts: 2,
        steps: 11,
        degraded: owned(&[
            "The model could not be reached while reviewing; the built-in reasoner reviewed.",
        ]),
        errors: vec![ErrorEntry {
            node: "search".to_owned(),
            at: at("2026-11-16T04:00:31Z"),
            category: "timeout".to_owned(),
            attempts: 3,
            message: "news.example did not answer within 10 s".to_owned(),
        }],
    }
}

pub(super) fn partial() -> Report {
    let whole = full();
    Report {
        status: Status::Partial {
            reason: "The time was used up before the draft could be approved.".to_owned(),
        },
        confidence: Confidence::Low,
        sections: whole.sections.into_iter().take(1).collect(),
        conclusion: String::new(),
        caveats: vec!["The second sub-question was not written about.".to_owned()],
        figures: Figures {
            cost_micros: Some(12_345),
            ..whole.figures
        },
        ..whole
    }
}

/// A report that holds the text in every field that can hold a text.
pub(super) fn filled_with(text: &str) -> Report {
    let mut report = full();
    let put = |field: &mut String| *field = text.to_owned();
    let put_all = |fields: &mut Vec<String>| *fields = vec![text.to_owned(), text.to_owned()];
    report.question = report.question.with_context(text);
    report.status = Status::Partial {
        reason: text.to_owned(),
    };
    put(&mut report.title);
    put(&mut report.summary);
    put(&mut report.conclusion);
    put_all(&mut report.caveats);
    for section in &mut report.sections {
        put(&mut section.title);
        put(&mut section.text);
    }
    for source in &mut report.sources {
        put(&mut source.location);
        put(&mut source.snippet);
        put(&mut source.about.title);
        put_all(&mut source.about.authors);
        for field in [
            &mut source.about.published,
            &mut source.about.venue,
            &mut source.about.doi,
            &mut source.unread,
        ] {
            *field = Some(text.to_owned());
        }
        if let Some(snapshot) = &mut source.snapshot {
            put(&mut snapshot.language);
            put_all(&mut snapshot.lost);
        }
    }
    for claim in &mut report.claims {
        put(&mut claim.text);
        claim
            .proofs
            .iter_mut()
            .for_each(|proof| put(&mut proof.quote));
    }
    for pair in &mut report.contradictions {
        put(&mut pair.about);
        // A quote that stands in the text as well would take the pair out of its own section.
        pair.left.quote = format!("{text}left0");
        pair.right.quote = format!("{text}right0");
        pair.weighed = Some(text.to_owned());
    }
    for gap in &mut report.gaps {
        put(&mut gap.missing);
        put(&mut gap.query);
    }
    for item in report
        .critique
        .iter_mut()
        .flat_map(|critique| &mut critique.items)
    {
        put(&mut item.description);
    }
    put_all(&mut report.provenance.sub_questions);
    put_all(&mut report.provenance.queries);
    put_all(&mut report.provenance.reasoners);
    put_all(&mut report.provenance.degraded);
    for error in &mut report.provenance.errors {
        put(&mut error.node);
        put(&mut error.category);
        put(&mut error.message);
    }
    report
}
