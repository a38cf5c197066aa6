//! Finds what a page holds and nobody sees on it: text without size, without colour, in the colour of what is behind it,
//! off the screen, or of a class that hides.
//!
//! Whoever wants to speak to a program and not to its reader writes so; it is no evidence. Takes a parsed page and gives the
//! elements to leave out. Style sheets that are not in the page are not known: of them only usual names of classes count.

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use crate::fixed_hash::FixedSet;

/// Classes that hide by the conventions of widely used style sheets.
const HIDING_CLASSES: &[&str] = &[
    "visually-hidden",
    "visuallyhidden",
    "sr-only",
    "screen-reader-text",
    "d-none",
    "hidden",
    "is-hidden",
    "invisible",
];

/// Nothing that is read is smaller than this, in pixels or points.
const LEGIBLE_SIZE: f64 = 2.0;

/// Further away than any part of a page that is only scrolled or swept in, in pixels.
const OFF_SCREEN: f64 = -900.0;

/// Bytes of style sheets that are looked through.
const SHEET_MAX_BYTES: usize = 512 * 1024;

/// The outermost hidden elements of a page, which came as this text.
pub(super) fn hidden(page: &Html, text: &str) -> Vec<NodeId> {
    let sheet = HidingRules::read(text);
    let mut found = Vec::new();
    // The backgrounds of the elements around, innermost last.
    let mut behind: Vec<String> = vec!["white".to_owned()];
    let mut skipped = 0_usize;
    for edge in page.tree.root().traverse() {
        match edge {
            Edge::Open(node) if skipped > 0 => skipped += usize::from(node.value().is_element()),
            Edge::Close(node) if skipped > 0 => skipped -= usize::from(node.value().is_element()),
            Edge::Open(node) => {
                let Node::Element(element) = node.value() else {
                    continue;
                };
                let around = behind.last().map_or("white", String::as_str);
                let style = InlineStyle::from_element(element);
                if sheet.hide(element) || style.hides(around) {
                    found.push(node.id());
                    skipped = 1;
                } else {
                    let own = style.background.unwrap_or_else(|| around.to_owned());
                    behind.push(own);
                }
            }
            Edge::Close(node) => {
                if node.value().is_element() {
                    behind.pop();
                }
            }
        }
    }
    found
}

/// What the style of one element says, as far as it can hide the text in it.
#[derive(Default)]
struct InlineStyle {
    declarations: Vec<(String, String)>,
    background: Option<String>,
}

impl InlineStyle {
    fn from_element(element: &Element) -> Self {
        let mut style = element
            .attr("style")
            .map_or_else(Self::default, Self::parse);
        let told = |name: &str| element.attr(name).map(colour);
        style.background = style.background.or_else(|| told("bgcolor"));
        if let Some(colour) = told("color").filter(|_| element.name() == "font") {
            style.declarations.push(("color".to_owned(), colour));
        }
        style
    }

    fn parse(text: &str) -> Self {
        let declarations = declarations(text);
        let background = declarations.iter().rev().find_map(|(name, value)| {
            let is_plain = !value.contains("url(") && !value.contains("gradient");
            match name.as_str() {
                "background-color" => Some(colour(value)),
                "background" if is_plain => Some(colour(value)),
                // A picture may have any colour.
                "background" | "background-image" => Some("picture".to_owned()),
                _ => None,
            }
        });
        Self {
            declarations,
            background: background.filter(|colour| colour != "transparent"),
        }
    }

    /// Whether text of this style cannot be seen on such a background.
    fn hides(&self, around: &str) -> bool {
        let value = |wanted: &str| self.value(wanted);
        let behind = self.background.as_deref().unwrap_or(around);
        let written_in = value("color").map(colour);
        let unseen_colour = written_in.is_some_and(|ink| ink == "transparent" || ink == behind);
        let size = value("font-size")
            .or_else(|| value("font"))
            .and_then(first_length);
        let placed = matches!(value("position"), Some("absolute" | "fixed"));
        let far = |name: &str| {
            value(name)
                .and_then(length)
                .is_some_and(|at| at <= OFF_SCREEN)
        };
        let away = placed
            && ["left", "top", "right", "bottom"]
                .iter()
                .any(|side| far(side));
        let is_zero = |name: &str| value(name).and_then(length).is_some_and(|size| size <= 1.0);
        let shut = value("overflow") == Some("hidden")
            && ["height", "max-height", "width", "max-width"]
                .iter()
                .any(|side| is_zero(side));
        unseen_colour
            || size.is_some_and(|size| size < LEGIBLE_SIZE)
            || value("opacity")
                .and_then(length)
                .is_some_and(|share| share < 0.05)
            || away
            || shut
            || far("text-indent")
            || value("clip")
                .is_some_and(|clip| clip.starts_with("rect(0") || clip.starts_with("rect(1px"))
            || value("clip-path")
                .is_some_and(|clip| clip.starts_with("inset(50%") || clip.starts_with("inset(100%"))
            || value("transform").is_some_and(|change| change.starts_with("scale(0"))
    }

