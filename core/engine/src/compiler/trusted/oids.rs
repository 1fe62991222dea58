//! Names of object identifiers: Puppet's own, and those of a `custom_trusted_oid_mapping.yaml`.

use std::borrow::Cow;

use crate::hiera::yaml;
use bunraku_pcore::format::inspect;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::Error;

/// The key of the names in the file.
const MAP_KEY: &str = "oid_mapping";

/// Puppet's identifiers, with their short and long names.
const PUPPET: &[(&str, &str, &str)] = &[
    ("1.3.6.1.4.1.34380", "puppetlabs", "Puppet Labs"),
    ("1.3.6.1.4.1.34380.1", "ppCertExt", "Puppet Certificate Extension"),
    ("1.3.6.1.4.1.34380.1.1", "ppRegCertExt", "Puppet Registered Certificate Extension"),
    ("1.3.6.1.4.1.34380.1.1.1", "pp_uuid", "Puppet Node UUID"),
    ("1.3.6.1.4.1.34380.1.1.2", "pp_instance_id", "Puppet Node Instance ID"),
    ("1.3.6.1.4.1.34380.1.1.3", "pp_image_name", "Puppet Node Image Name"),
    ("1.3.6.1.4.1.34380.1.1.4", "pp_preshared_key", "Puppet Node Preshared Key"),
    ("1.3.6.1.4.1.34380.1.1.5", "pp_cost_center", "Puppet Node Cost Center Name"),
    ("1.3.6.1.4.1.34380.1.1.6", "pp_product", "Puppet Node Product Name"),
    ("1.3.6.1.4.1.34380.1.1.7", "pp_project", "Puppet Node Project Name"),
    ("1.3.6.1.4.1.34380.1.1.8", "pp_application", "Puppet Node Application Name"),
    ("1.3.6.1.4.1.34380.1.1.9", "pp_service", "Puppet Node Service Name"),
    ("1.3.6.1.4.1.34380.1.1.10", "pp_employee", "Puppet Node Employee Name"),
    ("1.3.6.1.4.1.34380.1.1.11", "pp_created_by", "Puppet Node created_by Tag"),
    ("1.3.6.1.4.1.34380.1.1.12", "pp_environment", "Puppet Node Environment Name"),
    ("1.3.6.1.4.1.34380.1.1.13", "pp_role", "Puppet Node Role Name"),
    ("1.3.6.1.4.1.34380.1.1.14", "pp_software_version", "Puppet Node Software Version"),
    ("1.3.6.1.4.1.34380.1.1.15", "pp_department", "Puppet Node Department Name"),
    ("1.3.6.1.4.1.34380.1.1.16", "pp_cluster", "Puppet Node Cluster Name"),
    ("1.3.6.1.4.1.34380.1.1.17", "pp_provisioner", "Puppet Node Provisioner Name"),
    ("1.3.6.1.4.1.34380.1.1.18", "pp_region", "Puppet Node Region Name"),
    ("1.3.6.1.4.1.34380.1.1.19", "pp_datacenter", "Puppet Node Datacenter Name"),
    ("1.3.6.1.4.1.34380.1.1.20", "pp_zone", "Puppet Node Zone Name"),
    ("1.3.6.1.4.1.34380.1.1.21", "pp_network", "Puppet Node Network Name"),
    ("1.3.6.1.4.1.34380.1.1.22", "pp_securitypolicy", "Puppet Node Security Policy Name"),
    ("1.3.6.1.4.1.34380.1.1.23", "pp_cloudplatform", "Puppet Node Cloud Platform Name"),
    ("1.3.6.1.4.1.34380.1.1.24", "pp_apptier", "Puppet Node Application Tier"),
    ("1.3.6.1.4.1.34380.1.1.25", "pp_hostname", "Puppet Node Hostname"),
    ("1.3.6.1.4.1.34380.1.1.26", "pp_owner", "Puppet Node Owner"),
    ("1.3.6.1.4.1.34380.1.2", "ppPrivCertExt", "Puppet Private Certificate Extension"),
    ("1.3.6.1.4.1.34380.1.3", "ppAuthCertExt", "Puppet Certificate Authorization Extension"),
    ("1.3.6.1.4.1.34380.1.3.1", "pp_authorization", "Certificate Extension Authorization"),
    ("1.3.6.1.4.1.34380.1.3.2", "pp_auth_auto_renew", "Auto-Renew Certificate Attribute"),
    ("1.3.6.1.4.1.34380.1.3.13", "pp_auth_role", "Puppet Node Role Name for Authorization"),
    ("1.3.6.1.4.1.34380.1.3.39", "pp_cli_auth", "Puppetserver CA CLI Authorization"),
];

