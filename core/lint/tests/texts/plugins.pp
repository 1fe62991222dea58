

# @api   private
# Documented twice and never
# @param first
# @param [String[1]] first again
# [*kept*] in the old style
# $kafo:: in another one
# @param gone is no parameter
class  case::plugins(
  $first,
  Optional[String] $kept   = 'kept',
  Hash $kafo               = { 'a' => 1, 'b' => $first },
  String $empty            = '',
  Variant[String, Integer] $one = undef,
  Variant[String, Undef] $none  = undef,
  String $looked           = lookup('looked', { 'default_value' => '' })
) inherits  ::case::params{

  include ::case::first, case::second
  contain('::case::third')
  require case(::case::fourth)
  class{ ['::case::fifth', case::sixth]: }
  Class['::case::fifth'] -> Class ['case::sixth'] -> File ['/a']

  file { '/a':
    ensure => present,
    target => '/b'
  }
  file { '/b':
      ensure  => 'present',
      require => [ File[other], Package[Case], Class[case] ],
      ;
    '/c':
      ensure => "present";
  }
  package { 'a': ensure => latest }
  anchor { 'begin': }
  exec { '/bin/true': path => '/bin' }
  exec { '/bin/false': unless => '/bin/true' }
  user { 'a':
    groups => [
      'a',
      'b'
    ],
    tags   => { 'x' =>'y'}
  }
  File {
    mode => '0644'
  }

  if $::case::version >= 3 and $facts['release'] == '3' or $lsbrelease == 3{ notice($camelCase) }
  else { notice "${::case::version} $Upper" }
  case $first {
    debian, RedHat: { $a = 010 }
    A::B, 'c': { $a = $b ? { one => 07, 'two' => 1, default => { } } }
    default: { fail(undef) }
  }


  notice undef, [ 1, 2 ], [
    1,

  ]
  $list = [

    $first ,
    $first[ 0 ],
  ]
  each($list) |$x| { [$x].each |$y| {[$y]} }
  $hash = {

    'a' => {'b' => { } } ,
  } # and a comment
  @@user <| |> -> User<| tag == 'a' |>
$text = @(END)
    indented
    | END
  $other = @("END")
  as it should ${first}
    be
  | END
}

define case::plugins::defined (Optional[Integer] $name_of, $title_of = lookup("x")) {
      # lint:ignore:strict_indent
      notice($title)
      # lint:endignore
  notice($::case::first)
}

