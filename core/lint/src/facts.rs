//! Checks of facts that have old names, or are taken from the top scope.

use std::sync::LazyLock;

use regex::Regex;

use crate::Problems;
use crate::manifest::{CheckError, Manifest};
use crate::problem::Fixing;
use crate::token::Kind;

/// Old names of facts, and where their values stand now.
const FACTS: &[(&str, &str)] = &[
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("lsbminordistrelease", "os.distro.release.minor"),
    ("lsbrelease", "os.distro.release.specification"),
    ("macaddress", "networking.mac"),
    ("macosx_buildversion", "os.macosx.build"),
    ("macosx_productname", "os.macosx.product"),
    ("macosx_productversion", "os.macosx.version.full"),
    ("macosx_productversion_major", "os.macosx.version.major"),
    ("macosx_productversion_minor", "os.macosx.version.minor"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memorysize", "memory.system.total"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("swapencrypted", "memory.swap.encrypted"),
    ("swapfree", "memory.swap.available"),
    ("swapsize", "memory.swap.total"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("xendomains", "xen.domains"),
    ("zonename", "solaris_zones.current"),
];

/// Old names of facts that have no place of the same meaning.
const WITHOUT_PLACE: &[&str] = &[
    "memoryfree_mb",
    "memorysize_mb",
    "swapfree_mb",
    "swapsize_mb",
    "blockdevices",
    "interfaces",
    "zones",
    "sshfp_dsa",
    "sshfp_ecdsa",
    "sshfp_ed25519",
    "sshfp_rsa",
];

/// What names of variables at the top scope may begin with.
const AT_TOP_SCOPE: &[&str] = &[
    "trusted",
    "facts",
    "architecture",
    "augeasversion",
    "bios_release_date",
    "bios_vendor",
    "bios_version",
    "boardassettag",
    "boardmanufacturer",
    "boardproductname",
    "boardserialnumber",
    "chassisassettag",
    "chassistype",
    "domain",
    "fqdn",
    "gid",
    "hardwareisa",
    "hardwaremodel",
    "hostname",
    "id",
    "ipaddress",
    "ipaddress6",
    "lsbdistcodename",
    "lsbdistdescription",
    "lsbdistid",
    "lsbdistrelease",
    "lsbmajdistrelease",
    "lsbminordistrelease",
    "lsbrelease",
    "macaddress",
    "macosx_buildversion",
    "macosx_productname",
    "macosx_productversion",
    "macosx_productversion_major",
    "macosx_productversion_minor",
    "manufacturer",
    "memoryfree",
    "memorysize",
    "netmask",
    "netmask6",
    "network",
    "network6",
    "operatingsystem",
    "operatingsystemmajrelease",
    "operatingsystemrelease",
    "osfamily",
    "physicalprocessorcount",
    "processorcount",
    "productname",
    "rubyplatform",
    "rubysitedir",
    "rubyversion",
    "selinux",
    "selinux_config_mode",
    "selinux_config_policy",
    "selinux_current_mode",
    "selinux_enforced",
    "selinux_policyversion",
    "serialnumber",
    "swapencrypted",
    "swapfree",
    "swapsize",
    "system32",
    "uptime",
    "uptime_days",
    "uptime_hours",
    "uptime_seconds",
    "uuid",
    "xendomains",
    "zonename",
];

/// How a fact with an old name is written now.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Legacy {
    Now(String),
    WithoutPlace,
}

/// What became of a fact, if its name is an old one.
fn legacy(name: &str) -> Option<Legacy> {
    let path = |parts: &[&str]| {
        let written: String = parts.iter().map(|part| format!("['{part}']")).collect();
        Some(Legacy::Now(format!("facts{written}")))
    };
    if let Ok(at) = FACTS.binary_search_by_key(&name, |(old, _)| old) {
        return path(&FACTS[at].1.split('.').collect::<Vec<_>>());
    }
    if WITHOUT_PLACE.contains(&name) {
        return Some(Legacy::WithoutPlace);
    }
    if let Some((device, attribute)) = between(name, "blockdevice_", &["model", "size", "vendor"]) {
        return path(&["disks", device, attribute]);
    }
    for of in ["ipaddress", "ipaddress6", "macaddress", "mtu", "netmask", "netmask6", "network", "network6"] {
        if let Some(interface) = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('_')) {
            return path(&["networking", "interfaces", interface, &of.replacen("address", "", 1)]);
        }
    }
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = name.strip_prefix("processor").filter(is_number) {
        return Some(Legacy::Now(format!("facts['processors']['models'][{number}]")));
    }
    if let Some(rest) = name.strip_prefix("sp_") {
        return path(&["system_profiler", rest]);
    }
    if let Some(algorithm) = name.strip_prefix("ssh").and_then(|rest| rest.strip_suffix("key"))
        && ["dsa", "ecdsa", "ed25519", "rsa"].contains(&algorithm)
    {
        return path(&["ssh", algorithm, "key"]);
    }
    if let Some(rest) = name.strip_prefix("ldom_") {
        return path(&["ldom", rest]);
    }
    let attributes = ["brand", "iptype", "name", "uuid", "id", "path", "status"];
    let (zone, attribute) = between(name, "zone_", &attributes)?;
    path(&["solaris_zones", "zones", zone, attribute])
}

