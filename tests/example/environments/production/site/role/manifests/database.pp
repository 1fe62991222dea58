# A database server.
class role::database {
  include profile::base
  include profile::users
  contain profile::database
}
