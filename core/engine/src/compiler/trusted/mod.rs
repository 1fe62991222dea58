//! `$trusted`: the trusted data in a node's certificate.
//!
//! Follows the reference's `Puppet::Context::TrustedInformation` and
//! `Puppet::SSL::Certificate#custom_extensions`. The certificate is read, but not verified: the caller has
//! done that.
//!
//! * `asn1`: the values of extensions
//! * `oids`: the names of extensions

mod asn1;
mod oids;

use der::DecodePem;
use der::asn1::ObjectIdentifier;
use der::pem::PemLabel;
use x509_cert::Certificate;
use x509_cert::name::Name;

pub use asn1::value as extension_value;
pub use oids::OidNames;

use bunraku_pcore::convert::string::inspect_bytes;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::Error;

/// The servers' name of the file with names of extensions.
pub const MAPPING_FILE: &str = "custom_trusted_oid_mapping.yaml";

/// The object identifier of the common name of a subject.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// The arcs whose extensions are trusted: registered, private and authorizing ones. As in the reference,
/// whatever begins with these texts is below them.
const TRUSTED_ARCS: [&str; 3] = ["1.3.6.1.4.1.34380.1.1", "1.3.6.1.4.1.34380.1.2", "1.3.6.1.4.1.34380.1.3"];

/// The data of a node's certificate, and of the server's own sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trusted {
    /// The name in the certificate, in small letters.
    pub certname: String,
    /// The extensions of Puppet, by their short names or else their numbers, in the certificate's order.
    pub extensions: Hash,
    /// The result of `trusted_external_command` for the node, on a server that has one.
    pub external: Hash,
}

impl Trusted {
    /// Reads the first certificate of a text in PEM. `names` names its extensions.
    ///
    /// The values of extensions are texts if they are UTF-8, and otherwise texts without encoding; Booleans
    /// are Booleans, NULL is `undef`, and constructed values are arrays. Numbers and times are texts.
    ///
    /// # Errors
    /// The text has no certificate, it cannot be read, its name is invalid, or the time in an extension is
    /// invalid.
    pub fn from_certificate(pem: &str, names: &OidNames) -> Result<Self, Error> {
        let certificate = read(pem)?.tbs_certificate;
        let mut extensions = Hash::default();
        for extension in certificate.extensions.iter().flatten() {
            let oid = extension.extn_id.to_string();
            let key = Value::from(names.name(&oid));
            // If an extension occurs twice, the first one counts.
            if TRUSTED_ARCS.iter().any(|arc| oid.starts_with(arc)) && extensions.get(&key).is_none() {
                extensions.insert(key, asn1::value(extension.extn_value.as_bytes(), names)?);
            }
        }
        Ok(Self { certname: certname(&certificate.subject)?, extensions, external: Hash::default() })
    }

    /// The value of `$trusted`.
    pub fn to_hash(&self) -> Hash {
        hash_of(
            "remote".into(),
            self.certname.as_str().into(),
            Value::from(self.extensions.clone()),
            Value::from(self.external.clone()),
        )
    }
}

/// `$trusted` of its parts; `hostname` and `domain` are cut from the certname.
pub(super) fn hash_of(authenticated: Value, certname: Value, extensions: Value, external: Value) -> Hash {
    let name = certname.as_str();
    let (hostname, domain) = match name.map(|name| name.split_once('.').ok_or(name)) {
        Some(Ok((hostname, domain))) => (Value::from(hostname), Value::from(domain)),
        Some(Err(name)) if !name.is_empty() => (Value::from(name), Value::Undef),
        Some(Err(_)) | None => (Value::Undef, Value::Undef),
    };
    [
        ("authenticated", authenticated),
        ("certname", certname),
        ("extensions", extensions),
        ("hostname", hostname),
        ("domain", domain),
        ("external", external),
    ]
    .into_iter()
    .map(|(key, value)| (Value::from(key), value))
    .collect()
}

/// The first certificate of a text; the surrounding text is ignored.
fn read(pem: &str) -> Result<Certificate, Error> {
    let failed = |why: &str| Error::argument(format!("PEM_read_bio_X509: {why}"));
    let label = Certificate::PEM_LABEL;
    let begin = pem.find(&format!("-----BEGIN {label}-----")).ok_or_else(|| failed("no start line"))?;
    let end_line = format!("-----END {label}-----");
    let rest = &pem[begin..];
    let end = rest.find(&end_line).ok_or_else(|| failed("bad end line"))? + end_line.len();
    Certificate::from_pem(&rest[..end]).map_err(|error| match error.kind() {
        der::ErrorKind::Pem(_) => failed("bad base64 decode"),
        _ => failed("ASN1 lib"),
    })
}

/// The first common name of a subject, in small letters.
fn certname(subject: &Name) -> Result<String, Error> {
    let mut attributes = subject.0.iter().flat_map(|relative| relative.0.iter());
    let name = attributes.find(|attribute| attribute.oid == COMMON_NAME);
    let name = name.map(|name| name.value.value().to_ascii_lowercase()).unwrap_or_default();
    // Printable ASCII without a slash; as in the reference, a line feed may end it.
    let body = name.strip_suffix(b"\n").unwrap_or(&name);
    let is_name = |byte: &u8| matches!(byte, b' '..=b'.' | b'0'..=b'~');
    if body.is_empty() || !body.iter().all(is_name) {
        let shown = inspect_bytes(&name);
        return Err(Error::argument(format!(
            "Certname {shown} must not contain unprintable or non-ASCII characters"
        )));
    }
    Ok(String::from_utf8_lossy(&name).into_owned())
}
