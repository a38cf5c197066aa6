//! The patterns by which sentences on blinding are read, over their plain form.

use super::super::patterns::{compiled, pattern_table};

/// Somebody's knowledge, told by a verb or an adjective: 1 the helping verb, 2 a denial, 3 the telling word.
const STATE: &str = r"(?:\b(were|was|are|is|remained|stayed|kept|be|been|being) )?(?:(?:all|both|each|also|fully|completely|therefore|thus|still|kept|deliberately) )*(?:(not) )?(?:(?:all|both|fully|completely|being) )*\b(blinded|masked|unblinded|unmasked|(?:blind|unaware|aware|ignorant) (?:to|of|as to|about|regarding|which)|did not know|had no knowledge|without knowledge|knew|told|informed)\b";
/// A denial before the telling word: "neither … nor … were blinded", "could not be masked".
const DENIED: &str = r"\b(neither|nobody|none|no one)\b|\bno ([a-z-]+ )?(participant|patient|subject|volunteer|child|children|women|men|people|person|individual|clinician|physician|nurse|therapist|carer|caregiver|provider|staff|personnel|assessor|evaluator|observer|rater|examiner|investigator)s?((,| or| nor)[a-z ,-]{0,60})? $|\b(not|never|cannot) (be |been )?$";
/// Words in the clause that leave open what it says: "patients with no allergy", "not all", "whether", "should have been".
/// "No knowledge" is itself a telling word.
const UNSURE: &str = r"\bno [^k]|\b(without|lack of|absence of) ([a-z-]+ ){0,3}$|\b(not (all|every|each)|few|hardly any|if|whether|unless|unclear|unknown|ideally|should|could have|might have|failed to|failure to)\b";
const DENIED_ANYWHERE: &str = r"\b(not|neither|never|cannot|nobody|none|no one)\b";
/// Other words by which a sentence denies or doubts a blinded assessment.
const UNSURE_ANYWHERE: &str = r"\b(lack|absence) of ([a-z-]+ ){0,2}(blind|mask)|\black(s|ed|ing)\b|\b(impossible|infeasible|unfeasible|ideally|should have|failed to|failure to)\b|\bun(clear|known|certain) (whether|if)\b";
/// A denial of what follows it; after a blinded assessment it is of something else: "blinded assessors with no other task".
const DENIED_BEFORE: &str = r"\b(no|without)\b";
/// Some who were unblinded are told because the others were not.
const COUNTED: &str = r"\b([0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|any|some|several)\b[^a-z]*([a-z-]+[^a-z]+){0,6}$|\ban? (participant|patient|subject|child|woman|man) $";
/// Unblinding as an event of the trial, after the word for it.
const UNBLINDING_EVENT: &str = r"^,? (for|because|due|owing|after|at the (end|conclusion|completion)|when|once|in case|in the event|on request|upon|following|prematurely|early|accidentally|inadvertently|during)\b";
/// What was known for a while, or by those who only enrolled, is another matter.
const ONLY_THEN: &str = r"up to th(is|at) point|at th(is|at) (point|time|stage)|until (after )?(they|randomi|allocation|assignment|baseline)";
const ENROLS: &str = r"\b(enrol|recruitment|consent)";
/// The rest of a verb whose last word tells: "could not | be blinded".
const HELPING: &str =
    r"\b(could|can|cannot|would|should|will|may|might|had|have|has|did|do)( not| never| also)? ?$";
