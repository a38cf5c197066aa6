//! Prose blocks as HTML, with the source and its words behind each citation.

use super::tag::HtmlPage;
use crate::prose::{self, ProseBlock, ProseInline, claims_of};
use crate::report::claim::{ReportClaim, TextPlace};
use crate::{CitedSource, Report, SourceId, clean, notes, references};

const CARD_QUOTE_MAX_CHARS: usize = 420;

/// Writes prose into a page, with a card behind each citation of one of the sources.
pub(super) struct ProseWriter<'r> {
    pub(super) html: HtmlPage,
    report: &'r Report,
    claims: Vec<&'r ReportClaim>,
    owners: std::vec::IntoIter<Option<&'r ReportClaim>>,
}

impl<'r> ProseWriter<'r> {
    pub(super) fn new(report: &'r Report, html: HtmlPage) -> Self {
        Self {
            html,
            report,
            claims: Vec::new(),
            owners: Vec::new().into_iter(),
        }
    }

    /// The text at a place, in its own language.
    pub(super) fn prose(&mut self, place: TextPlace, section: Option<usize>, text: &str) {
        let claims = self.report.claims.iter();
        let here = |claim: &&ReportClaim| (claim.place, claim.section) == (place, section);
        self.claims = claims.filter(here).collect();
        let language = super::foreign(text, self.report.language);
        let mut attributes = vec![("class", "prose"), ("dir", "auto")];
        attributes.extend(language.as_ref().map(|language| ("lang", language.code())));
        self.html.open("div", &attributes);
        self.html.line();
        self.blocks(&prose::parse(text));
        self.html.close("div");
        self.claims.clear();
    }

    pub(super) fn blocks(&mut self, blocks: &[ProseBlock]) {
        for block in blocks {
            self.block(block);
            self.html.line();
        }
    }

    fn block(&mut self, block: &ProseBlock) {
        match block {
            ProseBlock::Paragraph(inlines) => self.wrapped("p", &[], inlines),
            ProseBlock::Lead(inlines) => self.wrapped("p", &[("class", "lead")], inlines),
            ProseBlock::Quote(blocks) => {
                self.html.open("blockquote", &[("dir", "auto")]);
                self.blocks(blocks);
                self.html.close("blockquote");
            }
            ProseBlock::Code(code) => {
                self.html.open("pre", &[("tabindex", "0")]);
                self.html.element("code", &[], code);
                self.html.close("pre");
            }
            ProseBlock::List { first, items } => self.list(*first, items),
            ProseBlock::Table(rows) => self.table(rows),
        }
    }

    fn list(&mut self, first: Option<u64>, items: &[Vec<ProseBlock>]) {
        let start = first.unwrap_or(1).to_string();
        let name = match first {
            Some(_) => "ol",
            None => "ul",
        };
        match first {
            Some(2..) => self.html.open(name, &[("start", &start)]),
            _ => self.html.open(name, &[]),
        }
        for item in items {
            self.html.open("li", &[("dir", "auto")]);
            match item.as_slice() {
                [ProseBlock::Paragraph(inlines)] => self.whole(inlines),
                blocks => self.blocks(blocks),
            }
            self.html.close("li");
        }
        self.html.close(name);
    }

    fn table(&mut self, rows: &[Vec<Vec<ProseInline>>]) {
        let scroll = [
            ("class", "table"),
            ("tabindex", "0"),
            ("role", "group"),
            ("aria-label", "Table"),
        ];
        self.html.open("div", &scroll);
        self.html.open("table", &[]);
        for (at, row) in rows.iter().enumerate() {
            // The check reads a row as one sentence.
            self.own(&row.concat());
            self.html.open("tr", &[]);
            for cell in row {
                match at {
                    0 => self.html.open("th", &[("scope", "col")]),
                    _ => self.html.open("td", &[]),
                }
                self.inlines(cell);
                self.html.close(if at == 0 { "th" } else { "td" });
            }
            self.html.close("tr");
        }
        self.html.close("table");
        self.html.close("div");
    }

