//! Questions with known answers: those given over real libraries, and two public sets put into the same form.
//!
//! An answer is known by patterns, as in the given questions. A prompt of Evidence Inference is answered by a sentence that
//! an annotator marked, or by the direction of the effect beside the outcome; a question of MuSiQue by its answer's words.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::{Language, sentences};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde::Deserialize;

use super::score::{matches, plain};
use crate::evidence::sets::{lines, read as read_set};

/// The same prompts are drawn every time.
pub(super) const SEED: u64 = 12;

/// Shorter pieces of an annotation, such as "(p = 0.02)", stand in many a text.
const TELLING_WORDS: usize = 5;

/// One question, and how its answer is known.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct TestQuestion {
    pub(super) id: String,
    pub(super) library: String,
    pub(super) kind: String,
    pub(super) language: String,
    pub(super) question: String,
    /// One of these must match; none are needed where there are none.
    pub(super) gold: Vec<String>,
    /// All of these must match.
    #[serde(default)]
    pub(super) gold_all: Vec<String>,
    pub(super) evidence_file: String,
    pub(super) answerable: bool,
    /// Names and texts of a library made for this question; none where the library is a folder.
    #[serde(skip)]
    pub(super) documents: Vec<(String, String)>,
}

pub(super) struct QuestionSets {
    given: Vec<TestQuestion>,
    prompts: Vec<TestQuestion>,
    musique: Vec<TestQuestion>,
}

/// The public sets may be missing; the questions may not.
pub(super) fn read(data: &Path, questions: Option<&Path>) -> Result<QuestionSets> {
    let given = data.join("questions/given.jsonl");
    let given = questions.unwrap_or(&given);
    let text = std::fs::read_to_string(given)
        .with_context(|| format!("{} cannot be read", given.display()))?;
    let if_there = |folder: &str, set: fn(&Path) -> Result<Vec<TestQuestion>>| {
        let is_there = data.join(folder).is_dir();
        if is_there { set(data) } else { Ok(Vec::new()) }
    };
    Ok(QuestionSets {
        given: lines(&text).with_context(|| given.display().to_string())?,
        prompts: if_there("evidence_inference", evidence_inference)?,
        musique: if_there("musique100", musique)?,
    })
}

impl QuestionSets {
    pub(super) fn all(&self) -> impl Iterator<Item = &TestQuestion> {
        let public = self.prompts.iter().chain(&self.musique);
        self.given.iter().chain(public)
    }

    /// Every given question, and so many of the others.
    pub(super) fn sample(&self, prompts: usize, musique: usize) -> Vec<&TestQuestion> {
        let mut chance = StdRng::seed_from_u64(SEED);
        let mut asked: Vec<&TestQuestion> = self.given.iter().collect();
        asked.extend(self.prompts.choose_multiple(&mut chance, prompts));
        asked.extend(self.musique.choose_multiple(&mut chance, musique));
        asked
    }
}

#[derive(Deserialize)]
struct TrialArticle {
    pmcid: String,
    text: String,
}

#[derive(Deserialize)]
struct TrialPrompt {
    prompt_id: String,
    pmcid: String,
    split: String,
    outcome: String,
    intervention: String,
    comparator: String,
    annotations: Vec<TrialAnnotation>,
}

#[derive(Deserialize)]
struct TrialAnnotation {
    label_code: String,
    /// `True` where a second person agreed.
    valid_label: String,
    text: String,
}

/// The prompts of the test split, each over the one report that it is about.
fn evidence_inference(data: &Path) -> Result<Vec<TestQuestion>> {
    let mut text = String::new();
    let file = std::fs::File::open(data.join("evidence_inference/articles.jsonl.gz"))?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let articles: Vec<TrialArticle> = lines(&text)?;
    let mut all = Vec::new();
    for prompt in read_set::<TrialPrompt>(data, "evidence_inference/prompts.jsonl")? {
        let article = articles.iter().find(|one| one.pmcid == prompt.pmcid);
        let (Some(article), "test") = (article, prompt.split.as_str()) else {
            continue;
        };
        let file = format!("PMC{}.txt", prompt.pmcid);
        let intervention = prompt.intervention.trim();
        let (outcome, comparator) = (prompt.outcome.trim(), prompt.comparator.trim());
        all.push(TestQuestion {
            id: format!("prompt-{}", prompt.prompt_id),
            question: format!(
                "What is the effect of {intervention} on {outcome} compared with {comparator}?"
            ),
            gold: prompt.gold(),
            evidence_file: file.clone(),
            documents: vec![(file, article.text.clone())],
            ..of_kind("evidence-inference")
        });
    }
    tellable(all)
}

