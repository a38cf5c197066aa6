use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::sandbox::{QUESTION, Sandbox};

#[test]
fn added_folders_are_listed_searched_used_and_removed() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    let added = sandbox.run(&["library", "add", "library"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(
        added.out.starts_with("default: 3 documents, "),
        "{}",
        added.out
    );
    sandbox.run(&["library", "add", "library"]);
    let listed = sandbox.run(&["library", "list"]).out;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(listed.starts_with("default: 3 documents, "), "{listed}");
    let found = sandbox
        .run(&["library", "search", "heat at night", "--limit", "1"])
        .out;
    assert!(found.starts_with("Night heat"), "{found}");
    let found = sandbox
        .run(&["library", "search", "light paving", "--json"])
        .out;
    let first: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!(first["name"], "paving.txt");
    let ran = sandbox.run(&["report", QUESTION, "-q"]);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
    assert_eq!(sandbox.run(&["library", "remove", "library"]).code, 0);
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    assert_eq!(sandbox.run(&["library", "remove", "library"]).code, 2);
}

#[test]
fn one_file_is_a_library() {
    let sandbox = Sandbox::new();
    let words = ["report", QUESTION, "--library", "library/night.md", "-q"];
    let ran = sandbox.run(&words);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    assert!(ran.out.contains("night.md"), "{}", ran.out);
    let added = sandbox.run(&["library", "add", "library/night.md"]);
    assert!(
        added.out.starts_with("default: 1 document, "),
        "{}",
        added.out
    );
    let listed = sandbox.run(&["library", "list"]).out;
    assert!(listed.ends_with("night.md\n"), "{listed}");
}

#[test]
fn a_search_without_a_library_says_what_to_do() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.run(&["library", "search", "trees"]).err, @r"
    error: There is no library to search.
    Give --library DIR, or add one: fathom library add DIR
    ");
    assert_eq!(sandbox.run(&["library", "add", "nowhere"]).code, 2);
}

#[test]
fn a_search_for_nothing_says_what_to_do() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["library", "search", " ", "--library", "library"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.err, @r#"
    error: There is nothing to search for.
    Give words, as in: fathom library search "street trees"
    "#);
}

#[test]
fn a_run_that_is_taken_up_elsewhere_finds_its_library_again() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let mut command = sandbox.command();
    command
        .args(["runs", "review", &id, "approve"])
        .current_dir("/");
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("1.9 °C cooler"), "{out}");
}

#[test]
fn a_named_library_is_searched_by_its_name_and_goes_as_a_whole() {
    let sandbox = Sandbox::new();
    let added = sandbox.run(&["library", "add", "library/night.md", "--library", "nights"]);
    assert!(
        added.out.starts_with("nights: 1 document, "),
        "{}",
        added.err
    );
    let found = sandbox.run(&["library", "search", "heat", "--library", "nights", "--json"]);
    assert!(found.out.contains("night.md"), "{}", found.err);
    let report = sandbox.run(&["report", QUESTION, "-q", "--library", "nights"]);
    assert!([0, 3].contains(&report.code), "{}", report.err);
    assert!(report.out.contains("night.md"), "{}", report.out);
    assert_eq!(
        sandbox
            .run(&["library", "add", "library", "--library", "a/b"])
            .code,
        2
    );
    assert_eq!(
        sandbox
            .run(&["library", "remove", "--library", "nights"])
            .code,
        0
    );
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    assert_eq!(
        sandbox
            .run(&["library", "remove", "--library", "nights"])
            .code,
        2
    );
}

