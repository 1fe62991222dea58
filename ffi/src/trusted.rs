//! The trusted data of a node's certificate.

use bunraku_core::compiler::trusted::{MAPPING_FILE, OidNames, Trusted};
use bunraku_core::pcore::Value;

use crate::boundary::{give, guard, text};
use crate::data;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// Reads the trusted data of a node, the member "trusted" of a request, from a certificate. It does not
/// verify the certificate: whoever accepted it from the node has done that.
///
/// @param pem  a text with certificates in PEM, of which the first is used
/// @param oid_mapping  the text of a custom_trusted_oid_mapping.yaml, which names extensions in addition to
///     those that Puppet names; BUNRAKU_NO_TEXT for none
/// @param path  the path of that file, for messages; BUNRAKU_NO_TEXT for its usual name
/// @param json  receives a JSON object with "authenticated" ("remote"), "certname" (the common name, in lower
///     case), "hostname", "domain", "extensions" (by their short names, or else their numbers; texts for
///     every text type of the certificate, true, false, null or arrays; numbers and times are texts) and
///     "external" (empty, for data of the caller), in rich data: bytes that are not UTF-8 are {"__ptype":
///     "Binary", "__pvalue": …}, which a request with "rich_data" accepts; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The texts are valid for reads of their lengths, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_trusted_from_certificate(
    pem: bunraku_text,
    oid_mapping: bunraku_text,
    path: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (pem, mapping, path) =
            unsafe { (text(pem, "pem")?, text(oid_mapping, "oid_mapping")?, text(path, "path")?) };
        let path = if path.is_empty() { MAPPING_FILE } else { path };
        let names = match oid_mapping.data.is_null() {
            true => OidNames::default(),
            false => OidNames::from_mapping(mapping, path)?,
        };
        let trusted = Trusted::from_certificate(pem, &names)?.to_hash();
        let trusted = data::to_json_text(&Value::from(trusted))?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(trusted)) }
    })
}
