//! A bare HTTP client for servers on this machine: what others are compared with, and what proofs ask.

use std::sync::Arc;

use anyhow::Result;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// It trusts no certificate, and a proxy from the environment cannot answer in the server's place.
pub(crate) fn client() -> Result<reqwest::Client> {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_backend_preconfigured(tls)
        .build()?;
    Ok(client)
}
