//! The signalling questions: their ids as published, their wording our own, and which answers open which question.

use fathom_render::appraisal::{Domain, Effect, SignalAnswer};

use super::Answers;
use SignalAnswer::{No, NoInformation, NotApplicable, ProbablyNo, ProbablyYes, Yes};

/// One question of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignallingQuestion {
    /// As published: `1.1` to `5.3`. Domain 2 uses the same ids for both effects.
    pub id: &'static str,
    /// What it is part of.
    pub domain: Domain,
    /// What it asks.
    pub text: &'static str,
    /// The answers it takes.
    pub options: &'static [SignalAnswer],
    /// When it is asked.
    pub opening: Opening,
}

/// When a question is asked. What is not asked is not applicable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Always.
    Always,
    /// When at least one of the earlier questions has one of its answers.
    Any(&'static [(&'static str, &'static [SignalAnswer])]),
    /// When each of the earlier questions has one of its answers.
    All(&'static [(&'static str, &'static [SignalAnswer])]),
}

impl SignallingQuestion {
    /// Whether earlier answers leave the question to be asked.
    pub fn is_open(&self, answers: &Answers) -> bool {
        let holds = |(id, wanted): &(&str, &[SignalAnswer])| wanted.contains(&answers.get(id));
        match self.opening {
            Opening::Always => true,
            Opening::Any(conditions) => conditions.iter().any(holds),
            Opening::All(conditions) => conditions.iter().all(holds),
        }
    }
}

/// The questions of a domain for an effect, in the order in which they are asked.
pub fn questions(domain: Domain, effect: Effect) -> &'static [SignallingQuestion] {
    match (domain, effect) {
        (Domain::D1, _) => D1,
        (Domain::D2, Effect::Assignment) => D2_ASSIGNMENT,
        (Domain::D2, Effect::Adherence) => D2_ADHERENCE,
        (Domain::D3, _) => D3,
        (Domain::D4, _) => D4,
        (Domain::D5, _) => D5,
    }
}

/// The question of this id.
pub fn question(id: &str, effect: Effect) -> Option<&'static SignallingQuestion> {
    let all = Domain::ALL.into_iter();
    all.flat_map(|domain| questions(domain, effect))
        .find(|question| question.id == id)
}

const ANY: &[SignalAnswer] = &[Yes, ProbablyYes, ProbablyNo, No, NoInformation];
const ANY_IF_ASKED: &[SignalAnswer] = &[
    NotApplicable,
    Yes,
    ProbablyYes,
    ProbablyNo,
    No,
    NoInformation,
];
/// Evidence is there or it is not: the published question has no "no information".
const EVIDENCE: &[SignalAnswer] = &[NotApplicable, Yes, ProbablyYes, ProbablyNo, No];

const YES: &[SignalAnswer] = &[Yes, ProbablyYes];
const NO: &[SignalAnswer] = &[No, ProbablyNo];
const NOT_NO: &[SignalAnswer] = &[Yes, ProbablyYes, NoInformation];
const NOT_YES: &[SignalAnswer] = &[No, ProbablyNo, NoInformation];

const fn always(domain: Domain, id: &'static str, text: &'static str) -> SignallingQuestion {
    SignallingQuestion {
        id,
        domain,
        text,
        options: ANY,
        opening: Opening::Always,
    }
}

const fn then(
    domain: Domain,
    id: &'static str,
    opening: Opening,
    text: &'static str,
) -> SignallingQuestion {
    SignallingQuestion {
        id,
        domain,
        text,
        options: ANY_IF_ASKED,
        opening,
    }
}

const D1: &[SignallingQuestion] = &[
    always(
        Domain::D1,
        "1.1",
        "Was the order of allocation generated at random?",
    ),
    always(
        Domain::D1,
        "1.2",
        "Was the allocation hidden until each participant had been enrolled and assigned?",
    ),
    always(
        Domain::D1,
        "1.3",
        "Do differences between the groups at baseline point to a problem with the randomisation?",
    ),
];

const PARTICIPANTS_AWARE: SignallingQuestion = always(
    Domain::D2,
    "2.1",
    "Did participants know during the trial which intervention they were assigned to?",
);
const CARERS_AWARE: SignallingQuestion = always(
    Domain::D2,
    "2.2",
    "Did carers and those who delivered the interventions know the assignment during the trial?",
);
const EITHER_AWARE: Opening = Opening::Any(&[("2.1", NOT_NO), ("2.2", NOT_NO)]);

