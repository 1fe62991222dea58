module DeepMerge
  DEFAULT_FIELD_KNOCKOUT_PREFIX = '--'

  class InvalidParameter < StandardError
  end

  def self.deep_merge!(source, dest, options = {})
    prefix = options[:knockout_prefix]
    raise InvalidParameter, 'knockout_prefix cannot be an empty string in deep_merge!' if prefix == ''
    if prefix && options[:preserve_unmergeables]
      raise InvalidParameter, 'overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!'
    end
    return dest if source.nil?
    return source if !dest && !options[:preserve_unmergeables]

    case source
    when Hash then bunraku_hash(source, dest, options)
    when Array then options[:overwrite_arrays] ? source : bunraku_array(source, dest, options)
    else
      extends = dest.is_a?(Array) && options[:extend_existing_arrays]
      extends ? dest.push(source) : overwrite_unmergeables(source, dest, options)
    end
  end

  def self.bunraku_hash(source, dest, options)
    source.each do |key, value|
      if dest.is_a?(Hash)
        dest[key] = deep_merge!(value, dest[key] ? dest[key] : value.dup, options)
      elsif dest.is_a?(Array) && options[:extend_existing_arrays]
        dest.push(source)
      else
        dest = overwrite_unmergeables(source, dest, options)
      end
    end
    dest
  end

  def self.bunraku_array(source, dest, options)
    separator = options[:unpack_arrays]
    if separator
      source = source.join(separator).split(separator)
      dest = dest.join(separator).split(separator) if dest.is_a?(Array)
    end
    prefix = options[:knockout_prefix]
    if prefix && source.include?(prefix)
      dest = clear_or_nil(dest)
      source.delete(prefix)
    end
    return overwrite_unmergeables(source, dest, options) unless dest.is_a?(Array)

    bunraku_knock_out(source, dest, prefix) if prefix
    dest = bunraku_lists(source, dest, options)
    dest.sort! if options[:sort_merged_arrays]
    dest
  end

  def self.bunraku_knock_out(source, dest, prefix)
    source.delete_if do |one|
      plain = one.respond_to?(:gsub) ? one.gsub(/^#{prefix}/, '') : one
      next false if plain == one

      dest.delete(plain)
      dest.delete(one)
      true
    end
  end

  def self.bunraku_lists(source, dest, options)
    hashes = options[:merge_hash_arrays] && (source + dest).all?(Hash)
    return dest | source unless hashes

    merged = dest.each_with_index.map { |one, index| deep_merge!(source[index] || {}, one, options) }
    merged + source.drop(dest.size)
  end

  def self.overwrite_unmergeables(source, dest, options)
    return dest if options[:preserve_unmergeables]

    prefix = options[:knockout_prefix]
    return source unless prefix

    kept =
      case source
      when String then source.gsub(/^#{prefix}/, '')
      when Array then source.delete_if { |one| one.is_a?(String) && one.match(/^#{prefix}/) }
      else source
      end
    kept == source ? kept : ''
  end

  def self.clear_or_nil(object)
    object.respond_to?(:clear) ? object.clear : nil
  end
end