#[test]
fn what_was_left_out_is_listed_with_its_reason() {
    let sandbox = Sandbox::new();
    let large = std::fs::File::create(sandbox.path("library/large.txt")).unwrap();
    large.set_len(2 << 30).unwrap();
    sandbox.file("library/photo.png", b"\x89PNG\r\n\x1a\n");
    let added = sandbox.run(&["library", "add", "library"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(added.out.contains("3 documents"), "{}", added.out);
    assert!(added.out.ends_with("2 files skipped\n"), "{}", added.out);
    let listed = sandbox.run(&["library", "list", "--skipped"]).out;
    assert!(
        listed.contains("  skipped large.txt: it has 2048 MiB"),
        "{listed}"
    );
    assert!(listed.contains("  skipped photo.png: "), "{listed}");
}

/// The documents that an index says it has; 0 before there is one.
fn committed(index: &std::path::Path) -> i64 {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(index, flags);
    let counted = connection.and_then(|connection| {
        let wanted = "SELECT count(text) + (SELECT count(*) FROM segments) FROM files";
        connection.query_row(wanted, [], |row| row.get(0))
    });
    counted.unwrap_or(0)
}

#[test]
fn a_library_whose_indexing_is_killed_thirty_times_loses_and_doubles_nothing() {
    const FILES: usize = 400;
    const KILLS: i64 = 30;
    let sandbox = Sandbox::new();
    for nth in 0..FILES {
        let text = format!("# Street {nth}\n\nIn street word{nth}x there are {nth} trees. ")
            .repeat(1 + nth % 40);
        sandbox.file(&format!("many/{nth}.md"), text);
    }
    let update = ["library", "update", "--library", "many"];
    let index = |sandbox: &Sandbox| {
        let unnamed = std::fs::read_dir(sandbox.path("home/libraries/unnamed"));
        let folder = unnamed.ok()?.next()?.ok()?.path();
        Some(folder.join("index.sqlite"))
    };
    for nth in 0..KILLS {
        let mut command = sandbox.command();
        command
            .args(update)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let before = index(&sandbox).map_or(0, |index| committed(&index));
        // Some are killed while they start, others once they have written something.
        for _ in 0..20_000 * (nth % 4) {
            let now = index(&sandbox).map_or(0, |index| committed(&index));
            if now != before || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let done = sandbox.run(&update);
    let fresh = Sandbox::new();
    let elsewhere = sandbox.path("many");
    let whole = fresh.run(&[
        "library",
        "update",
        "--library",
        elsewhere.to_str().unwrap(),
    ]);
    let counts = |out: &str| out.split_once(": ").map(|(_, counts)| counts.to_owned());
    assert!(
        done.out.contains("400 documents"),
        "{} {}",
        done.out,
        done.err
    );
    assert_eq!(counts(&done.out), counts(&whole.out));
    for nth in [0, 17, 399] {
        let word = format!("word{nth}x");
        let found = sandbox
            .run(&["library", "search", &word, "--library", "many", "--json"])
            .out;
        let first: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
        assert_eq!(first["name"], format!("{nth}.md"), "{found}");
    }
}

#[test]
fn a_book_is_read_like_any_document() {
    let sandbox = Sandbox::new();
    let chapter = "<html><body><h1>Limes</h1><p>Lime trees bear the drought of towns better than birches.</p></body></html>";
    let parts = [
        (
            "META-INF/container.xml",
            "<container><rootfile full-path=\"book.opf\"/></container>",
        ),
        (
            "book.opf",
            "<package><metadata><dc:title>On limes</dc:title></metadata><manifest><item id=\"a\" href=\"a.xhtml\"/></manifest><spine><itemref idref=\"a\"/></spine></package>",
        ),
        ("a.xhtml", chapter),
    ];
    let mut book = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        let plain = zip::write::SimpleFileOptions::default();
        book.start_file(name, plain).unwrap();
        book.write_all(text.as_bytes()).unwrap();
    }
    sandbox.file("library/limes.epub", book.finish().unwrap().into_inner());
    let words = [
        "library",
        "search",
        "lime trees drought",
        "--library",
        "library",
        "--json",
    ];
    let found: Value =
        serde_json::from_str(sandbox.run(&words).out.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&found["name"], &found["title"]),
        (&"limes.epub".into(), &"On limes".into())
    );
}

#[test]
fn an_index_without_a_name_goes_when_its_folder_is_gone_or_it_was_not_used_for_long() {
    let sandbox = Sandbox::new();
    let indexes =
        || std::fs::read_dir(sandbox.path("home/libraries/unnamed")).map_or(0, |all| all.count());
    sandbox.file("other/one.md", "Trees cool the air.");
    for folder in ["library", "other"] {
        let found = sandbox.run(&["library", "search", "trees", "--library", folder]);
        assert_eq!(found.code, 0, "{}", found.err);
    }
    assert_eq!(indexes(), 2);
    std::fs::remove_dir_all(sandbox.path("other")).unwrap();
    sandbox.run(&["library", "list"]);
    assert_eq!(indexes(), 1);
    let at_once = [("FATHOM_LIBRARY_UNNAMED_TTL_DAYS", "0")];
    sandbox.run_with(&at_once, &["library", "list"]);
    assert_eq!(indexes(), 0);
}

/// One page whose text can be changed, at an address of this machine; notes the requests for it.
struct OnePage {
    address: String,
    host: String,
    text: Arc<Mutex<(&'static str, &'static str)>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl OnePage {
    fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let text = Arc::new(Mutex::new((
            "\"1\"",
            "Lime trees bear the drought of towns.",
        )));
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (page, noted) = (Arc::clone(&text), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4096];
                let read = stream.read(&mut request).unwrap();
                let asked = String::from_utf8_lossy(&request[..read]).to_lowercase();
                let (etag, text) = *page.lock().unwrap();
                let (status, body) = if !asked.contains("/limes") {
                    ("404 Not Found", String::new())
                } else if asked.contains(&format!("if-none-match: {etag}")) {
                    ("304 Not Modified", String::new())
                } else {
                    let body = format!(
                        "<html><head><title>Limes</title></head><body><p>{text}</p></body></html>"
                    );
                    ("200 OK", body)
                };
                if asked.contains("/limes") {
                    noted.lock().unwrap().push(status.to_owned());
                }
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\netag: {etag}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(head.as_bytes());
            }
        });
        Self {
            address: format!("http://{host}/limes"),
            host,
            text,
            requests,
        }
    }
}

