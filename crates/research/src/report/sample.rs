//! Reports to render in tests: a full one, a partial one, and one that holds a given text wherever a text can stand.

mod filled;
mod works;

use fathom_evidence::Span;
use fathom_evidence::citation::{CitationReason, Support, SupportingPassage};
use fathom_workflow::BlobHash;
use jiff::Timestamp;

use super::{Confidence, Figures, Provenance, Report, Status};
use crate::analysis::{Contradiction, Gap, Side, Strengths};
use crate::citations::{CheckedClaim, Counts, Judgement, Opinions, Proof};
use crate::critique::{Category, Critique, Item, Scores, Severity, Verdict};
use crate::draft::{Place, Section};
use crate::plan::SubQuestionId;
use crate::question::Question;
use crate::settings::CitationStyle;
use crate::source::SourceId;
use crate::state::{ErrorEntry, Round};
use crate::stop::{Signals, Stop};
pub(super) use filled::filled_with;
pub(super) use works::sources;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn claim(place: Place, words: &str, source: u32, quote: &str) -> CheckedClaim {
    let span = Span::new(120, 120 + quote.len());
    CheckedClaim {
        place,
        text: words.to_owned(),
        cites: vec![SourceId(source)],
        support: Support::Supported {
            by: vec![SupportingPassage { source, span }],
        },
        reasons: vec![],
        judged: Some(Judgement::Supported),
        proofs: vec![Proof {
            source: SourceId(source),
            snapshot: BlobHash::from_content(&source.to_le_bytes()),
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
    free.reasons = vec![CitationReason::LittleInCommon { share: 0.31 }];
    free.proofs = vec![];
    free.judged = Some(Judgement::CouldNotCheck {
        why: "no passage of its sources is near it".to_owned(),
    });
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
        findings: Strengths {
            strong: 1,
            moderate: 2,
            weak: 3,
        },
        claims: Counts {
            claims: 5,
            checked: 4,
            supported: 4,
            contradicted: 0,
            unsupported: 0,
            removed: 2,
            judged: Some(Opinions {
                supported: 3,
                contradicted: 0,
                not_supported: 0,
                could_not_check: 1,
            }),
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
        depth: crate::question::Depth::Standard,
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
            reason: "the time was used up before the draft could be approved".to_owned(),
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

/// A partial report that holds nothing but its reason.
pub(super) fn empty() -> Report {
    Report {
        title: String::new(),
        summary: " ".to_owned(),
        sections: vec![],
        conclusion: String::new(),
        sources: vec![],
        claims: vec![],
        contradictions: vec![],
        gaps: vec![],
        figures: Figures::default(),
        caveats: vec![],
        critique: None,
        provenance: Provenance::default(),
        ..partial()
    }
}
