# frozen_string_literal: true

# The API of before.
Puppet::Parser::Functions.newfunction(:probe_legacy, type: :rvalue, arity: -2, doc: 'All that scopes do.') do |args|
  case args[0]
  when 'variables'
    [lookupvar('local'), self['local'], lookupvar('probe::value'), include?('local'), exist?('nothing'), to_s, source.name.to_s]
  when 'undef' then [args[1].inspect, args[2].inspect, args[3..].inspect]
  when 'functions'
    [function_upcase([args[1]]), function_probe_other([args[1], 2]), call_function('probe::plain', ['x']),
     function_sprintf(['%s-%d', args[1], 3]), respond_to?(:function_upcase), respond_to?(:function_no_such)]
  when 'catalog'
    found = findresource('Notify[here]')
    [found.to_s, found && found[:message], catalog.resource('Notify', 'gone').inspect, compiler.catalog.resource('Notify', 'here').title,
     compiler.node.name, environment.name.to_s, catalog.resources.size > 1]
  when 'classes' then [find_hostclass('probe')&.name.to_s, find_hostclass('nothing').inspect, catalog.classes.include?('probe')]
  when 'sets' then (setvar('made_here', 5) && lookupvar('made_here'))
  when 'missing' then lookupvar('such::nothing').inspect
  when 'references'
    made = Puppet::Resource.new('notify', 'here')
    [args[1] == made, args[1] == args[2], args[1] == args[3], args[4] == [args[1]], args[1..].include?(made), args[1].eql?(made), [args[1], made].uniq.size,
     args[5].type, args[5].title, args[5].to_s, args[5] == Puppet::Resource.new('class', 'probe::inner'), args[1] == 'Notify[here]', args[1].nil?]
  when 'given'
    found = findresource("Notify[#{args[1]}]")
    [found[:require] == args[2], found[:before] == args[3], found[:require].to_s, found[:before].map(&:to_s), found[:message] == args[2]]
  when 'made'
    made = Puppet::Resource.new('FILE', '/x', parameters: { 'Mode' => '0644', owner: 'root' })
    [made.to_s, made[:mode], made['owner'], made.has_key?(:mode), made.has_key?('mode'), made.include?('Mode'), made.include?('group'), made.keys, made.length, made.empty?,
      Puppet::Resource.type_and_title('my::thing[a b]', nil), Puppet::Resource.type_and_title('class', 'a::b')]
  when 'error' then raise Puppet::ParseError, 'the old error'
  end
end
