//! Wordings that real reports have and that were once misread, in sentences of our own.

use fathom_render::appraisal::AnsweredQuestion;

use super::*;

#[test]
fn a_sentence_answers_for_those_it_speaks_of_and_no_others() {
    use SignalAnswer::{No, ProbablyNo, ProbablyYes, Yes};
    for (id, sentence, answer) in [
        (
            "1.2",
            "Each site had its next assignment from a web-based randomisation system.",
            Some(Yes),
        ),
        (
            "1.2",
            "Patients were randomised and the ointment was supplied by the hospital pharmacy.",
            None,
        ),
        (
            "4.1",
            "We could have measured pain with a visual analogue scale.",
            None,
        ),
        ("5.1", "The methods stand in the published protocol.", None),
        (
            "1.2",
            "Participants were allocated by an independent pharmacist.",
            Some(ProbablyYes),
        ),
        (
            "1.2",
            "The randomised groups were compared by an independent statistician.",
            None,
        ),
        (
            "1.1",
            "Schools were randomised by a randomisation function in a spreadsheet.",
            Some(Yes),
        ),
        (
            "1.2",
            "Enrolment was done by a nurse who was blinded to the allocation.",
            Some(ProbablyYes),
        ),
        (
            "1.2",
            "The number of people recruited was odd, and researchers were blinded to the allocation.",
            None,
        ),
        (
            "1.3",
            "Response rates at baseline were similar between the groups.",
            None,
        ),
        (
            "1.3",
            "There were no statistical differences between the groups regarding age and sex.",
            Some(ProbablyNo),
        ),
        (
            "1.3",
            "Age and sex were similar in patients and control subjects.",
            None,
        ),
        (
            "2.2",
            "All laboratory staff were blinded to treatment allocation.",
            None,
        ),
        (
            "4.3",
            "All laboratory staff were blinded to treatment allocation.",
            Some(No),
        ),
        (
            "2.6",
            "The intention-to-treat population was everybody who took at least one dose.",
            Some(ProbablyYes),
        ),
        (
            "2.6",
            "Noncompliant patients were excluded from the final analysis.",
            Some(No),
        ),
        (
            "2.6",
            "Results were alike whether the analysis was by intention to treat or of completers.",
            None,
        ),
        (
            "2.6",
            "All participants were included in the analysis regardless of completion of the course.",
            Some(Yes),
        ),
        (
            "2.6",
            "Patients were analysed in the group to which they were assigned, irrespective of the treatment received.",
            Some(Yes),
        ),
        (
            "2.6",
            "Walking helps men with the disease, irrespective of whether or not they smoke.",
            None,
        ),
        (
            "3.1",
            "None was lost to follow-up in the control group.",
            None,
        ),
        (
            "3.1",
            "No patient was lost to follow-up in either group.",
            Some(Yes),
        ),
        (
            "3.1",
            "Data on the primary outcome were available for 52 (78%) patients.",
            Some(No),
        ),
        (
            "3.1",
            "A total of 310 people returned the last questionnaire (72% response).",
            Some(No),
        ),
        (
            "3.1",
            "Three people withdrew, and 32 (91%) cases completed the course.",
            None,
        ),
        (
            "3.1",
            "Complete data were obtained from all patients.",
            Some(Yes),
        ),
        (
            "3.1",
            "Loss to follow-up was uncommon in both groups (2% with the drug, 3% without).",
            Some(Yes),
        ),
        ("3.1", "Loss to follow-up was 2% higher in men.", None),
        (
            "3.2",
            "A missing cost was imputed using the mean of the same item in the same group.",
            None,
        ),
        (
            "4.3",
            "Images were scored under blinded conditions.",
            Some(No),
        ),
        (
            "4.3",
            "Parents were asked by telephone by interviewers who were blinded to allocation.",
            None,
        ),
        (
            "3.3",
            "Twelve people completed the course, and none withdrew because of adverse events.",
            None,
        ),
        (
            "3.3",
            "Two patients withdrew due to headache.",
            Some(ProbablyYes),
        ),
        (
            "3.3",
            "One patient stopped the drug because of a rash and was seen to the end.",
            None,
        ),
    ] {
        assert_eq!(answered(id, sentence), answer, "{id} {sentence}");
    }
}