/// A verb in a list of people: those before it belong to another clause.
const OTHER_CLAUSE: &str = r"\b(did|does|were|was|had|has|is|are|will|could|can)\b";
/// What the knowledge must be about, where the telling word alone does not say it.
const ASSIGNMENT: &str = r"group|allocat|assign|treatment|intervention|\barms?\b|condition|randomi|placebo|which|technique|procedure|graft|device|\bdrug|medication|solution|regimen|exposure|program";
/// Something else that people are kept from knowing: "unaware of the trial and its hypothesis".
const OTHER_MATTER: &str = r"^ (?:the |this |our |its )?(?:(?:study |trial |research )?(?:purposes?|aims?|objectives?|hypothes[ie]s|questions?|existence)\b|(?:trial|study)(?: and\b|[,.']|$))";
/// The assignment itself, right after a word that may speak of anything.
const OWN_GROUP: &str = r"^(?: (?:of|about|as to|to|in|by))*(?: (?:the|their|his|her|which|what))*(?: (?:treatment|group|study|trial|intervention))* (?:allocation|assignment|group|arm|treatment)\b";
/// A statement with an exception says nothing sure of those who gave the interventions.
const EXCEPTION: &str = r"\b(except|apart from|other than|with the exception)";
const BOUNDARY: &str = r"[.;:]|, (?:but|so|which|although|though) |\b(?:while|whereas|because|although|so that|that|where|to keep|keeping) ";
const NOT_POSSIBLE: &str = r"(?:not (?:possible|feasible|practicable|practical)|impossible|unable) to (?:blind|mask) ([^.;]{3,80})|(?:blinding|masking) of ([^.;]{3,80}?) (?:was|were|is) (?:not (?:possible|feasible|attempted|done)|impossible|unfeasible)";
/// A trial in which nothing was hidden.
const NOT_BLIND: &str = r"\bnot (?:conducted|designed|performed|run|carried out|done|planned) as a (?:blind|blinded|masked) (?:study|trial)|\b(?:study|trial) (?:was|is) not (?:blind|blinded|masked)\b";
const KEPT_FROM: &str = r"(?:blinding|masking) of ([^.;]{3,80}?) (?:was|were) (?:ensured|maintained|achieved|preserved)";
/// Between the verb and the manner stands no other participle, which the manner would belong to.
const BLIND_ASSESSMENT: &str = r"\b(?:blinded|masked) (?:outcome |end-?point |independent |central )*(?:assess|evaluat|rater|examiner|observer|adjudicat|reader|reviewer|reading|interpretation)|(?:\b(?:assessed|evaluated|reviewed|read|scored|graded|measured)\b(?: (?:[^ .,;:]*[^ .,;:dn]|[^ .,;:]*[^ .,;:e][dn]|[^ .,;:]*[^ .,;:kv]en)){0,12}|\b(?:assessment|evaluation|scoring|reading|grading)s? (?:of (?:[a-z-]+ ){1,5})?(?:was|were) (?:done|made|performed|carried out|conducted)) (?:under (?:blinded|blind|masked) conditions|in a (?:blinded|blind|masked) (?:manner|fashion|way))|\bblind (?:outcome |end-?point )?(?:assess|evaluat|rater|examiner|observer)";
const BLINDED_PERSON: &str =
    r"\bby (?:[a-z,-]+ ){0,4}?(un)?(?:blinded|masked) ([a-z]+(?: [a-z]+){0,2})";

/// Where the description of a person begins: "staff | caring for patients".
const DESCRIPTION: &str = r"\b(?:who|that|which|caring|treating|performing|responsible|involved|assessing|evaluating|conducting|collecting|measuring|recording|administering|delivering|analy[sz]ing|interviewing|reading|engaged|randomi[sz]ed|assigned|allocated|receiving|in|to|for|of|with|at|from|on|during)\b";
const ANALYSES: &str = r"analy[sz]|statistic";
const ASSESSES: &str = r"assess|evaluat|measur|outcome|interview|recorded|recording|read(?:s|ing)?\b|scor|rated|rating|graded|collect|examin|adjudicat|interpret|determin";
/// What those who are told in passing not to know then did: "a nurse, unaware of the group, recorded pain".
const THEN_ASSESSED: &str = r"\b(?:recorded|assessed|evaluated|measured|observed|scored|rated|graded|collected|noted|examined|interviewed|(?:performed|made|did|conducted|carried out) (?:all |the )*(?:[a-z-]+ ){0,3}(?:assessments?|measurements?|evaluations?|examinations?|data collection))\b";
/// Before such a verb, that somebody else did it: ", and the surgeon | recorded pain", "and pain was | recorded".
const OTHER_SUBJECT: &str = r", (?:and|but) (?:the|an?|another|all|both|each|our) |\b(?:while|whereas) |\b(?:and|but) (?:(?:the|an?|another|all|both|each|our) (?:[a-z'-]+ )?[a-z'-]{4,}|(?:[a-z'-]+ )?[a-z'-]{3,}s) $|\b(?:was|were|been|being) (?:[a-z]+ly |then |also )?$";
/// Staff of whom only a time after the intervention is told may be others than those who gave it.
const AFTERWARDS: &str =
    r"\bpost-? ?(?:operati|an(?:a)?esth|treatment)|\brecovery (?:room|unit|ward)";
