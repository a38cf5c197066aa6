use super::sandbox::{QUESTION, Sandbox};

#[test]
fn a_question_and_a_folder_give_a_report_without_key_or_network() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["report", QUESTION, "--library", "library"]);
    assert!([0, 3].contains(&ran.code), "{} {}", ran.code, ran.err);
    assert!(ran.out.starts_with("# "), "{}", ran.out);
    assert!(ran.out.contains("1.9 °C cooler"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'), "a pipe gets no colours");
    assert!(ran.err.contains("plan: "), "{}", ran.err);
}

#[test]
fn quiet_says_nothing_but_the_report() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["report", QUESTION, "--library", "library", "--quiet"]);
    assert!(ran.out.starts_with("# "));
    assert_eq!(ran.err, "");
}

#[test]
fn events_are_json_lines_numbered_without_a_gap_and_the_last_line_is_the_result() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["report", QUESTION, "--library", "library", "--json"]);
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let (result, events) = lines.split_last().unwrap();
    let numbers: Vec<u64> = events
        .iter()
        .map(|event| event["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap()["event"], "run_finished");
    assert_eq!(result["event"], "result");
    assert_eq!(result["exit"], ran.code);
    assert!(result["report"]["title"].is_string());
}

#[test]
fn the_ending_of_a_file_chooses_its_format() {
    let sandbox = Sandbox::new();
    for (name, begin) in [
        ("r.md", "# "),
        ("r.json", "{"),
        ("r.html", "<!"),
        ("r.docx", "PK"),
    ] {
        let ran = sandbox.run(&[
            "report",
            QUESTION,
            "--library",
            "library",
            "--out",
            name,
            "-q",
        ]);
        assert!([0, 3].contains(&ran.code), "{}", ran.err);
        assert_eq!(ran.out, "");
        let bytes = std::fs::read(sandbox.path(name)).unwrap();
        assert!(bytes.starts_with(begin.as_bytes()), "{name}");
    }
    let given = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--out",
        "r.txt2",
        "--format",
        "json",
        "-q",
    ];
    sandbox.run(&given);
    assert!(
        std::fs::read_to_string(sandbox.path("r.txt2"))
            .unwrap()
            .starts_with('{')
    );
}

#[test]
fn a_report_that_cannot_be_written_is_kept_and_can_be_exported() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("taken.md")).unwrap();
    let words = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--json",
        "-q",
        "--out",
        "taken.md",
    ];
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 1);
    let result = ran.result();
    let id = result["run"].as_str().unwrap();
    assert_eq!(result["status"], "undelivered");
    assert!(
        ran.err
            .contains(&format!("fathom runs export {id} --out FILE")),
        "{}",
        ran.err
    );
    let exported = sandbox.run(&["runs", "export", id, "--out", "free.md"]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    assert!(
        std::fs::read_to_string(sandbox.path("free.md"))
            .unwrap()
            .starts_with("# ")
    );
}

#[test]
fn flags_reach_the_run_and_the_run_keeps_them() {
    let sandbox = Sandbox::new();
    let words = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--depth",
        "quick",
        "--style",
        "executive",
        "--length",
        "300",
        "--citation-style",
        "apa",
        "--max-time",
        "60",
        "--context",
        "For a town council",
        "--json",
        "-q",
    ];
    let id = sandbox.run(&words).result()["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let shown = sandbox
        .run(&["runs", "show", &id, "--at", "0", "--json"])
        .out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let state = &shown["state"];
    assert_eq!(state["question"]["depth"], "quick");
    assert_eq!(state["question"]["style"], "executive");
    assert_eq!(state["question"]["context"], "For a town council");
    assert_eq!(state["settings"]["target_length"], 300);
    assert_eq!(state["settings"]["citation_style"], "apa");
    assert_eq!(state["settings"]["max_execution_time_s"], 60);
}

#[test]
fn a_style_file_of_the_askers_own_sets_the_references_and_stays_with_the_run() {
    let sandbox = Sandbox::new();
    let style = r#"<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>Orsby House Style</title><id>orsby</id><updated>2026-01-01T00:00:00+00:00</updated></info>
<citation><layout><text variable="citation-number"/></layout></citation>
<bibliography><layout prefix="Seen in Orsby: "><text variable="title"/></layout></bibliography></style>"#;
    let file = sandbox.file("house.csl", style);
    let words = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--citation-style",
        "house.csl",
        "--json",
        "-q",
    ];
    let result = sandbox.run(&words).result();
    let id = result["run"].as_str().unwrap();
    std::fs::remove_file(file).unwrap();
    let shown = sandbox.run(&["runs", "export", id, "--format", "md"]);
    assert!(shown.out.contains("Seen in Orsby: "), "{}", shown.out);
}

#[test]
fn a_settings_file_is_read_and_shown_with_its_origin() {
    let sandbox = Sandbox::new();
    sandbox.file("fathom.toml", "[report]\ntarget_length = 321\n");
    let ran = sandbox.run_with(
        &[
            ("FATHOM_REPORT_MAX_ITERATIONS", "1"),
            ("OPENAI_API_KEY", "sk-1"),
        ],
        &["config"],
    );
    let line = |name: &str| {
        ran.out
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(
        line("report.target_length").ends_with("fathom.toml"),
        "{}",
        ran.out
    );
    assert!(line("report.target_length").contains("321"));
    assert!(line("report.max_iterations").ends_with("FATHOM_REPORT_MAX_ITERATIONS"));
    assert!(line("model.api_key").contains("set "));
    assert!(!ran.out.contains("sk-1"));
}

#[test]
fn completions_the_man_page_the_graph_and_the_doctor_are_there() {
    let sandbox = Sandbox::new();
    assert!(
        sandbox
            .run(&["completions", "bash"])
            .out
            .contains("_fathom")
    );
    assert!(sandbox.run(&["man"]).out.contains(".TH"));
    assert_eq!(sandbox.run(&["man", "--out", "man1"]).code, 0);
    for page in ["fathom.1", "fathom-report.1", "fathom-runs-list.1"] {
        let text = std::fs::read_to_string(sandbox.path("man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(!super::sandbox::exists(
        sandbox.path("man1/fathom-read-pdf.1")
    ));
    assert!(sandbox.run(&["graph", "report"]).out.contains("flowchart"));
    assert!(
        sandbox
            .run(&["graph", "report", "--format", "svg"])
            .out
            .contains("<svg")
    );
    let doctor = sandbox.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{}", doctor.out);
    assert!(doctor.out.contains("Without any key"), "{}", doctor.out);
}
