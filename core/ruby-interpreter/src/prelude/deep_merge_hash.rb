class Hash
  def deep_merge!(source, options = {})
    DeepMerge.deep_merge!(source, self, { preserve_unmergeables: false }.merge(options))
  end

  def ko_deep_merge!(source, options = {})
    DeepMerge.deep_merge!(source, self, { knockout_prefix: '--', preserve_unmergeables: false }.merge(options))
  end

  def deep_merge(source, options = {})
    DeepMerge.deep_merge!(source, self, { preserve_unmergeables: true }.merge(options))
  end
end
