//! A revision: which parts are written again, what their writer is told, and what was changed in the end.

use std::collections::BTreeSet;

use fathom_evidence::{Language, sentences};

use crate::critique::{Critique, ReviewRemark, Severity};
use crate::draft::{Draft, DraftPlace};
use crate::skills::cite::without_marks;
use crate::skills::compose::without_markup;
use crate::workflows::report::nodes::language;
use crate::workflows::report::state::ReportState;

/// Characters of a part's last version that its writer is shown.
const BEFORE_CHARS: usize = 6_000;

/// Remarks that a writer is told, the gravest first.
const REMARKS_MOST: usize = 20;

/// Whether a review found something in a part, or in the whole, that a revision is made for.
pub(super) fn is_faulted(critique: &Critique, place: &DraftPlace) -> bool {
    let mut items = critique.items.iter();
    items.any(|item| item.severity >= Severity::Major && concerns(item, place))
}

/// Whether another draft would differ from the one that was reviewed.
pub(in crate::workflows::report::nodes) fn would_change(
    state: &ReportState,
    critique: &Critique,
) -> bool {
    let Some(draft) = &state.draft else {
        return false;
    };
    let mut places = draft.texts().map(|(place, _)| place);
    state.feedback.is_some() || places.any(|place| is_faulted(critique, &place))
}

/// What the writer of a part is told besides its task: the last version, and what is to be put right in it. It stands in
/// the prompt and never in the text.
pub(super) fn instructions(state: &ReportState, place: &DraftPlace) -> String {
    let items = state.critique.iter().flat_map(|critique| &critique.items);
    let own = items.filter(|item| concerns(item, place));
    let mut told: Vec<String> = own
        .take(REMARKS_MOST)
        .map(|item| {
            let fix = item
                .fix
                .as_deref()
                .map(|fix| format!(" To put it right: {fix}"));
            let severity = severity_word(item.severity);
            format!(
                "- {severity}: {}{}",
                item.description,
                fix.unwrap_or_default()
            )
        })
        .collect();
    let wish = state.feedback.iter();
    told.extend(wish.map(|wish| format!("- the reader asks: {wish}")));
    if told.is_empty() {
        return String::new();
    }
    format!(
        "{}\nA reviewer of the last version found:\n{}\nPut every critical remark right, and the major ones as far as the \
         passages allow; keep what nobody objects to. Do not repeat the remarks.",
        before(state, place),
        told.join("\n")
    )
}

/// The last version of a part, as plain words.
fn before(state: &ReportState, place: &DraftPlace) -> String {
    let draft = state.draft.as_ref();
    let mut texts = draft.iter().flat_map(|draft| draft.texts());
    let text = texts.find(|(known, _)| known == place);
    let text = text.map_or_else(String::new, |(_, text)| {
        without_markup(&without_marks(text))
    });
    let text: String = text.chars().take(BEFORE_CHARS).collect();
    if text.is_empty() {
        text
    } else {
        format!("\nThe last version was:\n<draft>\n{text}\n</draft>")
    }
}

/// What was changed in each part, for how many remarks, after what was noted of the drafts before. Code tells it, in no
/// words of a reviewer.
pub(super) fn notes(state: &ReportState, draft: &Draft) -> Vec<String> {
    let Some(before) = state.draft.as_deref() else {
        return Vec::new();
    };
    let mut notes = before.revisions.clone();
    let name = format!("Draft {}", draft.version);
    if let Some(wish) = &state.feedback {
        notes.push(format!("{name}: a reader asked for it: {wish}"));
    }
    let known = notes.len();
    for (place, text) in draft.texts() {
        let mut earlier = before.texts();
        let earlier = earlier.find(|(known, _)| *known == place);
        let old = stated(earlier.map_or("", |(_, text)| text), language(state));
        let new = stated(text, language(state));
        let (added, gone) = (new.difference(&old).count(), old.difference(&new).count());
        if added + gone > 0 {
            let part = draft.name(&place);
            let remarks = remarks(state.critique.as_deref(), &place);
            let added = counted(added, "new sentence");
            notes.push(format!("{name}, {part}: {added}, {gone} removed{remarks}."));
        }
    }
    if notes.len() == known {
        notes.push(format!("{name} says what draft {} said.", before.version));
    }
    notes
}

/// The sentences of a text, without marks and citations.
fn stated(text: &str, language: Language) -> BTreeSet<String> {
    let text = without_marks(text);
    let spans = sentences(&text, language).into_iter();
    let plain = spans.filter_map(|span| span.of(&text).map(without_markup));
    plain.filter(|sentence| !sentence.is_empty()).collect()
}

/// How many grave remarks a part was written again for.
fn remarks(critique: Option<&Critique>, place: &DraftPlace) -> String {
    let told = |severity: Severity| {
        let items = critique.iter().flat_map(|critique| &critique.items);
        let own = items.filter(|item| item.severity == severity && concerns(item, place));
        let count = own.count();
        let what = format!("{} remark", severity_word(severity));
        (count > 0).then(|| counted(count, &what))
    };
    let told = [Severity::Critical, Severity::Major]
        .into_iter()
        .filter_map(told);
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        String::new()
    } else {
        format!(", for {}", told.join(" and "))
    }
}

/// Whether a remark is for who writes a part. What must not go out is told to who writes answer, summary and conclusion
/// too, wherever it was found: they say again what the sections say.
fn concerns(item: &ReviewRemark, place: &DraftPlace) -> bool {
    let says_again = match place {
        DraftPlace::Answer | DraftPlace::Summary | DraftPlace::Conclusion => true,
        DraftPlace::Title | DraftPlace::Section(_) | DraftPlace::Whole => false,
    };
    let is_own = item.place == *place || item.place == DraftPlace::Whole;
    // Nobody writes the title again: it is the question's.
    let is_grave = item.severity == Severity::Critical && item.place != DraftPlace::Title;
    is_own || (says_again && is_grave)
}

fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::Major => "major",
        Severity::Minor => "minor",
        Severity::Suggestion => "suggestion",
    }
}

fn counted(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
