# frozen_string_literal: true

module Bunraku
  # The natives of {Query}.
  class Query
    include Natives::Handle

    attr_reader :captures

    class << self
      def native_new(text)
        allocate.tap { |query| query.__send__(:initialize, Library.make(:query, :query_new, text)) }
      end
    end

    def initialize(handle)
      super
      names = Array.new(Library.query_capture_count(handle)) { |index| Library.query_capture_name(handle, index).read.to_sym }
      @captures = names.freeze
    end

    def native_matches(below)
      found = Library.make(:matches, :query_run, handle, below.__send__(:native_handle))
      Array.new(Library.matches_count(found)) do |index|
        node = below.program.node(Library.matches_node(found, index)[:number])
        [Library.matches_pattern(found, index), node, captured(found, index, below.program)]
      end
    end

    def native_matches_of(programs, _threads)
      programs.map do |program|
        raise TypeError, "no program: #{program.class}" unless program.is_a?(Program)

        native_matches(program.body)
      end
    end

    private

    # The nodes by names, in the order of the names.
    def captured(found, index, program)
      name = ::FFI::MemoryPointer.new(:size_t)
      nodes = Array.new(Library.matches_capture_count(found, index)) do |capture|
        node = Library.matches_capture(found, index, capture, name)
        [name.read(:size_t), program.node(node[:number])]
      end
      grouped = nodes.group_by(&:first).sort.to_h
      grouped.to_h { |number, all| [@captures[number], all.map(&:last).freeze] }.freeze
    end
  end
end
