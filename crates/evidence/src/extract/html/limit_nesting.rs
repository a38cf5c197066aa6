//! Makes markup harmless before it is parsed.
//!
//! A parser that follows the HTML standard copies open formatting elements into every paragraph and
//! looks through all open elements at every tag, so a hostile page costs it quadratic time and
//! memory. One pass over the text, in linear time, drops what is no content (scripts, styles,
//! comments, drawings) and every start tag beyond the allowed depth; texts stay.

/// Formatting elements open at once: each is copied into every paragraph that follows.
const FORMATTING_MAX: usize = 8;

/// A tag with more than this keeps its name only: names of attributes are compared pairwise.
const TAG_MAX_BYTES: usize = 16 * 1_024;

/// Tags beyond this are dropped and only their texts kept.
const TAGS_MAX: usize = 500_000;

const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "image",
    "input", "keygen", "link", "meta", "param", "source", "track", "wbr",
];

/// Elements that the standard closes by itself: they nest only inside others, which are counted.
const CLOSED_BY_OTHERS: &[&str] = &[
    "html", "head", "body", "p", "li", "dd", "dt", "tr", "td", "th", "thead", "tbody", "tfoot",
    "caption", "colgroup", "option",
];

const FORMATTING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Dropped with all that is in them. Some hold text that is no markup, so they must not be entered.
const DROPPED: &[&str] = &[
    "script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "textarea", "svg",
    "canvas", "object", "select", "template",
];

/// Markup that is safe to parse.
pub(super) struct LimitedHtml {
    pub(super) html: String,
    /// Start tags that were kept.
    pub(super) tags: usize,
    /// End tags that were kept and may make an element each.
    pub(super) ends: usize,
    /// Start tags that stood too deep.
    pub(super) flattened: usize,
    /// How deep the elements nest that were kept.
    pub(super) deepest: usize,
    /// Scripts that are loaded from another host.
    pub(super) foreign_scripts: usize,
}

pub(super) fn limit_nesting(text: &str, depth_max: usize) -> LimitedHtml {
    let mut scan = Scan {
        out: LimitedHtml {
            html: String::with_capacity(text.len()),
            tags: 0,
            ends: 0,
            flattened: 0,
            deepest: 0,
            foreign_scripts: 0,
        },
        open: Vec::new(),
        formatting: 0,
        depth_max,
    };
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        scan.out.html.push_str(before);
        rest = scan.markup(from);
    }
    scan.out.html.push_str(rest);
    scan.out
}

struct Scan<'t> {
    out: LimitedHtml,
    /// Names of the open elements that are counted.
    open: Vec<&'t str>,
    formatting: usize,
    depth_max: usize,
}

impl<'t> Scan<'t> {
    /// Deals with what begins with `<`; gives what follows it.
    fn markup(&mut self, from: &'t str) -> &'t str {
        let after = &from[1..];
        if let Some(comment) = after.strip_prefix("!--") {
            return after_comment(comment);
        }
        if after.starts_with(['!', '?']) {
            let end = after.find('>').map_or(after.len(), |end| end + 1);
            if after
                .get(..8)
                .is_some_and(|start| start.eq_ignore_ascii_case("!doctype"))
            {
                self.out.html.push('<');
                self.out.html.push_str(&after[..end]);
            }
            return &after[end..];
        }
        let (closes, named) = match after.strip_prefix('/') {
            Some(named) => (true, named),
            None => (false, after),
        };
        if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.out.html.push_str("&lt;");
            return after;
        }
        let name_end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let name = &named[..named.find(name_end).unwrap_or(named.len())];
        let Some(end) = tag_end(named.as_bytes(), name.len()) else {
            // The standard drops a tag that the end of the page cuts off.
            return "";
        };
        let rest = &named[end..];
        if closes {
            self.end(name);
            rest
        } else {
            self.start(name, &from[..from.len() - rest.len()], rest)
        }
    }

