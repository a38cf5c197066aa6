//! Documents that are made to end whoever reads them.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::sandbox::{QUESTION, Sandbox};

/// Arrays inside arrays, as many as no stack holds, packed where no look at the file's own bytes sees them.
const DEPTH: usize = 2_000_000;

#[test]
fn a_pdf_that_exhausts_its_reader_costs_that_file_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.file("library/deep.pdf", pdf(DEPTH));
    sandbox.file("library/flat.pdf", pdf(3));
    let ran = sandbox.run(&["report", QUESTION, "--library", "library"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("deep.pdf"), "{}", ran.err);
    let found = sandbox.run(&["library", "search", "two degrees", "--library", "library"]);
    assert!(found.out.contains("flat.pdf"), "{}", found.out);
    assert!(!found.out.contains("deep.pdf"), "{}", found.out);
}

/// A page with a sentence on it, whose font has arrays nested so deep.
fn pdf(depth: usize) -> Vec<u8> {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    let font =
        format!("5 0 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Deep {open}{close} >>");
    let text =
        "BT /F1 12 Tf 20 200 Td (Street trees cool the air by two degrees on hot days.) Tj ET";
    let mut file = Pdf::default();
    file.object(1, b"<< /Type /Catalog /Pages 2 0 R >>");
    file.object(2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    file.object(3, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>");
    file.object(4, &stream("", text.as_bytes()));
    file.object(
        6,
        &stream(
            "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode",
            &packed(font.as_bytes()),
        ),
    );
    file.ended()
}

#[derive(Default)]
struct Pdf {
    bytes: Vec<u8>,
    /// Where each object begins, by its number.
    places: Vec<(u8, usize)>,
}

impl Pdf {
    fn object(&mut self, number: u8, body: &[u8]) {
        if self.bytes.is_empty() {
            self.bytes.extend(b"%PDF-1.5\n");
        }
        self.places.push((number, self.bytes.len()));
        self.bytes.extend(format!("{number} 0 obj\n").into_bytes());
        self.bytes.extend(body);
        self.bytes.extend(b"\nendobj\n");
    }

    /// The file with its table of places, in which object 5 stands in the stream of object 6.
    fn ended(mut self) -> Vec<u8> {
        let table = self.bytes.len();
        let mut rows = vec![0; 7];
        for number in 1..=7 {
            let place = self.places.iter().find(|(known, _)| *known == number);
            let (kind, place) = match (number, place) {
                (5, _) => (2, 6),
                (_, Some((_, place))) => (1, *place),
                (_, None) => (1, table),
            };
            rows.push(kind);
            rows.extend(u32::try_from(place).unwrap().to_be_bytes());
            rows.extend([0, 0]);
        }
        self.object(
            7,
            &stream("/Type /XRef /Size 8 /W [1 4 2] /Root 1 0 R", &rows),
        );
        self.bytes
            .extend(format!("startxref\n{table}\n%%EOF\n").into_bytes());
        self.bytes
    }
}

fn stream(about: &str, data: &[u8]) -> Vec<u8> {
    let mut body = format!("<< /Length {} {about} >>\nstream\n", data.len()).into_bytes();
    body.extend(data);
    body.extend(b"\nendstream");
    body
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}