    pub(super) fn wrapped(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        inlines: &[ProseInline],
    ) {
        self.html.open(name, attributes);
        self.whole(inlines);
        self.html.close(name);
    }

    /// Inlines that make up a whole block, so that its claims can be found in it.
    pub(super) fn whole(&mut self, inlines: &[ProseInline]) {
        self.own(inlines);
        self.inlines(inlines);
    }

    fn own(&mut self, inlines: &[ProseInline]) {
        self.owners = claims_of(inlines, &self.claims).into_iter();
    }

    fn inlines(&mut self, inlines: &[ProseInline]) {
        for (at, inline) in inlines.iter().enumerate() {
            match inline {
                // A citation does not begin a line away from the word it stands behind.
                ProseInline::Text(text) => match (text.strip_suffix(' '), inlines.get(at + 1)) {
                    (Some(words), Some(ProseInline::Cite(_))) => {
                        self.html.text(&format!("{words}\u{a0}"))
                    }
                    _ => self.html.text(text),
                },
                ProseInline::Strong(inner) => self.marked("strong", inner),
                ProseInline::Emphasis(inner) => self.marked("em", inner),
                ProseInline::Code(code) => self.html.element("code", &[], code),
                ProseInline::Link { to, text } => {
                    self.html.open_link(to);
                    self.inlines(text);
                    self.html.close("a");
                }
                ProseInline::Cite(ids) => self.cite(ids),
                ProseInline::Break => self.html.open("br", &[]),
            }
        }
    }

    fn marked(&mut self, name: &'static str, inner: &[ProseInline]) {
        self.html.open(name, &[]);
        self.inlines(inner);
        self.html.close(name);
    }

    /// The numbers of one bracket. A number that no source has is never shown as a citation.
    fn cite(&mut self, ids: &[u32]) {
        let owned: Vec<_> = ids
            .iter()
            .map(|id| (*id, self.owners.next().flatten()))
            .collect();
        let report = self.report;
        let known = owned
            .iter()
            .filter_map(|(id, claim)| Some((report.source(SourceId(*id))?, *claim)));
        let mut shown = 0;
        self.html.text("[");
        for (source, claim) in known {
            if shown > 0 {
                self.html.text(", ");
            }
            shown += 1;
            self.card(source, claim);
        }
        self.html.text(if shown == 0 { "?]" } else { "]" });
    }

    fn card(&mut self, source: &CitedSource, claim: Option<&ReportClaim>) {
        let number = source.number.0.to_string();
        let to = format!("#source-{number}");
        let label = format!("Source {number}");
        let card = self.html.next_card();
        self.html.open("span", &[("class", "cite")]);
        let link = [
            ("href", to.as_str()),
            ("aria-label", &label),
            ("aria-describedby", &card),
        ];
        self.html.open("a", &link);
        self.html.text(&number);
        self.html.close("a");
        let tip = [("class", "card"), ("role", "tooltip"), ("id", &card)];
        self.html.open("span", &tip);
        let title = clean::name(source.name());
        self.html
            .element("span", &[("class", "card-title"), ("dir", "auto")], &title);
        for proof in claim.iter().flat_map(|claim| &claim.proofs) {
            if proof.source == source.number {
                let quote = clean::cut(&proof.quote, CARD_QUOTE_MAX_CHARS);
                self.html.element("q", &[("dir", "auto")], &quote);
            }
        }
        let notes = notes(source, claim).join(" · ");
        if !notes.is_empty() {
            let quiet = [("class", "card-note"), ("dir", "auto")];
            self.html.element("span", &quiet, &notes);
        }
        self.html.close("span");
        self.html.close("span");
    }
}

/// Who wrote it and when, what the check says, and what speaks against the source.
fn notes(source: &CitedSource, claim: Option<&ReportClaim>) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(references::byline(source));
    notes.extend(claim.map(|claim| notes::verdict(claim).to_owned()));
    notes.extend(claim.and_then(notes::judged).map(str::to_owned));
    if source.retracted {
        notes.push("retracted".to_owned());
    }
    if source.snapshot.is_none() {
        notes.push("not read".to_owned());
    }
    notes
}
