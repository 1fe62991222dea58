module FileUtils
  def self.mkdir_p(list, mode: nil, noop: nil, verbose: nil)
    Array(list).each { |path| Puppet::Native.make_directories(path.to_s) unless noop || File.directory?(path.to_s) }
    list
  end

  def self.makedirs(list, **options)
    mkdir_p(list, **options)
  end

  def self.mkpath(list, **options)
    mkdir_p(list, **options)
  end

  def self.touch(list, **)
    Array(list).each { |path| Puppet::Native.write(path.to_s, File.exist?(path.to_s) ? File.read(path.to_s) : '') }
  end

  def self.cp(from, to, **)
    to = File.join(to, File.basename(from)) if File.directory?(to)
    Puppet::Native.write(to, File.read(from))
    nil
  end

  # Written files belong to the user of the process, and only that user may read them.
  def self.chown(_user, _group, list, **)
    list
  end

  def self.chmod(_mode, list, **)
    list
  end

  def self.chown_R(_user, _group, list, **)
    list
  end

  def self.chmod_R(_mode, list, **)
    list
  end
end
