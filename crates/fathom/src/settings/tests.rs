use std::fs;

use super::*;

fn merge(file: &str, environment: &[(&str, &str)], flags: FlagValues) -> Result<Settings> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fs::write(&path, file).unwrap();
    let home = [("HOME", "/home/ada")];
    let variables = home.iter().chain(environment);
    let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Settings::merge(Some(&path), &variables.collect(), flags)
}

fn refused(file: &str) -> String {
    merge(file, &[], FlagValues::default())
        .err()
        .unwrap()
        .to_string()
}

fn origin(settings: &Settings, name: &str) -> String {
    let shown = settings.shown();
    let one = shown.iter().find(|one| one.name == name).unwrap();
    match one.origin.as_deref() {
        Some(origin) if origin.ends_with(FILE) => "file".to_owned(),
        Some(origin) => origin.to_owned(),
        None => "default".to_owned(),
    }
}

#[test]
fn flags_go_before_the_environment_and_that_before_the_file() {
    let file = "[report]\ntarget_length = 500\nmax_iterations = 1\nmax_gap_searches = 1\n";
    let environment = [
        ("FATHOM_REPORT_MAX_ITERATIONS", "2"),
        ("FATHOM_REPORT_MAX_GAP_SEARCHES", "2"),
    ];
    let flags = FlagValues::default()
        .table("report")
        .flag("max_gap_searches", "--gaps", 3);
    let settings = merge(file, &environment, flags).unwrap();
    assert_eq!(settings.report.target_length, 500);
    assert_eq!(settings.report.max_iterations, 2);
    assert_eq!(settings.report.max_gap_searches, 3);
    assert_eq!(settings.report.max_reformulations, 2);
    assert_eq!(origin(&settings, "report.target_length"), "file");
    assert_eq!(
        origin(&settings, "report.max_iterations"),
        "FATHOM_REPORT_MAX_ITERATIONS"
    );
    assert_eq!(origin(&settings, "report.max_gap_searches"), "--gaps");
    assert_eq!(origin(&settings, "report.max_reformulations"), "default");
}

#[test]
fn every_setting_of_a_report_can_be_given() {
    let file = "[report]\ndepth = \"deep\"\nbanned_words = [\"delve\"]\ncitation_style = \"apa\"\n[report.caps]\ntokens = 9\n[report.people]\nhitl_on_critical = true\n[report.evidence]\ntop_k = 7\n";
    let settings = merge(file, &[], FlagValues::default()).unwrap();
    assert_eq!(settings.depth, research::Depth::Comprehensive.into());
    assert_eq!(settings.report.banned_words, ["delve"]);
    assert_eq!(settings.report.caps.tokens, Some(9));
    assert!(settings.report.people.hitl_on_critical);
    assert_eq!(settings.report.evidence.top_k, 7);
}

#[test]
fn an_unknown_setting_is_refused_with_the_nearest_known_one() {
    let said = refused("[report]\ntarget_lenght = 500\n");
    assert!(
        said.contains("Unknown setting \"report.target_lenght\" in"),
        "{said}"
    );
    assert!(
        said.contains("Did you mean \"report.target_length\"?"),
        "{said}"
    );
    let slip = [("FATHOM_REPORT_TARGET_LENGHT", "5")];
    let said = merge("", &slip, FlagValues::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        said.contains("Did you mean \"FATHOM_REPORT_TARGET_LENGTH\"?"),
        "{said}"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_by_the_name_of_its_setting() {
    let said = refused("[report]\ntarget_length = \"long\"\n");
    assert!(
        said.contains("The setting report.target_length in"),
        "{said}"
    );
    assert!(refused("[report]\ndepth = \"bottomless\"\n").contains("choose one of quick"));
    assert!(refused("ttl_hours = -1\n").contains("whole number"));
    assert!(refused("store = \"oracle:x\"\n").contains("Choose memory"));
    assert!(refused("[report\n").contains("is not TOML"));
}

#[test]
fn a_secret_is_never_shown() {
    let environment = [
        ("OPENAI_API_KEY", "sk-hidden-1"),
        ("FATHOM_STORE", "postgres://ada:hidden-2@db.example/fathom"),
    ];
    let settings = merge(
        "[providers]\nserper_api_key = \"hidden-3\"\n",
        &environment,
        FlagValues::default(),
    );
    let settings = settings.unwrap();
    let all: String = settings
        .shown()
        .into_iter()
        .map(|one| one.value + "\n")
        .collect();
    assert!(!all.contains("hidden"), "{all}");
    assert_eq!(all.matches("set\n").count(), 2);
    assert_eq!(
        settings.lookup("SERPER_API_KEY").as_deref(),
        Some("hidden-3")
    );
    assert_eq!(
        settings.lookup("OPENAI_API_KEY").as_deref(),
        Some("sk-hidden-1")
    );
}

#[test]
fn the_store_is_named_or_else_the_database_or_else_a_file_in_the_data_folder() {
    let store =
        |environment: &[(&str, &str)]| merge("", environment, FlagValues::default()).unwrap().store;
    let database = ("DATABASE_URL", "postgres://db/x");
    assert_eq!(
        store(&[]),
        StoreLocation::Sqlite("/home/ada/.local/share/fathom/runs.db".into())
    );
    assert_eq!(
        store(&[database]),
        StoreLocation::Postgres("postgres://db/x".into())
    );
    assert_eq!(store(&[("DATABASE_URL", "mysql://db/x")]), store(&[]));
    assert_eq!(
        store(&[database, ("FATHOM_STORE", "memory")]),
        StoreLocation::Memory
    );
    assert_eq!(
        store(&[("FATHOM_STORE", "sqlite:r.db")]),
        StoreLocation::Sqlite("r.db".into())
    );
    assert_eq!(
        store(&[("FATHOM_HOME", "/data")]),
        StoreLocation::Sqlite("/data/runs.db".into())
    );
}

#[test]
fn finished_runs_are_kept_for_thirty_days_unless_said_otherwise() {
    let ttl = |file: &str| {
        merge(file, &[], FlagValues::default())
            .unwrap()
            .ttl
            .as_secs()
    };
    assert_eq!(ttl(""), 30 * 24 * 3_600);
    assert_eq!(ttl("ttl_hours = 7\n"), 7 * 3_600);
}

#[test]
fn a_password_in_a_database_address_is_never_shown() {
    for url in [
        "postgres://reader:canary@host/runs",
        "postgres://host/runs?user=reader&password=canary",
    ] {
        let shown = StoreLocation::parse(url).unwrap().to_string();
        assert!(!shown.contains("canary"), "{shown}");
        assert!(shown.contains("host/runs"), "{shown}");
    }
}
