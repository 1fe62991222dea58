# frozen_string_literal: true

require 'digest'
require 'json'

# Catalogs, errors and logs in a comparable form: paths of this machine are replaced, and unordered values are
# sorted.
class Canonical
  # Addresses of objects and places in Ruby code.
  OPAQUE = [
    [/(#<(?:[A-Z]\w*::)*[A-Z]\w*):0x\h{16}/, '\1'],
    [/(?<=#<Sensitive \[value redacted\]:)-?\d+(?=>)/, '0'],
    [/\(location: [^)\n]*\.rb:\d+:in [^)\n]*\)/, '(location: <opaque>)']
  ].freeze
  NOISE = %w[debug info].freeze

  def initialize(out)
    @out = out
  end

  # @param answer [Hash] `catalog` or `error`, and `logs`
  # @param random [Array] parameters by type, title and name; their values are replaced by their sizes
  # @return [Hash] the comparable form
  def of(answer, random = [])
    made = { 'logs' => (answer['logs'] || []).reject { |level, _| NOISE.include?(level) }.map { |log| log.map { |one| text(one) } } }
    if answer['error']
      # The reference also logs the error that it fails with.
      told = text(answer['error'])
      made['logs'].reject! { |level, message| level == 'err' && told.include?(message[0, 60]) }
      return made.merge('error' => error(answer['error']))
    end

    made.merge('catalog' => catalog(answer['catalog'], random))
  end

  def digest(value)
    Digest::SHA256.hexdigest(JSON.generate(value))[0, 24]
  end

  # Returns the first difference between two values, or nil if they are equal.
  def difference(ours, theirs)
    return "error #{ours['error'].inspect}" if ours['error'] && !theirs['error']
    return "a catalog, not #{theirs['error'].inspect}" if theirs['error'] && !ours['error']
    return "error #{ours['error'].inspect}, not #{theirs['error'].inspect}" if ours['error'] != theirs['error']
    return in_catalogs(ours['catalog'], theirs['catalog']) if ours['catalog'] != theirs['catalog']

    missing, more = theirs['logs'] - ours['logs'], ours['logs'] - theirs['logs']
    return "log missing #{missing.first}" unless missing.empty?
    return "log too much #{more.first}" unless more.empty?

    'logs in another order or number' if ours['logs'] != theirs['logs']
  end

  private

  def text(value)
    plain = value.to_s.scrub.gsub(@out, '<out>')
    plain = plain.gsub(ENV['OPENVOX_LIB'], '<reference>') if ENV['OPENVOX_LIB']
    OPAQUE.inject(plain) { |text, (from, to)| text.gsub(from, to) }
  end

  # Without the names of node and environment, which the gem leaves to the caller.
  def error(message)
    text(message).sub(/ on node \S+\z/, '').sub(/\ACould not parse for environment \w+: /, '')
  end

  def deep(value)
    case value
    when Hash then value.to_h { |key, one| [text(key), deep(one)] }
    when Array then value.map { |one| deep(one) }
    when String then text(value)
    else value
    end
  end

  def catalog(one, random)
    masked = random.to_h { |type, title, name| [[type, title, name], true] }
    resources = one['resources'].to_h do |resource|
      parameters = (resource['parameters'] || {}).to_h do |name, value|
        [name, masked[[resource['type'], resource['title'], name]] ? "<random #{value.class} #{value.to_s.size}>" : deep(value)]
      end
      ["#{resource['type']}[#{text(resource['title'])}]",
       { 'parameters' => parameters, 'sensitive' => resource['sensitive_parameters']&.sort, 'tags' => resource['tags']&.sort,
         'place' => [resource['file'] && text(resource['file']), resource['line']], 'exported' => resource['exported'] }]
    end
    { 'order' => resources.keys, 'resources' => resources, 'classes' => one['classes']&.sort,
      'edges' => (one['edges'] || []).map { |edge| text("#{edge['source']} -> #{edge['target']}") }.sort }
  end

  def in_catalogs(ours, theirs)
    own, other = ours['resources'], theirs['resources']
    (other.keys - own.keys).first.then { |name| return "#{name} is missing" if name }
    (own.keys - other.keys).first.then { |name| return "#{name} is too much" if name }
    own.each do |name, mine|
      wanted = other[name]
      next if mine == wanted

      keys = (mine['parameters'].keys | wanted['parameters'].keys).reject { |key| mine['parameters'][key] == wanted['parameters'][key] }
      return "#{name} #{keys.first}: #{differing(mine['parameters'][keys.first], wanted['parameters'][keys.first])}" if keys.any?

      part = mine.keys.find { |key| mine[key] != wanted[key] }
      return "#{name} #{part}: #{mine[part].inspect[0, 300]}, not #{wanted[part].inspect[0, 300]}" if part
      return "#{name}: parameters in another order"
    end
    %w[classes edges].each { |part| return "#{part}: #{(ours[part] - theirs[part]).first(3)}, not #{(theirs[part] - ours[part]).first(3)}" if ours[part] != theirs[part] }
    'resources in another order'
  end

  def differing(mine, wanted)
    return "#{mine.inspect[0, 200]}, not #{wanted.inspect[0, 200]}" unless mine.is_a?(String) && wanted.is_a?(String)

    at = (0...[mine.size, wanted.size].max).find { |index| mine[index] != wanted[index] }
    from = [at - 40, 0].max
    "#{mine[from, 120].inspect}, not #{wanted[from, 120].inspect}"
  end
end
