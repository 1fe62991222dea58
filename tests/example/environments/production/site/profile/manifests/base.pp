# What every server has.
#
# @param packages  Installed everywhere; merged over all levels of Hiera.
# @param message   The message of the day.
class profile::base (
  Array[String[1]] $packages,
  String           $message,
) {
  package { $packages:
    ensure => installed,
  }

  file { '/etc/motd':
    content => epp('profile/motd.epp', { 'message' => $message, 'packages' => $packages.sort }),
    mode    => '0644',
  }
}
