//! PDFs made to do harm cost themselves and nothing else, for users of the library too.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fathom_store::library::pdf_subprocess::SubprocessLimits;
use fathom_store::library::{DocumentLibrary, LibraryLimits, PdfSubprocess, ReadProgress};

/// A PDF of one page with these drawing operators.
pub(super) fn pdf(content: &str) -> String {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
         /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
        format!(
            "<< /Length {} >>\nstream\n{content}endstream",
            content.len()
        ),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut rows = String::new();
    for (number, object) in (1..).zip(&objects) {
        rows.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = file.len();
    format!(
        "{file}xref\n0 6\n0000000000 65535 f \n{rows}trailer\n<< /Size 6 /Root 1 0 R >>\n\
         startxref\n{start}\n%%EOF\n"
    )
}

/// How many documents were read of a folder that holds this PDF and a text that is well, and what was left out.
fn read_beside(harmful: &str, limits: SubprocessLimits) -> (usize, String) {
    let [folder, index] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    fs::write(folder.path().join("harmful.pdf"), harmful).unwrap();
    let well = "Trees cool the streets they stand in by two degrees.";
    fs::write(folder.path().join("well.txt"), well).unwrap();
    let reader = PdfSubprocess::default()
        .with_program(Path::new(env!("CARGO_BIN_EXE_fathom")))
        .with_limits(limits);
    let library = DocumentLibrary::open(index.path(), LibraryLimits::default()).unwrap();
    let (progress, go) = (ReadProgress::default(), AtomicBool::new(false));
    let roots = [folder.path().to_owned()];
    library.update(&roots, &reader, &progress, &go).unwrap();
    let skipped = library.skipped().unwrap();
    let skipped = skipped.iter().map(|file| format!("{file:?}")).collect();
    (library.counts().unwrap().documents, skipped)
}

#[test]
fn a_pdf_that_asks_for_all_memory_costs_that_file_only() {
    // Blanks of kilometres: the parser looks for columns point by point.
    let line = |n: usize| {
        let blank = if n.is_multiple_of(2) {
            4_000_000_000_u32
        } else {
            0
        };
        let y = 700 - 14 * n;
        format!("BT /F1 11 Tf {blank} Tw 72 {y} Td (Some words stand in line {n} of it) Tj ET\n")
    };
    let content: String = (0..12).map(line).collect();
    let (documents, skipped) = read_beside(&pdf(&content), SubprocessLimits::default());
    assert_eq!(documents, 1);
    assert!(skipped.contains("too much time or memory"), "{skipped}");
}

#[test]
fn a_pdf_that_takes_long_costs_that_file_only() {
    let word = |n: usize| {
        let (x, y) = (20 + n % 200 * 3, 20 + n / 200 * 3);
        format!("BT /F1 11 Tf {x} {y} Td (w{n}) Tj ET\n")
    };
    let content: String = (0..50_000).map(word).collect();
    let limits = SubprocessLimits {
        cpu_seconds: 1,
        ..SubprocessLimits::default()
    };
    let (documents, skipped) = read_beside(&pdf(&content), limits);
    assert_eq!(documents, 1);
    assert!(skipped.contains("too much time or memory"), "{skipped}");
}