#[test]
fn denials_limits_and_other_people_answer_nothing_favourable() {
    let table = "\
1.1 No computer randomisation was used.
1.2 Telephone randomisation was not used.
1.2 All recruited patients were blinded to treatment allocation.
1.2 Nurses who recruited patients could not be blinded to the allocation.
1.2 Patients were randomised and interviewed by an independent researcher.
1.2 Patients were not allocated by an independent person.
1.2 Lessons were given by a trainer not involved in teaching the children assigned to the control group.
2.6 Analyses were based on the treatment actually received rather than intention to treat.
3.1 Complete data were obtained from all but 40 patients.
3.1 Complete data were available for all except 30 patients.
3.1 Incomplete data were available for all patients.
3.1 Loss to follow-up was greater than 4%.
3.1 Loss to follow-up was 3% per month.
3.1 Loss to follow-up was 12,4%.
3.2 Results were not consistent after exclusion of drop-outs.
4.3 Treatment had already been given in a blinded manner.
4.3 After baseline assessment, study drug was administered in a blinded fashion.
1.2 Data were analysed by group assignment at the trial coordinating centre.
1.2 This did not prevent staff from predicting the next assignment.
1.2 To avoid bias, women were asked to guess their allocation only when all visits were over.
1.2 To prevent bias, men were asked to predict their own allocation at the last visit.
1.2 Women assigned to the walking group received letters from the study coordinating centre.
1.2 Randomised women were followed up by telephone from the coordinating centre.
1.2 Randomised women were followed up by nurses from the coordinating centre.
1.2 Women were assigned to walk with weekly calls from the coordinating centre.
1.3 Baseline characteristics were not (well) balanced between the two arms.
1.3 Similarly, models had baseline scores, age and sex as covariates.
1.3 Baseline characteristics were similar in the groups, apart from more smokers in one.
1.3 All other baseline factors were comparable between the groups.
1.3 There were no differences in rates of falls between the groups for any baseline weight.
2.6 An additional intention to treat analysis was done with values carried forward.
4.1 The lack of gold standards for measuring habits made many scales necessary.
4.1 There are no validated studies with these scales.
4.1 This dose was tested and has been validated before.
2.1 Adults were assigned to double-blind tablets or open-label tablets.
2.1 It was a double-blind trial for 24 weeks, followed by an open-label extension of five years.
4.2 Lessons were offered at the same time on the same day in both groups.";
    for line in table.lines() {
        let (id, sentence) = line.split_once(' ').unwrap();
        assert_eq!(answered(id, sentence), None, "{line}");
    }
    let still = "\
1.1 A random number table was used, without blocking.
1.2 Nurses who recruited patients were unaware of the allocation.
1.2 Patients were allocated to the groups by an independent pharmacist.
1.2 Randomisation was done by telephone, and the list was not available to staff.
2.6 Analyses were by intention to treat.
3.1 Loss to follow-up was 3%.
3.2 Results were consistent after exclusion of drop-outs.
4.3 Scans were read by two radiologists in a blinded manner.
1.1 A random allocation sequence was generated for each site.
1.2 Boxes were labelled with the patient's number at the trial coordinating centre.
1.2 Blocks of changing size prevented staff from predicting the next assignment.
1.2 Blocks of changing size prevented staff from guessing the next treatment assignment.
1.2 Women were randomly assigned to the two groups by the trial coordinating centre.
1.2 Randomisation was carried out at a data coordinating center.
1.2 Boxes were filled at the study coordinating centre, labelled with a number and sent to the sites.
1.2 The statistician who performed the randomisation was not directly involved in recruitment.
1.3 There were no differences between the two groups in terms of background variables.
1.3 The groups were comparable in sex (women: 85% and 92%; p = 0.7), body weight (98.6 kg and 96.8 kg; p = 0.6) and height.
2.2 A nurse not in the trial prepared the study drug, placed the needle and administered the drug.
2.6 Non-ITT analyses were preferred.
2.6 All patients with at least one follow-up visit were included in the intent-to-treat analysis.
3.1 No drop outs occurred during the study.
3.1 Data were available for 141/215 (65.6%) of one group.
3.1 Of the 62 patients enrolled, 82% (26 of 29 and 25 of 33) completed the study.
3.1 Of the 62 patients enrolled, 82% completed the study.
4.1 Blood samples were analysed using a nuclear platform and mass spectrometry.
4.3 The trial was not blinded.
1.1 Pupils were computer randomised into three groups by a statistician.
1.3 No significant differences were found between the three groups before the intervention.
2.1 There was no technical possibility to blind the type of instrument.
4.1 Saliva samples were analysed in duplicate via an enzyme-linked immunosorbent assay.
5.1 The trial was registered after completion of follow-up.";
    for line in still.lines() {
        let (id, sentence) = line.split_once(' ').unwrap();
        assert!(answered(id, sentence).is_some(), "{line}");
    }
}

#[test]
fn assessors_who_knew_count_however_they_asked() {
    let knew = "Outcomes were assessed by telephone by nurses who were not blinded to allocation.";
    assert_eq!(answered("4.3", knew), Some(SignalAnswer::Yes));
    let both = format!("Outcome assessors were blinded to allocation. {knew}");
    assert_eq!(answered("4.3", &both), Some(SignalAnswer::NoInformation));
}

