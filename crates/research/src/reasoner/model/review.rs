//! A review by a model. Its arithmetic is never used.

use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ModelReasoner;
use super::ask::ModelCall;
use super::prompt::{self, cut};
use crate::critique::{ReviewCategory, ReviewOpinion, ReviewRemark, ReviewScores, Severity};
use crate::draft::DraftPlace;
use crate::reasoner::{Ctx, ReasonerError, ReviewTask};

const ITEMS_MOST: usize = 30;

/// Characters of a section that are shown after one, two and three cuts.
const SECTION_CHARS: [usize; 4] = [20_000, 6_000, 2_500, 1_000];

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "review")]
struct ReviewReply {
    accuracy: f64,
    completeness: f64,
    coherence: f64,
    citation: f64,
    methodology: f64,
    style: f64,
    #[schemars(length(max = 12))]
    items: Vec<ReplyItem>,
    #[schemars(length(max = 400))]
    summary: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyItem {
    category: ReplyCategory,
    severity: ReplySeverity,
    #[schemars(length(max = 100))]
    place: String,
    #[schemars(length(max = 300))]
    description: String,
    #[schemars(length(max = 300))]
    fix: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplyCategory {
    Accuracy,
    Completeness,
    Coherence,
    Citation,
    Methodology,
    Style,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplySeverity {
    Critical,
    Major,
    Minor,
    Suggestion,
}

pub(super) async fn review(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &ReviewTask<'_>,
) -> Result<ReviewOpinion, ReasonerError> {
    let counts = task.check.counts();
    let known: Vec<&str> = task
        .known
        .iter()
        .map(|item| item.description.as_str())
        .collect();
    let sub_questions: Vec<&str> = task
        .plan
        .sub_questions
        .iter()
        .map(|sub| &*sub.text)
        .collect();
    let request = |cuts: u8| {
        let most = SECTION_CHARS
            .get(usize::from(cuts))
            .copied()
            .unwrap_or_default();
        let sections: Vec<_> = task
            .draft
            .sections
            .iter()
            .map(|section| json!({ "title": section.title, "text": cut(&section.text, most) }))
            .collect();
        let input = json!({
            "question": prompt::plain(task.question.text(), 2_000),
            "style": task.question.style.to_string(),
            "target_length": task.target_length,
            "words": task.draft.words(),
            "sub_questions": sub_questions,
            "claims": counts.claims,
            "supported": counts.supported,
            "unsupported": counts.unsupported + counts.contradicted,
            "known": known,
            "title": task.draft.title,
            "answer": task.draft.answer,
            "summary": task.draft.summary,
            "sections": sections,
            "conclusion": task.draft.conclusion,
        });
        prompt::request("review", &input)
    };
    let asking = ModelCall {
        role: ModelRole::Reviewer,
        key: "review".to_owned(),
        caps: &task.caps,
    };
    let reply: ReviewReply = model.typed(ctx, &asking, request).await?;
    Ok(opinion(reply, task.draft.sections.len()))
}

fn opinion(reply: ReviewReply, sections: usize) -> ReviewOpinion {
    let items = reply
        .items
        .into_iter()
        .take(ITEMS_MOST)
        .map(|item| ReviewRemark {
            category: item.category.into(),
            severity: item.severity.into(),
            place: place(&item.place, sections),
            description: item.description,
            fix: item.fix.filter(|fix| !fix.trim().is_empty()),
            proven: false,
        });
    ReviewOpinion {
        scores: ReviewScores {
            accuracy: reply.accuracy,
            completeness: reply.completeness,
            coherence: reply.coherence,
            citation: reply.citation,
            methodology: reply.methodology,
            style: reply.style,
        },
        items: items.collect(),
        summary: reply.summary,
    }
}

/// The place that a model means; the whole where it cannot be told.
fn place(word: &str, sections: usize) -> DraftPlace {
    let word = word.trim().to_lowercase();
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let number = digits
        .parse::<usize>()
        .ok()
        .filter(|number| (1..=sections).contains(number));
    match (word.as_str(), number) {
        ("answer", _) => DraftPlace::Answer,
        ("summary", _) => DraftPlace::Summary,
        ("conclusion", _) => DraftPlace::Conclusion,
        ("title", _) => DraftPlace::Title,
        (_, Some(number)) => DraftPlace::Section(number - 1),
        (_, None) => DraftPlace::Whole,
    }
}

impl From<ReplyCategory> for ReviewCategory {
    fn from(category: ReplyCategory) -> Self {
        match category {
            ReplyCategory::Accuracy => Self::Accuracy,
            ReplyCategory::Completeness => Self::Completeness,
            ReplyCategory::Coherence => Self::Coherence,
            ReplyCategory::Citation => Self::Citation,
            ReplyCategory::Methodology => Self::Methodology,
            ReplyCategory::Style => Self::Style,
        }
    }
}

impl From<ReplySeverity> for Severity {
    fn from(severity: ReplySeverity) -> Self {
        match severity {
            ReplySeverity::Critical => Self::Critical,
            ReplySeverity::Major => Self::Major,
            ReplySeverity::Minor => Self::Minor,
            ReplySeverity::Suggestion => Self::Suggestion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_understood_however_a_model_puts_it() {
        assert_eq!(place("Section 2", 3), DraftPlace::Section(1));
        assert_eq!(place("3", 3), DraftPlace::Section(2));
        assert_eq!(place("section 9", 3), DraftPlace::Whole);
        assert_eq!(place(" Summary ", 3), DraftPlace::Summary);
        assert_eq!(place("everywhere", 3), DraftPlace::Whole);
    }
}
