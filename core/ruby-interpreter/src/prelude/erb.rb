class ERB
  attr_accessor :filename, :lineno

  def self.version
    '2.2.3'
  end

  def initialize(text, safe_level = nil, legacy_trim_mode = nil, legacy_eoutvar = nil, trim_mode: nil, eoutvar: '_erbout')
    @text = text
    @trim_mode = legacy_trim_mode || trim_mode
    raise NotImplementedError, 'ERB with another eoutvar' unless eoutvar == '_erbout' && legacy_eoutvar.nil?
  end

  def result(binding = nil)
    __render_erb(@text, @trim_mode, binding)
  end

  def result_with_hash(values)
    holder = Object.new
    values.each { |name, value| holder.define_singleton_method(name) { value } }
    __render_erb(@text, @trim_mode, holder.instance_eval { binding })
  end
end
