//! Who is taken for whom.

use super::*;

#[test]
fn people_are_told_apart_by_what_is_said_of_them() {
    assert!(GRAMMAR.is_some(), "every pattern can be read");
    use TrialParty::{Assessors, Carers, Participants};
    let none: &[TrialParty] = &[];
    for (sentence, blind, aware) in [
        // The intervention was given before, perhaps by others who knew.
        (
            "the hospital staff caring for postoperative patients was blinded for group allocation.",
            none,
            none,
        ),
        (
            "the hospital staff caring for patients was blinded for group allocation.",
            &[Carers][..],
            none,
        ),
        (
            "another nurse who was unaware of the drug given recorded pulse and pain.",
            &[Assessors],
            none,
        ),
        (
            "the post-operative nursing staff, unaware of the patient's group, recorded pain at fixed intervals.",
            &[Assessors],
            none,
        ),
        (
            "the midwife, unaware of the group, gave the drug and then measured pulse.",
            &[Assessors],
            none,
        ),
        (
            "the midwife, unaware of the group, gave the drug, and the doctor measured pulse.",
            &[Carers],
            none,
        ),
        (
            "the midwife, unaware of the group, gave the drug and pulse was measured hourly.",
            &[Carers],
            none,
        ),
        (
            "data collectors blind to group condition performed follow-up data collection.",
            &[Assessors],
            none,
        ),
        (
            "nurses were blinded to treatment, and pain was recorded daily.",
            &[Carers],
            none,
        ),
        (
            "all injections were performed by the same nonblinded investigator, who tried to keep patients unaware of product allocation.",
            &[Participants],
            &[Carers],
        ),
        (
            "the measures were administered by coordinators who were blinded to group assignment.",
            &[Assessors],
            none,
        ),
        (
            "families were unaware of the trial and the group sizes.",
            none,
            none,
        ),
        (
            "the study was done at two sites, but was not conducted as a blind study.",
            none,
            &[Participants, Carers],
        ),
        (
            "the investigators who carried out the study data analysis were blinded to patients' treatment assignment.",
            none,
            none,
        ),
        (
            "study participants and response assessors were masked to treatment allocation.",
            &[Participants, Assessors],
            none,
        ),
        (
            "all staff engaged in the trial were blinded as to the treatment group of each child, apart from those in the clinic.",
            &[Assessors],
            none,
        ),
        (
            "ctni was measured in the laboratory of our hospital by individuals unaware of the group allocation.",
            &[Assessors],
            none,
        ),
        (
            "staff performing all laboratory tests were blinded to the regimens.",
            &[Assessors],
            none,
        ),
        (
            "participants were not told in advance that there would be homework.",
            none,
            none,
        ),
        (
            "participants were not told in advance that there would be homework assignments.",
            none,
            none,
        ),
        (
            "patients were managed by an observer blinded to group allocation.",
            &[Assessors],
            none,
        ),
        (
            "neither the participants nor the therapists were blinded.",
            none,
            &[Participants, Carers],
        ),
        (
            "patients could not be blinded, but outcome assessors were unaware of the assignment.",
            &[Assessors],
            &[Participants],
        ),
        (
            "participants and instructors could not be blinded to the programme.",
            none,
            &[Participants, Carers],
        ),
        (
            "baseline evaluation was done by a blinded physiotherapist.",
            &[Assessors],
            none,
        ),
        (
            "blinding of participants and personnel was not possible.",
            none,
            &[Participants, Carers],
        ),
        (
            "parents were informed about the purpose of the study.",
            none,
            none,
        ),
        ("a laryngeal mask was placed in all patients.", none, none),
        ("there was no blinded assessment.", none, none),
        (
            "lack of blinded outcome assessment is a limitation of our study.",
            none,
            none,
        ),
        ("the study was done without blinded assessors.", none, none),
        (
            "the study was done without assessors being masked.",
            none,
            none,
        ),
        (
            "blinded assessors had no contact with the therapists.",
            &[Assessors],
            none,
        ),
        (
            "the presence or absence of fistula was assessed by a blinded radiologist.",
            &[Assessors],
            none,
        ),
        (
            "outcomes were measured by a blinded nurse who did not treat the patients.",
            none,
            none,
        ),
        (
            "outcomes were not measured by a blinded nurse.",
            none,
            &[Assessors],
        ),
        ("no assessors were blinded.", none, &[Assessors]),
        ("not all assessors were blinded.", none, none),
        ("it is unclear whether assessors were blinded.", none, none),
        ("assessors should have been blinded.", none, none),
        ("no patients were unblinded.", &[Participants], none),
        ("two patients were unblinded.", none, none),
        ("two (1%) of the patients were unblinded.", none, none),
        (
            "patients were unblinded at the end of the trial.",
            none,
            none,
        ),
        (
            "patients with heart failure were blinded.",
            &[Participants],
            none,
        ),
        ("patients with no allergy were unblinded.", none, none),
        ("the statistician was masked to the groups.", none, none),
    ] {
        for party in [Participants, Carers, Assessors] {
            let expected = match (blind.contains(&party), aware.contains(&party)) {
                (true, false) => Some(false),
                (false, true) => Some(true),
                _ => None,
            };
            assert_eq!(knew(party, sentence), expected, "{party:?}: {sentence}");
        }
    }
}