#[test]
fn a_page_is_added_by_its_address_cited_by_it_and_fetched_again_only_when_it_changed() {
    let sandbox = Sandbox::new();
    let page = OnePage::serve();
    let run = |words: &[&str]| sandbox.run_with(&[("FATHOM_FETCH_ALLOW", &page.host)], words);
    let refused = sandbox.run(&["library", "add", &page.address]);
    assert_eq!(refused.code, 2, "the fetcher's rules hold: {}", refused.err);
    assert_eq!(sandbox.run(&["library", "list"]).out, "");

    let added = run(&["library", "add", &page.address]);
    assert!(
        added.out.starts_with("default: 1 document, "),
        "{} {}",
        added.out,
        added.err
    );
    let listed = run(&["library", "list"]).out;
    assert!(
        listed.contains(&format!("\n  {}\n", page.address)),
        "{listed}"
    );
    let asked = run(&[
        "ask",
        "Which trees bear the drought of towns?",
        "--json",
        "-q",
    ]);
    let answer = &asked.result()["answer"];
    assert_eq!(answer["sources"][0]["location"], page.address, "{answer}");
    assert!(
        answer["text"].as_str().unwrap().contains("Lime trees"),
        "{answer}"
    );

    run(&["library", "update"]);
    *page.text.lock().unwrap() = ("\"2\"", "Plane trees bear the drought of towns.");
    run(&["library", "update"]);
    let found = run(&["library", "search", "drought", "--json"]).out;
    assert!(
        found.contains("Plane trees") && !found.contains("Lime trees"),
        "{found}"
    );
    let statuses = page.requests.lock().unwrap().clone();
    assert_eq!(statuses, ["200 OK", "304 Not Modified", "200 OK"]);

    assert_eq!(run(&["library", "remove", &page.address]).code, 0);
    assert_eq!(run(&["library", "list"]).out, "");
    assert_eq!(run(&["library", "remove", &page.address]).code, 2);
}

/// An endpoint for embeddings that answers so many requests and lets the others hang; notes the texts of those it answered.
struct Embeddings {
    url: String,
    /// Requests that it still answers.
    answers: Arc<Mutex<usize>>,
    encoded: Arc<Mutex<Vec<String>>>,
}

impl Embeddings {
    fn serve(answers: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(answers));
        let encoded: Arc<Mutex<Vec<String>>> = Arc::default();
        let (left, noted) = (Arc::clone(&answers), Arc::clone(&encoded));
        std::thread::spawn(move || {
            let mut hanging = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).unwrap() > 2 {
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                if *left.lock().unwrap() == 0 {
                    hanging.push(stream);
                    continue;
                }
                *left.lock().unwrap() -= 1;
                let asked: Value = serde_json::from_slice(&body).unwrap();
                let texts = asked["input"].as_array().unwrap().clone();
                let vectors = texts.iter().enumerate().map(|(nth, text)| {
                    let near = if text.as_str().unwrap().contains("drought") {
                        1.0
                    } else {
                        0.2
                    };
                    json!({ "index": nth, "embedding": [near, 1.0 - near, 0.1] })
                });
                let answer = json!({ "data": vectors.collect::<Vec<_>>(), "usage": { "prompt_tokens": 1, "total_tokens": 1 } });
                let answer = answer.to_string();
                let texts = texts.iter().map(|text| text.as_str().unwrap().to_owned());
                noted.lock().unwrap().extend(texts);
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                    answer.len()
                );
                let _ = stream.write_all(head.as_bytes());
            }
        });
        Self {
            url,
            answers,
            encoded,
        }
    }

    fn settings(&self) -> [(&str, &str); 3] {
        [
            ("FATHOM_ENCODER_KIND", "embeddings"),
            ("FATHOM_ENCODER_URL", &self.url),
            ("FATHOM_ENCODER_MODEL", "scripted"),
        ]
    }
}