/// Work that is an intervention, before the words that tell who did it.
const DELIVERED: &str = r"\b(?:injections?|treatments?|interventions?|infusions?|sessions?|operations?|surgery|procedures?|blocks?|drugs?|medications?) (?:(?:was|were) )(?:[a-z]+ )?(?:performed|given|administered|delivered|provided|done|conducted|carried out) $|\b(?:administered|injected|delivered|operated(?: on)?) $";
const DELIVERS: &str = r"treat|caring|care\b|administ|deliver|giving|provid|perform|inject|manag";

const PARTICIPANT: &str = r"\b(?:participant|patient|subject|volunteer|mother|parent|student|girl|boy|infant|resident|client|pupil|adult)s?$|\b(?:women|men|children|families|people|carers and patients)$";
const ASSESSOR: &str = r"\b(?:assessor|evaluator|rater|examiner|observer|adjudicator|interviewer|radiologist|pathologist|technician|reader|cytologist|neurophysiologist|echocardiographer|researcher|experimenter|collector)s?$|\binvestigator$|\b(?:outcome|adjudication|endpoint|end point)\b";
const STAFF: &str = r"\b(?:investigators|staff|personnel|study team)$";
const CARER: &str = r"\b(?:clinician|physician|doctor|nurse|therapist|physiotherapist|surgeon|carer|caregiver|giver|provider|teacher|instructor|trainer|an(?:a)?esthetist|an(?:a)?esthesiologist|dentist|operator|counsell?or|worker)s?$|\bmidwives$|\bmidwife$";
const ANYBODY: &str = r"\b(?:individual|person|author|one|specialist|expert|colleague|assistant|coordinator|co-ordinator|student)s?$|\b(?:people|those|someone|somebody)$";

pattern_table! {
    /// The patterns above, compiled. All are part of the program, and a test holds that they can be read.
    Grammar, GRAMMAR = compiled;
    state: STATE,
    denied: DENIED,
    assignment: ASSIGNMENT,
    other_matter: OTHER_MATTER,
    own_group: OWN_GROUP,
    unsure: UNSURE,
    denied_anywhere: DENIED_ANYWHERE,
    unsure_anywhere: UNSURE_ANYWHERE,
    denied_before: DENIED_BEFORE,
    counted: COUNTED,
    unblinding_event: UNBLINDING_EVENT,
    only_then: ONLY_THEN,
    enrols: ENROLS,
    other_clause: OTHER_CLAUSE,
    helping: HELPING,
    exception: EXCEPTION,
    boundary: BOUNDARY,
    not_possible: NOT_POSSIBLE,
    not_blind: NOT_BLIND,
    kept_from: KEPT_FROM,
    blind_assessment: BLIND_ASSESSMENT,
    blinded_person: BLINDED_PERSON,
    description: DESCRIPTION,
    analyses: ANALYSES,
    assesses: ASSESSES,
    then_assessed: THEN_ASSESSED,
    other_subject: OTHER_SUBJECT,
    afterwards: AFTERWARDS,
    delivered: DELIVERED,
    delivers: DELIVERS,
    participant: PARTICIPANT,
    assessor: ASSESSOR,
    staff: STAFF,
    carer: CARER,
    anybody: ANYBODY,
}
