# frozen_string_literal: true

module Bunraku
  # The Ruby of modules is loaded when an environment first needs it. This part describes how, and is cheap to
  # load.
  class Registry
    # The configuration of an environment's registry.
    #
    # @!attribute mode [r] @return [Symbol] `:own`, `:puppet`, `:auto`, `:off`; {DropIn} has `:drop_in`
    # @!attribute templates [r] @return [String] `auto`, `ruby`, `native`
    Setup = Struct.new(:mode, :templates) do
      # @return [Boolean] whether the catalog must equal the one that Puppet itself compiles
      def drop_in?
        mode == :drop_in
      end

      # @raise [DropIn::Compiler::Unsuitable] always
      def refuse(reason)
        DropIn::Compiler.refuse(reason)
      end

      # Creates the registry of an environment.
      #
      # @return [Registry, nil] nil if the built-in Ruby is sufficient
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

    # Directories with Ruby other than those of modules, as the environment searches them: those of gems
    # before the modules, all others after them.
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

    # @param mode [Symbol, String] the argument `ruby_functions` of {Environment.new}
    # @param templates [Symbol, String] the argument `templates`
    # @return [Setup]
    # @raise [ArgumentError] the mode does not exist, or Puppet is not installed
    def self.setup(mode, templates = :auto)
      mode = mode.to_sym
      raise ArgumentError, "templates is one of auto, ruby, native, not #{templates}" unless %w[auto ruby native].include?(templates.to_s)
      raise ArgumentError, "ruby_functions is one of auto, own, puppet, off, not #{mode}" unless %i[auto own puppet off drop_in].include?(mode)
      raise ArgumentError, 'ruby_functions is puppet, but Puppet is not loaded' if mode == :puppet && !defined?(::Puppet::Functions)

      Setup.new(mode, templates.to_s).freeze
    end
  end
end
