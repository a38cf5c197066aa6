//! A picture of rectangles, circles and words, and its form as SVG; `png` has the other form.

mod png;

use std::fmt::Write as _;

use crate::clean;

pub use png::PictureTooLarge;

const FONT: &str = "font-family=\"Helvetica, Arial, sans-serif\"";

/// Lines around shapes.
const STROKE: &str = "#333333";

/// Something drawn, the first shape undermost.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) title: String,
    pub(super) shapes: Vec<Shape>,
}

/// What a picture is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Rect {
        at: (f64, f64),
        size: (f64, f64),
        fill: &'static str,
        outlined: bool,
        /// Shown when a pointer rests on it.
        title: Option<String>,
    },
    Circle {
        at: (usize, usize),
        radius: usize,
        fill: &'static str,
    },
    Text(PictureText),
}

/// Words in a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PictureText {
    pub(super) at: (usize, usize),
    pub(super) anchor: Anchor,
    pub(super) size: usize,
    pub(super) bold: bool,
    pub(super) words: String,
}

/// Which part of a text stands where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Picture {
    pub(super) fn new(width: usize, height: usize, title: &str) -> Self {
        Self {
            width,
            height,
            title: title.to_owned(),
            shapes: Vec::new(),
        }
    }

    /// As SVG, with nothing loaded from elsewhere.
    pub fn svg(&self) -> String {
        let (width, height, title) = (self.width, self.height, clean::xml(&self.title));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\"><title>{title}</title><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        for shape in &self.shapes {
            shape.write_svg(&mut svg);
            svg.push('\n');
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Shape {
    fn write_svg(&self, svg: &mut String) {
        // A string takes all that is written to it.
        let _ = match self {
            Self::Rect {
                at: (x, y),
                size: (width, height),
                fill,
                outlined,
                title,
            } => {
                let stroke = if *outlined {
                    format!(" stroke=\"{STROKE}\"")
                } else {
                    String::new()
                };
                let title = title.as_deref().map_or_else(String::new, |title| {
                    format!("<title>{}</title>", clean::xml(title))
                });
                write!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"{stroke}>{title}</rect>"
                )
            }
            Self::Circle {
                at: (x, y),
                radius,
                fill,
            } => write!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{STROKE}\"/>"
            ),
            Self::Text(text) => {
                let (x, y) = text.at;
                let anchor = match text.anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let weight = if text.bold {
                    " font-weight=\"bold\""
                } else {
                    ""
                };
                write!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{}\" {FONT}{weight}>{}</text>",
                    text.size,
                    clean::xml(&text.words)
                )
            }
        };
    }
}