impl TrialPrompt {
    fn gold(&self) -> Vec<String> {
        let mut gold = Vec::new();
        let outcome = fancy_regex::escape(&plain(&self.outcome)).into_owned();
        for annotation in &self.annotations {
            for span in sentences(&annotation.text, Language::ENGLISH) {
                let sentence = plain(span.of(&annotation.text).unwrap_or_default());
                if sentence.split_whitespace().count() >= TELLING_WORDS {
                    gold.push(fancy_regex::escape(sentence.trim_end_matches('.')).into_owned());
                }
            }
            if annotation.valid_label == "True" {
                let direction = direction(&annotation.label_code);
                gold.push(format!(
                    "{outcome}[^.]{{0,120}}({direction})|({direction})[^.]{{0,120}}{outcome}"
                ));
            }
        }
        gold.sort();
        gold.dedup();
        gold
    }
}

/// How a report words an effect: significantly more, significantly less, or no difference.
fn direction(label_code: &str) -> String {
    let effect = |verbs: &str| {
        let beyond_chance = r"significan|p ?[<=] ?0?\.0";
        format!(
            r"(?<!not )(?<!no )\bsignificant\w* (\w+ ){{0,3}}({verbs})|\b({verbs})[^.]{{0,80}}({beyond_chance})"
        )
    };
    match label_code {
        "1" => effect("increas|higher|greater|more|longer|larger|improv|rose|better"),
        "-1" => effect("decreas|lower|reduc|less|fewer|shorter|smaller|declin|fell"),
        _ => r"\b(no|not|nor|without)\b[^.]{0,40}(significan|differ|effect|chang)|\bsimilar|\bcomparable"
            .to_owned(),
    }
}

#[derive(Deserialize)]
struct MusiqueQuestion {
    id: String,
    question: String,
    answer: String,
    answer_aliases: Vec<String>,
    paragraphs: Vec<MusiqueParagraph>,
}

#[derive(Deserialize)]
struct MusiqueParagraph {
    title: String,
    paragraph_text: String,
    is_supporting: bool,
}

/// Questions that need two to four paragraphs, each over its own twenty.
fn musique(data: &Path) -> Result<Vec<TestQuestion>> {
    let lines: Vec<MusiqueQuestion> = read_set(data, "musique100/musique_train100.jsonl")?;
    let question = |line: MusiqueQuestion| {
        let named = (0..).zip(&line.paragraphs);
        let named = named.map(|(nth, one): (u32, _)| (format!("{nth:02}.md"), one));
        let last = named.clone().filter(|(_, one)| one.is_supporting).last();
        let documents = named
            .clone()
            .map(|(name, one)| (name, format!("# {}\n\n{}\n", one.title, one.paragraph_text)));
        let answers = line.answer_aliases.iter().chain([&line.answer]);
        TestQuestion {
            evidence_file: last.map(|(name, _)| name).unwrap_or_default(),
            documents: documents.collect(),
            gold: answers.map(|answer| whole_words(answer)).collect(),
            id: line.id,
            question: line.question,
            ..of_kind("musique")
        }
    };
    tellable(lines.into_iter().map(question).collect())
}

fn whole_words(answer: &str) -> String {
    let answer = plain(answer);
    format!(r"(?<!\w){}(?!\w)", fancy_regex::escape(&answer))
}

pub(super) fn of_kind(name: &str) -> TestQuestion {
    TestQuestion {
        kind: name.to_owned(),
        library: name.to_owned(),
        language: "en".to_owned(),
        answerable: true,
        ..TestQuestion::default()
    }
}

/// Without patterns that the question itself matches: to repeat a question is no answer.
pub(super) fn tellable(mut all: Vec<TestQuestion>) -> Result<Vec<TestQuestion>> {
    for one in &mut all {
        let asked = plain(&one.question);
        let mut kept = Vec::new();
        for pattern in std::mem::take(&mut one.gold) {
            if !matches(&pattern, &asked)? {
                kept.push(pattern);
            }
        }
        one.gold = kept;
    }
    all.retain(|one| !one.gold.is_empty());
    Ok(all)
}
