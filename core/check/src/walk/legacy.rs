//! Functions that do not declare their arguments: those of the 3.x API, and those that validate what they are
//! given.

use bunraku_engine::eval::Signature;
use bunraku_pcore::types::{NoTypes, Type, mismatch};

use super::Walker;
use super::calls::Argument;
use super::names::texts;
use crate::codes::Code;
use crate::overlap::overlap;

/// The arguments of Puppet's functions, and of those of the standard library in all its versions. They get
/// `undef` as an empty text.
const LEGACY: &[(&str, &str)] = &[
    ("basename", "Optional[String] $path, Optional[String]? $extension"),
    ("create_resources", "String[1] $type, Hash[Any, Optional[Hash]] $instances, Hash? $defaults"),
    ("delete_undef_values", "Variant[Array, Hash] $values"),
    ("difference", "Array $one, Array $other"),
    ("dirname", "Optional[String] $path"),
    ("ensure_packages", "Variant[String, Array, Hash] $packages, Hash? $defaults"),
    ("ensure_resource", "String[1] $type, NotUndef $titles, Hash? $parameters"),
    ("ensure_resources", "String[1] $type, Hash $instances, Hash? $defaults"),
    ("file", "Optional[String]+ $files"),
    ("fqdn_rand", "Optional[Variant[Numeric, String]] $most, Any* $seed"),
    ("inline_template", "String+ $texts"),
    ("intersection", "Array $one, Array $other"),
    ("member", "Array $values, Optional[Variant[String, Integer, Array]] $item"),
    ("num2bool", "Optional[Variant[Numeric, String, Boolean]] $number"),
    ("str2bool", "Optional[Variant[String, Boolean]] $text"),
    ("template", "String+ $files"),
    ("union", "Array+ $arrays"),
];

/// The arguments that functions of the standard library let pass, whichever API they are of.
const VALIDATING: &[(&str, &str)] = &[
    ("validate_absolute_path", "Variant[String, Array]+ $paths"),
    ("validate_array", "Array+ $values"),
    ("validate_bool", "Boolean+ $values"),
    ("validate_hash", "Hash+ $values"),
    ("validate_integer", "Variant[Numeric, String, Array, Undef] $value, Any* $bounds"),
    ("validate_legacy", "Variant[Type, String] $type, String $function, Any $value, Any* $others"),
    ("validate_numeric", "Variant[Numeric, String, Array, Undef] $value, Any* $bounds"),
    ("validate_re", "Optional[String] $text, Any* $others"),
    ("validate_string", "Optional[String]+ $values"),
];

fn parsed(table: &[(&str, &str)], name: &str) -> Option<Signature> {
    let (_, text) = table.iter().find(|(known, _)| *known == name)?;
    Signature::parse(text, &|of| Type::parse(of, &NoTypes)).ok()
}

/// The signature of a function of the 3.x API, if it is known.
pub(super) fn signature(name: &str) -> Option<Signature> {
    parsed(LEGACY, name)
}

/// The signature of a function that validates what it is given, if it is known.
pub(super) fn validating(name: &str) -> Option<Signature> {
    parsed(VALIDATING, name.strip_prefix("stdlib::").unwrap_or(name))
}

impl Walker<'_, '_> {
    /// `validate_legacy(Type, 'function', value)`: either of both lets a value pass.
    pub(super) fn validated(&mut self, given: &[Argument]) {
        let [(wanted, _), (_, function), (value, of), ..] = given else { return };
        let former = texts(function).pop().and_then(|name| validating(&name));
        let former = former.and_then(|former| super::calls::first_parameter(&former));
        let (Some(wanted), Some(former)) = (self.literal_type(*wanted), former) else { return };
        let wanted = Type::variant([former, wanted]);
        if !overlap(&wanted, of) {
            let message = mismatch::describe("validate_legacy() value", &wanted, of);
            self.error(Code::WrongArguments, *value, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_sound() {
        for table in [LEGACY, VALIDATING] {
            assert!(table.iter().all(|(name, _)| parsed(table, name).is_some()));
            assert!(table.is_sorted());
        }
    }
}
