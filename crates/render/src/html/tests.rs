//! The promises of the page: it runs nothing and fetches nothing, whatever its texts are, and people can use it.

mod payloads;

use proptest::prelude::*;
use scraper::{ElementRef, Html as Tree, Node, Selector};

use super::*;
use crate::clean;
use crate::tests::sample;

fn shown(report: &Report) -> String {
    html(report)
}

const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "header",
    "nav",
    "main",
    "footer",
    "section",
    "div",
    "h1",
    "h2",
    "h3",
    "p",
    "a",
    "span",
    "strong",
    "em",
    "q",
    "cite",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tbody",
    "tr",
    "th",
    "td",
    "br",
    "details",
    "summary",
];

const ATTRIBUTES: &[&str] = &[
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "id",
    "class",
    "href",
    "rel",
    "dir",
    "role",
    "aria-label",
    "aria-labelledby",
    "aria-describedby",
    "tabindex",
    "start",
    "scope",
];

/// What in a page could run or fetch, or is not of our making; nothing if it is tame.
fn wild(page: &str, sections: usize) -> Vec<String> {
    let tree = Tree::parse_document(page);
    let mut faults = Vec::new();
    for node in tree.tree.nodes() {
        match node.value() {
            Node::Comment(_) | Node::ProcessingInstruction(_) => {
                faults.push("a comment".to_owned())
            }
            Node::Element(_) => {
                let element = ElementRef::wrap(node).expect("an element");
                faults.extend(fault_of(element));
            }
            _ => {}
        }
    }
    for (name, count) in [
        ("script", 1),
        ("style", 1),
        ("meta", 6),
        ("title", 1),
        ("section", sections),
    ] {
        let found = all(&tree, name).len();
        if found != count {
            faults.push(format!("{found} {name} elements"));
        }
    }
    faults
}

fn fault_of(element: ElementRef<'_>) -> Option<String> {
    let value = element.value();
    let name = value.name();
    let text: String = element.text().collect();
    let strange = value.attrs().find(|(name, value)| match *name {
        "href" => !value.starts_with('#') && clean::link(value).is_none(),
        name => !ATTRIBUTES.contains(&name),
    });
    if !ELEMENTS.contains(&name) {
        return Some(format!("the element {name}"));
    }
    if let Some((attribute, value)) = strange {
        return Some(format!("{name} with {attribute}={value}"));
    }
    let foreign = (name == "script" && text != SCRIPT) || (name == "style" && text != STYLE);
    foreign.then(|| format!("{name} that is not ours"))
}

fn all<'t>(tree: &'t Tree, selector: &str) -> Vec<ElementRef<'t>> {
    let selector = Selector::parse(selector).expect("a selector");
    tree.select(&selector).collect()
}

