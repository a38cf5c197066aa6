//! A report that is full of one text.

use super::{Report, Status, full};

/// A report that holds the text in every field that can hold a text.
pub(in crate::report) fn filled_with(text: &str) -> Report {
    let mut report = full();
    let put = |field: &mut String| *field = text.to_owned();
    let put_all = |fields: &mut Vec<String>| *fields = vec![text.to_owned(), text.to_owned()];
    report.question = report.question.with_context(text);
    report.status = Status::Partial {
        reason: text.to_owned(),
    };
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
        put(&mut source.about.title);
        put_all(&mut source.about.authors);
        for field in [
            &mut source.about.published,
            &mut source.about.venue,
            &mut source.about.doi,
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
        pair.left.quote = format!("{text}left0");
        pair.right.quote = format!("{text}right0");
        pair.weighed = Some(text.to_owned());
    }
    for gap in &mut report.gaps {
        put(&mut gap.missing);
        put(&mut gap.query);
    }
    for item in report
        .critique
        .iter_mut()
        .flat_map(|critique| &mut critique.items)
    {
        put(&mut item.description);
    }
    put_all(&mut report.provenance.sub_questions);
    put_all(&mut report.provenance.queries);
    put_all(&mut report.provenance.reasoners);
    put_all(&mut report.provenance.degraded);
    for error in &mut report.provenance.errors {
        put(&mut error.node);
        put(&mut error.category);
        put(&mut error.message);
    }
    report
}
