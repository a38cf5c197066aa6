//! T22, the part about content: encodings, bombs and sizes.

use std::{io, time::Duration};

use async_compression::{
    Level,
    tokio::write::{DeflateEncoder, GzipEncoder, ZlibEncoder},
};
use tokio::io::AsyncWriteExt;

use crate::fetch::{
    FetchError, FetchedPage, PageCut,
    tests::world::{FetchAct, FetchWorld, answer, head, not_found},
};

const MIB: usize = 1024 * 1024;
const BOMB_BYTES: usize = 16 * MIB;

/// As servers do it. The fastest level packs nothing better than 100:1 in some libraries.
const PACKED: Level = Level::Precise(6);

async fn fetch(acts: Vec<FetchAct>) -> Result<FetchedPage, FetchError> {
    let world = FetchWorld::serving(move |asked| match asked.path.as_str() {
        "/robots.txt" => not_found(),
        _ => acts.clone(),
    });
    let world = world.name("example.com", &["93.184.216.34"]);
    world.get("http://example.com/").await
}

async fn fetch_encoded(encoding: &str, body: &[u8]) -> Result<FetchedPage, FetchError> {
    fetch(answer(
        200,
        &[&format!("content-encoding: {encoding}")],
        body,
    ))
    .await
}

/// Encodes by the name that a header uses; `raw` is deflate without zlib's header.
async fn encode(encoding: &str, plain: &[u8]) -> io::Result<Vec<u8>> {
    macro_rules! through {
        ($encoder:ident) => {{
            let mut encoder = $encoder::with_quality(Vec::new(), PACKED);
            encoder.write_all(plain).await?;
            encoder.shutdown().await?;
            Ok(encoder.into_inner())
        }};
    }
    match encoding {
        "gzip" => through!(GzipEncoder),
        "deflate" => through!(ZlibEncoder),
        _ => through!(DeflateEncoder),
    }
}

