//! What a certificate says of a node.

use bunraku_core::compiler::trusted::{MAPPING_FILE, OidNames, Trusted};
use bunraku_core::pcore::Value;

use crate::boundary::{give, guard, text};
use crate::data;
use crate::error::bunraku_error;
use crate::text::{bunraku_string, bunraku_text};

/// Reads from a certificate what is trusted of a node, the member "trusted" of a request. The certificate is
/// not verified: whoever took it from the node has done that.
///
/// @param pem  the certificate in PEM, the first of the text
/// @param oid_mapping  the text of a custom_trusted_oid_mapping.yaml, which names extensions beside those
///     that Puppet names; BUNRAKU_NO_TEXT for none
/// @param path  the path of that file, for messages; BUNRAKU_NO_TEXT for its usual name
/// @param json  receives a JSON object with "authenticated" ("remote"), "certname" (the common name, in
///     small letters), "hostname", "domain", "extensions" (by their short names, or else their numbers;
///     texts, whatever type of text the certificate has them in, true, false, null or arrays; numbers and
///     times are their texts) and "external" (empty, for what the caller knows from elsewhere), in rich data:
///     bytes that are no UTF-8 are {"__ptype": "Binary", "__pvalue": …}, which a request with "rich_data"
///     takes; to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// The texts point to as many bytes as told, `json` is writable.
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
