//! A plain PDF of many pages, made from a text: enough for a reader, too little for a printer.

use std::fmt::Write as _;

const LINES_A_PAGE: usize = 54;
const LETTERS_A_LINE: usize = 92;

/// The text in lines on so many pages; it begins anew where it is too short.
pub(super) fn pdf(text: &str, pages: usize) -> Vec<u8> {
    let lines = lines(text);
    let wanted = pages * LINES_A_PAGE;
    let lines: Vec<&String> = lines.iter().cycle().take(wanted).collect();
    let kids: Vec<String> = (0..pages)
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Count {pages} /Kids [{}] >>",
            kids.join(" ")
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (page, shown) in lines.chunks(LINES_A_PAGE).enumerate() {
        let mut content = "BT /F1 9 Tf 50 790 Td 13 TL ".to_owned();
        for line in shown {
            // Writing to a string cannot fail.
            let _ = write!(content, "({line}) Tj T* ");
        }
        content.push_str("ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * page
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ));
    }
    assembled(&objects).into_bytes()
}

/// Lines of words, in ASCII, with what has a meaning in PDF left out.
fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if line.len() + word.len() > LETTERS_A_LINE {
                lines.push(std::mem::take(&mut line));
            }
            let plain = word
                .chars()
                .filter(|letter| letter.is_ascii() && !"()\\".contains(*letter));
            line.extend(plain);
            line.push(' ');
        }
        lines.push(line);
    }
    lines
}

fn assembled(objects: &[String]) -> String {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (nth, object) in (1..).zip(objects) {
        places.push(file.len());
        let _ = writeln!(file, "{nth} 0 obj\n{object}\nendobj");
    }
    let (table, count) = (file.len(), objects.len() + 1);
    let _ = write!(file, "xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    );
    file
}