/// Text that packs about as well as pages do.
fn prose(bytes: usize) -> Vec<u8> {
    let words = (0..).map(|n: u64| format!("{:x} ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40));
    let mut text: Vec<u8> = words.take(bytes / 6).flat_map(String::into_bytes).collect();
    text.resize(bytes, b'.');
    text
}

#[tokio::test]
async fn each_encoding_is_undone_once() {
    let plain = prose(300_000);
    for encoding in ["gzip", "deflate", "raw"] {
        let body = encode(encoding, &plain).await.unwrap();
        let header = if encoding == "raw" {
            "deflate"
        } else {
            encoding
        };
        let page = fetch_encoded(header, &body).await.unwrap();
        assert!(page.bytes == plain && page.cut.is_none(), "{encoding}");
        // Encoded twice and said once: the inner layer is content, and stays.
        let twice = encode(encoding, &body).await.unwrap();
        assert!(fetch_encoded(header, &twice).await.unwrap().bytes == body);
    }
    let odd = encode("gzip", &plain).await.unwrap();
    assert!(fetch_encoded("X-GZIP, identity", &odd).await.unwrap().bytes == plain);
}

#[tokio::test]
async fn nested_and_unknown_encodings_are_refused() {
    for nested in [
        "gzip, gzip",
        "deflate,gzip",
        "deflate\r\ncontent-encoding: gzip",
    ] {
        let fault = fetch_encoded(nested, b"whatever").await.unwrap_err();
        assert!(
            matches!(fault, FetchError::NestedEncoding),
            "{nested}: {fault:?}"
        );
    }
    for unknown in ["compress", "br", "zstd"] {
        for body in [b"whatever".as_slice(), b""] {
            let fault = fetch_encoded(unknown, body).await.unwrap_err();
            assert!(
                matches!(&fault, FetchError::UnknownEncoding { encoding } if encoding == unknown),
                "{unknown}: {fault:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_bomb_goes_off_in_no_encoding() {
    let mut figures = Vec::new();
    for encoding in ["gzip", "deflate", "raw"] {
        let bomb = encode(encoding, &vec![0; BOMB_BYTES]).await.unwrap();
        let header = if encoding == "raw" {
            "deflate"
        } else {
            encoding
        };
        let fault = fetch_encoded(header, &bomb).await.unwrap_err();
        let FetchError::Bomb { encoded, decoded } = fault else {
            panic!("{encoding}: {fault:?}");
        };
        // Stopped within a chunk of the moment it passed 100:1 or the first buffer of it came.
        assert!(
            decoded <= 100 * encoded + 16 * 1024 + 64 * 1024,
            "{encoding}"
        );
        figures.push(format!(
            "{encoding} {} bytes, stopped at {decoded}",
            bomb.len()
        ));
    }
    println!("T22: bombs of {BOMB_BYTES} bytes: {}", figures.join("; "));
}

#[tokio::test]
async fn a_bomb_behind_an_honest_beginning_is_found_too() {
    let mut plain = b"%PDF-1.7\n".to_vec();
    plain.extend(prose(50_000));
    plain.resize(24 * MIB, 0);
    let body = encode("gzip", &plain).await.unwrap();
    let fault = fetch_encoded("gzip", &body).await.unwrap_err();
    assert!(matches!(fault, FetchError::Bomb { .. }), "{fault:?}");
}

#[tokio::test]
async fn a_small_page_of_blanks_is_no_bomb() {
    let plain = vec![b' '; 60_000];
    let body = encode("gzip", &plain).await.unwrap();
    assert!(fetch_encoded("gzip", &body).await.unwrap().bytes == plain);
}

#[tokio::test]
async fn an_empty_body_is_empty_in_every_encoding() {
    for encoding in ["identity", "gzip", "deflate"] {
        let page = fetch_encoded(encoding, b"").await.unwrap();
        assert!(page.bytes.is_empty(), "{encoding}");
    }
}

#[tokio::test]
async fn damaged_and_truncated_encodings_are_faults() {
    let plain = prose(200_000);
    for encoding in ["gzip", "deflate"] {
        let body = encode(encoding, &plain).await.unwrap();
        let half = fetch_encoded(encoding, &body[..body.len() / 2]).await;
        assert!(
            matches!(half, Err(FetchError::BrokenEncoding)),
            "{encoding}"
        );
        let text = fetch_encoded(encoding, b"<html>not encoded at all</html>").await;
        assert!(
            matches!(text, Err(FetchError::BrokenEncoding)),
            "{encoding}"
        );
    }
}

#[tokio::test]
async fn a_text_is_cut_at_its_limit_and_says_so() {
    let whole = fetch(answer(200, &[], &prose(5 * MIB))).await.unwrap();
    assert_eq!((whole.bytes.len(), whole.cut), (5 * MIB, None));
    let long = prose(6 * MIB);
    let at_bytes = 5 * MIB;
    for encoding in ["identity", "gzip"] {
        let body = match encoding {
            "gzip" => encode("gzip", &long).await.unwrap(),
            _ => long.clone(),
        };
        let page = fetch_encoded(encoding, &body).await.unwrap();
        assert!(page.bytes == long[..at_bytes]);
        assert_eq!(page.cut, Some(PageCut { at_bytes }));
    }
}

#[tokio::test]
async fn an_endless_text_is_cut_and_an_endless_document_is_a_fault() {
    let endless = |start: &[u8]| {
        let start = [head(200, &[]), start.to_vec()].concat();
        vec![
            FetchAct::Send(start),
            FetchAct::Endless(prose(60_000), Duration::ZERO),
        ]
    };
    let page = fetch(endless(b"<html>")).await.unwrap();
    assert_eq!(page.bytes.len(), 5 * MIB);
    assert!(page.cut.is_some());
    for document in [b"%PDF-1.7\n".as_slice(), b"PK\x03\x04"] {
        let fault = fetch(endless(document)).await.unwrap_err();
        assert!(matches!(fault, FetchError::TooLarge { limit } if limit == 25 * MIB));
    }
}

#[tokio::test]
async fn a_pdf_may_be_larger_than_a_text_and_is_never_cut() {
    let mut pdf = b"%PDF-1.7\n".to_vec();
    pdf.extend(prose(10 * MIB));
    // What the server calls it doesn't matter.
    let page = fetch(answer(200, &["content-type: text/html"], &pdf))
        .await
        .unwrap();
    assert!(page.bytes == pdf && page.cut.is_none());
    // Said to be too large, it is not begun: no byte of it is ever sent here.
    let headers = ["content-type: application/pdf", "content-length: 30000000"];
    let declared = fetch(vec![FetchAct::Send(head(200, &headers)), FetchAct::Hang]).await;
    assert!(matches!(declared, Err(FetchError::TooLarge { .. })));
}