const D2_ASSIGNMENT: &[SignallingQuestion] = &[
    PARTICIPANTS_AWARE,
    CARERS_AWARE,
    then(
        Domain::D2,
        "2.3",
        EITHER_AWARE,
        "Were there deviations from the intended intervention that arose because of the trial context?",
    ),
    then(
        Domain::D2,
        "2.4",
        Opening::Any(&[("2.3", YES)]),
        "Were these deviations likely to affect the outcome?",
    ),
    then(
        Domain::D2,
        "2.5",
        Opening::Any(&[("2.4", NOT_NO)]),
        "Were these deviations balanced between the groups?",
    ),
    always(
        Domain::D2,
        "2.6",
        "Did the analysis estimate the effect of assignment in an appropriate way?",
    ),
    then(
        Domain::D2,
        "2.7",
        Opening::Any(&[("2.6", NOT_YES)]),
        "Could it matter much to the result that participants were not analysed in the group they were assigned to?",
    ),
];

const D2_ADHERENCE: &[SignallingQuestion] = &[
    PARTICIPANTS_AWARE,
    CARERS_AWARE,
    then(
        Domain::D2,
        "2.3",
        EITHER_AWARE,
        "Were important interventions outside the protocol balanced between the groups?",
    ),
    SignallingQuestion {
        options: ANY_IF_ASKED,
        ..always(
            Domain::D2,
            "2.4",
            "Was the intervention delivered so incompletely that the outcome could have been affected?",
        )
    },
    SignallingQuestion {
        options: ANY_IF_ASKED,
        ..always(
            Domain::D2,
            "2.5",
            "Did participants depart from their assigned regimen so that the outcome could have been affected?",
        )
    },
    then(
        Domain::D2,
        "2.6",
        Opening::Any(&[("2.3", NOT_YES), ("2.4", NOT_NO), ("2.5", NOT_NO)]),
        "Did the analysis estimate the effect of adhering in an appropriate way?",
    ),
];

const D3: &[SignallingQuestion] = &[
    always(
        Domain::D3,
        "3.1",
        "Was the outcome known for all, or nearly all, participants who were randomised?",
    ),
    SignallingQuestion {
        options: EVIDENCE,
        ..then(
            Domain::D3,
            "3.2",
            Opening::Any(&[("3.1", NOT_YES)]),
            "Is there evidence that the missing data did not bias the result?",
        )
    },
    then(
        Domain::D3,
        "3.3",
        Opening::Any(&[("3.2", NO)]),
        "Could it depend on the true value of the outcome whether it is missing?",
    ),
    then(
        Domain::D3,
        "3.4",
        Opening::Any(&[("3.3", NOT_NO)]),
        "Is it likely that it depended on the true value of the outcome whether it is missing?",
    ),
];

const D4: &[SignallingQuestion] = &[
    always(
        Domain::D4,
        "4.1",
        "Was the outcome measured in an inappropriate way?",
    ),
    always(
        Domain::D4,
        "4.2",
        "Could the outcome have been measured or ascertained differently in the groups?",
    ),
    then(
        Domain::D4,
        "4.3",
        Opening::All(&[("4.1", NOT_YES), ("4.2", NOT_YES)]),
        "Did those who assessed the outcome know which intervention participants received?",
    ),
    then(
        Domain::D4,
        "4.4",
        Opening::Any(&[("4.3", NOT_NO)]),
        "Could that knowledge have influenced the assessment?",
    ),
    then(
        Domain::D4,
        "4.5",
        Opening::Any(&[("4.4", NOT_NO)]),
        "Is it likely that that knowledge influenced the assessment?",
    ),
];

const D5: &[SignallingQuestion] = &[
    always(
        Domain::D5,
        "5.1",
        "Was the result analysed by a plan that was final before unblinded outcome data could be seen?",
    ),
    always(
        Domain::D5,
        "5.2",
        "Was the result probably chosen, for what it shows, from several eligible measurements of the outcome?",
    ),
    always(
        Domain::D5,
        "5.3",
        "Was the result probably chosen, for what it shows, from several eligible analyses of the data?",
    ),
];