/// Files with so many different passages that their vectors come in several requests.
fn many_passages(sandbox: &Sandbox) {
    for file in 0..4 {
        let paragraph = |nth: usize| {
            let number = 100 * file + nth;
            format!("In street {number} there are trees of the kind {number}, which need water in summer. ").repeat(4)
        };
        let text: Vec<String> = (0..60).map(paragraph).collect();
        sandbox.file(&format!("many/{file}.txt"), text.join("\n\n"));
    }
}

#[test]
fn vectors_are_counted_and_a_killed_computation_goes_on_where_it_was() {
    let sandbox = Sandbox::new();
    many_passages(&sandbox);
    let endpoint = Embeddings::serve(2);
    let update = ["library", "update", "--vectors", "--library", "many"];
    let mut child = sandbox.command();
    child.args(update).envs(endpoint.settings());
    let mut child = child
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It waits for the third answer, which never comes.
    while endpoint.encoded.lock().unwrap().is_empty() || *endpoint.answers.lock().unwrap() > 0 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it waits for its endpoint"
        );
        std::thread::yield_now();
    }
    let before = endpoint.encoded.lock().unwrap().len();
    child.kill().unwrap();
    child.wait().unwrap();
    *endpoint.answers.lock().unwrap() = usize::MAX;
    let done = sandbox.run_with(&endpoint.settings(), &update);
    assert_eq!(done.code, 0, "{}", done.err);
    let numbers: Vec<usize> = done
        .out
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect();
    let [_, passages, vectors] = numbers[..] else {
        panic!("{}", done.out)
    };
    assert_eq!(passages, vectors, "{}", done.out);
    let mut texts = endpoint.encoded.lock().unwrap().clone();
    let computed = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), passages, "every passage has one");
    // What was answered and not yet kept when it was killed is one block at most.
    assert!(
        computed - passages <= before,
        "{computed} {passages} {before}"
    );
    let again = sandbox.run_with(&endpoint.settings(), &update);
    assert_eq!(again.out, done.out);
    assert_eq!(
        endpoint.encoded.lock().unwrap().len(),
        computed,
        "nothing is computed twice"
    );
}

#[test]
fn a_retriever_that_hangs_ends_at_the_deadline_with_the_stages_done() {
    let sandbox = Sandbox::new();
    let endpoint = Embeddings::serve(usize::MAX);
    let library = ["--library", "library"];
    let filled = sandbox.run_with(
        &endpoint.settings(),
        &[&["library", "update", "--vectors"], &library[..]].concat(),
    );
    assert_eq!(filled.code, 0, "{}", filled.err);
    *endpoint.answers.lock().unwrap() = 0;
    let settings = [
        &endpoint.settings()[..],
        &[("FATHOM_ASK_MAX_EXECUTION_TIME_S", "1")],
    ]
    .concat();
    let ran = sandbox.run_with(
        &settings,
        &[&["ask", QUESTION, "--json", "-q"], &library[..]].concat(),
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let answer = &ran.result()["answer"];
    assert_eq!(
        (&answer["status"], &answer["stage"]),
        (&"timeout".into(), &"retrieve".into()),
        "{answer}"
    );
    assert_eq!(answer["stages"][0]["stage"], "analyse", "{answer}");
}

#[test]
fn the_encoder_in_the_program_gives_every_passage_a_vector() {
    let sandbox = Sandbox::new();
    let installed = super::encoder::install_tiny(&sandbox);
    assert_eq!(installed.code, 0, "{}", installed.err);
    let done = sandbox.run(&["library", "update", "--vectors", "--library", "library"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(
        done.out,
        "library: 3 documents, 3 passages, 3 with a vector\n"
    );
    sandbox.file(
        "library/new.md",
        "# Limes\n\nLime trees bear the drought of towns.",
    );
    let done = sandbox.run(&["library", "update", "--vectors", "--library", "library"]);
    assert_eq!(
        done.out,
        "library: 4 documents, 4 passages, 4 with a vector\n"
    );
    let without = Sandbox::new().run(&["library", "update", "--vectors", "--library", "library"]);
    assert_eq!(without.code, 2, "{}", without.out);
}

#[test]
fn a_watched_library_takes_up_a_changed_file_and_ends_with_ctrl_c() {
    let sandbox = Sandbox::new();
    let mut command: Command = sandbox.command();
    command
        .args(["library", "watch", "--every", "1", "--library", "library"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || told.next().unwrap().unwrap();
    assert_eq!(next(), "library: 3 documents, 3 passages");
    sandbox.file(
        "library/new.md",
        "# Limes\n\nLime trees bear the drought of towns.",
    );
    assert_eq!(next(), "library: 4 documents, 4 passages");
    std::fs::remove_file(sandbox.path("library/night.md")).unwrap();
    assert_eq!(next(), "library: 3 documents, 3 passages");
    let id = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
}
