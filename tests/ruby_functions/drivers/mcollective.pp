notice(mco_array_to_string([1, 'a', true, 1.5, undef, [2], {'a' => 1}]))
notice(mco_array_to_string('x'))
notice(mco_array_to_string())