fn words(element: &ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn no_payload_can_run_or_fetch_wherever_it_stands() {
    assert!(payloads::PAYLOADS.len() >= 60);
    for payload in payloads::PAYLOADS {
        let report = sample::filled_with(payload);
        let faults = wild(&shown(&report), parts(&report, &FormOptions::FULL).len());
        assert!(faults.is_empty(), "{payload:?}: {faults:?}");
    }
}

#[test]
fn payloads_side_by_side_do_not_add_up_to_one() {
    for few in payloads::PAYLOADS.chunks(8) {
        let payload = few.concat();
        let report = sample::filled_with(&payload);
        let faults = wild(&shown(&report), parts(&report, &FormOptions::FULL).len());
        assert!(faults.is_empty(), "{payload:?}: {faults:?}");
    }
}

#[test]
fn the_policy_allows_this_style_and_this_script_and_nothing_else() {
    let page = shown(&sample::full());
    let tree = Tree::parse_document(&page);
    let policy = all(&tree, "meta[http-equiv='Content-Security-Policy']");
    let policy = policy[0].value().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(
        !policy.contains("unsafe") && !policy.contains('*'),
        "{policy}"
    );
    // What a browser hashes is what stands between the tags.
    let between = |open: &str, close: &str| {
        let start = page.find(open).unwrap() + open.len();
        let end = page[start..].find(close).unwrap();
        hash(&page[start..start + end])
    };
    assert!(policy.contains(&format!("style-src '{}'", between("<style>", "</style>"))));
    assert!(policy.contains(&format!(
        "script-src '{}'",
        between("<script>", "</script>")
    )));
}

#[test]
fn a_partial_report_says_so_before_its_figures() {
    let page = shown(&sample::partial());
    let (warning, figures) = (
        page.find("This is a partial report").unwrap(),
        page.find("<dl").unwrap(),
    );
    assert!(warning < figures);
    assert!(page.contains("<title>Partial report: "));
    assert!(!shown(&sample::full()).contains("partial report"));
}

#[test]
fn a_report_of_nothing_but_its_reason_is_a_page_as_well() {
    let page = shown(&sample::empty());
    assert_eq!(wild(&page, 1), Vec::<String>::new());
    assert!(page.contains("The time was used up"));
}

#[test]
fn each_citation_shows_its_source_and_the_words_it_rests_on() {
    let page = shown(&sample::full());
    let tree = Tree::parse_document(&page);
    let cards = all(&tree, "#part-2 .card");
    let first = words(&cards[0]);
    assert!(
        first.contains("Cooling by row planting") && first.contains("Cooling peaked at noon"),
        "{first}"
    );
    assert!(
        first.contains("supported · judged supported by a model"),
        "{first}"
    );
    assert!(words(&cards[1]).contains("Der Schatten wirkt sofort | auch an *heißen* Tagen"));
}

#[test]
fn every_way_inside_the_page_leads_somewhere_and_ids_are_unique() {
    let tree = Tree::parse_document(&shown(&sample::full()));
    let ids: Vec<&str> = all(&tree, "[id]")
        .iter()
        .map(|e| e.value().attr("id").unwrap())
        .collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    for link in all(&tree, "a[href^='#']") {
        let to = link.value().attr("href").unwrap().trim_start_matches('#');
        assert!(unique.contains(to), "#{to}");
    }
    for described in all(&tree, "[aria-describedby]") {
        assert!(unique.contains(described.value().attr("aria-describedby").unwrap()));
    }
    assert_eq!(all(&tree, "h1").len(), 1);
    assert_eq!(all(&tree, "main").len(), 1);
}

#[test]
fn a_number_without_a_source_is_never_shown_as_a_citation() {
    let tree = Tree::parse_document(&shown(&sample::full()));
    let text = words(&all(&tree, "#part-3")[0]);
    assert!(
        text.contains("does not\u{a0}[?].") && !text.contains("99"),
        "{text}"
    );
}

#[test]
fn the_proofs_name_the_whole_hash_and_are_folded() {
    let report = sample::full();
    let hash = report.claims[0].proofs[0].snapshot.clone().unwrap();
    let tree = Tree::parse_document(&shown(&report));
    let proofs = all(&tree, "details.proofs");
    assert!(words(&proofs[0]).contains(&hash));
    assert_eq!(proofs[0].value().attr("open"), None);
}

#[test]
fn the_answer_stands_in_the_head_with_the_words_it_rests_on() {
    let tree = Tree::parse_document(&shown(&sample::full()));
    let head = all(&tree, "header .answer");
    let text = words(&head[0]);
    assert!(text.contains("3.1 °C at noon"), "{text}");
    assert!(text.contains("Partly answered."), "{text}");
    assert!(text.contains("2 sources agree, 1 disputes it."), "{text}");
    assert_eq!(all(&tree, "header .answer .card").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_anywhere_gives_a_tame_page(text in "[-#>*+=_`~|!<>&;:.()\\[\\]\\\\/ \n\ta1é王x\"'{}$^?@]{0,60}") {
        let report = sample::filled_with(&text);
        prop_assert_eq!(wild(&shown(&report), parts(&report, &FormOptions::FULL).len()), Vec::<String>::new());
    }

    #[test]
    fn any_characters_at_all_give_a_tame_page(text in any::<String>()) {
        let report = sample::filled_with(&text);
        prop_assert_eq!(wild(&shown(&report), parts(&report, &FormOptions::FULL).len()), Vec::<String>::new());
    }
}
