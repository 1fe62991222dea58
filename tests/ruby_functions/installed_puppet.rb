# frozen_string_literal: true

# Loads the Puppet on Ruby's load path, or OpenVox's where OPENVOX_LIB tells.
require 'fileutils'
require 'set'
require 'tmpdir'

if (lib = ENV['OPENVOX_LIB'])
  vendor = '/usr/lib/ruby/vendor_ruby'
  # Debian's directory has a Puppet of its own, which must not be found.
  shadow = Dir.mktmpdir
  at_exit { FileUtils.rm_rf(shadow) }
  (Dir.children(vendor) - %w[puppet puppet.rb puppet_x puppet_pal.rb]).each { |name| File.symlink(File.join(vendor, name), File.join(shadow, name)) }
  $LOAD_PATH.map! { |path| path == vendor ? shadow : path }
  $LOAD_PATH.unshift(lib)
end
require 'puppet'
