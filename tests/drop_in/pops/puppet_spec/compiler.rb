# frozen_string_literal: true

require 'bunraku/pops'

module PuppetSpec
  # Evaluates code with the native compiler.
  module Compiler
    module_function

    # @return [Array<String>] the notices
    def collect_notices(code, node = nil)
      eval_and_collect_notices(code, node)
    end

    # @return [Array<String>] the notices
    def eval_and_collect_notices(code, node = nil, variables = {})
      path = node.respond_to?(:environment) && node.environment ? node.environment.modulepath : []
      environment = Bunraku::Environment.new('testing', code: code, modulepath: path, directory: node&.directory)
      catalog = environment.compile(node: 'foonode', parameters: variables)
      catalog.logs.select { |log| log[:level] == :notice }.map { |log| log[:message] }
    rescue Bunraku::Error => e
      raise Puppet::Error, e.message
    end
  end
end
