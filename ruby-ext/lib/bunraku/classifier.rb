# frozen_string_literal: true

require 'json'

module Bunraku
  # A node classifier: groups select nodes by rules on their facts and names, and assign classes, parameters
  # and variables to them. Requests of the HTTP interface of Puppet Enterprise's classifier, version 1, read
  # and change it; {App} serves them. Any number of threads can use a classifier, and other processes can use
  # the same database.
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
      # @return [Object] the machine-readable details
      attr_reader :details

      # @param status [Integer]
      # @param body [Hash] the body of the response
      def initialize(status, body)
        @status = status
        @kind = body['kind']
        @details = body['details']
        super(body['msg'])
      end
    end

    # The response to a request.
    Answer = Struct.new(:status, :headers, :body)

    # @param database [String, nil] the path of a SQLite database; by default groups are kept in memory
    # @param create [Boolean] whether a missing database is created
    # @param environmentpath [String, Array<String>, nil] directories that contain environments: groups can
    #   only use their classes; by default any class
    # @param basemodulepath [Array<String>] directories of modules that all environments share
    # @param reload [Symbol, String] when environments are loaded again; see {Environment.new}
    # @param allow_config_data [Boolean] whether groups can have configuration data
    # @param stores_check_ins [Boolean] whether classifications of nodes are recorded; the records are never
    #   deleted
    # @param prefix [String] what can precede `/v1` in paths
    # @return [Classifier]
    # @raise [Error] the database does not exist or cannot be used
    def self.open(database: nil, create: false, environmentpath: nil, basemodulepath: [], reload: :never, allow_config_data: true,
                  stores_check_ins: false, prefix: '/classifier-api')
      paths = environmentpath && Array(environmentpath).flat_map { |path| path.to_s.split(':') }
      options = { database: database&.to_s, create: create, environmentpath: paths&.map { |path| File.expand_path(path) },
                  basemodulepath: basemodulepath.map { |path| File.expand_path(path) }, reload: reload.to_s,
                  allow_config_data: allow_config_data, stores_check_ins: stores_check_ins, prefix: prefix }
      native_open(JSON.generate(options.compact))
    end

    # Answers a request. Errors are also responses.
    #
    # @param method [String] such as `GET`
    # @param path [String] the path, percent-encoded
    # @param query [String] the part of the URL after the question mark
    # @param body [String] the body
    # @return [Answer] the status, a hash of headers, and the body as text
    def answer(method, path, query: '', body: '')
      status, headers, body = native_answer(method, path, query, body)
      Answer.new(status, headers.to_h, body)
    end

    # Returns the groups of a node and the classification that results from them.
    #
    # @param node [String] the certname
    # @param facts [Hash] the facts
    # @param trusted [Hash] the trusted facts
    # @return [Hash] `name`, `groups`, `environment`, `classes`, `parameters`, `config_data`
    # @raise [RequestError] the groups contradict each other
    def classify(node, facts: {}, trusted: {})
      request('POST', "/v1/classified/nodes/#{escape(node)}", { fact: facts, trusted: trusted })
    end

    # Explains step by step how a node is classified. Takes the arguments of {#classify}.
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

    # Creates a group, or replaces the group with its id.
    #
    # @param group [Hash] at least `name`, `parent` and `classes`
    # @return [String] the id
    # @raise [RequestError] the group is invalid, or does not fit into the hierarchy
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
