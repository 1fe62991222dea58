# frozen_string_literal: true

require 'etc'
require 'fileutils'
require 'json'
require 'net/http'
require 'openssl'
require 'tmpdir'
require_relative '../free_port'

# Debian's puppetserver on loopback, with a certificate authority and agents of its own, in a directory that
# goes away with it.
class PuppetServer
  JAR = '/usr/share/puppetserver/puppetserver.jar'
  # The directory of Puppet as the server sees it.
  PUPPET = '/usr/lib/puppetserver/ruby/vendor_ruby'
  # The gems that come with the server.
  GEMS = '/usr/lib/puppetserver/vendored-jruby-gems'
  NAME = 'puppet.localdomain'

  attr_reader :directory, :port

  # @param instances [Integer] the number of JRuby instances
  # @param heap [String] the largest heap of Java
  # @param versioned [Boolean] whether commands tell the version of the code and its content, which static
  #   catalogs need
  def initialize(instances: 2, heap: '1g', versioned: false)
    @directory = Dir.mktmpdir('puppetserver')
    @heap = heap
    @versioned = versioned
    @instances = instances
    @port = free_port
    %w[conf conf/puppetserver code var run log gems conf.d].each { |name| FileUtils.mkdir_p(path(name)) }
  end

  def path(*names)
    File.join(@directory, *names)
  end

  # Makes the certificate authority and the server's own certificate.
  #
  # @return [Hash{Symbol => String}] the server's files: `key`, `cert`, `ca`
  def authorize
    write_configuration({}, {})
    run({}, 'puppetserver', 'ca', 'setup', '--config', path('conf/puppet.conf'), '--certname', NAME, '--subject-alt-names', 'localhost')
    { key: "#{ssl(NAME)}/private_keys/#{NAME}.pem", cert: "#{ssl(NAME)}/certs/#{NAME}.pem", ca: "#{ssl(NAME)}/certs/ca.pem" }
  end

  # Stores catalogs, facts and reports in PuppetDB.
  #
  # @param port [Integer] of its HTTPS
  def use_puppetdb(port)
    File.write(path('conf/puppetdb.conf'), "[main]\nserver_urls = https://localhost:#{port}\n")
  end

  # Installs the gem of platform java, as `puppetserver gem install` does.
  #
  # @param gem [String] its file
  def install(gem)
    environment = { 'GEM_HOME' => path('gems'), 'GEM_PATH' => path('gems') }
    run(environment, 'jruby', '-S', 'gem', 'install', '--local', '--no-document', '--ignore-dependencies', gem)
  end

  # Starts the server and waits until it answers.
  #
  # @param settings [Hash{String => String}] of the section `server` in puppet.conf
  # @param routes [Hash, nil] the content of routes.yaml
  # @param environment [Hash{String => String}] variables that Ruby sees in the server
  def start(settings = {}, routes: nil, environment: {})
    write_configuration(settings, environment)
    routes ? File.write(path('conf/routes.yaml'), JSON.generate(routes)) : FileUtils.rm_f(path('conf/routes.yaml'))
    FileUtils.rm_f(Dir[path('log/*.log')])
    @pid = spawn('java', '-Xms512m', "-Xmx#{@heap}", '-Djruby.lib=/usr/share/jruby/lib', '-Djava.security.egd=/dev/urandom',
                 '-jar', JAR, '--config', path('conf.d'), '--bootstrap-config', '/etc/puppet/puppetserver/services.d',
                 '--restart-file', path('run/restart'), %i[out err] => path('log/java.log'))
    wait { http.request(Net::HTTP::Get.new('/status/v1/simple')).body == 'running' }
  end

  def stop
    return unless @pid

    Process.kill('TERM', @pid)
    Process.wait(@pid)
    @pid = nil
  rescue Errno::ESRCH, Errno::ECHILD
    @pid = nil
  end

  # Stops the server and removes everything.
  def remove
    stop
    FileUtils.rm_rf(@directory)
  end

  # The memory of the server in megabytes.
  def resident
    File.read("/proc/#{@pid}/status")[/^VmRSS:\s+(\d+)/, 1].to_i / 1024
  end

  # The memory in use in Java's heap, in megabytes.
  def heap
    status('status-service').dig('experimental', 'jvm-metrics', 'heap-memory', 'used') / 1024 / 1024
  end

  # @param service [String] one of the server
  # @return [Hash] all that it tells about itself
  def status(service)
    JSON.parse(answer_to(Net::HTTP::Get.new("/status/v1/services/#{service}?level=debug")))['status']
  end

  # The seconds of CPU time that the server has used.
  def cpu
    fields = File.read("/proc/#{@pid}/stat").split(') ').last.split
    (fields[11].to_i + fields[12].to_i) / Etc.sysconf(Etc::SC_CLK_TCK).to_f
  end

  # @return [String] what the server has logged
  def log
    File.read(path('log/puppetserver.log'), encoding: 'UTF-8')
  end

  # Runs an agent once, which gets a certificate in its first run.
  #
  # @param name [String] its certname
  # @param facts [Hash{Symbol => String}]
  # @return [(String, Integer)] what it says, and its exit status
  def agent(name, facts: {}, noop: true, environment: 'production')
    home = path('agents', name)
    plugins = path('plugins')
    FileUtils.mkdir_p(["#{home}/conf", plugins])
    arguments = ['--confdir', "#{home}/conf", '--vardir', "#{home}/var", '--ssldir', "#{home}/ssl", '--plugindest', plugins, '--libdir', plugins, '--server', 'localhost',
                 '--serverport', @port.to_s, '--certname', name, '--environment', environment, '--no-usecacheonfailure',
                 '--user', user, '--group', user, '--detailed-exitcodes', '--waitforlock', '60']
    own = facts.to_h { |fact, value| ["FACTER_#{fact}", value.to_s] }
    said = IO.popen([own, 'puppet', 'agent', '--onetime', '--no-daemonize', '--verbose', *(noop ? ['--noop'] : []), *arguments, err: %i[child out]], &:read)
    [said.lines.reject { |line| line.include?(plugins) }.join, $?.exitstatus]
  end

  # @param facts [Hash] those of an agent
  # @param asking [Hash{String => String}] what else the agent asks for
  # @return [Hash] the catalog that the server has for them
  def catalog(name, facts, asking = {})
    request = Net::HTTP::Post.new("/puppet/v3/catalog/#{name}?environment=production", 'Accept' => 'application/vnd.puppet.rich+json, application/json')
    request.set_form_data('environment' => 'production', 'facts_format' => 'application/json',
                          'facts' => URI.encode_www_form_component(JSON.generate(name: name, values: facts)), **asking)
    JSON.parse(answer_to(request, name))
  end

  # @return [String] the body of the answer to a request, which succeeds
  def answer_to(request, name = NAME)
    answer = ask(request, name)
    raise "#{name}: #{answer.code} #{answer.body}" unless answer.is_a?(Net::HTTPOK)

    answer.body
  end

  # @return [Net::HTTPResponse] to a request with the certificate of an agent, or of the server
  def ask(request, name = NAME)
    http(name).request(request)
  end

  def ssl(name)
    name == NAME ? path('ssl') : path('agents', name, 'ssl')
  end

  private

  def user
    Process.uid.zero? ? 'root' : ENV.fetch('USER')
  end

  def write_configuration(settings, environment)
    File.write(path('conf/puppet.conf'), <<~INI)
      [main]
      ssldir = #{path('ssl')}
      user = #{user}
      group = #{user}
      [server]
      certname = #{NAME}
      dns_alt_names = localhost,#{NAME}
      cadir = #{path('ca')}
      autosign = true
      environmentpath = #{path('code/environments')}
      #{settings.map { |name, value| "#{name} = #{value}" }.join("\n")}
    INI
    { puppetserver: { 'jruby-puppet': { 'ruby-load-path': [PUPPET], 'gem-home': path('gems'), 'gem-path': [path('gems'), GEMS],
                                        'server-conf-dir': path('conf'), 'server-code-dir': path('code'), 'server-var-dir': path('var'),
                                        'server-run-dir': path('run'), 'server-log-dir': path('log'), 'max-active-instances': @instances,
                                        'environment-vars': environment },
                      'http-client': {}, profiler: { enabled: true }, 'versioned-code': versioned_code }.compact,
      webserver: { webserver: { 'client-auth': 'want', 'ssl-host': '127.0.0.1', 'ssl-port': @port } },
      global: { global: { 'logging-config': path('logback.xml') } } }.each do |name, content|
      File.write(path("conf.d/#{name}.conf"), JSON.generate(content))
    end
    %w[auth ca metrics web-routes].each { |name| FileUtils.cp("/etc/puppet/puppetserver/conf.d/#{name}.conf", path('conf.d')) }
    open_administration
    File.write(path('logback.xml'), <<~XML)
      <configuration>
        <appender name="F" class="ch.qos.logback.core.FileAppender">
          <file>#{path('log/puppetserver.log')}</file>
          <encoder><pattern>%d %-5p [%c{2}] %m%n</pattern></encoder>
        </appender>
        <root level="info"><appender-ref ref="F"/></root>
      </configuration>
    XML
  end

  # The commands that tell the version of an environment's code, and the content of one of its files.
  def versioned_code
    return unless @versioned

    File.write(path('code-id'), "#!/bin/sh\necho \"version-of-$1\"\n", perm: 0o755)
    File.write(path('code-content'), "#!/bin/sh\nexec cat '#{path('code/environments')}'/\"$1/$3\"\n", perm: 0o755)
    { 'code-id-command': path('code-id'), 'code-content-command': path('code-content') }
  end

  # The server's own certificate can clear caches and compile catalogs for others.
  def open_administration
    rules = File.read(path('conf.d/auth.conf'))
    rules = rules.sub('deny: "*"', %(allow: "#{NAME}"))
    own = <<~CONF
      {
          match-request: { path: "/puppet-admin-api/v1/", type: path, method: delete }
          allow: "#{NAME}"
          sort-order: 200
          name: "clearing the cache"
      },
    CONF
    File.write(path('conf.d/auth.conf'), rules.sub('rules: [', "rules: [\n#{own}"))
  end

  def http(name = nil)
    Net::HTTP.new('127.0.0.1', @port).tap do |connection|
      connection.use_ssl = true
      connection.verify_mode = OpenSSL::SSL::VERIFY_NONE
      connection.read_timeout = 600
      next unless name

      connection.cert = OpenSSL::X509::Certificate.new(File.read(File.join(ssl(name), 'certs', "#{name}.pem")))
      connection.key = OpenSSL::PKey.read(File.read(File.join(ssl(name), 'private_keys', "#{name}.pem")))
    end
  end

  def run(environment, *command)
    log = path('log/setup.log')
    system(environment, *command, %i[out err] => [log, 'a']) or raise "#{command.join(' ')} failed:\n#{File.read(log)}"
  end

  def wait(seconds: 1800)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    until answers? { yield }
      ended = Process.wait(@pid, Process::WNOHANG)
      raise "puppetserver does not start:\n#{logs}" if ended || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

      sleep 0.5
    end
  end

  def answers?
    yield
  rescue SystemCallError, EOFError, OpenSSL::SSL::SSLError
    false
  end

  def logs
    Dir[path('log/*.log')].map { |log| File.readlines(log).last(30).join }.join("\n")
  end
end
