//! Reads the example library and takes a question through all judgements, as a run does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use fathom_evidence::citation::{self, SourceText};
use fathom_evidence::claim::Stated;
use fathom_evidence::extract::{self, FormatHint};
use fathom_research::analysis::Analysis;
use fathom_research::citations::{CheckedClaim, CitationCheck};
use fathom_research::critique::ReviewOpinion;
use fathom_research::draft::{Draft, DraftSection};
use fathom_research::plan::{Plan, SourceKind};
use fathom_research::reasoner::brief::{analyse, frame, plan, review, write_section};
use fathom_research::reasoner::{AnalyseTask, FrameTask, PlanTask, ReviewTask, SectionTask};
use fathom_research::settings::Caps;
use fathom_research::skills::locate::{Located, Reading, locate};
use fathom_research::source::{Snapshot, Source, SourceId, Work};
use fathom_research::{Question, Settings};
use fathom_workflow::BlobHash;
use jiff::Timestamp;
use jiff::civil::date;

pub struct Library {
    pub names: Vec<String>,
    pub readings: Vec<Reading>,
    pub sources: Vec<Arc<Source>>,
}

pub struct Outcome {
    pub question: Question,
    pub plan: Plan,
    pub located: Located,
    pub analysis: Analysis,
    pub draft: Draft,
    pub check: CitationCheck,
    pub opinion: ReviewOpinion,
}

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Read once for all tests.
pub static LIBRARY: LazyLock<Library> = LazyLock::new(Library::read);

impl Library {
    /// Only these files of it.
    pub fn of(&self, files: &[&str]) -> Self {
        let wanted = |name: &String| files.contains(&name.as_str());
        let kept: Vec<usize> = (0..self.names.len())
            .filter(|at| wanted(&self.names[*at]))
            .collect();
        Self {
            names: kept.iter().map(|at| self.names[*at].clone()).collect(),
            readings: kept.iter().map(|at| self.readings[*at].clone()).collect(),
            sources: kept.iter().map(|at| self.sources[*at].clone()).collect(),
        }
    }

    fn read() -> Self {
        let folder = folder().join("street-trees");
        let entries = std::fs::read_dir(folder).expect("the example library is there and sound");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| {
                entry
                    .expect("the example library is there and sound")
                    .path()
            })
            .collect();
        paths.sort();
        let mut library = Self {
            names: Vec::new(),
            readings: Vec::new(),
            sources: Vec::new(),
        };
        for (number, path) in (1..).zip(paths) {
            let name = path
                .file_name()
                .expect("the example library is there and sound")
                .to_string_lossy()
                .into_owned();
            let hint = FormatHint {
                file_name: Some(&name),
                ..FormatHint::default()
            };
            let document = extract::read(
                &std::fs::read(&path).expect("the example library is there and sound"),
                &hint,
            )
            .expect("the example library is there and sound");
            let id = SourceId(number);
            library.sources.push(Arc::new(source(id, &name, &document)));
            library.readings.push(Reading::new(id, document.into()));
            library.names.push(name);
        }
        library
    }

    pub fn source(&self, name: &str) -> SourceId {
        let at = self.names.iter().position(|known| known == name);
        SourceId(
            u32::try_from(at.expect(name)).expect("the example library is there and sound") + 1,
        )
    }

    pub fn text(&self, source: SourceId) -> &str {
        &self.readings[source.0 as usize - 1].document.text
    }
}

fn source(id: SourceId, name: &str, document: &fathom_evidence::Document) -> Source {
    let mut about = Work::default();
    about.learn(&document.about);
    Source {
        id,
        kind: SourceKind::Local,
        location: name.to_owned(),
        key: name.to_owned(),
        about,
        found_by: Vec::new(),
        relevance: 1.0,
        quality: 0.5,
        snapshot: Some(Snapshot {
            text: BlobHash::from_content(document.text.as_bytes()),
            shape: BlobHash::from_content(b""),
            words: document.text.split_whitespace().count() as u64,
            language: document.language().to_string(),
            taken_at: Timestamp::UNIX_EPOCH,
            lost: Vec::new(),
        }),
        snippet: String::new(),
        unread: None,
    }
}

pub fn ask(text: &str) -> Question {
    Question::parse(text, date(2026, 11, 16)).expect("it is a question")
}

/// Takes a question from its plan to a draft.
pub fn without_check(library: &Library, question: &Question) -> (Plan, Located, Analysis, Draft) {
    let settings = Settings::default();
    let plan = plan(&PlanTask {
        question,
        caps: Caps::default(),
        kinds: &[SourceKind::Local],
        feedback: None,
        faults: &[],
    });
    let located = locate(question, &plan, &library.readings, &settings.evidence);
    let analysis = analyse(&AnalyseTask {
        caps: Caps::default(),
        question,
        plan: &plan,
        sources: &library.sources,
        evidence: &located.evidence,
        contradictions: &located.contradictions,
        language: located.language,
    });
    let draft = draft(library, question, &plan, &located, &analysis);
    (plan, located, analysis, draft)
}

