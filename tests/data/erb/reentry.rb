# Programs in which a collection changes while it is walked, sorted, merged or hashed, or holds itself: all
# methods with blocks, each with blocks that change the collection; all methods without, on collections that
# hold themselves. `ask.rb reentry` asks them.
module Reentry
  ARRAYS = ['[3, 1, 2]', '[]', '[[1, 2], [3, 4]]', "['b', 'a', nil]", '[2, [1, [0]]]'].freeze
  HASHES = ['{a: 1, b: 2, c: 3}', '{}', '{[1] => [2], 3 => 4}'].freeze
  SETS = ['Set[3, 1, 2]', 'Set[[1], [2]]'].freeze

  OF_ALL = ['all?', 'any?', 'none?', 'one?', 'count', 'map', 'flat_map', 'select', 'reject', 'filter_map', 'find', 'each_entry',
            'each_with_index', 'each_with_object(c)', 'each_with_object([])', 'each_slice(2)', 'each_cons(2)', 'inject', 'inject(0)', 'sum',
            'sort', 'sort_by', 'min', 'max', 'min_by', 'max_by', 'partition', 'group_by', 'uniq', 'to_h', 'each', 'find_index',
            'take_while', 'drop_while', 'reverse_each'].freeze
  OF_ARRAYS = OF_ALL + ['map!', 'select!', 'reject!', 'keep_if', 'delete_if', 'sort!', 'sort_by!', 'uniq!', 'index', 'rindex',
                        'each_index', 'combination(2)', 'delete(9)', 'fetch(9)', 'collect!', 'filter!'].freeze
  OF_HASHES = OF_ALL - ['uniq'] + ['each_pair', 'each_key', 'each_value', 'merge(a: 5, z: 6)', 'merge!(a: 5, z: 6)', 'merge!(c)', 'merge(c)', 'transform_values',
                        'transform_keys', 'transform_values!', 'transform_keys!', 'delete_if', 'keep_if', 'select!', 'reject!', 'delete(9)',
                        'fetch(9)', 'update(c)'].freeze
  OF_SETS = OF_ALL

  ARRAY_CHANGES = ['c << n', 'c.clear', 'c.pop', 'c.shift', 'c.push(c)', 'c.unshift(0)', 'c[0] = 9', 'c[5] = n', 'c.replace([7, 8])', 'c.sort!',
                   'c.reverse!', 'c.delete(1)', 'c.delete_at(0)', 'c.concat(c)', 'c.freeze', 'c.map! { |y| y }', 'c.insert(1, c)',
                   'c.delete_if { true }', 'c.compact!', 'c.flatten!', 'c.slice!(0, 2)'].freeze
  HASH_CHANGES = ['c[n] = n', 'c[:a] = n', 'c.delete(:b)', 'c.delete(:a)', 'c.clear', 'c.store(c, c)', 'c[c] = 1', 'c.shift', 'c.merge!(c)',
                  'c.merge!(z: 1)', 'c.delete_if { true }', 'c.freeze', 'c.default = c', 'c.transform_values! { n }', 'c.compact!',
                  'c.keys.first << n'].freeze
  SET_CHANGES = ['c << n', 'c.delete(1)', 'c.clear', 'c << c', 'c.merge([8])', 'c.merge(c)', 'c.freeze'].freeze
  RESULTS = ['n.odd?', 'n', 'x', '[n, c]'].freeze

  SELVES = ['c = [1]; c << c', 'c = []; d = [c]; c << d', 'c = [1, 2]; c[1] = c', 'c = []; c << c << c', 'c = {}; c[c] = 1', 'c = {}; c[:s] = c',
            'c = {}; c.store(c, c)', 'c = {a: 1}; c[c] = c; c[:b] = 2', 'c = [{}]; c[0][:a] = c', 'c = [{}]; c[0][c] = 1', 'c = Set[1]; c << c',
            'c = Set[[]]; c.first << c', 'c = Hash.new { |h, k| h[k] = h }; c[1]; c[c]', 'c = [0]; 12.times { c = [c, c] }',
            'c = {x: 0}; 12.times { c = {x: c, y: c} }', 'c = [0]; 150.times { c = [c] }', 'c = Set[0]; 8.times { c = Set[c, [c]] }',
            'c = [[3, 1], [2]]; c[0] << c[1]; c[1] << c[0]', 'c = [(1..2)]; c << (c..nil)'].freeze
  PEER = { /\Ac = \[1\]; c << c\z/ => 'e = [1]; e << e' }.freeze
  ASKED = ['c == c', 'c == c.dup', 'c.eql?(c)', 'c.eql?(c.dup)', 'c == e', 'e == c', 'c != e', 'c.hash == c.hash', 'c <=> c', 'c <=> e', 'c.size',
           'c.first', 'c.to_a.size', '[c, c].uniq.size', '[c, e].uniq.size', '({c => 1})[c]', '({c => 1})[e]', 'c.include?(c)', '[c].include?(e)',
           '[[c, 1], [e, 2]].to_h.size', '[c].index(e)', '[c, e].tally.values', '[c, e].group_by { |x| x }.size', '[c, e].sort.size',
           '[c, e].max.size', '[c, e] - [c]', '([c] | [e]).size', '([c] & [e]).size', 'Set[c, e].size', 'Set[c] == Set[e]', 'Set[c].include?(e)',
           'c.flatten.size', 'c.flatten(1).size', 'c.join.size', 'c.dup.size', 'c.merge(e).size', 'c.invert.size', 'c.key(c)', 'c.key?(c)', 'c[c]',
           'c.value?(c)', 'c.delete(c); c.size', 'c.to_json.size', 'JSON.generate(c).size', 'c.to_h.size', 'c.reverse.size', 'c.rotate.size',
           'c.compact.size', 'c.zip(c).size', 'c.product(c).size', 'c.transpose.size', 'c.sum', 'c.min', 'c.sort.size', 'c.any?', 'c.none?',
           'c.each_slice(1).to_a.size', 'c.dig(0, 0)', 'c.values_at(0).size', 'c.fetch(0)', 'c.assoc(1)', 'c.count(c)', 'c.subset?(e)', 'c.superset?(c)',
           '(c + c).size', '(c * 2).size', '(c * ",").size', 'Array(c).size', 'File.join(c)', 'c.uniq.size', 'c.frozen?', 'c.nil?', 'c === c',
           '(case e when c then 1 else 2 end)', 'c.flatten!.size', 'c.uniq!', 'c.concat(c).size', 'c.merge!(c).size', 'c.transform_values { |v| v }.size',
           'c.transform_keys { |v| v }.size', 'c.reject { |x| x == c }.size', 'c.delete_if { |x| x == c }.size', 'c.slice(c).size', 'c.except(c).size',
           'c.to_set.size', '(c | c).size', '(c - c).size', '(c & c).size', 'c.sort_by { |x| x }.size', 'c.max_by { |x| x }', 'c.each { break }'].freeze
  SHOWN = ['c.inspect', 'c.to_s', '"#{c}"', 'c.first.inspect', 'c.to_a.inspect', "format('%s', c)", 'c.keys.inspect', 'c.to_a.flatten(1).inspect', 'e.inspect',
           '[c, e].inspect', '({1 => c}).inspect', 'c.join(",")'].freeze

  def self.program(setup, expression)
    "<% n = 0; x = nil; begin; #{setup}; r = #{expression}; rescue StandardError => e; r = [e.class, e.message]; end %>" \
      '<%= r.inspect %> <%= c.inspect %>'
  end

  def self.walked(containers, methods, changes)
    containers.product(methods, changes).each_with_index.map do |(container, method, change), index|
      result = RESULTS[index % RESULTS.size]
      late = index % 3 == 1 ? ' if n == 2' : ''
      block = "{ |*x| n += 1; raise 'enough' if n > 12; #{change}#{late}; #{result} }"
      program("c = #{container}", "c.#{method} #{block}")
    end
  end

  def self.selves
    SELVES.flat_map do |self_made|
      peer = self_made.gsub(/\bc\b/, 'e')
      ASKED.map { |asked| "<% begin; #{self_made}; #{peer}; r = (#{asked}); rescue StandardError => x; r = x.class; end %><%= r.equal?(c) ? 'self' : r.inspect[0, 200] %>" } +
        SHOWN.map { |shown| "<% begin; #{self_made}; #{peer}; r = (#{shown}); rescue StandardError => x; r = x.class.to_s; end %><%= r.to_s[0, 500] %>" }
    end
  end

  # Some of the many, the same each time.
  def self.all
    random = Random.new(1)
    few = lambda { |programs, count| programs.sample(count, random: random) }
    few.(walked(ARRAYS, OF_ARRAYS, ARRAY_CHANGES), 2500) + few.(walked(HASHES, OF_HASHES, HASH_CHANGES), 1500) +
      few.(walked(SETS, OF_SETS, SET_CHANGES), 400) + selves
  end
end
