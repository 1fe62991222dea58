//! The table of the resource types that every server knows: their names, properties and parameters.
//!
//! Facts of the reference's `type/*.rb`, written down by asking it. Words are separated by spaces.

use super::{AttributeKind, ResourceType, Titles};
use bunraku_pcore::value::Str;

/// A row of the table.
pub(super) struct CoreType {
    /// The type's name.
    pub name: &'static str,
    /// What it is for, in a few words; empty for a type that nobody declares.
    pub summary: &'static str,
    /// The parameters that identify a resource, in order.
    pub keys: &'static str,
    /// The managed properties.
    pub properties: &'static str,
    /// How it is managed.
    pub parameters: &'static str,
    /// The possible features of its providers.
    pub features: &'static str,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
}

impl CoreType {
    /// The type that the row describes.
    pub(super) fn read(&self) -> ResourceType {
        let words = |text: &'static str| text.split(' ').filter(|word| !word.is_empty()).map(Str::from);
        let keys: Vec<Str> = words(self.keys).collect();
        let first = keys.first().cloned().unwrap_or_default();
        let properties = words(self.properties).map(|name| (name, AttributeKind::Property));
        let parameters = words(self.parameters).map(|name| (name, AttributeKind::Parameter));
        ResourceType {
            name: self.name.into(),
            keys,
            attributes: properties.chain(parameters).collect(),
            features: words(self.features).collect(),
            accepts_all: false,
            isomorphic: self.isomorphic,
            titles: if self.name == "file" { Titles::Path(first) } else { Titles::Whole(first) },
            value_types: Vec::new(),
        }
    }
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
        summary: "",
        keys: "name",
        properties: "",
        parameters: "name",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "exec",
        summary: "Runs a command",
        keys: "command",
        properties: "returns",
        parameters: "command path user group cwd logoutput refresh environment umask timeout tries try_sleep refreshonly creates unless onlyif provider",
        features: "",
        isomorphic: false,
    },
    CoreType {
        name: "file",
        summary: "Manages a file, a directory or a link",
        keys: "path",
        properties: "ensure content checksum_value target owner group mode type seluser selrole seltype selrange ctime mtime",
        parameters: "path backup recurse recurselimit max_files replace force ignore links purge sourceselect show_diff staging_location validate_cmd validate_replacement provider checksum source source_permissions selinux_ignore_defaults",
        features: "manages_symlinks",
        isomorphic: true,
    },
    CoreType {
        name: "filebucket",
        summary: "Stores copies of files",
        keys: "name",
        properties: "",
        parameters: "name server port path",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "group",
        summary: "Manages a group of users",
        keys: "name",
        properties: "ensure gid members attributes",
        parameters: "auth_membership name allowdupe ia_load_module attribute_membership system forcelocal provider",
        features: "manages_members manages_aix_lam system_groups manages_local_users_and_groups",
        isomorphic: true,
    },
    CoreType {
        name: "notify",
        summary: "Writes a message to the agent's log",
        keys: "name",
        properties: "message",
        parameters: "withpath name",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "package",
        summary: "Installs, updates or removes a package",
        keys: "name provider command",
        properties: "ensure package_settings flavor mark",
        parameters: "name provider command source instance status adminfile responsefile configfiles category platform root vendor description allowcdrom enable_only install_only environment install_options uninstall_options allow_virtual reinstall_on_refresh",
        features: "reinstallable installable uninstallable upgradeable purgeable versionable version_ranges holdable install_only install_options uninstall_options disableable supports_flavors package_settings virtual_packages targetable",
        isomorphic: true,
    },
    CoreType {
        name: "resources",
        summary: "Removes resources that nothing declares",
        keys: "name",
        properties: "",
        parameters: "name purge unless_system_user unless_uid",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "schedule",
        summary: "Says when resources may be applied",
        keys: "name",
        properties: "",
        parameters: "name range periodmatch period repeat weekday",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "service",
        summary: "Runs or stops a service",
        keys: "name",
        properties: "ensure enable logonaccount flags",
        parameters: "logonpassword binary hasstatus name path pattern restart start status stop control hasrestart manifest timeout provider",
        features: "refreshable enableable delayed_startable manual_startable controllable flaggable maskable configurable_timeout manages_logon_credentials",
        isomorphic: true,
    },
    CoreType {
        name: "stage",
        summary: "Orders groups of classes",
        keys: "name",
        properties: "",
        parameters: "name",
        features: "",
        isomorphic: true,
    },
    CoreType {
        name: "tidy",
        summary: "Removes old or unwanted files",
        keys: "path",
        properties: "",
        parameters: "path recurse max_files matches backup age size type rmdirs",
        features: "",
        isomorphic: false,
    },
    CoreType {
        name: "user",
        summary: "Manages the account of a user",
        keys: "name",
        properties: "ensure home uid gid comment shell password password_min_age password_max_age password_warn_days groups expiry roles auths profiles keys project attributes salt iterations loginclass",
        parameters: "name membership system allowdupe managehome role_membership auth_membership profile_membership key_membership ia_load_module attribute_membership forcelocal purge_ssh_keys provider",
        features: "allows_duplicates manages_homedir manages_passwords manages_password_age manages_password_salt manages_solaris_rbac manages_roles manages_expiry system_users manages_aix_lam manages_local_users_and_groups manages_shell manages_loginclass",
        isomorphic: true,
    },
    CoreType {
        name: "whit",
        summary: "Marks where a container begins and ends",
        keys: "name",
        properties: "",
        parameters: "name",
        features: "",
        isomorphic: true,
    },
];