    fn value(&self, wanted: &str) -> Option<&str> {
        let mut all = self.declarations.iter().rev();
        let found = all.find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether it takes the element itself off the page.
    fn removes(&self) -> bool {
        self.value("display") == Some("none")
            || matches!(self.value("visibility"), Some("hidden" | "collapse"))
    }

    /// Whether it is of the kind that brings an element back.
    fn shows(&self) -> bool {
        ["display", "visibility", "opacity"]
            .iter()
            .any(|name| self.value(name).is_some())
    }
}

/// The names and values of a list of declarations, in lower case and without blanks.
fn declarations(text: &str) -> Vec<(String, String)> {
    let parts = text.split(';').filter_map(|part| part.split_once(':'));
    let plain = |text: &str| -> String {
        let text = text.chars().filter(|c| !c.is_whitespace());
        text.collect::<String>().to_ascii_lowercase()
    };
    let value = |text: &str| plain(text).trim_end_matches("!important").to_owned();
    parts
        .map(|(name, told)| (plain(name), value(told)))
        .collect()
}

/// A colour in one form, as far as the usual ways to write it go.
fn colour(told: &str) -> String {
    let told: String = told.chars().filter(|c| !c.is_whitespace()).collect();
    let told = told.to_ascii_lowercase();
    match told.as_str() {
        "#fff"
        | "#ffffff"
        | "#ffff"
        | "#ffffffff"
        | "rgb(255,255,255)"
        | "rgba(255,255,255,1)"
        | "hsl(0,0%,100%)" => "white".to_owned(),
        "#000" | "#000000" | "rgb(0,0,0)" | "rgba(0,0,0,1)" => "black".to_owned(),
        other if other.starts_with("rgba(") && other.ends_with(",0)") => "transparent".to_owned(),
        other if other.starts_with('#') && other.len() == 9 && other.ends_with("00") => {
            "transparent".to_owned()
        }
        // #abc is #aabbcc.
        other if other.starts_with('#') && other.len() == 4 => {
            let digits = other.chars().skip(1).flat_map(|digit| [digit, digit]);
            std::iter::once('#').chain(digits).collect()
        }
        other => other.to_owned(),
    }
}

/// A length in pixels; what has another unit is taken at sixteen to one, as text is.
fn length(value: &str) -> Option<f64> {
    let end = value
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let number: f64 = number.parse().ok()?;
    Some(match unit {
        "em" | "rem" | "ch" | "vw" | "vh" => number * 16.0,
        "%" => number * 0.16,
        _ => number,
    })
}

/// The first length in a value such as `bold 0px/0 serif`, blanks taken out.
fn first_length(value: &str) -> Option<f64> {
    let at = value.find(|c: char| c.is_ascii_digit() || c == '.')?;
    length(value.get(at..)?)
}

/// Classes and names that the page's own style sheets hide, and those that another rule shows again, such as the tab that
/// is chosen.
#[derive(Default)]
struct HidingRules {
    classes: FixedSet<String>,
    ids: FixedSet<String>,
    shown: FixedSet<String>,
}

impl HidingRules {
    /// From the page as it came: what bounds its nesting has emptied the sheets.
    fn read(html: &str) -> Self {
        let mut rules = Self::default();
        let mut left = SHEET_MAX_BYTES;
        let mut rest = html;
        while let Some(begin) = find(rest, "<style", "<STYLE") {
            let sheet = rest.get(begin..).and_then(|tag| tag.split_once('>'));
            let Some((_, sheet)) = sheet else { break };
            let end = find(sheet, "</style", "</STYLE").unwrap_or(sheet.len());
            let taken = sheet.floor_char_boundary(end.min(left));
            rules.add(sheet.get(..taken).unwrap_or_default());
            left -= taken;
            rest = sheet.get(end..).unwrap_or_default();
        }
        rules
    }

    /// Adds the plain rules of a sheet. Those for other screens, for print and the like are passed over.
    fn add(&mut self, sheet: &str) {
        let mut rest = sheet;
        while let Some((selectors, body)) = rest.split_once('{') {
            let selectors = selectors
                .rsplit([';', '}', '/'])
                .next()
                .unwrap_or_default()
                .trim();
            if selectors.starts_with('@') {
                rest = behind_block(body);
                continue;
            }
            let Some((declarations, after)) = body.split_once('}') else {
                break;
            };
            rest = after;
            let style = InlineStyle::parse(declarations);
            if style.removes() || style.hides("") {
                selectors
                    .split(',')
                    .for_each(|one| self.add_selector(one.trim()));
            } else if style.shows() {
                let names = selectors.split(['.', '#', ',', ' ', ':', '>', '[']);
                self.shown.extend(names.map(str::to_owned));
            }
        }
    }

    /// A selector of one element: `.name`, `p.name` or `#name`.
    fn add_selector(&mut self, selector: &str) {
        let plain = |name: &str| {
            let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            !name.is_empty() && name.chars().all(fits)
        };
        let is_element = |name: &str| name.is_empty() || plain(name);
        if let Some((element, class)) = selector.split_once('.') {
            if is_element(element) && plain(class) {
                self.classes.insert(class.to_owned());
            }
        } else if let Some((element, id)) = selector.split_once('#')
            && is_element(element)
            && plain(id)
        {
            self.ids.insert(id.to_owned());
        }
    }

    fn hide(&self, element: &Element) -> bool {
        let classes = || element.classes();
        // Shown on wide screens: `hidden md:block`, `d-none d-md-block`.
        let shown_elsewhere = || {
            classes().any(|class| {
                class.contains(':') || (class.starts_with("d-") && class.len() > "d-none".len())
            })
        };
        let usual = classes().any(|class| HIDING_CLASSES.contains(&class));
        let hidden = |names: &FixedSet<String>, name: &str| {
            names.contains(name) && !self.shown.contains(name)
        };
        classes().any(|class| hidden(&self.classes, class))
            || element.id().is_some_and(|id| hidden(&self.ids, id))
            || (usual && !shown_elsewhere())
    }
}

/// What follows the block that has just been opened.
fn behind_block(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

/// Where a tag begins that is written in either of two ways.
fn find(text: &str, lower: &str, upper: &str) -> Option<usize> {
    let found = [text.find(lower), text.find(upper)];
    found.into_iter().flatten().min()
}
