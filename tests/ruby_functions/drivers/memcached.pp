notice(memcached::max_memory(undef), memcached::max_memory('50%'), memcached::max_memory(100), memcached::max_memory('200'), memcached::max_memory('12.5%'))
notice(memcached::max_memory())
notice(memcached::max_memory([1]))
