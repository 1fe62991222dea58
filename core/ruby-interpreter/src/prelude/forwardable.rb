module Forwardable
  def instance_delegate(hash)
    hash.each do |methods, accessor|
      methods = [methods] unless methods.respond_to?(:each)
      methods.each { |method| def_instance_delegator(accessor, method) }
    end
  end
  alias delegate instance_delegate

  def def_instance_delegators(accessor, *methods)
    methods.each do |method|
      next if %w[__send__ __id__].include?(method.to_s)

      def_instance_delegator(accessor, method)
    end
  end
  alias def_delegators def_instance_delegators

  def def_instance_delegator(accessor, method, ali = method)
    accessor = accessor.to_s
    __refuse('delegation to an expression') unless accessor =~ /\A(@@?)?[a-zA-Z_]\w*[?!]?\z/ || accessor =~ /\A[A-Z][\w:]*\z/
    define_method(ali) do |*arguments, **options, &block|
      target = if accessor.start_with?('@@')
                 self.class.class_variable_get(accessor)
               elsif accessor.start_with?('@')
                 instance_variable_get(accessor)
               elsif accessor =~ /\A[A-Z]/
                 Object.const_get(accessor)
               else
                 __send__(accessor)
               end
      target.__send__(method, *arguments, **options, &block)
    end
    ali.to_sym
  end
  alias def_delegator def_instance_delegator
end

module SingleForwardable
  def def_single_delegators(accessor, *methods)
    methods.each { |method| def_single_delegator(accessor, method) }
  end
  alias def_delegators def_single_delegators

  def def_single_delegator(accessor, method, ali = method)
    accessor = accessor.to_s
    define_singleton_method(ali) do |*arguments, **options, &block|
      target = accessor.start_with?('@') ? instance_variable_get(accessor) : __send__(accessor)
      target.__send__(method, *arguments, **options, &block)
    end
    ali.to_sym
  end
  alias def_delegator def_single_delegator
end
