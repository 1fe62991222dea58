# frozen_string_literal: true

require_relative 'serialization/extension'
require_relative 'serialization/abstract_writer'
require_relative 'serialization/abstract_reader'
require_relative 'serialization/json'
require_relative 'serialization/serializer'
require_relative 'serialization/deserializer'
require_relative 'serialization/to_data_converter'
require_relative 'serialization/from_data_converter'
require_relative 'serialization/to_stringified_converter'
