//! Opens the messages that the gem `hiera-eyaml` encrypts: CMS (RFC 5652) for an RSA key, the content in AES
//! or 3DES.
//!
//! Errors are worded as those of OpenSSL, which does this for the gem.

use aes::cipher::{BlockCipher, BlockDecryptMut, BlockSizeUser, KeyInit, KeyIvInit, block_padding};
use cms::cert::IssuerAndSerialNumber;
use cms::cert::x509::Certificate;
use cms::content_info::ContentInfo;
use cms::enveloped_data::{EnvelopedData, RecipientIdentifier, RecipientInfo};
use der::asn1::{ObjectIdentifier, OctetStringRef};
use der::oid::db::rfc5911;
use der::{Decode, DecodePem, Encode, SliceReader};
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::{DecodePrivateKey, DecodePublicKey};
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey, RsaPublicKey};

/// The private key in a file, in PKCS #1 or #8.
///
/// # Errors
/// The file contains none.
pub fn private_key(pem: &[u8]) -> Result<RsaPrivateKey, String> {
    let pem = String::from_utf8_lossy(pem);
    RsaPrivateKey::from_pkcs8_pem(&pem)
        .ok()
        .or_else(|| RsaPrivateKey::from_pkcs1_pem(&pem).ok())
        .ok_or_else(|| "Neither PUB key nor PRIV key: unsupported".to_owned())
}

/// The certificate in a file.
///
/// # Errors
/// The file contains none.
pub fn certificate(pem: &[u8]) -> Result<Certificate, String> {
    Certificate::from_pem(pem).map_err(|_| "PEM_read_bio_X509: no start line".to_owned())
}

/// Whether bytes are a message that is encrypted for some key.
pub fn is_message(bytes: &[u8]) -> bool {
    let content = read(bytes).filter(|content| content.content_type == rfc5911::ID_ENVELOPED_DATA);
    content.is_some_and(|content| content.content.decode_as::<EnvelopedData>().is_ok())
}

/// The content of a message that is encrypted for the key of a certificate.
///
/// # Errors
/// The message is invalid or was encrypted for another key, or the key does not belong to the certificate.
pub fn open(message: &[u8], key: &RsaPrivateKey, certificate: &Certificate) -> Result<Vec<u8>, &'static str> {
    let content = read(message).ok_or("Could not parse the PKCS7: no start line")?;
    if content.content_type != rfc5911::ID_ENVELOPED_DATA {
        return Err("wrong content type");
    }
    let data: EnvelopedData =
        content.content.decode_as().map_err(|_| "Could not parse the PKCS7: no start line")?;
    if !is_key_of(key, certificate) {
        return Err("private key does not match certificate");
    }
    let tbs = &certificate.tbs_certificate;
    let recipient =
        IssuerAndSerialNumber { issuer: tbs.issuer.clone(), serial_number: tbs.serial_number.clone() };
    let secret = data.recip_infos.0.iter().find_map(|info| match info {
        RecipientInfo::Ktri(info) => match &info.rid {
            RecipientIdentifier::IssuerAndSerialNumber(other) if *other == recipient => Some(&info.enc_key),
            _ => None,
        },
        _ => None,
    });
    let secret = secret.ok_or("decrypt error")?;
    let content = &data.encrypted_content;
    let algorithm = &content.content_enc_alg;
    let vector = algorithm
        .parameters
        .as_ref()
        .and_then(|parameters| parameters.decode_as::<OctetStringRef<'_>>().ok());
    let (vector, bytes) = match (&vector, &content.encrypted_content) {
        (Some(vector), Some(bytes)) => (vector.as_bytes(), bytes.as_bytes()),
        (None, _) => return Err("cipher parameter error"),
        (_, None) => return Err("no content"),
    };
    // OpenSSL uses a random key if the secret cannot be decrypted, so that this is not revealed.
    let secret = key.decrypt(Pkcs1v15Encrypt, secret.as_bytes()).map_err(|_| "bad decrypt")?;
    decrypted(algorithm.oid, &secret, vector, bytes)
}

/// The message at the start of some bytes; the rest is ignored.
fn read(message: &[u8]) -> Option<ContentInfo> {
    ContentInfo::decode(&mut SliceReader::new(message).ok()?).ok()
}

fn is_key_of(key: &RsaPrivateKey, certificate: &Certificate) -> bool {
    let public = certificate.tbs_certificate.subject_public_key_info.to_der();
    let public = public.ok().and_then(|public| RsaPublicKey::from_public_key_der(&public).ok());
    public.is_some_and(|public| public == key.to_public_key())
}

fn decrypted(
    cipher: ObjectIdentifier,
    key: &[u8],
    vector: &[u8],
    bytes: &[u8],
) -> Result<Vec<u8>, &'static str> {
    match cipher {
        rfc5911::ID_AES_128_CBC => unchained::<aes::Aes128>(key, vector, bytes),
        rfc5911::ID_AES_192_CBC => unchained::<aes::Aes192>(key, vector, bytes),
        rfc5911::ID_AES_256_CBC => unchained::<aes::Aes256>(key, vector, bytes),
        rfc5911::DES_EDE_3_CBC => unchained::<des::TdesEde3>(key, vector, bytes),
        _ => Err("unsupported cipher type"),
    }
}

fn unchained<C>(key: &[u8], vector: &[u8], bytes: &[u8]) -> Result<Vec<u8>, &'static str>
where
    C: BlockCipher + BlockDecryptMut + BlockSizeUser + KeyInit,
{
    let cipher = cbc::Decryptor::<C>::new_from_slices(key, vector).map_err(|_| "bad decrypt")?;
    cipher.decrypt_padded_vec_mut::<block_padding::Pkcs7>(bytes).map_err(|_| "bad decrypt")
}
