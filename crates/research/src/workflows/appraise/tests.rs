//! What the rules make of sentences; whole runs are in `crates/research/tests/appraise`.

mod wording;

use std::sync::Arc;

use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::validate::consistency::{Conflict, ConflictKind, ConflictSide};
use fathom_evidence::validate::relevance::{Relevance, RelevanceVerdict};
use fathom_evidence::validate::retry::{Retry, RetryDecision};
use fathom_evidence::validate::{EvidenceCandidate, Validation, ValidationRules, validate};
use fathom_evidence::{Language, Span};

use super::answer::PeopleHeard;
use super::article::{Article, articles};
use super::nodes::domain::{earlier, judged};
use super::nodes::{OpenDocument, OpenDocuments};
use super::numbers::ParticipantFlow;
use super::opinion::AskedModel;
use super::state::{DocumentRole, State};
use super::*;
use crate::rob2::{Answers, Domain, Effect, SignalAnswer};

fn read(text: &str) -> (fathom_evidence::Document, Article) {
    let hint = FormatHint {
        file_name: Some("trial.md"),
        ..FormatHint::default()
    };
    let document = extract::read(text.as_bytes(), &hint).unwrap();
    let span = articles(&document)[0];
    let article = Article::new(&document, span);
    (document, article)
}

fn answered(id: &str, sentence: &str) -> Option<SignalAnswer> {
    let (_, article) = read(&format!("# A trial\n\n## Methods\n\n{sentence}\n"));
    phrases::prove(id, Effect::Assignment, &article, &[]).map(|proven| proven.answer)
}