/// Takes a question from its plan to a reviewed draft.
pub fn run(library: &Library, question: &Question) -> Outcome {
    let (plan, located, analysis, draft) = without_check(library, question);
    let check = check(&draft);
    let opinion = reviewed(library, question, &plan, &draft, &check, &analysis);
    Outcome {
        question: question.clone(),
        plan,
        located,
        analysis,
        draft,
        check,
        opinion,
    }
}

fn reviewed(
    library: &Library,
    question: &Question,
    plan: &Plan,
    draft: &Draft,
    check: &CitationCheck,
    analysis: &Analysis,
) -> ReviewOpinion {
    review(&ReviewTask {
        question,
        plan,
        caps: Caps::default(),
        banned_words: &Settings::default().banned_words,
        target_length: Settings::default().target_length,
        draft,
        check,
        analysis,
        sources: &library.sources,
        known: &[],
        language: fathom_evidence::Language::ENGLISH,
    })
}

/// Reviews what is left of a draft without its citations, half of its sections and its care for words.
pub fn review_broken(library: &Library, outcome: &Outcome) -> ReviewOpinion {
    let mut draft = outcome.draft.clone();
    draft.sections.truncate(draft.sections.len() / 2);
    for section in &mut draft.sections {
        section.text =
            "Trees are a robust and transformative breakthrough that every town should leverage. \
            Cooling reaches 40 degrees everywhere and costs nothing at all."
                .to_owned();
    }
    draft.summary = "Street trees unlock a holistic paradigm for towns of every size.".to_owned();
    draft.conclusion = "Nothing speaks against planting ten million trees at once.".to_owned();
    let check = check(&draft);
    let analysis = Analysis {
        findings: Vec::new(),
        ..outcome.analysis.clone()
    };
    reviewed(
        library,
        &outcome.question,
        &outcome.plan,
        &draft,
        &check,
        &analysis,
    )
}

fn draft(
    library: &Library,
    question: &Question,
    plan: &Plan,
    located: &Located,
    analysis: &Analysis,
) -> Draft {
    let words = 1_500 / plan.sections.len();
    let mut sections = Vec::new();
    for (place, section) in plan.sections.iter().enumerate() {
        let text = write_section(&SectionTask {
            caps: Caps::default(),
            banned_words: &Settings::default().banned_words,
            question,
            plan,
            section,
            place,
            sources: &library.sources,
            evidence: &located.evidence,
            analysis,
            words,
            language: located.language,
            revision: None,
            feedback: None,
        });
        sections.push(DraftSection {
            title: section.title.clone(),
            answers: section.answers.clone(),
            text,
        });
    }
    let around = frame(&FrameTask {
        caps: Caps::default(),
        banned_words: &Settings::default().banned_words,
        question,
        plan,
        sections: &sections,
        evidence: &located.evidence,
        analysis,
        sources: &library.sources,
        language: located.language,
        degraded: &[],
        words: Settings::default().target_length as usize / 5,
    });
    Draft {
        version: 1,
        title: around.title,
        answer: around.answer,
        summary: around.summary,
        sections,
        conclusion: around.conclusion,
        notes: Vec::new(),
    }
}

/// The texts of the sources as citations are held against them.
static TEXTS: LazyLock<BTreeMap<u32, SourceText<'static>>> = LazyLock::new(|| {
    let readings = LIBRARY.readings.iter();
    let text = |reading: &'static Reading| {
        SourceText::new(&reading.document.text, reading.document.language())
    };
    readings
        .map(|reading| (reading.source.0, text(reading)))
        .collect()
});

/// Holds every sentence of a draft against the sources.
pub fn check(draft: &Draft) -> CitationCheck {
    let sources = &*TEXTS;
    let mut check = CitationCheck::default();
    for (place, text) in draft.texts() {
        let found = citation::check_text(
            text,
            fathom_evidence::Language::ENGLISH,
            sources,
            &citation::CitationSettings::default(),
        );
        for (claim, checked) in found {
            if claim.stated == Stated::Fact || !claim.citations.is_empty() {
                check.claims.push(CheckedClaim {
                    place: place.clone(),
                    text: claim.text,
                    cites: claim.citations.iter().map(|c| SourceId(c.id)).collect(),
                    support: checked.support,
                    reasons: checked.reasons,
                    proofs: Vec::new(),
                    judged: None,
                });
            }
        }
    }
    check
}
