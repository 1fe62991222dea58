# @summary Keeps samples in order
#
# A longer text,
#   with an indented line
# and a last one.
#
# @example Plain use
#   include sample
#
#   # with a comment
#   notice('done')
#
# @example
#   class { 'sample': ensure => absent }
#
# @param ensure
#   What to do.
#   In two lines.
# @param options [Hash[String, Integer]] Several things
# @option options [Integer] :size How large
# @option options color Which one (red)
# @param mode One of them
# @enum mode fast In a hurry
# @enum mode slow With care
# @param gone It is not there
# @see https://example.net/samples All of them
# @see sample::other
# @note It takes time
# @todo Make it faster
# @since 1.2.0
# @author A. N. Other
# @deprecated Use another one
# @unknown Nobody knows this tag
# @raise [SampleError] never
# @return nothing
class sample (
  Enum['present', 'absent'] $ensure = 'present',
  Hash $options                     = { 'size' => 1 },
  $mode                             = 'fast',
  Optional[String[1]] $plain        = undef,
) inherits sample::params {
  class inner { }
}
