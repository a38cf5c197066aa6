//! Writing elements: every text and every attribute passes through here and is escaped.

use crate::clean;

/// A page under construction. Element names and attribute names are ours; values may come from anywhere.
#[derive(Default)]
pub(crate) struct HtmlPage {
    pub(crate) out: String,
    cards: u32,
}

impl HtmlPage {
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[(&'static str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (attribute, value) in attributes {
            self.out.push(' ');
            self.out.push_str(attribute);
            self.out.push_str("=\"");
            self.out.push_str(&clean::xml(value));
            self.out.push('"');
        }
        self.out.push('>');
    }

    pub(crate) fn close(&mut self, name: &'static str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.out.push_str(&clean::xml(text));
    }

    pub(crate) fn line(&mut self) {
        self.out.push('\n');
    }

    /// An element that holds text only.
    pub(crate) fn element(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) {
        self.open(name, attributes);
        self.text(text);
        self.close(name);
    }

    /// An id that no other card of the page has.
    pub(crate) fn next_card(&mut self) -> String {
        self.cards += 1;
        format!("card-{}", self.cards)
    }

    /// A link out of the page. The address has been checked by [`crate::clean::link`].
    pub(crate) fn open_link(&mut self, to: &str) {
        self.open(
            "a",
            &[("href", to), ("rel", "noopener noreferrer nofollow")],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_values_are_read_back_as_they_were() {
        let odd = "a\"b'c<d>e&f&amp;g</a>`h";
        let mut page = HtmlPage::default();
        page.element("a", &[("title", odd)], odd);
        let tree = scraper::Html::parse_fragment(&page.out);
        let selector = scraper::Selector::parse("a").expect("a selector");
        let links: Vec<_> = tree.select(&selector).collect();
        let [link] = links.as_slice() else {
            panic!("one element expected in {}", page.out);
        };
        assert_eq!(link.value().attr("title"), Some(odd));
        assert_eq!(link.text().collect::<String>(), odd);
    }
}
