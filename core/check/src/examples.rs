//! An example of each kind of findings, and of the remedy.

use super::codes::Code;

/// An example: files with a finding of a code, and the same files without one. A line `-- path` begins a
/// file; without one it is the main manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The code.
    pub code: Code,
    /// The files with the finding.
    pub wrong: &'static str,
    /// The files without it.
    pub right: &'static str,
}

/// The files beside all examples: a module.
pub const BESIDE: &str = "-- modules/ntp/manifests/init.pp
class ntp (Array[String] $servers, Integer[1, 65535] $port = 123) {
  $file = '/etc/ntp.conf'
  file { $file:
    content => epp('ntp/ntp.conf.epp', { 'servers' => $servers, 'port' => $port }),
  }
}
-- modules/ntp/manifests/peer.pp
define ntp::peer (String $address) {
  notify { \"${title} is ${address}\": }
}
-- modules/ntp/functions/seconds.pp
function ntp::seconds(Integer $minutes) >> Integer {
  $minutes * 60
}
-- modules/ntp/types/mode.pp
type Ntp::Mode = Enum['client', 'server']
-- modules/ntp/templates/ntp.conf.epp
<%- | Array[String] $servers, Integer $port | -%>
servers <%= $servers.join(' ') %> port <%= $port %>
-- modules/ntp/files/leap.txt
none
";

/// Declares [`EXAMPLES`].
macro_rules! examples {
    ($($code:ident $wrong:literal $right:literal)*) => {
        /// An example of each code.
        pub const EXAMPLES: &[Example] =
            &[$(Example { code: Code::$code, wrong: $wrong, right: $right }),*];
    };
}

examples! {
    Syntax
        "notify { 'ready' }\n"
        "notify { 'ready': }\n"
    UnknownClass
        "include ntp::clinet\n"
        "include ntp::client\n-- modules/ntp/manifests/client.pp\nclass ntp::client { }\n"
    UnknownResourceType
        "ntp::pere { 'a': address => '10.0.0.1' }\n"
        "ntp::peer { 'a': address => '10.0.0.1' }\n"
    UnknownFunction
        "notice(ntp::secnods(5))\n"
        "notice(ntp::seconds(5))\n"
    UnknownType
        "function mode(Ntp::Mod $mode) { $mode }\n"
        "function mode(Ntp::Mode $mode) { $mode }\n"
    UnknownTask
        "-- modules/clock/plans/init.pp\nplan clock(TargetSpec $targets) {\n  run_task('clock::sett', $targets, { 'date' => 'now' })\n}\n-- modules/clock/tasks/set.sh\nhwclock --set --date \"$PT_date\"\n-- modules/clock/tasks/set.json\n{ \"input_method\": \"environment\", \"parameters\": { \"date\": { \"type\": \"String\" } } }\n"
        "-- modules/clock/plans/init.pp\nplan clock(TargetSpec $targets) {\n  run_task('clock::set', $targets, { 'date' => 'now' })\n}\n-- modules/clock/tasks/set.sh\nhwclock --set --date \"$PT_date\"\n-- modules/clock/tasks/set.json\n{ \"input_method\": \"environment\", \"parameters\": { \"date\": { \"type\": \"String\" } } }\n"
    UnknownVariable
        "$zone = 'a'\nnotice($zoen)\n"
        "$zone = 'a'\nnotice($zone)\n"
    UnknownFact
        "notice($facts['datacentre'])\n"
        "notice($facts['networking'])\n"
    UnknownParameter
        "class { 'ntp': servers => ['a'], prot => 123 }\n"
        "class { 'ntp': servers => ['a'], port => 123 }\n"
    MissingParameter
        "ntp::peer { 'a': }\n"
        "ntp::peer { 'a': address => '10.0.0.1' }\n"
    DuplicateParameter
        "notify { 'a': message => 'b', message => 'c' }\n"
        "notify { 'a': message => 'b' }\n"
    WrongType
        "class { 'ntp': servers => 'a' }\n"
        "class { 'ntp': servers => ['a'] }\n"
    WrongArguments
        "notice(ntp::seconds('5'))\n"
        "notice(ntp::seconds(5))\n"
    WrongOperand
        "notice('port ' + 123)\n"
        "notice(\"port ${123}\")\n"
    UndefAccess
        "$limits = { 'soft' => { 'files' => 1024 } }\nnotice($limits['hard']['files'])\n"
        "$limits = { 'soft' => { 'files' => 1024 } }\nnotice($limits.dig('hard', 'files'))\n"
    UnmatchedSelector
        "function package_of(Ntp::Mode $mode) {\n  $mode ? { 'clients' => 'sntp', 'servers' => 'ntpsec' }\n}\n"
        "function package_of(Ntp::Mode $mode) {\n  $mode ? { 'client' => 'sntp', 'server' => 'ntpsec' }\n}\n"
    WrongReturn
        "function port() >> Integer { '123' }\n"
        "function port() >> Integer { 123 }\n"
    DuplicateResource
        "package { 'ntp': }\npackage { 'ntp': ensure => installed }\n"
        "package { 'ntp': ensure => installed }\n"
    UnknownResource
        "service { 'ntp': require => Package['ntpd'] }\npackage { 'ntp': }\n"
        "service { 'ntp': require => Package['ntp'] }\npackage { 'ntp': }\n"
    MissingFile
        "notice(file('ntp/leaps.txt'))\n"
        "notice(file('ntp/leap.txt'))\n"
    MissingTemplate
        "notice(epp('ntp/ntpd.conf.epp', { 'servers' => [], 'port' => 123 }))\n"
        "notice(epp('ntp/ntp.conf.epp', { 'servers' => [], 'port' => 123 }))\n"
    TemplateVariable
        "$zone = 'a'\nnotice(template('ntp/zone.erb'))\n-- modules/ntp/templates/zone.erb\n<%= @zoen %>\n"
        "$zone = 'a'\nnotice(template('ntp/zone.erb'))\n-- modules/ntp/templates/zone.erb\n<%= @zone %>\n"
    UnknownKey
        "include ntp\n-- data/common.yaml\nntp::server: [a]\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\n"
    WrongData
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\nntp::port: '123'\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\nntp::port: 123\n"
    InvalidData
        "include ntp\n-- data/common.yaml\nntp::servers: [a\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\n"
    DuplicateKey
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\nntp::servers: [b]\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [a, b]\n"
    MissingKey
        "notice(lookup('zoen'))\n-- hiera.yaml\nversion: 5\n-- data/common.yaml\nzone: a\n"
        "notice(lookup('zone'))\n-- hiera.yaml\nversion: 5\n-- data/common.yaml\nzone: a\n"
    InvalidInterpolation
        "include ntp\n-- data/common.yaml\nntp::servers: [\"%{fact('fqdn')}\"]\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [\"%{facts.fqdn}\"]\n"
    EncryptedData
        "include ntp\n-- data/common.yaml\nntp::servers: ['ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCC]']\n"
        "include ntp\n-- data/common.yaml\nntp::servers: [a]\n"
    InvalidHierarchy
        "include ntp\n-- hiera.yaml\nversion: 5\nhierarchy:\n  - name: all\n    pth: all.yaml\n"
        "include ntp\n-- hiera.yaml\nversion: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n"
    MissingModule
        "include chrony::client\n"
        "include chrony::client\n-- modules/chrony/manifests/client.pp\nclass chrony::client { }\n"
    UndeclaredDependency
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [] }\n"
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }] }\n"
    UnusedDependency
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(5)\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }] }\n"
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }] }\n"
    OutdatedDependency
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5), index([1], 1))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }],\n  \"requirements\": [{ \"name\": \"puppet\", \"version_requirement\": \">= 6.0.0 < 9.0.0\" }] }\n"
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5), index([1], 1))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }],\n  \"requirements\": [{ \"name\": \"puppet\", \"version_requirement\": \">= 6.3.0 < 9.0.0\" }] }\n"
    MissingFixture
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }] }\n-- modules/clock/.fixtures.yml\nfixtures:\n  repositories:\n    npt: https://example.net/npt\n"
        "-- modules/clock/manifests/init.pp\nclass clock {\n  notice(ntp::seconds(5))\n}\n-- modules/clock/metadata.json\n{ \"name\": \"a-clock\", \"version\": \"1.0.0\", \"author\": \"a\", \"license\": \"MIT\", \"source\": \"s\",\n  \"dependencies\": [{ \"name\": \"a/ntp\" }] }\n-- modules/clock/.fixtures.yml\nfixtures:\n  repositories:\n    ntp: https://example.net/ntp\n"
    InheritanceCycle
        "-- modules/clock/manifests/init.pp\nclass clock inherits clock::base { }\n-- modules/clock/manifests/base.pp\nclass clock::base inherits clock { }\n"
        "-- modules/clock/manifests/init.pp\nclass clock inherits clock::base { }\n-- modules/clock/manifests/base.pp\nclass clock::base { }\n"
    IncludeCycle
        "-- modules/clock/manifests/init.pp\nclass clock {\n  contain clock::service\n}\n-- modules/clock/manifests/service.pp\nclass clock::service {\n  require clock\n}\n"
        "-- modules/clock/manifests/init.pp\nclass clock {\n  contain clock::service\n}\n-- modules/clock/manifests/service.pp\nclass clock::service { }\n"
    TaskParameter
        "-- modules/clock/tasks/set.sh\nhwclock --set --date \"$PT_dtae\"\n-- modules/clock/tasks/set.json\n{ \"input_method\": \"environment\", \"parameters\": { \"date\": { \"type\": \"String\" } } }\n"
        "-- modules/clock/tasks/set.sh\nhwclock --set --date \"$PT_date\"\n-- modules/clock/tasks/set.json\n{ \"input_method\": \"environment\", \"parameters\": { \"date\": { \"type\": \"String\" } } }\n"
    MisplacedDefinition
        "-- modules/clock/manifests/wall.pp\nclass clock::wrist { }\n"
        "-- modules/clock/manifests/wrist.pp\nclass clock::wrist { }\n"
    DuplicateDefinition
        "function zone() { 'a' }\nfunction zone() { 'b' }\n"
        "function zone() { 'a' }\n"
    ConstantCondition
        "class clock (Ntp::Mode $mode) {\n  if $mode == 'sever' {\n    include ntp\n  }\n}\n"
        "class clock (Ntp::Mode $mode) {\n  if $mode == 'server' {\n    include ntp\n  }\n}\n"
    UnreachableCode
        "class clock (Ntp::Mode $mode) {\n  case $mode {\n    'server': { include ntp }\n    'peer': { notice('a peer') }\n    default: { notice('a client') }\n  }\n}\n"
        "class clock (Ntp::Mode $mode) {\n  case $mode {\n    'server': { include ntp }\n    default: { notice('a client') }\n  }\n}\n"
    UnusedVariable
        "class clock {\n  $package = 'ntp'\n  package { 'ntp': }\n}\n"
        "class clock {\n  $package = 'ntp'\n  package { $package: }\n}\n"
    UnusedParameter
        "class clock (String $package) {\n  package { 'ntp': }\n}\n"
        "class clock (String $package) {\n  package { $package: }\n}\n"
    UnknownTag
        "@notify { 'a': tag => 'later' }\nNotify <| tag == 'latre' |>\n"
        "@notify { 'a': tag => 'later' }\nNotify <| tag == 'later' |>\n"
    Deprecated
        "notice(ntp::minutes(120))\n-- modules/ntp/functions/minutes.pp\n# @deprecated Use ntp::seconds.\nfunction ntp::minutes(Integer $seconds) { $seconds / 60 }\n"
        "notice(ntp::seconds(2))\n"
    ShadowedNode
        "node /.*/ { include ntp }\nnode /^web/ { include ntp }\n"
        "node /^web/ { include ntp }\nnode /.*/ { include ntp }\n"
    MissingDataFile
        "include ntp\n-- hiera.yaml\nversion: 5\nhierarchy:\n  - name: all\n    path: al.yaml\n-- data/all.yaml\nntp::servers: [a]\n"
        "include ntp\n-- hiera.yaml\nversion: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n-- data/all.yaml\nntp::servers: [a]\n"
    UnusedFunction
        "-- functions/hours.pp\nfunction hours(Integer $days) { $days * 24 }\n"
        "notice(hours(2), ntp::seconds(5))\n-- functions/hours.pp\nfunction hours(Integer $days) { $days * 24 }\n"
}

/// The files of an example's text, each with its path.
pub fn files(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("-- ") {
            Some(path) => found.push((path.trim_end(), String::new())),
            None => match found.last_mut() {
                Some((_, text)) => text.push_str(line),
                None => found.push(("manifests/site.pp", line.to_owned())),
            },
        }
    }
    found
}
