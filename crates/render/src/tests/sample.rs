//! Reports to render in tests: a full one, a partial one, and one that holds a given text wherever a text can stand.

mod filled;
mod works;

use fathom_evidence::Language;
use fathom_evidence::citation::CitationReason;
use jiff::Timestamp;

use crate::CitationStyle;
use crate::report::claim::{
    ClaimVerdict, Disagreement, ModelVerdict, ReportClaim, SourceQuote, TextPlace,
};
use crate::report::method::{
    FailureNote, ResearchMethod, SearchRound, StopReason, StopSignals, TracePart,
};
use crate::report::review::{
    ReportReview, ReviewCategory, ReviewItem, ReviewScores, ReviewVerdict, Severity,
};
use crate::report::source::SourceId;
use crate::report::{
    Answered, AskedQuestion, ClaimCounts, Confidence, JudgementCounts, OpenQuestion, Report,
    ReportAnswer, ReportFigures, ReportSection, ReportStatus, StrengthCounts,
};
use fathom_evidence::validate::retry::{RetryEntry, SettingChange};
pub(crate) use filled::filled_with;
pub(crate) use works::sources;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The hash that a text would be stored under.
fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn claim(
    number: usize,
    section: Option<usize>,
    words: &str,
    source: u32,
    quote: &str,
) -> ReportClaim {
    ReportClaim {
        number,
        place: match section {
            Some(_) => TextPlace::Section,
            None => TextPlace::Summary,
        },
        section,
        text: words.to_owned(),
        sources: vec![SourceId(source)],
        verdict: ClaimVerdict::Supported,
        why: None,
        reasons: vec![],
        judged: Some(ModelVerdict::Supported),
        proofs: vec![SourceQuote {
            source: SourceId(source),
            quote: quote.to_owned(),
            snapshot: Some(hash(&source.to_le_bytes())),
            start: 120,
            end: 120 + quote.len(),
            relaxed: number == 4,
        }],
    }
}

fn claims() -> Vec<ReportClaim> {
    let mut free = claim(
        5,
        Some(2),
        "Nobody has measured the effect for longer than two summers.",
        4,
        "",
    );
    free.verdict = ClaimVerdict::NotChecked;
    free.why = Some("it is put too freely to tell".to_owned());
    free.reasons = vec![CitationReason::LittleInCommon { share: 0.31 }];
    free.proofs = vec![];
    free.judged = Some(ModelVerdict::CouldNotCheck);
    vec![
        claim(
            1,
            None,
            "Rows of street trees lowered the felt temperature by 3.1 °C at noon.",
            1,
            "Felt temperature at noon fell by 3.1 °C (95 % CI 2.4–3.8) under the rows.",
        ),
        claim(
            2,
            Some(1),
            "The cooling is strongest at noon and weak after dusk.",
            1,
            "Cooling peaked at noon; after dusk it was within the error of the sensors.",
        ),
        claim(
            3,
            Some(1),
            "“Der Schatten wirkt sofort”, as one survey puts it.",
            4,
            "Der Schatten wirkt sofort | auch an *heißen* Tagen [siehe 3].",
        ),
        claim(
            4,
            Some(2),
            "The town plans 400 trees by 2030.",
            3,
            "400 trees will be planted by 2030, subject to the water budget.",
        ),
        free,
    ]
}

fn contradictions() -> Vec<Disagreement> {
    let sources = sources();
    let side = |source: u32, quote: &str| SourceQuote {
        source: SourceId(source),
        quote: quote.to_owned(),
        snapshot: sources[source as usize - 1]
            .snapshot
            .as_ref()
            .map(|stored| stored.text.clone()),
        start: 40,
        end: 40 + quote.len(),
        relaxed: false,
    };
    vec![
        Disagreement {
            sides: [
                side(1, "After dusk no warming under the rows was seen."),
                side(2, "Streets with trees stayed 0.8 °C warmer at night."),
            ],
            about: "Whether trees keep streets warm at night".to_owned(),
            explained: None,
            weighed: Some("The second source was retracted in 2021.".to_owned()),
        },
        Disagreement {
            sides: [
                side(3, "The plan costs 1.2 million."),
                side(6, "費用は三百万である。"),
            ],
            about: "What the plan costs".to_owned(),
            explained: None,
            weighed: None,
        },
    ]
}

