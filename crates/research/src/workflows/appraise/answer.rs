//! One question at a time: a person's answer first, then counts, phrases and what follows from them; else it stays open.

use fathom_render::appraisal::{
    AnsweredBy, AnsweredQuestion, AppraisalQuote, Judgement, ReplacedAnswer,
};

use fathom_evidence::quote::{self, QuoteSettings};

use super::derived::{self, DerivedAnswer, DerivedFrom};
use super::nodes::OpenDocuments;
use super::numbers::ParticipantFlow;
use super::opinion::AskedModel;
use super::phrases;
use super::state::{DocumentRole, State};
use crate::rob2::{Answers, Domain, Effect, SignalAnswer, SignallingQuestion, judge};

/// Answers with what a model said, where there is one, and with rules.
pub(super) struct AnswerRules<'a> {
    state: &'a State,
    opened: &'a OpenDocuments,
    asked: &'a AskedModel,
    people: PeopleHeard,
    flow: ParticipantFlow,
}

/// Whether people's answers count: a judgement is also made without them, to be kept beside the one with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeopleHeard {
    Yes,
    No,
}

impl<'a> AnswerRules<'a> {
    pub(super) fn new(
        state: &'a State,
        opened: &'a OpenDocuments,
        asked: &'a AskedModel,
        people: PeopleHeard,
    ) -> Self {
        Self {
            state,
            opened,
            asked,
            people,
            flow: ParticipantFlow::read(&opened.article.article),
        }
    }

    /// The answer to a question, given those before it.
    pub(super) fn answer(
        &self,
        question: &SignallingQuestion,
        answers: &Answers,
    ) -> AnsweredQuestion {
        let found = if question.is_open(answers) {
            let said = self.said(question, answers);
            said.unwrap_or_else(|| self.proven(question, answers))
        } else {
            AnsweredQuestion {
                answer: SignalAnswer::NotApplicable,
                by: AnsweredBy::Closed,
                rationale: "An earlier answer closed the question.".to_owned(),
                ..unanswered(question)
            }
        };
        match self.people {
            PeopleHeard::Yes => given(self.state, found),
            PeopleHeard::No => found,
        }
    }

    /// What the model said with proof. Where it has no information, the rules are asked; where they have none either, that
    /// is its answer.
    fn said(&self, question: &SignallingQuestion, answers: &Answers) -> Option<AnsweredQuestion> {
        let by = self.asked.by.as_ref()?;
        let opinion = self
            .asked
            .opinions
            .iter()
            .find(|one| one.id == question.id)?;
        let quote = opinion.quote.as_ref().and_then(|words| self.found(words));
        let answered = AnsweredQuestion {
            answer: opinion.answer,
            by: AnsweredBy::Model(by.clone()),
            rationale: opinion.why.clone(),
            quotes: quote.into_iter().collect(),
            ..unanswered(question)
        };
        match opinion.answer {
            SignalAnswer::NoInformation | SignalAnswer::NotApplicable => {
                let by_rules = self.proven(question, answers);
                (by_rules.by == AnsweredBy::Nobody).then_some(AnsweredQuestion {
                    answer: SignalAnswer::NoInformation,
                    ..answered
                })
            }
            SignalAnswer::Yes
            | SignalAnswer::ProbablyYes
            | SignalAnswer::ProbablyNo
            | SignalAnswer::No => (!answered.quotes.is_empty()).then_some(answered),
        }
    }

    /// Where the report has these words.
    fn found(&self, words: &str) -> Option<AppraisalQuote> {
        self.opened.all().find_map(|one| {
            let document = &one.document;
            let found = quote::find(&document.text, words, &QuoteSettings::default())?;
            let within = one.article.sentences.iter();
            let sentence = within.rev().find(|one| one.span.start <= found.span.start);
            Some(AppraisalQuote {
                text: document.at(found.span)?.to_owned(),
                span: found.span,
                page: document.page_at(found.span.start),
                section: sentence.and_then(|one| one.section.clone()),
                from_protocol: one.role == DocumentRole::Protocol,
                relaxed: false,
            })
        })
    }

