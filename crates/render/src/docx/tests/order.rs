//! The order in which the schema of WordprocessingML (ECMA-376, `wml.xsd`) wants the elements that we write.

use roxmltree::{Document as Tree, Node};

use super::{FormOptions, docx, sample, unpacked};

/// An element and what may stand in it, in the order of the schema, as far as we write it: each once, with a star any
/// number of times, with bars one or another of them.
const ORDER: [(&str, &[&str]); 29] = [
    ("document", &["body"]),
    ("body", &["p|tbl*", "sectPr"]),
    ("sectPr", &["pgSz", "pgMar"]),
    ("p", &["pPr", "r|hyperlink|bookmarkStart|bookmarkEnd*"]),
    ("hyperlink", &["r*"]),
    ("r", &["rPr", "t|br"]),
    (
        "pPr",
        &[
            "pStyle",
            "keepNext",
            "numPr",
            "pBdr",
            "shd",
            "spacing",
            "ind",
            "outlineLvl",
        ],
    ),
    ("numPr", &["ilvl", "numId"]),
    ("pBdr", &["left"]),
    (
        "rPr",
        &["rStyle", "rFonts", "b", "i", "color", "sz", "szCs", "u"],
    ),
    ("tbl", &["tblPr", "tblGrid", "tr*"]),
    (
        "tblPr",
        &["tblStyle", "tblW", "tblInd", "tblBorders", "tblCellMar"],
    ),
    ("tblBorders", &["top", "bottom", "insideH"]),
    ("tblCellMar", &["left", "right"]),
    ("tblGrid", &["gridCol*"]),
    ("tr", &["trPr", "tc*"]),
    ("trPr", &["cantSplit", "tblHeader"]),
    ("tc", &["tcPr", "p"]),
    ("tcPr", &["tcW"]),
    ("styles", &["docDefaults", "style*"]),
    ("docDefaults", &["rPrDefault", "pPrDefault"]),
    ("rPrDefault", &["rPr"]),
    ("pPrDefault", &["pPr"]),
    (
        "style",
        &["name", "basedOn", "next", "qFormat", "pPr", "rPr", "tblPr"],
    ),
    ("numbering", &["abstractNum*", "num*"]),
    ("abstractNum", &["multiLevelType", "lvl*"]),
    ("lvl", &["start", "numFmt", "lvlText", "pPr"]),
    ("num", &["abstractNumId", "lvlOverride*"]),
    ("lvlOverride", &["startOverride"]),
];

/// The first child of an element that stands out of the order above, or has no place in it.
pub(super) fn misplaced(node: Node<'_, '_>) -> Option<String> {
    let space = node.tag_name().namespace().unwrap_or_default();
    // The package around the text has a language of its own.
    if !space.ends_with("/wordprocessingml/2006/main") {
        return None;
    }
    let name = node.tag_name().name();
    let order = ORDER.iter().find(|(of, _)| *of == name);
    let mut left = order.map_or(&[][..], |(_, order)| order);
    for child in node.children().filter(Node::is_element) {
        let child = child.tag_name().name();
        let fits = |place: &&str| {
            place
                .trim_end_matches('*')
                .split('|')
                .any(|one| one == child)
        };
        let Some(at) = left.iter().position(fits) else {
            return Some(format!("{child} in {name}"));
        };
        let again = left[at].ends_with('*');
        left = &left[if again { at } else { at + 1 }..];
    }
    None
}

fn wrong(text: &str) -> Vec<String> {
    let tree = Tree::parse(text).unwrap();
    tree.descendants().filter_map(misplaced).collect()
}

#[test]
fn every_element_stands_where_the_schema_wants_it() {
    for report in [sample::full(), sample::partial(), sample::empty()] {
        for (part, text) in unpacked(&docx(&report, &FormOptions::FULL).unwrap()) {
            assert_eq!(wrong(&text), Vec::<String>::new(), "{part}");
        }
    }
}

#[test]
fn an_element_out_of_its_place_is_told() {
    let within = |words: &str| {
        let space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
        wrong(&format!("<pPr xmlns=\"{space}\">{words}</pPr>"))
    };
    assert_eq!(within("<pStyle/><numPr/><ind/>"), Vec::<String>::new());
    assert_eq!(within("<ind/><numPr/>"), ["numPr in pPr"]);
    assert_eq!(within("<ind/><ind/>"), ["ind in pPr"]);
    assert_eq!(within("<jc/>"), ["jc in pPr"]);
}