/// The text in a name between a beginning and an attribute at its end.
fn between<'n, 'a>(name: &'n str, start: &str, attributes: &[&'a str]) -> Option<(&'n str, &'a str)> {
    let (rest, last) = name.strip_prefix(start)?.rsplit_once('_')?;
    attributes.iter().find(|attribute| **attribute == last).map(|attribute| (rest, *attribute))
}

/// How a fact is written now, unless its old name has no place.
pub(crate) fn replacement(name: &str) -> Option<String> {
    match legacy(name)? {
        Legacy::Now(written) => Some(written),
        Legacy::WithoutPlace => None,
    }
}

pub(crate) fn legacy_facts(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(Kind::is_variable) {
        let value = text.value(at);
        let name = match fact_in_brackets(value) {
            Some(name) => name,
            None if value == "facts" => key_behind(text, at).unwrap_or_default(),
            None => value.strip_prefix("::").unwrap_or_default(),
        };
        if legacy(name).is_some() {
            found.fixable(at, format!("legacy fact '{name}'"), Fixing::Fact(name.to_owned()));
        }
    }
    Ok(())
}

/// The old names of facts in the interpolations of a text of data.
pub(crate) fn legacy_in_text(text: &str) -> Vec<&str> {
    static INTERPOLATION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"%\{(?:::?|facts\.)?([a-zA-Z0-9_]+)\}").ok());
    let Some(pattern) = INTERPOLATION.as_ref().filter(|_| text.contains("%{")) else { return Vec::new() };
    let names = pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()));
    names.filter(|name| legacy(name).is_some()).collect()
}

/// The name of a fact in `facts['name']`.
fn fact_in_brackets(value: &str) -> Option<&str> {
    let value = value.strip_prefix("::").unwrap_or(value);
    let inside = value.strip_prefix("facts[")?.strip_suffix(']').filter(|inside| !inside.is_empty())?;
    let quoted = inside.strip_prefix('\'').and_then(|inside| inside.strip_suffix('\''));
    Some(quoted.filter(|name| !name.is_empty()).unwrap_or(inside))
}

/// The key in the brackets behind a token.
fn key_behind<'m>(text: &'m Manifest<'_>, at: usize) -> Option<&'m str> {
    let bracket = text.next_code(at).filter(|&next| text.kind(next) == Kind::LBrack)?;
    let key = text.next_code(bracket)?;
    let is_name = matches!(text.kind(key), Kind::DoubleQuoted | Kind::SingleQuoted | Kind::Name);
    is_name.then(|| text.value(key))
}

pub(crate) fn top_scope_facts(text: &Manifest<'_>, found: &mut Problems<'_>) -> Result<(), CheckError> {
    for at in text.of_kind(Kind::is_variable) {
        let Some(name) = text.value(at).strip_prefix("::") else { continue };
        let own = text.options.top_scope_variables.iter().map(String::as_str);
        let is_allowed = AT_TOP_SCOPE.iter().copied().chain(own).any(|start| name.starts_with(start));
        if !is_allowed && !is_in_namespace(name) {
            found.at(at, "top scope fact instead of facts hash");
        }
    }
    Ok(())
}

/// Whether a name has a namespace in front of it.
fn is_in_namespace(name: &str) -> bool {
    let Some((space, _)) = name.split_once("::") else { return false };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    space.len() > 1
        && space.bytes().all(is_word)
        && !space.starts_with(|first: char| first.is_ascii_uppercase())
}
