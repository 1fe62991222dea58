# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'net/http'
require 'tmpdir'
require_relative '../free_port'

# A PuppetDB of Debian with a PostgreSQL of its own, on loopback, in a directory that goes away with it.
class PuppetDBServer
  JAR = '/usr/share/puppetdb/puppetdb.jar'

  attr_reader :directory, :secure_port

  def self.run(**options)
    server = new(**options)
    yield server
  ensure
    server&.stop
  end

  # @param certificates [Hash{Symbol => String}, nil] files for HTTPS beside HTTP: `key`, `cert`, `ca`
  def initialize(certificates: nil)
    @certificates = certificates
    @secure_port = free_port if certificates
    @directory = Dir.mktmpdir('puppetdb')
    FileUtils.chmod(0o755, @directory)
    @database_port = free_port
    @port = free_port
    start_database
    start_puppetdb
  end

  # POSTs a command and waits until it is processed.
  def submit(command, version, certname, payload, timestamp)
    query = URI.encode_www_form(command: command.tr(' ', '_'), version: version, certname: certname,
                                'producer-timestamp': timestamp, secondsToWaitForCompletion: 120)
    response = http { |connection| connection.post("/pdb/cmd/v1?#{query}", payload, 'Content-Type' => 'application/json') }
    answer = JSON.parse(response.body)
    is_stored = response.is_a?(Net::HTTPOK) && answer['processed'] && !answer['error']
    raise "#{command} (version #{version}): #{answer.except('stack_trace')} #{discarded}" unless is_stored

    answer
  end

  # Returns the result of a query: a path below /pdb/query/v4, and the query itself.
  def query(path, query = nil)
    path = "/pdb/query/v4#{path}"
    path += "?#{URI.encode_www_form(query: query)}" if query
    response = http { |connection| connection.get(path) }
    raise "#{path}: #{response.code} #{response.body}" unless response.is_a?(Net::HTTPOK)

    JSON.parse(response.body)
  end

  def stop
    [@puppetdb, @database].compact.each do |pid|
      Process.kill('TERM', pid)
      Process.wait(pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil
    end
    FileUtils.rm_rf(@directory)
  end

  private

  def http(&block)
    Net::HTTP.start('127.0.0.1', @port, read_timeout: 180, &block)
  end

  # PostgreSQL refuses to run as root.
  def as_postgres(*command)
    Process.uid.zero? ? ['runuser', '-u', 'postgres', '--', *command] : command
  end

  def start_database
    programs = Dir['/usr/lib/postgresql/*/bin'].max or raise 'postgresql is not installed'
    data = File.join(@directory, 'postgresql')
    FileUtils.mkdir(data)
    FileUtils.chown('postgres', nil, data) if Process.uid.zero?
    run(*as_postgres("#{programs}/initdb", '--auth=trust', '--username=puppetdb', '--encoding=UTF8', '--locale=C', data))
    @database = spawn(*as_postgres("#{programs}/postgres", '-D', data, '-p', @database_port.to_s, '-k', data,
                                   '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'),
                      %i[out err] => File.join(@directory, 'postgresql.log'))
    psql = ["#{programs}/psql", '-h', '127.0.0.1', '-p', @database_port.to_s, '-U', 'puppetdb', '-q']
    wait('PostgreSQL', @database) { system(*psql, '-d', 'postgres', '-c', 'SELECT 1', %i[out err] => File::NULL) }
    run(*psql, '-d', 'postgres', '-c', 'CREATE DATABASE puppetdb')
    run(*psql, '-d', 'puppetdb', '-c', 'CREATE EXTENSION pg_trgm')
  end

  def start_puppetdb
    configuration = File.join(@directory, 'conf.d')
    variable = File.join(@directory, 'var')
    FileUtils.mkdir([configuration, variable])
    File.write(File.join(configuration, 'puppetdb.ini'), <<~INI)
      [global]
      vardir = #{variable}
      logging-config = #{@directory}/logback.xml
      [database]
      subname = //127.0.0.1:#{@database_port}/puppetdb
      username = puppetdb
      password = none
      [jetty]
      host = 127.0.0.1
      port = #{@port}
      #{secure}
      [puppetdb]
      disable-update-checking = true
    INI
    FileUtils.cp('/etc/puppetdb/conf.d/auth.conf', configuration)
    File.write(File.join(@directory, 'logback.xml'), <<~XML)
      <configuration>
        <appender name="F" class="ch.qos.logback.core.FileAppender">
          <file>#{@directory}/puppetdb.log</file>
          <encoder><pattern>%d %-5p [%c{2}] %m%n</pattern></encoder>
        </appender>
        <root level="info"><appender-ref ref="F"/></root>
      </configuration>
    XML
    @puppetdb = spawn('java', '-Xmx768m', '-Djava.security.egd=/dev/urandom', '-cp', JAR, 'clojure.main',
                      '-m', 'puppetlabs.puppetdb.core', 'services', '--config', configuration,
                      '--bootstrap-config', '/etc/puppetdb/bootstrap.cfg', %i[out err] => File.join(@directory, 'java.log'))
    wait('PuppetDB', @puppetdb) do
      http { |connection| connection.get('/pdb/meta/v1/version') }.is_a?(Net::HTTPOK)
    rescue SystemCallError, EOFError
      false
    end
  end

  def secure
    return unless @certificates

    places = { 'ssl-host' => '127.0.0.1', 'ssl-port' => @secure_port, 'ssl-key' => @certificates[:key], 'ssl-cert' => @certificates[:cert],
               'ssl-ca-cert' => @certificates[:ca] }
    places.map { |name, value| "#{name} = #{value}" }.join("\n")
  end

  def run(*command)
    log = File.join(@directory, 'setup.log')
    system(*command, %i[out err] => [log, 'a']) or raise "#{command.first} failed:\n#{File.read(log)}"
  end

  def wait(what, pid, seconds: 240)
    deadline = now + seconds
    until yield
      ended = Process.wait(pid, Process::WNOHANG)
      raise "#{what} does not start:\n#{logs}" if ended || now > deadline

      sleep 0.5
    end
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def logs
    Dir[File.join(@directory, '*.log')].map { |path| File.readlines(path).last(15).join }.join("\n")
  end

  # Returns why PuppetDB discarded a command.
  def discarded
    Dir[File.join(@directory, 'var/stockpile/discard/*_err.txt')].map { |path| File.read(path)[0, 2000] }.join("\n")
  end
end