#[test]
fn results_that_are_discussed_leave_out_other_trials() {
    let others = "In these studies, outcome assessors were blinded to allocation.";
    let (_, article) = read(&format!(
        "# A trial\n\n## Results and discussion\n\n{others}\n"
    ));
    assert_eq!(
        phrases::prove("4.3", Effect::Assignment, &article, &[]),
        None
    );
}

#[test]
fn counts_are_whole_and_of_the_trial_itself() {
    let randomised = |text: &str| flow(text).randomised.map(|count| count.number);
    assert_eq!(
        randomised("A total of 12 092 patients were randomised."),
        Some(12_092)
    );
    let some = "17 patients were enrolled and treated, with 13 patients responding and being randomised to arms A and B.";
    assert_eq!(randomised(some), Some(13));
    let recruited = "143 patients were recruited, and 84 satisfied the selection criteria.";
    assert_eq!(randomised(recruited), None);
    let lost = |text: &str| flow(text).lost.map(|count| count.number);
    assert_eq!(
        lost("40 patients were randomised. Seven patients withdrew in the baseline period."),
        None
    );
    let days = flow("75 adults were randomised. Food records of days 1-3 and 39-41 were analysed.");
    assert_eq!(days.analysed, None);
    let scores =
        flow("60 patients were randomised; mean score was 58 at 4 weeks and 59 at 8 weeks.");
    assert_eq!(scores.analysed, None);
    let visits = flow(
        "Of the 558 patients randomised, 539 were scanned at baseline, 476 at 24 months and 427 at 60 months.",
    );
    let missing = visits.missing().map(|share| (share.missing, share.of));
    assert_eq!(missing, Some((131, 558)));
}

#[test]
fn a_trial_that_says_both_that_it_was_open_and_that_patients_did_not_know_is_left_open() {
    let both =
        "Patients were unaware of their group. The trial was not conducted as a blind study.";
    assert_eq!(answered("2.1", both), Some(SignalAnswer::NoInformation));
}

#[test]
fn numbers_by_arm_in_brackets_add_up_to_the_one_before_them() {
    let some = flow(
        "58 adults with great weight were enrolled. 42 adults completed the study (22 in the drug group and 20 in the control group).",
    );
    let missing = some.missing().map(|share| (share.missing, share.of));
    assert_eq!(missing, Some((16, 58)));
    let of_all = flow(
        "A total of 405 patients were randomised. Thus, 395 of the 405 randomised patients (97.5%) were included in these analyses.",
    );
    let missing = of_all.missing().map(|share| (share.missing, share.of));
    assert_eq!(missing, Some((10, 405)));
}

#[test]
fn a_trial_is_called_what_its_methods_call_it() {
    let (document, article) = read(
        "# Needles for knees\n\n## Methods\n\nAdults were randomised in a single-blind trial.\n\n## Discussion\n\n\
         We know of this trial and of one double-blind study.\n",
    );
    let facts = facts::facts(&document, &article);
    let blinding = facts.iter().find(|fact| fact.name == "blinding").unwrap();
    assert_eq!(blinding.value, "single-blind");
}

#[test]
fn objectives_under_methods_leave_the_methods_open() {
    let (_, article) = read(
        "# A trial\n\n## Methods\n\n### Objectives\n\nWe looked at pain.\n\n### Randomisation\n\nThe list was computer-generated.\n",
    );
    let proven = phrases::prove("1.1", Effect::Assignment, &article, &[]);
    assert_eq!(proven.map(|proven| proven.answer), Some(SignalAnswer::Yes));
}

