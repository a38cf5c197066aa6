//! Reads the example library and takes a question through all judgements, as a run does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fathom_evidence::citation::{self, SourceText};
use fathom_evidence::claim::Stated;
use fathom_evidence::extract::{self, Hint};
use fathom_research::analysis::Analysis;
use fathom_research::citations::{CheckedClaim, CitationCheck};
use fathom_research::critique::Opinion;
use fathom_research::draft::{Draft, Section};
use fathom_research::locate::{Located, Reading, locate};
use fathom_research::plan::{Kind, Plan};
use fathom_research::reasoner::extractive::{analyse, frame, plan, review, write_section};
use fathom_research::reasoner::{AnalyseTask, FrameTask, PlanTask, ReviewTask, SectionTask};
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
    pub plan: Plan,
    pub located: Located,
    pub analysis: Analysis,
    pub draft: Draft,
    pub check: CitationCheck,
    pub opinion: Opinion,
}

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

impl Library {
    pub fn read() -> Self {
        let folder = folder().join("street-trees");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let mut library = Self {
            names: Vec::new(),
            readings: Vec::new(),
            sources: Vec::new(),
        };
        for (number, path) in (1..).zip(paths) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let hint = Hint {
                file_name: Some(&name),
                ..Hint::default()
            };
            let document = extract::read(&std::fs::read(&path).unwrap(), &hint).unwrap();
            let id = SourceId(number);
            library.sources.push(Arc::new(source(id, &name, &document)));
            library.readings.push(Reading::new(id, document));
            library.names.push(name);
        }
        library
    }

    pub fn source(&self, name: &str) -> SourceId {
        let at = self.names.iter().position(|known| known == name);
        SourceId(u32::try_from(at.expect(name)).unwrap() + 1)
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
        kind: Kind::Local,
        location: name.to_owned(),
        about,
        found_by: Vec::new(),
        relevance: 1.0,
        quality: 0.5,
        snapshot: Some(Snapshot {
            text: BlobHash::of(document.text.as_bytes()),
            shape: BlobHash::of(b""),
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
    Question::parse(text, date(2026, 11, 16)).unwrap()
}

/// Takes a question from its plan to a reviewed draft.
pub fn run(library: &Library, question: &Question) -> Outcome {
    let settings = Settings::default();
    let plan = plan(&PlanTask {
        question,
        settings: &settings,
        kinds: &[Kind::Local],
        feedback: None,
        faults: &[],
    });
    let located = locate(question, &plan, &library.readings, &settings.evidence);
    let analysis = analyse(&AnalyseTask {
        settings: &settings,
        question,
        plan: &plan,
        sources: &library.sources,
        evidence: &located.evidence,
        contradictions: &located.contradictions,
        language: located.language,
    });
    let draft = draft(library, question, &plan, &located, &analysis);
    let check = check(library, &draft);
    let opinion = review(&ReviewTask {
        question,
        plan: &plan,
        settings: &settings,
        draft: &draft,
        check: &check,
        analysis: &analysis,
        sources: &library.sources,
        proven: &[],
        language: located.language,
    });
    Outcome {
        plan,
        located,
        analysis,
        draft,
        check,
        opinion,
    }
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
            settings: &Settings::default(),
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
        });
        sections.push(Section {
            title: section.title.clone(),
            answers: section.answers.clone(),
            text,
        });
    }
    let around = frame(&FrameTask {
        settings: &Settings::default(),
        question,
        plan,
        sections: &sections,
        evidence: &located.evidence,
        analysis,
        sources: &library.sources,
        language: located.language,
        degraded: &[],
    });
    Draft {
        version: 1,
        title: around.title,
        summary: around.summary,
        sections,
        conclusion: around.conclusion,
        notes: Vec::new(),
    }
}

/// Holds every sentence of a draft against the sources.
pub fn check(library: &Library, draft: &Draft) -> CitationCheck {
    let mut sources = BTreeMap::new();
    for reading in &library.readings {
        let text = SourceText::new(&reading.document.text, reading.document.language());
        sources.insert(reading.source.0, text);
    }
    let mut check = CitationCheck::default();
    for (place, text) in draft.texts() {
        let found = citation::check_text(
            text,
            fathom_evidence::Language::ENGLISH,
            &sources,
            &citation::Settings::default(),
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
                });
            }
        }
    }
    check
}
