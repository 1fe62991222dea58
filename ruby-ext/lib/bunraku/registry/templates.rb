# frozen_string_literal: true

require 'erb'

module Bunraku
  class Registry
    # Renders templates in ERB with Ruby. A template becomes a method of a class in the root, once for each
    # text. It sees the same names as in Puppet: variables as `@name`, `scope`, `has_variable?`, and constants
    # of the environment's modules.
    #
    # A list, hash or text in a variable is the same object for all templates of a compilation that see it in
    # the same scope: if one template changes it in place, the others see the change.
    #
    # @api private
    module Templates
      # The class in which templates are evaluated, below the root.
      WRAPPER = <<~RUBY
        class TemplateWrapper
          def initialize(scope, file)
            @__scope__ = scope
            @__file__ = file
          end

          def scope
            @__scope__
          end

          def file
            @__file__
          end

          def has_variable?(name)
            scope.include?(name.to_s)
          end

          def classes
            scope.catalog.classes
          end

          def all_tags
            scope.catalog.tags
          end

          def tags
            raise NotImplementedError, "Call 'all_tags' instead."
          end

          %w[debug info notice warning err].each do |level|
            define_method(level) { |message| Bunraku::Call.current.__send__(:native_log, level, message.to_s) }
          end

          def to_s
            "template[\#{file || 'inline'}]"
          end

          # As Ruby shows an object, without its address; all variables of the scope are its own.
          def inspect
            own = instance_variables.to_h { |name| [name.to_s, instance_variable_get(name)] }.compact
            variables = scope.to_hash.to_h { |name, value| ["@\#{name.gsub(/\\W/, '_')}", value] }
            shown = own.slice('@__scope__', '@__file__').merge(variables, own)
            "#<Puppet::Parser::TemplateWrapper \#{shown.map { |name, value| "\#{name}=\#{value.inspect}" }.join(', ')}>"
          end
        end
        TemplateWrapper
      RUBY
      private_constant :WRAPPER

      # Variables of a scope. Each is the same object for all templates of the compilation.
      module SharedVariables
        # @param call [Call]
        def bunraku_share(call)
          @bunraku_shared = (call.memory[:variables] ||= {})
          @bunraku_scope = call.scope_name
          self
        end

        def lookupvar(name, *options)
          return super unless name.is_a?(String)

          key = [@bunraku_scope, name.delete_prefix('::')]
          return @bunraku_shared[key] if @bunraku_shared.key?(key)

          value = super
          @bunraku_shared[key] = value if value.is_a?(Hash) || value.is_a?(Array) || value.is_a?(String)
          value
        end

        def [](name, *options)
          lookupvar(name, *options)
        end

        def []=(name, value, *)
          super
          @bunraku_shared[[@bunraku_scope, name.to_s]] = value
        end

        def setvar(name, value, *)
          self[name] = value
        end
      end

      # Renders a template.
      #
      # @param path [String] its file, or a name for it
      # @param text [String]
      # @param call [Call] the call of the rendering function
      # @return [String]
      def render_template(path, text, call)
        method, names = template(path, text)
        of = scope(call).extend(SharedVariables).bunraku_share(call)
        wrapper = template_class.new(of, path.start_with?('/') ? path : nil)
        (names || call.variables.keys).each do |name|
          next unless call.variable?(name)

          value = of.lookupvar(name)
          wrapper.instance_variable_set("@#{name.gsub(/\W/, '_')}", value) unless value.nil?
        end
        wrapper.__send__(method)
      rescue ::NameError => e
        # Its text is made when it is asked for, and shows the scope, which has no variables then.
        raise e.exception(e.respond_to?(:original_message) ? e.original_message : e.message)
      end

      # The template's line in which an exception was raised.
      #
      # @return [Integer, nil] nil for an exception that `rescue` does not catch
      def template_line(exception, path)
        return unless exception.is_a?(StandardError) && exception.backtrace

        place = exception.backtrace.find { |line| line.start_with?("#{path}:") }
        place ? place[(path.size + 1)..].to_i : 0
      end

      private

      # The method of a template, and the variables that it names; nil if it can use any.
      def template(path, text)
        (@templates ||= {})[[path, text]] ||= @lock.synchronize do
          source = ERB.new(text, trim_mode: '-').src.sub(/\A#coding:[^\n]*\n/, '')
          source = Source.rewrite(source, keep_puppet: @puppet)
          template_class
          method = "template_#{@template_count = (@template_count || 0) + 1}"
          @root.module_eval("class TemplateWrapper; def #{method}; #{source}\nend; end", path, 1)
          names = text.scan(/@([a-z_]\w*)/i).flatten.uniq unless text.match?(/instance_variable|\bbinding\b|\beval\b|\bsend\b/)
          [method, names]
        end
      end

      def template_class
        @template_class ||= @root.module_eval(WRAPPER, __FILE__, __LINE__).include(@root)
      end
    end
  end
end
