//! Measures the passages, and says why they are searched for once more where they fall short.

use fathom_render::answer::Assessment;
use fathom_workflow::NodeResult;
use fathom_workflow::event::Level;

use super::StageTimer;
use crate::reasoner::Ctx;
use crate::workflows::ask::assessment::{self, AssessedQuestion};
use crate::workflows::ask::state::{AskChange, AskState};

pub(crate) async fn assess(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let timer = StageTimer::start();
    let words = state.words();
    let question = AssessedQuestion {
        words: &words,
        kind: state.kind(),
        language: state.language(),
    };
    let assessment = assessment::assess(&question, &state.ranked, &state.settings);
    ctx.log(Level::Info, told(&assessment, state.assessments.is_empty()));
    timer.finish(ctx, AskChange::Assessed(assessment)).await
}

fn told(assessment: &Assessment, first: bool) -> String {
    let Assessment {
        quality,
        coverage,
        relevance,
        results,
        below,
    } = assessment;
    let short: Vec<String> = below
        .iter()
        .map(|one| format!("{:?} {:.2} < {:.2}", one.measure, one.value, one.wanted).to_lowercase())
        .collect();
    let then = match (below.is_empty(), first) {
        (true, _) => "good enough".to_owned(),
        (false, true) => format!("searching once more because of {}", short.join(", ")),
        (false, false) => format!("still poor ({}), answering with it", short.join(", ")),
    };
    format!(
        "quality {quality:.2}, coverage {coverage:.2}, relevance {relevance:.2}, {results} results: {then}"
    )
}
