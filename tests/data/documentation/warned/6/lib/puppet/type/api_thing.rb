# What it does.
#
# @since 1.2.0
# @summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary
#   and more of it
# @param c (see puppet_classes::sample::one)
#   and more of it
Puppet::ResourceApi.register_type(
  name: 'api_thing',
  docs: 'About it',
  attributes: {
    b: { type: 'Enum["a", "b"]' },
  },
)
