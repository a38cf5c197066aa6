//! What a person gets wrong, or the machine: a sentence, what to do, and the right code.

use super::sandbox::{QUESTION, Sandbox};

#[track_caller]
fn refused(sandbox: &Sandbox, words: &[&str], code: i32) -> String {
    let ran = sandbox.run(words);
    assert_eq!(ran.code, code, "{}", ran.err);
    assert_eq!(ran.out, "");
    ran.err
}

#[test]
fn a_question_too_short_or_too_long_is_refused() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, &["report", "Trees?", "--library", "library"], 2), @r#"error: The question has 6 characters; ask in 10 or more, such as "How do street trees cool a town?"."#);
    let long = "why ".repeat(600);
    insta::assert_snapshot!(refused(&sandbox, &["report", &long, "--library", "library"], 2), @"error: The question has 2399 characters; ask in 2000 at most.");
}

#[test]
fn a_missing_folder_and_an_empty_folder_are_refused() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    insta::assert_snapshot!(refused(&sandbox, &["report", QUESTION, "--library", "nowhere"], 2), @"error: There is no folder or file SANDBOX/nowhere; check the path.");
    insta::assert_snapshot!(refused(&sandbox, &["report", QUESTION, "--library", "empty"], 2), @r"
    error: The library has no document that can be read.
    Give a folder with HTML, PDF, DOCX, EPUB, Markdown, plain text, JSON, CSV or source files: --library DIR
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_stops_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("library/photo.png", b"\x89PNG\r\n\x1a\n");
    let ran = sandbox.run(&["report", QUESTION, "--library", "library"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    assert!(
        ran.err.contains("Skipped photo.png: this is a PNG image"),
        "{}",
        ran.err
    );
}

#[test]
fn files_that_could_not_be_read_are_counted_in_the_report() {
    let sandbox = Sandbox::new();
    sandbox.file("library/photo.png", b"\x89PNG\r\n\x1a\n");
    let told = "1 of 4 files could not be read and was left out.";
    let ran = sandbox.run(&["report", QUESTION, "--library", "library", "-q"]);
    assert!(ran.out.contains(told), "{}", ran.out);
    for name in ["a.png", "b.png", "c.png"] {
        sandbox.file(&format!("library/{name}"), b"\x89PNG\r\n\x1a\n");
    }
    let ran = sandbox.run(&["report", QUESTION, "--library", "library", "--json"]);
    let plainly = "Most of the library cannot be read: 4 of 7 files are left out.";
    assert!(ran.err.contains(plainly), "{}", ran.err);
    let report = &ran.result()["report"];
    assert_eq!(report["figures"]["files_skipped"], 4);
    let caveats = report["caveats"].to_string();
    assert!(caveats.contains("Most of your library"), "{caveats}");
}

#[test]
fn unknown_words_are_refused_with_the_known_ones() {
    let sandbox = Sandbox::new();
    let report = |flag: &str, value: &str| {
        let said = refused(
            &sandbox,
            &["report", QUESTION, "--library", "library", flag, value],
            2,
        );
        said.lines().take(2).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(report("--depth", "bottomless"), @r#"error: invalid value 'bottomless' for '--depth <DEPTH>': "bottomless" is no depth; choose one of quick, standard, comprehensive, auto"#);
    insta::assert_snapshot!(report("--style", "baroque"), @r#"error: invalid value 'baroque' for '--style <STYLE>': "baroque" is no style; choose one of academic, technical, executive"#);
    insta::assert_snapshot!(report("--format", "pdf9"), @r"
    error: invalid value 'pdf9' for '--format <FORMAT>'
      [possible values: md, html, docx, json, bibtex, csv, svg, png]
    ");
    insta::assert_snapshot!(report("--out", "report.xyz"), @r"
    error: The name report.xyz does not say which format to write.
    Use the extension .md, .html, .docx, .json or .bib, or add --format md
    ");
    insta::assert_snapshot!(report("--out", "no/such/report.md"), @r"
    error: The folder no/such does not exist.
    Create it first, or choose another --out
    ");
    insta::assert_snapshot!(refused(&sandbox, &["graph", "essay"], 2), @r#"error: There is no workflow "essay"; available: answer, appraise, ask, report, search."#);
}

#[test]
fn an_unknown_setting_is_refused_with_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.file("fathom.toml", "[report]\nmax_iteration = 2\n");
    insta::assert_snapshot!(refused(&sandbox, &["config"], 2), @r#"
    error: Unknown setting "report.max_iteration" in fathom.toml.
    Did you mean "report.max_iterations"?
    "#);
}

#[test]
fn a_settings_file_that_merely_lies_here_may_set_nothing_that_harms() {
    let sandbox = Sandbox::new();
    let strange = [
        ("store", "store = \"memory\"\n"),
        (
            "model.base_url",
            "[model]\nbase_url = \"http://127.0.0.1:9/v1\"\n",
        ),
        (
            "providers.serper_url",
            "[providers]\nserper_url = \"http://127.0.0.1:9\"\n",
        ),
        (
            "providers.fetch_allow",
            "[providers]\nfetch_allow = \"127.0.0.1:9\"\n",
        ),
        ("report.library", "[report]\nlibrary = [\"/etc\"]\n"),
        ("report.web", "[report]\nweb = true\n"),
        (
            "report.semantic_check",
            "[report]\nsemantic_check = false\n",
        ),
        (
            "report.people.auto_approve_on_timeout",
            "[report.people]\nauto_approve_on_timeout = true\n",
        ),
        (
            "report.people.breakpoints",
            "[report.people]\nbreakpoints = []\n",
        ),
        (
            "report.review.approve_score",
            "[report.review]\napprove_score = 0.0\n",
        ),
        (
            "report.evidence.relevance_min_confidence",
            "[report.evidence]\nrelevance_min_confidence = 0.0\n",
        ),
        ("report.caps.tokens", "[report.caps]\ntokens = 1\n"),
        (
            "roles.writer.model",
            "[roles.writer]\nmodel = \"dearest\"\n",
        ),
    ];
    for (name, text) in strange {
        sandbox.file("fathom.toml", text);
        let ran = sandbox.run(&["config"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let line = ran
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        assert!(line.unwrap().ends_with("default"), "{name}: {}", ran.out);
        let told = format!("Ignored in the fathom.toml of this folder: {name}.");
        assert!(ran.err.contains(&told), "{}", ran.err);
        assert!(ran.err.contains("--config ./fathom.toml"), "{}", ran.err);
        let named = sandbox.run_with(&[("FATHOM_CONFIG", "./fathom.toml")], &["config"]);
        assert_eq!((named.code, named.err.as_str()), (0, ""));
        let line = named
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        assert!(line.unwrap().ends_with("fathom.toml"), "{}", named.out);
        assert_eq!(sandbox.run(&["config", "--config", "fathom.toml"]).code, 0);
    }
    sandbox.file("fathom.toml", "[report]\ntarget_length = 321\n");
    sandbox.file(
        "home/fathom.toml",
        "ttl_hours = 7\n[report]\ntarget_length = 123\n",
    );
    let both = sandbox.run(&["config"]).out;
    let line = |name: &str| both.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(line("ttl_hours").contains(" 7 "), "{both}");
    assert!(line("report.target_length").contains(" 321 "), "{both}");
}

#[test]
fn an_unknown_run_and_a_beginning_that_fits_several_are_refused() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, &["runs", "show", "ffff"], 2), @r#"
    error: No run has an id that begins with "ffff".
    List runs with: fathom runs list
    "#);
    let unknown = "01a1e155-3fda-70a9-9a60-5495200fda34";
    insta::assert_snapshot!(refused(&sandbox, &["runs", "resume", unknown], 2), @r"
    error: There is no run 01a1e155-3fda-70a9-9a60-5495200fda34; it may have expired or been deleted.
    List runs with: fathom runs list
    ");
    sandbox.finished();
    sandbox.finished();
    let said = refused(&sandbox, &["runs", "show", "0"], 2);
    assert!(said.contains("\"0\" matches 2 runs"), "{said}");
}

#[test]
fn a_database_of_a_newer_program_and_a_file_that_is_none_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "junk.db",
        "this is no database at all, only some text that lies here\n".repeat(40),
    );
    let ran = sandbox.run_with(&[("FATHOM_STORE", "sqlite:junk.db")], &["runs", "list"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);

    sandbox.finished();
    let path = sandbox.path("home/runs.db");
    let newer = rusqlite::Connection::open(path).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    drop(newer);
    let ran = sandbox.run(&["runs", "list"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("The database has format 999"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("FATHOM_STORE=sqlite:PATH"), "{}", ran.err);
}

#[test]
fn a_store_that_cannot_be_reached_is_named_without_its_password() {
    let sandbox = Sandbox::new();
    // The port is free: it was ours a moment ago, and nobody listens there now.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("postgres://ada:secret@127.0.0.1:{port}/fathom?connect_timeout=1");
    let ran = sandbox.run_with(&[("FATHOM_STORE", &url)], &["runs", "list"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("fathom doctor"), "{}", ran.err);
    assert!(!ran.err.contains("secret"), "{}", ran.err);
    let doctor = sandbox.run_with(&[("FATHOM_STORE", &url)], &["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(!doctor.out.contains("secret"), "{}", doctor.out);
}

#[test]
fn the_doctor_ticks_no_model_that_does_not_answer() {
    let sandbox = Sandbox::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", free.local_addr().unwrap());
    drop(free);
    let asked = [("OPENAI_BASE_URL", url.as_str()), ("FATHOM_MODEL", "tiny")];
    let doctor = sandbox.run_with(&asked, &["doctor"]);
    assert_eq!(doctor.code, 1, "{}", doctor.out);
    let model = |out: &str| {
        out.lines()
            .find(|line| line.contains("model"))
            .unwrap()
            .to_owned()
    };
    assert!(model(&doctor.out).starts_with("✗"), "{}", doctor.out);
    assert!(
        model(&doctor.out).contains("no connection"),
        "{}",
        doctor.out
    );
    let doctor = sandbox.run_with(&asked, &["doctor", "--offline"]);
    assert_eq!(doctor.code, 0, "{}", doctor.out);
    assert!(model(&doctor.out).contains("not asked"), "{}", doctor.out);
    assert!(!doctor.out.contains("✓ web"), "{}", doctor.out);
}

#[test]
fn a_full_disk_fails_with_a_sentence() {
    let sandbox = Sandbox::new();
    if !std::path::Path::new("/dev/full").exists() {
        println!("a full disk: not run, this machine has no /dev/full");
        return;
    }
    let id = sandbox.finished();
    let ran = sandbox.run(&[
        "runs",
        "export",
        &id,
        "--format",
        "md",
        "--out",
        "/dev/full",
    ]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("the disk is full"), "{}", ran.err);
}

#[test]
fn a_style_file_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("notes.csl", "apa");
    sandbox.file("page.csl", "<html><body/></html>");
    for (file, why) in [
        ("nowhere.csl", "nowhere.csl cannot be read"),
        ("notes.csl", "notes.csl is not a CSL style"),
        ("page.csl", "page.csl: this is not a CSL style"),
    ] {
        let words = ["report", QUESTION, "--citation-style", file];
        let said = refused(&sandbox, &words, 2);
        assert!(said.contains(why), "{said}");
    }
}
