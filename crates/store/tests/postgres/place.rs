//! A schema of its own for each test, on the server that FATHOM_TEST_POSTGRES names. It goes with
//! the value that stands for it.

use std::fmt::Write;

use tokio_postgres::config::Host;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row};
use uuid::Uuid;

const NO_SERVER: &str = "no PostgreSQL for the tests: run `cargo xtask test`, which starts one, \
                         or set FATHOM_TEST_POSTGRES to a server's URL";

pub struct Place {
    server: String,
    /// Also the name by which the store's connections are known to the server.
    pub schema: String,
}

/// The URL of the server for tests.
pub fn server() -> String {
    std::env::var("FATHOM_TEST_POSTGRES").unwrap_or_else(|_| panic!("{NO_SERVER}"))
}

impl Place {
    pub async fn new() -> Self {
        let place = Self {
            server: server(),
            schema: format!("fathom_test_{}", Uuid::now_v7().simple()),
        };
        let client = open(&place.config()).await;
        let create = format!("CREATE SCHEMA {}", place.schema);
        client.batch_execute(&create).await.unwrap();
        place
    }

    pub fn url(&self) -> String {
        let Self { server, schema } = self;
        let joint = if server.contains('?') { '&' } else { '?' };
        format!("{server}{joint}options=-csearch_path%3D{schema}&application_name={schema}")
    }

    /// The same place, reached by another port on this machine.
    pub fn url_by(&self, port: u16) -> String {
        let config = self.config();
        let password = config.get_password().unwrap_or_default();
        let password = String::from_utf8(password.to_vec()).unwrap();
        let mut url = format!("host=127.0.0.1 port={port}");
        for (name, value) in [
            ("user", config.get_user().unwrap_or_default()),
            ("password", &password),
            ("dbname", config.get_dbname().unwrap_or_default()),
            ("options", &format!("-csearch_path={}", self.schema)),
            ("application_name", &self.schema),
        ] {
            let value = value.replace('\\', "\\\\").replace('\'', "\\'");
            if !value.is_empty() {
                write!(url, " {name}='{value}'").unwrap();
            }
        }
        url
    }

    /// Where the server listens.
    pub fn address(&self) -> (String, u16) {
        let config = self.config();
        let port = config.get_ports().first().copied().unwrap_or(5432);
        match config.get_hosts().first() {
            Some(Host::Tcp(host)) => (host.clone(), port),
            other => panic!("these tests reach their server by TCP, not by {other:?}"),
        }
    }

    /// Asks the database itself, past the store.
    pub async fn sql(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Vec<Row> {
        let client = open(&self.url().parse().unwrap()).await;
        client.query(sql, values).await.unwrap()
    }

    pub async fn count(&self, sql: &str) -> i64 {
        self.sql(sql, &[]).await[0].get(0)
    }

    fn config(&self) -> Config {
        self.server.parse().unwrap()
    }
}

async fn open(config: &Config) -> Client {
    let (client, connection) = config.connect(NoTls).await.expect("the test server");
    tokio::spawn(connection);
    client
}

impl Drop for Place {
    fn drop(&mut self) {
        // A thread of its own: this may run inside a runtime, or after the last one has ended.
        let (config, schema) = (self.config(), self.schema.clone());
        let dropping = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_all().build().unwrap().block_on(async {
                let drop = format!("DROP SCHEMA {schema} CASCADE");
                open(&config).await.batch_execute(&drop).await.unwrap();
            });
        });
        let _ = dropping.join();
    }
}