#[test]
fn sentences_answer_the_questions_that_they_answer() {
    use SignalAnswer::{No, ProbablyNo, ProbablyYes, Yes};
    for (id, sentence, answer) in [
        (
            "1.1",
            "The sequence was computer-generated in permuted blocks of four.",
            Some(Yes),
        ),
        (
            "1.1",
            "Patients were allocated alternately to the two groups.",
            Some(No),
        ),
        (
            "1.1",
            "Patients were randomised to one of two groups.",
            None,
        ),
        (
            "1.1",
            "Patients with odd record numbers were put into the control group, the others into the diet group.",
            Some(No),
        ),
        (
            "1.1",
            "Children randomised to the drug were further divided by the day of the week of their visit.",
            None,
        ),
        (
            "1.1",
            "Randomisation occurred in a block size of 4.",
            Some(Yes),
        ),
        (
            "1.2",
            "The order was placed in identical envelopes numbered 1 to 550.",
            Some(Yes),
        ),
        (
            "1.2",
            "Parents allocated to the intervention received four telephone calls.",
            None,
        ),
        (
            "1.2",
            "Sequentially numbered, opaque, sealed envelopes were used.",
            Some(Yes),
        ),
        (
            "1.2",
            "Group assignments were kept in sealed envelopes.",
            Some(ProbablyYes),
        ),
        (
            "1.2",
            "Assignment was by day of the week on which the patient attended.",
            Some(No),
        ),
        (
            "1.3",
            "The groups did not differ in any characteristic at baseline.",
            Some(ProbablyNo),
        ),
        (
            "1.3",
            "At baseline the groups differed: patients given the drug were markedly older at baseline.",
            Some(ProbablyYes),
        ),
        (
            "1.3",
            "We used Student's t test to investigate whether the groups differed at baseline.",
            None,
        ),
        (
            "1.3",
            "The different parameters at baseline and 3 months were analysed.",
            None,
        ),
        (
            "1.3",
            "Patients in the three groups were comparable regarding age, weight and sex.",
            Some(ProbablyNo),
        ),
        (
            "1.3",
            "There were no differences in age and sex between mothers who answered and those who did not.",
            None,
        ),
        ("2.1", "This was a double-blind trial.", Some(No)),
        (
            "2.1",
            "Parasites after treatment failure were indistinguishable from those before.",
            None,
        ),
        (
            "2.1",
            "A double-blind design was considered inappropriate.",
            None,
        ),
        (
            "2.1",
            "Participants randomised to the programs were aware of the allocated arm.",
            Some(Yes),
        ),
        (
            "2.2",
            "The investigators who carried out the data analysis were blinded to treatment assignment.",
            None,
        ),
        (
            "2.1",
            "It was not possible to blind participants to the exercise classes.",
            Some(Yes),
        ),
        (
            "2.1",
            "This was an assessor-blinded trial.",
            Some(ProbablyYes),
        ),
        (
            "2.2",
            "Patients and clinicians were unaware of the assignment.",
            Some(No),
        ),
        ("2.6", "All analyses were by intention to treat.", Some(Yes)),
        (
            "2.6",
            "The analytical population consisted of all participants who completed treatment.",
            Some(No),
        ),
        (
            "2.6",
            "Only patients who completed all sessions were analysed.",
            Some(No),
        ),
        (
            "3.1",
            "Allocation was concealed until all participants had completed the study.",
            None,
        ),
        (
            "3.1",
            "Considering a drop-out rate of about 10%, 250 individuals were required.",
            None,
        ),
        ("3.1", "Patient attrition was 8%.", Some(No)),
        (
            "3.1",
            "The adjusted means and 95% CIs at follow-up are presented in Table 2.",
            None,
        ),
        (
            "4.1",
            "Patients with abnormal laboratory findings were excluded.",
            None,
        ),
        (
            "4.1",
            "The index is similar to another one, which is not validated for a week.",
            None,
        ),
        (
            "4.3",
            "Outcomes were measured by assessors who were masked to allocation.",
            Some(No),
        ),
        ("4.3", "Assessors were not blinded.", Some(Yes)),
        (
            "4.3",
            "The enzyme was measured in our laboratory by individuals unaware of the group allocation.",
            Some(No),
        ),
        ("1.2", "Unnumbered envelopes held the assignments.", None),
        ("1.2", "Envelopes were sealed but unnumbered.", None),
        (
            "1.2",
            "Non-opaque, sealed envelopes held the assignments.",
            Some(No),
        ),
        ("1.2", "The envelopes were not opaque.", Some(No)),
        (
            "1.2",
            "The envelopes were sealed but not sequentially numbered.",
            None,
        ),
        (
            "1.2",
            "Sealed, non-transparent envelopes were used.",
            Some(ProbablyYes),
        ),
        ("2.1", "The trial was not double-blind.", None),
        (
            "2.1",
            "No matching placebo was available for this trial.",
            None,
        ),
        (
            "2.1",
            "No patients were unblinded during the trial.",
            Some(No),
        ),
        (
            "2.1",
            "Two patients were unblinded for adverse events.",
            None,
        ),
        ("2.1", "Two patients were unblinded.", None),
        (
            "3.1",
            "Outcome data were available for 98 % of the participants.",
            Some(Yes),
        ),
        ("3.1", "Every participant completed the trial.", Some(Yes)),
        ("3.1", "Not every participant completed the trial.", None),
        (
            "3.1",
            "Outcome data at baseline were available for 98 % of the participants.",
            None,
        ),
        (
            "3.1",
            "All participants were followed up every 3 months.",
            None,
        ),
        ("4.3", "There was no blinded assessment.", Some(Yes)),
        (
            "4.3",
            "Lack of blinded outcome assessment is a limitation of our study.",
            Some(Yes),
        ),
        (
            "4.3",
            "Lack of assessor blinding is a limitation of our study.",
            Some(Yes),
        ),
        ("4.3", "Assessor blinding was not possible.", None),
        (
            "4.3",
            "As it was impossible to blind patients, an assessor-blind design was used.",
            Some(No),
        ),
        (
            "5.1",
            "The statistical analysis plan was finalised before unblinding.",
            Some(Yes),
        ),
        (
            "5.2",
            "The primary outcome was changed to pain at 4 weeks after the data were seen.",
            Some(ProbablyYes),
        ),
        (
            "5.2",
            "There were no changes to the outcomes after the trial began.",
            Some(ProbablyNo),
        ),
    ] {
        assert_eq!(answered(id, sentence), answer, "{id}: {sentence}");
    }
}

#[test]
fn only_a_group_without_treatment_has_nothing_to_hide() {
    let knew = |sentence: &str| {
        let (_, article) = read(&format!("# A trial\n\n## Methods\n\n{sentence}\n"));
        let from = derived::DerivedFrom {
            article: &article,
            protocol: None,
            flow: &ParticipantFlow::default(),
            outcome: None,
            answers: &Answers::default(),
        };
        derived::afterwards("2.1", &from).map(|proven| proven.answer)
    };
    assert_eq!(knew("The control group had no significant change."), None);
    assert_eq!(knew("The control group received no benefit."), None);
    let disguised = "Adults were given a drug, a placebo, or no treatment. Doctors were blinded.";
    assert_eq!(knew(disguised), None);
    for told in [
        "The control group received no treatment.",
        "Control participants were given no active intervention.",
        "The control group received usual care.",
        "Adults were randomised to the course or a waiting list. Researchers were blinded.",
        "Adults were assigned to the course or to receive no intervention. Testers were blinded.",
    ] {
        assert_eq!(knew(told), Some(SignalAnswer::ProbablyYes), "{told}");
    }
}

