notice(get_ext_net_name({'a' => {'L2' => {'router_ext' => false}}, 'b' => {'L2' => {'router_ext' => true}}}), get_ext_net_name({'a' => {}}), get_ext_net_name({}))
notice(get_ext_net_name('x'))
notice(get_ext_net_name())
notice(get_ext_net_name({'a' => 1}))
