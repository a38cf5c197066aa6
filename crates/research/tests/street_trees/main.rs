//! The extractive reasoner over the example library, of which it is known what stands in it.

mod run;

use fathom_evidence::citation::Support;
use run::{Library, ask, run};

/// The questions that the example's own list puts.
pub fn questions() -> Vec<String> {
    let list = std::fs::read_to_string(run::folder().join("street-trees.toml")).unwrap();
    let mut asked = Vec::new();
    let mut inside = false;
    for line in list.lines() {
        if line.starts_with("[[") {
            inside = line == "[[question]]";
        }
        if let Some(text) = line.strip_prefix("text = \"").filter(|_| inside) {
            asked.push(text.trim_end_matches('"').to_owned());
        }
    }
    asked
}

#[test]
fn print() {
    let library = Library::read();
    for (nth, text) in questions().iter().enumerate() {
        if std::env::var("Q").is_ok_and(|q| q != nth.to_string()) {
            continue;
        }
        let out = run(&library, &ask(text));
        println!(
            "\n\n################ {nth} {text}\n# {}\n\n{}\n",
            out.draft.title, out.draft.summary
        );
        for section in &out.draft.sections {
            println!("## {}\n\n{}\n", section.title, section.text);
        }
        println!("## Conclusion\n\n{}\n", out.draft.conclusion);
        println!(
            "---- words {} evidence {} contradictions {} gaps {:?}",
            out.draft.words(),
            out.located.evidence.len(),
            out.located.contradictions.len(),
            out.analysis.gaps
        );
        for f in &out.analysis.findings {
            println!(
                "{:?} {:.2} sub{} n{} {}",
                f.strength,
                f.confidence,
                f.answers.0,
                f.evidence.len(),
                f.statement
            );
        }
        for c in &out.located.contradictions {
            println!(
                "CONTRA {:?} [{}] {} || [{}] {}",
                c.about, c.left.source.0, c.left.quote, c.right.source.0, c.right.quote
            );
        }
        for c in out
            .check
            .claims
            .iter()
            .filter(|c| !matches!(c.support, Support::Supported { .. }))
        {
            println!(
                "BAD {:?} {:?} {:?} {:?}",
                c.support, c.reasons, c.cites, c.text
            );
        }
        println!("THEMES {:?}", out.analysis.themes);
        println!(
            "SCORE {:.2} {:?} {:?}",
            out.opinion.scores.weighted(),
            out.opinion.scores,
            out.opinion.items
        );
        for e in &out.located.retry_log {
            println!("RETRY {:?}", e.failed_questions);
        }
    }
}