#[test]
fn a_question_that_the_report_answers_both_ways_stays_open_with_both_quotes() {
    let (_, article) = read(
        "# A trial\n\n## Methods\n\nThis was an open-label trial. The placebo tablets were identical in appearance.\n",
    );
    let proven = phrases::prove("2.1", Effect::Assignment, &article, &[]).unwrap();
    assert_eq!(proven.answer, SignalAnswer::NoInformation);
    assert_eq!(proven.sentences.len(), 2);
}

#[test]
fn what_other_trials_did_answers_nothing() {
    let (_, article) = read(
        "# A trial\n\n## Introduction\n\nEarlier trials used sealed opaque envelopes.\n\n## Methods\n\nPatients were randomised.\n\n\
         ## Discussion\n\nSmith used a computer-generated list. In this trial the allocation was not concealed.\n",
    );
    let prove = |id| phrases::prove(id, Effect::Assignment, &article, &[]);
    assert_eq!(prove("1.1"), None);
    assert_eq!(
        prove("1.2").map(|proven| proven.answer),
        Some(SignalAnswer::No)
    );
}

#[test]
fn participants_are_counted() {
    let (_, article) = read(
        "# A trial\n\n## Results\n\nBetween May and June, 240 adults aged 65 years or over were randomised. At 12 weeks, 4 of \
         120 participants in the exercise group and 30 of 120 in the control group were lost to follow-up.\n",
    );
    let flow = ParticipantFlow::read(&article);
    assert_eq!(flow.randomised.map(|count| count.number), Some(240));
    let arms: Vec<(&str, u64, u64)> = flow
        .arms
        .iter()
        .map(|arm| (arm.name.as_str(), arm.lost, arm.of))
        .collect();
    assert_eq!(arms, [("exercise", 4, 120), ("control", 30, 120)]);
    let missing = flow.missing().unwrap();
    assert_eq!((missing.missing, missing.of), (34, 240));
    assert!((flow.arms_differ_by().unwrap() - 26.0 / 120.0).abs() < 1e-9);
}

fn flow(sentences: &str) -> ParticipantFlow {
    ParticipantFlow::read(&read(&format!("# A trial\n\n## Results\n\n{sentences}\n")).1)
}

#[test]
fn a_count_of_some_is_not_taken_for_a_count_of_all() {
    let randomised = |text: &str| flow(text).randomised.map(|count| count.number);
    let year = "Between January 2002 and January 2005, 86 patients were randomized.";
    assert_eq!(randomised(year), Some(86));
    assert_eq!(
        randomised("A total of 1,929 adults were randomised."),
        Some(1_929)
    );
    let written = "One thousand two hundred patients were randomised.";
    assert_eq!(randomised(written), Some(1_200));
    let nobody = "86 patients were randomised. No one was lost to follow-up.";
    assert_eq!(flow(nobody).lost, None);
    let arms = "Of these, 133 were randomized to nateglinide and 129 to gliclazide.";
    assert_eq!(randomised(arms), None);
    let planned = "Even if we had randomised 920 participants as planned, nothing would differ.";
    assert_eq!(randomised(planned), None);
    let session =
        "283 students were randomised. Of the 19 who logged in, 4 did not complete any session.";
    assert_eq!(flow(session).missing(), None);
    let some = flow("86 patients were randomised. At one centre, 3 patients withdrew.");
    assert!(
        some.missing().unwrap().at_least,
        "others may have left elsewhere"
    );
    let all = flow("140 subjects were randomised. The 131 subjects analysed were alike.");
    let all = all.missing().unwrap();
    assert_eq!((all.missing, all.of, all.at_least), (9, 140, false));
    let written = flow("Sixty-three patients were recruited. Sixty patients completed the study.");
    assert_eq!(
        written.missing().map(|all| (all.missing, all.of)),
        Some((3, 63))
    );
    let by_arm = flow(
        "Fifty-four patients were randomized. Nine and seven participants were unavailable for analysis in the new and old groups.",
    );
    assert_eq!(by_arm.lost.map(|lost| lost.number), Some(16));
    let department =
        "Fifty-eight patients treated here between January 2014 and December 2014 were randomized.";
    assert_eq!(randomised(department), Some(58));
    let one_arm =
        flow("70 patients were randomised. In the stent group, 34 cases completed the study.");
    assert_eq!(one_arm.analysed, None);
}

#[test]
fn what_people_answered_in_earlier_domains_is_left_out_of_the_judgement_before_it() {
    let (document, article) = read(
        "# A trial\n\n## Methods\n\nAdults were randomised. The primary outcome was pain by questionnaire.\n",
    );
    let opened = OpenDocuments {
        article: OpenDocument {
            role: DocumentRole::Article,
            document: Arc::new(document),
            article,
        },
        protocol: None,
    };
    let input = serde_json::json!({
        "document": "trial.md",
        "answers": [{ "question": "2.1", "answer": "Y", "by": "Ada" }],
    });
    let mut state = State::new(serde_json::from_value(input).unwrap());
    for domain in [Domain::D1, Domain::D2, Domain::D3] {
        let asked = AskedModel::default();
        let judged = judged(&state, &opened, &asked, domain);
        state.domains.push(judged);
        state.asked.push(asked);
    }
    let known = |people| earlier(&state, &opened, Domain::D4, people).get("2.1");
    assert_eq!(known(PeopleHeard::Yes), SignalAnswer::Yes);
    assert_eq!(known(PeopleHeard::No), SignalAnswer::NoInformation);
}