fn sections() -> Vec<ReportSection> {
    let cooling = "The cooling is **strongest at noon** and weak after dusk [1]. “Der Schatten wirkt sofort”, as one \
        survey puts it [4].\n\n### By time of day\n\n| Time | Cooling |\n| --- | --- |\n| noon | 3.1 °C [1] |\n| dusk | \
        none \\| noise |\n\n> Cooling peaked at noon; after dusk it was within the error of the sensors. [1]\n\n1. Shade \
        comes first [1, 4].\n2. Water comes second; see <https://orsby.example/water> or [the plan](https://orsby.example/p_1).\n\
        \n   - A town may have neither.\n";
    let plans = "The town plans 400 trees by 2030 [3]. Nobody has measured the effect for longer than two summers [4]. A \
        footnote[^x] and a bracket [sic] stay as they are, and so does 2019 [2019]; a source that is not there does not \
        [99].\n\nThe sensor names are `t_air|1` and `t_globe`.\n";
    vec![
        ReportSection {
            title: "How much do trees cool a street?".to_owned(),
            sub_questions: vec![1],
            text: cooling.to_owned(),
        },
        ReportSection {
            title: "# Plans | costs_and *limits* 街".to_owned(),
            sub_questions: vec![2],
            text: plans.to_owned(),
        },
    ]
}

pub(crate) fn full() -> Report {
    Report {
        question: AskedQuestion {
            text: "How much do street trees cool a town, and what does it cost?".to_owned(),
            context: None,
            domain: vec![],
            depth: "standard".to_owned(),
            style: "academic".to_owned(),
            asked_on: jiff::civil::date(2026, 11, 16),
        },
        status: ReportStatus::Complete,
        answer: Some(ReportAnswer {
            answered: Answered::Partly,
            reason: "The sources tell how much trees cool by day, and disagree on what they cost.".to_owned(),
            text: "Rows of street trees lowered the felt temperature by 3.1 °C at noon [1].".to_owned(),
            agree: 2,
            dispute: 1,
        }),
        language: Language::ENGLISH,
        confidence: Some(Confidence::High),
        title: "Street trees cool a town by day; what they cost is disputed".to_owned(),
        summary: "Rows of street trees lowered the felt temperature by 3.1 °C at noon [1]. Costs are disputed [3][6]."
            .to_owned(),
        sections: sections(),
        conclusion: "Plant in rows where people walk at noon [1], and measure for longer.".to_owned(),
        sources: sources(),
        citation_style: CitationStyle::default(),
        claims: claims(),
        contradictions: contradictions(),
        gaps: vec![OpenQuestion {
            sub_question: 2,
            missing: "No source says what watering costs after the third year.".to_owned(),
            next_query: "watering cost street tree fourth year".to_owned(),
        }],
        figures: figures(),
        caveats: vec!["One cited source was retracted [2].".to_owned()],
        review: Some(review()),
        method: method(),
        finished_at: at("2026-11-16T04:01:23Z"),
    }
}

fn figures() -> ReportFigures {
    ReportFigures {
        findings: StrengthCounts {
            strong: 1,
            moderate: 2,
            weak: 3,
        },
        claims: ClaimCounts {
            claims: 5,
            checked: 4,
            supported: 4,
            contradicted: 0,
            unsupported: 0,
            removed: 2,
            judged: Some(JudgementCounts {
                supported: 3,
                contradicted: 0,
                not_supported: 0,
                could_not_check: 1,
            }),
        },
        sources_found: 31,
        sources_read: 14,
        sources_cited: 7,
        files_skipped: 2,
        fetches_failed: 3,
        queries: 4,
        words: 1_204,
        time_ms: 83_400,
        tokens: 48_201,
        cost_micros: None,
    }
}

