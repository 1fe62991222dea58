# frozen_string_literal: true

# What is injected.
Puppet::Functions.create_function(:'probe::scoped', Puppet::Functions::InternalFunction) do
  dispatch :scoped do
    scope_param
    cache_param
    param 'String', :name
    optional_block_param
  end

  def scoped(scope, cache, name)
    kept = cache.retrieve(self)
    kept[:count] = (kept[:count] || 0) + 1
    [scope[name], scope.lookupvar("::#{name}"), scope.include?(name), scope.exist?(name), closure_scope[name], scope.to_s, kept[:count],
     call_function_with_scope(scope, 'defined', "$#{name}"), scope.call_function('probe::plain', [name]), scope.resource.to_s]
  end
end