type Names = (Cow<'static, str>, Cow<'static, str>, Cow<'static, str>);

/// The names that object identifiers have.
#[derive(Clone, Debug)]
pub struct OidNames(Vec<Names>);

impl Default for OidNames {
    /// Puppet's own names.
    fn default() -> Self {
        Self(PUPPET.iter().map(|&(oid, short, long)| (oid.into(), short.into(), long.into())).collect())
    }
}

impl OidNames {
    /// Puppet's own names and those of a YAML text: under `oid_mapping`, identifiers with `shortname` and
    /// `longname`. The path is for messages.
    ///
    /// # Errors
    /// The text is not YAML or has another form, or a name or identifier is Puppet's or repeated. OpenSSL's
    /// own names for others, such as `role`, are accepted, because they are not known here.
    pub fn from_mapping(text: &str, path: &str) -> Result<Self, Error> {
        let mapping = definitions(text, path).map_err(|why| {
            Error::argument(format!("Error loading ssl custom OIDs mapping file from '{path}': {why}"))
        })?;
        let mut names = Self::default();
        for definition in mapping {
            names.register(definition).map_err(|why| {
                Error::argument(format!(
                    "Error registering ssl custom OIDs mapping from file '{path}': {why}"
                ))
            })?;
        }
        Ok(names)
    }

    /// The short name of an identifier; the identifier itself when it has none.
    pub(super) fn name<'o>(&'o self, oid: &'o str) -> &'o str {
        self.0.iter().find(|(known, _, _)| known == oid).map_or(oid, |(_, short, _)| short)
    }

    fn register(&mut self, definition: [Value; 3]) -> Result<(), String> {
        for part in &definition {
            let class = match part {
                Value::Integer(_) | Value::BigInteger(_) => "Integer",
                Value::Float(_) => "Float",
                Value::Boolean(truth) => &truth.to_string(),
                Value::Array(_) => "Array",
                Value::Hash(_) => "Hash",
                _ => continue,
            };
            return Err(format!("no implicit conversion of {class} into String"));
        }
        let [oid, short, long] = definition.map(|part| part.as_str().unwrap_or_default().to_owned());
        let is_taken = |(_, known_short, known_long): &Names| *known_short == short || *known_long == long;
        if self.0.iter().any(is_taken) {
            return Err("oid exists".to_owned());
        }
        let oid = normalized(&oid)?;
        if self.0.iter().any(|(known, _, _)| *known == oid) {
            return Err("oid exists".to_owned());
        }
        self.0.push((oid.into(), short.into(), long.into()));
        Ok(())
    }
}

/// The identifiers of a mapping with their names, in its order.
fn definitions(text: &str, path: &str) -> Result<Vec<[Value; 3]>, String> {
    let mapping = match yaml::parse(text, Some(path))? {
        Value::Hash(mapping) => mapping,
        _ => return Err(format!("no such index '{MAP_KEY}'")),
    };
    let mapping = match mapping.get(&Value::from(MAP_KEY)) {
        Some(Value::Hash(mapping)) => mapping,
        Some(_) => return Err(format!("data under index '{MAP_KEY}' must be a Hash")),
        None => return Err(format!("no such index '{MAP_KEY}'")),
    };
    let named =
        |names: &Hash, key: &str| names.get(&Value::from(key)).filter(|name| **name != Value::Undef).cloned();
    let definition = |(oid, names): (&Value, &Value)| match names {
        Value::Hash(names) => Some([oid.clone(), named(names, "shortname")?, named(names, "longname")?]),
        _ => None,
    };
    mapping
        .iter()
        .map(|(oid, names)| {
            let shown = oid.as_str().map_or_else(|| inspect(oid), str::to_owned);
            definition((oid, names)).ok_or_else(|| format!("incomplete definition of oid '{shown}'"))
        })
        .collect()
}

/// An identifier in numbers as OpenSSL reads it, each without zeros before it.
fn normalized(oid: &str) -> Result<String, String> {
    let arcs: Vec<&str> = oid.split(['.', ' ']).collect();
    let number = |arc: &str| match arc.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(arc.trim_start_matches('0').to_owned())
            .map(|arc| if arc.is_empty() { "0".into() } else { arc }),
        false => Err("invalid digit".to_owned()),
    };
    if !matches!(arcs[0], "0" | "1" | "2") {
        return Err("first num too large".to_owned());
    }
    if arcs.len() < 2 {
        return Err("missing second number".to_owned());
    }
    let arcs = arcs.into_iter().map(number).collect::<Result<Vec<String>, String>>()?;
    if arcs[0] != "2" && arcs[1].parse::<u64>().map_or(true, |second| second >= 40) {
        return Err("second number too large".to_owned());
    }
    Ok(arcs.join("."))
}
