class Enumerator
  # The result of `Enumerator.new`, and of `to_enum` for methods of the program.
  class Generator
    include Enumerable

    def self.for(size = nil, &block)
      raise ArgumentError, 'no block given' unless block

      new(nil, nil, [], block, size)
    end

    def self.over(receiver, name, *arguments)
      new(receiver, name, arguments, nil, nil)
    end

    def initialize(receiver, name, arguments, block, size)
      @receiver = receiver
      @name = name
      @arguments = arguments
      @block = block
      @size = size
    end

    def class
      Enumerator
    end

    def is_a?(kind)
      kind == Enumerator || super
    end
    alias kind_of? is_a?

    def each(*more, &block)
      return self unless block

      @block ? @block.call(Yielder.new(block), *more) : @receiver.__send__(@name, *@arguments, *more, &block)
    end

    def with_index(offset = 0, &block)
      return to_enum(:with_index, offset) unless block

      at = (offset || 0) - 1
      each { |*values| block.call(values.size <= 1 ? values[0] : values, at += 1) }
    end

    def each_with_index(&block)
      with_index(0, &block)
    end

    def with_object(memo, &block)
      return to_enum(:with_object, memo) unless block

      each { |*values| block.call(values.size <= 1 ? values[0] : values, memo) }
      memo
    end

    def size
      @size.respond_to?(:call) ? @size.call : @size
    end

    def rewind
      self
    end

    def inspect
      return '#<Enumerator: #<Enumerator::Generator>:each>' if @block

      __refuse("text of an enumerator of #{@name}") if %i[find find_index flat_map map select with_index with_object min_by max_by].include?(@name)
      return "#<Enumerator: #{@receiver.inspect}:#{@name}>" if @arguments.empty?

      "#<Enumerator: #{@receiver.inspect}:#{@name}(#{@arguments.map(&:inspect).join(', ')})>"
    end
    alias to_s inspect
  end

  # The argument of the block of `Enumerator.new`.
  class Yielder
    def initialize(block)
      @block = block
    end

    def yield(*values)
      @block.call(*values)
    end

    def <<(value)
      @block.call(value)
      self
    end

    def to_proc
      ->(*values) { @block.call(*values) }
    end
  end

  # The result of `lazy`.
  class Lazy
    def initialize(source, &step)
      @source = source
      @step = step
    end

    def inspect
      __refuse('text of a lazy enumerator with steps') if @step || @source.is_a?(Lazy) || @source.is_a?(Generator)
      "#<Enumerator::Lazy: #{@source.inspect}>"
    end

    def each(&block)
      return self unless block

      if @step
        @source.each { |*values| @step.call(block, values.size <= 1 ? values[0] : values) }
      else
        @source.each { |*values| block.call(values.size <= 1 ? values[0] : values) }
      end
    end

    def map(&block)
      raise ArgumentError, 'tried to call lazy map without a block' unless block

      Lazy.new(self) { |out, value| out.call(block.call(value)) }
    end
    alias collect map

    def select(&block)
      raise ArgumentError, 'tried to call lazy select without a block' unless block

      Lazy.new(self) { |out, value| out.call(value) if block.call(value) }
    end
    alias filter select

    def reject(&block)
      raise ArgumentError, 'tried to call lazy reject without a block' unless block

      Lazy.new(self) { |out, value| out.call(value) unless block.call(value) }
    end

    def filter_map(&block)
      raise ArgumentError, 'tried to call lazy filter_map without a block' unless block

      Lazy.new(self) do |out, value|
        made = block.call(value)
        out.call(made) if made
      end
    end

    def flat_map(&block)
      raise ArgumentError, 'tried to call lazy flat_map without a block' unless block

      Lazy.new(self) do |out, value|
        made = block.call(value)
        made.is_a?(Array) ? made.each { |one| out.call(one) } : out.call(made)
      end
    end
    alias collect_concat flat_map

    def compact
      Lazy.new(self) { |out, value| out.call(value) unless value.nil? }
    end

    def grep(pattern, &block)
      Lazy.new(self) { |out, value| out.call(block ? block.call(value) : value) if pattern === value }
    end

    def grep_v(pattern, &block)
      Lazy.new(self) { |out, value| out.call(block ? block.call(value) : value) unless pattern === value }
    end

    def take_while(&block)
      source = self
      Lazy.new(Lazy.__of { |out| source.each { |value| block.call(value) ? out.call(value) : break } })
    end

    def drop_while(&block)
      source = self
      Lazy.new(Lazy.__of do |out|
        dropping = true
        source.each do |value|
          dropping &&= block.call(value)
          out.call(value) unless dropping
        end
      end)
    end

    def take(count)
      raise ArgumentError, 'attempt to take negative size' if count < 0

      source = self
      Lazy.new(Lazy.__of do |out|
        left = count
        if left > 0
          source.each do |value|
            left -= 1
            out.call(value)
            break if left == 0
          end
        end
      end)
    end

    def drop(count)
      raise ArgumentError, 'attempt to drop negative size' if count < 0

      source = self
      Lazy.new(Lazy.__of do |out|
        left = count
        source.each { |value| left > 0 ? left -= 1 : out.call(value) }
      end)
    end

    def with_index(offset = 0, &block)
      source = self
      Lazy.new(Lazy.__of do |out|
        at = offset - 1
        source.each do |value|
          at += 1
          if block
            block.call(value, at)
            out.call(value)
          else
            out.call([value, at])
          end
        end
      end)
    end
    alias each_with_index with_index

    def uniq(&block)
      source = self
      Lazy.new(Lazy.__of do |out|
        seen = {}
        source.each do |value|
          key = block ? block.call(value) : value
          unless seen.key?(key)
            seen[key] = true
            out.call(value)
          end
        end
      end)
    end

    def first(*count)
      if count.empty?
        each { |value| return value }
        return nil
      end
      take(count[0]).to_a
    end

    def to_a
      all = []
      each { |value| all << value }
      all
    end
    alias force to_a

    def eager
      to_a.each
    end

    def lazy
      self
    end

    def find(&block)
      each { |value| return value if block.call(value) }
      nil
    end
    alias detect find

    def include?(wanted)
      each { |value| return true if value == wanted }
      false
    end
    alias member? include?

    def any?(*pattern, &block)
      each do |value|
        return true if pattern.empty? ? (block ? block.call(value) : value) : pattern[0] === value
      end
      false
    end

    def all?(*pattern, &block)
      each do |value|
        return false unless pattern.empty? ? (block ? block.call(value) : value) : pattern[0] === value
      end
      true
    end

    def none?(*pattern, &block)
      !any?(*pattern, &block)
    end

    def method_missing(name, *arguments, &block)
      return super unless [].respond_to?(name)
      __refuse("Enumerator::Lazy##{name}") if __lazy.include?(name)

      to_a.__send__(name, *arguments, &block)
    end

    def respond_to_missing?(name, include_private = false)
      [].respond_to?(name) && !__lazy.include?(name)
    end

    def self.__of(&body)
      Walk.new(body)
    end

    private

    def __lazy
      %i[zip chunk chunk_while slice_when slice_before slice_after tally each_entry cycle push pop shift [] size length]
    end

    # Runs a body with what takes the values.
    class Walk
      def initialize(body)
        @body = body
      end

      def each(&block)
        @body.call(block)
      end
    end
  end
end
