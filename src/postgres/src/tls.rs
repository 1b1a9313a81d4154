//! TLS of the connections, by rustls: the certificate of the server is always checked.

use std::sync::Arc;

use anyhow::{Context, ensure};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Connector that trusts the authorities in `file`, or those of the system.
pub(crate) fn connector(file: Option<&str>) -> anyhow::Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(file) => {
            let what = || format!("PGSSLROOTCERT: {file}");
            let certificates = CertificateDer::pem_file_iter(file).with_context(what)?;
            for certificate in certificates {
                roots
                    .add(certificate.with_context(what)?)
                    .with_context(what)?;
            }
            ensure!(!roots.is_empty(), "{}: no certificate in it", what());
        }
        // Without any, connections without TLS are possible still.
        None => {
            let system = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(system.certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("prepare TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// What to say of `error` if the certificate of the server was refused.
pub(crate) fn rejection(error: &tokio_postgres::Error) -> Option<String> {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        let rustls = error.downcast_ref::<rustls::Error>().or_else(|| {
            let error = error.downcast_ref::<std::io::Error>()?.get_ref()?;
            error.downcast_ref()
        });
        if let Some(rustls) = rustls {
            let advice = match rustls {
                rustls::Error::InvalidCertificate(
                    CertificateError::NotValidYet
                    | CertificateError::NotValidYetContext { .. }
                    | CertificateError::Expired
                    | CertificateError::ExpiredContext { .. },
                ) => "renew the certificate, or compare the clock of this machine",
                _ => {
                    "name the authority of its certificate with PGSSLROOTCERT, or write `?sslmode=disable` for a network that you trust"
                }
            };
            return Some(format!("TLS failed: {rustls}; {advice}"));
        }
        cause = error.source();
    }
    None
}
