# frozen_string_literal: true

require 'fileutils'
require 'open3'

# Lays the public repositories of `repositories.tsv` out from local clones, each at its pinned commit:
#
#   OUT/modules/GROUP/NAME        modules; a group is a directory of a module path
#   OUT/control/NAME              control repositories, environments of that name
#
# A clone is `MIRROR/owner+name` or `MIRROR/owner/name`, with a work tree or bare, or one with `repo` between.
class Layout
  LIST = File.join(__dir__, 'repositories.tsv')
  # The parts of a module that a compilation can read.
  PARTS = %w[manifests lib functions types templates files data hiera.yaml metadata.json plans fixtures].freeze
  Repository = Struct.new(:group, :name, :source, :commit)

  attr_reader :repositories, :missing

  def initialize(mirror, out)
    @mirror, @out = mirror, out
    @missing = []
    @repositories = File.readlines(LIST, chomp: true).reject { |line| line.empty? || line.start_with?('#') }
                        .map { |line| Repository.new(*line.split("\t")) }
  end

  def run
    repositories.each do |one|
      directory = place(one)
      next if File.exist?(File.join(directory, '.commit')) && File.read(File.join(directory, '.commit')) == one.commit

      lay_out(one, directory) || missing << one.source
    end
    self
  end

  def place(repository)
    return File.join(@out, 'control', repository.name) if repository.group == 'control'

    File.join(@out, 'modules', repository.group, repository.name)
  end

  def place_of(group)
    File.join(@out, 'modules', group)
  end

  # Groups whose modules others need.
  COMPANY = { 'openstack' => %w[saz theforeman], 'later_simp' => %w[simp], 'further_simp' => %w[simp] }.freeze

  # The directories of modules in whose company a group is compiled: its own, those that it needs, then those
  # that all share.
  def modulepath(group)
    [group, *COMPANY[group], 'common'].uniq.map { |name| File.join(@out, 'modules', name) }
  end

  def groups
    repositories.map(&:group).uniq - ['control']
  end

  def controls
    repositories.select { |one| one.group == 'control' }
  end

  private

  def git_directory(source)
    [source.tr('/', '+'), source].flat_map { |name| [name, "#{name}.git", "#{name}/repo", "#{name}/.git", "#{name}/repo/.git"] }
                                 .map { |name| File.join(@mirror, name) }
                                 .find { |path| File.directory?(File.join(path, 'objects')) }
  end

  def lay_out(repository, directory)
    git = git_directory(repository.source) or return
    FileUtils.rm_rf(directory)
    FileUtils.mkdir_p(directory)
    # Archives that repositories carry along are not needed, and large ones a clone may lack.
    names = repository.group == 'control' ? %w[. :!*.tar.gz :!*.zip] : present(git, repository.commit)
    archive = ['git', "--git-dir=#{git}", 'archive', repository.commit, *names]
    done = Open3.pipeline(archive, ['tar', '-x', '-C', directory], err: File::NULL).all?(&:success?)
    return unless done

    File.write(File.join(directory, '.commit'), repository.commit)
  end

  def present(git, commit)
    found, = Open3.capture2('git', "--git-dir=#{git}", 'ls-tree', '--name-only', commit)
    found.split("\n") & PARTS
  end
end
