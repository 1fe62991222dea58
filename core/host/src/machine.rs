//! The names and addresses of a machine.

use std::net::IpAddr;

use dns_lookup::{AddrInfoHints, get_hostname, getaddrinfo};

/// The names and addresses of a machine: the facts of a server for manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The name, with the domain if it is known.
    pub name: Option<String>,
    /// An IPv4 address by which others can reach it.
    pub ip: Option<String>,
    /// An IPv6 address.
    pub ip6: Option<String>,
}

impl Machine {
    /// The machine of this process. Looks up its name, which can wait for a name server.
    pub(super) fn of_process() -> Self {
        let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
        let addresses = || interfaces.iter().map(if_addrs::Interface::ip).filter(|ip| !is_local(ip));
        Self {
            name: get_hostname().ok().map(|name| full_name(&name).unwrap_or(name)),
            ip: addresses().find(IpAddr::is_ipv4).map(|ip| ip.to_string()),
            ip6: addresses().find(IpAddr::is_ipv6).map(|ip| ip.to_string()),
        }
    }
}

/// Whether only the machine itself uses this address.
fn is_local(ip: &IpAddr) -> bool {
    ip.is_loopback() || matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
}

/// A name with its domain, if it has none and one is found.
fn full_name(name: &str) -> Option<String> {
    if name.contains('.') {
        return None;
    }
    let hints =
        AddrInfoHints { flags: libc::AI_CANONNAME, socktype: libc::SOCK_STREAM, ..AddrInfoHints::default() };
    let found = getaddrinfo(Some(name), None, Some(hints)).ok()?.next()?.ok()?.canonname?;
    found.strip_prefix(name)?.starts_with('.').then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_no_other_machine_reaches_are_local() {
        let local = ["127.0.0.1", "::1", "fe80::1"].map(|text| text.parse().unwrap());
        assert!(local.iter().all(is_local));
        let others = ["192.0.2.1", "10.0.0.1", "2001:db8::1"].map(|text| text.parse().unwrap());
        assert!(!others.iter().any(is_local));
    }
}