    fn start(&mut self, name: &'t str, tag: &str, rest: &'t str) -> &'t str {
        if is_one_of(name, DROPPED) {
            let is_script = name.eq_ignore_ascii_case("script");
            self.out.foreign_scripts += usize::from(is_script && tag.contains("//"));
            let is_data = is_script && tag.contains("ld+json");
            let (inside, after) = until_end(rest, name);
            if is_data && !inside.is_empty() {
                self.keep(name, tag);
                self.out.html.push_str(inside);
                self.out.html.push_str("</script>");
            }
            return after;
        }
        if name.eq_ignore_ascii_case("title") || name.eq_ignore_ascii_case("plaintext") {
            let (inside, after) = until_end(rest, name);
            self.out.html.push_str("<title>");
            self.out.html.push_str(&inside.replace('<', "&lt;"));
            self.out.html.push_str("</title>");
            return after;
        }
        let formatting = is_one_of(name, FORMATTING);
        let counted = !is_one_of(name, VOID) && !is_one_of(name, CLOSED_BY_OTHERS);
        if counted && self.open.len() >= self.depth_max || self.out.tags >= TAGS_MAX {
            self.out.flattened += 1;
            // Words of two elements must not run together where their tags were dropped.
            self.out.html.push(' ');
            return rest;
        }
        if formatting && self.formatting >= FORMATTING_MAX {
            return rest;
        }
        if counted {
            self.open.push(name);
            self.out.deepest = self.out.deepest.max(self.open.len());
            self.formatting += usize::from(formatting);
        }
        self.keep(name, tag);
        rest
    }

    fn keep(&mut self, name: &str, tag: &str) {
        self.out.tags += 1;
        if tag.len() <= TAG_MAX_BYTES {
            self.out.html.push_str(tag);
        } else {
            self.out.html.push('<');
            self.out.html.push_str(name);
            self.out.html.push('>');
        }
    }

    fn end(&mut self, name: &str) {
        let counted = !is_one_of(name, VOID) && !is_one_of(name, CLOSED_BY_OTHERS);
        if counted {
            let same = |open: &&str| open.eq_ignore_ascii_case(name);
            let Some(at) = self.open.iter().rposition(same) else {
                return;
            };
            if is_one_of(name, FORMATTING) {
                self.open.remove(at);
                self.formatting -= 1;
            } else {
                // An end closes all inside it, but for formatting, which the standard opens again.
                let inside = self.open.split_off(at);
                let kept = inside.into_iter().skip(1);
                self.open
                    .extend(kept.filter(|open| is_one_of(open, FORMATTING)));
            }
        }
        // An end without a start makes an element of its own in some cases, so ends count too.
        if name.eq_ignore_ascii_case("p") || name.eq_ignore_ascii_case("br") {
            if self.out.ends >= TAGS_MAX {
                return;
            }
            self.out.ends += 1;
        }
        self.out.html.push_str("</");
        self.out.html.push_str(name);
        self.out.html.push('>');
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| other.eq_ignore_ascii_case(name))
}

fn after_comment(comment: &str) -> &str {
    if let Some(rest) = comment.strip_prefix('>').or(comment.strip_prefix("->")) {
        return rest;
    }
    // Looking for each of the two ends through the whole page would cost its square.
    let mut rest = comment;
    while let Some(at) = rest.find("--") {
        let after = &rest[at + 2..];
        if let Some(after) = after.strip_prefix('>').or(after.strip_prefix("!>")) {
            return after;
        }
        rest = &rest[at + 1..];
    }
    ""
}

/// Where a tag ends, after its `>`. A `>` inside a quoted value does not end it.
fn tag_end(tag: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let mut quote = None;
    let mut before = b' ';
    while let Some(&byte) = tag.get(at) {
        at += 1;
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(at),
            // A quote opens a value only after an equals sign; elsewhere it is part of a name.
            None if matches!(byte, b'"' | b'\'') && before == b'=' => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

/// What stands before an element's end tag, and what after it.
fn until_end<'t>(text: &'t str, name: &str) -> (&'t str, &'t str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("</")) {
        let start = from + found;
        let named = start + 2;
        let ends = bytes.get(named..named + name.len());
        let next = bytes.get(named + name.len());
        let same = ends.is_some_and(|ends| ends.eq_ignore_ascii_case(name.as_bytes()));
        if same && next.is_none_or(|next| !next.is_ascii_alphanumeric()) {
            let after = &text[start..];
            let end = after.find('>').map_or(after.len(), |end| end + 1);
            return (&text[..start], &after[end..]);
        }
        from = named;
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::limit_nesting;

    fn limited(text: &str) -> String {
        limit_nesting(text, 512).html
    }

    #[test]
    fn what_is_no_content_is_dropped_and_the_rest_is_kept() {
        let page = "<p>a<script>if (a<b) x('</p>')</script>b<!-- c --><style>p{}</style></p>";
        assert_eq!(limited(page), "<p>ab</p>");
        assert_eq!(limited("a < b <3 </ c"), "a &lt; b &lt;3 &lt;/ c");
        assert_eq!(limited("<p title='a>b'>c</p>"), "<p title='a>b'>c</p>");
    }

    #[test]
    fn data_about_the_page_is_kept() {
        let page = "<script type=\"application/ld+json\">{\"a\":\"<b>\"}</script>";
        assert_eq!(limited(page), page);
    }

    #[test]
    fn deep_elements_are_flattened_and_their_text_stays() {
        let page = format!(
            "{}deep{}",
            "<div>".repeat(100_000),
            "</div>".repeat(100_000)
        );
        let limited = limit_nesting(&page, 512);
        assert_eq!(limited.html.matches("<div>").count(), 512);
        assert_eq!(limited.flattened, 100_000 - 512);
        assert!(limited.html.contains("deep"));
    }

    #[test]
    fn open_formatting_does_not_grow() {
        let page: String = (0..10_000).map(|n| format!("<p><b id={n}>x")).collect();
        assert_eq!(limited(&page).matches("<b ").count(), 8);
    }

    #[test]
    fn paragraphs_that_nobody_closed_are_not_depth() {
        let page = "<p>x".repeat(10_000);
        assert_eq!(limit_nesting(&page, 512).flattened, 0);
    }

    #[test]
    fn whatever_is_cut_off_ends_the_page() {
        for page in [
            "<p>a<!-- b",
            "<p>a<script>b",
            "<p>a<b class='",
            "<p>a<style",
            "<p>a<!--",
        ] {
            assert_eq!(limited(page), "<p>a", "{page}");
        }
    }
}
