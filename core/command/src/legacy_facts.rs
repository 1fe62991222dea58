//! The legacy facts, which many modules still read: `operatingsystem`, `ipaddress_eth0` and the like,
//! computed from the structured ones.
//!
//! Agents of Puppet 8 do not send them unless `include_legacy_facts` is set. Names and values are Facter's.

use bunraku::pcore::Value;
use bunraku::pcore::value::Hash;

/// A fact and where its value is.
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
    ("dhcp_servers", "networking.dhcp"),
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
    ("lsbrelease", "os.distro.specification"),
    ("macaddress", "networking.mac"),
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
    ("windows_edition_id", "os.windows.edition_id"),
    ("windows_installation_type", "os.windows.installation_type"),
    ("windows_product_name", "os.windows.product_name"),
    ("windows_release_id", "os.windows.release_id"),
];

/// Facts of an interface: their prefix, and the interface's own name of the value.
const OF_INTERFACES: &[(&str, &str)] = &[
    ("dhcp_server", "dhcp"),
    ("ipaddress", "ip"),
    ("ipaddress6", "ip6"),
    ("macaddress", "mac"),
    ("mtu", "mtu"),
    ("netmask", "netmask"),
    ("netmask6", "netmask6"),
    ("network", "network"),
    ("network6", "network6"),
    ("scope6", "scope6"),
];

/// Facts of a disk.
const OF_DISKS: &[(&str, &str)] = &[("model", "model"), ("size", "size_bytes"), ("vendor", "vendor")];

/// Sizes in mebibytes, of bytes.
const IN_MEBIBYTES: &[(&str, &str)] = &[
    ("memoryfree_mb", "memory.system.available_bytes"),
    ("memorysize_mb", "memory.system.total_bytes"),
    ("swapfree_mb", "memory.swap.available_bytes"),
    ("swapsize_mb", "memory.swap.total_bytes"),
];

/// Adds the legacy facts that follow from the others, unless a fact with the name exists.
pub(crate) fn add(facts: &mut Hash) {
    let mut made: Vec<(String, Value)> = Vec::new();
    for (name, path) in FACTS {
        made.extend(at(facts, path).map(|value| ((*name).to_owned(), value.clone())));
    }
    for (name, path) in IN_MEBIBYTES {
        if let Some(Value::Integer(bytes)) = at(facts, path) {
            let hundredths = (*bytes as f64 / f64::from(1 << 20) * 100.0).round() / 100.0;
            made.push(((*name).to_owned(), Value::from(hundredths)));
        }
    }
    if let Some(Value::Hash(interfaces)) = at(facts, "networking.interfaces") {
        // As in Facter: characters other than letters, digits and `_` become `_`.
        let plain = |name: &str| {
            name.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect::<String>()
        };
        let named = named(interfaces);
        let names: Vec<String> = named.iter().map(|(name, _)| plain(name)).collect();
        for ((_, interface), name) in named.iter().zip(&names) {
            for (prefix, key) in OF_INTERFACES {
                let value = interface.get(&Value::from(*key));
                made.extend(value.map(|value| (format!("{prefix}_{name}"), value.clone())));
            }
        }
        made.push(("interfaces".to_owned(), Value::from(names.join(","))));
    }
    if let Some(Value::Hash(disks)) = at(facts, "disks") {
        let named = named(disks);
        for (name, disk) in &named {
            for (suffix, key) in OF_DISKS {
                let value = disk.get(&Value::from(*key));
                made.extend(value.map(|value| (format!("blockdevice_{name}_{suffix}"), value.clone())));
            }
        }
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        made.push(("blockdevices".to_owned(), Value::from(names.join(","))));
    }
    if let Some(Value::Array(models)) = at(facts, "processors.models") {
        let models = models.iter().enumerate();
        made.extend(models.map(|(number, model)| (format!("processor{number}"), model.clone())));
    }
    for (name, value) in made {
        let name = Value::from(name);
        if facts.get(&name).is_none() {
            facts.insert(name, value);
        }
    }
}

/// The value at a path.
fn at<'f>(facts: &'f Hash, path: &str) -> Option<&'f Value> {
    let mut steps = path.split('.');
    let first = facts.get(&Value::from(steps.next()?))?;
    steps.try_fold(first, |value, step| match value {
        Value::Hash(hash) => hash.get(&Value::from(step)),
        _ => None,
    })
}

/// The members that are hashes, by name.
fn named(hash: &Hash) -> Vec<(&str, &Hash)> {
    let named = hash.iter().filter_map(|(name, value)| match (name, value) {
        (Value::String(name), Value::Hash(value)) => Some((name.as_str(), value.as_ref())),
        _ => None,
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::pcore::json_tokens;

    fn facts(text: &str) -> Hash {
        match json_tokens::parse(text) {
            Ok(Value::Hash(hash)) => hash.as_ref().clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn legacy_facts_follow_from_the_structured_ones() {
        let mut all = facts(
            r#"{"os": {"name": "Debian", "release": {"full": "12.5", "major": "12"}}, "operatingsystem": "own",
                "memory": {"system": {"total_bytes": 2147483648}}, "processors": {"count": 2, "models": ["a", "b"]},
                "networking": {"ip": "10.0.0.2", "interfaces": {"eth0.1": {"ip": "10.0.0.2", "mtu": 1500}}},
                "disks": {"sda": {"size_bytes": 10}}}"#,
        );
        add(&mut all);
        for (name, value) in [
            ("operatingsystem", "\"own\""),
            ("operatingsystemrelease", "\"12.5\""),
            ("memorysize_mb", "2048.0"),
            ("processorcount", "2"),
            ("processor1", "\"b\""),
            ("interfaces", "\"eth0_1\""),
            ("ipaddress_eth0_1", "\"10.0.0.2\""),
            ("mtu_eth0_1", "1500"),
            ("blockdevices", "\"sda\""),
            ("blockdevice_sda_size", "10"),
        ] {
            assert_eq!(all.get(&Value::from(name)), Some(&json_tokens::parse(value).unwrap()), "{name}");
        }
        assert_eq!(all.get(&Value::from("osfamily")), None);
    }
}
