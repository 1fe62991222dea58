# frozen_string_literal: true

# Loads Puppet from Ruby's load path, or OpenVox from OPENVOX_LIB.
require 'fileutils'
require 'set'
require 'tmpdir'

if (lib = ENV['OPENVOX_LIB'])
  vendor = '/usr/lib/ruby/vendor_ruby'
  # Debian's directory has a Puppet of its own, which must not be found.
  shadow = Dir.mktmpdir
  at_exit { FileUtils.rm_rf(shadow) }
  link = ->(name) { File.symlink(File.join(vendor, name), File.join(shadow, name)) if File.exist?(File.join(vendor, name)) }
  (Dir.children(vendor) - %w[puppet puppet.rb puppet_x puppet_pal.rb]).each(&link)
  # The Resource API is a package of its own.
  FileUtils.mkdir_p(File.join(shadow, 'puppet/util/network_device/simple'))
  %w[puppet/resource_api.rb puppet/resource_api puppet/util/network_device/simple/device.rb].each(&link)
  $LOAD_PATH.map! { |path| path == vendor ? shadow : path }
  $LOAD_PATH.unshift(lib)
end
require 'puppet'
