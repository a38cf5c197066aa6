//! Where the database is: the URL, parsed at the door, and the words for what is wrong with it.
//!
//! No message made here shows a password: parts of the URL are named only where they are known to
//! be something else.

use std::error::Error as _;
use std::time::Duration;

use fathom_workflow::Error;
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config};

use super::connection::MAKE_READY;
use super::failure::{PostgresFailure, with_cause};
use super::tls::TlsSetup;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Sent bytes that nobody acknowledges for this long mean that the way to the server is cut.
const SILENCE_LIMIT: Duration = Duration::from_secs(15);
const APPLICATION: &str = "fathom";
const DEFAULT_PORT: u16 = 5432;

pub(super) struct DatabaseAddress {
    pub(super) config: Config,
    tls: TlsSetup,
    /// `host:port`, for messages.
    place: String,
}

impl DatabaseAddress {
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        let mut config: Config = url.parse().map_err(|error| unreadable(&error))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(Error::Store {
                why: "the database URL names no host; write postgres://user:password@host/database"
                    .into(),
            });
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE_LIMIT);
        }
        if config.get_application_name().is_none() {
            config.application_name(APPLICATION);
        }
        let place = place(&config);
        if place.contains('@') {
            // What stands before the second @ is part of the password, so it is not quoted.
            return Err(Error::Store {
                why: "the database URL has more than one @; write the one in the password as %40"
                    .into(),
            });
        }
        let tls = TlsSetup::new(config.get_ssl_mode())?;
        Ok(Self { config, tls, place })
    }

    /// A connection that is ready for use, and the task that moves its bytes.
    pub(super) async fn connect(&self) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (client, task) = self.tls.connect(&self.config).await?;
        client.batch_execute(MAKE_READY).await?;
        Ok((client, task))
    }

    /// Somebody took the call and then said nothing.
    pub(super) fn no_answer(&self, limit: Duration) -> PostgresFailure {
        PostgresFailure::Gone {
            why: format!(
                "whoever listens at {} says nothing for {} s; see whether that is PostgreSQL and \
                 whether it hangs",
                self.place,
                limit.as_secs()
            ),
        }
    }

    /// Why a connection could not be made, with what to do about it.
    pub(super) fn explain(&self, error: tokio_postgres::Error) -> PostgresFailure {
        let place = &self.place;
        let user = self.config.get_user().unwrap_or("(none)");
        let database = self.config.get_dbname().unwrap_or(user);
        let why = match error.code().map(|code| code.code()) {
            Some("28P01" | "28000") => format!(
                "PostgreSQL at {place} does not let user \"{user}\" in; correct the user or the \
                 password in the database URL"
            ),
            Some("3D000") => format!(
                "PostgreSQL at {place} has no database \"{database}\"; create it with `createdb \
                 {database}`, or correct the database URL"
            ),
            Some("42501") => format!(
                "user \"{user}\" may not use the database \"{database}\" at {place}; grant it \
                 CONNECT and CREATE"
            ),
            Some(_) => return PostgresFailure::from(error),
            None => return self.explain_silence(error),
        };
        PostgresFailure::Final(Error::Store { why })
    }

    /// The server said nothing that could be understood.
    fn explain_silence(&self, error: tokio_postgres::Error) -> PostgresFailure {
        let place = &self.place;
        let words = with_cause(&error);
        match PostgresFailure::from(error) {
            PostgresFailure::Gone { .. } => PostgresFailure::Gone {
                why: format!(
                    "no PostgreSQL answers at {place} ({words}); start it, or correct the \
                     database URL"
                ),
            },
            PostgresFailure::Conflict { .. } | PostgresFailure::Final(_) => {
                PostgresFailure::Final(Error::Store {
                    why: format!(
                        "no connection to PostgreSQL at {place}: {words}; see that the database URL \
                     leads to PostgreSQL, and that a certificate it needs is in SSL_CERT_FILE"
                    ),
                })
            }
        }
    }
}

/// The parser's words may quote any part of the URL; only its complaint about a named setting is
/// known to quote none.
fn unreadable(error: &tokio_postgres::Error) -> Error {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    let about = match cause.strip_prefix("invalid value for option ") {
        Some(setting) => format!(" (the value of {setting} is not one it can have)"),
        None => String::new(),
    };
    Error::Store {
        why: format!(
            "the database URL cannot be read{about}; its form is \
             postgres://user:password@host:port/database?setting=value"
        ),
    }
}

fn place(config: &Config) -> String {
    let port = |at: usize| match config.get_ports() {
        [] => DEFAULT_PORT,
        [only] => *only,
        several => several.get(at).copied().unwrap_or(DEFAULT_PORT),
    };
    let named = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let mut names: Vec<String> = named.collect();
    if names.is_empty() {
        names.extend(config.get_hostaddrs().iter().map(ToString::to_string));
    }
    let places = names.iter().enumerate();
    let places: Vec<String> = places
        .map(|(at, name)| format!("{name}:{}", port(at)))
        .collect();
    places.join(", ")
}
