//! Small documents made for the tests.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A PDF with one page for each list of lines, set in Helvetica from the top down.
pub(super) fn pdf(pages: &[&[&str]]) -> Vec<u8> {
    let pages: Vec<Vec<(u32, u32, u32, &str)>> = pages
        .iter()
        .map(|lines| {
            let placed = lines.iter().zip((0..50_u32).rev());
            placed
                .map(|(line, row)| (72, 40 + row * 14, 11, *line))
                .collect()
        })
        .collect();
    placed_pdf(&pages)
}

/// A PDF with lines at places: x, y, size of the letters, text.
pub(super) fn placed_pdf(pages: &[Vec<(u32, u32, u32, &str)>]) -> Vec<u8> {
    let count = pages.len();
    let kids: Vec<String> = (0..count).map(|n| format!("{} 0 R", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {count} >>",
            kids.join(" ")
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (n, lines) in pages.iter().enumerate() {
        let mut content = String::new();
        for (x, y, size, line) in lines {
            let line = line
                .replace('\\', "\\\\")
                .replace('(', "\\(")
                .replace(')', "\\)");
            content.push_str(&format!("BT /F1 {size} Tf {x} {y} Td ({line}) Tj ET\n"));
        }
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * n
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{content}endstream",
            content.len()
        ));
    }
    file(&objects, "")
}

/// The file around numbered objects, with entries added to its trailer.
pub(super) fn file(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", n + 1).bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n")
            .bytes(),
    );
    out
}

/// A Word document with this body and these properties.
pub(super) fn docx(body: &str, properties: &str) -> Vec<u8> {
    let body = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>"
    );
    let styles = "<w:styles xmlns:w=\"w\"><w:style w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/></w:style>\
        <w:style w:styleId=\"Own\"><w:name w:val=\"My own\"/><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr></w:style></w:styles>";
    packed(&[
        ("word/document.xml", body.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("docProps/core.xml", properties.as_bytes()),
    ])
}

pub(super) fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("a part begins");
        writer.write_all(content).expect("a part is written");
    }
    writer.finish().expect("the archive ends").into_inner()
}
