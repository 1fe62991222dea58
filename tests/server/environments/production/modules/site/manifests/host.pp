# A host that others know.
define site::host (String $role) {
  notify { "host ${title}": message => "${title} is ${role}" }
}
