# frozen_string_literal: true

require 'bunraku'
require 'json'
require 'open3'
require 'zlib'

# Compiles manifests with Debian's modules through the gem and with the reference
# (../ruby_functions/reference.rb), and compares the catalogs.
class RealComparison
  MODULES = '/usr/share/puppet/modules'
  NODE = 'testnode.example.com'
  NATIVE = { ruby_functions: :off, templates: :native }.freeze
  # The result of a manifest: the number of our resources, the differences between both catalogs, and, if
  # requested, the time of the reference.
  Result = Struct.new(:resources, :differences, :seconds)

  # @param facts [String] a file of data/environments/real/spec/facts
  # @param native [Boolean] functions and templates are the library's own
  def initialize(facts: 'debian12-legacy', native: false)
    file = File.expand_path("../data/environments/real/spec/facts/#{facts}.json", __dir__)
    all = JSON.parse(File.exist?(file) ? File.read(file) : Zlib::GzipReader.open("#{file}.gz", &:read))
    @facts = all['values'] || all
    @how = native ? NATIVE : {}
  end

  # @return [Boolean] the manifest compiles without the modules' Ruby, which is quickly tried
  def compiles?(code)
    compile(environment(code, NATIVE)) && true
  rescue Bunraku::Error
    false
  end

  # |@param rounds [Integer, nil] how often the reference compiles the manifest to measure its time; logs are
  # not
  #   compared then
  # @return [Result]
  def compare(code, rounds: nil)
    answer = ask(code, **{ rounds: rounds }.compact)
    compiled = begin
      compile(environment(code))
    rescue Bunraku::Error => e
      e
    end
    if compiled.is_a?(Bunraku::Error)
      ours, theirs = plain(compiled.message), answer['error'] && plain(answer['error'])
      return Result.new(0, ours == theirs ? [] : ["error #{ours[0, 300].inspect}, not #{theirs ? theirs[0, 300].inspect : 'a catalog'}"])
    end
    own = JSON.parse(compiled.to_json)
    return Result.new(own['resources'].size, ["a catalog, not the error #{plain(answer['error']).inspect[0, 300]}"]) if answer['error']

    Result.new(own['resources'].size, differences(own, answer['catalog']) + logged(compiled.logs, answer['logs']), answer['seconds'])
  end

  # @return [Bunraku::Environment] with the manifest and Debian's modules
  def environment(code, how = @how)
    Bunraku::Environment.new('production', modulepath: [MODULES], code: code, settings: { strict: 'warning' }, **how)
  end

  # @return [Bunraku::Catalog]
  def compile(environment)
    environment.compile(node: NODE, facts: @facts, limits: { seconds: nil, steps: nil })
  end

  private

  def ask(code, **more)
    @reference ||= Open3.popen2('ruby', '-W0', '--disable=error_highlight', '--disable=did_you_mean',
                                File.expand_path('../ruby_functions/reference.rb', __dir__)).tap { |input,| input.sync = true }
    input, output, = @reference
    input.puts(JSON.generate(code: code, modulepath: [MODULES], facts: @facts, catalog: true, **more))
    JSON.parse(output.gets || abort('the reference is not installed'))
  end

  # Returns a message without the place, which the gem appends in a form of its own, and without the node.
  def plain(message)
    message.sub(/ on node \S+\z/, '')
  end

  def logged(logs, theirs)
    return [] unless theirs

    own = logs.map { |log| [log[:level].to_s, log[:message]] }.reject { |level, _| %w[debug info].include?(level) }
    others = theirs.reject { |level, _| %w[debug info].include?(level) }
    missing, more = without(others, own), without(own, others)
    return ['the log is in another order'] if missing.empty? && more.empty? && own != others

    missing.map { |log| "log missing: #{log.inspect[0, 300]}" } + more.map { |log| "log too much: #{log.inspect[0, 300]}" }
  end

  # Returns the elements that occur more often in the first list than in the other.
  def without(list, other)
    left = other.tally
    list.reject { |one| left.fetch(one, 0).positive? && left[one] -= 1 }
  end

  def resources(catalog)
    catalog['resources'].to_h do |resource|
      parameters = resource['parameters'] || {}
      parameters = parameters.merge('sensitive' => resource['sensitive_parameters'].sort) if resource['sensitive_parameters']
      ["#{resource['type']}[#{resource['title']}]", [parameters, resource['tags']&.sort, resource['file'], resource['line']]]
    end
  end

  def differences(ours, theirs)
    own, other = resources(ours), resources(theirs)
    found = (own.keys | other.keys).reject { |name| own[name] == other[name] }.map do |name|
      next "#{name}: only in #{own[name] ? 'ours' : 'the reference'}" unless own[name] && other[name]

      mine, wanted = own[name], other[name]
      keys = (mine[0].keys | wanted[0].keys).reject { |key| mine[0][key] == wanted[0][key] }
      keys.map { |key| "#{name}: #{key}: #{mine[0][key].inspect[0, 200]}, not #{wanted[0][key].inspect[0, 200]}" }.first ||
        "#{name}: #{mine[1..].inspect[0, 200]}, not #{wanted[1..].inspect[0, 200]}"
    end
    found << 'resources in another order' if found.empty? && own.keys != other.keys
    found + %w[classes edges].reject { |part| (ours[part] || []).map(&:to_s) == (theirs[part] || []).map(&:to_s) }.map { |part| "other #{part}" }
  end
end
