# frozen_string_literal: true

require 'json'

module Bunraku
  # A node classifier: groups of nodes, by rules on what is known of a node, with the classes, parameters and
  # variables that their nodes get. It is asked and changed by requests of the HTTP interface of Puppet
  # Enterprise's classifier, version 1; {App} carries them. Any number of threads may use one, and other
  # processes may use the same database.
  #
  # @example Classify a node and compile its catalog
  #   classifier = Bunraku::Classifier.open(database: 'groups.db')
  #   classification = classifier.classify('web01.example.net', facts: facts)
  #   environment = Bunraku::Environment.new(classification['environment'], environmentpath: path)
  #   environment.compile(node: 'web01.example.net', facts: facts, classification: classification)
  class Classifier
    # A request was refused.
    class RequestError < Error
      # @return [Integer] the HTTP status
      attr_reader :status
      # @return [String] the kind of error, such as `classification-conflict`
      attr_reader :kind
      # @return [Object] what programs read
      attr_reader :details

      # @param status [Integer]
      # @param body [Hash] the answer
      def initialize(status, body)
        @status = status
        @kind = body['kind']
        @details = body['details']
        super(body['msg'])
      end
    end

    # An answer to a request.
    Answer = Struct.new(:status, :headers, :body)

    # @param database [String, nil] the path of a SQLite database; without it groups are kept in memory
    # @param create [Boolean] whether the database is made when it is not there
    # @param environmentpath [String, Array<String>, nil] directories that hold environments: groups may use
    #   their classes only; without it they may use any
    # @param basemodulepath [Array<String>] directories with modules for all environments
    # @param reload [Symbol, String] when environments are read anew; see {Environment.new}
    # @param allow_config_data [Boolean] whether groups may have configuration data
    # @param stores_check_ins [Boolean] whether it is noted when nodes are classified; the notes grow without
    #   end
    # @param prefix [String] what may stand before `/v1` in paths
    # @return [Classifier]
    # @raise [Error] the database is not there or cannot be used
    def self.open(database: nil, create: false, environmentpath: nil, basemodulepath: [], reload: :never, allow_config_data: true,
                  stores_check_ins: false, prefix: '/classifier-api')
      paths = environmentpath && Array(environmentpath).flat_map { |path| path.to_s.split(':') }
      options = { database: database&.to_s, create: create, environmentpath: paths&.map { |path| File.expand_path(path) },
                  basemodulepath: basemodulepath.map { |path| File.expand_path(path) }, reload: reload.to_s,
                  allow_config_data: allow_config_data, stores_check_ins: stores_check_ins, prefix: prefix }
      native_open(JSON.generate(options.compact))
    end

    # Answers a request; errors are answers, too.
    #
    # @param method [String] such as `GET`
    # @param path [String] the path, percent-encoded
    # @param query [String] what stands behind the question mark
    # @param body [String] the body
    # @return [Answer] the status, a hash of headers, and the body as text
    def answer(method, path, query: '', body: '')
      status, headers, body = native_answer(method, path, query, body)
      Answer.new(status, headers.to_h, body)
    end

    # Tells which groups a node is in, and what they say of it together.
    #
    # @param node [String] the certname
    # @param facts [Hash] the facts
    # @param trusted [Hash] the trusted facts
    # @return [Hash] `name`, `groups`, `environment`, `classes`, `parameters`, `config_data`
    # @raise [RequestError] the groups say different things
    def classify(node, facts: {}, trusted: {})
      request('POST', "/v1/classified/nodes/#{escape(node)}", { fact: facts, trusted: trusted })
    end

    # Tells how a node is classified, step by step. Takes what {#classify} takes.
    #
    # @return [Hash] `match_explanations`, `leaf_groups`, `inherited_classifications`, and
    #   `final_classification` or `conflicts`
    def explain(node, facts: {}, trusted: {})
      request('POST', "/v1/classified/nodes/#{escape(node)}/explanation", { fact: facts, trusted: trusted })
    end

    # @return [Array<Hash>] all groups, parents before their children
    def groups
      request('GET', '/v1/groups')
    end

    # Makes a group, or replaces the one with its id.
    #
    # @param group [Hash] `name`, `parent` and `classes` at least
    # @return [String] the id
    # @raise [RequestError] it is no group, or does not fit into the hierarchy
    def put(group)
      id = group['id'] || group[:id]
      return request('PUT', "/v1/groups/#{id}", group)['id'] if id

      answered('POST', '/v1/groups', group).headers['location'].split('/').last
    end

    # @return [String]
    def inspect
      "#<#{self.class}>"
    end

    private

    def request(method, path, document = nil)
      body = answered(method, path, document).body
      body.empty? ? nil : JSON.parse(body)
    end

    def answered(method, path, document)
      answer = answer(method, path, body: document ? JSON.generate(document) : '')
      raise RequestError.new(answer.status, JSON.parse(answer.body)) if answer.status >= 400

      answer
    end

    def escape(text)
      text.gsub(/[^a-zA-Z0-9_.~-]/) { |character| character.bytes.map { |byte| format('%%%02X', byte) }.join }
    end
  end
end
