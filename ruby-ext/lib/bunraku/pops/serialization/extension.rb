# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # The items of a stream that are not values, and the numbers of all items that are not plain.
      module Extension
        # The numbers.
        INNER_TABULATION = 0x00
        TABULATION = 0x01
        ARRAY_START = 0x10
        MAP_START = 0x11
        PCORE_OBJECT_START = 0x12
        OBJECT_START = 0x13
        SENSITIVE_START = 0x14
        DEFAULT = 0x20
        COMMENT = 0x21
        REGEXP = 0x30
        TYPE_REFERENCE = 0x31
        SYMBOL = 0x32
        TIME = 0x33
        TIMESPAN = 0x34
        VERSION = 0x35
        VERSION_RANGE = 0x36
        BINARY = 0x37
        BASE64 = 0x38
        URI = 0x39

        # A value that was written before, by its number.
        Tabulation = Struct.new(:index)
        # The start of a list.
        ArrayStart = Struct.new(:size)
        # The start of a map, by the number of its pairs.
        MapStart = Struct.new(:size)
        # The start of an object whose type has a name.
        PcoreObjectStart = Struct.new(:type_name, :attribute_count)
        # The start of an object: its type follows, then its attributes.
        ObjectStart = Struct.new(:attribute_count)
        # A value that must not be shown follows.
        SensitiveStart = Class.new.new.freeze
        # The value `default`.
        Default = Class.new.new.freeze
        # A remark.
        Comment = Struct.new(:comment)
      end
    end
  end
end
