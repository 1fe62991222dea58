# frozen_string_literal: true

# Packs a gem into target/packages.
#
# Usage: gem.rb source              the sources, with those of all crates
#        gem.rb platform LIBRARY    the native part, built for this Ruby and system
#        gem.rb java LIBRARY        the C library, for JRuby
require 'fileutils'
require 'rubygems/package'

ROOT = File.expand_path('..', __dir__)
PACKED = File.join(ROOT, 'target/packages')
OURS = %w[lib exe sig].freeze
TEXTS = %w[LICENSE README.md CHANGELOG.md].freeze

def run(*command, **options)
  system(*command, **options) || abort("gem.rb: #{command.join(' ')} failed")
end

# Links are followed: in a gem they would lead out of it.
def copy(names, from, directory)
  run('cp', '-RL', *names.map { |name| File.join(from, name) }, directory)
end

# An empty directory with what all gems have.
def directory_of(kind)
  directory = File.join(ROOT, 'target/gem', kind)
  FileUtils.rm_rf(directory)
  FileUtils.mkdir_p([directory, PACKED])
  copy([*OURS, 'bunraku.gemspec'], File.join(ROOT, 'ruby-ext'), directory)
  copy(TEXTS, ROOT, directory)
  FileUtils.rm_f(Dir.glob(File.join(directory, 'lib/bunraku/**/*.{so,bundle}')))
  directory
end

def licences(directory, package)
  File.open(File.join(directory, 'THIRD-PARTY-LICENSES.txt'), 'w') do |out|
    run(Gem.ruby, File.join(ROOT, 'packaging/licences.rb'), package, out: out, chdir: ROOT)
  end
end

def pack(directory)
  Dir.chdir(directory) do
    specification = Gem::Specification.load('bunraku.gemspec') || abort('gem.rb: no specification')
    yield specification
    name = Gem::DefaultUserInteraction.use_ui(Gem::SilentUI.new) { Gem::Package.build(specification) }
    FileUtils.mv(name, PACKED)
    puts "#{File.join(PACKED, name).delete_prefix("#{ROOT}/")}: #{File.size(File.join(PACKED, name))} bytes"
  end
end

# The crates of this repository that the gem needs are a workspace, at whose root the gem's own is.
def sources
  directory = directory_of('source')
  copy(%w[src extconf.rb], File.join(ROOT, 'ruby-ext'), directory)
  copy(%w[core Cargo.lock], ROOT, directory)
  workspace = File.read(File.join(ROOT, 'Cargo.toml'))
  workspace = workspace.gsub(/^    "ffi".*\n/, '').sub(/^default-members.*?^\]\n/m, '')
  crate = File.read(File.join(ROOT, 'ruby-ext/Cargo.toml'))
  File.write(File.join(directory, 'Cargo.toml'), "#{workspace}\n#{crate}")
  # Cargo drops from the lock file what the others of this repository need.
  run(ENV.fetch('CARGO', 'cargo'), 'metadata', '--format-version=1', chdir: directory, out: File::NULL)
  run(Gem.ruby, File.join(ROOT, 'packaging/vendor.rb'), directory)
  licences(directory, 'bunraku-ruby')
  pack(directory) do |specification|
    files = Dir.glob('{core,src,vendor,.cargo}/**/*', File::FNM_DOTMATCH)
    specification.files += files.select { |path| File.file?(path) }
    specification.files += %w[Cargo.toml Cargo.lock extconf.rb]
    specification.extensions = ['extconf.rb']
  end
end

def platform(library)
  directory = directory_of('platform')
  minor = RUBY_VERSION[/\A\d+\.\d+/]
  place = File.join('lib/bunraku', minor, "bunraku.#{RbConfig::CONFIG['DLEXT']}")
  FileUtils.mkdir_p(File.dirname(File.join(directory, place)))
  FileUtils.install(library, File.join(directory, place), mode: 0o755)
  licences(directory, 'bunraku-ruby')
  pack(directory) do |specification|
    specification.platform = Gem::Platform.local
    specification.required_ruby_version = [">= #{minor}", "< #{minor.succ}.dev"]
    specification.files += [place]
  end
end

def java(library)
  directory = directory_of('java')
  place = "lib/bunraku/libbunraku#{File.extname(library)}"
  FileUtils.install(library, File.join(directory, place), mode: 0o755)
  licences(directory, 'bunraku-ffi')
  pack(directory) do |specification|
    specification.platform = 'java'
    # The command is a program of its own there.
    specification.executables = []
    specification.required_ruby_version = '>= 2.6'
    specification.files += [place]
  end
end

case ARGV.first
when 'source' then sources
when 'platform' then platform(File.expand_path(ARGV.fetch(1)))
when 'java' then java(File.expand_path(ARGV.fetch(1)))
else abort 'gem.rb source | platform LIBRARY | java LIBRARY'
end