    fn proven(&self, question: &SignallingQuestion, answers: &Answers) -> AnsweredQuestion {
        let from = DerivedFrom {
            article: &self.opened.article.article,
            protocol: self.opened.protocol.as_ref().map(|one| &one.article),
            flow: &self.flow,
            outcome: self.state.input.outcome.as_deref(),
            answers,
        };
        let (effect, id) = (self.state.input.effect, question.id);
        let validated = self.validated_sentences(id);
        let derived = derived::first(id, &from).or_else(|| {
            let mut places: Vec<usize> = validated.iter().map(|(at, _)| *at).collect();
            if id == "4.1" {
                places.splice(0..0, derived::on_outcome(&from));
            }
            let proven = phrases::prove(id, effect, from.article, &places);
            let proven = proven.filter(|one| match id {
                "4.1" => derived::is_on_outcome(&from, one),
                "4.3" => !derived::is_on_others(&from, one),
                _ => true,
            });
            let proven = proven.or_else(|| derived::afterwards(id, &from));
            proven.map(DerivedAnswer::from)
        });
        let Some(DerivedAnswer {
            proven,
            protocol_sentence,
        }) = derived
        else {
            return self.left_open(question);
        };
        let relaxed = |at: usize| {
            validated
                .iter()
                .any(|(one, relaxed)| *one == at && *relaxed)
        };
        let quote = |at: &usize| {
            Some(AppraisalQuote {
                relaxed: relaxed(*at),
                ..self.quote(DocumentRole::Article, *at)?
            })
        };
        let planned = protocol_sentence.and_then(|at| self.quote(DocumentRole::Protocol, at));
        AnsweredQuestion {
            answer: proven.answer,
            by: match proven.answer {
                SignalAnswer::NoInformation => AnsweredBy::Nobody,
                _ => AnsweredBy::Rules,
            },
            rationale: proven.why,
            quotes: proven
                .sentences
                .iter()
                .filter_map(quote)
                .chain(planned)
                .collect(),
            ..unanswered(question)
        }
    }

    /// A question that nobody can answer from the report.
    fn left_open(&self, question: &SignallingQuestion) -> AnsweredQuestion {
        let mut open = unanswered(question);
        if self.asked.by.is_some() {
            open.rationale =
                "Neither the model nor a rule found a sentence that answers this.".to_owned();
        }
        open
    }

    fn quote(&self, role: DocumentRole, sentence: usize) -> Option<AppraisalQuote> {
        let document = self.opened.get(role)?;
        document.article.quote(&document.document, role, sentence)
    }

    /// The sentences of the report in the question's accepted evidence, and whether that was accepted under relaxed rules.
    fn validated_sentences(&self, id: &str) -> Vec<(usize, bool)> {
        let own = self.state.evidence.iter().filter(|one| {
            one.accepted
                && one.candidate.question == id
                && one.candidate.source == DocumentRole::Article.source()
        });
        let sentences = own.flat_map(|one| {
            let within = self.opened.article.article.within(one.candidate.span);
            within.map(|at| (at, one.relaxed))
        });
        sentences.collect()
    }
}

fn unanswered(question: &SignallingQuestion) -> AnsweredQuestion {
    AnsweredQuestion {
        id: question.id.to_owned(),
        question: question.text.to_owned(),
        answer: SignalAnswer::NoInformation,
        by: AnsweredBy::Nobody,
        rationale: "No rule found a sentence that answers this.".to_owned(),
        quotes: Vec::new(),
        replaced: None,
    }
}

/// People's answers in place of the one that was found, which is kept beside them.
fn given(state: &State, found: AnsweredQuestion) -> AnsweredQuestion {
    let own = state
        .given_answers()
        .filter(|given| given.question == found.id);
    own.fold(found.clone(), |before, given| {
        let why = match given.why.trim() {
            "" => "No reason was given.",
            why => why,
        };
        AnsweredQuestion {
            answer: given.answer,
            by: AnsweredBy::Person(given.by.clone()),
            rationale: why.to_owned(),
            replaced: Some(ReplacedAnswer {
                answer: before.answer,
                by: before.by,
                rationale: before.rationale,
                replaced: before.replaced.map(Box::new),
            }),
            ..found.clone()
        }
    })
}

/// Every judgement that some way of answering the open questions gives, the best first.
pub(super) fn possible(
    domain: Domain,
    effect: Effect,
    answers: &Answers,
    answered: &[AnsweredQuestion],
) -> Vec<Judgement> {
    // A question that an open one closed may be opened by its answer, so closed ones count as open too: where a proven
    // answer closed them, the algorithm never reads them.
    let mut ways = vec![answers.clone()];
    for one in answered {
        let with_each = |way: &Answers| {
            let further = [
                SignalAnswer::Yes,
                SignalAnswer::No,
                SignalAnswer::NoInformation,
            ];
            further.map(|answer| {
                let mut way = way.clone();
                way.set(&one.id, answer);
                way
            })
        };
        match one.by {
            AnsweredBy::Nobody | AnsweredBy::Closed => {
                ways = ways.iter().flat_map(with_each).collect();
            }
            AnsweredBy::Rules | AnsweredBy::Model(_) | AnsweredBy::Person(_) => {}
        }
    }
    let judged = ways.iter().map(|way| judge(domain, effect, way).judgement);
    let mut all: Vec<Judgement> = judged.collect();
    all.sort_unstable();
    all.dedup();
    all
}
