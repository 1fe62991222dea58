# @param name (see thing)
# @author Somebody
# @yieldreturn [Any] It
Puppet::ResourceApi.register_type(
  name: 'api_thing',
  docs: 'About it',
  attributes: {
    mode: { type: 'Optional[String[1]]' },
  },
)
