//! A report that is full of one text.

use super::{Report, ReportStatus, full};

/// A report that holds the text in every field that can hold a text.
pub(crate) fn filled_with(text: &str) -> Report {
    let mut report = full();
    let put = |field: &mut String| *field = text.to_owned();
    let put_all = |fields: &mut Vec<String>| *fields = vec![text.to_owned(), text.to_owned()];
    report.question.context = Some(text.to_owned());
    report.status = ReportStatus::Partial {
        reason: text.to_owned(),
    };
    if let Some(answer) = &mut report.answer {
        put(&mut answer.reason);
        put(&mut answer.text);
    }
    put(&mut report.title);
    put(&mut report.summary);
    put(&mut report.conclusion);
    put_all(&mut report.caveats);
    for section in &mut report.sections {
        put(&mut section.title);
        put(&mut section.text);
    }
    for source in &mut report.sources {
        put(&mut source.location);
        put(&mut source.snippet);
        put(&mut source.title);
        put_all(&mut source.authors);
        for field in [
            &mut source.published,
            &mut source.venue,
            &mut source.doi,
            &mut source.unread,
        ] {
            *field = Some(text.to_owned());
        }
        if let Some(snapshot) = &mut source.snapshot {
            put(&mut snapshot.language);
            put_all(&mut snapshot.lost);
        }
    }
    for claim in &mut report.claims {
        put(&mut claim.text);
        claim
            .proofs
            .iter_mut()
            .for_each(|proof| put(&mut proof.quote));
    }
    for pair in &mut report.contradictions {
        put(&mut pair.about);
        // A quote that stands in the text as well would take the pair out of its own section.
        pair.sides[0].quote = format!("{text}left0");
        pair.sides[1].quote = format!("{text}right0");
        pair.weighed = Some(text.to_owned());
    }
    for gap in &mut report.gaps {
        put(&mut gap.missing);
        put(&mut gap.next_query);
    }
    for item in report
        .review
        .iter_mut()
        .flat_map(|review| &mut review.items)
    {
        put(&mut item.description);
    }
    put_all(&mut report.method.sub_questions);
    put_all(&mut report.method.queries);
    put_all(&mut report.method.reasoners);
    put_all(&mut report.method.degraded);
    put_all(&mut report.method.warnings);
    for part in &mut report.method.trace {
        put(&mut part.text);
    }
    for entry in &mut report.method.validation_retry_log {
        put_all(&mut entry.failed_questions);
    }
    for error in &mut report.method.errors {
        put(&mut error.node);
        put(&mut error.category);
        put(&mut error.severity);
        put(&mut error.message);
    }
    report
}
