//! Making a connection, with TLS where the URL asks for it and the feature `tls` is built in.
//!
//! `sslmode=require` checks the server's certificate against the system's (or those in the file
//! that `SSL_CERT_FILE` names). `prefer`, the default, goes without TLS where that fails.

use fathom_workflow::Error;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};

/// How connections are secured, by what the URL asks for.
pub(super) struct TlsSetup {
    /// Absent where the URL wants none, or prefers it and there are no certificates to trust.
    #[cfg(feature = "tls")]
    connector: Option<tokio_postgres_rustls::MakeRustlsConnect>,
}

#[cfg(not(feature = "tls"))]
impl TlsSetup {
    pub(super) fn new(mode: SslMode) -> Result<Self, Error> {
        match mode {
            SslMode::Require => Err(Error::Store {
                why: "the database URL asks for TLS (sslmode=require), which this program was \
                      built without; build it with the feature `tls`, or write sslmode=disable \
                      if the way to the server is safe"
                    .into(),
            }),
            _ => Ok(Self {}),
        }
    }

    pub(super) async fn connect(
        &self,
        config: &Config,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        connect_with(config, NoTls).await
    }
}

#[cfg(feature = "tls")]
impl TlsSetup {
    pub(super) fn new(mode: SslMode) -> Result<Self, Error> {
        let connector = match mode {
            SslMode::Disable => None,
            SslMode::Require => Some(connector()?),
            _ => connector().ok(),
        };
        Ok(Self { connector })
    }

    pub(super) async fn connect(
        &self,
        config: &Config,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let Some(connector) = self.connector.clone() else {
            return connect_with(config, NoTls).await;
        };
        match connect_with(config, connector).await {
            Err(error)
                if config.get_ssl_mode() == SslMode::Prefer && error.as_db_error().is_none() =>
            {
                tracing::debug!(%error, "no TLS with the database; sslmode=prefer goes without");
                connect_with(Config::clone(config).ssl_mode(SslMode::Disable), NoTls).await
            }
            done => done,
        }
    }
}

#[cfg(feature = "tls")]
fn connector() -> Result<tokio_postgres_rustls::MakeRustlsConnect, Error> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = rustls::RootCertStore::empty();
    let (trusted, _) = roots.add_parsable_certificates(found.certs);
    if trusted == 0 {
        return Err(Error::Store {
            why: "the database URL asks for TLS, but this system has no certificates to trust; \
                  name a file of them in SSL_CERT_FILE"
                .into(),
        });
    }
    // The provider is named, so that no other part of the program can choose it for us.
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Store {
            why: format!("TLS cannot be set up: {error}"),
        })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(tokio_postgres_rustls::MakeRustlsConnect::new(config))
}

async fn connect_with<T>(
    config: &Config,
    tls: T,
) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket> + Send,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    let task = tokio::spawn(async move {
        // Whoever waits for an answer is told of the loss; a loss while idle is no news.
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the database ended");
        }
    });
    Ok((client, task))
}
