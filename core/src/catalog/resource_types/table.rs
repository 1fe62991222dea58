//! The table of the resource types that every server knows: their names, properties and parameters.
//!
//! Facts of the reference's `type/*.rb`, written down by asking it. Words are separated by spaces.

/// A row of the table.
pub(super) struct CoreType {
    /// The type's name.
    pub name: &'static str,
    /// The parameters that make a resource what it is, in their order.
    pub keys: &'static str,
    /// What can be managed of it.
    pub properties: &'static str,
    /// How it is managed.
    pub parameters: &'static str,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
}

/// The parameters that all resources have.
pub const METAPARAMETERS: &[&str] = &[
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
];

/// The metaparameters that make relationships.
pub const RELATIONSHIPS: &[&str] = &["require", "subscribe", "before", "notify"];

/// Every core type.
#[rustfmt::skip]
pub(super) const CORE_TYPES: &[CoreType] = &[
    CoreType {
        name: "component",
        keys: "name",
        properties: "",
        parameters: "name",
        isomorphic: true,
    },
    CoreType {
        name: "exec",
        keys: "command",
        properties: "returns",
        parameters: "command path user group cwd logoutput refresh environment umask timeout tries try_sleep refreshonly creates unless onlyif provider",
        isomorphic: false,
    },
    CoreType {
        name: "file",
        keys: "path",
        properties: "ensure content checksum_value target owner group mode type seluser selrole seltype selrange ctime mtime",
        parameters: "path backup recurse recurselimit max_files replace force ignore links purge sourceselect show_diff staging_location validate_cmd validate_replacement provider checksum source source_permissions selinux_ignore_defaults",
        isomorphic: true,
    },
    CoreType {
        name: "filebucket",
        keys: "name",
        properties: "",
        parameters: "name server port path",
        isomorphic: true,
    },
    CoreType {
        name: "group",
        keys: "name",
        properties: "ensure gid members attributes",
        parameters: "auth_membership name allowdupe ia_load_module attribute_membership system forcelocal provider",
        isomorphic: true,
    },
    CoreType {
        name: "notify",
        keys: "name",
        properties: "message",
        parameters: "withpath name",
        isomorphic: true,
    },
    CoreType {
        name: "package",
        keys: "name provider command",
        properties: "ensure package_settings flavor mark",
        parameters: "name provider command source instance status adminfile responsefile configfiles category platform root vendor description allowcdrom enable_only install_only environment install_options uninstall_options allow_virtual reinstall_on_refresh",
        isomorphic: true,
    },
    CoreType {
        name: "resources",
        keys: "name",
        properties: "",
        parameters: "name purge unless_system_user unless_uid",
        isomorphic: true,
    },
    CoreType {
        name: "schedule",
        keys: "name",
        properties: "",
        parameters: "name range periodmatch period repeat weekday",
        isomorphic: true,
    },
    CoreType {
        name: "service",
        keys: "name",
        properties: "ensure enable logonaccount flags",
        parameters: "logonpassword binary hasstatus name path pattern restart start status stop control hasrestart manifest timeout provider",
        isomorphic: true,
    },
    CoreType {
        name: "stage",
        keys: "name",
        properties: "",
        parameters: "name",
        isomorphic: true,
    },
    CoreType {
        name: "tidy",
        keys: "path",
        properties: "",
        parameters: "path recurse max_files matches backup age size type rmdirs",
        isomorphic: false,
    },
    CoreType {
        name: "user",
        keys: "name",
        properties: "ensure home uid gid comment shell password password_min_age password_max_age password_warn_days groups expiry roles auths profiles keys project attributes salt iterations loginclass",
        parameters: "name membership system allowdupe managehome role_membership auth_membership profile_membership key_membership ia_load_module attribute_membership forcelocal purge_ssh_keys provider",
        isomorphic: true,
    },
    CoreType {
        name: "whit",
        keys: "name",
        properties: "",
        parameters: "name",
        isomorphic: true,
    },
];
