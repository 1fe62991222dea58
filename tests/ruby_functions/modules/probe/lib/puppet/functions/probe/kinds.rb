# frozen_string_literal: true

# Parameters of all kinds.
Puppet::Functions.create_function(:'probe::kinds') do
  local_types do
    type 'Small = Integer[0, 9]'
    type 'Smalls = Array[Small, 1]'
  end

  dispatch(:small) { param 'Small', :digit }
  dispatch(:smalls) { param 'Smalls', :digits }
  dispatch(:optional) do
    param 'String', :text
    optional_param 'Probe::Port', :port
    optional_param 'Enum[tcp, udp]', :protocol
  end
  dispatch(:repeated) do
    param 'Boolean', :first
    repeated_param 'Numeric', :rest
    optional_block_param 'Callable[1, 2]', :block
  end
  dispatch(:required_repeated) { required_repeated_param 'Hash[String, Integer]', :hashes }
  dispatch(:block) do
    param 'Undef', :nothing
    block_param
  end
  dispatch(:returns) do
    param 'Sensitive[String]', :secret
    return_type 'Integer'
  end
  argument_mismatch(:no_types) { param 'Type', :type }

  def small(digit) = "small #{digit}"
  def smalls(digits) = "smalls #{digits.sum}"
  def optional(text, port = 80, protocol = 'tcp') = [text, port, protocol]

  def repeated(first, *rest)
    return [first, rest] unless block_given?

    rest.map { |one| yield(one) }
  end

  def required_repeated(*hashes) = hashes.reduce(:merge)
  def block(nothing) = [nothing, yield(1, 2)]
  def returns(secret) = secret.unwrap.size.zero? ? 0 : secret.unwrap
  def no_types(type) = "takes no type such as #{type}"
end
