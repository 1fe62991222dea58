notice(range_to_mask('1-3'), range_to_mask('0,2,4-6'), range_to_mask(''), range_to_mask(undef), range_to_mask('63'))
notice(range_to_mask('x'))
notice(range_to_mask(1))
notice(range_to_mask())
