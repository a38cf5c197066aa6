//! Makes the answer of the passages: written by a model from them alone, or the sentences that answer best, quoted.

use std::sync::Arc;

use fathom_evidence::Span;
use fathom_render::answer::Answered;
use fathom_workflow::{NodeError, NodeResult};

use super::{StageTimer, written};
use crate::analysis::{AnsweredVerdict, Evidence};
use crate::plan::{SourceKind, SubQuestionId};
use crate::question::Question;
use crate::reasoner::{AnalyseTask, Ctx, PlanTask, brief};
use crate::skills::locate::excerpt::{self, Excerpts, QuestionWords};
use crate::skills::{mentions, rank};
use crate::source::SourceId;
use crate::workflows::ask::outcome::{AskDraft, AskSentence};
use crate::workflows::ask::state::{AskChange, AskState};

pub(crate) async fn generate(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let mut timer = StageTimer::start();
    let words = state.words();
    let evidence = evidence(state, &words);
    let excerpts = excerpts(state, ctx, &evidence, &words, &mut timer).await?;
    let quoted = quoted(state, &evidence, &excerpts, &words)?;
    let draft = match written::write(state, ctx, &mut timer).await? {
        Some(written) => written,
        None => quoted,
    };
    let answer = draft.answer(state, ctx, &words).await?;
    timer
        .finish(ctx, AskChange::Answered(Arc::new(answer)))
        .await
}

/// The ranked passages as evidence: each is a source of its own, numbered in its rank.
fn evidence(state: &AskState, words: &QuestionWords) -> Vec<Evidence> {
    let numbered = (1..).zip(state.ranked.iter());
    let piece = |(number, passage): (u32, &crate::library::LocalPassage)| Evidence {
        answers: SubQuestionId(0),
        source: SourceId(number),
        span: Span::new(0, passage.text.len()),
        quote: passage.text.clone(),
        sections: passage.sections.clone(),
        page: passage.page,
        confidence: words.covered([&passage.text, &passage.sections.join(" ")]),
        relaxed: false,
    };
    numbered.map(piece).collect()
}

/// The sentences that answer best, chosen as for a report.
async fn excerpts(
    state: &AskState,
    ctx: &Ctx,
    evidence: &[Evidence],
    words: &QuestionWords,
    timer: &mut StageTimer,
) -> Result<Excerpts, NodeError> {
    let language = state.language();
    let titles: Vec<&str> = state.ranked.iter().map(|one| one.title.as_str()).collect();
    let sentences = excerpt::of_passages(evidence, &titles, language);
    let texts: Vec<&str> = sentences.iter().map(|one| one.text.as_str()).collect();
    let most = state.settings.max_encoded_passages;
    let scored = rank::passage_scores(ctx, most, state.text(), &texts).await?;
    let scored = scored.unwrap_or_else(|degradation| {
        timer
            .caveats
            .extend(crate::degradation::sentences(&[degradation], language));
        None
    });
    let meaning = scored.map(|scored| scored.scores);
    let meaning = meaning.as_deref();
    Ok(excerpt::best(
        &sentences,
        meaning,
        words,
        state.kind(),
        language,
    ))
}

/// The answer in the documents' own words, and whether it is one, by the rule of the brief.
fn quoted(
    state: &AskState,
    evidence: &[Evidence],
    excerpts: &Excerpts,
    words: &QuestionWords,
) -> Result<AskDraft, NodeError> {
    let question = Question::parse_short(state.text(), state.question.asked_on)?;
    let plan = brief::plan(&PlanTask {
        question: &question,
        caps: state.settings.caps,
        kinds: &[SourceKind::Local],
        feedback: None,
        faults: &[],
    });
    let mut analysis = brief::analyse(&AnalyseTask {
        question: &question,
        caps: state.settings.caps,
        plan: &plan,
        evidence,
        passages: &[],
        order: &[],
        contradictions: &[],
        excerpts,
        mentions: state.mentions(),
        language: state.language(),
    });
    mentions::tell_spelling(
        &mut analysis,
        state.text(),
        state.language(),
        state.mentions(),
    );
    let sentences = brief::quotes_shown(&analysis, words).map(|quote| AskSentence {
        text: quote.text.clone(),
        quoted: true,
        confirmed: true,
        passages: vec![quote.source],
    });
    Ok(AskDraft {
        sentences: sentences.collect(),
        verdict: analysis.answered.unwrap_or(AnsweredVerdict {
            answered: Answered::Partly,
            reason: String::new(),
        }),
        reasoner: fathom_render::report::EXTRACTIVE.to_owned(),
    })
}
