require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'api_thing',
  docs: <<-EOS,
    @summary a thing of the Resource API
    @example
    api_thing { 'foo':
      ensure => 'present',
    }

    Text of it.
  EOS
  features: ['simple_get_filter', "remote_resource"],
  title_patterns: [{ pattern: %r{^(?<name>.*)$}, desc: 'all' }],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'The name.', behaviour: :namevar },
    size: { type: 'Optional[Integer]', desc: 'The size.', behavior: :init_only, default: 3 },
    deep: { type: 'Pattern[/a/]', behaviour: :parameter, default: false },
  },
)
Puppet::ResourceApi.register_type(name: 'computed', attributes: { a: { type: TYPE } })
