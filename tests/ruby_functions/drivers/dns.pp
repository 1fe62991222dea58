notice(get_in_addr_arpa('10.1.2'), get_in_addr_arpa(''), get_in_addr_arpa('a'))
notice(get_in_addr_arpa(10))
notice(get_in_addr_arpa())
notice(date() =~ /\A\d+\z/)
