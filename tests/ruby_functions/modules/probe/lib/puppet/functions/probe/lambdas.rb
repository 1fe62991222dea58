# frozen_string_literal: true

# Lambdas of both languages.
Puppet::Functions.create_function(:'probe::lambdas') do
  dispatch(:lambdas) do
    param 'Array', :list
    block_param 'Callable', :block
  end

  def lambdas(list, &block)
    [block.arity, block.parameters.size, list.map(&block), call_function('map', list) { |x| [x, yield(x)] },
     call_function('reduce', list) { |memo, x| memo.to_i + x.to_i }]
  end
end
