//! Opening a database, and saying what is wrong with one that can't be opened.

use std::sync::Arc;
use std::time::Duration;

use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::{Error, Store};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::place::{Place, server};
use crate::writer::PostgresWriter;

const IMPATIENT: PostgresOptions = PostgresOptions {
    connections: 2,
    retry_for: Duration::ZERO,
};

async fn refusal(url: &str) -> Error {
    match Postgres::connect_with(url, IMPATIENT).await {
        Ok(_) => panic!("it should not have been opened"),
        Err(error) => error,
    }
}

/// An error's words, which show nothing of the password.
fn words(error: &Error) -> String {
    for shown in [error.to_string(), format!("{error:?}")] {
        assert!(!shown.contains("hush"), "{shown}");
    }
    error.to_string()
}

#[tokio::test]
async fn migrations_run_once_when_many_processes_start_at_once() {
    let place = Place::new().await;
    let mut opening = JoinSet::new();
    for _ in 0..6 {
        let url = place.url();
        opening.spawn(async move { Postgres::connect(&url).await.map(Arc::new) });
    }
    let mut stores = Vec::new();
    for opened in opening.join_all().await {
        stores.push(opened.unwrap());
    }
    let versions = place.sql("SELECT version FROM fathom_format", &[]).await;
    let versions: Vec<i64> = versions.iter().map(|row| row.get(0)).collect();
    assert_eq!(versions, [2]);

    let writer = PostgresWriter::begin(&stores[0]).await;
    let again = Postgres::connect(&place.url()).await.unwrap();
    let found = again.head(writer.run).await;
    assert!(found.is_ok(), "opened again, nothing is lost: {found:?}");
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let place = Place::new().await;
    Postgres::connect(&place.url()).await.unwrap();
    place
        .sql("UPDATE fathom_format SET version = 99", &[])
        .await;
    let refused = refusal(&place.url()).await;
    assert!(
        matches!(
            refused,
            Error::NewerFormat {
                found: 99,
                known: 2
            }
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_unreachable_server_says_what_to_do_and_does_not_show_the_password() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("postgres://me:hush@127.0.0.1:{port}/somewhere");
    let refused = refusal(&url).await;
    assert!(matches!(refused, Error::StoreGone { .. }), "{refused:?}");
    let words = words(&refused);
    assert!(words.contains(&format!("127.0.0.1:{port}")), "{words}");
    assert!(words.contains("start it"), "{words}");
}

#[tokio::test]
async fn a_missing_database_or_user_is_named_and_the_password_is_not() {
    let server: tokio_postgres::Config = server().parse().unwrap();
    let (host, port) = Place::new().await.address();
    let missing = format!("host={host} port={port} dbname=not_there_at_all");
    let user = server.get_user().unwrap();
    let password = String::from_utf8(server.get_password().unwrap_or_default().into()).unwrap();
    let ours = format!("{missing} user='{user}' password='{password}'");
    let refused = words(&refusal(&ours).await);
    assert!(refused.contains("\"not_there_at_all\""), "{refused}");
    assert!(refused.contains("createdb"), "{refused}");

    let refused = refusal(&format!("{missing} user=nobody_at_all password=hush")).await;
    assert!(matches!(refused, Error::Store { .. }), "{refused:?}");
    let refused = words(&refused);
    assert!(refused.contains("\"nobody_at_all\""), "{refused}");
    assert!(refused.contains("correct the user"), "{refused}");
}

#[tokio::test]
async fn a_url_that_cannot_be_read_is_refused_without_showing_it() {
    for (url, remedy) in [
        ("postgres://me:hu@hush@127.0.0.1/x", "%40"),
        ("postgres://me:hush@127.0.0.1:port/x", "port"),
        ("postgres://me:hush@127.0.0.1/x?sslmode=some", "sslmode"),
        ("postgres:me:hush", "postgres://user"),
        ("hush", "postgres://user"),
        ("user=me password=a hush=b", "postgres://user"),
        ("user=me password=hush", "host"),
    ] {
        let refused = words(&refusal(url).await);
        assert!(refused.contains(remedy), "{url}: {refused}");
    }
}

#[cfg(not(feature = "tls"))]
#[tokio::test]
async fn a_url_that_demands_tls_is_refused_where_there_is_none() {
    let refused = refusal("postgres://me:hush@127.0.0.1/x?sslmode=require").await;
    let refused = words(&refused);
    assert!(refused.contains("feature `tls`"), "{refused}");
}

#[tokio::test]
async fn a_schema_that_does_not_exist_is_named_as_the_fault() {
    let place = Place::new().await;
    let url = place.url().replace(&place.schema, "fathom_test_nowhere");
    let refused = words(&refusal(&url).await);
    assert!(refused.contains("create the schema"), "{refused}");
}

#[tokio::test]
async fn large_values_are_compressed_with_lz4_where_the_server_has_it() {
    let place = Place::new().await;
    let has_lz4 = "SELECT count(*) FROM pg_settings
        WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";
    if place.count(has_lz4).await == 0 {
        println!("compression: not run, this server has no lz4");
        return;
    }
    let store = Arc::new(Postgres::connect(&place.url()).await.unwrap());
    let mut writer = PostgresWriter::begin(&store).await;
    writer.write(writer.step(&"large ".repeat(10_000))).await;
    let by_lz4 = "SELECT count(*) FROM steps WHERE pg_column_compression(body) = 'lz4'";
    assert_eq!(place.count(by_lz4).await, 1);
    writer.assert_whole().await;
}
