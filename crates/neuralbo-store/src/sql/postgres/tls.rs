//! Encryption, and whom it trusts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::sql::conninfo::Words;

/// The root certificates of the operating system.
const SYSTEM: &str = "system";

/// Requirements on the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// Nothing is encrypted (`disable`).
    NoEncryption,
    /// Encrypted if the server offers it, and nothing is asked (`prefer`).
    IfOffered,
    /// Encrypted, and nothing is asked (`require`).
    None,
    /// An authority that is trusted has signed it (`verify-ca`).
    Authority,
    /// The same, and it is the certificate of this host (`verify-full`).
    Full,
}

/// Where the certificates are.
#[derive(Clone, Debug)]
pub(crate) struct Certificates {
    verification: Verification,
    roots: Option<PathBuf>,
    own: Option<(PathBuf, PathBuf)>,
}

impl Certificates {
    /// As in libpq: the named files, or those of `~/.postgresql`.
    pub(super) fn new(words: &Words, verification: Verification, home: Option<&Path>) -> Self {
        let usual = |file: &str| {
            home.map(|home| home.join(".postgresql").join(file))
                .filter(|path| path.exists())
        };
        let named =
            |name: &str, file: &str| words.get(name).map(PathBuf::from).or_else(|| usual(file));
        let own = named("sslcert", "postgresql.crt").zip(named("sslkey", "postgresql.key"));
        Self {
            verification,
            roots: named("sslrootcert", "root.crt"),
            own,
        }
    }

    pub(super) fn verification(&self) -> Verification {
        self.verification
    }

    /// What encrypts a connection; the error names the file that cannot be used.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(self.verifier(provider)?);
        let config = match &self.own {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = certificates(certificate)?;
                let key = PrivateKeyDer::from_pem_file(key)
                    .map_err(|error| cannot_read("sslkey", key, &error))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| cannot_read("sslcert", certificate, &error))?
            }
        };
        Ok(MakeRustlsConnect::new(config))
    }

    fn verifier(
        &self,
        provider: Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, String> {
        let webpki = match self.verification {
            Verification::NoEncryption | Verification::IfOffered | Verification::None => None,
            Verification::Authority | Verification::Full => {
                let builder = WebPkiServerVerifier::builder_with_provider(
                    Arc::new(self.root_store()?),
                    Arc::clone(&provider),
                );
                Some(
                    builder
                        .build()
                        .map_err(|error| format!("sslrootcert: {error}"))?,
                )
            }
        };
        let any_host = self.verification != Verification::Full;
        Ok(Arc::new(Verifier {
            webpki,
            any_host,
            provider,
        }))
    }

    fn root_store(&self) -> Result<RootCertStore, String> {
        let mut store = RootCertStore::empty();
        let found = match self
            .roots
            .as_deref()
            .filter(|path| *path != Path::new(SYSTEM))
        {
            Some(path) => certificates(path)?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        store.add_parsable_certificates(found);
        if store.is_empty() {
            return Err(
                "sslrootcert: no root certificate was found; name a file of them, or `system`"
                    .to_owned(),
            );
        }
        Ok(store)
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    read.map_err(|error| cannot_read("certificate", path, &error))
}

fn cannot_read(what: &str, path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{what} `{}` cannot be used: {error}", path.display())
}

/// Asks as much of a certificate as the mode says; that the server has the key of its certificate is always asked.
#[derive(Debug)]
struct Verifier {
    /// `None`: any certificate is taken.
    webpki: Option<Arc<WebPkiServerVerifier>>,
    any_host: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(webpki) = &self.webpki else {
            return Ok(ServerCertVerified::assertion());
        };
        match webpki.verify_server_cert(end_entity, intermediates, server_name, ocsp, now) {
            // The name is looked at last, after everything else was found in order.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.any_host => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
