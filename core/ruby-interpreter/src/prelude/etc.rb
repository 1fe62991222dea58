# Users and groups as the files of the system name them, which the host lets be read, and the process.
module Etc
  Passwd = Struct.new(:name, :passwd, :uid, :gid, :gecos, :dir, :shell)
  Group = Struct.new(:name, :passwd, :gid, :mem)

  class << self
    def getpwnam(name)
      name = __name(name)
      __users.find { |user| user.name == name } or raise ArgumentError, "can't find user for #{name}"
    end

    def getpwuid(uid = Process.uid)
      uid = __number(uid)
      __users.find { |user| user.uid == uid } or raise ArgumentError, "can't find user for #{uid}"
    end

    def getgrnam(name)
      name = __name(name)
      __groups.find { |group| group.name == name } or raise ArgumentError, "can't find group for #{name}"
    end

    def getgrgid(gid = Process.gid)
      gid = __number(gid)
      __groups.find { |group| group.gid == gid } or raise ArgumentError, "can't find group for #{gid}"
    end

    private

    def __name(name)
      return name if name.is_a?(String)

      raise TypeError, "no implicit conversion of #{__kind(name)} into String"
    end

    def __number(number)
      return number if number.is_a?(Integer)
      raise TypeError, 'no implicit conversion from nil to integer' if number.nil?

      raise TypeError, "no implicit conversion of #{__kind(number)} into Integer"
    end

    def __lines(path)
      __refuse("Etc without #{path}") unless File.file?(path)
      File.read(path).lines(chomp: true).reject { |line| line.empty? || line.start_with?('#', '+', '-') }
    end

    def __users
      __lines('/etc/passwd').map do |line|
        name, word, uid, gid, about, home, shell = line.split(':', -1)
        Passwd.new(name, word, uid.to_i, gid.to_i, about, home, shell)
      end
    end

    def __groups
      __lines('/etc/group').map do |line|
        name, word, gid, members = line.split(':', -1)
        Group.new(name, word, gid.to_i, members.to_s.split(','))
      end
    end
  end
end

module Process
  class << self
    def uid
      __own('Uid', 0)
    end

    def euid
      __own('Uid', 1)
    end

    def gid
      __own('Gid', 0)
    end

    def egid
      __own('Gid', 1)
    end

    private

    def __own(which, at)
      status = '/proc/self/status'
      __refuse("Process without #{status}") unless File.file?(status)
      File.read(status)[/^#{which}:\s+(.*)/, 1].split[at].to_i
    end
  end
end

module Find
  def self.find(*paths, ignore_error: true)
    return to_enum(:find, *paths) unless block_given?

    paths.each do |path|
      raise Errno::ENOENT, path.to_s unless File.exist?(path)

      pending = [path.to_s.dup]
      until pending.empty?
        file = pending.shift
        catch(:prune) do
          yield file.dup
          next unless File.directory?(file)

          pending = Dir.children(file).sort.map { |name| File.join(file, name) } + pending
        end
      end
    end
    nil
  end

  def self.prune
    throw :prune
  end
end

class IO
  def self.readlines(path, chomp: false)
    File.readlines(path, chomp: chomp)
  end

  def self.read(path)
    File.read(path)
  end

  def self.foreach(path, chomp: false, &block)
    File.foreach(path, chomp: chomp, &block)
  end

  def self.write(path, text)
    File.write(path, text)
  end
end