#[test]
fn manuals_reviews_and_register_entries_are_told_apart() {
    let refused = |text: &str| {
        let (document, article) = read(text);
        design::refusal(&article, document.about.title.as_deref())
    };
    let manual = refused(
        "# The shell\n\n## Options\n\nThe shell will be interactive. Words will be split. The file will be read. Each line will be run. \
         Names will be sought.\n",
    );
    let manual = manual.unwrap();
    assert!(manual.why.contains("no sentence says") && !manual.is_plan);
    let pooled = refused(
        "# Safety of a drug\n\n## Methods\n\nThis pooled analysis of 25 double-blind studies used data of each patient. Patients had been \
         randomised to the drug or placebo.\n\n## Results\n\nIn the pooled population of all 25 studies, events were few.\n",
    );
    assert!(pooled.unwrap().why.contains("several trials together"));
    let review = refused(
        "# A drug for hearts\n\n## Mechanism of action\n\nIt stops clotting.\n\n## Use in hearts\n\nThe RIVER trial was a randomised, double-blind \
         trial in 12 092 patients (Brook 2006).\n\n## Conclusion\n\nIt helps.\n",
    );
    assert!(review.unwrap().why.contains("trials of others"));
    let animals =
        refused("# Bones\n\n## Methods\n\nForty rabbits were randomly divided into two groups.\n");
    assert!(animals.unwrap().why.contains("animals"));
    let animals = refused(
        "# Bones\n\n## Methods\n\nAfter a week, 24 adult male Wistar rats were randomly divided into two groups.\n",
    );
    assert!(animals.unwrap().why.contains("animals"));
    let owners = refused(
        "# Walks\n\n## Methods\n\nAdults who kept dogs were randomly assigned to daily walks or none.\n",
    );
    assert_eq!(owners, None);
    let some_not = refused(
        "# Walks\n\n## Methods\n\nAdults were randomly assigned to two groups. In two adults, randomisation was not performed because they left.\n",
    );
    assert_eq!(some_not, None);
    let in_turn = refused(
        "# Calm\n\n## Methods\n\nWomen were assigned to two groups. Meetings had to be avoided; thus, randomisation was not conducted.\n",
    );
    assert!(in_turn.unwrap().why.contains("not assigned at random"));
    let beside_another = refused(
        "# Calm\n\n## Methods\n\nWomen were put into two groups; thus, randomisation was not conducted.\n\n## Discussion\n\nThis study was done in 90 \
         women who were randomly assigned to three groups.\n",
    );
    let why = beside_another.unwrap().why;
    assert!(why.contains("not assigned at random"));
    let under_heading = refused(
        "# Bones\n\n## Methods\n\nGROUPS: Forty-two rabbits were randomly divided into two groups.\n",
    );
    assert!(under_heading.unwrap().why.contains("animals"));
    let entry = refused(
        "Register entry ACTRN12699000000001\n\nRegistered: 3 February 2019.\n\nPrimary outcome: pain at rest.\n\nSecondary outcomes: falls.\n",
    );
    assert!(entry.unwrap().is_plan);
}

/// The answer of the rules to a question of the fourth domain.
fn on_measurement(text: &str, id: &str) -> AnsweredQuestion {
    let (document, article) = read(text);
    let input = serde_json::json!({ "document": "trial.md" });
    let state = State::new(serde_json::from_value(input).unwrap());
    let opened = OpenDocuments {
        article: OpenDocument {
            role: DocumentRole::Article,
            document: Arc::new(document),
            article,
        },
        protocol: None,
    };
    let domain = judged(&state, &opened, &AskedModel::default(), Domain::D4);
    let mut answers = domain.answers.into_iter();
    answers.find(|one| one.id == id).unwrap()
}

#[test]
fn an_outcome_that_participants_report_is_assessed_by_them() {
    let text = "# A trial\n\n## Methods\n\nAdults were randomised. Outcomes were assessed by a nurse who was blinded to allocation. The primary outcome \
                was self-rated pain; secondary outcomes were weight and walking.\n";
    let answer = on_measurement(text, "4.3");
    assert_eq!(answer.answer, SignalAnswer::NoInformation);
    assert!(answer.rationale.contains("reported the outcome themselves"));
}

#[test]
fn what_is_said_of_other_outcomes_does_not_answer_for_the_primary_one() {
    let assessed = "Afterwards they were assessed by an observer blinded to the device for sore throat, cough, hoarseness and pain.";
    let report = |primary: &str| {
        format!(
            "# A trial\n\n## Methods\n\nAdults were randomised. {assessed} The primary variable was {primary}.\n"
        )
    };
    let others = report("the pressure in the cuff");
    for id in ["4.2", "4.3"] {
        let answer = on_measurement(&others, id).answer;
        assert_eq!(answer, SignalAnswer::NoInformation, "{id}");
    }
    let own = report("soreness of the throat");
    assert_eq!(on_measurement(&own, "4.3").answer, SignalAnswer::No);
    let scale = "Adults were randomised. Weight was measured on a calibrated scale. The primary outcome was";
    let scale = |primary: &str| format!("# A trial\n\n## Methods\n\n{scale} {primary}.\n");
    assert_eq!(
        on_measurement(&scale("the weight at one year"), "4.1").answer,
        SignalAnswer::ProbablyNo
    );
    assert_eq!(
        on_measurement(&scale("the rate of stroke"), "4.1").answer,
        SignalAnswer::NoInformation
    );
    let visits = "# A trial\n\n## Methods\n\nAdults were randomised. The primary outcome was stroke at one-year follow-up. Weight was measured on \
                  a calibrated scale at each follow-up visit in one room.\n";
    assert_eq!(
        on_measurement(visits, "4.1").answer,
        SignalAnswer::NoInformation
    );
}
