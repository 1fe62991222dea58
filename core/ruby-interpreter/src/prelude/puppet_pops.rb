module Puppet
  module Pops
    module Evaluator
      module Runtime3ResourceSupport
        # Resources are found by the names of their types.
        def self.find_resource_type_or_class(_scope, name)
          find_resource_type(nil, name)
        end

        def self.find_resource_type(_scope, name)
          name = name.to_s.downcase
          Puppet::Native.call('defined', name) ? Puppet::Resource::Type.new(:definition, name) : nil
        end
      end
    end

    module Lookup
      module HieraConfig
        def self.symkeys_to_string(value)
          case value
          when Hash then value.to_h { |key, one| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(one)] }
          when Array then value.map { |one| symkeys_to_string(one) }
          else value
          end
        end
      end
    end

    module Types
      module TypeCalculator
        def self.instance?(type, value)
          Puppet::Native.instance?(type, value)
        end

        def self.assignable?(type, other)
          Puppet::Native.assignable?(type, other)
        end

        def self.infer(value)
          Puppet::Native.call('type', value, 'reduced')
        end

        def self.infer_set(value)
          Puppet::Native.call('type', value, 'detailed')
        end

        def self.singleton
          self
        end
      end

      class TypeParser
        def self.singleton
          new
        end

        def parse(text, _context = nil)
          Puppet::Native.parse_type(text)
        end
      end

      class TypeMismatchDescriber
        def self.singleton
          new
        end

        def self.describe_mismatch(name, expected, actual)
          Puppet::Native.describe_mismatch(name, expected, actual)
        end

        def describe_mismatch(name, expected, actual, _rich = true)
          Puppet::Native.describe_mismatch(name, expected, actual)
        end
      end

      module PSensitiveType
      end

      module Iterable
        def self.asserted_iterable(caller, value, _infer_elements = false)
          made = on(value)
          raise ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable." if made.nil?

          made
        end

        def self.on(value)
          case value
          when Array, Hash, Range then value
          when String then value.chars
          when Integer then value.times.to_a if value >= 0
          end
        end
      end
    end
  end
end
