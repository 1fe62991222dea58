# frozen_string_literal: true

module Bunraku
  # The natives of {Environment}.
  class Environment
    include Natives::Handle

    class << self
      def native_load(json, host, _setup, files = nil)
        request = JSON.parse(json)
        options = JSON.generate(request.reject { |name, _| %w[environment environmentpath].include?(name) })
        callbacks = host.respond_to?(:callbacks) ? host : (host || files) && Natives::HostCallbacks.new(host || Host.new, files)
        handle = Library.make(:environment, :environment_load, request['environmentpath'], request['environment'], options, callbacks&.callbacks)
        allocate.tap { |made| made.send(:initialize, handle, callbacks) }
      end

      # @param address [Integer] of an environment that another object owns
      # @return [Environment] valid as long as that exists
      def native_of(address)
        allocate.tap { |made| made.send(:initialize, ::FFI::Pointer.new(address)) }
      end

      # Frees an environment that no object owns, see {#native_release}.
      def native_free(address)
        Library.environment_free(::FFI::Pointer.new(address))
      end

      def task_outcome(output, exit_code)
        outcome = JSON.parse(Library.text(:task_outcome, output, exit_code))
        outcome['sensitive'].each do |name|
          secret = JSON.parse(Library.text(:task_outcome_sensitive, output, exit_code))
          outcome['value'][name] = Value.from_data('__ptype' => 'Sensitive', '__pvalue' => RichData.of(secret))
        end
        outcome
      end
    end

    attr_reader :name, :directory, :modulepath

    def initialize(handle, callbacks = nil)
      super(handle)
      @callbacks = callbacks
      @name, @directory, @modulepath = JSON.parse(Library.text(:environment_describe, handle)).values_at('name', 'directory', 'modulepath')
    end

    # @return [Integer] the address of the environment, which the caller frees
    def native_release
      handle.autorelease = false
      handle.address
    end

    def clear
      Library.assert(Library.environment_clear(handle))
    end

    def native_compile(node, facts, rest)
      plain = %i[classification limits].to_h { |key| [key, rest[key] && JSON.parse(rest[key])] }
      request = RichData.of(rest.reject { |name, _| name == :identity }.compact.transform_keys(&:to_s))
      request.merge!(plain.compact.transform_keys(&:to_s), 'rich_data' => true)
      request.merge!(JSON.parse(rest[:identity])) if rest[:identity]
      Catalog.new(Library.make(:catalog, :environment_compile, handle, node, data(facts), JSON.generate(request), nil))
    end

    def native_lookup(json)
      request = JSON.parse(json)
      node = request.delete('node')
      facts = request.delete('facts') || {}
      JSON.parse(Library.text(:environment_lookup, handle, node, JSON.generate(facts), JSON.generate(request), nil))
    end

    def tasks
      JSON.parse(Library.text(:task_list, handle))
    end

    def ruby_report
      JSON.parse(Library.text(:environment_ruby_report_json, handle))
    end

    def native_check(json)
      JSON.parse(Library.text(:environment_check, handle, json))
    rescue Error => e
      raise unless e.instance_of?(Error)

      raise OptionError, e.message
    end

    def native_index
      NativeIndex.new(Library.make(:index, :index_new, handle), self)
    end

    def native_task_invocation(json)
      JSON.parse(Library.text(:task_invocation, handle, json))
    end

    private

    # Facts and other data of a node, as JSON.
    def data(object)
      JSON.generate(RichData.of(object.compact.transform_keys(&:to_s)), max_nesting: false)
    end
  end

  # The index of an environment.
  class NativeIndex
    include Natives::Handle

    def initialize(handle, environment)
      super(handle)
      @environment = environment
    end

    def renew(path)
      Library.assert(Library.index_renew(handle, Library::Text.of(path)))
    end

    def json(path)
      JSON.parse(Library.text(:index_json, handle, path.to_s))
    end

    def check(request)
      JSON.parse(Library.text(:index_check_json, handle, request))
    rescue Error => e
      raise unless e.instance_of?(Error)

      raise OptionError, e.message
    end

    def rename(request)
      JSON.parse(Library.text(:index_rename_json, handle, request))
    end
  end
end
