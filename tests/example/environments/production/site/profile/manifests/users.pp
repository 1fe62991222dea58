# Accounts, from data.
class profile::users (Hash[String[1], Profile::Account] $accounts = {}) {
  $accounts.each |$name, $account| {
    @user { $name:
      ensure => present,
      *      => $account,
    }
  }
  User <| |>
}
