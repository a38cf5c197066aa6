//! A picture as PNG. Words are drawn in a font that the program brings with it, so that they appear on a machine without
//! fonts; a letter that the font does not have (Chinese, for one) is left out here, and is there in the SVG.

use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::{Anchor, Picture, PictureText, STROKE, Shape};

/// DejaVu Sans Condensed, cut down to Latin, Greek and Cyrillic letters; for bold words to Latin ones.
const PLAIN_FONT: &[u8] = include_bytes!("../../../fonts/DejaVuSansCondensed-subset.ttf");
const BOLD_FONT: &[u8] = include_bytes!("../../../fonts/DejaVuSansCondensed-Bold-subset.ttf");

/// So many dots for each unit of the picture: sharp in print.
const SCALE: usize = 2;

/// About 1,000 trials; each dot takes four bytes of memory while it is drawn.
const DOTS_MOST: usize = 128_000_000;

/// A picture with too many trials for one PNG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the picture is too large for a PNG; use the SVG, or fewer trials")]
pub struct PictureTooLarge;

impl Picture {
    /// As PNG, the same bytes for the same picture.
    pub fn png(&self) -> Result<Vec<u8>, PictureTooLarge> {
        let (width, height) = (self.width * SCALE, self.height * SCALE);
        if width.saturating_mul(height) > DOTS_MOST {
            return Err(PictureTooLarge);
        }
        let size = (u32::try_from(width), u32::try_from(height));
        let (Ok(width), Ok(height)) = size else {
            return Err(PictureTooLarge);
        };
        let mut canvas = Canvas {
            dots: Pixmap::new(width, height).ok_or(PictureTooLarge)?,
            plain: Face::parse(PLAIN_FONT, 0).ok(),
            bold: Face::parse(BOLD_FONT, 0).ok(),
        };
        canvas.dots.fill(Color::WHITE);
        for shape in &self.shapes {
            canvas.draw(shape);
        }
        canvas.dots.encode_png().map_err(|_| PictureTooLarge)
    }
}

/// What is drawn on.
struct Canvas<'f> {
    dots: Pixmap,
    plain: Option<Face<'f>>,
    bold: Option<Face<'f>>,
}

impl Canvas<'_> {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Rect {
                at: (x, y),
                size: (width, height),
                fill,
                outlined,
                title: _,
            } => {
                let rect = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32);
                let path = rect.map(PathBuilder::from_rect);
                self.put(path, fill, *outlined);
            }
            Shape::Circle {
                at: (x, y),
                radius,
                fill,
            } => {
                let path = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                self.put(path, fill, true);
            }
            Shape::Text(text) => {
                let own = if text.bold { &self.bold } else { &self.plain };
                let faces: Vec<&Face<'_>> = [own, &self.plain].into_iter().flatten().collect();
                let path = outline(text, &faces);
                self.put(path, "#000000", false);
            }
        }
    }

    fn put(&mut self, path: Option<Path>, fill: &str, outlined: bool) {
        let Some(path) = path else { return };
        let scale = Transform::from_scale(SCALE as f32, SCALE as f32);
        self.dots
            .fill_path(&path, &paint(fill), FillRule::Winding, scale, None);
        if outlined {
            let line = Stroke::default();
            self.dots
                .stroke_path(&path, &paint(STROKE), &line, scale, None);
        }
    }
}

/// A colour that is written as `#rrggbb`.
fn paint(colour: &str) -> Paint<'static> {
    let part = |at: usize| {
        let digits = colour.get(at..at + 2).unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or(0)
    };
    let mut paint = Paint::default();
    paint.set_color_rgba8(part(1), part(3), part(5), 255);
    paint.anti_alias = true;
    paint
}

/// The outlines of a text's letters, in the first font that has each.
fn outline(text: &PictureText, faces: &[&Face<'_>]) -> Option<Path> {
    let mut letters = Vec::new();
    let mut width = 0.0;
    for letter in text.words.chars() {
        let found = faces
            .iter()
            .find_map(|face| Some((*face, face.glyph_index(letter)?)));
        let Some((face, glyph)) = found else { continue };
        let scale = text.size as f32 / f32::from(face.units_per_em());
        letters.push((face, glyph, width, scale));
        width += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
    }
    let left = text.at.0 as f32
        - match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
    let mut drawn = LetterPath {
        path: PathBuilder::new(),
        left,
        line: text.at.1 as f32,
        scale: 1.0,
    };
    for (face, glyph, before, scale) in letters {
        (drawn.left, drawn.scale) = (left + before, scale);
        face.outline_glyph(glyph, &mut drawn);
    }
    drawn.path.finish()
}

/// Puts a letter's outline where it belongs. Fonts count upwards, pictures downwards.
struct LetterPath {
    path: PathBuilder,
    left: f32,
    line: f32,
    scale: f32,
}

impl LetterPath {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.left + x * self.scale, self.line - y * self.scale)
    }
}

impl OutlineBuilder for LetterPath {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2)) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
