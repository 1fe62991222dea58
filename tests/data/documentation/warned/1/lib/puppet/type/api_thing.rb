# (see nowhere)
# What it does.
# @param name (see nowhere)
# @todo Finish it
Puppet::ResourceApi.register_type(
  name: 'api_thing',
  attributes: {
  },
)
