# frozen_string_literal: true

module Bunraku
  # What modules have in Ruby is loaded when an environment first needs it; this says how, and costs nothing.
  class Registry
    # How an environment wants its registry.
    #
    # @!attribute mode [r] @return [Symbol] `:own`, `:puppet`, `:auto`, `:off`; {DropIn} has `:drop_in`
    # @!attribute templates [r] @return [String] `auto`, `ruby`, `native`
    Setup = Struct.new(:mode, :templates) do
      # @return [Boolean] whether what is compiled has to be what Puppet itself compiles
      def drop_in?
        mode == :drop_in
      end

      # @raise [DropIn::Compiler::Unsuitable] always
      def refuse(reason)
        DropIn::Compiler.refuse(reason)
      end

      # Makes the registry of an environment.
      #
      # @return [Registry, nil] nil: the Ruby that is built in shall do
      def module_ruby(name, directory, modulepath, modules, libraries, settings)
        return if mode == :off

        require_relative '../registry'
        Registry.new(name, directory, modulepath, modules, LibraryPaths.new(*libraries), settings, self)
      end

      # @return [Boolean] whether functions run on Puppet's own classes
      def puppet?
        return true if %i[puppet drop_in].include?(mode)

        mode == :auto && defined?(::Puppet::Functions) && ::Puppet.respond_to?(:version) ? true : false
      end
    end

    # Directories with Ruby beside those of modules, as the environment searches them: gems' before the
    # modules, all others behind.
    #
    # @!attribute gems [r] @return [Array<String>]
    # @!attribute libdir [r] @return [Array<String>] one or none
    # @!attribute load_path [r] @return [Array<String>]
    # @!attribute vendored [r] @return [Array<String>] `lib` of vendored modules
    LibraryPaths = Struct.new(:gems, :libdir, :load_path, :vendored) do
      def initialize(*lists)
        super(*lists.map { |paths| paths.map { |path| File.expand_path(path) } })
      end
    end

    # @param mode [Symbol, String] what {Environment.new} calls `ruby_functions`
    # @param templates [Symbol, String] what it calls `templates`
    # @return [Setup]
    # @raise [ArgumentError] there is no such mode, or Puppet is not there
    def self.setup(mode, templates = :auto)
      mode = mode.to_sym
      raise ArgumentError, "templates is one of auto, ruby, native, not #{templates}" unless %w[auto ruby native].include?(templates.to_s)
      raise ArgumentError, "ruby_functions is one of auto, own, puppet, off, not #{mode}" unless %i[auto own puppet off drop_in].include?(mode)
      raise ArgumentError, 'ruby_functions is puppet, but Puppet is not loaded' if mode == :puppet && !defined?(::Puppet::Functions)

      Setup.new(mode, templates.to_s).freeze
    end
  end
end