fn review() -> ReportReview {
    ReportReview {
        draft: 2,
        by: Some("gpt-4o".to_owned()),
        scores: ReviewScores {
            accuracy: 9.0,
            completeness: 8.0,
            coherence: 8.0,
            citation: 9.0,
            methodology: 7.0,
            style: 8.0,
        },
        score: 8.3,
        items: vec![ReviewItem {
            category: ReviewCategory::Completeness,
            severity: Severity::Major,
            place: TextPlace::Section,
            section: Some(2),
            description: "Costs of watering are not given.".to_owned(),
            fix: None,
            proven: false,
        }],
        verdict: ReviewVerdict::Approve,
        potential: 0.4,
        summary: "Sound, with a gap in costs.".to_owned(),
    }
}

fn method() -> ResearchMethod {
    let signals = |completeness| StopSignals {
        iteration: 0.4,
        coverage: 0.5,
        confidence: 0.8,
        gaps: 0.8,
        completeness,
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ResearchMethod {
        depth: "standard".to_owned(),
        sub_questions: owned(&["How much do trees cool a street?", "What do plans cost?"]),
        queries: owned(&[
            "street tree cooling trial",
            "tree planting cost per tree",
            "heat plan #1 - draft",
        ]),
        reasoners: owned(&["gpt-4o", "extractive"]),
        rounds: vec![
            SearchRound {
                signals: signals(0.55),
                new_evidence: 14,
                stop: None,
            },
            SearchRound {
                signals: signals(0.81),
                new_evidence: 1,
                stop: Some(StopReason::NoGaps),
            },
        ],
        drafts: 2,
        steps: 11,
        degraded: owned(&[
            "The model could not be reached while reviewing; the built-in reasoner reviewed.",
        ]),
        errors: vec![FailureNote {
            node: "search".to_owned(),
            at: at("2026-11-16T04:00:31Z"),
            category: "timeout".to_owned(),
            severity: "recoverable".to_owned(),
            attempts: 3,
            message: "news.example did not answer within 10 s".to_owned(),
        }],
        coverage: vec![12, 1],
        trace: vec![TracePart {
            part: "understanding".to_owned(),
            text: "It asks what trees do for a street, and what that costs.".to_owned(),
        }],
        warnings: owned(&["A street may mean its air or its surface."]),
        validation_retry_log: vec![RetryEntry {
            attempt: 1,
            limit: 1,
            failed_questions: owned(&["What do plans cost?"]),
            changes: vec![SettingChange {
                setting: "top_k".to_owned(),
                from: "5".to_owned(),
                to: "8".to_owned(),
            }],
        }],
        relaxed: vec![SourceId(2)],
        revisions: vec![
            "Draft 2, summary: 1 new sentence, 1 removed, for 1 critical remark.".to_owned(),
        ],
        insufficient_termination: None,
    }
}

pub(crate) fn partial() -> Report {
    let whole = full();
    Report {
        status: ReportStatus::Partial {
            reason: "the time was used up before the draft could be approved".to_owned(),
        },
        confidence: Some(Confidence::Low),
        sections: whole.sections.into_iter().take(1).collect(),
        conclusion: String::new(),
        caveats: vec!["The second sub-question was not written about.".to_owned()],
        figures: ReportFigures {
            cost_micros: Some(12_345),
            ..whole.figures
        },
        ..whole
    }
}

/// A partial report that holds nothing but its reason.
pub(crate) fn empty() -> Report {
    Report {
        answer: None,
        title: String::new(),
        summary: " ".to_owned(),
        sections: vec![],
        conclusion: String::new(),
        sources: vec![],
        claims: vec![],
        contradictions: vec![],
        gaps: vec![],
        figures: ReportFigures::default(),
        caveats: vec![],
        review: None,
        method: ResearchMethod::default(),
        ..partial()
    }
}
