//! Encrypted YAML: values with `ENC[PKCS7,…]` in them, as the gem `hiera-eyaml` writes them.
//!
//! Follows the reference's `functions/eyaml_lookup_key.rb` and the parser of that gem. The options
//! `pkcs7_private_key` and `pkcs7_public_key`, or environment variables with `…_env_var`, name the keys.
//! [`pkcs7`] decrypts.

use std::rc::Rc;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;

use super::DataFormat;
use crate::hiera::error::{LookupError, LookupResult, lookup_error};
use crate::hiera::explain::REDACTED;
use crate::hiera::interpolate::{Interpolation, interpolate};
use crate::hiera::invocation::Invocation;
use crate::hiera::session::{FunctionContext, Session};
use bunraku_pcore::formats::pkcs7;
use bunraku_pcore::label::in_place_of_text;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::Error;

/// The pattern of texts that are decrypted: it does not extend over a line's end.
#[expect(clippy::expect_used, reason = "the pattern is a constant")]
static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"ENC\[.*?\]").expect("the pattern is sound"));

/// An encrypted part.
#[expect(clippy::expect_used, reason = "the pattern is a constant")]
static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"ENC\[(?:(\w+),)?([a-zA-Z0-9+/ =\n]+?)\]").expect("the pattern is sound"));

/// The number of steps for decrypting a part.
const STEPS_OF_PART: usize = 1 << 10;

/// Base64 that asks for little, up to the first `=`.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// The value of a key in a file, decrypted and interpolated.
///
/// Errors: the path is missing, the file cannot be parsed, a value cannot be decrypted.
pub(in crate::hiera) fn lookup_key(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    context: &FunctionContext,
    key: &Str,
    options: &Hash,
) -> LookupResult {
    if let Some(value) = context.cache.borrow().get(&Value::String(key.clone())) {
        return Ok(value.clone());
    }
    let Some(path) = options.get(&Value::from("path")).and_then(Value::as_str) else {
        return Err(Error::argument(
            "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
             when using this lookup_key function",
        )
        .into());
    };
    let data = DataFormat::Yaml.read(session.evaluator, path)?;
    let Value::Hash(data) = &data else { return Err(LookupError::NoSuchKey) };
    let value = data.get(&Value::String(key.clone())).ok_or(LookupError::NoSuchKey)?;
    let reader = Decryption { session, invocation, options, key, path, context };
    let value = reader.decrypted(value, 0)?;
    context.cache.borrow_mut().insert(Value::String(key.clone()), value.clone());
    Ok(value)
}

struct Decryption<'r, 'a, 'e> {
    session: Session<'a, 'e>,
    invocation: &'r Rc<Invocation>,
    options: &'r Hash,
    key: &'r Str,
    path: &'r str,
    context: &'r FunctionContext,
}

impl Decryption<'_, '_, '_> {
    fn decrypted(&self, value: &Value, depth: usize) -> LookupResult {
        self.session.charge_steps(1)?;
        match value {
            Value::String(text) => self.text(text),
            Value::Hash(_) | Value::Array(_) if depth > 500 => {
                Err(Error::internal("Data is nested too deeply").into())
            }
            Value::Hash(hash) => {
                let mut result = Hash::default();
                for (key, value) in hash.iter() {
                    let key = interpolate(self.session, self.invocation, key, Interpolation::DATA)?;
                    result.insert(key, self.decrypted(value, depth + 1)?);
                }
                Ok(Value::from(result))
            }
            Value::Array(list) => {
                let values = list.iter().map(|value| self.decrypted(value, depth + 1));
                values.collect::<LookupResult<Vec<_>>>().map(Value::from)
            }
            value => Ok(value.clone()),
        }
    }

    fn text(&self, text: &str) -> LookupResult {
        if !MARK.is_match(text) {
            return interpolate(self.session, self.invocation, &Value::from(text), Interpolation::DATA);
        }
        let plain = self.plain_text(text)?;
        let line = plain.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let plain = line.or_else(|| plain.strip_suffix('\r')).unwrap_or(&plain);
        interpolate(self.session, self.invocation, &Value::from(plain), Interpolation::DATA)
            .map_err(|stop| stop.hiding(plain, REDACTED))
    }

    /// A text with its encrypted parts decrypted.
    fn plain_text(&self, text: &str) -> Result<String, LookupError> {
        let mut result = String::new();
        let mut behind = 0;
        for token in TOKEN.captures_iter(text) {
            self.session.charge_steps(STEPS_OF_PART)?;
            let (whole, cipher) = (token.get_match(), token.get(2).map_or("", |cipher| cipher.as_str()));
            if let Some(scheme) = token.get(1).map(|scheme| scheme.as_str().to_lowercase())
                && scheme != "pkcs7"
            {
                let file = format!("hiera/backend/eyaml/encryptors/{scheme}");
                return Err(Error::internal(format!("cannot load such file -- {file}")).into());
            }
            self.context.decrypted.borrow_mut().insert(self.key.clone());
            let plain = self.decrypt(cipher).map_err(|message| {
                lookup_error(format!(
                    "hiera-eyaml backend error decrypting {text} when looking up {} in {}. Error was {message}",
                    self.key, self.path
                ))
            })?;
            result.push_str(&text[behind..whole.start()]);
            result.push_str(&plain);
            behind = whole.end();
        }
        result.push_str(&text[behind..]);
        Ok(result)
    }

    fn decrypt(&self, cipher: &str) -> Result<String, String> {
        for name in ["pkcs7_public_key", "pkcs7_private_key"] {
            if self.option(name).is_none() && self.option(&format!("{name}_env_var")).is_none() {
                return Err(format!("{name} is not defined"));
            }
        }
        let key = pkcs7::private_key(&self.pem("pkcs7_private_key")?)?;
        let certificate = pkcs7::certificate(&self.pem("pkcs7_public_key")?)?;
        let text: String =
            cipher.chars().take_while(|&char| char != '=').filter(|char| !char.is_whitespace()).collect();
        let whole = if text.len() % 4 == 1 { text.len() - 1 } else { text.len() };
        let message = LENIENT.decode(&text[..whole]).unwrap_or_default();
        let plain = pkcs7::open(&message, &key, &certificate)?;
        Ok(String::from_utf8_lossy(&plain).into_owned())
    }

    /// A non-empty option.
    fn option(&self, name: &str) -> Option<&Value> {
        let value = self.options.get(&Value::from(name))?;
        (!matches!(value, Value::Undef | Value::Boolean(false))).then_some(value)
    }

    /// The content of an environment variable, or else of a file.
    fn pem(&self, name: &str) -> Result<Vec<u8>, String> {
        let host = &self.session.environment().host;
        let text = |value: Option<&Value>| {
            let value = value.unwrap_or(&Value::Undef);
            value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("no implicit conversion of {} into String", in_place_of_text(value)))
        };
        if let Some(variable) = self.option(&format!("{name}_env_var"))
            && let Some(value) = host.environment_variable(&text(Some(variable))?)
        {
            return Ok(value.into_bytes());
        }
        let path = text(self.option(name))?;
        self.session.evaluator.read_file(&path).map_err(|error| error.on_opening())
    }
}
