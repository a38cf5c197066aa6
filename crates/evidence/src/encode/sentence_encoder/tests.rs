//! The tiny model has one word piece for each letter and a few words, of which some mean the same. Where
//! `FATHOM_ENCODER` names a folder with `model.onnx` and `vocab.txt` of all-MiniLM-L6-v2, that model is held to figures of its
//! own runtime too.

use std::path::PathBuf;

use super::*;

const MODEL: &[u8] = include_bytes!("../../../tests/fixtures/tiny-encoder/model.onnx");
const VOCABULARY: &str = include_str!("../../../tests/fixtures/tiny-encoder/vocab.txt");

fn tiny() -> SentenceEncoder {
    SentenceEncoder::load(MODEL.to_vec(), VOCABULARY, 1).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn texts_of_one_meaning_lie_near_each_other() {
    let texts = [
        "a cheap car",
        "an inexpensive automobile",
        "oak in the rain",
    ];
    let vectors = tiny().encode_all(&texts).unwrap();
    let near = cosine(&vectors[0], &vectors[1]);
    assert!(near > cosine(&vectors[0], &vectors[2]) + 0.2, "{near}");
    for vector in &vectors {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_text_has_one_vector_whatever_stands_beside_it() {
    let long = "the rain fell on the trees ".repeat(40);
    let texts: Vec<String> = (0..21)
        .map(|n| format!("{} {}", "car ".repeat(n % 5), long.get(..n * 40).unwrap()))
        .chain([String::new(), "中 ☂ \u{0}".to_owned()])
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let encoder = tiny();
    let together = encoder.encode_all(&texts).unwrap();
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        let alone = encoder.encode_all(&[text]).unwrap();
        assert!(cosine(vector, &alone[0]) > 0.99999, "{text}");
    }
    assert!(encoder.encode_all(&[]).unwrap().is_empty());
}

#[test]
fn what_comes_after_the_first_pieces_does_not_count() {
    let beginning = "rain ".repeat(254);
    let vectors = tiny()
        .encode_all(&[&beginning, &format!("{beginning}car car car")])
        .unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > 0.99999);
}

#[test]
fn files_that_are_none_of_an_encoder_are_refused() {
    let refused = |model: &[u8], vocabulary: &str| {
        let loaded = SentenceEncoder::load(model.to_vec(), vocabulary, 1);
        loaded.map(drop).unwrap_err().to_string()
    };
    assert_eq!(
        refused(MODEL, "tree\n"),
        "the encoder's files cannot be used: the vocabulary has no [CLS], [SEP] and [UNK]"
    );
    for half in [0, 1, 100, MODEL.len() / 2] {
        refused(&MODEL[..half], VOCABULARY);
    }
    refused(b"<html>Not found</html>", VOCABULARY);
}

fn minilm() -> Option<SentenceEncoder> {
    let folder = PathBuf::from(std::env::var_os("FATHOM_ENCODER")?);
    let model = std::fs::read(folder.join("model.onnx")).unwrap();
    let vocabulary = std::fs::read_to_string(folder.join("vocab.txt")).unwrap();
    Some(SentenceEncoder::load(model, &vocabulary, 2).unwrap())
}

/// The first numbers of two vectors, as onnxruntime 1.31 gives them for the same file.
#[test]
fn minilm_gives_the_vectors_of_its_own_runtime() {
    let Some(encoder) = minilm() else { return };
    let texts = [
        "How much do street trees lower the afternoon air temperature?",
        "Die Straßenbäume kühlen im Sommer um 1,5 °C.",
    ];
    let expected = [
        [0.08351, 0.05374, 0.09003, 0.12745, 0.03783, -0.14478],
        [0.01636, 0.04033, -0.00034, 0.05099, -0.05433, 0.01424],
    ];
    for (vector, expected) in encoder.encode_all(&texts).unwrap().iter().zip(expected) {
        for (value, expected) in vector.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-4, "{value} for {expected}");
        }
    }
}

/// Where `FATHOM_DATA` has them: questions and the pieces that the original tokenizer makes of them.
#[test]
fn questions_are_cut_into_the_original_pieces() {
    let (Some(encoder), Some(data)) = (minilm(), std::env::var_os("FATHOM_DATA")) else {
        return;
    };
    let path = PathBuf::from(data).join("encoder_golden/beir_wordpiece.jsonl");
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let asked: serde_json::Value = serde_json::from_str(line).unwrap();
        let pieces = asked["wordpiece"].as_array().unwrap();
        let expected = pieces.iter().map(|piece| {
            let piece = piece.as_str().unwrap();
            encoder.pieces.number(piece).unwrap()
        });
        let numbers = encoder
            .pieces
            .numbers(asked["text"].as_str().unwrap(), 100_000);
        let inside = &numbers[1..numbers.len() - 1];
        assert!(inside.iter().copied().eq(expected), "{}", asked["text"]);
    }
}