#[test]
fn documents_that_are_no_trial_reports_are_told_with_what_they_look_like() {
    let refused = |text: &str| {
        let (document, article) = read(text);
        design::refusal(&article, document.about.title.as_deref()).map(|refusal| refusal.why)
    };
    let review = refused(
        "# Exercise for sleep: a systematic review\n\n## Methods\n\nWe searched MEDLINE and Embase databases. Trials in which patients were \
         randomised were included.\n",
    );
    assert!(review.unwrap().contains("systematic review"));
    let cohort = refused(
        "# Sleep and walking\n\n## Abstract\n\nThis was a prospective cohort study of 400 adults.\n",
    );
    assert!(cohort.unwrap().contains("cohort study"));
    let protocol = refused(
        "# Walking for sleep: study protocol\n\n## Methods\n\nAdults will be randomised to two groups. They will receive advice. \
         Sleep will be measured. Data will be analysed by assignment.\n",
    );
    assert!(protocol.unwrap().contains("--protocol"));
    let other = refused("# Bread\n\nKnead the dough for ten minutes and let it rise.\n");
    assert!(other.unwrap().contains("no sentence says"));
    let trial = refused(
        "# A randomised trial of walking\n\n## Methods\n\nAdults were randomised to two groups.\n",
    );
    assert_eq!(trial, None);
    let design = refused(
        "# Vitamin C\n\n## Methods\n\nThe study employed a randomised, single (operator)-blind crossover design.\n",
    );
    assert_eq!(design, None);
}

#[test]
fn a_file_with_two_articles_is_taken_apart() {
    let article = |name: &str| {
        format!(
            "# {name}\n\n## Abstract\n\nShort.\n\n## Methods\n\nAdults were randomised.\n\n## Results\n\nSome.\n\n## References\n\n1. A.\n\n"
        )
    };
    let text = format!("{}{}", article("First"), article("Second"));
    let document = extract::read(
        text.as_bytes(),
        &FormatHint {
            file_name: Some("a.md"),
            ..FormatHint::default()
        },
    )
    .unwrap();
    let spans = articles(&document);
    assert_eq!(spans.len(), 2, "{spans:?}");
    assert!(document.at(spans[1]).unwrap().contains("randomised"));
}

/// What validation says of one question that has its evidence, with or without a conflict in it.
fn validation(in_conflict: bool) -> Validation {
    let quote = "Placebo was identical in appearance.";
    let span = Span::new(0, quote.len());
    let side = ConflictSide {
        source: "article".to_owned(),
        span,
        quote: quote.to_owned(),
    };
    let conflict = Conflict {
        difference: ConflictKind::Denied,
        left: side.clone(),
        right: side,
    };
    let candidate = EvidenceCandidate {
        question: "2.1".to_owned(),
        source: "article".to_owned(),
        span,
        passage: quote.to_owned(),
        verdict: RelevanceVerdict {
            label: Relevance::Direct,
            confidence: 0.9,
            quote: Some(quote.to_owned()),
        },
    };
    let rules = ValidationRules::default();
    let text = |_: &str| Some(quote);
    let asked = ["2.1".to_owned()];
    let mut found = validate(&asked, &[candidate], text, Language::ENGLISH, &rules);
    found.conflicts = in_conflict.then_some(conflict).into_iter().collect();
    found
}

#[test]
fn retry_on_consistency_failure_recovers() {
    let mut retry = Retry::default();
    let first = retry.decide(&validation(true));
    let RetryDecision::Retry {
        failed_questions, ..
    } = first
    else {
        panic!("{first:?}");
    };
    assert_eq!(
        failed_questions,
        ["2.1"],
        "the question is complete and fails by its conflict"
    );
    assert_eq!(retry.decide(&validation(false)), RetryDecision::Proceed);
    assert_eq!(retry.validation_retry_log.len(), 1);
}

#[test]
fn retry_budget_used_up_proceeds_marked() {
    let mut retry = Retry::default();
    retry.decide(&validation(true));
    let decision = retry.decide(&validation(true));
    let marked = RetryDecision::ProceedMarked {
        failed_questions: vec!["2.1".to_owned()],
        conflicts: 1,
    };
    assert_eq!(decision, marked);
}
