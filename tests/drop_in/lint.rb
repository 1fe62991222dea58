# frozen_string_literal: true

# Runs puppet-lint and plug-ins from source trees without and with `bunraku/puppet-lint`, and compares:
#
#   ruby tests/drop_in/lint.rb suites TREE [PLUGIN...]     # their rspec suites, example by example
#   ruby tests/drop_in/lint.rb findings TREE LIST [PLUGIN...]
#
# TREE and PLUGIN are source trees. `findings` checks the files that LIST names, without and with `--fix`: the
# findings, what is said, and the bytes that are written; and prints how much processor time both take. The
# status is 1 if an example passes without and fails with, or anything differs.
require 'digest'
require 'fileutils'
require 'json'
require 'open3'
require 'tmpdir'

LIBRARY = File.expand_path('../../ruby-ext/lib', __dir__)
OURS = ['-I', LIBRARY, '-r', 'bunraku/puppet-lint'].freeze

# Options of Ruby that load puppet-lint with its plug-ins, as gems would.
def loading(directory, tree, plugins, ours)
  file = File.join(directory, 'loading.rb')
  File.write(file, <<~RUBY)
    require 'puppet-lint'
    #{plugins.inspect}.flat_map { |plugin| Dir["\#{plugin}/lib/puppet-lint/plugins/**/*.rb"].sort }.each { |path| load(path) }
    def (PuppetLint::Plugins).load_spec_helper = load(#{File.join(tree, 'spec/spec_helper.rb').inspect})
  RUBY
  [*[tree, *plugins].flat_map { |path| ['-I', File.join(path, 'lib')] }, *(OURS if ours), '-r', file]
end

# The examples of a suite by id: how each ended.
def examples(directory, tree, plugin, ours)
  result = File.join(directory, 'result.json')
  home = plugin || tree
  options = loading(directory, tree, [plugin].compact, ours)
  suites = %w[spec/unit spec/puppet-lint spec/puppet-lint_spec.rb].select { |path| File.exist?(File.join(home, path)) }
  command = ['ruby', *options, '-I', File.join(home, 'spec'), '-S', 'rspec', '--format', 'json', '--out', result, *suites]
  said, = Open3.capture2e({ 'RUBYOPT' => nil }, *command, chdir: home)
  abort "rspec gave no result:\n#{said.lines.last(20).join}" unless File.exist?(result)
  found = JSON.parse(File.read(result))
  abort "rspec could not load the suite:\n#{found['messages'].join("\n")}" if found.dig('summary', 'errors_outside_of_examples_count').to_i.positive?
  found['examples'].to_h { |example| [example['id'], example] }
end

def suites(tree, plugins)
  worse = []
  puts format('%-48s %9s %9s %9s %9s', 'suite', 'examples', 'failed', 'with us', 'worse')
  [nil, *plugins].each do |plugin|
    without, with = [false, true].map { |ours| Dir.mktmpdir { |directory| examples(directory, tree, plugin, ours) } }
    changed = without.select { |id, example| example['status'] == 'passed' && with.dig(id, 'status') != 'passed' }
    worse.concat(changed.keys.map { |id| [id, with[id]] })
    failed = [without, with].map { |all| all.count { |_, example| example['status'] == 'failed' } }
    puts format('%-48s %9d %9d %9d %9d', File.basename(plugin || tree), without.size, *failed, changed.size)
    $stdout.flush
  end
  worse.each { |id, example| puts "\n#{id}\n  #{example&.dig('exception', 'message').to_s.lines.first(4).join.strip}" }
  worse.empty?
end

# What a run says, the seconds of processor time that it takes, and the texts that it leaves.
def run(tree, plugins, files, ours, fix)
  Dir.mktmpdir do |directory|
    copies = files.map.with_index do |file, index|
      copy = File.join(directory, 'files', index.to_s, *file.split('/').last(3))
      FileUtils.mkdir_p(File.dirname(copy))
      FileUtils.cp(file, copy)
      copy.delete_prefix("#{directory}/")
    end
    script = File.join(directory, 'run.rb')
    File.write(script, <<~RUBY)
      PuppetLint.configuration.defaults
      PuppetLint.configuration.fix = #{fix}
      File.readlines('list', chomp: true).each do |path|
        lint = PuppetLint.new
        lint.file = path
        lint.run
        puts path, lint.problems.map { |one| one.slice(:kind, :check, :message, :line, :column, :reason).inspect }
        File.binwrite(path, lint.manifest) if PuppetLint.configuration.fix && !lint.problems.any? { |one| one[:check] == :syntax }
      end
      warn "CPU \#{Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)}"
    RUBY
    File.write(File.join(directory, 'list'), copies.join("\n"))
    out, err, = Open3.capture3({ 'RUBYOPT' => nil, 'PWD' => directory }, 'ruby', *loading(directory, tree, plugins, ours), script, chdir: directory)
    seconds = err[/^CPU (.*)/, 1] or abort "puppet-lint gave up:\n#{out.lines.last(20).join}#{err}"
    texts = copies.to_h { |copy| [copy, Digest::SHA256.file(File.join(directory, copy)).hexdigest] }
    [[out, err.lines.grep_v(/^CPU/)], texts, seconds.to_f]
  end
end

def findings(tree, list, plugins)
  files = File.readlines(list, chomp: true).map { |path| File.expand_path(path) }
  [false, true].map do |fix|
    (said, texts, before), (said_with, texts_with, after) = [false, true].map { |ours| run(tree, plugins, files, ours, fix) }
    differing = said.zip(said_with).flat_map { |a, b| (a.is_a?(String) ? a.lines : a) - (b.is_a?(String) ? b.lines : b) }
    written = texts.count { |path, digest| texts_with[path] != digest }
    puts "#{fix ? '--fix' : 'findings'}: #{files.size} files, #{said.first.lines.count { |line| line.start_with?('{') }} findings, " \
         "#{said == said_with ? 'all equal' : "#{differing.size} lines differ"}, #{written} texts differ; " \
         "#{before.round(2)} s to #{after.round(2)} s of processor time (#{(before / after).round(2)}x)"
    puts differing.first(5)
    said == said_with && written.zero?
  end.all?
end

what, tree, *rest = ARGV
tree &&= File.expand_path(tree)
passed =
  case what
  when 'suites' then suites(tree, rest.map { |path| File.expand_path(path) })
  when 'findings' then findings(tree, rest.shift, rest.map { |path| File.expand_path(path) })
  else abort 'usage: lint.rb suites TREE [PLUGIN...] | findings TREE LIST [PLUGIN...]'
  end
exit passed
