Puppet::Type.type(:thing).provide(:hammer, parent: Puppet::Provider) do
  # What it does
  desc "Uses a hammer.
    And a nail."
  confine :osfamily => :debian, kernel: ['Linux', 'Darwin']
  confine feature: :posix
  defaultfor :osfamily => :debian, :operatingsystemmajrelease => ['9', '10']
  defaultfor({ kernel: 'Linux' })
  has_feature :growing
  has_features :shrinking, 'waiting'
  commands hammer: '/usr/bin/hammer', :nail => NAIL
end

# A comment only
Puppet::Type.type(:thing).provide :axe do
end
