//! Names that come from outside of an environment: facts, and variables that the server sets.

/// Variables of the top scope that servers set.
const SERVER: &[&str] = &[
    "agent_specified_environment",
    "caller_module_name",
    "clientcert",
    "clientnoop",
    "clientversion",
    "environment",
    "facts",
    "module_name",
    "name",
    "pe_build",
    "pe_server_version",
    "server_facts",
    "serverimplementation",
    "serverip",
    "serverip6",
    "servername",
    "serverversion",
    "settings",
    "title",
    "trusted",
];

/// Facts of Facter, including those of version 3 that version 4 still resolves on request.
const FACTS: &[&str] = &[
    "aio_agent_build",
    "aio_agent_version",
    "architecture",
    "augeas",
    "augeasversion",
    "az_metadata",
    "bios_release_date",
    "bios_vendor",
    "bios_version",
    "blockdevices",
    "boardassettag",
    "boardmanufacturer",
    "boardproductname",
    "boardserialnumber",
    "chassisassettag",
    "chassistype",
    "cloud",
    "dhcp_servers",
    "disks",
    "dmi",
    "domain",
    "ec2_metadata",
    "ec2_userdata",
    "env_windows_installdir",
    "facterversion",
    "filesystems",
    "fips_enabled",
    "fqdn",
    "gce",
    "gid",
    "hardwareisa",
    "hardwaremodel",
    "hostname",
    "hypervisors",
    "id",
    "identity",
    "interfaces",
    "ipaddress",
    "ipaddress6",
    "is_virtual",
    "kernel",
    "kernelmajversion",
    "kernelrelease",
    "kernelversion",
    "ldom",
    "load_averages",
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
    "memory",
    "memoryfree",
    "memoryfree_mb",
    "memorysize",
    "memorysize_mb",
    "mountpoints",
    "netmask",
    "netmask6",
    "network",
    "network6",
    "networking",
    "nim_type",
    "operatingsystem",
    "operatingsystemmajrelease",
    "operatingsystemrelease",
    "os",
    "osfamily",
    "package_provider",
    "partitions",
    "path",
    "physicalprocessorcount",
    "processor",
    "processorcount",
    "processors",
    "productname",
    "ps",
    "puppetversion",
    "root_home",
    "ruby",
    "rubyplatform",
    "rubysitedir",
    "rubyversion",
    "scope6",
    "selinux",
    "selinux_config_mode",
    "selinux_config_policy",
    "selinux_current_mode",
    "selinux_enforced",
    "selinux_policyversion",
    "serialnumber",
    "service_provider",
    "solaris_zones",
    "ssh",
    "sshalgorithm",
    "sshdsakey",
    "sshecdsakey",
    "sshed25519key",
    "sshfp_dsa",
    "sshfp_ecdsa",
    "sshfp_ed25519",
    "sshfp_rsa",
    "sshrsakey",
    "swapencrypted",
    "swapfree",
    "swapfree_mb",
    "swapsize",
    "swapsize_mb",
    "system32",
    "system_profiler",
    "system_uptime",
    "timezone",
    "uniqueid",
    "uptime",
    "uptime_days",
    "uptime_hours",
    "uptime_seconds",
    "uuid",
    "virtual",
    "xendomains",
    "zfs_featurenumbers",
    "zfs_version",
    "zone",
    "zones",
    "zpool_featurenumbers",
    "zpool_version",
];

/// Prefixes of the names of facts that exist for each interface, disk, processor and the like.
const FAMILIES: &[&str] = &[
    "blockdevice_",
    "ipaddress6_",
    "ipaddress_",
    "macaddress_",
    "mtu_",
    "netmask6_",
    "netmask_",
    "network6_",
    "network_",
    "scope6_",
    "sp_",
    "zone_",
];

/// The names of Facter's facts.
pub(crate) fn names<'n>() -> impl Iterator<Item = &'n str> {
    FACTS.iter().copied()
}

/// Whether a variable is set from outside.
pub(crate) fn is_variable(name: &str) -> bool {
    SERVER.contains(&name) || is_fact(name)
}

/// Whether a name is that of a fact that Facter brings.
pub(crate) fn is_fact(name: &str) -> bool {
    let is_processor = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    FACTS.binary_search(&name).is_ok()
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || name.strip_prefix("processor").is_some_and(is_processor)
}

/// The types of resources that come with the packages of agents and servers, in modules of their own.
pub(crate) const BUNDLED_TYPES: &[&str] = &[
    "augeas",
    "cron",
    "host",
    "mailalias",
    "maillist",
    "mount",
    "scheduled_task",
    "selboolean",
    "selmodule",
    "ssh_authorized_key",
    "sshkey",
    "yumrepo",
    "zfs",
    "zone",
    "zpool",
];

/// The resource types of every server, and those that usually come with an agent.
pub(crate) const CORE_RESOURCE_TYPES: &[&str] = &[
    "augeas",
    "cron",
    "exec",
    "file",
    "filebucket",
    "group",
    "host",
    "mount",
    "notify",
    "package",
    "resources",
    "schedule",
    "selboolean",
    "selmodule",
    "service",
    "ssh_authorized_key",
    "sshkey",
    "stage",
    "tidy",
    "user",
    "yumrepo",
    "zfs",
    "zone",
    "zpool",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(FACTS.is_sorted());
        assert!(is_variable("trusted") && is_variable("osfamily") && is_variable("ipaddress_eth0"));
        assert!(!is_variable("ntp_servers"));
    }
}
