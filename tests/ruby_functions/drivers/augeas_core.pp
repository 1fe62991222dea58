notice(augeas("a = 1\n", 'Puppet.lns', ['set x 1']))
notice(augeas('a', 'b', 'c'))
notice(augeas('a', 'b', ['c'], 1))
